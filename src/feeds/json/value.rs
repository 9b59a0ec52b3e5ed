//! A JSON value, as it was sent.

use std::borrow::Cow;

use super::text;
use super::text::{compact, unescape};

/// A checked JSON value without white space around it, as sent.
#[derive(Clone, Copy)]
pub(crate) struct JsonValue<'a>(pub(super) &'a str);

/// The types of JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum JsonType {
    Null,
    False,
    True,
    Number,
    String,
    List,
    Object,
}

impl<'a> JsonValue<'a> {
    /// A value that this program wrote, which is not checked again.
    pub(crate) const fn from_trusted(text: &'a str) -> Self {
        Self(text)
    }

    pub(crate) const fn as_sent(self) -> &'a str {
        self.0
    }

    pub(crate) fn json_type(self) -> JsonType {
        match self.0.as_bytes().first() {
            Some(b'"') => JsonType::String,
            Some(b'[') => JsonType::List,
            Some(b'{') => JsonType::Object,
            Some(b't') => JsonType::True,
            Some(b'f') => JsonType::False,
            Some(b'n') => JsonType::Null,
            _ => JsonType::Number,
        }
    }

    pub(crate) fn is_object(self) -> bool {
        self.json_type() == JsonType::Object
    }

    /// Text between the quotes of a string, escapes as sent.
    pub(crate) fn inner(self) -> Option<&'a str> {
        self.0.strip_prefix('"')?.strip_suffix('"')
    }

    /// The text of a string.
    pub(crate) fn decode_text(self) -> Option<Cow<'a, str>> {
        self.inner().map(unescape)
    }

    /// The elements of a list, or the members of an object; none for anything else.
    pub(crate) fn entries(self) -> JsonEntries<'a> {
        let is_object = self.json_type() == JsonType::Object;
        let is_list = self.json_type() == JsonType::List;
        JsonEntries { rest: if is_object || is_list { &self.0[1..] } else { "" }, is_object }
    }

    /// The elements of a list, or the values of an object.
    pub(crate) fn elements(self) -> impl Iterator<Item = JsonValue<'a>> {
        self.entries().map(|(_, value)| value)
    }

    /// Returns true if two values mean the same, whatever their white space and escapes.
    pub(crate) fn is_same(self, other: Self) -> bool {
        let written = |value: Self| {
            let mut out = Vec::with_capacity(value.0.len());
            compact(value.0, &mut out);
            out
        };
        self.0 == other.0 || written(self) == written(other)
    }
}

/// Walks over a checked list or object.
pub(crate) struct JsonEntries<'a> {
    rest: &'a str,
    is_object: bool,
}

impl<'a> Iterator for JsonEntries<'a> {
    /// The key as sent, without its quotes (empty in a list), and the value.
    type Item = (&'a str, JsonValue<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r', ',']);
        if self.rest.is_empty() || self.rest.starts_with([']', '}']) {
            return None;
        }
        let mut key = "";
        if self.is_object {
            key = self.take_value().inner()?;
            self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r', ':']);
        }
        Some((key, self.take_value()))
    }
}

impl<'a> JsonEntries<'a> {
    fn take_value(&mut self) -> JsonValue<'a> {
        let (value, rest) = self.rest.split_at(end_of_value(self.rest.as_bytes()));
        self.rest = rest;
        JsonValue(value)
    }
}

/// Length of the checked value at the start of `json`.
pub(super) fn end_of_value(json: &[u8]) -> usize {
    let mut at = 0;
    let mut depth = 0_usize;
    while let Some(&byte) = json.get(at) {
        match byte {
            b'"' => at = text::end_of_string(json, at + 1) + 1,
            b'[' | b'{' => (at, depth) = (at + 1, depth + 1),
            b']' | b'}' if depth > 0 => (at, depth) = (at + 1, depth - 1),
            b']' | b'}' | b',' | b' ' | b'\t' | b'\n' | b'\r' if depth == 0 => return at,
            _ => {
                at += 1;
                continue;
            }
        }
        if depth == 0 {
            break;
        }
    }
    at.min(json.len())
}
