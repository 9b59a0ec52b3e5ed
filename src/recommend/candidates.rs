//! Signals of each candidate item.

use super::fixed_point::FixedPoint;
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
    /// The same next to the items before the newest.
    pub near_older: [FixedPoint; 2],
    /// Weight of the sessions like this one that hold it.
    pub alike: FixedPoint,
    /// Nearness to the items that are near, after them and before them.
    pub two_steps: [FixedPoint; 2],
}

/// Candidates by item; one set serves one request after the other.
#[derive(Debug, Default)]
pub struct CandidateSet {
    /// By item: one more than its place in the list, or 0.
    places: Vec<u32>,
    list: Vec<ItemCandidate>,
}

impl CandidateSet {
    /// Takes all candidates out and makes room for items with numbers below `items_end`.
    pub fn clear(&mut self, items_end: usize) {
        for candidate in self.list.drain(..) {
            self.places[candidate.item as usize] = 0;
        }
        self.places.resize(items_end.max(self.places.len()), 0);
    }

    /// The candidate of an item, which becomes one.
    #[inline]
    pub fn get_or_insert(&mut self, item: ItemNumber) -> &mut ItemCandidate {
        let place = &mut self.places[item as usize];
        if *place == 0 {
            self.list.push(ItemCandidate { item, ..ItemCandidate::default() });
            *place = self.list.len() as u32;
        }
        &mut self.list[*place as usize - 1]
    }

    /// The candidate of an item, if it is one.
    #[must_use]
    pub fn get(&self, item: ItemNumber) -> Option<&ItemCandidate> {
        let place = self.places.get(item as usize)?.checked_sub(1)?;
        self.list.get(place as usize)
    }

    /// All, to be changed.
    pub fn all_mut(&mut self) -> &mut [ItemCandidate] {
        &mut self.list
    }

    /// All, in the order in which they became candidates.
    #[must_use]
    pub fn as_slice(&self) -> &[ItemCandidate] {
        &self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
