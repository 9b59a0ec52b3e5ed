//! Log-ins in a browser and withdrawals of consent, by time. The person is not kept: late events from that time belong
//! to no person, known or forgotten.

use super::browser_id::Browser;
use crate::clock::{Day, Millis, day_of, millis};
use crate::ids::AccountId;
use crate::ids::identifier::Identifier;
use crate::keys::Keys;
use crate::people::identifier_links::{self, LinkKind};
use crate::people::identifiers::IdentifierRole;
use crate::people::row_context::RowContext;
use crate::people::subject_row::{RowKind, SubjectRow};
use crate::people::suppression_gate;
use crate::store::{StoreFault, Tx};
use crate::{args, limits, sql};

static_assertions::assert_not_impl_any!(Browser<'static>: std::fmt::Debug, std::fmt::Display, serde::Serialize);

/// Owner of actions in a browser at a time, if only the browser's number is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BrowserOwner {
    /// The person who is logged in there, else the visitor.
    Now,
    /// The visitor's own, independent of the present log-in.
    Own,
    /// Another person, or no one: nothing is stored.
    KeptOut,
}

/// A log-in, and its end if it has one.
#[derive(Clone, Copy)]
struct LogInPeriod {
    since: Millis,
    until: Option<Millis>,
}

/// Finds the owner of a row that names only a browser; for any other row: [`BrowserOwner::Now`].
///
/// # Errors
/// When the store fails.
pub(super) fn whose_of(
    tx: &mut Tx<'_>,
    desk: &RowContext<'_>,
    row: &SubjectRow<'_>,
) -> Result<BrowserOwner, StoreFault> {
    let Some((IdentifierRole::Visitor, visitor)) = row.named.leading().next() else {
        return Ok(BrowserOwner::Now);
    };
    let at = match row.about {
        RowKind::Interaction(at) => at,
        RowKind::Profile => desk.now,
    };
    find_owner(tx, Browser::new(desk, visitor), at, desk.now)
}

/// Finds the owner of an action done at `at` and reported at `now`.
///
/// # Errors
/// When the store fails.
pub fn find_owner(
    tx: &mut Tx<'_>,
    browser: Browser<'_>,
    at: Millis,
    now: Millis,
) -> Result<BrowserOwner, StoreFault> {
    let found = log_ins_at(tx, browser, at)?;
    let has_ended = found.iter().any(|one| one.until.is_some());
    if has_ended {
        return Ok(BrowserOwner::KeptOut);
    }
    let Some(open) = found.iter().find(|one| one.until.is_none()) else {
        return whose_without_log_in(tx, browser, now);
    };
    // Another person may have been logged in then, or no one.
    let is_late = at < now - millis(limits::CLOCKS_APART_DURATION);
    if is_over(open.since, now) || is_late && at < open.since {
        return Ok(BrowserOwner::Own);
    }
    let Browser { keys, account, visitor } = browser;
    let is_shut = suppression_gate::is_shut_until_log_out(tx, keys, account, visitor)?;
    Ok(if is_shut { BrowserOwner::KeptOut } else { BrowserOwner::Now })
}

/// The owner where no log-in lasts. A log-in from before log-ins were recorded may last: until it would have ended, a
/// link shows it, or the shut door of the browser.
fn whose_without_log_in(
    tx: &mut Tx<'_>,
    browser: Browser<'_>,
    now: Millis,
) -> Result<BrowserOwner, StoreFault> {
    let since = tx.row(&sql::node_browsers_since, args![1])?.map(|row| row.opt_int("browsers_since"));
    let is_noted = since.transpose()?.flatten().is_none_or(|since| is_over(since, now));
    if is_noted {
        return Ok(BrowserOwner::Own);
    }
    let Browser { keys, account, visitor } = browser;
    if suppression_gate::is_shut_until_log_out(tx, keys, account, visitor)? {
        return Ok(BrowserOwner::KeptOut);
    }
    let led = identifier_links::of_visitor(tx, account, &keys.lookup_tag(account, visitor), false)?;
    Ok(if led.is_some_and(|led| led.link == LinkKind::LoggedIn) {
        BrowserOwner::Now
    } else {
        BrowserOwner::Own
    })
}

/// Returns true if a log-in in a browser lasts.
///
/// # Errors
/// When the store fails.
pub fn is_logged_in(tx: &mut Tx<'_>, browser: Browser<'_>, now: Millis) -> Result<bool, StoreFault> {
    let found = log_ins_at(tx, browser, now)?;
    Ok(found.iter().any(|one| one.until.is_none() && !is_over(one.since, now)))
}

/// Returns true if a log-in without a log-out has ended by itself, so that the browser's next user is not kept out for
/// ever.
fn is_over(since: Millis, now: Millis) -> bool {
    since < now - millis(limits::LOG_IN_DURATION)
}

/// The present log-in, if there is one, and a past one that includes `at`.
fn log_ins_at(tx: &mut Tx<'_>, browser: Browser<'_>, at: Millis) -> Result<Vec<LogInPeriod>, StoreFault> {
    let tag = browser.tag();
    let rows = tx.run(&sql::browser_past_at, args![browser.account.0, &tag, at])?;
    rows.iter()
        .map(|row| Ok(LogInPeriod { since: row.int("since")?, until: row.opt_int("until")? }))
        .collect()
}

/// Records a log-in; it ends the log-in of the previous person.
///
/// # Errors
/// When the store fails.
pub fn record_log_in(tx: &mut Tx<'_>, browser: Browser<'_>, at: Millis) -> Result<(), StoreFault> {
    record_log_out(tx, browser, at)?;
    let tag = browser.tag();
    let day = day_until(at + millis(limits::LOG_IN_DURATION));
    tx.exec(&sql::browser_past_begin, args![browser.account.0, &tag, at, None::<i64>, day]).map(drop)
}

/// Records that a person is logged in, unless that is known already.
///
/// # Errors
/// When the store fails.
pub fn record_log_in_if_unknown(tx: &mut Tx<'_>, browser: Browser<'_>, at: Millis) -> Result<(), StoreFault> {
    let is_known = log_ins_at(tx, browser, at)?.iter().any(|one| one.until.is_none());
    if is_known { Ok(()) } else { record_log_in(tx, browser, at) }
}

/// Records a log-out.
///
/// # Errors
/// When the store fails.
pub fn record_log_out(tx: &mut Tx<'_>, browser: Browser<'_>, at: Millis) -> Result<(), StoreFault> {
    let tag = browser.tag();
    tx.exec(&sql::browser_past_end, args![browser.account.0, &tag, at, day_until(at)]).map(drop)
}

/// Records that consent was withdrawn: earlier actions are not stored, also when they arrive later.
///
/// # Errors
/// When the store fails.
pub fn record_withdrawal(tx: &mut Tx<'_>, browser: Browser<'_>, at: Millis) -> Result<(), StoreFault> {
    let tag = browser.tag();
    tx.exec(&sql::browser_past_begin, args![browser.account.0, &tag, 0_i64, Some(at), day_until(at)])
        .map(drop)
}

/// The day on which data that ended then goes: late events of a visitor are not taken.
fn day_until(at: Millis) -> Day {
    day_of(at + millis(limits::VISITS_KEPT_DURATION)) + 1
}

/// Log-in or withdrawal that is not kept any longer.
pub struct ExpiredBrowserEntry {
    /// Account of the shop.
    pub account: AccountId,
    tag: [u8; 16],
    since: Millis,
    is_open: bool,
}

/// Some expired rows, of all accounts.
///
/// # Errors
/// When the store fails.
pub fn old(tx: &mut Tx<'_>, today: Day) -> Result<Vec<ExpiredBrowserEntry>, StoreFault> {
    let rows = tx.run(&sql::browser_past_old, args![today, limits::UNIT_ROWS as i64])?;
    let old = rows.iter().map(|row| {
        let account = AccountId(row.int("account_id")?);
        let is_open = row.opt_int("until")?.is_none();
        Ok(ExpiredBrowserEntry { account, tag: row.bytes("tag")?, since: row.int("since")?, is_open })
    });
    old.collect()
}

/// Forgets these rows of an account. A shut browser is open again.
///
/// # Errors
/// When the store fails.
pub fn forget(tx: &mut Tx<'_>, account: AccountId, old: &[ExpiredBrowserEntry]) -> Result<(), StoreFault> {
    for one in old.iter().filter(|one| one.account == account) {
        tx.exec(&sql::browser_past_delete, args![account.0, &one.tag, one.since])?;
        if one.is_open {
            tx.exec(&sql::shut_browser_delete, args![account.0, &one.tag])?;
        }
    }
    Ok(())
}

/// Shuts the door for the number of a browser in which a forgotten person is logged in: actions there are theirs, and
/// are not stored until the log-out. This does not say whether the number itself was forgotten.
///
/// # Errors
/// When the store fails.
pub fn shut_until_log_out(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    visitor: &Identifier,
    now: Millis,
) -> Result<(), StoreFault> {
    record_log_in_if_unknown(tx, Browser { keys, account, visitor }, now)?;
    let tag = keys.suppression_tag(account, visitor);
    tx.exec(&sql::shut_browser_put, args![account.0, &tag]).map(drop)
}
