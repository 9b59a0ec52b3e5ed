//! Records of erasures besides their state: removals by place, the certificate, the view of them.

use super::id::ErasureId;
use super::state::ErasureState;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::store::{Row, Statement, StoreFault, Tx};
use crate::{args, limits, sql};

/// An erasure as it is shown.
pub struct ErasureSummary {
    /// Its place in its account.
    pub seq: i64,
    /// Its public id.
    pub id: ErasureId,
    /// State of the erasure.
    pub state: ErasureState,
    /// Time of the request.
    pub asked_at: Millis,
    /// By when it has to be done.
    pub due_at: Millis,
    /// When it was done.
    pub verified_at: Option<Millis>,
    /// Reason why it waits.
    pub waits_for: Option<String>,
    /// Fault of the last try.
    pub fault: Option<String>,
    /// Number of failed tries.
    pub faults: i64,
    /// The shop's own references, with commas between them.
    pub reference: Option<String>,
}

/// Result of an erasure in one place.
pub struct RemovedCounts {
    /// Name of the place.
    pub place: String,
    /// Number of things removed.
    pub removed: i64,
    /// Number of things found when the place was checked again.
    pub found: Option<i64>,
}

/// Counts rows removed from a place.
///
/// # Errors
/// When the store fails.
pub fn count_removed(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    place: &str,
    removed: u64,
) -> Result<(), StoreFault> {
    write_count(tx, &sql::erasure_place_add, account, seq, place, removed)
}

/// Records the data found in a place when it was searched again.
///
/// # Errors
/// When the store fails.
pub fn note_found(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    place: &str,
    found: u64,
) -> Result<(), StoreFault> {
    write_count(tx, &sql::erasure_place_found, account, seq, place, found)
}

fn write_count(
    tx: &mut Tx<'_>,
    statement: &Statement,
    account: AccountId,
    seq: i64,
    place: &str,
    count: u64,
) -> Result<(), StoreFault> {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    tx.exec(statement, args![account.0, seq, place, count])?;
    Ok(())
}

/// A certificate as it is kept: the parts that cannot be made again.
pub struct Certificate {
    /// Number of its entry in the ledger, from 0.
    pub index: i64,
    /// The exact text that was signed.
    pub body: String,
    /// Its signature.
    pub signature: [u8; 64],
}

/// The certificate of a verified erasure.
///
/// # Errors
/// When the store fails.
pub fn certificate(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: ErasureId,
) -> Result<Option<Certificate>, StoreFault> {
    let Some(row) = tx.row(&sql::erasure_certificate, args![account.0, id.as_bytes()])? else {
        return Ok(None);
    };
    Ok(Some(Certificate {
        index: row.int("ledger_n")?,
        body: row.text("certificate")?.to_owned(),
        signature: row.bytes("signature")?,
    }))
}

/// One erasure by its public id.
///
/// # Errors
/// When the store fails.
pub fn load_by_id(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: ErasureId,
) -> Result<Option<ErasureSummary>, StoreFault> {
    tx.row(&sql::erasure_get, args![account.0, id.as_bytes()])?.map(|row| summary_from_row(&row)).transpose()
}

/// Filter of erasures.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ErasureFilter {
    /// All states.
    All,
    /// Those that go on.
    Open,
    /// Those that go on and are past their date.
    Overdue,
    /// Erasures in one state.
    At(ErasureState),
}

impl ErasureFilter {
    /// Erasures that are `open` or `overdue`, or in the state of this name; all without a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "" => Some(Self::All),
            "open" => Some(Self::Open),
            "overdue" => Some(Self::Overdue),
            name => ErasureState::from_name(name).map(Self::At),
        }
    }

    /// True if so few may match that all others are scanned for them.
    #[must_use]
    pub fn may_be_few(self) -> bool {
        matches!(self, Self::At(state) if state != ErasureState::Verified)
    }

    /// Returns true if an erasure passes the filter.
    #[must_use]
    pub fn admits(self, erasure: &ErasureSummary, now: Millis) -> bool {
        let is_open = erasure.verified_at.is_none();
        match self {
            Self::All => true,
            Self::Open => is_open,
            Self::Overdue => is_open && erasure.due_at < now,
            Self::At(state) => erasure.state == state,
        }
    }
}

/// Erasures of an account before a place, newest first.
///
/// # Errors
/// When the store fails.
pub fn list(
    tx: &mut Tx<'_>,
    account: AccountId,
    which: ErasureFilter,
    before: i64,
    now: Millis,
) -> Result<Vec<ErasureSummary>, StoreFault> {
    let limit = limits::ERASURES_SHOWN;
    let rows = match which {
        ErasureFilter::All => tx.run(&sql::erasure_list, args![account.0, before, limit])?,
        ErasureFilter::Open => {
            tx.run(&sql::erasure_list_open, args![account.0, before, Millis::MAX, limit])?
        }
        ErasureFilter::Overdue => tx.run(&sql::erasure_list_open, args![account.0, before, now, limit])?,
        ErasureFilter::At(state) => {
            let list = if state.has_ended() { &sql::erasure_list_ended } else { &sql::erasure_list_at };
            tx.run(list, args![account.0, before, state.as_str(), limit])?
        }
    };
    rows.iter().map(summary_from_row).collect()
}

pub(super) fn summary_from_row(row: &Row) -> Result<ErasureSummary, StoreFault> {
    Ok(ErasureSummary {
        seq: row.int("seq")?,
        id: ErasureId::from_bytes(row.bytes("id")?),
        state: ErasureState::from_row(row)?,
        asked_at: row.int("asked_at")?,
        due_at: row.int("due_at")?,
        verified_at: row.opt_int("verified_at")?,
        waits_for: row.opt_text("waits_for")?.map(str::to_owned),
        fault: row.opt_text("fault")?.map(str::to_owned),
        faults: row.int("faults")?,
        reference: row.opt_text("reference")?.map(str::to_owned),
    })
}

/// The states that an erasure has reached, with their times, in order.
///
/// # Errors
/// When the store fails.
pub fn steps(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
) -> Result<Vec<(ErasureState, Millis)>, StoreFault> {
    let rows = tx.run(&sql::erasure_step_list, args![account.0, seq])?;
    let mut steps: Vec<_> = rows
        .iter()
        .map(|row| Ok((ErasureState::from_row(row)?, row.int("at")?)))
        .collect::<Result<_, StoreFault>>()?;
    steps.sort_unstable();
    Ok(steps)
}

/// Results of an erasure in each place, by name.
///
/// # Errors
/// When the store fails.
pub fn list_cleared(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<Vec<RemovedCounts>, StoreFault> {
    tx.run(&sql::erasure_place_list, args![account.0, seq])?
        .iter()
        .map(|row| {
            Ok(RemovedCounts {
                place: row.text("place")?.to_owned(),
                removed: row.int("removed")?,
                found: row.opt_int("found")?,
            })
        })
        .collect()
}

/// An erasure that is not verified and will be due.
pub struct DueErasure {
    /// Its place in its account.
    pub seq: i64,
    /// Its public id.
    pub id: ErasureId,
    /// Time of the request.
    pub asked_at: Millis,
    /// By when it has to be done.
    pub due_at: Millis,
}

/// The erasures of an account that are not verified and are due before a time, in the order of their due dates, after
/// the given due date and place; at most [`limits::ERASURES_DUE_TOLD`].
///
/// # Errors
/// When the store fails.
pub fn due_soon(
    tx: &mut Tx<'_>,
    account: AccountId,
    (due_at, seq): (Millis, i64),
    before: Millis,
) -> Result<Vec<DueErasure>, StoreFault> {
    let args = args![account.0, due_at, seq, before, limits::ERASURES_DUE_TOLD];
    let rows = tx.run(&sql::erasure_due_soon, args)?;
    rows.iter()
        .map(|row| {
            Ok(DueErasure {
                seq: row.int("seq")?,
                id: ErasureId::from_bytes(row.bytes("id")?),
                asked_at: row.int("asked_at")?,
                due_at: row.int("due_at")?,
            })
        })
        .collect()
}

/// Unverified erasures: of all accounts, or of one.
#[derive(Clone, Copy, Default)]
pub struct ErasureBacklog {
    /// Number of erasures.
    pub open: i64,
    /// Number of erasures past their date.
    pub overdue: i64,
    /// Number of erasures whose last try failed.
    pub failing: i64,
    /// Time of the oldest request.
    pub oldest_at: Option<Millis>,
}

/// Counts the erasures that are not verified.
///
/// # Errors
/// When the store fails.
pub fn waiting(tx: &mut Tx<'_>, now: Millis) -> Result<ErasureBacklog, StoreFault> {
    tx.row(&sql::erasure_count_open, args![now])?
        .map_or_else(|| Ok(ErasureBacklog::default()), |row| read_waiting(&row))
}

/// Counts the unverified erasures of an account.
///
/// # Errors
/// When the store fails.
pub fn waiting_of(tx: &mut Tx<'_>, account: AccountId, now: Millis) -> Result<ErasureBacklog, StoreFault> {
    let row = tx.row(&sql::erasure_count_open_of, args![account.0, now])?;
    row.map_or_else(|| Ok(ErasureBacklog::default()), |row| read_waiting(&row))
}

fn read_waiting(row: &Row) -> Result<ErasureBacklog, StoreFault> {
    Ok(ErasureBacklog {
        open: row.int("counted")?,
        overdue: row.int("overdue")?,
        failing: row.int("failing")?,
        oldest_at: row.opt_int("oldest_at")?,
    })
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
