//! Shopify: CSV export of products.
