//! A variant in normal form, whose fields are set one by one: a change costs as much as it names, however large the
//! variant is.

use std::borrow::Cow;
use std::collections::HashMap;

use super::shape::{RowShape, key, write_members};
use super::variants;
use crate::feeds::json::value::{JsonType, JsonValue};
use crate::feeds::json::{unescape, write_text};
use crate::limits;

const ATTRIBUTES: &str = "Attributes";

/// A variant of a product.
pub(super) struct StoredVariant {
    pub(super) id: String,
    pub(super) sku: Option<String>,
    /// As it stands in the row; empty when it is split.
    json: String,
    /// Its fields, once a change has set one.
    split: Option<SplitVariant>,
}

/// Fields of a variant, each as JSON.
struct SplitVariant {
    /// By position in [`variants::SHAPE`].
    fields: Vec<Option<String>>,
    attributes: AttributeMap,
}

/// Attributes in their order.
#[derive(Default)]
struct AttributeMap {
    /// Name, as it stands in the row, and value; a removed one leaves an empty slot.
    slots: Vec<Option<(String, String)>>,
    by_name: HashMap<String, usize>,
    /// Bytes of the members with their commas.
    bytes: usize,
}

/// Fields that a change sets.
pub(super) struct VariantPatch<'a> {
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) sku: Option<Cow<'a, str>>,
    pub(super) clears_sku: bool,
    /// Positions and values of the others; `None` takes the field away.
    fields: Vec<(usize, Option<&'a str>)>,
    /// Names and values of the attributes.
    attributes: Vec<(&'a str, Option<&'a str>)>,
}

impl<'a> VariantPatch<'a> {
    pub(super) fn from_body(body: JsonValue<'a>) -> Self {
        let mut patch =
            Self { id: None, sku: None, clears_sku: false, fields: Vec::new(), attributes: Vec::new() };
        for (name, value) in body.entries() {
            match name {
                "Id" => patch.id = value.decode_text(),
                "Sku" => {
                    patch.sku = value.decode_text();
                    patch.clears_sku = set_value(value).is_none();
                }
                ATTRIBUTES => {
                    patch.attributes.extend(value.entries().map(|(name, value)| (name, set_value(value))));
                }
                _ => patch.fields.extend(shape().position(name).map(|position| (position, set_value(value)))),
            }
        }
        patch
    }
}

impl StoredVariant {
    /// A variant without other fields; the title is JSON.
    pub(super) fn new(id: &str, sku: Option<&str>, title: Option<&str>) -> Self {
        let mut fields = vec![None; shape().fields.len()];
        for (name, value) in [("Id", Some(json_text(id))), ("Title", title.map(str::to_owned))] {
            if let Some(position) = shape().position(name) {
                fields[position] = value;
            }
        }
        let split = Some(SplitVariant { fields, attributes: AttributeMap::default() });
        let mut variant = Self { id: id.to_owned(), sku: None, json: String::new(), split };
        variant.set_sku(sku);
        variant
    }

    /// Reads a variant in normal form; `None`: it has no id.
    pub(super) fn from_json(json: String) -> Option<Self> {
        let members = JsonValue::from_trusted(&json);
        let text_of = |name: &str| {
            members.entries().find(|(member, _)| *member == name).and_then(|(_, value)| owned_text(value))
        };
        let id = text_of("Id")?;
        let sku = text_of("Sku");
        Some(Self { id, sku, json, split: None })
    }

    /// Length of its JSON.
    pub(super) fn bytes(&self) -> usize {
        self.split.as_ref().map_or(self.json.len(), SplitVariant::bytes)
    }

    /// Length of its JSON after a patch that leaves it this SKU.
    pub(super) fn bytes_after(&mut self, patch: &VariantPatch<'_>, sku: Option<&str>) -> usize {
        let sku = sku.map(json_text);
        let split = self.split();
        let mut bytes = split.bytes();
        let sku_field = shape().position("Sku").map(|position| (position, sku.as_deref()));
        for (position, value) in patch.fields.iter().copied().chain(sku_field) {
            let field_bytes = |value: Option<&str>| {
                value.map_or(0, |value| member_bytes(shape().fields[position].name, value))
            };
            bytes += field_bytes(value);
            bytes -= field_bytes(split.fields[position].as_deref());
        }
        bytes += attributes_bytes(split.attributes.bytes_after(&patch.attributes));
        bytes - attributes_bytes(split.attributes.bytes)
    }

    /// Sets what a patch names, and the SKU. Returns the names of attributes for which there is no room.
    pub(super) fn apply(&mut self, patch: &VariantPatch<'_>, sku: Option<&str>) -> Vec<String> {
        self.set_sku(sku);
        let split = self.split();
        for (position, value) in &patch.fields {
            split.fields[*position] = value.map(str::to_owned);
        }
        let left_out = patch.attributes.iter().filter(|(name, value)| !split.attributes.set(name, *value));
        left_out.map(|(name, _)| (*name).to_owned()).collect()
    }

    fn set_sku(&mut self, sku: Option<&str>) {
        if let Some(position) = shape().position("Sku") {
            self.split().fields[position] = sku.map(json_text);
        }
        self.sku = sku.map(str::to_owned);
    }

    fn split(&mut self) -> &mut SplitVariant {
        let json = std::mem::take(&mut self.json);
        self.split.get_or_insert_with(|| SplitVariant::from_json(&json))
    }

    /// Appends its JSON.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match &self.split {
            None => out.extend_from_slice(self.json.as_bytes()),
            Some(split) => split.write(out),
        }
    }
}

impl SplitVariant {
    fn from_json(json: &str) -> Self {
        let mut fields = vec![None; shape().fields.len()];
        let mut attributes = AttributeMap::default();
        for (name, value) in JsonValue::from_trusted(json).entries() {
            if name == ATTRIBUTES {
                for (name, value) in value.entries() {
                    attributes.set(name, Some(value.as_sent()));
                }
            } else if let Some(position) = shape().position(name) {
                fields[position] = Some(value.as_sent().to_owned());
            }
        }
        Self { fields, attributes }
    }

    fn bytes(&self) -> usize {
        let fields = self.fields.iter().zip(shape().fields);
        let fields = fields.filter_map(|(value, field)| Some(member_bytes(field.name, value.as_deref()?)));
        object_bytes(fields.sum::<usize>() + attributes_bytes(self.attributes.bytes))
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        for (value, field) in self.fields.iter().zip(shape().fields) {
            if let Some(value) = value {
                key(field.name, out);
                out.extend_from_slice(value.as_bytes());
            }
        }
        let attributes = self.attributes.slots.iter().flatten();
        write_members(ATTRIBUTES, attributes.map(|(name, value)| (name.as_str(), value.as_str())), out);
        out.push(b'}');
    }
}

impl AttributeMap {
    /// The value of an attribute.
    fn value(&self, name: &str) -> Option<&str> {
        let slot = self.slots.get(*self.by_name.get(name)?)?.as_ref();
        slot.map(|(_, value)| value.as_str())
    }

    /// Sets an attribute in its slot, or at the end; `None` takes it away. Returns false if there is no room for it.
    fn set(&mut self, name: &str, value: Option<&str>) -> bool {
        self.bytes -= self.value(name).map_or(0, |before| member_bytes(name, before));
        let Some(value) = value else {
            if let Some(slot) = self.by_name.remove(name) {
                self.slots[slot] = None;
            }
            return true;
        };
        let attribute = Some((name.to_owned(), value.to_owned()));
        match self.by_name.get(name) {
            Some(slot) => self.slots[*slot] = attribute,
            None if self.by_name.len() >= limits::VARIANT_ATTRIBUTES => return false,
            None => {
                self.by_name.insert(name.to_owned(), self.slots.len());
                self.slots.push(attribute);
            }
        }
        self.bytes += member_bytes(name, value);
        true
    }

    /// Bytes of the members once these are set.
    fn bytes_after(&self, set: &[(&str, Option<&str>)]) -> usize {
        let mut bytes = self.bytes;
        let mut count = self.by_name.len();
        for (name, value) in set {
            let before = self.value(name);
            match (before, value) {
                (None, Some(_)) if count >= limits::VARIANT_ATTRIBUTES => continue,
                (None, Some(_)) => count += 1,
                (Some(_), None) => count -= 1,
                (None, None) | (Some(_), Some(_)) => {}
            }
            bytes += value.map_or(0, |value| member_bytes(name, value));
            bytes -= before.map_or(0, |before| member_bytes(name, before));
        }
        bytes
    }
}

/// Bytes of a member of an object, with a comma.
const fn member_bytes(name: &str, value: &str) -> usize {
    name.len() + r#""":,"#.len() + value.len()
}

/// Bytes of an object with so many bytes of members; one comma is none.
const fn object_bytes(members: usize) -> usize {
    if members == 0 { r"{}".len() } else { members + r"{}".len() - r",".len() }
}

/// Bytes of the member with the attributes, with a comma, which have so many bytes with theirs.
const fn attributes_bytes(members: usize) -> usize {
    if members == 0 { 0 } else { ATTRIBUTES.len() + r#""":,"#.len() + object_bytes(members) }
}

/// The fields of a variant.
fn shape() -> &'static RowShape {
    &variants::SHAPE
}

/// The value that a change sets, as JSON; `None`: it takes the member away.
fn set_value(value: JsonValue<'_>) -> Option<&str> {
    (value.json_type() != JsonType::Null).then(|| value.as_sent())
}

fn json_text(text: &str) -> String {
    let mut out = Vec::new();
    write_text(text, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// The text of a string of JSON.
pub(super) fn owned_text(value: JsonValue<'_>) -> Option<String> {
    value.inner().map(|inner| unescape(inner).into_owned())
}
