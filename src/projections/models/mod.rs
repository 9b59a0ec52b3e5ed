//! The recommendation model of each account. The first request builds it from the stored events; from then on it
//! follows them, in the order in which they were accepted.

mod build_queue;
mod follow;
mod model_set;
mod read;
mod stored_event_page;

pub use self::model_set::{ModelFault, ModelHandle, Models};
