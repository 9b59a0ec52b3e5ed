//! Filter for an account's submissions.

use super::input::SubmissionKind;
use super::state::SubmissionState;
use super::submission::{Submission, recent};
use crate::ids::AccountId;
use crate::limits;
use crate::store::{StoreFault, Tx};

/// Filter of submissions.
#[derive(Clone, Copy)]
pub struct SubmissionFilter {
    /// Submissions of one kind.
    pub kind: Option<SubmissionKind>,
    /// Submissions in one state.
    pub state: Option<SubmissionState>,
    /// Those before a place.
    pub before: i64,
}

impl SubmissionFilter {
    fn admits(&self, one: &Submission) -> bool {
        self.kind.is_none_or(|kind| one.input.kind() == kind)
            && self.state.is_none_or(|state| one.state == state)
    }

    /// The newest matches, up to a page, newest first. It reads no more than [`limits::SUBMISSIONS_LOOKED_THROUGH`].
    ///
    /// # Errors
    /// When the store fails.
    pub fn newest(self, tx: &mut Tx<'_>, account: AccountId) -> Result<Vec<Submission>, StoreFault> {
        let page = limits::SUBMISSIONS_SHOWN;
        let most = page.unsigned_abs() as usize;
        let mut before = self.before;
        let mut found = Vec::new();
        for _ in 0..limits::SUBMISSIONS_LOOKED_THROUGH / page {
            let looked = recent(tx, account, before, page)?;
            let is_all = looked.len() < most;
            before = looked.last().map_or(before, |last| last.seq);
            found.extend(looked.into_iter().filter(|one| self.admits(one)));
            if is_all || found.len() >= most {
                break;
            }
        }
        found.truncate(most);
        Ok(found)
    }
}
