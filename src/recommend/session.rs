//! What a session that goes on calls for: the default recommender.

use super::alike;
use super::best::{Scored, best};
use super::candidates::{Candidate, Candidates};
use super::fixed::{ONE, Share, log2, log2_of_share, powers};
use super::history::History;
use super::items::Item;
use super::neighbours::{Reach, visit};

const NEWEST: Reach = Reach { clicks: 600, decay: &NEAR_DECAY, itself: false };
const OLDER: Reach = Reach { clicks: 200, ..NEWEST };
const NEAR_DECAY: [Share; 10] = powers(90);
/// What the 2nd and 3rd newest item count, in hundredths.
const OLDER_COUNT: [Share; 2] = [100, 60];

/// Of what is near, so many take a second step.
const STEPS: usize = 19;
/// An item that shoppers come back to is one step from itself.
const SECOND: Reach = Reach { clicks: 50, decay: &SECOND_DECAY, itself: true };
const SECOND_DECAY: [Share; 5] = powers(78);

/// Recommends by what others did in sessions like this one.
#[derive(Debug, Default)]
pub struct SessionRecommender {
    candidates: Candidates,
}

impl SessionRecommender {
    /// The best items for the clicks of a session, the newest click last; `is_wanted` says which may be among them.
    /// A score is in hundredths of parts of 2⁻¹⁶.
    pub fn recommend(
        &mut self,
        history: &History,
        clicks: &[Item],
        size: usize,
        is_wanted: impl Fn(Item) -> bool,
    ) -> Vec<Scored> {
        self.candidates.clear(history.items_end());
        let Some(newest) = clicks.last().copied() else { return Vec::new() };
        let items = distinct_newest_first(clicks);
        self.walk(history, &items);
        alike::add(history, &items, &mut self.candidates);
        self.second_step(history, newest);
        for item in &items {
            self.candidates.of(*item);
        }
        let wanted = self.candidates.all().iter().filter(|candidate| is_wanted(candidate.item));
        let scored = wanted.map(|candidate| (score(history, candidate, clicks), candidate.item)).collect();
        best(history, scored, size)
    }

    /// Adds what was clicked near the newest items.
    fn walk(&mut self, history: &History, items: &[Item]) {
        let candidates = &mut self.candidates;
        let mut found: Vec<(Item, usize, Share, Share)> = Vec::new();
        let clicks = visit(history, items[0], &NEWEST, |near| {
            let next = if near.between == 0 && near.side == 0 { ONE } else { 0 };
            found.push((near.item, near.side, near.decay, next));
        });
        for (item, side, decay, next) in found.drain(..) {
            let candidate = candidates.of(item);
            candidate.near[side] += decay;
            candidate.next += next;
        }
        for candidate in candidates.all_mut() {
            candidate.near = candidate.near.map(|sum| sum / clicks);
            candidate.next /= clicks;
        }
        for (item, counts) in items[1..].iter().zip(OLDER_COUNT) {
            let clicks = visit(history, *item, &OLDER, |near| {
                found.push((near.item, near.side, near.decay, 0));
            });
            for (item, side, decay, _) in found.drain(..) {
                candidates.of(item).near_older[side] += decay * counts / (100 * clicks);
            }
        }
    }

    /// Adds what was clicked near what is near.
    fn second_step(&mut self, history: &History, newest: Item) {
        let base = |candidate: &Candidate| {
            let [after, before] = candidate.near;
            let [after_older, before_older] = candidate.near_older;
            after + before / 2 + after_older / 2 + before_older * 3 / 10 + candidate.alike * 4 / 3
        };
        let others = self.candidates.all().iter().filter(|candidate| candidate.item != newest);
        let based = others.map(|candidate| (base(candidate) as i64, candidate.item)).collect();
        let steps = best(history, based, STEPS);
        let sum = steps.iter().map(|(base, _)| *base as Share).sum::<Share>().max(1);
        for (base, item) in steps {
            let mut found = Vec::new();
            let clicks = visit(history, item, &SECOND, |near| found.push(near));
            for near in found {
                let share = base as Share * near.decay / (sum * clicks);
                self.candidates.of(near.item).two_steps[near.side] += share;
            }
        }
    }
}

/// The items of a session's clicks, each once, the newest first.
fn distinct_newest_first(clicks: &[Item]) -> Vec<Item> {
    let mut items = Vec::new();
    for item in clicks.iter().rev() {
        if !items.contains(item) {
            items.push(*item);
        }
    }
    items
}

fn score(history: &History, candidate: &Candidate, clicks: &[Item]) -> i64 {
    let Candidate { item, next, alike, two_steps, .. } = *candidate;
    let [after, before] = two_steps;
    let popular = log2(1 + history.places(item).len() as u64);
    let sum = 29 * log2_of_share(800, alike)
        + 8 * log2_of_share(276, next)
        + 25 * log2_of_share(441, after)
        + 21 * log2_of_share(861, before)
        - 38 * popular;
    let newest_first = || clicks.iter().rev().copied();
    let is = |age: usize| newest_first().nth(age) == Some(item);
    let mut seen = 0;
    for (age, counts) in [(1, 122), (2, 36), (3, 99)] {
        seen += if is(age) { counts } else { 0 };
    }
    seen += if newest_first().skip(4).any(|other| other == item) { 101 } else { 0 };
    seen += if is(0) && is(1) { 278 } else { 0 };
    sum + (seen << 16)
}
