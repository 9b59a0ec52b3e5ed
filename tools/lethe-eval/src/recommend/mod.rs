//! Quality of recommendations, measured on sessions of a shop: given the clicks so far, is the next click among the
//! first twenty?

mod basket_cases;
pub mod basket_categories;
pub mod basket_recommenders;
pub mod basket_scores;
pub mod baskets;
pub mod fit;
pub mod leave_one_shop_out;
mod parallel;
pub mod vmis;

#[cfg(test)]
mod basket_tests;
#[cfg(test)]
mod fit_tests;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::num::NonZero;

use lethe::recommend::co_view::{also_viewed, most_viewed};
use lethe::recommend::history::{ClickHistory, SessionKey};
use lethe::recommend::items::ItemNumber;
use lethe::recommend::leave_one_out::OtherSessions;
use lethe::recommend::session::{CLICKS, SessionRecommender};
use lethe::recommend::session_score::SignalWeights;

use self::parallel::run_in_parallel;
use self::vmis::VmisKnn;

/// Number of recommendations.
pub const SIZE: usize = 20;
/// Number of cases that a thread takes at once.
const CHUNK: usize = 256;

/// Recommenders that are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measured {
    /// Lethe's default, used when a request names no other recommender.
    Default,
    /// VMIS-kNN, the published reference.
    VmisKnn,
    /// Items that were clicked shortly before or after the newest item.
    AlsoViewed,
    /// Items that were clicked most.
    MostViewed,
}

impl Measured {
    /// All, in the order of the table.
    pub const ALL: [Self; 4] = [Self::Default, Self::VmisKnn, Self::AlsoViewed, Self::MostViewed];
}

/// Reason why an evaluation cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum RecommenderEvalFault {
    /// A line of the cases has another form.
    #[error("line {0} of the test file is not the items so far, a tab, the next item")]
    Case(usize),
    /// There is nothing to measure.
    #[error("no session is left to {0}: give a longer file, or another --cut")]
    Empty(&'static str),
}

/// Clicks of a session in their order, by the ids of their items.
pub type ClickedIds = Vec<String>;

/// Clicks so far, and the next one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// So far, the newest last.
    pub clicks: ClickedIds,
    /// Next.
    pub next: String,
}

/// Reads a session a line: ids with spaces between.
#[must_use]
pub fn read_sessions(text: &str) -> Vec<ClickedIds> {
    let sessions = text.lines().map(|line| line.split_whitespace().map(str::to_owned).collect());
    sessions.filter(|session: &ClickedIds| !session.is_empty()).collect()
}

/// Reads a case a line: ids with spaces between, a tab, the id that came next.
///
/// # Errors
///
/// If a line has another form.
pub fn read_cases(text: &str) -> Result<Vec<Case>, RecommenderEvalFault> {
    let mut cases = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let (clicks, next) = line.split_once('\t').ok_or(RecommenderEvalFault::Case(number + 1))?;
        let clicks: ClickedIds = clicks.split_whitespace().map(str::to_owned).collect();
        if clicks.is_empty() || next.split_whitespace().count() != 1 {
            return Err(RecommenderEvalFault::Case(number + 1));
        }
        cases.push(Case { clicks, next: next.trim().to_owned() });
    }
    Ok(cases)
}

/// Cuts the last sessions off, this percentage of all, and makes each beginning of one a case: as many of its newest
/// clicks as any recommender reads.
#[must_use]
pub fn split_test_cases(sessions: &mut Vec<ClickedIds>, percent: usize) -> Vec<Case> {
    let tested = sessions.split_off(sessions.len() - sessions.len() * percent.min(100) / 100);
    let of_session = |session: &ClickedIds| -> Vec<Case> {
        let beginnings = 1..session.len();
        let newest = |end: usize| session[end.saturating_sub(CLICKS)..end].to_vec();
        beginnings.map(|end| Case { clicks: newest(end), next: session[end].clone() }).collect()
    };
    tested.iter().flat_map(of_session).collect()
}

/// A history of sessions without times: a session's place serves as its start and its id.
#[must_use]
pub fn history_of(sessions: &[ClickedIds]) -> ClickHistory {
    let mut history = ClickHistory::default();
    for (number, session) in sessions.iter().enumerate() {
        let key = SessionKey { start: number as i64, id: number as u128 };
        session.iter().for_each(|item| history.add(key, item));
    }
    history
}

/// Scores of recommendations under one protocol.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProtocolScores {
    /// All cases.
    pub cases: usize,
    /// Cases whose next item was at this place, from 0 on.
    hits: [usize; SIZE],
    shown: HashSet<ItemNumber>,
    items: usize,
}

impl ProtocolScores {
    /// Cases whose next item was among the first twenty, in percent.
    #[must_use]
    pub fn hit_rate(&self) -> f64 {
        self.percent(self.hits.iter().sum::<usize>() as f64)
    }

    /// The mean of 1 / rank of the next item, 0 if it was not among the first twenty, in percent.
    #[must_use]
    pub fn mrr(&self) -> f64 {
        self.percent(self.hits.iter().zip(1..).map(|(hits, rank)| *hits as f64 / f64::from(rank)).sum())
    }

    /// Items of the training that were recommended at least once, in percent.
    #[must_use]
    pub fn coverage(&self) -> f64 {
        100.0 * self.shown.len() as f64 / self.items.max(1) as f64
    }

    fn percent(&self, sum: f64) -> f64 {
        100.0 * sum / self.cases.max(1) as f64
    }

    fn add_case(&mut self, recommended: &[ItemNumber], next: Option<ItemNumber>) {
        self.cases += 1;
        let place = recommended.iter().position(|item| next == Some(*item));
        if let Some(place) = place {
            self.hits[place] += 1;
        }
        self.shown.extend(recommended);
    }

    fn add(&mut self, other: &Self) {
        self.cases += other.cases;
        self.hits.iter_mut().zip(other.hits).for_each(|(hits, more)| *hits += more);
        self.shown.extend(&other.shown);
    }
}

/// Scores of a recommender under both protocols.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecommenderQuality {
    /// The newest item may not be recommended.
    pub last_excluded: ProtocolScores,
    /// Every item may be.
    pub repeats_allowed: ProtocolScores,
}

/// Measures a recommender on all cases; the figures are the same for any number of threads.
#[must_use]
pub fn measure(
    history: &ClickHistory,
    measured: Measured,
    cases: &[Case],
    threads: NonZero<usize>,
) -> RecommenderQuality {
    measure_with_weights(history, measured, SignalWeights::SHIPPED, cases, threads)
}

/// Measures a recommender likewise, the default with these weights.
#[must_use]
pub fn measure_with_weights(
    history: &ClickHistory,
    measured: Measured,
    weights: SignalWeights,
    cases: &[Case],
    threads: NonZero<usize>,
) -> RecommenderQuality {
    let vmis = (measured == Measured::VmisKnn).then(|| VmisKnn::new(history));
    let popular = most_viewed(&OtherSessions::including_all(history), SIZE + 1, |_| true);
    let popular: Vec<ItemNumber> = popular.into_iter().map(|(_, item)| item).collect();
    let asking = RecommenderEval {
        history,
        others: OtherSessions::including_all(history),
        measured,
        vmis: vmis.as_ref(),
        popular: &popular,
    };
    let chunks: Vec<&[Case]> = cases.chunks(CHUNK).collect();
    let parts = run_in_parallel(chunks.len(), threads, |number| {
        let mut recommender = SessionRecommender::with_weights(weights);
        let mut part = RecommenderQuality::default();
        chunks[number].iter().for_each(|case| asking.measure_case(case, &mut recommender, &mut part));
        part
    });
    let mut quality = RecommenderQuality::default();
    for part in &parts {
        quality.last_excluded.add(&part.last_excluded);
        quality.repeats_allowed.add(&part.repeats_allowed);
    }
    let items = history.items().count();
    quality.last_excluded.items = items;
    quality.repeats_allowed.items = items;
    quality
}

struct RecommenderEval<'a> {
    history: &'a ClickHistory,
    others: OtherSessions<'a>,
    measured: Measured,
    vmis: Option<&'a VmisKnn<'a>>,
    popular: &'a [ItemNumber],
}

impl RecommenderEval<'_> {
    fn measure_case(
        &self,
        case: &Case,
        recommender: &mut SessionRecommender,
        quality: &mut RecommenderQuality,
    ) {
        let recommended = self.recommend(&case.clicks, recommender);
        let next = self.history.item(&case.next);
        let last = case.clicks.last().and_then(|id| self.history.item(id));
        let others = recommended.iter().copied().filter(|item| Some(*item) != last);
        quality.last_excluded.add_case(&others.take(SIZE).collect::<Vec<_>>(), next);
        quality.repeats_allowed.add_case(&recommended[..recommended.len().min(SIZE)], next);
    }

    /// Recommends one more than requested, since one may be left out. Where a recommender finds too few, the most
    /// clicked items follow.
    fn recommend(&self, clicks: &[String], recommender: &mut SessionRecommender) -> Vec<ItemNumber> {
        let size = SIZE + 1;
        let known = || clicks.iter().filter_map(|id| self.history.item(id)).collect::<Vec<ItemNumber>>();
        let items = |scored: Vec<(i64, ItemNumber)>| scored.into_iter().map(|(_, item)| item).collect();
        let mut found: Vec<ItemNumber> = match (self.measured, self.vmis, clicks.last()) {
            (Measured::VmisKnn, Some(vmis), _) => vmis.recommend(&known(), size),
            (Measured::Default, ..) => items(recommender.recommend(&self.others, clicks, size, |_| true)),
            (Measured::AlsoViewed, _, Some(last)) => items(also_viewed(&self.others, last, size, |_| true)),
            _ => Vec::new(),
        };
        for item in self.popular {
            if found.len() < size && !found.contains(item) {
                found.push(*item);
            }
        }
        found
    }
}
