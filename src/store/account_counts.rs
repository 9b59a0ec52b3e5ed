//! The counters in the row of an account.

use std::ops::AddAssign;

/// Counters of an account: everything that it accepted, and its feeds and deltas among that. Also the step by which
/// they are counted up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccountCounts {
    /// Number of accepted things: the place of the newest in the order of acceptance.
    pub seq: i64,
    /// Number of feeds.
    pub feeds: i64,
    /// Number of deltas.
    pub deltas: i64,
}

impl AccountCounts {
    /// Step for something without a number of its own.
    pub const ANYTHING: Self = Self { seq: 1, feeds: 0, deltas: 0 };
    /// Step for a feed.
    pub const FEED: Self = Self { seq: 1, feeds: 1, deltas: 0 };
    /// Step for a delta.
    pub const DELTA: Self = Self { seq: 1, feeds: 0, deltas: 1 };
}

impl AddAssign for AccountCounts {
    fn add_assign(&mut self, step: Self) {
        self.seq += step.seq;
        self.feeds += step.feeds;
        self.deltas += step.deltas;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feed_and_a_delta_count_on_their_own_and_everything_counts_together() {
        let mut counts = AccountCounts { seq: 0, feeds: 0, deltas: 0 };
        for step in [AccountCounts::FEED, AccountCounts::DELTA, AccountCounts::ANYTHING, AccountCounts::DELTA]
        {
            counts += step;
        }
        assert_eq!(counts, AccountCounts { seq: 4, feeds: 1, deltas: 2 });
    }
}
