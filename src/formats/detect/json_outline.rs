//! Outline of JSON of which only the beginning is known.

use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Members whose lists are never rows, in lower case.
const OTHER_LISTS: [&str; 5] = ["error", "errors", "warnings", "links", "meta"];

/// Names and kinds of the members at the top of a document, and names of the members of its rows.
#[derive(Default)]
pub(super) struct JsonOutline {
    /// Kind of the first value.
    pub(super) kind: JsonKind,
    /// Members of the first value, if it is an object.
    pub(super) members: Vec<OutlineMember>,
    /// True if a list of objects was found, at the top or within objects alone.
    pub(super) has_rows: bool,
    /// Names of the members of these objects.
    pub(super) row_names: HashSet<String>,
    /// Names of the members of the objects in a row's list of variants.
    pub(super) variant_names: HashSet<String>,
    /// True if an object follows behind the first value.
    pub(super) is_lines: bool,
    /// True if the text is no JSON, as opposed to JSON that is cut off.
    pub(super) is_broken: bool,
}

/// Kind of a value.
#[derive(Default, PartialEq, Eq)]
pub(super) enum JsonKind {
    /// Null, or not known yet.
    #[default]
    Other,
    List,
    Object,
    Number,
    Text(String),
}

/// A member of the first object.
pub(super) struct OutlineMember {
    pub(super) name: String,
    pub(super) kind: JsonKind,
}

impl OutlineMember {
    pub(super) fn is_named(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.name.eq_ignore_ascii_case(name))
    }

    pub(super) const fn is_container(&self) -> bool {
        matches!(self.kind, JsonKind::List | JsonKind::Object)
    }
}

impl JsonOutline {
    /// Outline of a text up to its end or its first error, whichever comes first.
    pub(super) fn read(text: &str) -> Self {
        let mut outline = Self::default();
        let mut values = serde_json::Deserializer::from_str(text);
        let first = OutlineSeed { outline: &mut outline, place: Place::Root }.deserialize(&mut values);
        match first {
            Ok(()) => {
                let mut second = Self::default();
                // An error may lie behind the brace that matters.
                let _ = OutlineSeed { outline: &mut second, place: Place::Root }.deserialize(&mut values);
                outline.is_lines = second.kind == JsonKind::Object;
            }
            Err(error) => outline.is_broken = !error.is_eof(),
        }
        outline
    }
}

/// Place of a value in the document.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The document itself.
    Root,
    /// A member of the first object.
    Member { may_have_rows: bool },
    /// A member of an object below.
    Nested,
    /// An element of a list that may hold rows.
    Element,
    /// A row's list of variants.
    Variants,
    /// An element of that list.
    Variant,
    /// Anything else.
    Elsewhere,
}

/// Reads a value into an outline.
struct OutlineSeed<'a> {
    outline: &'a mut JsonOutline,
    place: Place,
}

impl OutlineSeed<'_> {
    fn set_kind(&mut self, kind: JsonKind) {
        match self.place {
            Place::Root => self.outline.kind = kind,
            Place::Member { .. } => {
                if let Some(member) = self.outline.members.last_mut() {
                    member.kind = kind;
                }
            }
            _ => {}
        }
    }

    /// Adds the name of a member; returns the place of its value.
    fn add_name(&mut self, name: String) -> Place {
        let may_have_rows = !OTHER_LISTS.iter().any(|other| name.eq_ignore_ascii_case(other));
        match self.place {
            Place::Root => {
                self.outline.members.push(OutlineMember { name, kind: JsonKind::Other });
                Place::Member { may_have_rows }
            }
            Place::Member { may_have_rows: true } | Place::Nested if may_have_rows => Place::Nested,
            Place::Element => {
                let place = if name == "variants" { Place::Variants } else { Place::Elsewhere };
                self.outline.row_names.insert(name);
                place
            }
            Place::Variant => {
                self.outline.variant_names.insert(name);
                Place::Elsewhere
            }
            _ => Place::Elsewhere,
        }
    }
}

impl<'de> DeserializeSeed<'de> for OutlineSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.place == Place::Elsewhere {
            return deserializer.deserialize_ignored_any(IgnoredAny).map(|_| ());
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for OutlineSeed<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        self.set_kind(JsonKind::Object);
        self.outline.has_rows |= self.place == Place::Element;
        while let Some(name) = members.next_key::<String>()? {
            let place = self.add_name(name);
            members.next_value_seed(OutlineSeed { outline: self.outline, place })?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<(), A::Error> {
        self.set_kind(JsonKind::List);
        let place = match self.place {
            Place::Root | Place::Member { may_have_rows: true } | Place::Nested => Place::Element,
            Place::Variants => Place::Variant,
            _ => Place::Elsewhere,
        };
        while elements.next_element_seed(OutlineSeed { outline: self.outline, place })?.is_some() {}
        Ok(())
    }

    fn visit_str<E: Error>(mut self, text: &str) -> Result<(), E> {
        self.set_kind(JsonKind::Text(text.to_owned()));
        Ok(())
    }

    fn visit_u64<E: Error>(mut self, _: u64) -> Result<(), E> {
        self.set_kind(JsonKind::Number);
        Ok(())
    }

    fn visit_i64<E: Error>(mut self, _: i64) -> Result<(), E> {
        self.set_kind(JsonKind::Number);
        Ok(())
    }

    fn visit_f64<E: Error>(mut self, _: f64) -> Result<(), E> {
        self.set_kind(JsonKind::Number);
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
}
