//! Email addresses and phone numbers in the text of items: addresses are blanked, regardless of their owners, and both
//! are reported.

use std::borrow::Cow;

use super::context::RowWarnings;
use super::phone;
use super::shape::{RowShape, key};
use crate::addresses;
use crate::feeds::fields::{self, TextRole};
use crate::feeds::issue::{Issue, IssueCode, shorten_name};
use crate::feeds::json::value::{JsonType, JsonValue};
use crate::feeds::json::{escape, unescape};

/// Depth to which JSON in strings of JSON is read as JSON; deeper levels are read as text.
const NESTED: usize = 3;

/// Warns of addresses and numbers in the item that `out` holds from `start` on, and blanks the addresses.
pub(super) fn warn_and_blank(
    shape: &RowShape,
    start: usize,
    notes: &mut RowWarnings<'_, '_>,
    out: &mut Vec<u8>,
) {
    let row = &out[start..];
    let may_hold_address = addresses::may_hold_address(row);
    let may_hold_phone = phone::holds_one(row);
    if !may_hold_address && !may_hold_phone {
        return;
    }
    let Ok(text) = std::str::from_utf8(row) else { return };
    let mut see = |name: &str, is_blanked: bool, is_prose: bool, value: JsonValue<'_>| {
        let has_phone = is_prose && may_hold_phone && has_phone(value);
        for (is_seen, code) in [(is_blanked, IssueCode::EmailInText), (has_phone, IssueCode::PhoneInText)] {
            if is_seen {
                let field =
                    shape.core_name(name).map_or_else(|| shorten_name(name.to_owned()), Cow::Borrowed);
                notes.issues.push(Issue::new(notes.row, code, Some(field)));
            }
        }
    };
    if let Some(blanked) =
        item_without_addresses(shape, JsonValue::from_trusted(text), may_hold_address, &mut see)
    {
        out.truncate(start);
        out.extend_from_slice(&blanked);
    }
}

/// A profile in normal form without the addresses that are forgotten; `None` when it holds no such address.
pub fn profile_without_forgotten(profile: &[u8], is_forgotten: &dyn Fn(&str) -> bool) -> Option<Vec<u8>> {
    let profile = JsonValue::from_trusted(std::str::from_utf8(profile).ok()?);
    let may_hold = |text: &str| addresses::may_hold_address(text.as_bytes());
    let is_key = |name: &str| {
        fields::USERS.fields.iter().any(|field| field.name == name && field.holds == TextRole::Key)
    };
    let mut others = profile.entries().filter(|(name, _)| !is_key(name));
    if !others.any(|(name, value)| may_hold(name) || may_hold(value.as_sent())) {
        return None;
    }
    let without_known = |text: &str| addresses::without_known(text, is_forgotten);
    let mut cleaning = Cleaning::new(&without_known);
    let mut out = vec![b'{'];
    for (name, value) in profile.entries() {
        if is_key(name) {
            member(name, value, &mut out);
        } else {
            cleaning.member(name, value, &mut out);
        }
    }
    out.push(b'}');
    cleaning.is_touched.then_some(out)
}

/// Returns true if a text or the texts of a value hold a phone number.
fn has_phone(value: JsonValue<'_>) -> bool {
    match value.inner() {
        Some(inner) => phone::holds_one(inner.as_bytes()),
        None => value.entries().any(|(name, value)| phone::holds_one(name.as_bytes()) || has_phone(value)),
    }
}

/// An item's row without addresses, and the finding in each of its fields; `None` when it holds none.
fn item_without_addresses(
    shape: &RowShape,
    row: JsonValue<'_>,
    may_hold_address: bool,
    see: &mut dyn FnMut(&str, bool, bool, JsonValue<'_>),
) -> Option<Vec<u8>> {
    let mut is_touched = false;
    let mut out = vec![b'{'];
    for (name, value) in row.entries() {
        let holds = shape.field(name).map_or(TextRole::Other, |field| field.holds);
        if holds == TextRole::Key {
            member(name, value, &mut out);
            continue;
        }
        if name == "Attributes" {
            let start = out.len();
            key(name, &mut out);
            out.push(b'{');
            for (name, value) in value.entries() {
                let is_blanked = may_hold_address && clean(name, value, false, &mut out);
                if !may_hold_address {
                    member(name, value, &mut out);
                }
                is_touched |= is_blanked;
                see(&unescape(name), is_blanked, true, value);
            }
            // An object in which nothing is left goes.
            if out.last() == Some(&b'{') {
                out.truncate(start);
            } else {
                out.push(b'}');
            }
            continue;
        }
        let start = out.len();
        let is_blanked = may_hold_address && clean(name, value, holds == TextRole::Url, &mut out);
        if is_blanked && out.ends_with(b":{}") {
            out.truncate(start);
        }
        if !may_hold_address {
            member(name, value, &mut out);
        }
        is_touched |= is_blanked;
        see(name, is_blanked, holds == TextRole::Prose, value);
    }
    out.push(b'}');
    is_touched.then_some(out)
}

/// Writes a field without addresses; returns whether it held any.
fn clean(name: &str, value: JsonValue<'_>, is_url: bool, out: &mut Vec<u8>) -> bool {
    if !addresses::may_hold_address(value.as_sent().as_bytes())
        && !addresses::may_hold_address(name.as_bytes())
    {
        member(name, value, out);
        return false;
    }
    if is_url {
        return urls(name, value, out);
    }
    let mut cleaning = Cleaning::new(&addresses::without_addresses);
    cleaning.member(name, value, out);
    cleaning.is_touched
}

/// Writes a field of URLs, one or a list or one a line, without URLs that hold an address; returns whether any does.
fn urls(name: &str, value: JsonValue<'_>, out: &mut Vec<u8>) -> bool {
    let is_list = value.json_type() == JsonType::List;
    let mut kept = Vec::new();
    let mut all = 0;
    for text in value.elements().chain((!is_list).then_some(value)).filter_map(JsonValue::decode_text) {
        let lines: Vec<&str> = text.split('\n').collect();
        all += lines.len();
        kept.extend(lines.into_iter().filter(|url| !addresses::holds_address(url)).map(str::to_owned));
    }
    if kept.len() == all {
        member(name, value, out);
        return false;
    }
    let separator: &[u8] = if is_list { b"\",\"" } else { b"\\n" };
    if let Some((first, others)) = kept.split_first() {
        key(name, out);
        out.extend_from_slice(if is_list { b"[\"" } else { b"\"" });
        escape(first, out);
        for other in others {
            out.extend_from_slice(separator);
            escape(other, out);
        }
        out.extend_from_slice(if is_list { b"\"]" } else { b"\"" });
    }
    true
}

/// Writes a field as it is.
fn member(name: &str, value: JsonValue<'_>, out: &mut Vec<u8>) {
    key(name, out);
    out.extend_from_slice(value.as_sent().as_bytes());
}

/// Writes values without some addresses. A member whose name holds one is left out: two blanked names would be the
/// same.
struct Cleaning<'a> {
    clean: &'a dyn Fn(&str) -> Option<String>,
    nested: usize,
    is_touched: bool,
}

impl<'a> Cleaning<'a> {
    const fn new(clean: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self { clean, nested: 0, is_touched: false }
    }

    fn member(&mut self, name: &str, value: JsonValue<'_>, out: &mut Vec<u8>) {
        if (self.clean)(&unescape(name)).is_some() {
            self.is_touched = true;
            return;
        }
        key(name, out);
        self.value(value, out);
    }

    fn value(&mut self, value: JsonValue<'_>, out: &mut Vec<u8>) {
        match value.json_type() {
            JsonType::String => match value.inner().and_then(|inner| self.clean_text(inner)) {
                Some(cleaned) => {
                    self.is_touched = true;
                    out.push(b'"');
                    escape(&cleaned, out);
                    out.push(b'"');
                }
                None => out.extend_from_slice(value.as_sent().as_bytes()),
            },
            JsonType::List => {
                out.push(b'[');
                for element in value.elements() {
                    if out.last() != Some(&b'[') {
                        out.push(b',');
                    }
                    self.value(element, out);
                }
                out.push(b']');
            }
            JsonType::Object => {
                out.push(b'{');
                value.entries().for_each(|(name, value)| self.member(name, value, out));
                out.push(b'}');
            }
            _ => out.extend_from_slice(value.as_sent().as_bytes()),
        }
    }

    /// The text of a string without addresses, if it holds any. JSON in it stays JSON.
    fn clean_text(&mut self, inner: &str) -> Option<String> {
        if !addresses::may_hold_address(inner.as_bytes()) {
            return None;
        }
        let text = unescape(inner);
        let json = text.trim();
        if self.nested < NESTED
            && json.starts_with(['{', '['])
            && let Ok(json) = JsonValue::check(json)
        {
            let mut cleaning = Cleaning { clean: self.clean, nested: self.nested + 1, is_touched: false };
            let mut out = Vec::with_capacity(text.len());
            cleaning.value(json, &mut out);
            return cleaning.is_touched.then(|| String::from_utf8_lossy(&out).into_owned());
        }
        (self.clean)(&text)
    }
}

#[cfg(test)]
#[path = "contacts_tests.rs"]
mod tests;
