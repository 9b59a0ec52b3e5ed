//! State of a submission, and its outcome.

/// State of a submission. Recorded once when it ends, and never taken back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SubmissionState {
    /// Waits or runs.
    Open,
    /// Its effect is visible.
    Done,
    /// The submission or a part of it failed; the reason says which.
    Failed,
}

impl SubmissionState {
    pub(super) fn from_number(number: i64) -> Self {
        match number {
            0 => Self::Open,
            1 => Self::Done,
            _ => Self::Failed,
        }
    }

    fn number(self) -> i64 {
        match self {
            Self::Open => 0,
            Self::Done => 1,
            Self::Failed => 2,
        }
    }

    /// Outcome of a submission that ends in this state.
    pub fn outcome(self, reason: Option<&str>) -> SubmissionOutcome<'_> {
        match self {
            Self::Failed => Err(reason.unwrap_or_default()),
            Self::Open | Self::Done => Ok(()),
        }
    }
}

/// Outcome of a submission: done, or failed, and why.
pub type SubmissionOutcome<'a> = Result<(), &'a str>;

/// An outcome as it stands in the store.
pub(super) fn number_and_reason(outcome: SubmissionOutcome<'_>) -> (i64, Option<&str>) {
    match outcome {
        Ok(()) => (SubmissionState::Done.number(), None),
        Err(reason) => (SubmissionState::Failed.number(), Some(reason)),
    }
}

#[cfg(test)]
mod tests {
    use super::SubmissionState::{Done, Failed, Open};
    use super::*;

    #[test]
    fn a_state_is_read_as_it_was_written_and_says_how_a_submission_ended() {
        assert_eq!([Open, Done, Failed].map(SubmissionState::number), [0, 1, 2]);
        assert_eq!([0, 1, 2, 3].map(SubmissionState::from_number), [Open, Done, Failed, Failed]);
        let well: [SubmissionOutcome<'_>; 2] = [Ok(()), Ok(())];
        assert_eq!([Open, Done].map(|state| state.outcome(Some("why"))), well);
        let badly: [SubmissionOutcome<'_>; 2] = [Err("why"), Err("")];
        assert_eq!([Some("why"), None].map(|why| Failed.outcome(why)), badly);
        assert_eq!((number_and_reason(Ok(())), number_and_reason(badly[0])), ((1, None), (2, Some("why"))));
    }
}
