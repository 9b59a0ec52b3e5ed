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
