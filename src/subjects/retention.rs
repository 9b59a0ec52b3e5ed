//! The end of what is kept for a time: records go on their day, and with the last of them whoever was known by nothing
//! else.

use std::collections::BTreeSet;

use crate::args;
use crate::clock::Day;
use crate::ids::AccountId;
use crate::keys::SlotNumber;
use crate::limits;
use crate::sql;
use crate::store::{StoreFault, Tx};
use crate::subjects::rows;
use crate::subjects::subject::SubjectId;

/// A record that is not kept any longer.
pub struct Ended {
    /// Whose shop's.
    pub account: AccountId,
    subject: SubjectId,
    kind: String,
    n: i64,
}

/// Some of the records of all accounts whose day has come.
///
/// # Errors
/// When the store fails.
pub fn ended(tx: &mut Tx<'_>, today: Day) -> Result<Vec<Ended>, StoreFault> {
    let rows = tx.run(&sql::record_ended, args![today, limits::UNIT_ROWS as i64])?;
    let ended = rows.iter().map(|row| {
        Ok(Ended {
            account: AccountId(row.int("account_id")?),
            subject: row.bytes("subject_id")?,
            kind: row.text("kind")?.to_owned(),
            n: row.int("n")?,
        })
    });
    ended.collect()
}

/// Removes records of an account. Gives the key slots of those of whom nothing is left; destroy them after the commit.
///
/// # Errors
/// When the store fails.
pub fn end(tx: &mut Tx<'_>, account: AccountId, ended: &[Ended]) -> Result<Vec<SlotNumber>, StoreFault> {
    let ended = || ended.iter().filter(|record| record.account == account);
    for Ended { subject, kind, n, .. } in ended() {
        tx.exec(&sql::record_drop, args![account.0, subject, kind.as_str(), *n])?;
    }
    let mut freed = Vec::new();
    for subject in ended().map(|record| record.subject).collect::<BTreeSet<_>>() {
        let Some(row) = tx.row(&sql::subject_get, args![account.0, &subject])? else { continue };
        // red: it::shopping::sqlite::what_is_kept_for_a_time_goes_on_its_day
        let is_left = mutant!(
            "a-visitor-of-whom-nothing-is-left-stays",
            row.opt_int("forgotten_seq")?.is_some() || rows::is_anybody(tx, account, &subject)?,
            true
        );
        if !is_left {
            let slot = SlotNumber::from_row(row.int("slot")?);
            freed.push(slot.ok_or(StoreFault::Shape { statement: "subject_get", column: "slot" })?);
            rows::delete(tx, account, &subject)?;
        }
    }
    Ok(freed)
}
