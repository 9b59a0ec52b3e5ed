//! Identifiers of people, in the one normal form in which all doors compare them.
//!
//! Rows, events and forget requests spell the same address differently; if two spellings had two normal
//! forms, a forgotten person would come back by the other one.

use crate::addresses;
use crate::limits::IDENTIFIER_BYTES;
use idna::AsciiDenyList;
use unicode_normalization::UnicodeNormalization;

/// Version of these rules. Stored with each tag: when the rules change, old tags are looked up by the old
/// rules.
pub const NORMALISER_VERSION: u8 = 1;

/// The longest text looked at: normalising shrinks it at most fourfold (𝐚 becomes a).
const RAW_BYTES: usize = 4 * IDENTIFIER_BYTES;

/// Kind of an identifier. The same text of two kinds is two identifiers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum IdentifierKind {
    /// An e-mail address.
    Email,
    /// The shop's number of a customer.
    UserId,
    /// The shop's number of a company, whose colleagues share it.
    AccountId,
    /// The random number in a browser's cookie.
    VisitorId,
}

impl IdentifierKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Email, Self::UserId, Self::AccountId, Self::VisitorId];

    /// Name by which people call it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Email => "Email",
            Self::UserId => "UserId",
            Self::AccountId => "AccountId",
            Self::VisitorId => "VisitorId",
        }
    }

    /// Number of the kind in rows and inside tags. Never changes.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Email => 1,
            Self::UserId => 2,
            Self::AccountId => 3,
            Self::VisitorId => 4,
        }
    }

    /// Kind of a number in a row; `None` for a number that no kind has.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }
}

/// Reason why a text identifies no person. The sentences never repeat the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum IdentifierRefusal {
    /// Nothing but white space.
    #[error("the identifier is empty")]
    Empty,
    /// A placeholder that shops send for people they do not know.
    #[error("the identifier is a placeholder (such as `0`, `-1`, `null`, `guest`) and names nobody")]
    Nobody,
    /// A NUL, a line break or another control character.
    #[error("the identifier holds a control character")]
    ControlCharacter,
    /// Longer than 254 bytes in its normal form.
    #[error("the identifier is longer than {IDENTIFIER_BYTES} bytes")]
    TooLong,
    /// Not of the form `local@domain`.
    #[error("the identifier is no e-mail address: it needs something on both sides of an `@`")]
    NoEmail,
    /// A sign before the `@` that is in no address: it could not be found in a text.
    #[error(
        "the identifier holds white space, a bracket, a quotation mark or a separator in front of its `@`"
    )]
    NoLocal,
    /// The part after the `@` cannot be a domain.
    #[error("the identifier's part behind the `@` is no domain name")]
    NoDomain,
    /// An address in a place for a number that names no person.
    #[error("the identifier holds an e-mail address: the number of a browser names nobody")]
    HoldsAddress,
}

/// One identifier of a person in its normal form. Cannot be printed or serialised.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Identifier {
    kind: IdentifierKind,
    normal: String,
    version: u8,
}

static_assertions::assert_not_impl_any!(Identifier: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(ForgetTarget: std::fmt::Debug, std::fmt::Display, serde::Serialize);

/// Person of a forget request.
#[derive(Clone, PartialEq, Eq)]
pub enum ForgetTarget {
    /// The text says its kind.
    Named(Identifier),
    /// It may be a user id, an account id or a visitor id, to be tried in this order; when none is known
    /// it is suppressed as the first.
    Unprefixed([Identifier; 3]),
}

impl ForgetTarget {
    /// Identifiers to look for, in order.
    #[must_use]
    pub fn candidates(&self) -> &[Identifier] {
        match self {
            Self::Named(one) => std::slice::from_ref(one),
            Self::Unprefixed(three) => three,
        }
    }

    /// Identifier as which it counts when it leads to no person.
    #[must_use]
    pub fn first(&self) -> &Identifier {
        match self {
            Self::Named(one) => one,
            Self::Unprefixed([first, ..]) => first,
        }
    }
}

impl Identifier {
    /// An e-mail address. Two addresses are one identifier when they differ only in case, in compatible characters
    /// (full-width letters), in invisible letters, in encoding (`%40`, `&#64;`), in the spelling of the domain
    /// (Unicode or `xn--`), in its trailing dot, in white space around them, or in the additions of mail programs:
    /// `mailto:`, `Name <…>`, `… (Name)`. Dots and `+tags` stay: they can be two people.
    ///
    /// # Errors
    /// [`IdentifierRefusal::NoEmail`], [`IdentifierRefusal::NoLocal`] or [`IdentifierRefusal::NoDomain`] when
    /// it is no address; the others as [`Identifier::user_id`].
    pub fn email(text: &str) -> Result<Self, IdentifierRefusal> {
        let said = addresses::decode_fully(presentable(text)?).ok_or(IdentifierRefusal::NoEmail)?;
        let bare = strip_decoration(said.trim()).ok_or(IdentifierRefusal::NoEmail)?.trim_matches(QUOTES);
        let (local, domain) = bare.rsplit_once('@').ok_or(IdentifierRefusal::NoEmail)?;
        let quoted = local.strip_prefix('"').and_then(|local| local.strip_suffix('"'));
        let local = quoted.unwrap_or(local);
        if local.is_empty() || domain.is_empty() {
            return Err(IdentifierRefusal::NoEmail);
        }
        // Character by character: lower-casing a whole string depends on the letters around a sigma.
        let local = if local.is_ascii() {
            local.to_ascii_lowercase()
        } else {
            let lower = local.chars().flat_map(char::to_lowercase);
            lower.nfkc().collect()
        };
        if !local.chars().all(is_local) {
            return Err(IdentifierRefusal::NoLocal);
        }
        Self::from_normal(IdentifierKind::Email, format!("{local}@{}", a_labels(domain)?))
    }

    /// An identifier of a kind.
    ///
    /// # Errors
    /// As [`Identifier::email`].
    pub fn parse(kind: IdentifierKind, text: &str) -> Result<Self, IdentifierRefusal> {
        match kind {
            IdentifierKind::Email => Self::email(text),
            IdentifierKind::UserId | IdentifierKind::AccountId | IdentifierKind::VisitorId => {
                Self::opaque(kind, text)
            }
        }
    }

    /// The shop's id of a customer.
    ///
    /// # Errors
    /// When the text is empty, a placeholder, too long, or has a control character.
    pub fn user_id(text: &str) -> Result<Self, IdentifierRefusal> {
        Self::opaque(IdentifierKind::UserId, text)
    }

    /// The shop's id of a company.
    ///
    /// # Errors
    /// As [`Identifier::user_id`].
    pub fn account_id(text: &str) -> Result<Self, IdentifierRefusal> {
        Self::opaque(IdentifierKind::AccountId, text)
    }

    /// The id of a browser.
    ///
    /// # Errors
    /// As [`Identifier::user_id`].
    pub fn visitor_id(text: &str) -> Result<Self, IdentifierRefusal> {
        Self::opaque(IdentifierKind::VisitorId, text)
    }

    /// The id of a browser in which something is to be stored: an address is none.
    ///
    /// # Errors
    /// [`IdentifierRefusal::HoldsAddress`]; the others as [`Identifier::user_id`].
    pub fn browser_number(text: &str) -> Result<Self, IdentifierRefusal> {
        let number = Self::visitor_id(text)?;
        let is_number = number.addresses().is_empty();
        if is_number { Ok(number) } else { Err(IdentifierRefusal::HoldsAddress) }
    }

    /// Reads the identifier of a forget request. After one of the prefixes `email:`, `userid:`, `accid:` and
    /// `visitor:` (in any case) it is of that kind; otherwise an e-mail if it holds an `@`, else an id of any
    /// kind.
    ///
    /// # Errors
    /// As [`Identifier::email`].
    pub fn parse_forget(text: &str) -> Result<ForgetTarget, IdentifierRefusal> {
        let text = text.trim();
        if let Some((prefix, rest)) = text.split_once(':') {
            match prefix.to_ascii_lowercase().as_str() {
                "email" => return Self::email(rest).map(ForgetTarget::Named),
                "userid" => return Self::user_id(rest).map(ForgetTarget::Named),
                "accid" => return Self::account_id(rest).map(ForgetTarget::Named),
                "visitor" => return Self::visitor_id(rest).map(ForgetTarget::Named),
                _ => {}
            }
        }
        if text.nfkc().any(|c| c == '@') {
            return Self::email(text).map(ForgetTarget::Named);
        }
        Ok(ForgetTarget::Unprefixed([Self::user_id(text)?, Self::account_id(text)?, Self::visitor_id(text)?]))
    }

    /// Kind of the identifier.
    #[must_use]
    pub fn kind(&self) -> IdentifierKind {
        self.kind
    }

    /// The normal form: personal data.
    #[must_use]
    pub fn normal(&self) -> &str {
        &self.normal
    }

    /// Version of the rules by which it was normalised.
    #[must_use]
    pub fn version(&self) -> u8 {
        self.version
    }

    /// Ids of a shop are compared as they are: `7` and `007`, `a` and `A` may be two customers.
    fn opaque(kind: IdentifierKind, text: &str) -> Result<Self, IdentifierRefusal> {
        let text = presentable(text)?;
        Self::from_normal(kind, if text.is_ascii() { text.to_owned() } else { text.nfc().collect() })
    }

    fn from_normal(kind: IdentifierKind, normal: String) -> Result<Self, IdentifierRefusal> {
        if normal.len() > IDENTIFIER_BYTES {
            return Err(IdentifierRefusal::TooLong);
        }
        if is_placeholder(&normal) {
            return Err(IdentifierRefusal::Nobody);
        }
        Ok(Self { kind, normal, version: NORMALISER_VERSION })
    }
}

/// Placeholders that shops and their tools send for people they do not know.
const PLACEHOLDERS: [&str; 19] = [
    "-1",
    "-1.0",
    "null",
    "nil",
    "nul",
    "none",
    "nan",
    "undefined",
    "undef",
    "guest",
    "anonymous",
    "anon",
    "unknown",
    "false",
    "n/a",
    "#n/a",
    "n.a.",
    "object object",
    "not set",
];

/// Returns true if an id is a placeholder, in any case and width, in quotation marks or brackets. An id of zeros,
/// dashes, dots and question marks alone (`0`, `00`, `-`, a UUID of zeros) is a placeholder too.
fn is_placeholder(normal: &str) -> bool {
    // No placeholder in marks is longer, and most ids are none.
    if normal.len() > 64 {
        return false;
    }
    // Full-width letters stand as far from those of ASCII as the first from `!`.
    let narrow = |letter: char| match u32::from(letter) {
        wide @ 0xff01..=0xff5e => char::from_u32(wide - 0xfee0).unwrap_or(letter),
        _ => letter,
    };
    let folded: String = normal.chars().map(|letter| narrow(letter).to_ascii_lowercase()).collect();
    let is_mark = |letter: char| letter.is_whitespace() || "\"'`()<>[]{}".contains(letter);
    let bare = folded.trim_matches(is_mark);
    PLACEHOLDERS.contains(&bare) || bare.chars().all(|letter| "0-.?".contains(letter))
}

/// The text without white space around it, refused when it cannot be an identifier.
fn presentable(text: &str) -> Result<&str, IdentifierRefusal> {
    let text = text.trim();
    if text.is_empty() {
        return Err(IdentifierRefusal::Empty);
    }
    if text.len() > RAW_BYTES {
        return Err(IdentifierRefusal::TooLong);
    }
    if text.chars().any(char::is_control) {
        return Err(IdentifierRefusal::ControlCharacter);
    }
    Ok(text)
}

/// The address without the additions of mail programs and links. `None`: it is unclear which is meant.
fn strip_decoration(text: &str) -> Option<&str> {
    let bare = match (text.split_once('<'), text.split_once('(')) {
        (Some((name, rest)), _) => {
            let bare = rest.strip_suffix('>')?.trim();
            let is_name = !name.contains('@') || name.trim_matches(['"', '\'', ' ']) == bare;
            is_name.then_some(bare)?
        }
        (None, Some((bare, comment))) => {
            (comment.ends_with(')') && !comment.contains('@')).then_some(bare.trim())?
        }
        (None, None) => text,
    };
    let link = bare.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("mailto:"));
    // Some write it as if it had a host (`mailto://`).
    let address =
        |scheme: &str| bare[scheme.len()..].trim_start_matches('/').split('?').next().unwrap_or_default();
    Some(link.map_or(bare, |scheme| address(scheme).trim()))
}

/// Quotation marks of print, which stand around an address and not in it.
const QUOTES: [char; 10] = ['“', '”', '„', '‟', '‘', '’', '‚', '‛', '«', '»'];

/// Returns true if a letter may stand in front of the `@` without quotation marks (RFC 5322, RFC 6532).
fn is_local(letter: char) -> bool {
    if letter.is_ascii() {
        letter.is_ascii_alphanumeric() || "._+-!#$%&'*/=?^`{|}~".contains(letter)
    } else {
        !letter.is_whitespace() && !letter.is_control()
    }
}

/// The domain by UTS 46 in lower-case ASCII labels, without its one trailing dot.
fn a_labels(domain: &str) -> Result<String, IdentifierRefusal> {
    let ascii = idna::domain_to_ascii_cow(domain.as_bytes(), AsciiDenyList::URL);
    let ascii = ascii.map_err(|_| IdentifierRefusal::NoDomain)?;
    let bare = ascii.strip_suffix('.').unwrap_or(&ascii);
    let is_in = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if bare.split('.').any(str::is_empty) || !bare.bytes().all(is_in) || bare.ends_with(['-', '_']) {
        return Err(IdentifierRefusal::NoDomain);
    }
    Ok(bare.to_owned())
}

#[cfg(test)]
#[path = "identifier_tests.rs"]
mod tests;
