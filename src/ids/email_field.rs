//! The addresses in a field that should hold one, and holds signs around it, or several; and those in ids.

use crate::addresses;
use crate::ids::identifier::{Identifier, IdentifierKind};

/// Signs that separate addresses, and that stand in none.
const SEPARATORS: [char; 13] = [',', ';', ':', '|', '<', '>', '(', ')', '[', ']', '{', '}', '\\'];
/// Quotation marks that stand around one; an apostrophe may also stand in it.
const QUOTES: [char; 13] = ['"', '\'', '`', '´', '‘', '’', '‚', '“', '”', '„', '«', '»', '/'];

impl Identifier {
    /// The addresses that an id holds, in any spelling: it is theirs.
    #[must_use]
    pub fn addresses(&self) -> Vec<Self> {
        // Most ids hold none, and need no decoding.
        if self.kind() == IdentifierKind::Email || !addresses::may_hold_address(self.normal().as_bytes()) {
            return Vec::new();
        }
        let mut found = Self::emails_in(self.normal());
        let in_text = addresses::addresses_in(self.normal());
        for email in in_text.iter().filter_map(|text| Self::email(text).ok()) {
            if !found.contains(&email) {
                found.push(email);
            }
        }
        found
    }

    /// The addresses in a field, each once: if the field is an address, only that; otherwise each part between
    /// separators that is an address (`ada@shop.test;`, `"ada@shop.test"`, `a@x.test,b@x.test`).
    #[must_use]
    pub fn emails_in(field: &str) -> Vec<Self> {
        if let Ok(one) = Self::email(field) {
            return vec![one];
        }
        let Some(said) = addresses::decode_fully(field) else { return Vec::new() };
        let found = split_addresses(&said);
        if !found.is_empty() || !said.contains('@') {
            return found;
        }
        // `ada @ shop.test`: accidental white space.
        let sides: Vec<&str> = said.split('@').map(str::trim).collect();
        split_addresses(&sides.join("@"))
    }
}

/// Addresses that stand between separators, each once.
fn split_addresses(said: &str) -> Vec<Identifier> {
    let mut found: Vec<Identifier> = Vec::new();
    let is_separator =
        |letter: char| letter.is_whitespace() || letter.is_control() || SEPARATORS.contains(&letter);
    for part in said.split(is_separator) {
        if let Ok(email) = Identifier::email(part.trim_matches(QUOTES).trim_end_matches('.'))
            && !found.contains(&email)
        {
            found.push(email);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn emails(field: &str) -> Vec<String> {
        Identifier::emails_in(field).iter().map(|id| id.normal().to_owned()).collect()
    }

    #[test]
    fn signs_around_an_address_do_not_hide_it() {
        for field in [
            "ada@shop.test",
            "ada@shop.test;",
            "\"ada@shop.test\"",
            "'ada@shop.test'",
            "“ada@shop.test”",
            "ada@shop.test,ada@shop.test",
            "ada@shop.test, ADA@shop.test",
            "ada\u{1}@shop.test\u{0}",
            "ada@shop.test\r\n",
            "MAILTO://ada@shop.test",
            "mailto:ada@shop.test?subject=x",
            "Email: <'ada@shop.test'>",
            "ada\u{115f}\u{e0001}@sh\u{3164}op.test",
            "ada @shop.test",
            "Ada: ada\u{a0}@ shop.test...",
        ] {
            assert_eq!(emails(field), ["ada@shop.test"], "{field:?}");
        }
        assert_eq!(emails("ada@shop.test, o'brien@shop.test"), ["ada@shop.test", "o'brien@shop.test"]);
        for none in ["", "ada at shop", "@", "a b", "x@", "ada @", "@ @ @"] {
            assert_eq!(emails(none), Vec::<String>::new(), "{none}");
        }
    }
}
