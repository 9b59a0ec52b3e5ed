//! Email addresses and phone numbers in the text of items: a warning, and nothing of a person who was forgotten.
//!
//! What is looked at is a row in its normal form, so that a row on its way in and one that was stored long ago are
//! blanked by the same code and become the same bytes.

use super::shape::{Shape, key};
use super::{Context, Notes, address, phone, shortened};
use crate::feeds::issue::{Issue, IssueCode};
use crate::feeds::json::{Type, Value, escape, unescape};
use std::borrow::Cow;
use std::collections::HashSet;

/// By these a row is found, and by these rows name each other: they stay as they are, or what belongs together falls apart.
const KEYS: [&str; 13] = [
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
    "UserId",
    "Email",
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

/// A text without the addresses that are forgotten; `None` when it holds none of them.
#[must_use]
pub fn text_without_forgotten(text: &str, is_forgotten: &dyn Fn(&str) -> bool) -> Option<String> {
    if !address::may_hold_one(text.as_bytes()) {
        return None;
    }
    address::find(text, is_forgotten).blanked
}

/// Gives every text of an item's row in normal form in which an address would be blanked.
pub fn each_text(row: &[u8], give: &mut dyn FnMut(&str)) {
    let Ok(row) = std::str::from_utf8(row) else { return };
    let fields = Value::written(row).entries().filter(|(name, _)| !KEYS.contains(name));
    fields.for_each(|(name, value)| texts_of(name, value, give));
}

fn texts_of(name: &str, value: Value<'_>, give: &mut dyn FnMut(&str)) {
    give(&unescape(name));
    match value.decoded() {
        Some(text) => give(&text),
        None => value.entries().for_each(|(name, value)| texts_of(name, value, give)),
    }
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
    let mut fields = |object: Value<'_>, is_all_prose: bool, out: &mut Vec<u8>| {
        let mut names = Names { object, taken: None };
        for (name, value) in object.entries().filter(|(name, _)| is_all_prose || *name != "Attributes") {
            if !is_all_prose && KEYS.contains(&name) {
                key(name, out);
                out.extend_from_slice(value.as_sent().as_bytes());
                continue;
            }
            let is_prose = is_all_prose || PROSE.contains(&name);
            let mut writing = Writing { is_prose, is_forgotten, seen: Seen::default() };
            writing.member(name, value, &mut names, out);
            is_blanked |= writing.seen.forgotten;
            see(&unescape(name), &writing.seen);
        }
    };
    fields(row, false, &mut out);
    // They come last in the normal form.
    if let Some((name, attributes)) = row.entries().find(|(name, _)| *name == "Attributes") {
        key(name, &mut out);
        out.push(b'{');
        fields(attributes, true, &mut out);
        out.push(b'}');
    }
    out.push(b'}');
    is_blanked.then_some(out)
}

/// The names of an object: two that were blanked stay two.
struct Names<'a> {
    object: Value<'a>,
    /// Those that stand already; asked for when the first one is blanked.
    taken: Option<HashSet<String>>,
}

impl Names<'_> {
    fn told_apart(&mut self, blanked: String) -> String {
        let object = self.object;
        let all = || object.entries().map(|(name, _)| unescape(name).into_owned()).collect();
        let taken = self.taken.get_or_insert_with(all);
        let mut name = blanked.clone();
        let mut number = 1;
        while !taken.insert(name.clone()) {
            number += 1;
            name = format!("{blanked} {number}");
        }
        name
    }
}

/// Writes one field without forgotten addresses, also in names, which are the sender's for an attribute.
struct Writing<'a> {
    is_prose: bool,
    is_forgotten: &'a dyn Fn(&str) -> bool,
    seen: Seen,
}

impl Writing<'_> {
    fn member(&mut self, name: &str, value: Value<'_>, names: &mut Names<'_>, out: &mut Vec<u8>) {
        separate(b'{', out);
        out.push(b'"');
        match self.blanked(name) {
            Some(blanked) => escape(&names.told_apart(blanked), out),
            None => out.extend_from_slice(name.as_bytes()),
        }
        out.extend_from_slice(b"\":");
        self.value(value, out);
    }

    fn value(&mut self, value: Value<'_>, out: &mut Vec<u8>) {
        match (value.json_type(), value.inner()) {
            (Type::String, Some(inner)) => {
                out.push(b'"');
                match self.blanked(inner) {
                    Some(blanked) => escape(&blanked, out),
                    None => out.extend_from_slice(inner.as_bytes()),
                }
                out.push(b'"');
            }
            (Type::List, _) => {
                out.push(b'[');
                for element in value.elements() {
                    separate(b'[', out);
                    self.value(element, out);
                }
                out.push(b']');
            }
            (Type::Object, _) => {
                let mut names = Names { object: value, taken: None };
                out.push(b'{');
                value.entries().for_each(|(name, value)| self.member(name, value, &mut names, out));
                out.push(b'}');
            }
            _ => out.extend_from_slice(value.as_sent().as_bytes()),
        }
    }

    /// Looks at a text; without what is forgotten, if it holds any.
    fn blanked(&mut self, inner: &str) -> Option<String> {
        self.seen.phone |= self.is_prose && phone::holds_one(inner.as_bytes());
        if !address::may_hold_one(inner.as_bytes()) {
            return None;
        }
        let found = address::find(&unescape(inner), self.is_forgotten);
        self.seen.address |= found.any_passes;
        self.seen.forgotten |= found.blanked.is_some();
        found.blanked
    }
}

/// Writes the comma before an element that is not the first.
fn separate(opening: u8, out: &mut Vec<u8>) {
    if out.last() != Some(&opening) {
        out.push(b',');
    }
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
    fn names_that_become_the_same_are_told_apart() {
        let json = r#"{"Id":"1","ada@shop.test":1,"***":2,"Ada@shop.test":{"ada@shop.test":[{},"a"],"ada%40shop.test":[]}}"#;
        let (row, _) = read(json, &|email: &str| email.eq_ignore_ascii_case("ada@shop.test"));
        let attributes = r#"{"Id":"1","Attributes":{"*** 2":1,"***":2,"*** 3":{"***":[{},"a"],"*** 2":[]}}}"#;
        assert_eq!(row, attributes);
    }

    #[test]
    fn no_issue_repeats_an_address() {
        let (_, issues) = read(r#"{"Id":"1","ada@shop.test":"+44 20 7946 0958"}"#, &|_| false);
        assert_eq!(issues, ["email_in_text ***", "phone_in_text ***"]);
    }
}
