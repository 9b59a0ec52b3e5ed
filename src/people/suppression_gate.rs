//! The door that every row about a person passes: a forgotten person stays out.

use crate::clock::Millis;
use crate::ids::AccountId;
use crate::ids::identifier::Identifier;
use crate::keys::{Keys, Tag};
use crate::people::identifier_links::{self, LinkKind, LinkedSubject};
use crate::people::identifiers::{IdentifierRole, RowIdentifiers};
use crate::people::row_context::RowContext;
use crate::store::{StoreFault, Tx};
use crate::{args, sql};

/// Facts kept about a forgotten identifier, besides its keyed hash.
pub struct SuppressionFacts {
    /// The erasure that shut the door, or the row that tied the identifier to a forgotten one.
    pub seq: i64,
    /// After this place rows are let in again: the person came back.
    pub lifted_seq: Option<i64>,
    /// Time of that return.
    pub lifted_at: Option<Millis>,
    /// Time since which the door is shut.
    pub since: Millis,
    /// Version of the spelling rules by which it is recognised.
    pub version: i64,
}

impl SuppressionFacts {
    /// Returns true if the door is shut for a row that was accepted at a place.
    #[must_use]
    pub fn keeps_out(&self, seq: i64) -> bool {
        self.lifted_seq.is_none_or(|lifted| seq <= lifted)
    }
}

/// Finds the facts kept about an identifier, if it was ever forgotten.
///
/// # Errors
/// When the store fails.
pub fn find_suppression(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    id: &Identifier,
) -> Result<Option<SuppressionFacts>, StoreFault> {
    by_tag(tx, account, &keys.suppression_tag(account, id))
}

fn by_tag(tx: &mut Tx<'_>, account: AccountId, tag: &Tag) -> Result<Option<SuppressionFacts>, StoreFault> {
    let Some(row) = tx.row(&sql::suppression_get, args![account.0, tag])? else { return Ok(None) };
    let seq = row.int("seq")?;
    let lifted_seq = row.opt_int("lifted_seq")?;
    let lifted_at = row.opt_int("lifted_at")?;
    Ok(Some(SuppressionFacts {
        seq,
        lifted_seq,
        lifted_at,
        version: row.int("version")?,
        since: row.int("created_at")?,
    }))
}

/// Returns true if the identifier with this suppression tag is forgotten now.
///
/// # Errors
/// When the store fails.
pub fn is_suppressed(tx: &mut Tx<'_>, account: AccountId, tag: &Tag) -> Result<bool, StoreFault> {
    Ok(by_tag(tx, account, tag)?.is_some_and(|shut| shut.lifted_seq.is_none()))
}

/// Returns true if the person with this suppression tag came back at `at` or later.
///
/// # Errors
/// When the store fails.
pub fn came_back_since(
    tx: &mut Tx<'_>,
    account: AccountId,
    tag: &Tag,
    at: Millis,
) -> Result<bool, StoreFault> {
    Ok(by_tag(tx, account, tag)?.and_then(|shut| shut.lifted_at).is_some_and(|lifted| lifted >= at))
}

/// Lets a person in again who came back of their own will. Rows accepted after `seq` are stored again,
/// earlier ones are not.
///
/// # Errors
/// When the store fails.
pub fn lift_suppression(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    id: &Identifier,
    seq: i64,
    now: Millis,
) -> Result<(), StoreFault> {
    lift_tag(tx, account, &keys.suppression_tag(account, id), seq, now)
}

/// Finds the time at which a forgotten person of a row came back. Earlier actions are not stored again.
///
/// # Errors
/// When the store fails.
pub fn came_back_at(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    named: &RowIdentifiers<'_>,
) -> Result<Option<Millis>, StoreFault> {
    let mut last = None;
    for (_, id) in named.leading() {
        last = last.max(find_suppression(tx, keys, account, id)?.and_then(|shut| shut.lifted_at));
    }
    Ok(last)
}

/// Shuts the door for an identifier, until the person comes back of their own will, and deletes the record that a delta
/// removed them. Returns false if it was shut already.
///
/// # Errors
/// When the store fails.
pub fn suppress(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    id: &Identifier,
    seq: i64,
    now: Millis,
) -> Result<bool, StoreFault> {
    let spelling = (i64::from(id.kind().code()), i64::from(id.version()));
    let shut = shut_tag(tx, account, &keys.suppression_tag(account, id), spelling, seq, now)?;
    tx.exec(&sql::user_removal_delete, args![account.0, &keys.lookup_tag(account, id)])?;
    Ok(shut)
}

/// As [`suppress`], for a caller who knows only the suppression tag and the kind and version of its `spelling`. Keeps
/// the record that a delta removed the person.
///
/// # Errors
/// When the store fails.
pub fn shut_tag(
    tx: &mut Tx<'_>,
    account: AccountId,
    tag: &Tag,
    (kind, version): (i64, i64),
    seq: i64,
    now: Millis,
) -> Result<bool, StoreFault> {
    Ok(tx.exec(&sql::suppression_put, args![account.0, tag, kind, version, seq, now])? == 1)
}

/// Returns true if a forgotten person is logged in in a browser.
///
/// # Errors
/// When the store fails.
pub fn is_shut_until_log_out(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    visitor: &Identifier,
) -> Result<bool, StoreFault> {
    let tag = keys.suppression_tag(account, visitor);
    Ok(tx.row(&sql::shut_browser_get, args![account.0, &tag])?.is_some())
}

/// Opens a browser's door again after the log-out. A door that an erasure shut stays shut.
///
/// # Errors
/// When the store fails.
pub fn open_at_log_out(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    visitor: &Identifier,
) -> Result<(), StoreFault> {
    let tag = keys.suppression_tag(account, visitor);
    tx.exec(&sql::shut_browser_delete, args![account.0, &tag])?;
    Ok(())
}

/// Repeats, on another state of the store, a return at the time `at`. A door that was shut after `at` stays shut: the
/// person asked once more.
///
/// # Errors
/// When the store fails.
pub fn lift_again(
    tx: &mut Tx<'_>,
    account: AccountId,
    tag: &Tag,
    seq: i64,
    at: Millis,
) -> Result<(), StoreFault> {
    match by_tag(tx, account, tag)? {
        Some(shut) if shut.since <= at => lift_tag(tx, account, tag, seq, at),
        _ => Ok(()),
    }
}

/// Lets in again, after `seq`, the person that a suppression tag keeps out.
fn lift_tag(tx: &mut Tx<'_>, account: AccountId, tag: &Tag, seq: i64, now: Millis) -> Result<(), StoreFault> {
    tx.exec(&sql::suppression_lift, args![account.0, tag, seq, now]).map(drop)
}

/// Checks a whole row at the door, with the subject that was found, if there is one. A profile that ties a forgotten
/// email to a user id that no profile gave an address before shuts the door for that user id too: the same person under
/// a new number. Data stored under that user id stays, as no request named it. An order shuts nothing: anyone can type
/// an address. It is kept, without the address, if the profile of its user id has another address.
///
/// # Errors
/// When the store fails.
pub fn admits(
    tx: &mut Tx<'_>,
    desk: &RowContext<'_>,
    named: &RowIdentifiers<'_>,
    found: Option<&LinkedSubject>,
) -> Result<bool, StoreFault> {
    let RowContext { keys, account, seq, now, .. } = *desk;
    for (role, id) in named.leading() {
        let Some(shut) = find_suppression(tx, keys, account, id)?.filter(|shut| shut.keeps_out(seq)) else {
            continue;
        };
        match (role, named.identifier(IdentifierRole::UserId)) {
            (IdentifierRole::OrderEmail, Some(_)) if is_others(tx, desk, id, found)? => continue,
            // A row accepted before the person came back does not say who they are now.
            (IdentifierRole::ProfileEmail, Some(user_id))
                if !is_known_by_profile(found) && shut.lifted_seq.is_none() =>
            {
                self::suppress(tx, keys, account, user_id, seq, now)?;
            }
            _ => {}
        }
        return Ok(false);
    }
    Ok(true)
}

/// Returns true if an earlier profile stated the address of the user id.
fn is_known_by_profile(found: Option<&LinkedSubject>) -> bool {
    let had_none = |led: &LinkedSubject| led.link == LinkKind::User;
    found.is_some_and(|led| !had_none(led))
}

/// Returns true if the user id of an order has a profile with an address other than the order's.
fn is_others(
    tx: &mut Tx<'_>,
    desk: &RowContext<'_>,
    email: &Identifier,
    found: Option<&LinkedSubject>,
) -> Result<bool, StoreFault> {
    let Some(led) = found.filter(|led| led.link == LinkKind::UserNow) else { return Ok(false) };
    let tag = desk.keys.lookup_tag(desk.account, email);
    let link = identifier_links::find_link(tx, desk.account, &tag, &led.subject)?;
    Ok(link.is_none_or(|link| !link.is_by_profile()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::SlotNumber;

    #[test]
    fn a_door_keeps_out_up_to_the_place_of_the_return() {
        let keeps_out = |lifted_seq: Option<i64>, seq: i64| {
            let facts = SuppressionFacts { seq: 5, lifted_seq, lifted_at: None, since: 0, version: 1 };
            facts.keeps_out(seq)
        };
        assert_eq!([8, 9, 10].map(|seq| keeps_out(Some(9), seq)), [true, true, false]);
        assert!(keeps_out(None, i64::MAX));
    }

    #[test]
    fn a_user_id_is_known_by_a_profile_once_one_had_an_address() {
        let is_known = |link: LinkKind| {
            let slot = SlotNumber::from_row(1).unwrap();
            let led = LinkedSubject { subject: [1; 16], slot, link, is_closing: false, is_sole: false };
            is_known_by_profile(Some(&led))
        };
        let links = [LinkKind::User, LinkKind::UserBefore, LinkKind::UserNow];
        assert_eq!(links.map(is_known), [false, true, true]);
        assert!(!is_known_by_profile(None));
    }
}
