//! The world of a made-up history: what its sessions are made from.

use super::queries::SampleQueries;
use super::shelf::{Shelf, ShelfItem};
use super::shopper::SampleVisitors;
use crate::clock::Millis;

/// Products, searches and visitors of a history.
pub struct SampleWorld<'a> {
    pub items: &'a [ShelfItem],
    pub shelf: Shelf,
    pub queries: SampleQueries,
    pub visitors: SampleVisitors<'a>,
}

pub const DAY: Millis = 24 * 60 * 60 * 1000;
/// A second in milliseconds.
pub const SECOND: u64 = 1000;
