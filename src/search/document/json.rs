//! Values of stored rows: texts, lists of them and flags, read leniently, because rows of tests come as sent.

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// A text that borrows where nothing is escaped.
#[derive(Deserialize)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

/// The members of an object in their order, each as it stands.
pub struct Members<'a>(pub Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::with_capacity(16);
        while let Some((Text(name), value)) = map.next_entry()? {
            members.push((name, value));
        }
        Ok(Members(members))
    }
}

/// The members of an object; none of anything else.
pub fn members(value: &RawValue) -> Vec<(Cow<'_, str>, &RawValue)> {
    serde_json::from_str::<Members<'_>>(value.get()).map(|members| members.0).unwrap_or_default()
}

/// The elements of a list or the values of an object; anything else is a list of one, except nothing.
pub fn elements(value: &RawValue) -> Vec<&RawValue> {
    match value.get().as_bytes().first() {
        Some(b'[') => serde_json::from_str(value.get()).unwrap_or_default(),
        Some(b'{') => members(value).into_iter().map(|(_, value)| value).collect(),
        Some(b'n') | None => Vec::new(),
        Some(_) => vec![value],
    }
}

/// The first elements of a list, or values of an object; the rest is not read. Anything else is a list of one, except
/// nothing.
pub fn first_elements(value: &RawValue, most: usize) -> Vec<&RawValue> {
    let mut first = Vec::new();
    let mut reader = serde_json::Deserializer::from_str(value.get());
    let visitor = FirstVisitor { first: &mut first, most };
    // A raw value is JSON: the only possible fault is an incomplete read.
    match value.get().as_bytes().first() {
        Some(b'[') => drop(reader.deserialize_seq(visitor)),
        Some(b'{') => drop(reader.deserialize_map(visitor)),
        Some(b'n') | None => {}
        Some(_) => first.push(value),
    }
    first
}

struct FirstVisitor<'f, 'a> {
    first: &'f mut Vec<&'a RawValue>,
    most: usize,
}

impl<'de> Visitor<'de> for FirstVisitor<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list or an object")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while self.first.len() < self.most
            && let Some(element) = list.next_element()?
        {
            self.first.push(element);
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while self.first.len() < self.most
            && let Some((_, element)) = map.next_entry::<IgnoredAny, _>()?
        {
            self.first.push(element);
        }
        Ok(())
    }
}

/// The text that a scalar stands for; empty for anything else.
pub fn scalar(value: &RawValue) -> Cow<'_, str> {
    match value.get().as_bytes().first() {
        Some(b'"') => serde_json::from_str::<Text<'_>>(value.get()).map(|text| text.0).unwrap_or_default(),
        Some(b'[' | b'{' | b'n' | b'f') | None => Cow::Borrowed(""),
        Some(_) => Cow::Borrowed(value.get()),
    }
}

/// The text of a value, without white space around it; of a list, one line each.
pub(super) fn text(value: &RawValue) -> String {
    if !value.get().starts_with('[') {
        return scalar(value).trim().to_owned();
    }
    texts(value).join("\n")
}

/// The texts of a list without blanks.
pub(super) fn texts(value: &RawValue) -> Vec<String> {
    let mut texts = aligned_texts(value);
    texts.retain(|text| !text.is_empty());
    texts
}

/// The texts of a list; blanks keep their place.
pub(super) fn aligned_texts(value: &RawValue) -> Vec<String> {
    elements(value).into_iter().map(|element| scalar(element).trim().to_owned()).collect()
}

/// Returns true if a flag is set.
pub(super) fn flag(value: &RawValue) -> bool {
    let text = text_or_word(value);
    text == "1" || text.eq_ignore_ascii_case("true")
}

fn text_or_word(value: &RawValue) -> Cow<'_, str> {
    if value.get().starts_with('"') { scalar(value) } else { Cow::Borrowed(value.get()) }
}

/// Writes the members of an object one after the other; the caller ensures that names are unique.
pub struct ObjectWriter(Vec<u8>);

impl Default for ObjectWriter {
    fn default() -> Self {
        let mut out = Vec::with_capacity(512);
        out.push(b'{');
        Self(out)
    }
}

impl ObjectWriter {
    /// Continues the members of an object that is written already.
    #[must_use]
    pub fn after(object: &[u8]) -> Self {
        let Some((_, members)) = object.split_last() else { return Self::default() };
        let mut out = Vec::with_capacity(object.len() + 128);
        out.extend_from_slice(members);
        Self(out)
    }

    /// Writes a member whose value is JSON already.
    pub fn raw(&mut self, name: &str, value: &str) {
        if self.0.len() > 1 {
            self.0.push(b',');
        }
        self.write(name);
        self.0.push(b':');
        self.0.extend_from_slice(value.as_bytes());
    }

    /// Writes a member.
    pub fn member(&mut self, name: &str, value: &impl Serialize) {
        self.raw(name, "");
        self.write(value);
    }

    fn write(&mut self, value: &(impl Serialize + ?Sized)) {
        // Writing texts, numbers and structures of them to a vector cannot fail.
        let _ = serde_json::to_writer(&mut self.0, value);
    }

    /// The object.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        self.0.push(b'}');
        self.0
    }
}
