//! Record of what the database acknowledged, kept outside it. A new connection notices a database that has less, such
//! as a server that took over without the last commits of another.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::fault::StoreFault;
use super::postgres_error::fault_of;

const SEEN: &str = include_str!("../../sql/postgres/accounts_seen.sql");

/// Highest number that each account had counted in a transaction whose COMMIT came back, since the process began.
/// Clones share it.
#[derive(Clone, Default)]
pub struct AcknowledgedNumbers(Arc<Mutex<AcknowledgedState>>);

#[derive(Default)]
struct AcknowledgedState {
    /// The highest number by account.
    numbers: HashMap<i64, i64>,
    /// Losses that were found before.
    lost: Option<LostRequests>,
}

/// Acknowledged requests that are missing now.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct LostRequests {
    /// Accounts with at least one lost request.
    pub accounts: usize,
    /// Lost submissions of shops, and lost requests for erasures.
    pub requests: i64,
}

impl AcknowledgedNumbers {
    /// Records a COMMIT that came back, with the numbers that these accounts had counted by then.
    pub(super) fn record(&self, counted: impl Iterator<Item = (i64, i64)>) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (account, number) in counted {
            let known = state.numbers.entry(account).or_default();
            *known = number.max(*known);
        }
    }

    /// Finds the acknowledged requests that a database lacks; `None` when it lacks none.
    pub(super) fn find_lost(
        &self,
        client: &mut postgres::Client,
    ) -> Result<Option<LostRequests>, StoreFault> {
        Ok(self.compare(client)?.0)
    }

    /// The same, and from now on the present numbers count. Known losses stay known.
    pub(super) fn accept(&self, client: &mut postgres::Client) -> Result<Option<LostRequests>, StoreFault> {
        let (lost, there) = self.compare(client)?;
        if let Some(lost) = lost {
            let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            state.numbers = there;
            let before = state.lost.unwrap_or_default();
            let accounts = before.accounts.max(lost.accounts);
            state.lost = Some(LostRequests { accounts, requests: before.requests + lost.requests });
        }
        Ok(lost)
    }

    fn compare(
        &self,
        client: &mut postgres::Client,
    ) -> Result<(Option<LostRequests>, HashMap<i64, i64>), StoreFault> {
        // The acknowledged numbers first: later ones are no loss.
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).numbers.clone();
        if known.is_empty() {
            return Ok((None, known));
        }
        let accounts: Vec<i64> = known.keys().copied().collect();
        let rows = client.query(SEEN, &[&accounts]).map_err(|error| fault_of("accounts_seen", &error))?;
        let there: HashMap<i64, i64> = rows
            .iter()
            .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
            .collect::<Result<_, _>>()
            .map_err(|error| fault_of("accounts_seen", &error))?;
        let mut lost = LostRequests::default();
        for (account, number) in &known {
            // Accounts are never deleted: a missing one was made in the lost part.
            let missing = number - there.get(account).unwrap_or(&0);
            if missing > 0 {
                lost = LostRequests { accounts: lost.accounts + 1, requests: lost.requests + missing };
            }
        }
        Ok((Some(lost).filter(|lost| lost.requests > 0), there))
    }

    /// Losses of all databases since the process began; `None` when nothing was lost.
    #[must_use]
    pub fn all_lost(&self) -> Option<LostRequests> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).lost
    }
}
