//! The interface on the wire: credentials, refusals, limits, documents, webhooks.

pub mod answer_limits;
pub mod basics;
pub mod compression;
pub mod control;
pub mod credentials;
pub mod edges;
pub mod field_names;
pub mod log_lines;
pub mod monitoring;
pub mod openapi;
pub mod page_answers;
pub mod paging;
pub mod plugin;
pub mod plugin_search;
pub mod proxies;
pub mod root_page;
pub mod shop_profile;
pub mod store_faults;
pub mod storefront;
pub mod try_page;
pub mod unknown_members;
pub mod user_tokens;
pub mod webhooks;
