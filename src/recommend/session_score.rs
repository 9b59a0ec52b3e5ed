//! Score of a candidate for a session: a sum of its signals, whose weights depend on how much is known of the newest
//! item, how long the session is and how much it repeats itself (docs/recommender.md, "Score").

use super::candidates::ItemCandidate;
use super::fixed_point::{FixedPoint, LOG_BITS, ONE, log2, log2_of_share};
use super::items::ItemNumber;
use super::leave_one_out::OtherSessions;
use super::repeats::{AGES, RepeatCounts};

/// Number of signals.
pub const SIGNAL_COUNT: usize = 14;
/// The first of them speak for an item, and never against it: their weights are held at 0 or above.
pub const EVIDENCE_SIGNALS: usize = 5;
/// The signals from here on are those of the session's own items alone.
pub const FIRST_OWN_SIGNAL: usize = 6;
/// Distinct items from which on a session counts as long.
const LONG_SESSION_ITEMS: usize = 8;

/// Largest part of a weight: a thousand, in thousandths.
pub const WEIGHT_LIMIT: i64 = 1_000_000;

/// Signals of a candidate, in parts of 2⁻¹⁶.
pub type Signals = [i64; SIGNAL_COUNT];

/// Weight of a signal, in thousandths: each part from −[`WEIGHT_LIMIT`] to it, so that no score overflows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SignalWeight {
    /// In every session.
    pub base: i64,
    /// For each tenth of log₂(1 + clicks of the newest item).
    pub popular: i64,
    /// For a long session, in proportion to its distinct items.
    pub long: i64,
    /// For a session in which all clicks are repeats, in proportion to them.
    pub repeating: i64,
}

const fn weight(base: i64, popular: i64, long: i64, repeating: i64) -> SignalWeight {
    SignalWeight { base, popular, long, repeating }
}

/// Places of the signals that are no evidence: the item's clicks, its newest place in the session (five of them), its
/// times there, that it is the newest item twice, and the repeats of the shop.
const CLICKS: usize = EVIDENCE_SIGNALS;
const PLACE: usize = FIRST_OWN_SIGNAL;
const TIMES: usize = 11;
const TWICE: usize = 12;
const REPEATS: usize = 13;
/// The oldest place that has a signal of its own; older ones share it.
const OLD: usize = 4;

/// Weights of all signals, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignalWeights(pub [SignalWeight; SIGNAL_COUNT]);

impl Default for SignalWeights {
    fn default() -> Self {
        Self::SHIPPED
    }
}

impl SignalWeights {
    /// The weights that every shop has.
    pub const SHIPPED: Self = Self([
        // Alike, next, two steps after and before, after the pair.
        weight(89, 246, 178, 366),
        weight(1, 316, 22, -126),
        weight(290, 31, -105, -375),
        weight(236, -24, -198, -119),
        weight(74, -145, 544, -676),
        // Clicks.
        weight(-211, 234, -10, -46),
        // Place: the newest, …, old.
        weight(-810, -46, -1041, -265),
        weight(-99, -1342, -1042, 526),
        weight(-185, -1395, -620, 1199),
        weight(22, -1438, -663, 1191),
        weight(59, -1494, -39, 955),
        // Times, twice, repeats.
        weight(333, -613, 390, 317),
        weight(73, -131, 615, 81),
        weight(379, -170, -28, 310),
    ]);
}

/// Factors of a session that its weights depend on, in parts of 2⁻¹⁶.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SessionFactors {
    /// A tenth of log₂(1 + clicks of the newest item).
    pub popular: i64,
    /// Distinct items, as a share of those of a long session; 1 at most.
    pub long: i64,
    /// Share of clicks that are repeats.
    pub repeating: i64,
}

/// Contributions to the score of an item that speak for it, in one unit. What directly followed counts twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evidence {
    /// Share of sessions like this one.
    pub alike: i64,
    /// Share of what directly followed the newest items.
    pub next: i64,
    /// Share of what stands near items that are near.
    pub two_steps: i64,
}

/// Factor of what directly followed among the reasons: sessions in which it did are alike too, and it says more.
const SPECIFIC: i64 = 2;

/// Scores candidates for one session.
#[derive(Debug, Default)]
pub struct SessionScorer {
    factors: SessionFactors,
    /// In thousandths of parts of 2⁻¹⁶.
    weights: [i64; SIGNAL_COUNT],
    /// log₂(1 + 1,000 · share of repeats), by the number of clicks between.
    repeats: [i64; AGES],
}

impl SessionScorer {
    /// For a session with these clicks, the newest first, of which so many are distinct.
    #[must_use]
    pub fn new(
        weights: &SignalWeights,
        others: &OtherSessions<'_>,
        clicks: &[ItemNumber],
        distinct: usize,
    ) -> Self {
        let Some(newest) = clicks.first() else { return Self::default() };
        let factors = SessionFactors {
            popular: log2_of_clicks(others, *newest) / 10,
            long: ((distinct.min(LONG_SESSION_ITEMS) << LOG_BITS) / LONG_SESSION_ITEMS) as i64,
            repeating: (((clicks.len() - distinct) << LOG_BITS) / clicks.len()) as i64,
        };
        let mut weights = weights.0.map(|weight| {
            let of_session = weight.popular * factors.popular
                + weight.long * factors.long
                + weight.repeating * factors.repeating;
            (weight.base << LOG_BITS) + of_session
        });
        weights[..EVIDENCE_SIGNALS].iter_mut().for_each(|weight| *weight = (*weight).max(0));
        let repeats = log2_of_repeats(&others.repeats());
        Self { factors, weights, repeats }
    }

    /// Factors that the weights of the session depend on.
    #[must_use]
    pub fn factors(&self) -> SessionFactors {
        self.factors
    }

    /// The score of a candidate for the session with these clicks, the newest first; in thousandths of parts of 2⁻¹⁶.
    #[must_use]
    pub fn score(&self, others: &OtherSessions<'_>, clicks: &[ItemNumber], candidate: &ItemCandidate) -> i64 {
        let signals = self.signals(others, clicks, candidate);
        let weighed = self.weights.iter().zip(signals).map(|(weight, signal)| weight * signal);
        weighed.sum::<i64>() >> LOG_BITS
    }

    /// The signals of a candidate, likewise.
    #[must_use]
    pub fn signals(
        &self,
        others: &OtherSessions<'_>,
        clicks: &[ItemNumber],
        candidate: &ItemCandidate,
    ) -> Signals {
        let mut signals = [0; SIGNAL_COUNT];
        signals[..EVIDENCE_SIGNALS].copy_from_slice(&evidence(candidate));
        signals[CLICKS] = log2_of_clicks(others, candidate.item);
        if let Some(age) = clicks.iter().position(|clicked| *clicked == candidate.item) {
            let times = clicks.iter().filter(|clicked| **clicked == candidate.item).count();
            let is_twice = age == 0 && clicks.get(1) == Some(&candidate.item);
            signals[PLACE + age.min(OLD)] = 1 << LOG_BITS;
            signals[TIMES] = log2(times as u64);
            signals[TWICE] = i64::from(is_twice) << LOG_BITS;
            signals[REPEATS] = self.repeats[age.min(AGES - 1)];
        }
        signals
    }

    /// The contributions that speak for a candidate.
    #[must_use]
    pub fn evidence(&self, candidate: &ItemCandidate) -> Evidence {
        let mut weighed = evidence(candidate);
        weighed.iter_mut().zip(self.weights).for_each(|(signal, weight)| *signal *= weight);
        let [alike, next, after, before, after_pair] = weighed;
        Evidence { alike, next: SPECIFIC * (next + after_pair), two_steps: after + before }
    }
}

/// The logarithms of a candidate's shares: alike, next, one step after and before what is near, after the pair.
fn evidence(candidate: &ItemCandidate) -> [i64; EVIDENCE_SIGNALS] {
    let [after, before] = candidate.two_steps;
    [
        log2_of_share(800, candidate.alike),
        log2_of_share(276, candidate.next),
        log2_of_share(441, after),
        log2_of_share(861, before),
        log2_of_share(30, candidate.after_pair),
    ]
}

fn log2_of_clicks(others: &OtherSessions<'_>, item: ItemNumber) -> i64 {
    log2(1 + others.clicks_of(item) as u64)
}

fn log2_of_repeats(repeats: &RepeatCounts) -> [i64; AGES] {
    let mut logarithms = [0; AGES];
    for (logarithm, (times, chances)) in logarithms.iter_mut().zip(repeats.times.iter().zip(repeats.chances))
    {
        let share: FixedPoint = times * ONE / (chances + 1);
        *logarithm = log2_of_share(1000, share);
    }
    logarithms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recommend::history::{ClickHistory, SessionKey};

    const SHIPPED: SignalWeights = SignalWeights::SHIPPED;

    /// A history of so many sessions with each of the items, and numbers of the items.
    fn history_with(ids: &[&str], sessions: u64) -> (ClickHistory, Vec<ItemNumber>) {
        let mut history = ClickHistory::default();
        for id in 0..sessions {
            ids.iter().for_each(|item| history.add(SessionKey { start: 1, id: id.into() }, item));
        }
        let items = ids.iter().filter_map(|id| history.item(id)).collect();
        (history, items)
    }

    #[test]
    fn evidence_never_counts_against_an_item_however_much_a_session_repeats_itself() {
        for sessions in [1, 1_000] {
            let (history, items) = history_with(&["a", "b"], sessions);
            let others = OtherSessions::including_all(&history);
            for clicks in [1, 2, 64] {
                let scorer = SessionScorer::new(&SHIPPED, &others, &vec![items[0]; clicks], 1);
                assert!(
                    scorer.weights[..EVIDENCE_SIGNALS].iter().all(|weight| *weight >= 0),
                    "{:?}",
                    scorer.weights
                );
                let none = ItemCandidate { item: items[1], ..ItemCandidate::default() };
                let score = |candidate: &ItemCandidate| scorer.score(&others, &items[..1], candidate);
                for some in [
                    ItemCandidate { alike: ONE, ..none },
                    ItemCandidate { next: ONE, ..none },
                    ItemCandidate { after_pair: ONE, ..none },
                    ItemCandidate { two_steps: [ONE, 0], ..none },
                    ItemCandidate { two_steps: [0, ONE], ..none },
                ] {
                    assert!(score(&some) >= score(&none), "{clicks} of {sessions}: {some:?}");
                }
            }
        }
    }

    #[test]
    fn a_shop_in_which_shoppers_come_back_puts_the_item_before_higher() {
        let (once, items) = history_with(&["a", "b"], 50);
        let (often, same) = history_with(&["a", "b", "a", "b"], 25);
        assert_eq!(items.len(), 2);
        let score = |history: &ClickHistory, items: &[ItemNumber]| {
            let others = OtherSessions::including_all(history);
            let clicks = [items[0], items[1]];
            let scorer = SessionScorer::new(&SHIPPED, &others, &clicks, 2);
            scorer.score(&others, &clicks, &ItemCandidate { item: items[1], ..ItemCandidate::default() })
        };
        assert!(score(&often, &same[..2]) > score(&once, &items));
    }
}
