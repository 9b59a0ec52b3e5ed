//! Fit of the weights of a session's signals: the weights under which the items that shoppers clicked next are likely,
//! if each candidate is clicked with a probability of exp(score) / Σ exp(scores). That is the conditional logit:
//! McFadden, "Conditional logit analysis of qualitative choice behavior", 1974.
//!
//! Searched by Adam: Kingma and Ba, "Adam: a method for stochastic optimization", ICLR 2015, with a rate that falls to
//! 0. The order is the same in every run, and a fit runs on one thread: so are the weights.

use lethe::recommend::leave_one_out::OtherSessions;
use lethe::recommend::session::{CandidateSignals, SessionRecommender};
use lethe::recommend::session_score::{
    EVIDENCE_SIGNALS, FIRST_OWN_SIGNAL, SIGNAL_COUNT, SignalWeight, SignalWeights, WEIGHT_LIMIT,
};

use super::Case;

/// Parts of a weight: base, popular, long, repeating.
const PARTS: usize = 4;
/// Weight of the evidence at the start. All others are 0: nothing is known of any shop.
const START: f64 = 0.3;
/// Most candidates of a case: those that score best at the start, those of the session, and the one clicked next.
const CANDIDATES: usize = 500;
/// Cases between two steps.
const BATCH: usize = 32;
/// Largest change of a parameter in a step: that of the first steps.
const RATE: f64 = 0.05;
/// Share of the earlier gradients in their mean, and in that of their squares.
const MEAN_DECAY: f64 = 0.9;
const SQUARE_DECAY: f64 = 0.999;
/// Penalty on the square of each parameter.
const PENALTY: f64 = 1e-4;
/// Parts of a signal of 1.
const SIGNAL_UNIT: f64 = 65_536.0;
/// Parts of a weight of 1.
const WEIGHT_UNIT: f64 = 1_000.0;

type Parameters = [[f64; PARTS]; SIGNAL_COUNT];

/// A case to fit weights on.
#[derive(Debug, Clone, PartialEq)]
pub struct FitCase {
    /// Factors of the parts of a weight.
    factors: [f64; PARTS],
    /// Signals of each candidate. They are whole numbers of parts of 2⁻¹⁶ below 2²⁴, so nothing is rounded.
    candidates: Vec<[f32; SIGNAL_COUNT]>,
    /// The candidate that was clicked next.
    next: usize,
}

impl FitCase {
    /// Computes the signals of a case; `None` if its next item is no candidate, as no weight changes that.
    pub fn compute(
        others: &OtherSessions<'_>,
        case: &Case,
        recommender: &mut SessionRecommender,
    ) -> Option<Self> {
        let next = others.item(&case.next)?;
        let mut found = recommender.compute_signals(others, &case.clicks);
        let is_kept = |candidate: &CandidateSignals| {
            candidate.item == next || candidate.signals[FIRST_OWN_SIGNAL..].iter().any(|signal| *signal != 0)
        };
        let evidence =
            |candidate: &CandidateSignals| candidate.signals[..EVIDENCE_SIGNALS].iter().sum::<i64>();
        let id = |candidate: &CandidateSignals| others.history().id(candidate.item);
        found.candidates.sort_unstable_by(|a, b| {
            let by_evidence = || evidence(b).cmp(&evidence(a)).then_with(|| id(a).cmp(id(b)));
            is_kept(b).cmp(&is_kept(a)).then_with(by_evidence)
        });
        found.candidates.truncate(CANDIDATES);
        let place = found.candidates.iter().position(|candidate| candidate.item == next)?;
        let factors = [found.factors.popular, found.factors.long, found.factors.repeating];
        let [popular, long, repeating] = factors.map(|factor| factor as f64 / SIGNAL_UNIT);
        let signals_of = |candidate: &CandidateSignals| {
            candidate.signals.map(|signal| (signal as f64 / SIGNAL_UNIT) as f32)
        };
        Some(Self {
            factors: [1.0, popular, long, repeating],
            candidates: found.candidates.iter().map(signals_of).collect(),
            next: place,
        })
    }

    /// Adds the gradient of −log(probability of the next item), times the worth of the case; returns that loss.
    fn add_gradient(&self, parameters: &Parameters, fit: CaseLoss, gradient: &mut Parameters) -> f64 {
        let weigh =
            |parts: &[f64; PARTS]| parts.iter().zip(self.factors).map(|(part, factor)| part * factor).sum();
        let mut weights: [f64; SIGNAL_COUNT] = parameters.each_ref().map(weigh);
        if fit.is_held {
            weights[..EVIDENCE_SIGNALS].iter_mut().for_each(|weight| *weight = weight.max(0.0));
        }
        let score = |signals: &[f32; SIGNAL_COUNT]| -> f64 {
            signals.iter().zip(weights).map(|(signal, weight)| f64::from(*signal) * weight).sum()
        };
        let scores: Vec<f64> = self.candidates.iter().map(score).collect();
        let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let shares: Vec<f64> = scores.iter().map(|score| (score - highest).exp()).collect();
        let sum_of_shares: f64 = shares.iter().sum();
        let mut expected = [0.0; SIGNAL_COUNT];
        for (share, signals) in shares.iter().zip(&self.candidates) {
            let add = |(sum, signal): (&mut f64, &f32)| *sum += share / sum_of_shares * f64::from(*signal);
            expected.iter_mut().zip(signals).for_each(add);
        }
        let clicked = &self.candidates[self.next];
        for (signal, parts) in gradient.iter_mut().enumerate() {
            // A weight that is held at 0 does not change with its parameters.
            if fit.is_held && signal < EVIDENCE_SIGNALS && weights[signal] <= 0.0 {
                continue;
            }
            let surplus = expected[signal] - f64::from(clicked[signal]);
            parts
                .iter_mut()
                .zip(self.factors)
                .for_each(|(part, factor)| *part += fit.worth * surplus * factor);
        }
        fit.worth * (sum_of_shares.ln() + highest - scores[self.next])
    }
}

/// A case's part in a step.
#[derive(Clone, Copy)]
struct CaseLoss {
    /// Factor of its loss.
    worth: f64,
    /// Weights of the evidence are held at 0 or above, as in a score.
    is_held: bool,
}

/// Fits weights to the cases of several shops, each of which says as much as any other, in so many passes over them
/// all. The weights are rounded to thousandths.
///
/// In the first half of the passes the evidence may count against an item: so there is one best answer, and no weight
/// stays at 0 because it came there early. In the second half it is held at 0, as in a score.
#[must_use]
pub fn fit_weights(shops: &[&[FitCase]], passes: usize) -> SignalWeights {
    let all: usize = shops.iter().map(|cases| cases.len()).sum();
    let mut cases: Vec<(&FitCase, f64)> = Vec::with_capacity(all);
    for shop in shops {
        let worth = all as f64 / (shops.len() * shop.len().max(1)) as f64;
        cases.extend(shop.iter().map(|case| (case, worth)));
    }
    let mut random = 0;
    let mut search = AdamSearch::new(passes * cases.len().div_ceil(BATCH));
    for pass in 0..passes {
        shuffle(&mut cases, &mut random);
        for batch in cases.chunks(BATCH) {
            let mut gradient = Parameters::default();
            for (case, worth) in batch {
                let fit = CaseLoss { worth: worth / batch.len() as f64, is_held: pass >= passes / 2 };
                case.add_gradient(&search.parameters, fit, &mut gradient);
            }
            search.descend(&gradient);
        }
    }
    to_weights(&search.parameters)
}

/// The parameters so far, and the gradients that led there.
struct AdamSearch {
    parameters: Parameters,
    /// Mean of the gradients, in which the newest count most.
    mean: Parameters,
    /// Mean of their squares.
    mean_square: Parameters,
    /// Steps that were made.
    steps_done: usize,
    /// Steps in all.
    steps: usize,
}

impl AdamSearch {
    fn new(steps: usize) -> Self {
        let mut parameters = Parameters::default();
        parameters[..EVIDENCE_SIGNALS].iter_mut().for_each(|parts| parts[0] = START);
        let [mean, mean_square] = [Parameters::default(); 2];
        Self { parameters, mean, mean_square, steps_done: 0, steps }
    }

    /// Goes a step down the gradient.
    fn descend(&mut self, gradient: &Parameters) {
        let left = (self.steps - self.steps_done) as f64 / self.steps as f64;
        let rate = RATE * left * left;
        self.steps_done += 1;
        let exponent = self.steps_done as i32;
        let [unbiased, unbiased_square] =
            [1.0 - MEAN_DECAY.powi(exponent), 1.0 - SQUARE_DECAY.powi(exponent)];
        let moments = self.mean.as_flattened_mut().iter_mut().zip(self.mean_square.as_flattened_mut());
        let parameters = self.parameters.as_flattened_mut().iter_mut().zip(gradient.as_flattened());
        for ((mean, mean_square), (parameter, gradient)) in moments.zip(parameters) {
            let gradient = gradient + 2.0 * PENALTY * *parameter;
            *mean = MEAN_DECAY * *mean + (1.0 - MEAN_DECAY) * gradient;
            *mean_square = SQUARE_DECAY * *mean_square + (1.0 - SQUARE_DECAY) * gradient * gradient;
            *parameter -= rate * (*mean / unbiased) / ((*mean_square / unbiased_square).sqrt() + 1e-8);
        }
    }
}

fn to_weights(parameters: &Parameters) -> SignalWeights {
    let round = |part: f64| ((part * WEIGHT_UNIT).round() as i64).clamp(-WEIGHT_LIMIT, WEIGHT_LIMIT);
    SignalWeights(parameters.map(|parts| {
        let [base, popular, long, repeating] = parts.map(round);
        SignalWeight { base, popular, long, repeating }
    }))
}

/// Puts into an order that only looks random: Fisher and Yates.
fn shuffle<T>(list: &mut [T], random: &mut u64) {
    for last in (1..list.len()).rev() {
        let other = next_random(random) % (last as u64 + 1);
        list.swap(last, other as usize);
    }
}

/// The next number of a fixed sequence that looks random: Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014.
fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number from 0 to 1 that looks random: the same in every run.
    fn scattered(state: &mut u64) -> f32 {
        (next_random(state) >> 40) as f32 / (1_u64 << 24) as f32
    }

    /// Cases of twenty candidates whose signals say nothing, but for one.
    fn cases_with(cases: usize, signal: usize, of_next: f32) -> Vec<FitCase> {
        let mut state = 7;
        let make_case = |_| {
            let mut candidates = vec![[0.0; SIGNAL_COUNT]; 20];
            candidates.iter_mut().flatten().for_each(|value| *value = scattered(&mut state));
            let next = (next_random(&mut state) % 20) as usize;
            candidates[next][signal] += of_next;
            let factors = [1.0; PARTS].map(|factor| factor * f64::from(scattered(&mut state)));
            FitCase { factors: [1.0, factors[1], factors[2], factors[3]], candidates, next }
        };
        (0..cases).map(make_case).collect()
    }

    /// The weight of a signal in the average session of these cases.
    fn average(weight: SignalWeight) -> i64 {
        weight.base + (weight.popular + weight.long + weight.repeating) / 2
    }

    #[test]
    fn the_signal_that_decides_gets_the_weight() {
        for signal in [1, 4, 9] {
            let fitted = fit_weights(&[&cases_with(300, signal, 0.8)], 20);
            let weights = fitted.0.map(average);
            assert!(weights[signal] > 3_000, "{signal}: {weights:?}");
            let others = weights.iter().enumerate().filter(|(other, _)| *other != signal);
            assert!(others.map(|(_, weight)| *weight).all(|weight| weight < 1_500), "{signal}: {weights:?}");
        }
    }

    #[test]
    fn evidence_that_misleads_is_held_at_0_and_other_signals_are_not() {
        let [evidence, other] = [2, FIRST_OWN_SIGNAL].map(|signal| {
            let cases = cases_with(300, signal, -0.8);
            fit_weights(&[&cases], 20).0.map(average)[signal]
        });
        assert!(other < -3_000, "{other}");
        assert!((other..=0).contains(&evidence), "{evidence}");
    }

    #[test]
    fn a_shop_with_many_cases_says_no_more_than_one_with_few() {
        let [few, many] = [cases_with(60, 6, 0.5), cases_with(600, 6, -0.5)];
        let together = fit_weights(&[&few, &many], 20).0.map(average)[6];
        let alone = [few, many].map(|cases| fit_weights(&[&cases], 20).0.map(average)[6]);
        assert!(alone[0] > 1_500 && alone[1] < -1_500, "{alone:?}");
        assert!(together.abs() < 700, "{together} {alone:?}");
    }

    #[test]
    fn a_gradient_is_the_change_of_the_loss() {
        let cases = cases_with(5, 3, 0.4);
        let mut parameters = AdamSearch::new(1).parameters;
        // Evidence that is held at 0 in every session, and other weights.
        parameters[1] = [-0.2, -0.1, -0.1, -0.1];
        parameters[8] = [0.5, -0.4, 0.3, -0.2];
        for is_held in [false, true] {
            let step = CaseLoss { worth: 0.5, is_held };
            let loss = |parameters: &Parameters, gradient: &mut Parameters| -> f64 {
                cases.iter().map(|case| case.add_gradient(parameters, step, gradient)).sum()
            };
            let mut gradient = Parameters::default();
            loss(&parameters, &mut gradient);
            for (signal, part) in [(0, 0), (1, 0), (1, 2), (3, 1), (8, 3), (13, 0)] {
                let moved = |by: f64| {
                    let mut parameters = parameters;
                    parameters[signal][part] += by;
                    loss(&parameters, &mut Parameters::default())
                };
                let change = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                let error = (change - gradient[signal][part]).abs();
                assert!(error < 1e-6, "{signal} {part} {is_held}: {change} {}", gradient[signal][part]);
            }
            assert_eq!(gradient[1][0] == 0.0, is_held);
        }
    }

    #[test]
    fn a_fit_is_the_same_in_every_run_and_nothing_is_fitted_without_cases() {
        let cases = cases_with(100, 3, 0.5);
        assert_eq!(fit_weights(&[&cases, &cases], 3), fit_weights(&[&cases, &cases], 3));
        let start = fit_weights(&[&[]], 3).0;
        assert_eq!(start.map(|weight| weight.base), [[300; 5].as_slice(), &[0; 9]].concat().as_slice());
        assert_eq!(fit_weights(&[&cases], 0).0, start);
    }
}
