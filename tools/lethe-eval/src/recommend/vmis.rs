//! VMIS-kNN, the reference that our own recommender is compared with: Kersbergen, Sprangers and Schelter, "Serenade:
//! Low-Latency Session-Based Recommendation in e-Commerce at Scale", SIGMOD 2022.
//!
//! Sessions that share items with the newest clicks are similar by the sum of these clicks' weights, the newest most;
//! each item of the most similar scores their similarity, less the older the newest shared click, times its idf.

use std::cmp::Reverse;
use std::collections::HashMap;

use lethe::recommend::history::{ClickHistory, SessionKey, SessionSlot};
use lethe::recommend::items::ItemNumber;
use lethe::recommend::leave_one_out::OtherSessions;

/// The newest sessions that are compared.
const SESSIONS: usize = 500;
/// The most similar sessions, whose items are recommended.
const NEIGHBOURS: usize = 100;
/// The newest clicks of the session that goes on.
const CLICKS: usize = 9;

/// VMIS-kNN over a history, which it counts once.
pub struct VmisKnn<'h> {
    others: OtherSessions<'h>,
    /// By item: ln(sessions / sessions that hold it).
    idf: Vec<f64>,
}

struct VmisNeighbour {
    key: Option<SessionKey>,
    session: SessionSlot,
    likeness: f64,
    /// The newest shared click: 0 is the newest of all.
    age: usize,
}

impl<'h> VmisKnn<'h> {
    /// Counts the sessions of each item.
    #[must_use]
    pub fn new(history: &'h ClickHistory) -> Self {
        let others = OtherSessions::including_all(history);
        let mut idf = vec![0.0; history.items_end()];
        for item in history.items() {
            let of_item = others.newest_sessions(item).count();
            idf[item as usize] = (history.sessions() as f64 / of_item.max(1) as f64).ln();
        }
        Self { others, idf }
    }

    /// The best items for the clicks of a session, the newest click last.
    #[must_use]
    pub fn recommend(&self, clicks: &[ItemNumber], size: usize) -> Vec<ItemNumber> {
        let mut scores: HashMap<ItemNumber, f64> = HashMap::new();
        for neighbour in self.neighbours(clicks) {
            let worth = (1.0 - 0.1 * (neighbour.age + 1) as f64) * neighbour.likeness;
            let mut items = self.others.history().clicks(neighbour.session).to_vec();
            items.sort_unstable();
            items.dedup();
            for item in items {
                *scores.entry(item).or_default() += worth * self.idf[item as usize];
            }
        }
        let mut best: Vec<_> = scores.into_iter().collect();
        let id = |item: ItemNumber| self.others.history().id(item);
        best.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| id(a.0).cmp(id(b.0))));
        best.into_iter().map(|(item, _)| item).take(size).collect()
    }

    fn neighbours(&self, clicks: &[ItemNumber]) -> Vec<VmisNeighbour> {
        let clicks = &clicks[clicks.len().saturating_sub(CLICKS)..];
        let mut places: HashMap<SessionSlot, usize> = HashMap::new();
        let mut neighbours: Vec<VmisNeighbour> = Vec::new();
        for (age, item) in clicks.iter().rev().enumerate() {
            if clicks[clicks.len() - age..].contains(item) {
                continue;
            }
            let counts = (clicks.len() - age) as f64 / clicks.len() as f64;
            for place in self.others.newest_sessions(*item).take(SESSIONS) {
                let session = place.session;
                let at = *places.entry(session).or_insert(neighbours.len());
                if at == neighbours.len() {
                    let key = self.others.history().key(session);
                    neighbours.push(VmisNeighbour { key, session, likeness: 0.0, age });
                }
                neighbours[at].likeness += counts;
            }
        }
        neighbours.sort_unstable_by_key(|neighbour| Reverse(neighbour.key));
        neighbours.truncate(SESSIONS);
        neighbours.sort_by(|a, b| b.likeness.total_cmp(&a.likeness));
        neighbours.truncate(NEIGHBOURS);
        neighbours
    }
}
