//! People: the subjects of requests, rows and events.

pub mod admit;
pub mod browser;
pub mod came_with;
pub mod closure;
pub mod consent;
pub mod door;
pub mod event;
mod event_text;
mod leaving;
pub mod links;
pub mod log_in;
pub mod named;
pub mod order;
pub mod order_event;
pub mod person;
pub mod profile;
pub mod records;
pub mod retention;
pub mod rows;
pub mod subject;
pub mod timeline;
