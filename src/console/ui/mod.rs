//! Shared parts of pages: rendering, forms, charts, spreadsheets, live parts, and calls of the server's own operations.

pub mod chart;
pub mod control_client;
pub mod csv;
pub mod editor_fields;
pub mod ephemeral_urls;
pub mod error_page;
pub mod files;
pub mod form;
pub mod form_results;
pub mod images;
pub mod line_chart;
pub mod live_parts;
pub mod locale;
pub mod option_rows;
pub mod page_room;
pub mod page_templates;
pub mod problem;
pub mod render;
pub mod sse;
pub mod url_fields;
