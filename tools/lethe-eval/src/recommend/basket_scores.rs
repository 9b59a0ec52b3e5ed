//! Scores of recommenders on baskets: the same for any number of threads.

use std::collections::HashSet;
use std::num::NonZero;

use lethe::recommend::session::SessionRecommender;

use super::basket_cases::BasketCase;
use super::baskets::BASKET_SIZE;
use super::parallel::run_in_parallel;

/// Number of cases that a thread takes at once.
const CHUNK: usize = 64;

/// Scores of a recommender.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BasketScores {
    /// Number of questions.
    pub cases: usize,
    /// Questions whose first wanted item was at this place, from 0 on.
    firsts: [usize; BASKET_SIZE],
    /// Sum of the shares of wanted items that were found, in parts of 2⁻³²: sums do not depend on their order.
    recalled: u64,
}

impl BasketScores {
    /// Questions with a wanted item among the first ten, in percent.
    #[must_use]
    pub fn hit_rate(&self) -> f64 {
        self.percent(self.firsts.iter().sum::<usize>() as f64)
    }

    /// The mean of 1 / rank of the first wanted item, in percent.
    #[must_use]
    pub fn mrr(&self) -> f64 {
        self.percent(self.firsts.iter().zip(1..).map(|(hits, rank)| *hits as f64 / f64::from(rank)).sum())
    }

    /// The mean share of the wanted items that were among the first ten, in percent.
    #[must_use]
    pub fn recall(&self) -> f64 {
        self.percent(self.recalled as f64 / (1_u64 << 32) as f64)
    }

    fn percent(&self, sum: f64) -> f64 {
        100.0 * sum / self.cases.max(1) as f64
    }

    pub(super) fn add_case(&mut self, recommended: &[&str], wanted: &HashSet<&str>) {
        self.cases += 1;
        let first = &recommended[..recommended.len().min(BASKET_SIZE)];
        if let Some(place) = first.iter().position(|id| wanted.contains(id)) {
            self.firsts[place] += 1;
        }
        let found = first.iter().filter(|id| wanted.contains(*id)).count() as u64;
        self.recalled += (found << 32) / wanted.len().max(1) as u64;
    }

    fn add(&mut self, other: &Self) {
        self.cases += other.cases;
        self.firsts.iter_mut().zip(other.firsts).for_each(|(hits, more)| *hits += more);
        self.recalled += other.recalled;
    }
}

/// Asks for each case.
pub(super) fn measure_cases<'b, 'm>(
    cases: &[BasketCase<'b>],
    threads: NonZero<usize>,
    recommend: impl Fn(&BasketCase<'b>, &mut SessionRecommender) -> Vec<&'m str> + Sync,
) -> BasketScores {
    let chunks: Vec<&[BasketCase<'b>]> = cases.chunks(CHUNK).collect();
    let parts = run_in_parallel(chunks.len(), threads, |number| {
        let mut session = SessionRecommender::default();
        let mut part = BasketScores::default();
        for case in chunks[number] {
            part.add_case(&recommend(case, &mut session), &case.wanted);
        }
        part
    });
    let mut scores = BasketScores::default();
    parts.iter().for_each(|part| scores.add(part));
    scores
}
