//! Items clicked shortly before and after an item.

use super::fixed_point::{FixedPoint, ONE, powers};
use super::items::ItemNumber;
use super::leave_one_out::OtherSessions;

/// Weight of a neighbour of an item by the clicks between the two.
pub const NEAR_DECAY: [FixedPoint; 10] = powers(75);

/// Range in which neighbours of an item are looked for.
pub struct NeighbourRange {
    /// Weight of each click on the item that is read, the newest first.
    pub ranks: &'static [FixedPoint],
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
    /// Weight of the neighbour: that of the click on the item, decayed.
    pub weight: FixedPoint,
}

impl NeighbourRange {
    /// One more than the weights of the clicks that are read: sums over these are divided by it.
    #[must_use]
    pub fn divisor(&self, others: &OtherSessions<'_>, item: ItemNumber) -> FixedPoint {
        let read = others.newest(item, self.ranks.len()).count();
        ONE + self.ranks[..read].iter().sum::<FixedPoint>()
    }
}

/// Visits the neighbours in an item's newest clicks, up to the next click on the item itself.
#[inline]
pub fn visit(
    others: &OtherSessions<'_>,
    item: ItemNumber,
    range: &NeighbourRange,
    mut take: impl FnMut(Neighbour),
) {
    let far = range.decay.len();
    // Returns true to continue after this one.
    let mut meet = |neighbour: ItemNumber, rank: FixedPoint, side: usize, between: usize| {
        let is_itself = neighbour == item;
        if !is_itself || range.itself {
            let weight = rank * range.decay[between] / ONE;
            take(Neighbour { item: neighbour, side, between, weight });
        }
        !is_itself
    };
    for (place, rank) in others.newest(item, range.ranks.len()).zip(range.ranks) {
        let (before, rest) = others.history().clicks(place.session).split_at(place.position as usize);
        let mut after = rest[1..].iter().take(far).enumerate();
        after.all(|(between, neighbour)| meet(*neighbour, *rank, 0, between));
        let mut before = before.iter().rev().take(far).enumerate();
        before.all(|(between, neighbour)| meet(*neighbour, *rank, 1, between));
    }
}
