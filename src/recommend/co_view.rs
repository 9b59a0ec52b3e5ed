//! The simple recommenders: items clicked next to an item, and the items clicked most.

use std::collections::HashMap;

use super::fixed_point::{FixedPoint, ONE};
use super::items::ItemNumber;
use super::leave_one_out::OtherSessions;
use super::neighbours::{NEAR_DECAY, NeighbourRange, visit};
use super::top_k::{ScoredItem, best};

const BESIDE: NeighbourRange = NeighbourRange { ranks: &[ONE; 600], decay: &NEAR_DECAY, itself: false };

/// Products clicked shortly before or after an item. A score is a share, in parts of 2⁻²⁰.
pub fn also_viewed(
    others: &OtherSessions<'_>,
    id: &str,
    size: usize,
    is_wanted: impl Fn(ItemNumber) -> bool,
) -> Vec<ScoredItem> {
    let Some(item) = others.item(id) else { return Vec::new() };
    let mut near: HashMap<ItemNumber, FixedPoint> = HashMap::new();
    let divisor = BESIDE.divisor(others, item);
    visit(others, item, &BESIDE, |neighbour| {
        *near.entry(neighbour.item).or_default() += neighbour.weight;
    });
    let wanted = near.into_iter().filter(|(item, _)| is_wanted(*item));
    let scored = wanted.map(|(item, sum)| ((sum * ONE / divisor) as i64, item)).collect();
    best(others.history(), scored, size)
}

/// Products clicked most. A score is a number of clicks.
pub fn most_viewed(
    others: &OtherSessions<'_>,
    size: usize,
    is_wanted: impl Fn(ItemNumber) -> bool,
) -> Vec<ScoredItem> {
    most_viewed_of(others, others.history().items().filter(|item| is_wanted(*item)), size)
}

/// Products clicked most among some items.
pub fn most_viewed_of(
    others: &OtherSessions<'_>,
    items: impl Iterator<Item = ItemNumber>,
    size: usize,
) -> Vec<ScoredItem> {
    let counted = items.map(|item| (others.clicks_of(item) as i64, item));
    best(others.history(), counted.filter(|(clicks, _)| *clicks > 0).collect(), size)
}
