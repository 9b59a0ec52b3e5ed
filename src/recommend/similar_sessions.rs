//! Sessions that are like the current one: they share its items, above all the newest ones.

use rustc_hash::FxHashMap;

use super::candidates::CandidateSet;
use super::fixed_point::{FixedPoint, LOG_BITS, ONE, inverse_root, log2, powers, rank_weights};
use super::history::SessionSlot;
use super::items::ItemNumber;
use super::leave_one_out::OtherSessions;

/// Number of items of the current session that are looked for.
const ITEMS: usize = 12;
/// Number of sessions of each.
const SESSIONS_OF_ITEM: usize = 250;
/// Number of similar sessions that count.
const SESSIONS: usize = 200;
/// Weight of an item, by the number of items that came after it.
const AGE: [FixedPoint; ITEMS] = powers(80);
/// Weight of a session that holds an item, by its rank among these, the newest first.
const RANK: [FixedPoint; SESSIONS_OF_ITEM] = rank_weights(100);
/// Bits that the square of what is shared is cut by: at most 2⁴⁴ with twelve items, so that products fit 64 bits.
const SQUARE_SHIFT: u32 = 8;
/// Weight of a click, by its distance from the newest item that the sessions share; farther clicks weigh nothing.
const DISTANCE: [FixedPoint; 64] = powers(90);

/// Length weights of sessions with few clicks, by the number of clicks.
const INVERSE_ROOTS: [FixedPoint; 64] = {
    let mut roots = [0; 64];
    let mut clicks = 0;
    while clicks < 64 {
        roots[clicks] = inverse_root(clicks as u64 + 2);
        clicks += 1;
    }
    roots
};

/// A session that is like this one.
#[derive(Debug, Clone, Copy)]
struct Alike {
    session: SessionSlot,
    shared: FixedPoint,
    /// The place of the newest item that they share.
    position: u32,
}

/// Sessions that are like one; their memory serves one request after the other.
#[derive(Debug, Default)]
pub struct AlikeSessions {
    all: Vec<Alike>,
    /// By session: its place in the list.
    places: FxHashMap<SessionSlot, u32>,
}

/// Adds the items of sessions like this one: `items` are those of this session, each once, the newest first.
pub fn add(
    others: &OtherSessions<'_>,
    items: &[ItemNumber],
    found: &mut AlikeSessions,
    candidates: &mut CandidateSet,
) {
    let history = others.history();
    found.find_sessions(others, items);
    let all = &mut found.all;
    for alike in all.iter_mut() {
        let length = history.clicks(alike.session).len();
        let part = INVERSE_ROOTS.get(length).copied().unwrap_or_else(|| inverse_root(length as u64 + 2));
        // Squared: two items that are shared together say more than the sum of each alone. A small part of a large
        // session is still told from a smaller one, as the unit of the square is 2⁻³².
        alike.shared = ((alike.shared * alike.shared) >> SQUARE_SHIFT) * part / ONE;
    }
    if all.len() > SESSIONS {
        // Keys are far apart in memory, and read for ties alone.
        let newest = |a: &Alike, b: &Alike| history.key(b.session).cmp(&history.key(a.session));
        let rank = |a: &Alike, b: &Alike| b.shared.cmp(&a.shared).then_with(|| newest(a, b));
        all.select_nth_unstable_by(SESSIONS - 1, rank);
        all.truncate(SESSIONS);
    }
    let sum: FixedPoint = all.iter().map(|alike| alike.shared).sum();
    for alike in all.iter() {
        let position = alike.position as usize;
        let first = position.saturating_sub(DISTANCE.len() - 1);
        let near = history.clicks(alike.session).iter().enumerate().skip(first);
        for (place, item) in near.take_while(|(place, _)| *place < position + DISTANCE.len()) {
            let counts = DISTANCE[place.abs_diff(position)];
            candidates.get_or_insert(*item).alike += alike.shared * counts / sum.max(1);
        }
    }
}

impl AlikeSessions {
    /// Finds sessions that hold one of the items, with the sum of the items' weights: a rare item weighs more.
    fn find_sessions(&mut self, others: &OtherSessions<'_>, items: &[ItemNumber]) {
        let Self { all, places } = self;
        all.clear();
        places.clear();
        for (item, age) in items.iter().zip(AGE) {
            let weight = (age << LOG_BITS) / log2(2 + others.clicks_of(*item) as u64) as FixedPoint;
            for (place, rank) in others.newest_sessions(*item).zip(RANK) {
                let at = *places.entry(place.session).or_insert(all.len() as u32) as usize;
                if at == all.len() {
                    all.push(Alike { session: place.session, shared: 0, position: place.position });
                }
                all[at].shared += weight * rank / ONE;
            }
        }
    }
}
