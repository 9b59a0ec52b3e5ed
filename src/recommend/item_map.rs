//! Values by item.

use super::items::ItemNumber;

/// A value that belongs to an item.
pub trait OfItem {
    /// The value of an item that has none yet.
    fn of_item(item: ItemNumber) -> Self;

    /// The item.
    fn item(&self) -> ItemNumber;
}

/// Values by item; one map serves one request after the other.
#[derive(Debug)]
pub struct ItemMap<T> {
    /// By item: one more than its place in the list, or 0.
    places: Vec<u32>,
    list: Vec<T>,
}

impl<T> Default for ItemMap<T> {
    fn default() -> Self {
        Self { places: Vec::new(), list: Vec::new() }
    }
}

impl<T: OfItem> ItemMap<T> {
    /// Takes all values out and makes room for items with numbers below `items_end`.
    pub fn clear(&mut self, items_end: usize) {
        for value in self.list.drain(..) {
            self.places[value.item() as usize] = 0;
        }
        self.places.resize(items_end.max(self.places.len()), 0);
    }

    /// The value of an item, a new one if it has none.
    #[inline]
    pub fn get_or_insert(&mut self, item: ItemNumber) -> &mut T {
        let place = &mut self.places[item as usize];
        if *place == 0 {
            self.list.push(T::of_item(item));
            *place = self.list.len() as u32;
        }
        &mut self.list[*place as usize - 1]
    }

    /// The value of an item, if it has one.
    #[must_use]
    pub fn get(&self, item: ItemNumber) -> Option<&T> {
        let place = self.places.get(item as usize)?.checked_sub(1)?;
        self.list.get(place as usize)
    }

    /// All values, in the order in which they came.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recommend::candidates::CandidateSet;
    use crate::recommend::fixed_point::FixedPoint;

    /// The candidates in their order, with a signal of each.
    fn listed(set: &CandidateSet) -> Vec<(ItemNumber, FixedPoint)> {
        set.as_slice().iter().map(|candidate| (candidate.item, candidate.next)).collect()
    }

    #[test]
    fn a_set_that_was_emptied_has_no_candidate_and_as_much_room() {
        let mut set = CandidateSet::default();
        set.clear(3);
        set.get_or_insert(2).next = 7;
        set.get_or_insert(0).next = 5;
        set.get_or_insert(2).next += 1;
        assert_eq!(listed(&set), [(2, 8), (0, 5)]);
        let found = [0, 1, 2, 3].map(|item| set.get(item).map(|candidate| candidate.next));
        assert_eq!(found, [Some(5), None, Some(8), None]);
        set.clear(1);
        assert!(listed(&set).is_empty() && [0, 1, 2].iter().all(|item| set.get(*item).is_none()));
        set.get_or_insert(2).next = 9;
        assert_eq!(listed(&set), [(2, 9)]);
    }
}
