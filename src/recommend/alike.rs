//! Sessions that are like the one that goes on: they hold the same items, the newest of them above all.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::candidates::Candidates;
use super::fixed::{ONE, Share, inverse_root, powers};
use super::history::SessionSlot;
use super::items::Item;
use super::others::Others;

/// So many items of the session that goes on are looked for.
const ITEMS: usize = 8;
/// So many sessions of each.
const SESSIONS_OF_ITEM: usize = 500;
/// So many of them all count.
const SESSIONS: usize = 375;
/// What an item counts, by how many came after it.
const AGE: [Share; ITEMS] = powers(58);
/// What a click counts, by its distance from the newest item that the sessions share; farther ones count nothing.
const DISTANCE: [Share; 26] = powers(57);

/// A session that is like this one.
#[derive(Debug, Clone, Copy)]
struct Alike {
    session: SessionSlot,
    shared: Share,
    /// The place of the newest item that they share.
    position: u32,
}

/// Adds what sessions like this one hold: `items` are those of this session, each once, the newest first.
pub fn add(others: &Others<'_>, items: &[Item], candidates: &mut Candidates) {
    let history = others.history();
    let mut all = shared(others, items);
    for alike in &mut all {
        let length = history.clicks(alike.session).len() as u64 + 2;
        alike.shared = alike.shared * inverse_root(length) / ONE;
    }
    if all.len() > SESSIONS {
        let rank = |alike: &Alike| (Reverse(alike.shared), Reverse(history.key(alike.session)));
        all.select_nth_unstable_by_key(SESSIONS - 1, rank);
        all.truncate(SESSIONS);
    }
    let sum: Share = all.iter().map(|alike| alike.shared).sum();
    for alike in &all {
        let position = alike.position as usize;
        let first = position.saturating_sub(DISTANCE.len() - 1);
        let near = history.clicks(alike.session).iter().enumerate().skip(first);
        for (place, item) in near.take_while(|(place, _)| *place < position + DISTANCE.len()) {
            let counts = DISTANCE[place.abs_diff(position)];
            candidates.get_or_insert(*item).alike += alike.shared * counts / sum.max(1);
        }
    }
}

/// Sessions that hold one of the items, with the sum of what these count.
fn shared(others: &Others<'_>, items: &[Item]) -> Vec<Alike> {
    let mut places: FxHashMap<SessionSlot, usize> = FxHashMap::default();
    let mut all: Vec<Alike> = Vec::new();
    for (item, age) in items.iter().zip(AGE) {
        for place in others.newest_sessions(*item).take(SESSIONS_OF_ITEM) {
            let at = *places.entry(place.session).or_insert(all.len());
            if at == all.len() {
                all.push(Alike { session: place.session, shared: 0, position: place.position });
            }
            all[at].shared += age;
        }
    }
    all
}
