//! Log-ins: while a person is logged in in a browser, rows that carry only its number are theirs. Earlier actions there
//! stay the visitor's, and the actions of another person who logs in there are that person's: nothing is passed on
//! through a device.

use serde_json::json;

use crate::clock::Millis;
use crate::ids::AccountId;
use crate::ids::identifier::Identifier;
use crate::keys::Keys;
use crate::people::actor::Actor;
use crate::people::browser::{self, BrowserOwner};
use crate::people::browser_id::Browser;
use crate::people::event::{known_until, place_of};
use crate::people::identifier_links::{self, LinkKind};
use crate::people::record_kind::LOG_IN;
use crate::people::row_context::RowContext;
use crate::people::subject::{SubjectFault, SubjectId};
use crate::people::subject_identifiers::identifiers_of;
use crate::people::subject_row::{RowKind, SubjectRow};
use crate::people::suppression_gate;
use crate::people::writable_subject::{Admission, admit};
use crate::store::{StoreFault, Tx};
use crate::{args, limits, sql};

/// A log-in as it was sent. Cannot be printed.
pub struct LogIn {
    /// The number of the browser.
    pub visitor: Identifier,
    /// Person who logged in, without the browser's number.
    pub who: Actor,
    /// Time of the log-in.
    pub at: Millis,
}

static_assertions::assert_not_impl_any!(LogIn: std::fmt::Debug, std::fmt::Display, serde::Serialize);

/// Stores that a person is logged in, as number `number` of a request. A forgotten person's log-in is not stored, and
/// neither are actions in that browser until the log-out.
///
/// # Errors
/// As [`admit`].
pub fn store(
    tx: &mut Tx<'_>,
    desk: &RowContext<'_>,
    log_in: &LogIn,
    number: usize,
) -> Result<(), SubjectFault> {
    let RowContext { keys, account, seq, .. } = *desk;
    let LogIn { visitor, who, at } = log_in;
    let lasts = browser::is_logged_in(tx, Browser::new(desk, visitor), *at)?;
    let was_shut = lasts && suppression_gate::is_shut_until_log_out(tx, keys, account, visitor)?;
    let tag = keys.lookup_tag(account, visitor);
    let before =
        identifier_links::of_visitor(tx, account, &tag, false)?.filter(|led| led.link == LinkKind::LoggedIn);
    let held = who.addresses_in_ids();
    let named = who.collect_identifiers(&held);
    let admitted = admit(tx, desk, &SubjectRow { named: named.clone(), about: RowKind::Interaction(*at) })?;
    if matches!(admitted, Admission::Dropped) {
        // It is unknown which forgotten person was there: the log-in of one goes on.
        if !was_shut {
            begin_log_in(tx, desk, log_in)?;
        }
        return Ok(browser::shut_until_log_out(tx, keys, account, visitor, *at)?);
    }
    // A number that was forgotten is not stored again, also not as a person's.
    if is_kept_out(tx, desk, visitor)? {
        return begin_log_in(tx, desk, log_in);
    }
    let Some(subject) = admitted.into_subject(tx, desk)? else { return begin_log_in(tx, desk, log_in) };
    // Shops name the logged-in person with each page.
    let is_there = lasts && before.is_some_and(|led| led.subject == *subject.id());
    if !is_there {
        begin_log_in(tx, desk, log_in)?;
    }
    subject.lead_first(tx, desk, &named)?;
    subject.add_link(tx, desk, visitor, LinkKind::LoggedIn)?;
    let others = limits::LOGGED_IN_BROWSERS - 1;
    tx.exec(&sql::identifier_crowd, args![account.0, subject.id(), &tag, others])?;
    // For a person without any other record it decides when they go.
    if subject.link().is_none() {
        let content = json!({"At": at}).to_string();
        let place = (LOG_IN, place_of(seq, number), known_until(*at));
        subject.add(tx, (account, seq), place, content.as_bytes())?;
    }
    Ok(())
}

/// Ends the log-in of a browser, and begins another.
fn begin_log_in(tx: &mut Tx<'_>, desk: &RowContext<'_>, log_in: &LogIn) -> Result<(), SubjectFault> {
    let LogIn { visitor, at, .. } = log_in;
    end(tx, desk, visitor)?;
    Ok(browser::record_log_in(tx, Browser::new(desk, visitor), *at)?)
}

/// Ends the log-in in a browser: rows that carry only its number are the visitor's own again.
///
/// # Errors
/// When the store fails.
pub fn end(tx: &mut Tx<'_>, desk: &RowContext<'_>, visitor: &Identifier) -> Result<(), StoreFault> {
    let tag = desk.keys.lookup_tag(desk.account, visitor);
    browser::record_log_out(tx, Browser::new(desk, visitor), desk.now)?;
    tx.exec(&sql::identifier_log_out, args![desk.account.0, &tag])?;
    suppression_gate::open_at_log_out(tx, desk.keys, desk.account, visitor)
}

/// Log-in state of a browser.
pub enum LogInState {
    /// The person logged in, known by one of these.
    As(Actor),
    /// No one is logged in.
    Nobody,
    /// The person is forgotten, or must stay unknown.
    KeptOut,
}

/// Finds the person who is logged in in a browser: by a user id, else as a guest or a company.
///
/// # Errors
/// When the store or a key fails.
pub fn who_at(
    tx: &mut Tx<'_>,
    desk: &RowContext<'_>,
    visitor: &Identifier,
) -> Result<LogInState, SubjectFault> {
    let whose = browser::find_owner(tx, Browser::new(desk, visitor), desk.now, desk.now)?;
    if whose == BrowserOwner::KeptOut || is_kept_out(tx, desk, visitor)? {
        return Ok(LogInState::KeptOut);
    }
    if whose == BrowserOwner::Own {
        return Ok(LogInState::Nobody);
    }
    let tag = desk.keys.lookup_tag(desk.account, visitor);
    let led = identifier_links::of_visitor(tx, desk.account, &tag, false)?
        .filter(|led| led.link == LinkKind::LoggedIn);
    let Some(led) = led else { return Ok(LogInState::Nobody) };
    let found = identifiers_of(tx, desk.keys, desk.account, &led.subject)?;
    let of =
        |is: fn(LinkKind) -> bool| found.iter().find(|found| is(found.link)).map(|found| found.id.clone());
    let user_id = of(LinkKind::is_user);
    let email = if user_id.is_some() { None } else { of(|link| link == LinkKind::Guest) };
    let company = of(|link| link == LinkKind::Alone);
    let who = Actor { user_id, email, company, visitor: None };
    Ok(if who.is_nobody() { LogInState::Nobody } else { LogInState::As(who) })
}

/// The subject of current actions in a browser; `None` when no person is known there, or nothing may be stored.
///
/// # Errors
/// When the store fails.
pub fn subject_at(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    visitor: &Identifier,
    now: Millis,
) -> Result<Option<SubjectId>, StoreFault> {
    let whose = browser::find_owner(tx, Browser { keys, account, visitor }, now, now)?;
    if whose == BrowserOwner::KeptOut {
        return Ok(None);
    }
    let led = identifier_links::of_visitor(
        tx,
        account,
        &keys.lookup_tag(account, visitor),
        whose == BrowserOwner::Own,
    )?;
    Ok(led.filter(|led| !led.is_closing).map(|led| led.subject))
}

/// The subject of actions in a browser without a log-in, independent of the present log-in.
///
/// # Errors
/// When the store fails.
pub fn visitor_at(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    visitor: &Identifier,
) -> Result<Option<SubjectId>, StoreFault> {
    let led = identifier_links::of_visitor(tx, account, &keys.lookup_tag(account, visitor), true)?;
    Ok(led.filter(|led| !led.is_closing).map(|led| led.subject))
}

/// Returns true if the number itself was forgotten.
fn is_kept_out(tx: &mut Tx<'_>, desk: &RowContext<'_>, visitor: &Identifier) -> Result<bool, StoreFault> {
    let shut = suppression_gate::find_suppression(tx, desk.keys, desk.account, visitor)?;
    Ok(shut.is_some_and(|shut| shut.keeps_out(desk.seq)))
}
