//! Ownership of the requested data: one answer for the erasure of a request, a dry run, an export and a scan, and for a
//! certificate and a letter.
//!
//! The owners of an address are erased completely; if it has none, its former owners are. From other people only the
//! orders that came with the address are erased. A user id takes the guests under its addresses along, unless another
//! user id owns them too. Where two readings are possible, the one that destroys less is taken; the answer lists the
//! remaining data, with the request that erases it too.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::subject_identifiers::{IdentifierLink, identifiers_of};
use crate::ids::AccountId;
use crate::ids::identifier::{ForgetTarget, Identifier, IdentifierKind};
use crate::keys::{Keys, Tag};
use crate::people::erasure_remainder::RemainderCollector;
use crate::people::identifier_links::{self, LinkKind, LinkedSubject, Owners};
use crate::people::person::{Linked, Person, Remainder, RemainderReason};
use crate::people::subject::{self, SubjectFault, SubjectId};
use crate::people::{order_email, suppression_gate};
use crate::store::{StoreFault, Tx};
use crate::{args, limits, sql};

/// The public id of an erasure.
type ErasureIdBytes = [u8; 16];

/// Interpretation of a request.
pub struct ErasureScope {
    /// Identifier that is meant.
    pub id: Identifier,
    /// The earlier erasure, if nothing was stored under it since.
    pub before: Option<ErasureIdBytes>,
    /// Later readings that also lead to a known person.
    others: Vec<Identifier>,
}

static_assertions::assert_not_impl_any!(ErasureScope: std::fmt::Debug, std::fmt::Display, serde::Serialize);

/// Chooses the reading of a request: the first under which a person is known. A reading with an earlier erasure, or
/// shut out by one, ends the search, so that the same request again never comes to a later reading.
///
/// # Errors
/// When the store fails.
pub fn decide_scope(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    asked: &ForgetTarget,
) -> Result<ErasureScope, StoreFault> {
    let mut readings = asked.candidates().iter();
    let mut found = None;
    for id in readings.by_ref() {
        if is_known(tx, keys, account, id)? {
            found = Some((id, None));
            break;
        }
        let before = erased_as(tx, keys, account, id)?;
        if before.is_some() {
            found = Some((id, before));
            break;
        }
    }
    let Some((id, before)) = found else {
        return Ok(ErasureScope { id: asked.first().clone(), before: None, others: Vec::new() });
    };
    let mut others = Vec::new();
    for id in readings {
        if is_known(tx, keys, account, id)? {
            others.push(id.clone());
        }
    }
    Ok(ErasureScope { id: id.clone(), before, others })
}

/// Returns true if an identifier leads to a subject that stays.
fn is_known(tx: &mut Tx<'_>, keys: &Keys, account: AccountId, id: &Identifier) -> Result<bool, StoreFault> {
    let led = identifier_links::list_linked(tx, account, &keys.lookup_tag(account, id), i64::MAX)?;
    Ok(led.iter().any(|led| !led.is_closing && led.link != LinkKind::Leaving))
}

/// The erasure that an identifier was requested with, or that shut it out; none if the person came back.
fn erased_as(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    id: &Identifier,
) -> Result<Option<ErasureIdBytes>, StoreFault> {
    let Some(shut) =
        suppression_gate::find_suppression(tx, keys, account, id)?.filter(|shut| shut.lifted_seq.is_none())
    else {
        return Ok(None);
    };
    let asked = keys.suppression_tag(account, id);
    let row = match tx.row(&sql::erasure_understood, args![account.0, &asked])? {
        Some(row) => Some(row),
        None => tx.row(&sql::erasure_id, args![account.0, shut.seq])?,
    };
    row.map(|row| row.bytes("id")).transpose()
}

/// Previews the erased and the remaining data of a request. Changes nothing.
///
/// # Errors
/// When the store or a key fails.
pub fn preview(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    asked: &ForgetTarget,
) -> Result<Person, SubjectFault> {
    let understood = decide_scope(tx, keys, account, asked)?;
    let led =
        identifier_links::list_linked(tx, account, &keys.lookup_tag(account, &understood.id), i64::MAX)?;
    let mut walk = ClosureWalk::new(keys, account, &understood.id, Owners::from_linked(&led).whole);
    walk.open_identifiers(tx, usize::MAX)?;
    let mut person = walk.person(tx)?;
    add_readings(&mut person, &understood.others);
    Ok(person)
}

/// Does the same for an erasure that begins at `seq`: from now on nothing is stored for the erased people. If there are
/// thousands, only the first are opened here; [`complete`] opens all.
///
/// # Errors
/// When the store or a key fails.
pub fn begin(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    understood: &ErasureScope,
    seq: i64,
) -> Result<Person, SubjectFault> {
    let tag = keys.lookup_tag(account, &understood.id);
    let led = identifier_links::list_linked(tx, account, &tag, i64::MAX)?;
    let owners = Owners::from_linked(&led);
    owners.close(tx, account, &tag, seq)?;
    order_email::leave(tx, account, &tag)?;
    let mut walk = ClosureWalk::new(keys, account, &understood.id, owners.whole);
    walk.open_identifiers(tx, limits::FORGET_OPENED)?;
    for guest in &walk.guests {
        subject::close(tx, account, guest, seq)?;
    }
    let mut person = walk.person(tx)?;
    add_readings(&mut person, &understood.others);
    Ok(person)
}

/// Does the same for a running erasure with so many people that not all were opened.
///
/// # Errors
/// When the store or a key fails.
pub fn complete(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    begun: &Person,
    subjects: Vec<SubjectId>,
) -> Result<Person, SubjectFault> {
    let mut walk = ClosureWalk::new(keys, account, &begun.asked, subjects);
    walk.open_identifiers(tx, usize::MAX)?;
    let mut person = walk.person(tx)?;
    for linked in &begun.linked {
        match person.linked.iter_mut().find(|found| found.id == linked.id) {
            Some(found) => found.is_own |= linked.is_own,
            None => person.linked.push(linked.clone()),
        }
    }
    person.left.extend(begun.left.iter().filter(|left| left.why == RemainderReason::Readings).cloned());
    Ok(person)
}

fn add_readings(person: &mut Person, others: &[Identifier]) {
    if others.is_empty() {
        return;
    }
    let request = |id: &Identifier| match id.kind() {
        IdentifierKind::VisitorId => format!("visitor:{}", id.normal()),
        _ => format!("accid:{}", id.normal()),
    };
    let count = others.len() as u64;
    let requests = others.iter().map(request).collect();
    person.left.push(Remainder { why: RemainderReason::Readings, count, requests });
}

/// A walk through the subjects that go.
struct ClosureWalk<'w> {
    keys: &'w Keys,
    account: AccountId,
    asked: &'w Identifier,
    asked_tag: Tag,
    /// In the order of discovery, and as a set.
    subjects: Vec<SubjectId>,
    whole: HashSet<SubjectId>,
    /// Guests that were found on the way.
    guests: Vec<SubjectId>,
    found: Vec<IdentifierLink>,
}

impl<'w> ClosureWalk<'w> {
    fn new(keys: &'w Keys, account: AccountId, asked: &'w Identifier, subjects: Vec<SubjectId>) -> Self {
        let asked_tag = keys.lookup_tag(account, asked);
        let whole = subjects.iter().copied().collect();
        Self { keys, account, asked, asked_tag, subjects, whole, guests: Vec::new(), found: Vec::new() }
    }

    /// Opens the identifiers of the first subjects, and takes the guests under addresses of user ids along.
    fn open_identifiers(&mut self, tx: &mut Tx<'_>, most: usize) -> Result<(), SubjectFault> {
        let mut looked = 0;
        // Thousands may share an address.
        let mut tags = HashSet::new();
        while let Some(subject) = self.subjects.get(looked).copied().filter(|_| looked < most) {
            looked += 1;
            for found in identifiers_of(tx, self.keys, self.account, &subject)? {
                let is_of_user = found.link.is_of_user();
                if is_of_user && tags.insert(found.tag) {
                    self.take_guests(tx, &found.tag)?;
                }
                self.found.push(found);
            }
        }
        Ok(())
    }

    fn take_guests(&mut self, tx: &mut Tx<'_>, tag: &Tag) -> Result<(), SubjectFault> {
        let led = identifier_links::list_linked(tx, self.account, tag, i64::MAX)?;
        if identifier_links::is_owned_elsewhere(&led, &self.whole) {
            return Ok(());
        }
        for guest in led.iter().filter(|led| led.link == LinkKind::Guest && !led.is_closing) {
            if self.whole.insert(guest.subject) {
                self.subjects.push(guest.subject);
                self.guests.push(guest.subject);
            }
        }
        Ok(())
    }

    /// Lists the subjects of an identifier that stay.
    fn staying(&self, tx: &mut Tx<'_>, tag: &Tag) -> Result<Vec<LinkedSubject>, StoreFault> {
        let led = identifier_links::list_linked(tx, self.account, tag, i64::MAX)?;
        Ok(led.into_iter().filter(|led| !led.is_closing && !self.whole.contains(&led.subject)).collect())
    }

    /// Determines which identifiers are the person's alone, and the data that stays.
    fn person(mut self, tx: &mut Tx<'_>) -> Result<Person, SubjectFault> {
        let mut person = Person::unknown(self.asked.clone());
        let mut left = RemainderCollector::new(self.asked);
        let asked_tag = self.asked_tag;
        let of_asked = self.staying(tx, &asked_tag)?;
        left.add(tx, (self.keys, self.account), &of_asked, None)?;
        // Each identifier once, with all remaining subjects that it leads to.
        let mut seen: HashMap<Tag, (usize, Vec<LinkedSubject>)> = HashMap::new();
        for found in std::mem::take(&mut self.found) {
            if found.tag == asked_tag {
                continue;
            }
            if let Entry::Vacant(unseen) = seen.entry(found.tag) {
                let is_logged_in = found.link == LinkKind::LoggedIn;
                let is_shared = found.id.kind() == IdentifierKind::Email || is_logged_in;
                let staying = if is_shared { self.staying(tx, &found.tag)? } else { Vec::new() };
                left.add(tx, (self.keys, self.account), &staying, Some(&found.id))?;
                unseen.insert((person.linked.len(), staying));
                person.linked.push(Linked { id: found.id.clone(), is_own: false });
            }
            if let Some((at, staying)) = seen.get(&found.tag) {
                person.linked[*at].is_own |= is_own(found.link, staying);
            }
        }
        person.subjects = self.subjects;
        person.left = left.into_left();
        Ok(person)
    }
}

/// Returns true if an identifier of an erased person is shut out. `staying`: the subjects it leads to that stay.
fn is_own(link: LinkKind, staying: &[LinkedSubject]) -> bool {
    match link {
        LinkKind::User | LinkKind::UserBefore | LinkKind::UserNow | LinkKind::Guest => true,
        LinkKind::Profile | LinkKind::Address | LinkKind::Removed | LinkKind::Former => {
            staying.iter().all(|led| !led.link.is_by_profile())
        }
        LinkKind::Typed => staying.iter().all(|led| led.link == LinkKind::Leaving),
        // Colleagues share a group, a family shares a device.
        LinkKind::Alone | LinkKind::Leaving | LinkKind::Visitor | LinkKind::LoggedIn => false,
    }
}

#[cfg(test)]
mod tests;
