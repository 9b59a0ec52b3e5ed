//! Changes of deltas to single variants of a stored product: the row stays in its normal form.
//!
//! Nothing here fails: a change that finds nothing to change, or no room, leaves the row as it is, so that the same
//! changes can be applied to the row of a later feed.

use std::borrow::Cow;
use std::collections::HashMap;

use super::shape::{PRODUCT_SHAPE, RowShape, key};
use super::variants;
use crate::feeds::json::value::{JsonType, JsonValue};
use crate::feeds::json::{unescape, write_text};
use crate::limits;

const FIELD: &str = crate::feeds::fields::VARIANTS_FIELD;
const ATTRIBUTES: &str = "Attributes";

/// Action of a change on a variant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VariantAction {
    /// Sets members of the variant, which is added at the end if there is none.
    Add,
    /// Sets members of the variant if there is one.
    Set,
    /// Removes it.
    Delete,
}

/// Effect of a change on a variant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VariantEffect {
    /// It was applied.
    Applied,
    /// It was applied without its SKU, which another variant of the product has.
    SkuTaken,
    /// The product has no such variant: nothing was changed.
    Unknown,
    /// The product is not shown: the change is for a row that a feed may bring.
    ProductUnknown,
    /// The product has no room for it: nothing was changed.
    NoRoom,
}

/// The row of a product in normal form after changes, each with its action and its body: an object with the variant's
/// `Id`, or its `Sku`, and the members to set in normal form; `null` takes a member away. `None` when the row or a body
/// is no object.
#[must_use]
pub fn with_variant_changes<'c>(
    row: &[u8],
    changes: impl Iterator<Item = (VariantAction, &'c [u8])>,
) -> Option<Vec<u8>> {
    let mut variants = ProductVariants::from_row(row)?;
    for (action, body) in changes {
        variants.apply(action, body)?;
    }
    variants.write_into(row)
}

/// The variants of a product, to which changes are applied.
pub struct ProductVariants {
    /// Id and SKU of the product.
    product: [Option<String>; 2],
    /// In their order; removed ones keep an empty place.
    places: Vec<Option<StoredVariant>>,
    by_id: HashMap<String, usize>,
    by_sku: HashMap<String, usize>,
    /// Bytes of the product's row.
    row_bytes: usize,
}

/// A variant in normal form.
struct StoredVariant {
    id: String,
    sku: Option<String>,
    json: String,
}

impl ProductVariants {
    /// Reads the variants of a row in normal form; `None` when it is no object.
    #[must_use]
    pub fn from_row(row: &[u8]) -> Option<Self> {
        let row = object(row)?;
        let text_of = |name: &str| {
            row.entries().find(|(member, _)| *member == name).and_then(|(_, value)| owned_text(value))
        };
        let mut variants = Self {
            product: [text_of("Id"), text_of("Sku")],
            places: Vec::new(),
            by_id: HashMap::new(),
            by_sku: HashMap::new(),
            row_bytes: row.as_sent().len(),
        };
        let list = row.entries().find(|(member, _)| *member == FIELD);
        for variant in list.into_iter().flat_map(|(_, list)| list.elements()) {
            variants.push(StoredVariant::from_json(variant.as_sent().to_owned())?);
        }
        Some(variants)
    }

    /// Bytes of memory that they take, roughly.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        2 * self.row_bytes
    }

    /// The id of the variant with this id; without an id of that with this SKU, which stands in for an id too.
    #[must_use]
    pub fn find(&self, id: Option<&str>, sku: Option<&str>) -> Option<&str> {
        let place = self.place(id, sku)?;
        self.places.get(place)?.as_ref().map(|variant| variant.id.as_str())
    }

    /// Returns true if this is the SKU of the variant with this id.
    #[must_use]
    pub fn has_sku(&self, id: &str, sku: &str) -> bool {
        self.by_id.get(id).is_some_and(|place| self.by_sku.get(sku) == Some(place))
    }

    fn place(&self, id: Option<&str>, sku: Option<&str>) -> Option<usize> {
        match id {
            Some(id) => self.by_id.get(id).copied(),
            None => self.by_sku.get(sku?).or_else(|| self.by_id.get(sku?)).copied(),
        }
    }

    /// Applies a change; `None` when its body is no object.
    pub fn apply(&mut self, action: VariantAction, body: &[u8]) -> Option<VariantEffect> {
        let patch = VariantPatch::from_body(object(body)?);
        let place = self.place(patch.id.as_deref(), patch.sku.as_deref());
        match (action, place) {
            (VariantAction::Delete, Some(place)) => {
                self.remove(place);
                Some(VariantEffect::Applied)
            }
            (VariantAction::Set | VariantAction::Delete, None) => Some(VariantEffect::Unknown),
            (VariantAction::Set | VariantAction::Add, Some(place)) => {
                let before = self.places.get(place)?.as_ref()?;
                let sku = self.sku_after(Some(before), &patch);
                let after = patch.applied_to(&before.id, sku.kept.as_deref(), Some(&before.json));
                Some(self.replace(place, after, sku.is_taken))
            }
            (VariantAction::Add, None) => {
                let id = patch.id.as_deref().or(patch.sku.as_deref())?;
                let sku = self.sku_after(None, &patch);
                let added = patch.applied_to(id, sku.kept.as_deref(), None);
                let is_full = self.by_id.len() >= limits::VARIANTS;
                if is_full || !self.has_room(0, added.json.len() + r#","Variants":[]"#.len()) {
                    return Some(VariantEffect::NoRoom);
                }
                self.row_bytes += added.json.len() + 1;
                self.push(added);
                Some(effect_of(sku.is_taken))
            }
        }
    }

    /// The SKU of a variant after a patch: the present one, unless the patch has another that is free.
    fn sku_after(&self, before: Option<&StoredVariant>, patch: &VariantPatch<'_>) -> SkuAfter {
        let present = before.and_then(|before| before.sku.clone());
        let id = before.map(|before| before.id.as_str()).or(patch.id.as_deref());
        let Some(named) = patch.sku.as_deref() else {
            let kept = present.filter(|_| !patch.clears_sku);
            return SkuAfter { kept, is_taken: false };
        };
        let holder = self.by_sku.get(named).and_then(|place| self.places[*place].as_ref());
        if holder.is_some_and(|holder| Some(holder.id.as_str()) != id) {
            return SkuAfter { kept: present, is_taken: true };
        }
        // As in rows: the SKU of the product is no variant's own.
        let is_products = self.product.iter().any(|own| own.as_deref() == Some(named));
        let is_own = !is_products || id.is_none_or(|id| id == named);
        SkuAfter { kept: is_own.then(|| named.to_owned()), is_taken: false }
    }

    /// Returns true if the row may grow from so many bytes to so many.
    fn has_room(&self, from: usize, to: usize) -> bool {
        to <= from || self.row_bytes + (to - from) <= limits::FEED_ROW_BYTES
    }

    fn replace(&mut self, place: usize, after: StoredVariant, is_sku_taken: bool) -> VariantEffect {
        let before_bytes = self.places[place].as_ref().map_or(0, |before| before.json.len());
        if !self.has_room(before_bytes, after.json.len()) {
            return VariantEffect::NoRoom;
        }
        self.remove(place);
        self.row_bytes += after.json.len();
        self.put_variant(place, after);
        effect_of(is_sku_taken)
    }

    fn remove(&mut self, place: usize) {
        let Some(removed) = self.places[place].take() else { return };
        self.row_bytes = self.row_bytes.saturating_sub(removed.json.len());
        self.by_id.remove(&removed.id);
        if let Some(sku) = removed.sku {
            self.by_sku.remove(&sku);
        }
    }

    fn push(&mut self, variant: StoredVariant) {
        self.places.push(None);
        self.put_variant(self.places.len() - 1, variant);
    }

    fn put_variant(&mut self, place: usize, variant: StoredVariant) {
        self.by_id.insert(variant.id.clone(), place);
        if let Some(sku) = &variant.sku {
            self.by_sku.insert(sku.clone(), place);
        }
        self.places[place] = Some(variant);
    }

    /// The row with these variants in place of its own.
    fn write_into(&self, row: &[u8]) -> Option<Vec<u8>> {
        let row = object(row)?;
        let place_of = |name: &str| PRODUCT_SHAPE.position(name);
        let own_place = place_of(FIELD);
        let mut out = Vec::with_capacity(self.row_bytes + 16);
        let mut is_written = false;
        out.push(b'{');
        for (name, value) in row.entries().filter(|(name, _)| *name != FIELD) {
            if !is_written && place_of(name) > own_place {
                self.write_list(&mut out);
                is_written = true;
            }
            key(name, &mut out);
            out.extend_from_slice(value.as_sent().as_bytes());
        }
        if !is_written {
            self.write_list(&mut out);
        }
        out.push(b'}');
        Some(out)
    }

    fn write_list(&self, out: &mut Vec<u8>) {
        let mut variants = self.places.iter().flatten();
        let Some(first) = variants.next() else { return };
        key(FIELD, out);
        out.push(b'[');
        out.extend_from_slice(first.json.as_bytes());
        for variant in variants {
            out.push(b',');
            out.extend_from_slice(variant.json.as_bytes());
        }
        out.push(b']');
    }
}

fn effect_of(is_sku_taken: bool) -> VariantEffect {
    if is_sku_taken { VariantEffect::SkuTaken } else { VariantEffect::Applied }
}

/// The SKU that a variant has after a change.
struct SkuAfter {
    kept: Option<String>,
    /// Another variant has the one that the change names.
    is_taken: bool,
}

impl StoredVariant {
    fn from_json(json: String) -> Option<Self> {
        let members = JsonValue::from_trusted(&json);
        let text_of = |name: &str| {
            members.entries().find(|(member, _)| *member == name).and_then(|(_, value)| owned_text(value))
        };
        let id = text_of("Id")?;
        let sku = text_of("Sku");
        Some(Self { id, sku, json })
    }
}

/// Members that a change sets.
struct VariantPatch<'a> {
    id: Option<Cow<'a, str>>,
    sku: Option<Cow<'a, str>>,
    clears_sku: bool,
    body: JsonValue<'a>,
}

impl<'a> VariantPatch<'a> {
    fn from_body(body: JsonValue<'a>) -> Self {
        let member = |name: &str| body.entries().find(|(member, _)| *member == name).map(|(_, value)| value);
        let id = member("Id").and_then(JsonValue::decode_text);
        let sku = member("Sku").and_then(JsonValue::decode_text);
        let clears_sku = member("Sku").is_some_and(is_null);
        Self { id, sku, clears_sku, body }
    }

    /// A variant with these keys after the patch: each member is that of the patch, else that of `before`.
    fn applied_to(&self, id: &str, sku: Option<&str>, before: Option<&str>) -> StoredVariant {
        let shape: &RowShape = &variants::SHAPE;
        let mut members = vec![None; shape.fields.len()];
        let mut attributes = Vec::new();
        let before = before.map(JsonValue::from_trusted);
        for (name, value) in before.into_iter().flat_map(JsonValue::entries) {
            if name == ATTRIBUTES {
                attributes.extend(value.entries());
            } else if let Some(place) = shape.position(name) {
                members[place] = Some(value);
            }
        }
        for (name, value) in self.body.entries() {
            if name == ATTRIBUTES {
                value.entries().for_each(|attribute| set_attribute(&mut attributes, attribute));
            } else if let Some(place) = shape.position(name) {
                members[place] = Some(value).filter(|value| !is_null(*value));
            }
        }
        let mut out = vec![b'{'];
        for (field, value) in shape.fields.iter().zip(members) {
            match (field.name, value) {
                ("Id", _) => write_key(field.name, Some(id), &mut out),
                ("Sku", _) => write_key(field.name, sku, &mut out),
                (_, Some(value)) => {
                    key(field.name, &mut out);
                    out.extend_from_slice(value.as_sent().as_bytes());
                }
                (_, None) => {}
            }
        }
        write_attributes(&attributes, &mut out);
        out.push(b'}');
        let json = String::from_utf8_lossy(&out).into_owned();
        StoredVariant { id: id.to_owned(), sku: sku.map(str::to_owned), json }
    }
}

/// An attribute: its name as it stands in the row, and its value.
type StoredAttribute<'a> = (&'a str, JsonValue<'a>);

/// Sets an attribute in its place, or at the end; `null` takes it away.
fn set_attribute<'a>(attributes: &mut Vec<StoredAttribute<'a>>, attribute: StoredAttribute<'a>) {
    let (name, value) = attribute;
    let place = attributes.iter().position(|(known, _)| *known == name);
    match place {
        Some(place) if is_null(value) => {
            attributes.remove(place);
        }
        Some(place) => attributes[place] = attribute,
        None if is_null(value) => {}
        None => attributes.push(attribute),
    }
}

fn write_attributes(attributes: &[StoredAttribute<'_>], out: &mut Vec<u8>) {
    if attributes.is_empty() {
        return;
    }
    key(ATTRIBUTES, out);
    out.push(b'{');
    for (name, value) in attributes {
        key(name, out);
        out.extend_from_slice(value.as_sent().as_bytes());
    }
    out.push(b'}');
}

fn write_key(name: &str, text: Option<&str>, out: &mut Vec<u8>) {
    if let Some(text) = text {
        key(name, out);
        write_text(text, out);
    }
}

/// An object that this program wrote.
fn object(json: &[u8]) -> Option<JsonValue<'_>> {
    let json = std::str::from_utf8(json).ok().map(JsonValue::from_trusted)?;
    json.is_object().then_some(json)
}

fn is_null(value: JsonValue<'_>) -> bool {
    value.json_type() == JsonType::Null
}

fn owned_text(value: JsonValue<'_>) -> Option<String> {
    value.inner().map(|inner| unescape(inner).into_owned())
}
