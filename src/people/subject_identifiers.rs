//! The readable identifiers of a subject.

use super::identifier_links::LinkKind;
use super::subject;
use super::subject::{SubjectFault, SubjectId, identifier_aad};
use crate::ids::AccountId;
use crate::ids::identifier::{Identifier, IdentifierKind};
use crate::keys::{Keys, Sealer, Tag};
use crate::store::{Row, Tx};
use crate::{args, sql};

/// A link of a subject that goes.
pub(super) struct IdentifierLink {
    pub(super) id: Identifier,
    pub(super) tag: Tag,
    pub(super) link: LinkKind,
}

/// The readable identifiers of a subject.
pub(super) fn identifiers_of(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    subject: &SubjectId,
) -> Result<Vec<IdentifierLink>, SubjectFault> {
    let sealer = match subject::open(tx, keys, account, subject) {
        Ok(Some(open)) => open.sealer,
        Ok(None) => return Ok(Vec::new()),
        // Lost or damaged: the person's data is unreadable for ever, so that nothing further is known about them. An
        // erasure goes on; it must not wait for ever for a key that never comes back.
        Err(SubjectFault::Keys(fault)) if fault.is_lost() => {
            tracing::warn!(account = account.0, "a person's key is lost: what leads to them cannot be read");
            return Ok(Vec::new());
        }
        Err(fault) => return Err(fault),
    };
    let mut found = Vec::new();
    for row in tx.run(&sql::identifier_of_subject, args![account.0, subject])? {
        found.extend(open_identifier(&sealer, account, subject, &row)?);
    }
    Ok(found)
}

pub(super) fn open_identifier(
    sealer: &Sealer,
    account: AccountId,
    subject: &SubjectId,
    row: &Row,
) -> Result<Option<IdentifierLink>, SubjectFault> {
    let kind = u8::try_from(row.int("kind")?).ok().and_then(IdentifierKind::from_code);
    let text = match sealer.open(&identifier_aad(account, subject, row.blob("tag")?), row.blob("sealed")?) {
        Err(fault) if fault.is_lost() => {
            tracing::warn!(account = account.0, "an identifier of a person is damaged and cannot be read");
            return Ok(None);
        }
        opened => opened?,
    };
    let tag = row.bytes("tag")?;
    let link = LinkKind::from_row(row)?;
    let text = String::from_utf8_lossy(&text);
    // It was stored in its normal form, so it is accepted again.
    let id = kind.and_then(|kind| Identifier::parse(kind, &text).ok());
    Ok(id.map(|id| IdentifierLink { id, tag, link }))
}
