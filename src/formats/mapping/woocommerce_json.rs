//! WooCommerce: JSON of its REST API.
