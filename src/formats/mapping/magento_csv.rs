//! Magento: CSV export of products.
