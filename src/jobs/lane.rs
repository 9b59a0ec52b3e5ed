//! Lane of a kind of jobs, and the key of one job.

use crate::ids::AccountId;

/// The name of a kind of jobs, as it stands in the store. Each has workers of its own, so that an erasure never waits
/// for an import. `work::KINDS` describes each kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Lane(&'static str);

impl Lane {
    /// An account's deltas, one after the other.
    pub const DELTA: Self = Self::new("delta");
    /// One feed that is fetched.
    pub const FETCH: Self = Self::new("fetch");
    /// One feed that has arrived: an upload, or a republication.
    pub const FEED: Self = Self::new("feed");
    /// An account's erasures.
    pub const ERASE: Self = Self::new("erase");

    /// The lane of this name. Jobs whose lane has no row in `work::KINDS` never run.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// The lane as it stands in the store.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

/// The phase of a job that waits for its turn.
pub const TURN: &str = "waiting for its turn";

/// Key of a job: its account, its lane, and the sequence of its submission (0: the account's only job in the lane).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JobKey {
    /// Its account.
    pub account: AccountId,
    /// Its lane.
    pub lane: Lane,
    /// Sequence of its submission, or 0.
    pub seq: i64,
}

impl std::fmt::Display for JobKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}/{}", self.lane.as_str(), self.account.0, self.seq)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_called_by_its_lane_its_account_and_its_submission() {
        let key = JobKey { account: AccountId(7), lane: Lane::FETCH, seq: 12 };
        assert_eq!(key.to_string(), "fetch/7/12");
    }
}
