//! A person as an erasure keeps them until it is done: every identifier, every subject, and the data that stays.

use serde_json::json;
use zeroize::Zeroizing;

use crate::ids::identifier::{Identifier, IdentifierKind};
use crate::keys::KeyFault;
use crate::people::subject::SubjectId;

/// Bytes of an identifier in JSON without its text, roughly.
const WRITTEN_BYTES: usize = 40;

/// A person by all their identifiers. Cannot be printed.
#[derive(Clone)]
pub struct Person {
    /// The requested identifier. It is always shut out.
    pub asked: Identifier,
    /// Other identifiers that lead to the same subjects.
    pub linked: Vec<Linked>,
    /// The subjects that go whole.
    pub subjects: Vec<SubjectId>,
    /// Data that was left, and could be erased too.
    pub left: Vec<Remainder>,
}

/// An identifier of a person.
#[derive(Clone, PartialEq, Eq)]
pub struct Linked {
    /// The identifier.
    pub id: Identifier,
    /// True if it is the person's alone, and is shut out.
    pub is_own: bool,
}

/// Reason why data related to a person stays.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RemainderReason {
    /// Orders of guests under an address that only orders of the person named, or that another user id owns as well.
    Guests,
    /// Other user ids with an address of the person, in a profile or in orders.
    Users,
    /// User ids that lost only the orders that came with the address, or that had it before its present owner.
    Rest,
    /// The same text is also an id of another kind.
    Readings,
    /// Others in a browser in which the person is logged in, or whose number was requested.
    Browser,
}

impl RemainderReason {
    /// All reasons.
    pub const ALL: [Self; 5] = [Self::Guests, Self::Users, Self::Rest, Self::Readings, Self::Browser];

    /// As certificates and answers name it. Never changes.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Guests => "left-guests",
            Self::Users => "left-users",
            Self::Rest => "left-rest",
            Self::Readings => "left-readings",
            Self::Browser => "left-browser",
        }
    }

    /// Describes what stays, and the request that erases it too.
    #[must_use]
    pub fn describe_remainder(self) -> &'static str {
        match self {
            Self::Guests => {
                "guests under an address that only orders of the person named, or that another user id owns as well: a \
                 request for that address erases them too"
            }
            Self::Users => {
                "other user ids with an address of the person in a profile or in orders: a request for that address \
                 erases what is its owner's too"
            }
            Self::Rest => {
                "user ids of which only the orders that came with the address went, or who had it before somebody else: \
                 a request for such a user id erases the rest too"
            }
            Self::Readings => {
                "ids of another kind with the same text: a request with `accid:` or `visitor:` before it erases theirs \
                 too"
            }
            Self::Browser => {
                "others in the same browser: what was done there without a log-in, or who is logged in there: a request \
                 for its number with `visitor:` before it, or for that user id, erases theirs too"
            }
        }
    }
}

/// Data that stays.
#[derive(Clone, PartialEq, Eq)]
pub struct Remainder {
    /// Reason why it stays.
    pub why: RemainderReason,
    /// Number of subjects or ids that stay.
    pub count: u64,
    /// Some requests that would erase it too. Not kept with an erasure: they name other people.
    pub requests: Vec<String>,
}

static_assertions::assert_not_impl_any!(Person: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(Linked: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(Remainder: std::fmt::Debug, std::fmt::Display, serde::Serialize);

impl Person {
    /// A person known only by an identifier.
    #[must_use]
    pub fn unknown(asked: Identifier) -> Self {
        Self { asked, linked: Vec::new(), subjects: Vec::new(), left: Vec::new() }
    }

    /// The requested identifier, then those linked to it.
    pub fn identifiers(&self) -> impl Iterator<Item = &Identifier> {
        std::iter::once(&self.asked).chain(self.linked.iter().map(|linked| &linked.id))
    }

    /// The identifiers that are this person's alone, which are shut out: the requested one, and those that no other
    /// person shares.
    pub fn own_identifiers(&self) -> impl Iterator<Item = &Identifier> {
        let own = self.linked.iter().filter(|linked| linked.is_own);
        std::iter::once(&self.asked).chain(own.map(|linked| &linked.id))
    }

    /// The browsers in which the person is logged in.
    pub fn browsers(&self) -> impl Iterator<Item = &Identifier> {
        self.linked.iter().map(|linked| &linked.id).filter(|id| id.kind() == IdentifierKind::VisitorId)
    }

    /// In JSON, as it is sealed: `[[kind, text], [[kind, text, own], …], [subject in hexadecimal digits, …], [[why,
    /// count], …]]`.
    #[must_use]
    pub fn encode(&self) -> Zeroizing<Vec<u8>> {
        let pair = |id: &Identifier| (id.kind().code(), id.normal().to_owned());
        let subjects: Vec<String> =
            self.subjects.iter().map(|id| uuid::Uuid::from_bytes(*id).simple().to_string()).collect();
        let bytes: usize = self.identifiers().map(|id| WRITTEN_BYTES + 2 * id.normal().len()).sum();
        // Rarely longer: growing would leave copies in memory.
        let mut json = Zeroizing::new(Vec::with_capacity(bytes + WRITTEN_BYTES * subjects.len()));
        let linked: Vec<_> = self
            .linked
            .iter()
            .map(|linked| json!([linked.id.kind().code(), linked.id.normal(), linked.is_own]))
            .collect();
        let left: Vec<_> = self.left.iter().map(|left| (left.why.name(), left.count)).collect();
        // Texts and numbers in memory can always be written.
        let _ = serde_json::to_writer(&mut *json, &(pair(&self.asked), linked, subjects, left));
        json
    }

    /// Reads [`Person::encode`].
    ///
    /// # Errors
    /// When the bytes are something else: Lethe sealed them, so they count as damaged.
    pub fn decode(json: &[u8]) -> Result<Self, KeyFault> {
        type EncodedPerson = ((u8, String), Vec<(u8, String, bool)>, Vec<String>, Vec<(String, u64)>);
        let (asked, linked, subjects, left): EncodedPerson =
            serde_json::from_slice(json).map_err(|_| KeyFault::SealBroken)?;
        let identifier = |(kind, text): (u8, String)| {
            let kind = IdentifierKind::from_code(kind).ok_or(KeyFault::SealBroken)?;
            Identifier::parse(kind, &text).map_err(|_| KeyFault::SealBroken)
        };
        let subject = |hex: String| {
            uuid::Uuid::try_parse(&hex).map(uuid::Uuid::into_bytes).map_err(|_| KeyFault::SealBroken)
        };
        let linked = linked
            .into_iter()
            .map(|(kind, text, is_own)| Ok(Linked { id: identifier((kind, text))?, is_own }));
        let left = left.into_iter().map(|(name, count)| {
            let why = RemainderReason::ALL
                .into_iter()
                .find(|why| why.name() == name)
                .ok_or(KeyFault::SealBroken)?;
            Ok(Remainder { why, count, requests: Vec::new() })
        });
        Ok(Self {
            asked: identifier(asked)?,
            linked: linked.collect::<Result<_, KeyFault>>()?,
            subjects: subjects.into_iter().map(subject).collect::<Result<_, _>>()?,
            left: left.collect::<Result<_, KeyFault>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_comes_back_as_it_was_written() {
        let id = |kind, text| Identifier::parse(kind, text).ok().unwrap();
        let own = |kind, text| Linked { id: id(kind, text), is_own: true };
        let person = Person {
            asked: id(IdentifierKind::Email, "ada@shop.test"),
            linked: vec![
                own(IdentifierKind::UserId, "7\"\\ü"),
                Linked { is_own: false, ..own(IdentifierKind::Email, "bob@shop.test") },
            ],
            subjects: vec![[7; 16], [255; 16]],
            left: vec![Remainder { why: RemainderReason::Rest, count: 3, requests: Vec::new() }],
        };
        let back = Person::decode(&person.encode()).ok().unwrap();
        assert!(
            back.asked == person.asked
                && back.linked == person.linked
                && back.subjects == person.subjects
                && back.left == person.left
        );
        assert_eq!((back.own_identifiers().count(), back.identifiers().count()), (2, 3));
        for damaged in [
            "",
            "[]",
            "[[9,\"a\"],[],[],[]]",
            "[[1,\"a@b\"],[],[\"x\"],[]]",
            "[[1,\"a@b\"],[],[],[[\"x\",1]]]",
        ] {
            assert!(Person::decode(damaged.as_bytes()).is_err(), "{damaged}");
        }
    }

    #[test]
    fn each_reason_why_something_stays_has_its_name_and_its_sentence() {
        let begins = [
            ("left-guests", "guests under an address "),
            ("left-users", "other user ids with an address "),
            ("left-rest", "user ids of which only the orders "),
            ("left-readings", "ids of another kind with the same text: "),
            ("left-browser", "others in the same browser: "),
        ];
        for (why, (name, begin)) in RemainderReason::ALL.into_iter().zip(begins) {
            assert_eq!(why.name(), name);
            assert!(why.describe_remainder().starts_with(begin), "{name}: {}", why.describe_remainder());
        }
    }
}
