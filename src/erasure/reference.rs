//! The shop's own references of an erasure: the numbers of its cases, such as `DSR-2026-114`. They are kept in readable
//! form after the erasure, so they must name nobody.

use super::id::ErasureId;
use super::record::{ErasureFilter, ErasureSummary, load_by_id, summary_from_row};
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::ids::identifier::{ForgetTarget, Identifier, IdentifierKind};
use crate::limits::{CASE_REFERENCE_CHARS, CASE_REFERENCES_KEPT};
use crate::store::{StoreFault, Tx};
use crate::{args, limits, sql};

/// Stands between the references of one erasure, and is in none of them.
const SEPARATOR: &str = ", ";
/// Signs of a reference besides letters and digits.
const SIGNS: &str = " -_/.#";
/// An identifier of fewer characters stands in many references by chance.
const TELLING_CHARS: usize = 3;

/// Reason why a text cannot be a reference. The sentences never repeat the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReferenceRefusal {
    /// An address.
    #[error("a reference is kept after the erasure: an e-mail address must not stand in it")]
    Address,
    /// A sign that is not allowed.
    #[error("a reference has letters, digits, blanks and - _ / . # alone")]
    Sign,
    /// Too many characters.
    #[error("a reference has up to {CASE_REFERENCE_CHARS} characters")]
    TooLong,
    /// The identifier of the request.
    #[error("a reference is kept after the erasure: the identifier of the person must not stand in it")]
    Person,
    /// Too many references.
    #[error("an erasure has up to {CASE_REFERENCES_KEPT} references")]
    TooMany,
}

impl ReferenceRefusal {
    /// The word for it, the name of its sentence in the texts of the console.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Sign => "sign",
            Self::TooLong => "too_long",
            Self::Person => "person",
            Self::TooMany => "too_many",
        }
    }
}

/// A reference of a shop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaseReference(String);

impl CaseReference {
    /// Reads a reference; `None` for an empty text.
    ///
    /// # Errors
    /// When the text holds an address or a sign that is not allowed, or is too long.
    pub fn parse(text: &str) -> Result<Option<Self>, ReferenceRefusal> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(None);
        }
        if text.contains(['@', '＠']) {
            return Err(ReferenceRefusal::Address);
        }
        if !text.chars().all(|sign| sign.is_alphanumeric() || SIGNS.contains(sign)) {
            return Err(ReferenceRefusal::Sign);
        }
        if text.chars().count() > CASE_REFERENCE_CHARS {
            return Err(ReferenceRefusal::TooLong);
        }
        Ok(Some(Self(text.to_owned())))
    }

    /// Reads the reference of a request to forget; `None` for an empty text.
    ///
    /// # Errors
    /// As [`CaseReference::parse`]; also when it holds the identifier of the person.
    pub fn parse_of_request(text: &str, asked: &ForgetTarget) -> Result<Option<Self>, ReferenceRefusal> {
        let reference = Self::parse(text)?;
        match &reference {
            Some(reference) if reference.holds_identifier(asked.first()) => Err(ReferenceRefusal::Person),
            _ => Ok(reference),
        }
    }

    /// Reads references with commas between them.
    ///
    /// # Errors
    /// As [`CaseReference::parse`]; also when there are too many.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, ReferenceRefusal> {
        let mut list = Vec::new();
        for part in text.split(',') {
            if let Some(reference) = Self::parse(part)?.filter(|reference| !list.contains(reference)) {
                list.push(reference);
            }
        }
        if list.len() > CASE_REFERENCES_KEPT { Err(ReferenceRefusal::TooMany) } else { Ok(list) }
    }

    /// The text of some references, as it is stored and shown; `None` without one.
    #[must_use]
    pub fn join(references: &[Self]) -> Option<String> {
        let texts: Vec<&str> = references.iter().map(|reference| reference.0.as_str()).collect();
        (!texts.is_empty()).then(|| texts.join(SEPARATOR))
    }

    /// Returns true if it holds an identifier as words; of an address the part before its `@`.
    fn holds_identifier(&self, id: &Identifier) -> bool {
        let told = match id.kind() {
            IdentifierKind::Email => id.normal().split('@').next().unwrap_or_default(),
            IdentifierKind::UserId | IdentifierKind::AccountId | IdentifierKind::VisitorId => id.normal(),
        };
        let [text, words] = [self.0.as_str(), told].map(words_of);
        let is_telling = words.trim().chars().count() >= TELLING_CHARS;
        text == words || is_telling && text.contains(&words)
    }
}

/// The words of a text in small letters, with a blank at each end and between them in place of signs: `ann field` tells
/// as much as `ann.field`.
fn words_of(text: &str) -> String {
    let small = text.to_lowercase();
    let words = small.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(" ".to_owned(), |words, word| words + word + " ")
}

/// Sets the references of an erasure. Returns false if there is no such erasure.
///
/// # Errors
/// When the store fails.
pub fn set(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: ErasureId,
    references: &[CaseReference],
) -> Result<bool, StoreFault> {
    let text = CaseReference::join(references);
    Ok(tx.exec(&sql::erasure_refer, args![account.0, id.as_bytes(), text.as_deref()])? > 0)
}

/// Adds the reference of a further request that the same erasure answers. The oldest goes when there are too many.
///
/// # Errors
/// When the store fails.
pub fn add(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: ErasureId,
    reference: &CaseReference,
) -> Result<(), StoreFault> {
    let Some(erasure) = load_by_id(tx, account, id)? else { return Ok(()) };
    let text = erasure.reference.unwrap_or_default();
    let texts = text.split(SEPARATOR).filter(|text| !text.is_empty());
    let mut all: Vec<_> = texts.map(|text| CaseReference(text.to_owned())).collect();
    if all.contains(reference) {
        return Ok(());
    }
    all.push(reference.clone());
    let surplus = all.len().saturating_sub(CASE_REFERENCES_KEPT);
    set(tx, account, id, &all[surplus..]).map(drop)
}

/// A search for erasures by their references.
#[derive(Clone, Copy)]
pub struct ReferenceSearch<'a> {
    /// Part of a reference, in capital or small letters.
    pub text: &'a str,
    /// Filter by state.
    pub which: ErasureFilter,
    /// Only erasures before this place.
    pub before: i64,
}

/// A page of erasures of an account whose references hold a text, newest first. It reads no more than
/// [`limits::ERASURES_LOOKED_THROUGH`].
///
/// # Errors
/// When the store fails.
pub fn find(
    tx: &mut Tx<'_>,
    account: AccountId,
    search: ReferenceSearch<'_>,
    now: Millis,
) -> Result<Vec<ErasureSummary>, StoreFault> {
    let page = limits::ERASURES_SHOWN;
    let most = page.unsigned_abs() as usize;
    let wanted = search.text.trim().to_lowercase();
    let holds = |one: &ErasureSummary| {
        one.reference.as_ref().is_some_and(|reference| reference.to_lowercase().contains(&wanted))
    };
    let mut before = search.before;
    let mut found = Vec::new();
    for _ in 0..limits::ERASURES_LOOKED_THROUGH / page {
        let rows = tx.run(&sql::erasure_list_referenced, args![account.0, before, page])?;
        let looked = rows.iter().map(summary_from_row).collect::<Result<Vec<_>, _>>()?;
        let is_all = looked.len() < most;
        before = looked.last().map_or(before, |last| last.seq);
        found.extend(looked.into_iter().filter(|one| search.which.admits(one, now) && holds(one)));
        if is_all || found.len() >= most {
            break;
        }
    }
    found.truncate(most);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Option<String>, ReferenceRefusal> {
        CaseReference::parse(text).map(|reference| reference.map(|reference| reference.0))
    }

    #[test]
    fn a_reference_is_letters_digits_blanks_and_a_few_signs() {
        for text in ["DSR-2026-114", "Réf. 12/7 #3", "a_b", &"x".repeat(CASE_REFERENCE_CHARS)] {
            assert_eq!(parsed(&format!("  {text} ")), Ok(Some(text.to_owned())));
        }
        assert_eq!((parsed(""), parsed(" \t")), (Ok(None), Ok(None)));
        let long = "x".repeat(CASE_REFERENCE_CHARS + 1);
        for (text, refusal) in [
            ("for ann@mail.example", ReferenceRefusal::Address),
            ("ann＠mail.example", ReferenceRefusal::Address),
            ("a,b", ReferenceRefusal::Sign),
            ("a\nb", ReferenceRefusal::Sign),
            ("<b>", ReferenceRefusal::Sign),
            (long.as_str(), ReferenceRefusal::TooLong),
        ] {
            assert_eq!(parsed(text), Err(refusal), "{text}");
        }
    }

    #[test]
    fn the_identifier_of_the_person_is_no_part_of_a_reference() {
        for (identifier, text, is_refused) in [
            ("ann.field@mail.example", "DSR ann.field 7", true),
            ("ann.field@mail.example", "case 7/Ann Field", true),
            ("ann.field@mail.example", "DSR-2026-114", false),
            ("ann.field@mail.example", "field-ann", false),
            ("userid:___", "DSR-2026-114", false),
            ("ann@mail.example", "annual-7", false),
            ("userid:C-4711", "case c-4711/2", true),
            ("userid:4711", "DSR-47110", false),
            ("4711", "DSR-4711", true),
            ("userid:7", "DSR-7", false),
            ("userid:7", "7", true),
        ] {
            let asked = Identifier::parse_forget(identifier).expect("an identifier");
            let read = CaseReference::parse_of_request(text, &asked);
            assert_eq!(read == Err(ReferenceRefusal::Person), is_refused, "{identifier} {text}");
        }
    }

    #[test]
    fn a_list_has_commas_and_no_reference_twice() {
        let list = |text: &str| CaseReference::parse_list(text).map(|list| CaseReference::join(&list));
        assert_eq!(list("a, b,,a ,c"), Ok(Some("a, b, c".to_owned())));
        assert_eq!(list(" , "), Ok(None));
        assert_eq!(list("a, b@c"), Err(ReferenceRefusal::Address));
        let many: Vec<_> = (0..=CASE_REFERENCES_KEPT).map(|number| number.to_string()).collect();
        assert_eq!(list(&many.join(",")), Err(ReferenceRefusal::TooMany));
        assert!(list(&many[1..].join(",")).is_ok());
    }

    #[test]
    fn each_refusal_has_a_word_of_its_own() {
        let all = [
            ReferenceRefusal::Address,
            ReferenceRefusal::Sign,
            ReferenceRefusal::TooLong,
            ReferenceRefusal::Person,
            ReferenceRefusal::TooMany,
        ];
        let words: std::collections::BTreeSet<_> = all.map(ReferenceRefusal::as_str).into_iter().collect();
        assert_eq!(words.len(), all.len());
    }
}
