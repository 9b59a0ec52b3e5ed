//! Email addresses and phone numbers in the text of items: a warning, and nothing of a person who was forgotten.
//!
//! What is looked at is a row in its normal form, so that a row on its way in and one that was stored long ago are
//! blanked by the same code and become the same bytes.

use super::shape::{Shape, key};
use super::{Context, Notes, address, phone, shortened};
use crate::feeds::issue::{Issue, IssueCode};
use crate::feeds::json::{Value, each_string, escape, unescape};
use std::borrow::Cow;

/// By these a row is found, and by these rows name each other: they stay as they are, or what belongs together falls apart.
const KEYS: [&str; 11] = [
    "Id",
    "Sku",
    "ParentId",
    "ParentIds",
    "AccountTag",
    "AssociatedIds",
    "AssociatedSkus",
    "Categories",
    "CategoryIds",
    "Brand",
    "BrandId",
];
/// Documented fields that hold text for people. Numbers in others are ids, links and measures.
const PROSE: [&str; 6] = ["Title", "DisplayName", "Description", "PromoMessage", "SearchTags", "Breadcrumb"];

/// What was seen in one field.
#[derive(Default)]
struct Seen {
    address: bool,
    forgotten: bool,
    phone: bool,
}

/// Warns of addresses and numbers in the item that `out` holds from `start` on, and blanks those of forgotten people.
pub(super) fn look(
    shape: &Shape,
    start: usize,
    context: &Context<'_>,
    notes: &mut Notes<'_, '_>,
    out: &mut Vec<u8>,
) {
    let row = &out[start..];
    if !address::may_hold_one(row) && !phone::holds_one(row) {
        return;
    }
    let mut see = |name: &str, seen: &Seen| {
        let field = || shape.core_name(name).map_or_else(|| shortened(name.to_owned()), Cow::Borrowed);
        for (is_seen, code) in [
            (seen.address, IssueCode::EmailInText),
            (seen.forgotten, IssueCode::EmailForgotten),
            (seen.phone, IssueCode::PhoneInText),
        ] {
            if is_seen {
                notes.issues.push(Issue::of(notes.row, code, Some(field())));
            }
        }
    };
    if let Some(blanked) = rewritten(row, context.is_forgotten, &mut see) {
        out.truncate(start);
        out.extend_from_slice(&blanked);
    }
}

/// An item's row in normal form without the addresses that are forgotten; `None` when it holds none of them.
pub fn without_forgotten(row: &[u8], is_forgotten: &dyn Fn(&str) -> bool) -> Option<Vec<u8>> {
    if !address::may_hold_one(row) {
        return None;
    }
    rewritten(row, is_forgotten, &mut |_, _| {})
}

/// Tells what is in each field of a row, and gives the row anew when something was blanked.
fn rewritten(
    row: &[u8],
    is_forgotten: &dyn Fn(&str) -> bool,
    see: &mut dyn FnMut(&str, &Seen),
) -> Option<Vec<u8>> {
    let row = Value::written(std::str::from_utf8(row).ok()?);
    let mut is_blanked = false;
    let mut out = vec![b'{'];
    let mut field = |name: &str, value: Value<'_>, is_prose: bool, out: &mut Vec<u8>| {
        let seen = write_field(name, value, is_prose, is_forgotten, out);
        is_blanked |= seen.forgotten;
        see(&unescape(name), &seen);
    };
    for (name, value) in row.entries() {
        if KEYS.contains(&name) {
            key(name, &mut out);
            out.extend_from_slice(value.as_sent().as_bytes());
        } else if name == "Attributes" {
            key(name, &mut out);
            out.push(b'{');
            value.entries().for_each(|(name, value)| field(name, value, true, &mut out));
            out.push(b'}');
        } else {
            field(name, value, PROSE.contains(&name), &mut out);
        }
    }
    out.push(b'}');
    is_blanked.then_some(out)
}

/// Writes one field without forgotten addresses, also in its own name, which is the sender's for an attribute.
fn write_field(
    name: &str,
    value: Value<'_>,
    is_prose: bool,
    is_forgotten: &dyn Fn(&str) -> bool,
    out: &mut Vec<u8>,
) -> Seen {
    let mut seen = Seen::default();
    let mut write = |inner: &str, out: &mut Vec<u8>| {
        seen.phone |= is_prose && phone::holds_one(inner.as_bytes());
        if !address::may_hold_one(inner.as_bytes()) {
            return out.extend_from_slice(inner.as_bytes());
        }
        let found = address::find(&unescape(inner), is_forgotten);
        seen.address |= found.any_passes;
        match found.blanked {
            None => out.extend_from_slice(inner.as_bytes()),
            Some(text) => {
                seen.forgotten = true;
                escape(&text, out);
            }
        }
    };
    if out.last() != Some(&b'{') {
        out.push(b',');
    }
    out.push(b'"');
    write(name, out);
    out.extend_from_slice(b"\":");
    each_string(value, out, write);
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feeds::reader::RawRow;
    use crate::feeds::rows::normalise_item;
    use crate::feeds::section::Section;

    /// The row in its normal form, and its issues as `code field`.
    fn read(json: &str, is_forgotten: &dyn Fn(&str) -> bool) -> (String, Vec<String>) {
        let context = Context { default_currency: None, account_tag: &|_| "TAG".to_owned(), is_forgotten };
        let row = RawRow { section: Section::Products, number: 1, offset: 0, json: json.as_bytes() };
        let (mut out, mut issues) = (Vec::new(), Vec::new());
        assert!(normalise_item(&row, &context, &mut out, &mut issues).is_some(), "{json}");
        let issues = issues.iter().filter(|issue| !issue.code.as_str().ends_with("_missing"));
        let issues = issues
            .map(|issue| format!("{} {}", issue.code.as_str(), issue.field.as_deref().unwrap_or_default()));
        (String::from_utf8(out).expect("text"), issues.collect())
    }

    #[test]
    fn each_field_has_one_warning_of_a_code() {
        let json = r#"{"Id":"a@b.test","Title":"ann@shop.test, bob@shop.test","link":"mailto:x@shop.test",
            "SearchTags":["+44 20 7946 0958","+44 20 7946 0959"],"Help":"call (020) 7946 0958 or c@shop.test",
            "Image":"/+44-20-7946-0958.jpg","Attributes":{"Ean":"4006381333931","Deep":{"er":["d@shop.test"]}}}"#;
        let (row, issues) = read(json, &|_| false);
        let expected = [
            "email_in_text Title",
            "email_in_text Link",
            "phone_in_text SearchTags",
            "email_in_text Help",
            "phone_in_text Help",
            "email_in_text Deep",
        ];
        assert_eq!(issues, expected);
        assert!(row.contains("ann@shop.test"), "what nobody forgot stays");
    }

    #[test]
    fn a_forgotten_address_is_blanked_wherever_it_stands_and_nothing_else_changes() {
        let json = r#"{"Id":"1","Title":"Ask:\nada@shop.test or bob@shop.test","Description":"\"q\" \\ \u00fc",
            "AllImages":["a.jpg?by=ADA@shop.test"],"Mine":{"ada@shop.test":[1,"x ada@shop.test"]},
            "jsonconfig":{"html":"\u003cada@shop.test>\nada@shop.test"}}"#;
        let is_ada = |email: &str| email.eq_ignore_ascii_case("ada@shop.test");
        let (row, issues) = read(json, &is_ada);
        let (kept, _) = read(json, &|_| false);
        assert!(!row.to_lowercase().contains("ada"), "{row}");
        assert_eq!(row, kept.replace("ada@shop.test", "***").replace("ADA@shop.test", "***"));
        assert!(issues.contains(&"email_forgotten Mine".to_owned()), "{issues:?}");
        assert!(issues.contains(&"email_in_text Title".to_owned()), "{issues:?}");
        // Stored without knowing, it becomes the same bytes later.
        let later = without_forgotten(kept.as_bytes(), &is_ada).expect("something to blank");
        assert_eq!(String::from_utf8(later).expect("text"), row);
        assert_eq!(without_forgotten(row.as_bytes(), &is_ada), None);
    }

    #[test]
    fn no_issue_repeats_an_address() {
        let (_, issues) = read(r#"{"Id":"1","ada@shop.test":"+44 20 7946 0958"}"#, &|_| false);
        assert_eq!(issues, ["email_in_text ***", "phone_in_text ***"]);
    }
}
