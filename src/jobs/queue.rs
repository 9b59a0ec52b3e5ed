//! Jobs that are taken back, taken away or woken.

use super::lane::Lane;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::store::{StoreFault, Tx};
use crate::{args, sql};

/// Takes back a job that no worker holds; returns whether there was one.
///
/// # Errors
/// When the store fails.
pub fn take_back(tx: &mut Tx<'_>, lane: Lane, account: AccountId, seq: i64) -> Result<bool, StoreFault> {
    Ok(tx.exec(&sql::job_idle_delete, args![account.0, lane.as_str(), seq])? > 0)
}

/// Takes a job away, even from a holder, who from this transaction on writes nothing more and stops at its
/// next beat.
///
/// # Errors
/// When the store fails.
pub fn take_away(tx: &mut Tx<'_>, lane: Lane, account: AccountId, seq: i64) -> Result<(), StoreFault> {
    tx.exec(&sql::job_take_away, args![account.0, lane.as_str(), seq]).map(drop)
}

/// Gives a job a reason to run at `now`, in the transaction that accepts its work.
///
/// # Errors
/// When the store fails.
pub fn wake(
    tx: &mut Tx<'_>,
    lane: Lane,
    account: AccountId,
    seq: i64,
    now: Millis,
) -> Result<(), StoreFault> {
    // An account's only job in a lane needs no turn: it cannot have two.
    let turn = match seq {
        0 => None,
        _ => tx.row(&sql::job_turn, args![account.0, lane.as_str()])?,
    };
    let turn = turn.map_or(Ok(None), |row| row.opt_int("turn"))?.unwrap_or(0);
    tx.exec_once(&sql::job_wake, args![account.0, lane.as_str(), seq, turn, now])
}
