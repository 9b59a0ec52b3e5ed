//! Downloads feeds from addresses that shops name, and tells their webhooks, without being turned against the
//! operator's own network.
//!
//! A [`FeedUrl`] is checked when it is submitted; [`Outbound::fetch_feed`] resolves and checks again at every hop and
//! connects only to the checked addresses; [`FetchedBody::into_wire`] gives the bytes as they are sent, bounded in
//! size and time, and [`FeedBytes`] decodes them.

mod address;
mod body;
mod content_coding;
mod decode;
mod fault;
mod feed_url;
mod fetch;
mod fetch_limits;
mod min_rate;
mod post;
mod resolve;
mod validators;
mod wire;

#[cfg(test)]
mod tests;

pub use self::address::AddressPolicy;
pub use self::body::FetchedBody;
pub use self::decode::FeedBytes;
pub use self::fault::{FaultKind, FetchFault, status_of_reason};
pub use self::feed_url::{FeedUrl, FeedUrlRefusal};
pub use self::fetch::{Fetched, Outbound};
pub use self::fetch_limits::FetchLimits;
pub use self::resolve::{Resolve, Resolving, SystemResolver};
pub use self::validators::Validators;
pub use self::wire::{BodyChunk, BodyReader, FetchProgress, WireReader};
