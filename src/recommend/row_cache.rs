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

/// A neighbour of an item: sums over the clicks on the item that are not divided yet, in parts of 2⁻²⁰.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NeighbourSums {
    /// The neighbour.
    pub item: ItemNumber,
    /// Weights after the item, and before it.
    pub near: [u32; 2],
    /// Weights directly after it.
    pub next: u32,
}

/// The rows of an item.
#[derive(Debug, Default)]
pub struct RowsOfItem {
    /// Neighbours for its place as the newest item.
    pub newest: OnceLock<Box<[NeighbourSums]>>,
    /// Neighbours one step on.
    pub second: OnceLock<Box<[NeighbourSums]>>,
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
        let RowsOfItem { newest, second } = std::mem::take(rows);
        let newest = newest.get().map_or(0, |row| size_of_val(&**row));
        let second = second.get().map_or(0, |row| size_of_val(&**row));
        *self.bytes.get_mut() -= newest + second;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes the row of the newest item, of so many neighbours of sixteen bytes, unless it is there.
    fn make_newest(cache: &NeighbourCache, item: ItemNumber, clicks: usize, count: usize) -> Option<usize> {
        let make = || vec![NeighbourSums::default(); count].into_boxed_slice();
        cache.get_or_make(item, clicks, |rows| &rows.newest, make).map(<[NeighbourSums]>::len)
    }

    fn taken_bytes(cache: &NeighbourCache) -> usize {
        cache.bytes.load(Ordering::Relaxed)
    }

    #[test]
    fn rows_are_made_until_their_room_is_taken_and_more_of_a_shop_with_more_clicks() {
        let mut cache = NeighbourCache::default();
        cache.reserve_items(5);
        assert_eq!(size_of::<NeighbourSums>(), ROW_BYTES_OF_CLICK);
        let full = LEAST_BYTES / ROW_BYTES_OF_CLICK;
        assert_eq!(make_newest(&cache, 0, 0, full), Some(full));
        assert_eq!((taken_bytes(&cache), make_newest(&cache, 1, 0, 1)), (LEAST_BYTES, Some(1)));
        // As many bytes are taken as those of one more click than a small shop is reckoned to have.
        assert_eq!([0, full].map(|clicks| make_newest(&cache, 2, clicks, 1)), [None; 2]);
        assert_eq!(make_newest(&cache, 2, full + 1, 1), Some(1));
        assert_eq!(make_newest(&cache, 5, full + 9, 1), None, "an item without a place");
    }

    #[test]
    fn the_rows_of_an_item_give_back_the_bytes_that_each_of_them_took() {
        let mut cache = NeighbourCache::default();
        cache.reserve_items(2);
        let row = |count: usize| vec![NeighbourSums::default(); count].into_boxed_slice();
        assert!(cache.get_or_make(0, 0, |rows| &rows.second, || row(5)).is_some());
        assert_eq!(make_newest(&cache, 0, 0, 7), Some(7));
        assert_eq!(make_newest(&cache, 1, 0, 2), Some(2));
        assert_eq!(make_newest(&cache, 1, 0, 9), Some(2), "it is there already");
        assert_eq!(taken_bytes(&cache), (5 + 7 + 2) * ROW_BYTES_OF_CLICK);
        cache.drop_of(0);
        assert_eq!(taken_bytes(&cache), 2 * ROW_BYTES_OF_CLICK);
        cache.drop_of(0);
        cache.drop_of(9);
        cache.reserve_items(1);
        assert_eq!((taken_bytes(&cache), make_newest(&cache, 1, 0, 9)), (2 * ROW_BYTES_OF_CLICK, Some(2)));
    }
}
