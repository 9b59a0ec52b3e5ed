//! Recommendations for the current session: the default recommender.

use super::candidates::{CandidateSet, ItemCandidate};
use super::cooccurrence::{self, WalkSums};
use super::fixed_point::FixedPoint;
use super::items::ItemNumber;
use super::leave_one_out::OtherSessions;
use super::session_score::{SessionFactors, SessionScorer, SignalWeights, Signals};
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
    weights: SignalWeights,
    scorer: SessionScorer,
}

/// Signals of all candidates for a session, to fit weights to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionSignals {
    /// Factors that the weights of the session depend on.
    pub factors: SessionFactors,
    /// In no order, each item once.
    pub candidates: Vec<CandidateSignals>,
}

/// Signals of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CandidateSignals {
    /// The item that may be recommended.
    pub item: ItemNumber,
    /// Its signals.
    pub signals: Signals,
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
    /// With other weights than the shipped ones.
    #[must_use]
    pub fn with_weights(weights: SignalWeights) -> Self {
        Self { weights, ..Self::default() }
    }

    /// The best items for the clicks of a session, by catalogue ids, the newest click last; `is_wanted` admits them.
    /// Items without a click in the history are passed over. A score is in thousandths of parts of 2⁻¹⁶.
    pub fn recommend<Id: AsRef<str>>(
        &mut self,
        others: &OtherSessions<'_>,
        clicks: &[Id],
        size: usize,
        is_wanted: impl Fn(ItemNumber) -> bool,
    ) -> Vec<ScoredItem> {
        let clicks = self.read_session(others, clicks);
        let wanted = self.candidates.as_slice().iter().filter(|candidate| is_wanted(candidate.item));
        let score = |candidate: &ItemCandidate| self.scorer.score(others, &clicks, candidate);
        let scored = wanted.map(|candidate| (score(candidate), candidate.item)).collect();
        best(others.history(), scored, size)
    }

    /// Signals of all candidates for the clicks of a session, which are those of [`Self::recommend`]. The score of a
    /// candidate is the sum of its signals, each times its weight in this session.
    pub fn compute_signals<Id: AsRef<str>>(
        &mut self,
        others: &OtherSessions<'_>,
        clicks: &[Id],
    ) -> SessionSignals {
        let clicks = self.read_session(others, clicks);
        let signals_of = |candidate: &ItemCandidate| CandidateSignals {
            item: candidate.item,
            signals: self.scorer.signals(others, &clicks, candidate),
        };
        let candidates = self.candidates.as_slice().iter().map(signals_of).collect();
        SessionSignals { factors: self.scorer.factors(), candidates }
    }

    /// Finds the candidates and the weights for the clicks of a session; returns the clicks that others clicked too,
    /// the newest first.
    fn read_session<Id: AsRef<str>>(&mut self, others: &OtherSessions<'_>, clicks: &[Id]) -> Vec<ItemNumber> {
        self.candidates.clear(others.history().items_end());
        self.scorer = SessionScorer::default();
        let newest = clicks.iter().rev().take(CLICKS);
        let clicks: Vec<ItemNumber> = newest.filter_map(|id| others.item(id.as_ref())).collect();
        if clicks.is_empty() {
            return clicks;
        }
        let mut items: Vec<ItemNumber> = Vec::new();
        for item in &clicks {
            if !items.contains(item) {
                items.push(*item);
            }
        }
        self.find_candidates(others, &clicks, &items);
        self.scorer = SessionScorer::new(&self.weights, others, &clicks, items.len());
        clicks
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
    use proptest::prelude::*;

    use super::*;
    use crate::recommend::fixed_point::{LOG_BITS, ONE};
    use crate::recommend::history::{ClickHistory, SessionKey};
    use crate::recommend::session_score::{EVIDENCE_SIGNALS, SIGNAL_COUNT, SignalWeight};

    fn any_weights() -> impl Strategy<Value = SignalWeights> {
        let parts = prop::array::uniform4(-2_000_i64..2_000);
        let weight = parts.prop_map(|[base, popular, long, repeating]| SignalWeight {
            base,
            popular,
            long,
            repeating,
        });
        prop_oneof![Just(SignalWeights::SHIPPED), prop::array::uniform14(weight).prop_map(SignalWeights)]
    }

    /// The score as docs/recommender.md has it.
    fn score_of(weights: &SignalWeights, factors: SessionFactors, signals: &Signals) -> i64 {
        let mut sum = 0;
        for (number, (weight, signal)) in weights.0.iter().zip(signals).enumerate() {
            let of_session = weight.popular * factors.popular
                + weight.long * factors.long
                + weight.repeating * factors.repeating;
            let weight = weight.base * (1 << LOG_BITS) + of_session;
            sum += signal * if number < EVIDENCE_SIGNALS { weight.max(0) } else { weight };
        }
        sum >> LOG_BITS
    }

    proptest! {
        #[test]
        fn a_score_is_the_sum_of_the_signals_by_their_weights(
            sessions in prop::collection::vec(prop::collection::vec(0_u8..12, 1..14), 1..30),
            clicks in prop::collection::vec(0_u8..14, 0..14),
            weights in any_weights(),
        ) {
            let mut history = ClickHistory::default();
            for (start, session) in (0..).zip(&sessions) {
                let key = SessionKey { start, id: start as u128 };
                session.iter().for_each(|item| history.add(key, &item.to_string()));
            }
            let others = OtherSessions::including_all(&history);
            let clicks: Vec<String> = clicks.iter().map(u8::to_string).collect();
            let mut recommender = SessionRecommender::with_weights(weights);
            let mut scored = recommender.recommend(&others, &clicks, usize::MAX, |_| true);
            let SessionSignals { factors, candidates } = recommender.compute_signals(&others, &clicks);
            let known = clicks.iter().any(|id| history.item(id).is_some());
            prop_assert_eq!(candidates.is_empty(), !known);
            let score = |candidate: &CandidateSignals| {
                (score_of(&weights, factors, &candidate.signals), candidate.item)
            };
            let mut summed: Vec<ScoredItem> = candidates.iter().map(score).collect();
            scored.sort_unstable();
            summed.sort_unstable();
            prop_assert_eq!(scored, summed);
        }
    }

    #[test]
    fn the_default_recommender_has_the_shipped_weights() {
        assert_eq!(SessionRecommender::default().weights, SignalWeights::SHIPPED);
        let none = SignalWeights([SignalWeight::default(); SIGNAL_COUNT]);
        assert_eq!(SessionRecommender::with_weights(none).weights, none);
    }

    #[test]
    fn factors_of_a_session_are_its_newest_items_clicks_its_length_and_its_repeats() {
        let mut history = ClickHistory::default();
        for id in 0..7 {
            ["a", "b"].iter().for_each(|item| history.add(SessionKey { start: 1, id }, item));
        }
        let others = OtherSessions::including_all(&history);
        let factors =
            |clicks: &[&str]| SessionRecommender::default().compute_signals(&others, clicks).factors;
        let one = 1 << LOG_BITS;
        let expected = SessionFactors { popular: 3 * one / 10, long: one / 8, repeating: 0 };
        assert_eq!(factors(&["unknown", "b"]), expected);
        assert_eq!(
            factors(&["a", "b", "b", "b"]),
            SessionFactors { long: one / 4, repeating: one / 2, ..expected }
        );
        assert_eq!(factors(&["unknown"]), SessionFactors::default());
    }

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
