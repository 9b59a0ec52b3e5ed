//! Doing a feed: `fetch`, read and check (`read` over `rows`), compare (`difference`), store its people, publish
//! (`publish` over `switch_sections`). Retried over the feed's window, published once.

pub(super) mod attempt;
mod difference;
mod fetch;
mod log_line;
mod people;
pub(super) mod publish;
mod quota;
pub(super) mod read;
mod republish;
pub mod rows;
mod run;
pub(super) mod source;
mod switch_sections;

pub use self::run::{give_up, run};
