//! The best items of many.

use super::history::History;
use super::items::Item;

/// An item with its score, in whatever unit the recommender counts.
pub type Scored = (i64, Item);

/// The best, by score, then by catalogue id.
#[must_use]
pub fn best(history: &History, mut scored: Vec<Scored>, size: usize) -> Vec<Scored> {
    let tie = |a: &Scored, b: &Scored| history.id(a.1).cmp(history.id(b.1));
    let rank = |a: &Scored, b: &Scored| b.0.cmp(&a.0).then_with(|| tie(a, b));
    if scored.len() > size && size > 0 {
        scored.select_nth_unstable_by(size - 1, rank);
    }
    scored.truncate(size);
    scored.sort_unstable_by(rank);
    scored
}
