//! Recommendations for the current session: the default recommender.

use super::candidates::{CandidateSet, ItemCandidate};
use super::cooccurrence::{self, WalkSums};
use super::fixed_point::FixedPoint;
use super::items::ItemNumber;
use super::leave_one_out::OtherSessions;
use super::session_score::SessionScorer;
use super::similar_sessions::{self, AlikeSessions};
use super::top_k::{ScoredItem, best};

/// Number of near items that take a second step.
const STEPS: usize = 16;

/// Number of the session's newest clicks that count.
pub const CLICKS: usize = 64;

/// Recommends from other sessions that are like this one.
#[derive(Debug, Default)]
pub struct SessionRecommender {
    candidates: CandidateSet,
    alike: AlikeSessions,
    walk: WalkSums,
    scorer: SessionScorer,
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
    /// Items without a click in the history are passed over. A score is in thousandths of parts of 2⁻¹⁶.
    pub fn recommend<Id: AsRef<str>>(
        &mut self,
        others: &OtherSessions<'_>,
        clicks: &[Id],
        size: usize,
        is_wanted: impl Fn(ItemNumber) -> bool,
    ) -> Vec<ScoredItem> {
        self.candidates.clear(others.history().items_end());
        self.scorer = SessionScorer::default();
        let newest = clicks.iter().rev().take(CLICKS);
        let clicks: Vec<ItemNumber> = newest.filter_map(|id| others.item(id.as_ref())).collect();
        if clicks.is_empty() {
            return Vec::new();
        }
        let mut items: Vec<ItemNumber> = Vec::new();
        for item in &clicks {
            if !items.contains(item) {
                items.push(*item);
            }
        }
        self.find_candidates(others, &clicks, &items);
        self.scorer = SessionScorer::new(others, &clicks, items.len());
        let wanted = self.candidates.as_slice().iter().filter(|candidate| is_wanted(candidate.item));
        let score = |candidate: &ItemCandidate| self.scorer.score(others, &clicks, candidate);
        let scored = wanted.map(|candidate| (score(candidate), candidate.item)).collect();
        best(others.history(), scored, size)
    }

    /// Finds what others clicked near the clicks of the session, and the session's own `items`, each once. The newest
    /// of both come first.
    fn find_candidates(&mut self, others: &OtherSessions<'_>, clicks: &[ItemNumber], items: &[ItemNumber]) {
        let newest = clicks[0];
        cooccurrence::add_near(others, newest, &mut self.walk, &mut self.candidates);
        if let Some(before) = clicks.get(1).filter(|before| **before != newest) {
            cooccurrence::add_after_pair(others, newest, *before, &mut self.candidates);
        }
        similar_sessions::add(others, items, &mut self.alike, &mut self.candidates);
        self.add_second_step(others, newest);
        for item in items {
            self.candidates.get_or_insert(*item);
        }
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
        let evidence = self.scorer.evidence(&candidate);
        let all = [
            (evidence.alike, RecommendationReason::Alike),
            (evidence.next, RecommendationReason::Next),
            (evidence.two_steps, RecommendationReason::Near),
        ];
        all.into_iter().max_by_key(|(counts, _)| *counts).map_or(RecommendationReason::Alike, |(_, why)| why)
    }

    /// Adds the clicks near the near items.
    fn add_second_step(&mut self, others: &OtherSessions<'_>, newest: ItemNumber) {
        let near = self.candidates.as_slice().iter().filter(|candidate| candidate.item != newest);
        let weighed = near.map(|candidate| (step_weight(candidate) as i64, candidate.item));
        let steps = best(others.history(), weighed.filter(|(weight, _)| *weight > 0).collect(), STEPS);
        cooccurrence::add_second(others, &steps, &mut self.walk, &mut self.candidates);
    }
}

/// Weight of a near item in the second step: after + before/2 + 3 · alike.
fn step_weight(candidate: &ItemCandidate) -> FixedPoint {
    let [after, before] = candidate.near;
    after + before / 2 + 3 * candidate.alike
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recommend::fixed_point::ONE;
    use crate::recommend::history::{ClickHistory, SessionKey};

    #[test]
    fn the_reason_is_the_largest_share_unless_the_session_viewed_it() {
        let mut history = ClickHistory::default();
        for id in 1..20 {
            ["a", "b"].iter().for_each(|item| history.add(SessionKey { start: 1, id }, item));
        }
        let others = OtherSessions::including_all(&history);
        let item = history.item("a").expect("an item");
        let reason_of = |candidate: ItemCandidate, clicks: &[&str]| {
            let mut recommender = SessionRecommender::default();
            recommender.recommend(&others, clicks, 1, |_| true);
            *recommender.candidates.get_or_insert(item) = ItemCandidate { item, ..candidate };
            recommender.explain(&others, item, clicks)
        };
        let half = ONE / 2;
        let none = ItemCandidate::default();
        for (candidate, reason) in [
            (ItemCandidate { alike: half, next: 9, two_steps: [9, 9], ..none }, RecommendationReason::Alike),
            (ItemCandidate { alike: 9, next: half, two_steps: [9, 9], ..none }, RecommendationReason::Next),
            (ItemCandidate { alike: 9, after_pair: half, ..none }, RecommendationReason::Next),
            (ItemCandidate { alike: 9, next: 9, two_steps: [half, 9], ..none }, RecommendationReason::Near),
            (ItemCandidate { alike: 9, next: 9, two_steps: [9, half], ..none }, RecommendationReason::Near),
        ] {
            assert_eq!(reason_of(candidate, &["b"]), reason, "{candidate:?}");
        }
        let alike = ItemCandidate { alike: half, ..none };
        assert_eq!(reason_of(alike, &["b", "a"]), RecommendationReason::ViewedBefore);
    }

    #[test]
    fn each_signal_of_a_near_item_has_its_share_in_the_second_step() {
        for (near, alike, weight) in
            [([60, 0], 0, 60), ([0, 60], 0, 30), ([0, 0], 60, 180), ([60, 60], 60, 270)]
        {
            let candidate = ItemCandidate { near, alike, ..ItemCandidate::default() };
            assert_eq!(step_weight(&candidate), weight, "{candidate:?}");
        }
    }
}
