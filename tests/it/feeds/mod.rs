//! Feeds by every way in: read, checked, published.

pub mod by_url;
pub mod cancel;
pub mod children;
pub mod contacts;
pub mod crossing;
pub mod formats;
mod issues;
pub mod ndjson;
pub mod numbers;
pub mod order_files;
pub mod publish;
pub mod quota;
pub mod repeated;
pub mod row_ids;
pub mod row_values;
pub mod uploads;
pub mod variants;
