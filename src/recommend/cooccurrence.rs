//! Walks from an item to the clicks near it. Frequent walks are cached as rows; integer sums make cached and fresh
//! results identical.

use rustc_hash::FxHashMap;

use super::candidates::{CandidateSet, ItemCandidate};
use super::fixed_point::{FixedPoint, ONE, powers};
use super::history::SEEN_FROM;
use super::items::ItemNumber;
use super::leave_one_out::OtherSessions;
use super::neighbours::{Neighbour, NeighbourRange, visit};
use super::row_cache::{ItemNeighbour, NeighbourCounts};

const NEWEST: NeighbourRange = NeighbourRange { clicks: 600, decay: &NEAR_DECAY, itself: false };
const OLDER: NeighbourRange = NeighbourRange { clicks: 200, ..NEWEST };
const NEAR_DECAY: [FixedPoint; 10] = powers(90);
/// Weight of the 2nd and the 3rd newest item, in hundredths.
const OLDER_COUNT: [FixedPoint; 2] = [100, 60];

/// An item that a shopper comes back to is one step from itself.
const SECOND: NeighbourRange = NeighbourRange { clicks: 50, decay: &SECOND_DECAY, itself: true };
const SECOND_DECAY: [FixedPoint; 5] = powers(78);

const _: () = assert!(NEAR_DECAY.len() <= SEEN_FROM && SECOND_DECAY.len() <= SEEN_FROM);
const _: () = assert!(SECOND.clicks <= u8::MAX as usize, "a row counts in bytes");

/// Clicks that are walked as fast as a row is read.
const FEW_CLICKS: usize = 8;

/// Adds the clicks near the newest items, each once, the newest first. `candidates` must be empty.
pub fn add_near(others: &OtherSessions<'_>, items: &[ItemNumber], candidates: &mut CandidateSet) {
    add_newest(others, items[0], candidates);
    for (age, item) in items[1..].iter().enumerate().take(OLDER_COUNT.len()) {
        add_older(others, *item, age, candidates);
    }
}

fn add_newest(others: &OtherSessions<'_>, item: ItemNumber, candidates: &mut CandidateSet) {
    let row = others.row(item, FEW_CLICKS, |rows| &rows.newest, || newest_row(others, item));
    let Some(row) = row else {
        walk_newest(others, item, candidates);
        return;
    };
    for near in row {
        let candidate = candidates.get_or_insert(near.item);
        candidate.near = near.sides.map(FixedPoint::from);
        candidate.next = near.beside[0].into();
    }
}

fn walk_newest(others: &OtherSessions<'_>, item: ItemNumber, candidates: &mut CandidateSet) {
    visit(others, item, &NEWEST, |near| {
        let candidate = candidates.get_or_insert(near.item);
        candidate.near[near.side] += near.decay;
        candidate.next += if near.between == 0 && near.side == 0 { ONE } else { 0 };
    });
    let divisor = NEWEST.divisor(others, item);
    for candidate in candidates.all_mut() {
        candidate.near = candidate.near.map(|sum| sum / divisor);
        candidate.next /= divisor;
    }
}

fn newest_row(others: &OtherSessions<'_>, item: ItemNumber) -> Box<[ItemNeighbour]> {
    let mut found = CandidateSet::default();
    found.clear(others.history().items_end());
    walk_newest(others, item, &mut found);
    let near = |candidate: &ItemCandidate| ItemNeighbour {
        item: candidate.item,
        sides: candidate.near.map(part),
        beside: [part(candidate.next), 0],
    };
    found.as_slice().iter().map(near).collect()
}

fn add_older(others: &OtherSessions<'_>, item: ItemNumber, age: usize, candidates: &mut CandidateSet) {
    let row = others.row(item, FEW_CLICKS, |rows| &rows.older, || older_row(others, item));
    let Some(row) = row else {
        let parts = older_parts(others, item, age);
        visit(others, item, &OLDER, |near| {
            candidates.get_or_insert(near.item).near_older[near.side] += parts[near.between];
        });
        return;
    };
    for near in row {
        let sides = if age == 0 { near.sides } else { near.beside };
        let candidate = candidates.get_or_insert(near.item);
        for (sum, part) in candidate.near_older.iter_mut().zip(sides) {
            *sum += FixedPoint::from(part);
        }
    }
}

fn older_parts(others: &OtherSessions<'_>, item: ItemNumber, age: usize) -> [FixedPoint; NEAR_DECAY.len()] {
    let divisor = 100 * OLDER.divisor(others, item);
    NEAR_DECAY.map(|decay| decay * OLDER_COUNT[age] / divisor)
}

/// Weights of the neighbours of the 2nd newest item, and of those of the 3rd.
fn older_row(others: &OtherSessions<'_>, item: ItemNumber) -> Box<[ItemNeighbour]> {
    let parts = [0, 1].map(|age| older_parts(others, item, age));
    row_of(others, item, &OLDER, |found: &mut ItemNeighbour, near| {
        found.item = near.item;
        found.sides[near.side] += part(parts[0][near.between]);
        found.beside[near.side] += part(parts[1][near.between]);
    })
}

/// Adds the clicks near weighted items, one step on.
pub fn add_second(others: &OtherSessions<'_>, steps: &[(i64, ItemNumber)], candidates: &mut CandidateSet) {
    let sum: FixedPoint = steps.iter().map(|(weight, _)| *weight as FixedPoint).sum();
    for (weight, item) in steps {
        let divisor = sum * SECOND.divisor(others, *item);
        let parts = SECOND_DECAY.map(|decay| *weight as FixedPoint * decay / divisor);
        let row = others.row(*item, FEW_CLICKS, |rows| &rows.second, || second_row(others, *item));
        let Some(row) = row else {
            visit(others, *item, &SECOND, |near| {
                candidates.get_or_insert(near.item).two_steps[near.side] += parts[near.between];
            });
            continue;
        };
        for often in row {
            let candidate = candidates.get_or_insert(often.item);
            for (sum, times) in candidate.two_steps.iter_mut().zip(&often.times) {
                let counted = times.iter().zip(&parts).map(|(times, part)| FixedPoint::from(*times) * part);
                *sum += counted.sum::<FixedPoint>();
            }
        }
    }
}

fn second_row(others: &OtherSessions<'_>, item: ItemNumber) -> Box<[NeighbourCounts]> {
    row_of(others, item, &SECOND, |found: &mut NeighbourCounts, near| {
        found.item = near.item;
        found.times[near.side][near.between] += 1;
    })
}

fn row_of<T: Default>(
    others: &OtherSessions<'_>,
    item: ItemNumber,
    reach: &NeighbourRange,
    add: impl Fn(&mut T, Neighbour),
) -> Box<[T]> {
    let mut places: FxHashMap<ItemNumber, usize> = FxHashMap::default();
    let mut row: Vec<T> = Vec::new();
    visit(others, item, reach, |near| {
        let place = *places.entry(near.item).or_insert(row.len());
        if place == row.len() {
            row.push(T::default());
        }
        add(&mut row[place], near);
    });
    row.into()
}

/// No sum of a row is more than the sum of a decay: it was divided by the clicks over which it goes.
const fn part(share: FixedPoint) -> u32 {
    share as u32
}
