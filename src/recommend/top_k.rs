//! The best items of many.

use super::history::ClickHistory;
use super::items::ItemNumber;

/// An item with its score, in the recommender's own unit.
pub type ScoredItem = (i64, ItemNumber);

/// The best, by score, then by catalogue id.
#[must_use]
pub fn best(history: &ClickHistory, mut scored: Vec<ScoredItem>, size: usize) -> Vec<ScoredItem> {
    let tie = |a: &ScoredItem, b: &ScoredItem| history.id(a.1).cmp(history.id(b.1));
    let rank = |a: &ScoredItem, b: &ScoredItem| b.0.cmp(&a.0).then_with(|| tie(a, b));
    if scored.len() > size && size > 0 {
        scored.select_nth_unstable_by(size - 1, rank);
    }
    scored.truncate(size);
    scored.sort_unstable_by(rank);
    scored
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recommend::history::SessionKey;

    #[test]
    fn the_best_are_as_many_as_asked_for_and_equal_ones_stand_by_their_ids() {
        let mut history = ClickHistory::default();
        ["e", "b", "d", "a", "c"].iter().for_each(|id| history.add(SessionKey { start: 1, id: 1 }, id));
        let scored = vec![(1, 0), (2, 1), (1, 2), (3, 3), (2, 4)];
        let found = |size| -> String {
            best(&history, scored.clone(), size).into_iter().map(|(_, item)| history.id(item)).collect()
        };
        let all = "abcde";
        assert_eq!([0, 1, 2, 3, 4, 5, 9].map(found), [0, 1, 2, 3, 4, 5, 5].map(|size: usize| &all[..size]));
    }
}
