//! People: the subjects of requests, rows and events.

pub mod admit;
pub mod browser;
pub mod consent;
pub mod erasure_scope;
pub mod event;
mod event_text;
pub mod identifiers;
pub mod links;
pub mod log_in;
pub mod order;
pub mod order_address;
pub mod order_event;
pub mod person;
pub mod profile;
pub mod records;
mod remainder;
pub mod retention;
pub mod rows;
pub mod subject;
pub mod suppression_gate;
pub mod timeline;
