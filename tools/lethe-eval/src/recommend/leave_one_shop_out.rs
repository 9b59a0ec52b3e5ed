//! Leave one shop out: weights are fitted on all shops but one and measured on that one. It shows how good the weights
//! are for a shop that nobody has seen.

use std::num::NonZero;

use lethe::recommend::history::ClickHistory;
use lethe::recommend::leave_one_out::OtherSessions;
use lethe::recommend::session::SessionRecommender;
use lethe::recommend::session_score::SignalWeights;

use super::fit::{FitCase, fit_weights};
use super::parallel::run_in_parallel;
use super::{
    Case, ClickedIds, Measured, RecommenderQuality, history_of, measure, measure_with_weights,
    split_test_cases,
};

/// Extent of the fits and of the measurement.
#[derive(Debug, Clone, Copy)]
pub struct LeaveOneShopOutOptions {
    /// Percentage of each shop's sessions that the cases are made of, the last ones; the others are the history.
    pub cut: usize,
    /// Most cases of a shop, to fit on and to measure.
    pub cases: usize,
    /// Passes of a fit over its cases.
    pub passes: usize,
    /// Threads; the answer is the same for any number.
    pub threads: NonZero<usize>,
}

/// A shop's sessions.
#[derive(Debug, Clone)]
pub struct ShopSessions {
    /// Name in the report.
    pub name: String,
    /// The oldest first.
    pub sessions: Vec<ClickedIds>,
}

/// Reason why no shop can be left out.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum LeaveOneShopOutFault {
    /// Without the shop that is left out there is none.
    #[error(
        "one shop is left out and the weights are fitted on the others: give the sessions of two shops at least"
    )]
    OneShop,
    /// A shop's file is too short.
    #[error("{shop}: no session is left to {purpose}: give a longer file, or another --cut")]
    Empty {
        /// The shop.
        shop: String,
        /// To learn from, or to measure.
        purpose: &'static str,
    },
    /// No case of a shop says anything about the weights.
    #[error(
        "{shop}: no next click is among the candidates, so nothing can be fitted: give a longer file, or more --cases"
    )]
    NothingToFit {
        /// The shop.
        shop: String,
    },
}

/// A shop that was left out of a fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOutShop {
    /// Name of the shop.
    pub name: String,
    /// Sessions in its history.
    pub sessions: usize,
    /// Cases that were measured.
    pub cases: usize,
    /// Cases of it that the other shops' weights are fitted on: those whose next item is a candidate.
    pub fit_cases: usize,
    /// Weights that were fitted on all other shops.
    pub weights: SignalWeights,
    /// The recommender with these.
    pub fitted_on_others: RecommenderQuality,
    /// The recommender with weights that were fitted on all shops: on these cases too.
    pub fitted_on_all: RecommenderQuality,
    /// The recommender as it is shipped.
    pub shipped: RecommenderQuality,
    /// VMIS-kNN, the published reference.
    pub vmis_knn: RecommenderQuality,
}

/// Each shop left out once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaveOneShopOut {
    /// In the order in which they were given.
    pub shops: Vec<LeftOutShop>,
    /// Weights that were fitted on all shops.
    pub weights_of_all: SignalWeights,
}

/// Leaves each shop out once: fits weights on all others, and measures it with them.
///
/// # Errors
///
/// If there are fewer than two shops, or one of them has nothing to learn from, to fit on or to measure.
pub fn leave_one_shop_out(
    shops: Vec<ShopSessions>,
    options: LeaveOneShopOutOptions,
) -> Result<LeaveOneShopOut, LeaveOneShopOutFault> {
    if shops.len() < 2 {
        return Err(LeaveOneShopOutFault::OneShop);
    }
    let shops = shops.into_iter().map(|shop| SplitShop::cut(shop, options)).collect::<Result<Vec<_>, _>>()?;
    let fit_cases = run_in_parallel(shops.len(), options.threads, |shop| shops[shop].compute_fit_cases());
    if let Some(shop) = fit_cases.iter().position(Vec::is_empty) {
        return Err(LeaveOneShopOutFault::NothingToFit { shop: shops[shop].name.clone() });
    }
    // The last fit leaves none out.
    let mut weights = run_in_parallel(shops.len() + 1, options.threads, |left_out| {
        let fitted = fit_cases.iter().enumerate().filter(|(shop, _)| *shop != left_out);
        fit_weights(&fitted.map(|(_, cases)| cases.as_slice()).collect::<Vec<_>>(), options.passes)
    });
    let weights_of_all = weights.pop().unwrap_or_default();
    let left_out = shops.iter().zip(weights).zip(&fit_cases);
    let measure_shop = |((shop, weights), fit_cases): ((&SplitShop, SignalWeights), &Vec<FitCase>)| {
        let with = |weights| {
            measure_with_weights(&shop.history, Measured::Default, weights, &shop.cases, options.threads)
        };
        LeftOutShop {
            name: shop.name.clone(),
            sessions: shop.history.sessions(),
            cases: shop.cases.len(),
            fit_cases: fit_cases.len(),
            weights,
            fitted_on_others: with(weights),
            fitted_on_all: with(weights_of_all),
            shipped: with(SignalWeights::SHIPPED),
            vmis_knn: measure(&shop.history, Measured::VmisKnn, &shop.cases, options.threads),
        }
    };
    Ok(LeaveOneShopOut { shops: left_out.map(measure_shop).collect(), weights_of_all })
}

/// A shop whose last sessions are cases.
struct SplitShop {
    name: String,
    history: ClickHistory,
    cases: Vec<Case>,
}

impl SplitShop {
    fn cut(shop: ShopSessions, options: LeaveOneShopOutOptions) -> Result<Self, LeaveOneShopOutFault> {
        let ShopSessions { name, mut sessions } = shop;
        let cases = split_test_cases(&mut sessions, options.cut);
        let cases = choose_evenly(cases, options.cases);
        for (purpose, is_empty) in [("learn from", sessions.is_empty()), ("measure", cases.is_empty())] {
            if is_empty {
                return Err(LeaveOneShopOutFault::Empty { shop: name, purpose });
            }
        }
        Ok(Self { name, history: history_of(&sessions), cases })
    }

    fn compute_fit_cases(&self) -> Vec<FitCase> {
        let others = OtherSessions::including_all(&self.history);
        let mut recommender = SessionRecommender::default();
        let fit_cases = self.cases.iter().map(|case| FitCase::compute(&others, case, &mut recommender));
        fit_cases.flatten().collect()
    }
}

/// So many of the list, at equal distances.
fn choose_evenly<T>(list: Vec<T>, most: usize) -> Vec<T> {
    let all = list.len().max(1);
    let is_chosen = |place: usize| place * most / all != (place + 1) * most / all;
    let chosen = list.into_iter().enumerate().filter(|(place, _)| most >= all || is_chosen(*place));
    chosen.map(|(_, one)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_cases_are_spread_over_all() {
        let chosen = |most| choose_evenly((1..=10).collect(), most);
        assert_eq!(chosen(1), [10]);
        assert_eq!(chosen(3), [4, 7, 10]);
        assert_eq!(chosen(5), [2, 4, 6, 8, 10]);
        assert_eq!(chosen(10), (1..=10).collect::<Vec<_>>());
        assert_eq!(chosen(99), chosen(10));
        assert!(chosen(0).is_empty());
        assert!(choose_evenly(Vec::<u8>::new(), 3).is_empty());
    }
}
