//! Items clicked shortly before and after an item.

use super::fixed_point::FixedPoint;
use super::items::ItemNumber;
use super::leave_one_out::OtherSessions;

/// Range in which neighbours of an item are looked for.
pub struct NeighbourRange {
    /// Number of its newest clicks that are read.
    pub clicks: usize,
    /// Weight of a neighbour, by the number of clicks between; beyond, it weighs nothing.
    pub decay: &'static [FixedPoint],
    /// True if a repeated item is its own neighbour. Nothing beyond the repetition is looked at either way.
    pub itself: bool,
}

/// A neighbour of an item.
#[derive(Debug, Clone, Copy)]
pub struct Neighbour {
    /// The neighbour.
    pub item: ItemNumber,
    /// 0: it was clicked after the item, 1: before.
    pub side: usize,
    /// Clicks between the two.
    pub between: usize,
    /// Weight of the neighbour.
    pub decay: FixedPoint,
}

impl NeighbourRange {
    /// One more than the number of an item's clicks that are read: sums over them are divided by it.
    #[must_use]
    pub fn divisor(&self, others: &OtherSessions<'_>, item: ItemNumber) -> FixedPoint {
        1 + others.clicks_of(item).min(self.clicks) as FixedPoint
    }
}

/// Visits the neighbours in an item's newest clicks, up to the next click on the item itself.
#[inline]
pub fn visit(
    others: &OtherSessions<'_>,
    item: ItemNumber,
    reach: &NeighbourRange,
    mut take: impl FnMut(Neighbour),
) {
    let far = reach.decay.len();
    // Returns true to continue after this one.
    let mut meet = |neighbour: ItemNumber, side: usize, between: usize| {
        let is_itself = neighbour == item;
        if !is_itself || reach.itself {
            take(Neighbour { item: neighbour, side, between, decay: reach.decay[between] });
        }
        !is_itself
    };
    for place in others.newest(item, reach.clicks) {
        let (before, rest) = others.history().clicks(place.session).split_at(place.position as usize);
        let mut after = rest[1..].iter().take(far).enumerate();
        after.all(|(between, neighbour)| meet(*neighbour, 0, between));
        let mut before = before.iter().rev().take(far).enumerate();
        before.all(|(between, neighbour)| meet(*neighbour, 1, between));
    }
}
