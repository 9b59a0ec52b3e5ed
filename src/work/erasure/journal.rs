//! Journal content of an erasure, enough to do it again on an older state of the store.

use crate::erasure::{OpenErasure, SubjectId};
use crate::ids::AccountId;
use crate::keys::Keys;
use crate::recovery::journal::{JournalItem, JournalRecordKind, Record, TagEntry};
use crate::work::fault::WorkFault;

/// The record of a fenced erasure: the hash of every identifier that is the person's own, even if another erasure or a
/// dropped row had shut it out before.
///
/// # Errors
/// When the identifiers of the erasure do not open under its key.
pub fn record_of(
    keys: &Keys,
    account: AccountId,
    erasure: &OpenErasure,
    subjects: Vec<SubjectId>,
) -> Result<JournalItem, WorkFault> {
    let person = erasure.person(keys, account)?;
    let tags = person.own_identifiers().map(|id| TagEntry {
        tag: keys.suppression_tag(account, id),
        kind: id.kind().code().into(),
        version: id.version().into(),
    });
    let kind = JournalRecordKind::Erasure;
    let id = *erasure.id.as_bytes();
    let at = erasure.asked_at;
    let asked = Some(keys.lookup_tag(account, &person.asked));
    let account = account.0;
    let tags = tags.collect();
    Ok(JournalItem::Record(Record { kind, id, account, subjects, asked, tags, at }))
}
