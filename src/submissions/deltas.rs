//! The deltas of an account: the number waiting, and the times of the newest.

use super::input::SubmissionKind;
use super::state::SubmissionState;
use super::submission::Submission;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::store::{StoreFault, Tx};
use crate::{args, sql};

/// Upper bounds in milliseconds: a delta counts under the first that it does not exceed. The last count has no bound.
pub const LAG_STEPS_MS: [i64; 5] = [100, 1_000, 10_000, 60_000, 600_000];

/// Deltas that wait.
pub struct DeltaQueue {
    /// Number of deltas, counted up to a limit.
    pub waiting: i64,
    /// Time when the oldest delta was accepted.
    pub oldest_at: Option<Millis>,
}

/// The deltas that wait, counted up to `most`.
///
/// # Errors
/// When the store fails.
pub fn queue(tx: &mut Tx<'_>, account: AccountId, most: i64) -> Result<DeltaQueue, StoreFault> {
    let row = tx.row(&sql::submission_delta_queue, args![account.0, most])?;
    let Some(row) = row else { return Ok(DeltaQueue { waiting: 0, oldest_at: None }) };
    Ok(DeltaQueue { waiting: row.int("counted")?, oldest_at: row.opt_int("oldest_at")? })
}

/// Time that deltas took, from accepted to ended.
pub struct Lags {
    /// Time of each delta that ended, in milliseconds, the shortest first.
    sorted: Vec<i64>,
    /// Number of applied and of failed deltas, for each step and for those above all steps.
    pub counts: [(i64, i64); LAG_STEPS_MS.len() + 1],
}

impl Lags {
    /// Times of the deltas among some submissions.
    #[must_use]
    pub fn from_submissions(all: &[Submission]) -> Self {
        let mut sorted = Vec::new();
        let mut counts = [(0, 0); LAG_STEPS_MS.len() + 1];
        for delta in all.iter().filter(|one| one.input.kind() == SubmissionKind::Delta) {
            let Some(ended) = delta.finished_at else { continue };
            let lag = (ended - delta.accepted_at).max(0);
            let step = LAG_STEPS_MS.iter().position(|most| lag <= *most).unwrap_or(LAG_STEPS_MS.len());
            let (applied, failed) = &mut counts[step];
            *(if delta.state == SubmissionState::Failed { failed } else { applied }) += 1;
            sorted.push(lag);
        }
        sorted.sort_unstable();
        Self { sorted, counts }
    }

    /// Number of deltas that ended.
    #[must_use]
    pub fn count(&self) -> usize {
        self.sorted.len()
    }

    /// Time that this percentage of the deltas did not exceed; `None` if none ended.
    #[must_use]
    pub fn percentile_ms(&self, percent: usize) -> Option<i64> {
        let rank = (self.sorted.len() * percent).div_ceil(100);
        self.sorted.get(rank.max(1) - 1).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::SubmissionToken;
    use crate::submissions::Input;

    fn delta(lag: Option<i64>, state: SubmissionState) -> Submission {
        Submission {
            seq: 1,
            kind_number: 1,
            token: SubmissionToken::from_bytes([0; 16]),
            input: Input::Delta,
            state,
            reason: None,
            accepted_at: 1000,
            finished_at: lag.map(|lag| 1000 + lag),
            ready_seq: None,
            digest: None,
            leader_seq: None,
            published: None,
            read_as: None,
        }
    }

    #[test]
    fn percentiles_are_lags_that_were_measured() {
        let mut all: Vec<_> = (1..=20).rev().map(|n| delta(Some(n * 50), SubmissionState::Done)).collect();
        all.push(delta(None, SubmissionState::Open));
        let lags = Lags::from_submissions(&all);
        assert_eq!(
            (lags.count(), lags.percentile_ms(50), lags.percentile_ms(95)),
            (20, Some(500), Some(950))
        );
        assert_eq!(lags.counts[..2], [(2, 0), (18, 0)]);
        let none = Lags::from_submissions(&[]);
        assert_eq!((none.count(), none.percentile_ms(50)), (0, None));
        let one = Lags::from_submissions(&[delta(Some(700_000), SubmissionState::Failed)]);
        assert_eq!((one.percentile_ms(50), one.percentile_ms(95)), (Some(700_000), Some(700_000)));
        assert_eq!(one.counts[LAG_STEPS_MS.len()], (0, 1));
    }

    #[test]
    fn a_lag_counts_under_the_first_step_that_it_does_not_exceed() {
        let all: Vec<_> = [-5, 0, 100, 101, 1_000, 10_000, 60_000, 600_000, 600_001]
            .into_iter()
            .enumerate()
            .map(|(place, lag)| {
                let is_failed = place % 2 == 1;
                delta(Some(lag), if is_failed { SubmissionState::Failed } else { SubmissionState::Done })
            })
            .collect();
        let mut others = vec![delta(None, SubmissionState::Open), delta(Some(9), SubmissionState::Done)];
        let manner = crate::submissions::PublishMode::Guarded;
        others[1].input = Input::Url { host: "https://shop.test".to_owned(), manner, format: None };
        let lags = Lags::from_submissions(&[all, others].into_iter().flatten().collect::<Vec<_>>());
        assert_eq!(lags.counts, [(2, 1), (1, 1), (0, 1), (1, 0), (0, 1), (1, 0)]);
        assert_eq!(lags.sorted, [0, 0, 100, 101, 1_000, 10_000, 60_000, 600_000, 600_001]);
        assert_eq!([0, 1, 100].map(|percent| lags.percentile_ms(percent)), [Some(0), Some(0), Some(600_001)]);
    }

    #[test]
    fn a_percentile_of_many_deltas_is_of_their_hundredths() {
        let all: Vec<_> = (1..=202).map(|lag| delta(Some(lag), SubmissionState::Done)).collect();
        let lags = Lags::from_submissions(&all);
        assert_eq!(
            [50, 95, 99].map(|percent| lags.percentile_ms(percent)),
            [Some(101), Some(192), Some(200)]
        );
    }
}
