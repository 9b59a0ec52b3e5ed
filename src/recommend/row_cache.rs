//! Neighbours of an item, summed up once and cached until a click near it comes or goes. A row depends on the current
//! history alone: a change of the history drops the rows of every item that it is about, and nothing else can change
//! them.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::items::ItemNumber;

/// Bytes of rows that are kept for each click of the history; further rows are computed each time.
pub const ROW_BYTES_OF_CLICK: usize = 16;
/// The same for a shop that has few clicks.
const LEAST_BYTES: usize = 1 << 16;

/// A neighbour of an item, and its weight next to it: parts of 2⁻²⁰.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ItemNeighbour {
    /// The neighbour.
    pub item: ItemNumber,
    /// By side: after the item, and before it.
    pub sides: [u32; 2],
    /// In a row of the newest item: the weight directly after it, and 0. In a row of an older item, where `sides` is
    /// the weight if it is the 2nd newest: the weight if it is the 3rd.
    pub beside: [u32; 2],
}

/// A neighbour of an item, and how often it comes after and before the item, by the number of clicks between.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NeighbourCounts {
    /// The neighbour.
    pub item: ItemNumber,
    /// By side.
    pub times: [[u8; 5]; 2],
}

/// The rows of an item.
#[derive(Debug, Default)]
pub struct RowsOfItem {
    /// Neighbours for its place as the newest item.
    pub newest: OnceLock<Box<[ItemNeighbour]>>,
    /// Neighbours for its place among the older items.
    pub older: OnceLock<Box<[ItemNeighbour]>>,
    /// Neighbours one step on.
    pub second: OnceLock<Box<[NeighbourCounts]>>,
}

/// The rows of all items.
#[derive(Debug, Default)]
pub struct NeighbourCache {
    of_items: Vec<RowsOfItem>,
    bytes: AtomicUsize,
}

impl NeighbourCache {
    /// Makes room for items with numbers below `items_end`.
    pub fn reserve_items(&mut self, items_end: usize) {
        if self.of_items.len() < items_end {
            self.of_items.resize_with(items_end, RowsOfItem::default);
        }
    }

    /// Drops the rows of an item.
    pub fn drop_of(&mut self, item: ItemNumber) {
        let Some(rows) = self.of_items.get_mut(item as usize) else { return };
        let RowsOfItem { newest, older, second } = std::mem::take(rows);
        let near = [newest, older].map(|row| row.get().map_or(0, |row| size_of_val(&**row)));
        let often = second.get().map_or(0, |row| size_of_val(&**row));
        *self.bytes.get_mut() -= near[0] + near[1] + often;
    }

    /// A row of an item, computed if it is missing; `None` if there is no room.
    pub fn get_or_make<T>(
        &self,
        item: ItemNumber,
        clicks: usize,
        row: impl Fn(&RowsOfItem) -> &OnceLock<Box<[T]>>,
        make: impl FnOnce() -> Box<[T]>,
    ) -> Option<&[T]> {
        let row = row(self.of_items.get(item as usize)?);
        if let Some(made) = row.get() {
            return Some(made);
        }
        let most = LEAST_BYTES.max(clicks * ROW_BYTES_OF_CLICK);
        if self.bytes.load(Ordering::Relaxed) > most {
            return None;
        }
        let counted = || {
            let row = make();
            self.bytes.fetch_add(size_of_val(&*row), Ordering::Relaxed);
            row
        };
        Some(row.get_or_init(counted))
    }
}
