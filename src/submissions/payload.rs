//! Payload of a submission until it ends: a row of its own, so that the row that is kept with the status stays small
//! and never held personal data.

use super::input::Input;
use crate::ids::AccountId;
use crate::keys::SlotNumber;
use crate::store::{StoreFault, Tx};
use crate::{args, sql};

/// Payload that a new submission waits with.
#[derive(Clone, Copy)]
pub enum SubmissionPayload<'a> {
    /// As it was sent: it cannot be about people.
    Plain(&'a [u8]),
    /// Sealed under the key in the slot, bound to its account and token.
    Sealed(SlotNumber, &'a [u8]),
    /// Pieces that come one by one, each sealed under the key in the slot.
    Pieces(SlotNumber),
}

/// Payload of a submission, as the store has it.
pub struct StoredPayload {
    /// Key slot of all of the payload, if it is sealed.
    pub slot: Option<SlotNumber>,
    /// A delta's sections or a feed's URL; `None` for pieces.
    pub body: Option<Vec<u8>>,
}

static_assertions::assert_not_impl_any!(SubmissionPayload<'static>: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(StoredPayload: std::fmt::Debug, std::fmt::Display, serde::Serialize);

/// Stores the payload of the submission at `seq`. A sealed payload may hold people; the URL of a feed only after its
/// rows are read ([`note_people`]).
pub(super) fn insert(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    input: &Input,
    payload: SubmissionPayload<'_>,
) -> Result<(), StoreFault> {
    let (slot, body) = match payload {
        SubmissionPayload::Plain(body) => (None, Some(body)),
        SubmissionPayload::Sealed(slot, body) => (Some(slot), Some(body)),
        SubmissionPayload::Pieces(slot) => (Some(slot), None),
    };
    let is_url = matches!(input, Input::Url { .. });
    let may_hold_people = slot.is_some() && !is_url;
    let args = args![account.0, seq, slot.map(SlotNumber::row), i64::from(may_hold_people), body];
    tx.defer(&sql::payload_insert, args)
}

/// Payload of the submission at `seq`; `None` if it has none, or no longer.
///
/// # Errors
/// When the store fails.
pub fn load(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<Option<StoredPayload>, StoreFault> {
    let row = tx.row(&sql::payload_get, args![account.0, seq])?;
    row.map(|row| {
        let slot = row.opt_int("slot")?.and_then(SlotNumber::from_row);
        Ok(StoredPayload { slot, body: row.opt_blob("body")?.map(<[u8]>::to_vec) })
    })
    .transpose()
}

/// Deletes the payloads at these places. The keys go after the commit.
pub(super) fn delete(tx: &mut Tx<'_>, account: AccountId, seqs: &[i64]) -> Result<(), StoreFault> {
    tx.exec_many(&sql::payload_delete, seqs, |seq| args![account.0, *seq].to_vec())
}

/// Records whether a running feed keeps sealed rows about people in a file.
///
/// # Errors
/// When the store fails.
pub fn note_people(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    has_people: bool,
) -> Result<(), StoreFault> {
    tx.exec(&sql::payload_note_people, args![account.0, seq, i64::from(has_people)])?;
    Ok(())
}
