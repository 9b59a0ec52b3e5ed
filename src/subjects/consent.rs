//! Consent that is withdrawn in a browser: what it did alone, without a log-in, goes with its key. What a person did
//! there is theirs, and goes when they ask to be forgotten.

use crate::args;
use crate::ids::identifier::Identifier;
use crate::sql;
use crate::store::{StoreFault, Tx};
use crate::subjects::admit::Desk;
use crate::subjects::links::{self, Link};
use crate::subjects::rows;

/// Ends what is held of a visitor, if anything is: nothing leads to it any more, no model has it, and
/// [`crate::subjects::retention`] destroys the key within seconds.
///
/// # Errors
/// When the store fails.
pub fn withdraw(tx: &mut Tx<'_>, desk: &Desk<'_>, visitor: &Identifier) -> Result<(), StoreFault> {
    let Desk { keys, account, spares, .. } = *desk;
    let tag = keys.lookup_tag(account, visitor);
    let led = links::led(tx, account, &tag, i64::MAX)?.into_iter();
    for led in led.filter(|led| led.link == Link::Visitor && !led.is_closing) {
        // red: it::consent::sqlite::who_withdraws_consent_is_nowhere_any_more
        mutant!("models-keep-who-withdrew-consent", spares.note_lost(led.subject), ());
        (rows::IDENTIFIERS.delete)(tx, account, &led.subject, i64::MAX)?;
        tx.exec(&sql::subject_close, args![account.0, &led.subject, rows::WITHDRAWN])?;
    }
    Ok(())
}
