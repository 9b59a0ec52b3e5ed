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
