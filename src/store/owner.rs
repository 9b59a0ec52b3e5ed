//! Owner of the rows that a unit of work writes.

use crate::ids::AccountId;

/// Owner of the rows that a unit of work writes. All units of one owner come one after the other, on whatever node they
/// run: on PostgreSQL each takes the row of its owner first (`docs/decisions/0024-one-row-to-wait-for.md`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Owner {
    /// The number of an account.
    pub(super) account: Option<i64>,
    /// True if it also, or only, writes rows that belong to no account: `node`, the list of accounts.
    pub(super) store: bool,
}

impl Owner {
    /// Rows that belong to no account; also all rows, before the port opens.
    pub const STORE: Self = Self { account: None, store: true };

    /// Nothing: the unit only reads.
    pub(super) const NONE: Self = Self { account: None, store: false };

    /// Rows of an account, and rows that belong to no account.
    #[must_use]
    pub fn with_store(account: AccountId) -> Self {
        Self { account: Some(account.0), store: true }
    }

    /// Index of the writer that its units come to, among so many.
    pub(super) fn writer(self, writers: usize) -> usize {
        let account = self.account.and_then(|account| usize::try_from(account).ok());
        account.unwrap_or_default() % writers.max(1)
    }
}

impl From<AccountId> for Owner {
    fn from(account: AccountId) -> Self {
        Self { account: Some(account.0), store: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_units_of_an_account_come_to_one_writer_and_all_others_to_the_first() {
        let owners = [1, 4, 7, -1].map(|number| Owner::from(AccountId(number)));
        assert_eq!(owners.map(|owner| owner.writer(4)), [1, 0, 3, 0]);
        assert_eq!(Owner::with_store(AccountId(6)).writer(4), 2);
        assert_eq!([Owner::STORE, Owner::NONE].map(|owner| owner.writer(4)), [0, 0]);
        assert_eq!([0, 1].map(|writers| Owner::from(AccountId(7)).writer(writers)), [0, 0]);
    }
}
