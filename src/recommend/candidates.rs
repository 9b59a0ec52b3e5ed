//! Signals of each candidate item.

use super::fixed_point::FixedPoint;
use super::item_map::{ItemMap, OfItem};
use super::items::ItemNumber;

/// An item that may be recommended, with its signals.
#[derive(Debug, Clone, Copy, Default)]
pub struct ItemCandidate {
    /// Its number.
    pub item: ItemNumber,
    /// Frequency with which it directly followed the newest item.
    pub next: FixedPoint,
    /// Nearness to the newest item, after it and before it.
    pub near: [FixedPoint; 2],
    /// Frequency with which it directly followed the newest item where the item before that stood shortly before.
    pub after_pair: FixedPoint,
    /// Weight of the sessions like this one that hold it.
    pub alike: FixedPoint,
    /// Nearness to the items that are near, after them and before them.
    pub two_steps: [FixedPoint; 2],
}

impl OfItem for ItemCandidate {
    fn of_item(item: ItemNumber) -> Self {
        Self { item, ..Self::default() }
    }

    fn item(&self) -> ItemNumber {
        self.item
    }
}

/// Candidates by item.
pub type CandidateSet = ItemMap<ItemCandidate>;
