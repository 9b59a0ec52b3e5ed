//! `require_standby`: whether the database keeps a second copy of an accepted request, before it is acknowledged.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::args;
use crate::sql;
use crate::store::{Store, StoreFault};

/// Interval at which the database is asked.
pub(super) const LOOK_DURATION: Duration = Duration::from_secs(1);
/// The longest wait for its answer.
const ANSWER_DURATION: Duration = Duration::from_secs(3);

const NOT_ASKED: &str = "the database was not asked yet";
const NO_ANSWER: &str = "the database does not answer";
const NO_NAMES: &str = "its synchronous_standby_names is empty, so that a commit waits for no standby";
const NO_STANDBY: &str = "no synchronous standby is connected to it";
const HIDDEN: &str = "lethe's user may not see its standbys: GRANT pg_monitor to it";

/// Obstacle to accepting, as the last look saw it.
pub struct Standby {
    /// `None` when a standby has the accepted requests, or none is required.
    problem: Mutex<Option<&'static str>>,
    is_required: bool,
}

impl Standby {
    pub(super) fn new(is_required: bool) -> Self {
        Self { problem: Mutex::new(is_required.then_some(NOT_ASKED)), is_required }
    }

    /// Reason for which nothing may be accepted now; `None` when there is none.
    #[must_use]
    pub fn problem(&self) -> Option<&'static str> {
        *self.problem.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the database, if a standby is required. A change is one line in the log.
    pub async fn check(&self, store: &Store) {
        if !self.is_required {
            return;
        }
        let seen = tokio::time::timeout(ANSWER_DURATION, find_problem(store)).await;
        let seen = seen.unwrap_or(Err(StoreFault::Busy)).unwrap_or(Some(NO_ANSWER));
        let before =
            std::mem::replace(&mut *self.problem.lock().unwrap_or_else(PoisonError::into_inner), seen);
        match seen {
            Some(problem) if before.is_none_or(|before| before == NOT_ASKED) => {
                tracing::warn!(problem, "nothing is accepted: the database has no synchronous standby");
            }
            None if before.is_some() => tracing::info!("the database has a synchronous standby"),
            _ => {}
        }
    }
}

/// Finds the obstacle; `None` when there is none.
async fn find_problem(store: &Store) -> Result<Option<&'static str>, StoreFault> {
    store
        .read(|tx| {
            let Some(row) = tx.row(&sql::standby_look, args![])? else { return Ok(Some(NO_ANSWER)) };
            let names = row.int("has_names")?;
            let synchronous = row.int("synchronous")?;
            let hidden = row.int("hidden")?;
            Ok(match (names, synchronous, hidden) {
                (_, 1.., _) => None,
                (_, _, 1..) => Some(HIDDEN),
                (0, ..) => Some(NO_NAMES),
                _ => Some(NO_STANDBY),
            })
        })
        .await
}
