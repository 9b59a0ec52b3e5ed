//! WooCommerce: CSV export of products.
