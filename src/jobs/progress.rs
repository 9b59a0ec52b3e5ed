//! How far a job is, for those who wait for it.

use super::{Lane, key};
use crate::args;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::sql;
use crate::store::{StoreFault, Tx};

/// How far a job is, as its holder said last.
pub struct Seen {
    /// What it does, or waits for.
    pub phase: String,
    /// Rows read.
    pub rows: i64,
    /// Bytes that came over the network.
    pub bytes: i64,
    /// How many they will be, if that is known.
    pub bytes_total: Option<i64>,
    /// When it runs next, if it does not run.
    pub next_try_at: Millis,
}

/// The progress of a job; `None` when it has ended.
pub fn progress(
    tx: &mut Tx<'_>,
    lane: Lane,
    account: AccountId,
    seq: i64,
) -> Result<Option<Seen>, StoreFault> {
    let row = tx.row(&sql::job_progress, args![key(lane, account, seq).as_str()])?;
    row.map(|row| {
        Ok(Seen {
            phase: row.text(0)?.to_owned(),
            rows: row.int(1)?,
            bytes: row.int(2)?,
            bytes_total: row.opt_int(3)?,
            next_try_at: row.int(4)?,
        })
    })
    .transpose()
}
