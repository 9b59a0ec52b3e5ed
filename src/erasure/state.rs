//! Progress of an erasure.

use crate::store::{Row, StoreFault};

/// State of an erasure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ErasureState {
    /// Stored; every door drops the person of the request.
    Accepted,
    /// Every identifier linked to the person is suppressed as well.
    Fenced,
    /// The keys of the person's records are destroyed.
    Shredded,
    /// The records and the identifiers are gone.
    Deleted,
    /// No model knows them.
    Unlearned,
    /// No file of the database holds the data that it overwrote.
    Settled,
    /// Every place was checked again, and nothing was found.
    Verified,
    /// The identifiers can no longer be read. Known data was removed, and the request must be sent again.
    Lost,
}

impl ErasureState {
    /// All states, in order.
    pub const ALL: [Self; 8] = [
        Self::Accepted,
        Self::Fenced,
        Self::Shredded,
        Self::Deleted,
        Self::Unlearned,
        Self::Settled,
        Self::Verified,
        Self::Lost,
    ];

    /// The state as it stands in the store.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Fenced => "fenced",
            Self::Shredded => "shredded",
            Self::Deleted => "deleted",
            Self::Unlearned => "unlearned",
            Self::Settled => "settled",
            Self::Verified => "verified",
            Self::Lost => "lost",
        }
    }

    /// The state of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }

    /// True if nothing more happens to it.
    #[must_use]
    pub fn has_ended(self) -> bool {
        matches!(self, Self::Verified | Self::Lost)
    }

    pub(super) fn from_row(row: &Row) -> Result<Self, StoreFault> {
        let state = Self::from_name(row.text("state")?);
        state.ok_or_else(|| row.unreadable("state"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_has_its_name_and_two_are_the_end() {
        let names = ["accepted", "fenced", "shredded", "deleted", "unlearned", "settled", "verified", "lost"];
        assert_eq!(ErasureState::ALL.map(ErasureState::as_str), names);
        assert_eq!(names.map(ErasureState::from_name), ErasureState::ALL.map(Some));
        assert_eq!(["", "Accepted", "open"].map(ErasureState::from_name), [None; 3]);
        let ended: Vec<_> = ErasureState::ALL.into_iter().filter(|state| state.has_ended()).collect();
        assert_eq!(ended, [ErasureState::Verified, ErasureState::Lost]);
        assert!(ErasureState::ALL.is_sorted());
    }
}
