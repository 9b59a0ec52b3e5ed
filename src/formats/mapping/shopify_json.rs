//! Shopify: `products.json` and lines of a bulk operation.
