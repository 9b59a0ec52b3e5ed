//! Recommendations for the current session: the default recommender.

use super::candidates::{CandidateSet, ItemCandidate};
use super::cooccurrence;
use super::fixed_point::{FixedPoint, LOG_BITS, log2, log2_of_share};
use super::items::ItemNumber;
use super::leave_one_out::OtherSessions;
use super::similar_sessions::{self, AlikeSessions};
use super::top_k::{ScoredItem, best};

/// Number of near items that take a second step.
const STEPS: usize = 19;

/// Number of the session's newest clicks that count.
pub const CLICKS: usize = 64;

/// Recommends from other sessions that are like this one.
#[derive(Debug, Default)]
pub struct SessionRecommender {
    candidates: CandidateSet,
    alike: AlikeSessions,
}

/// Reason why an item is recommended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecommendationReason {
    /// The session viewed it before.
    ViewedBefore,
    /// Others viewed it right after the newest item.
    Next,
    /// Sessions like this one hold it.
    Alike,
    /// Other sessions viewed it next to items that they viewed next to the newest items.
    Near,
}

impl SessionRecommender {
    /// The best items for the clicks of a session, by catalogue ids, the newest click last; `is_wanted` admits them.
    /// Items without a click in the history are passed over. A score is in hundredths of parts of 2⁻¹⁶.
    pub fn recommend<Id: AsRef<str>>(
        &mut self,
        others: &OtherSessions<'_>,
        clicks: &[Id],
        size: usize,
        is_wanted: impl Fn(ItemNumber) -> bool,
    ) -> Vec<ScoredItem> {
        self.candidates.clear(others.history().items_end());
        let newest = clicks.iter().rev().take(CLICKS);
        let clicks: Vec<ItemNumber> = newest.filter_map(|id| others.item(id.as_ref())).collect();
        let Some(newest) = clicks.first().copied() else { return Vec::new() };
        let mut items: Vec<ItemNumber> = Vec::new();
        for item in &clicks {
            if !items.contains(item) {
                items.push(*item);
            }
        }
        cooccurrence::add_near(others, &items, &mut self.candidates);
        similar_sessions::add(others, &items, &mut self.alike, &mut self.candidates);
        self.second_step(others, newest);
        for item in &items {
            self.candidates.get_or_insert(*item);
        }
        let wanted = self.candidates.as_slice().iter().filter(|candidate| is_wanted(candidate.item));
        let scored = wanted.map(|candidate| (score(others, candidate, &clicks), candidate.item)).collect();
        best(others.history(), scored, size)
    }

    /// Reason with the largest share in an item of the last recommendation.
    #[must_use]
    pub fn explain(
        &self,
        others: &OtherSessions<'_>,
        item: ItemNumber,
        clicks: &[impl AsRef<str>],
    ) -> RecommendationReason {
        let id = others.history().id(item);
        if clicks.iter().any(|clicked| clicked.as_ref() == id) {
            return RecommendationReason::ViewedBefore;
        }
        let candidate = self.candidates.get(item).copied().unwrap_or_default();
        let ItemCandidate { alike, next, two_steps: [after, before], .. } = candidate;
        let all = [
            (alike, RecommendationReason::Alike),
            (next, RecommendationReason::Next),
            (after + before, RecommendationReason::Near),
        ];
        all.into_iter().max_by_key(|(counts, _)| *counts).map_or(RecommendationReason::Alike, |(_, why)| why)
    }

    /// Adds the clicks near the near items.
    fn second_step(&mut self, others: &OtherSessions<'_>, newest: ItemNumber) {
        let near = self.candidates.as_slice().iter().filter(|candidate| candidate.item != newest);
        let weighed = near.map(|candidate| (step_weight(candidate) as i64, candidate.item));
        let steps = best(others.history(), weighed.filter(|(weight, _)| *weight > 0).collect(), STEPS);
        cooccurrence::add_second(others, &steps, &mut self.candidates);
    }
}

/// Weight of a near item in the second step: after + before/2 + older after/2 + 0.3 · older before + 4/3 · alike.
fn step_weight(candidate: &ItemCandidate) -> FixedPoint {
    let [after, before] = candidate.near;
    let [after_older, before_older] = candidate.near_older;
    after + before / 2 + after_older / 2 + before_older * 3 / 10 + candidate.alike * 4 / 3
}

/// The sum of the logarithms of an item's signals, less that of its clicks, and the weights of its places among the
/// session's clicks, the newest first.
fn score(others: &OtherSessions<'_>, candidate: &ItemCandidate, clicks: &[ItemNumber]) -> i64 {
    let ItemCandidate { item, next, alike, two_steps: [after, before], .. } = *candidate;
    let popular = log2(1 + others.clicks_of(item) as u64);
    let speaks = 29 * log2_of_share(800, alike)
        + 8 * log2_of_share(276, next)
        + 25 * log2_of_share(441, after)
        + 21 * log2_of_share(861, before);
    let is_at = |age: usize| clicks.get(age) == Some(&item);
    let is_older = clicks.iter().skip(4).any(|other| *other == item);
    let repeats =
        [(is_at(1), 122), (is_at(2), 36), (is_at(3), 99), (is_older, 101), (is_at(0) && is_at(1), 278)];
    let repeated: i64 = repeats.iter().filter(|(is_so, _)| *is_so).map(|(_, counts)| counts).sum();
    speaks - 38 * popular + (repeated << LOG_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recommend::history::{ClickHistory, SessionKey};

    #[test]
    fn the_reason_is_the_largest_share_unless_the_session_viewed_it() {
        let mut history = ClickHistory::default();
        ["a", "b"].iter().for_each(|id| history.add(SessionKey { start: 1, id: 1 }, id));
        let others = OtherSessions::including_all(&history);
        let item = history.item("a").expect("an item");
        let reason_of = |alike, next, two_steps, clicks: &[&str]| {
            let mut recommender = SessionRecommender::default();
            recommender.candidates.clear(history.items_end());
            let candidate = ItemCandidate { item, alike, next, two_steps, ..ItemCandidate::default() };
            *recommender.candidates.get_or_insert(item) = candidate;
            recommender.explain(&others, item, clicks)
        };
        for (alike, next, two_steps, reason) in [
            (5, 4, [2, 2], RecommendationReason::Alike),
            (4, 5, [2, 2], RecommendationReason::Next),
            (4, 4, [2, 1], RecommendationReason::Next),
            (4, 4, [3, 2], RecommendationReason::Near),
            (4, 4, [1, 4], RecommendationReason::Near),
        ] {
            assert_eq!(reason_of(alike, next, two_steps, &["b"]), reason, "{alike} {next} {two_steps:?}");
        }
        assert_eq!(reason_of(9, 0, [0, 0], &["b", "a"]), RecommendationReason::ViewedBefore);
    }

    #[test]
    fn each_signal_of_a_near_item_has_its_share_in_the_second_step() {
        for (near, near_older, alike, weight) in [
            ([60, 0], [0, 0], 0, 60),
            ([0, 60], [0, 0], 0, 30),
            ([0, 0], [60, 0], 0, 30),
            ([0, 0], [0, 60], 0, 18),
            ([0, 0], [0, 0], 60, 80),
            ([60, 60], [60, 60], 60, 218),
        ] {
            let candidate = ItemCandidate { near, near_older, alike, ..ItemCandidate::default() };
            assert_eq!(step_weight(&candidate), weight, "{candidate:?}");
        }
    }
}
