//! A person as a forget request, an export or a scan finds one: every identifier, and every subject they lead to.

use std::collections::HashSet;

use serde_json::json;
use zeroize::Zeroizing;

use crate::args;
use crate::ids::AccountId;
use crate::ids::identifier::{Asked, Identifier, Kind};
use crate::keys::{KeyFault, Keys, Sealer, SlotNumber};
use crate::sql;
use crate::store::{Row, StoreFault, Tx};
use crate::subjects::subject::{self, SubjectFault, SubjectId, identifier_aad};

/// Bytes of an identifier in JSON without its text, roughly.
const WRITTEN_BYTES: usize = 40;

/// A person by all their identifiers. Cannot be printed.
#[derive(Clone)]
pub struct Person {
    /// What was asked for.
    pub asked: Identifier,
    /// What leads to the same subjects.
    pub linked: Vec<Identifier>,
    /// The subjects.
    pub subjects: Vec<SubjectId>,
}

crate::unprintable::unprintable!(Person);

impl Person {
    /// Somebody of whom nothing but an identifier is known.
    #[must_use]
    pub fn unknown(asked: Identifier) -> Self {
        Self { asked, linked: Vec::new(), subjects: Vec::new() }
    }

    /// What was asked for, then what is linked to it.
    pub fn identifiers(&self) -> impl Iterator<Item = &Identifier> {
        std::iter::once(&self.asked).chain(&self.linked)
    }

    /// The identifiers that are this person's alone. An account id is shared by colleagues, unless it was asked for.
    pub fn own(&self) -> impl Iterator<Item = &Identifier> {
        let linked = self.linked.iter().filter(|id| id.kind() != Kind::AccountId);
        std::iter::once(&self.asked).chain(linked)
    }

    /// The normal forms of the person's email addresses.
    pub fn emails(&self) -> impl Iterator<Item = &str> {
        self.identifiers().filter(|id| id.kind() == Kind::Email).map(Identifier::normal)
    }

    /// In JSON, as it is sealed: `[[kind, text], [[kind, text], …], [subject in hexadecimal digits, …]]`.
    #[must_use]
    pub fn written(&self) -> Zeroizing<Vec<u8>> {
        let pair = |id: &Identifier| json!([id.kind().code(), id.normal()]);
        let subjects: Vec<String> =
            self.subjects.iter().map(|id| uuid::Uuid::from_bytes(*id).simple().to_string()).collect();
        let bytes: usize = self.identifiers().map(|id| WRITTEN_BYTES + 2 * id.normal().len()).sum();
        // Rarely longer: growing would leave copies behind.
        let mut json = Zeroizing::new(Vec::with_capacity(bytes + WRITTEN_BYTES * subjects.len()));
        let linked: Vec<_> = self.linked.iter().map(pair).collect();
        // Texts and numbers in memory can always be written.
        let _ = serde_json::to_writer(&mut *json, &(pair(&self.asked), linked, subjects));
        json
    }

    /// Reads [`Person::written`]. What was sealed by us and is none of it is as good as damaged.
    pub fn read(json: &[u8]) -> Result<Self, KeyFault> {
        type Written = ((u8, String), Vec<(u8, String)>, Vec<String>);
        let (asked, linked, subjects): Written =
            serde_json::from_slice(json).map_err(|_| KeyFault::SealBroken)?;
        let identifier = |(kind, text): (u8, String)| {
            let kind = Kind::from_code(kind).ok_or(KeyFault::SealBroken)?;
            Identifier::of(kind, &text).map_err(|_| KeyFault::SealBroken)
        };
        let subject = |hex: String| {
            uuid::Uuid::try_parse(&hex).map(uuid::Uuid::into_bytes).map_err(|_| KeyFault::SealBroken)
        };
        Ok(Self {
            asked: identifier(asked)?,
            linked: linked.into_iter().map(identifier).collect::<Result<_, _>>()?,
            subjects: subjects.into_iter().map(subject).collect::<Result<_, _>>()?,
        })
    }

    /// Adds the identifiers of the person's subjects, as far as they can be read, and what was ordered as a guest under
    /// one of the emails. What people share joins nobody: no further subject is reached through it.
    pub fn link(&mut self, tx: &mut Tx<'_>, keys: &Keys, account: AccountId) -> Result<(), SubjectFault> {
        // Thousands of users may share an email: each is looked at once.
        let mut subjects: HashSet<SubjectId> = self.subjects.iter().copied().collect();
        let mut known: HashSet<Identifier> = self.identifiers().cloned().collect();
        let mut emails = HashSet::new();
        let mut looked = 0;
        while let Some(subject) = self.subjects.get(looked).copied() {
            looked += 1;
            for id in identifiers_of(tx, keys, account, &subject)? {
                // red: it::orders::sqlite::forgetting_a_user_takes_along_what_they_ordered_as_a_guest, it::schedules::sqlite::part_1
                if mutant!(
                    "guest-orders-outlive-their-person",
                    id.kind() == Kind::Email && emails.insert(id.clone()),
                    false
                ) {
                    for guest in subject::guests(tx, keys, account, &id)? {
                        let guest = guest.bytes(0)?;
                        if subjects.insert(guest) {
                            self.subjects.push(guest);
                        }
                    }
                }
                if known.insert(id.clone()) {
                    self.linked.push(id);
                }
            }
        }
        Ok(())
    }
}

/// Whom an identifier leads to.
pub struct Found {
    /// The first reading that leads to somebody, or the first one, with the subjects that are not being forgotten.
    pub person: Person,
    /// The place of the erasure by which another of its subjects is being forgotten.
    pub forgotten_seq: Option<i64>,
}

/// Looks for a person by what was asked for. Nothing is linked yet.
pub fn find(tx: &mut Tx<'_>, keys: &Keys, account: AccountId, asked: &Asked) -> Result<Found, StoreFault> {
    for id in asked.candidates() {
        let rows = subject::led_to(tx, keys, account, id, i64::MAX)?;
        let Some(first) = rows.first() else { continue };
        let mut forgotten_seq = first.opt_int(2)?;
        let mut person = Person::unknown(id.clone());
        for row in &rows {
            match row.opt_int(2)? {
                None => person.subjects.push(row.bytes(0)?),
                forgotten => forgotten_seq = forgotten,
            }
        }
        return Ok(Found { person, forgotten_seq });
    }
    Ok(Found { person: Person::unknown(asked.first().clone()), forgotten_seq: None })
}

/// The identifiers of a subject, as far as they can be read.
fn identifiers_of(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    subject: &SubjectId,
) -> Result<Vec<Identifier>, SubjectFault> {
    let Some(row) = tx.row(&sql::subject_get, args![subject])? else { return Ok(Vec::new()) };
    let slot = SlotNumber::from_row(row.int(0)?);
    let slot = slot.ok_or(StoreFault::Shape { statement: "subject_get", column: 0 })?;
    let sealer = match keys.sealer(slot) {
        // Lost or damaged: nothing of the person can be read any more, so that nothing further is known of them. An
        // erasure goes on; it must not wait for ever for a key that never comes back.
        Err(fault) if fault.is_lost() => {
            tracing::warn!(account = account.0, "a person's key is lost: what leads to them cannot be read");
            return Ok(Vec::new());
        }
        sealer => sealer?,
    };
    let mut found = Vec::new();
    for row in tx.run(&sql::identifier_of_subject, args![subject])? {
        found.extend(opened(&sealer, account, subject, &row)?);
    }
    Ok(found)
}

fn opened(
    sealer: &Sealer,
    account: AccountId,
    subject: &SubjectId,
    row: &Row,
) -> Result<Option<Identifier>, SubjectFault> {
    let kind = u8::try_from(row.int(1)?).ok().and_then(Kind::from_code);
    let text = match sealer.open(&identifier_aad(account, subject, row.blob(0)?), row.blob(2)?) {
        Err(fault) if fault.is_lost() => {
            tracing::warn!(account = account.0, "an identifier of a person is damaged and cannot be read");
            return Ok(None);
        }
        opened => opened?,
    };
    let text = String::from_utf8_lossy(&text);
    // It was in its normal form when it was stored, so it is accepted again.
    Ok(kind.and_then(|kind| Identifier::of(kind, &text).ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_comes_back_as_it_was_written() {
        let id = |kind, text| Identifier::of(kind, text).ok().unwrap();
        let person = Person {
            asked: id(Kind::Email, "ada@shop.test"),
            linked: vec![id(Kind::UserId, "7\"\\ü"), id(Kind::AccountId, "acme"), id(Kind::VisitorId, "v")],
            subjects: vec![[7; 16], [255; 16]],
        };
        let back = Person::read(&person.written()).ok().unwrap();
        assert!(
            back.asked == person.asked && back.linked == person.linked && back.subjects == person.subjects
        );
        assert_eq!(back.own().count(), 3);
        for damaged in ["", "[]", "[[9,\"a\"],[],[]]", "[[1,\"a@b\"],[],[\"x\"]]"] {
            assert!(Person::read(damaged.as_bytes()).is_err(), "{damaged}");
        }
    }
}
