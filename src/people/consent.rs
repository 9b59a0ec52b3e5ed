//! Consent withdrawn in a browser: its data without a log-in goes with its key. A person's actions there are theirs,
//! and go when they ask to be forgotten.

use crate::ids::identifier::Identifier;
use crate::people::browser_id::Browser;
use crate::people::identifier_links::{self, LinkKind};
use crate::people::row_context::RowContext;
use crate::people::subject::SubjectId;
use crate::people::{browser, rows};
use crate::store::{StoreFault, Tx};
use crate::{args, sql};

/// A visitor who does not consent any more. Cannot be printed.
pub struct Withdrawal {
    /// Their browser's.
    pub visitor: Identifier,
    /// Sent with the shop's secret, not by a page: pages may have as many visitors issued as they like.
    pub is_proven: bool,
}

static_assertions::assert_not_impl_any!(Withdrawal: std::fmt::Debug, std::fmt::Display, serde::Serialize);

/// Ends the visitor's data, if there is any: no identifier leads to it any more, no model has it, and
/// [`crate::people::retention`] destroys the key within seconds. Late events of a server about the time before are
/// not stored either.
///
/// # Errors
/// When the store fails.
pub fn withdraw(
    tx: &mut Tx<'_>,
    desk: &RowContext<'_>,
    Withdrawal { visitor, is_proven }: &Withdrawal,
) -> Result<(), StoreFault> {
    let RowContext { keys, account, .. } = *desk;
    let tag = keys.lookup_tag(account, visitor);
    let led = identifier_links::list_linked(tx, account, &tag, i64::MAX)?.into_iter();
    let mut is_noted = *is_proven;
    for led in led.filter(|led| led.link == LinkKind::Visitor && !led.is_closing) {
        end_subject(tx, desk, &led.subject)?;
        is_noted = true;
    }
    if is_noted {
        browser::record_withdrawal(tx, Browser::new(desk, visitor), desk.now)?;
    }
    Ok(())
}

/// Ends a subject without an erasure: its key is destroyed within seconds.
fn end_subject(tx: &mut Tx<'_>, desk: &RowContext<'_>, subject: &SubjectId) -> Result<(), StoreFault> {
    desk.spares.note_lost(*subject);
    (rows::IDENTIFIERS.delete)(tx, desk.account, subject, i64::MAX)?;
    tx.exec(&sql::subject_close, args![desk.account.0, subject, rows::WITHDRAWN]).map(drop)
}
