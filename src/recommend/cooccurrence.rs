//! Walks from an item to the clicks near it. Frequent walks are cached as rows; integer sums make cached and fresh
//! results identical.

use std::sync::OnceLock;

use super::candidates::CandidateSet;
use super::fixed_point::{FixedPoint, ONE, powers, rank_weights};
use super::history::SEEN_FROM;
use super::item_map::{ItemMap, OfItem};
use super::items::ItemNumber;
use super::leave_one_out::OtherSessions;
use super::neighbours::{NEAR_DECAY, NeighbourRange, visit};
use super::row_cache::{NeighbourSums, RowsOfItem};
use super::top_k::ScoredItem;

const NEWEST: NeighbourRange =
    NeighbourRange { ranks: &rank_weights::<300>(15), decay: &NEAR_DECAY, itself: false };
/// Clicks before the newest item among which the item before it is looked for.
const PAIR_CLICKS: usize = 2;

/// An item that a shopper comes back to is one step from itself.
const SECOND: NeighbourRange =
    NeighbourRange { ranks: &rank_weights::<30>(30), decay: &SECOND_DECAY, itself: true };
const SECOND_DECAY: [FixedPoint; 5] = powers(85);

const _: () = assert!(NEAR_DECAY.len() <= SEEN_FROM && SECOND_DECAY.len() <= SEEN_FROM);
// A sum has 32 bits: at most so many neighbours on a side, each of at most 2²⁰.
const _: () = assert!(NEWEST.ranks.len() * NEAR_DECAY.len() < 1 << 12);
const _: () = assert!(SECOND.ranks.len() * SECOND_DECAY.len() < 1 << 12);

/// Clicks that are walked as fast as a row is read.
const FEW_CLICKS: usize = 8;

impl OfItem for NeighbourSums {
    fn of_item(item: ItemNumber) -> Self {
        Self { item, ..Self::default() }
    }

    fn item(&self) -> ItemNumber {
        self.item
    }
}

/// The neighbours that a walk met.
pub type WalkSums = ItemMap<NeighbourSums>;

/// Adds the clicks near the newest item. `candidates` must be empty.
pub fn add_near(
    others: &OtherSessions<'_>,
    item: ItemNumber,
    walk: &mut WalkSums,
    candidates: &mut CandidateSet,
) {
    let divisor = NEWEST.divisor(others, item);
    let share = |sum: u32| FixedPoint::from(sum) * ONE / divisor;
    for sums in read_or_walk(others, item, &NEWEST, |rows| &rows.newest, walk) {
        let candidate = candidates.get_or_insert(sums.item);
        candidate.near = sums.near.map(share);
        candidate.next = share(sums.next);
    }
}

/// The neighbours of an item: of its row if it may have one, else of a walk.
fn read_or_walk<'s>(
    others: &OtherSessions<'s>,
    item: ItemNumber,
    range: &NeighbourRange,
    row: impl Fn(&RowsOfItem) -> &OnceLock<Box<[NeighbourSums]>>,
    walk: &'s mut WalkSums,
) -> &'s [NeighbourSums] {
    let make = || sum_neighbours(others, item, range, walk).into();
    match others.row(item, FEW_CLICKS, row, make) {
        Some(row) => row,
        None => sum_neighbours(others, item, range, walk),
    }
}

fn sum_neighbours<'w>(
    others: &OtherSessions<'_>,
    item: ItemNumber,
    range: &NeighbourRange,
    walk: &'w mut WalkSums,
) -> &'w [NeighbourSums] {
    walk.clear(others.history().items_end());
    visit(others, item, range, |near| {
        let weight = near.weight as u32;
        let sums = walk.get_or_insert(near.item);
        sums.near[near.side] += weight;
        if near.between == 0 && near.side == 0 {
            sums.next += weight;
        }
    });
    walk.as_slice()
}

/// Adds what directly followed the newest item where `before`, another item, was one of the clicks shortly before it.
pub fn add_after_pair(
    others: &OtherSessions<'_>,
    newest: ItemNumber,
    before: ItemNumber,
    candidates: &mut CandidateSet,
) {
    let mut followers: Vec<ItemNumber> = Vec::new();
    let mut read = 0;
    for place in others.newest(newest, NEWEST.ranks.len()) {
        let clicks = others.history().clicks(place.session);
        let at = place.position as usize;
        if !clicks[at.saturating_sub(PAIR_CLICKS)..at].contains(&before) {
            continue;
        }
        read += 1;
        followers.extend(clicks.get(at + 1).filter(|next| **next != newest));
    }
    followers.sort_unstable();
    for same in followers.chunk_by(|one, other| one == other) {
        candidates.get_or_insert(same[0]).after_pair = same.len() as FixedPoint * ONE / (1 + read);
    }
}

/// Adds the clicks near weighted items, one step on.
pub fn add_second(
    others: &OtherSessions<'_>,
    steps: &[ScoredItem],
    walk: &mut WalkSums,
    candidates: &mut CandidateSet,
) {
    let sum: FixedPoint = steps.iter().map(|(weight, _)| *weight as FixedPoint).sum();
    for (weight, item) in steps {
        let divisor = SECOND.divisor(others, *item);
        let share = *weight as FixedPoint * ONE / sum;
        for sums in read_or_walk(others, *item, &SECOND, |rows| &rows.second, walk) {
            let candidate = candidates.get_or_insert(sums.item);
            for (to, near) in candidate.two_steps.iter_mut().zip(sums.near) {
                *to += FixedPoint::from(near) * share / divisor;
            }
        }
    }
}
