//! Rows of `SetVariants` and `DeleteVariants`: a variant of a product, and the fields that the row sets.

use std::collections::HashSet;

use super::context::{NormaliserContext, RowFault, RowWarnings};
use super::options::is_blank;
use super::reading::reading;
use super::shape::{RowShape, key, write_members};
use super::sorted_row::{SortedRow, sort};
use super::variant_changes::ProductVariants;
use super::variant_effect::{AppliedVariant, UnusedParts, VariantAction, VariantEffect};
use super::variants::SortedVariant;
use crate::feeds::fields;
use crate::feeds::issue::{Issue, IssueCode};
use crate::feeds::json::value::{JsonType, JsonValue};
use crate::feeds::json::write_text;
use crate::feeds::reader::RawRow;
use crate::limits;

static SET: RowShape = RowShape::new(fields::SET_VARIANTS.fields);
static DELETED: RowShape = RowShape::new(fields::DELETE_VARIANTS.fields);

const ATTRIBUTES: &str = "Attributes";
/// Longest [`supersede_key`].
const SUPERSEDE_KEY_BYTES: usize = 2 * limits::ITEM_ID_BYTES;

/// A row about one variant.
#[derive(Clone, PartialEq, Eq)]
pub struct VariantRow {
    /// Id or SKU of its product, where the row names it.
    pub product: Option<String>,
    /// Its id.
    pub id: Option<String>,
    /// Its SKU. One of both is there.
    pub sku: Option<String>,
    /// The fields that it sets, as an object in normal form; `null` takes one away.
    members: String,
}

/// A change to a variant of a product, as it is stored, and its effect on the product as it is now.
pub struct VariantChange {
    /// Its action.
    pub action: VariantAction,
    /// The variant by id or SKU, and the fields that the row sets.
    pub body: Vec<u8>,
    /// The row's SKU is in the body.
    pub has_sku: bool,
    /// Its effect.
    pub effect: VariantEffect,
}

/// Reads a row of `SetVariants`. `None`: a bad row, with exactly one bad issue.
pub fn set_variant(
    row: &RawRow<'_>,
    context: &NormaliserContext<'_>,
    issues: &mut Vec<Issue>,
) -> Option<VariantRow> {
    reading(row, &mut Vec::new(), issues, |out, notes| {
        let variant = SortedVariant::from_sorted(sort(&SET, row, context, notes)?, notes)?;
        let mut read = VariantRow::from_sorted(variant.members())?;
        variant.write(None, read.sku.as_deref(), context, notes, out)?;
        read.members = with_cleared_fields(variant.members(), &String::from_utf8_lossy(out));
        Ok(read)
    })
}

/// Reads a row of `DeleteVariants`. `None`: a bad row, with exactly one bad issue.
pub fn deleted_variant(
    row: &RawRow<'_>,
    context: &NormaliserContext<'_>,
    issues: &mut Vec<Issue>,
) -> Option<VariantRow> {
    reading(row, &mut Vec::new(), issues, |_, notes: &mut RowWarnings<'_, '_>| {
        VariantRow::from_sorted(&sort(&DELETED, row, context, notes)?)
    })
}

/// The written fields as a row of `SetVariants` sets them: `null` for each field and each attribute that it takes away.
fn with_cleared_fields(sorted: &SortedRow<'_>, written: &str) -> String {
    let mut out = vec![b'{'];
    let mut is_written = HashSet::new();
    for (name, value) in JsonValue::from_trusted(written).entries() {
        is_written.insert(name);
        if name == ATTRIBUTES {
            write_attributes(value, &mut out);
            continue;
        }
        key(name, &mut out);
        // Prices by group or account that are empty.
        let is_cleared = value.is_object() && clears(value);
        out.extend_from_slice(if is_cleared { b"null" } else { value.as_sent().as_bytes() });
    }
    let fields = fields::VARIANT.iter().map(|field| field.name).filter(|name| *name != "Id");
    for name in fields.filter(|name| !is_written.contains(name) && sorted.value(name).is_some_and(clears)) {
        key(name, &mut out);
        out.extend_from_slice(b"null");
    }
    out.push(b'}');
    String::from_utf8_lossy(&out).into_owned()
}

/// Writes the member with attributes. An empty `Attributes`, which stands among them when it is no object, is none.
fn write_attributes(attributes: JsonValue<'_>, out: &mut Vec<u8>) {
    let is_none = |name: &str, value| name.eq_ignore_ascii_case(ATTRIBUTES) && clears(value);
    let attributes = attributes.entries().filter(|(name, value)| !is_none(name, *value));
    let set = attributes.map(|(name, value)| (name, if clears(value) { "null" } else { value.as_sent() }));
    write_members(ATTRIBUTES, set, out);
}

/// Returns true for a value that takes the field or attribute away: `null`, a blank text, an empty object and an empty
/// list. `false` is the value of a flag or an attribute, and says nothing for another field.
fn clears(value: JsonValue<'_>) -> bool {
    match value.json_type() {
        JsonType::False => false,
        JsonType::Object => value.elements().next().is_none(),
        _ => is_blank(value),
    }
}

impl VariantRow {
    fn from_sorted(sorted: &SortedRow<'_>) -> Result<Self, RowFault> {
        let id_of = |name| Ok(sorted.id(name, limits::ITEM_ID_BYTES)?.map(String::from));
        let product = id_of("ProductId")?;
        let id = id_of("Id")?;
        let sku = id_of("Sku")?;
        if id.is_none() && sku.is_none() {
            return Err(RowFault::field(IssueCode::IdMissing, "Id"));
        }
        Ok(Self { product, id, sku, members: "{}".to_owned() })
    }

    /// The change that the row makes to a product with these variants, which get it too; `None`: the product is not
    /// shown. Returns nothing when a stored row or change is no object.
    #[must_use]
    pub fn to_change(
        &self,
        is_removal: bool,
        variants: Option<&mut ProductVariants>,
    ) -> Option<VariantChange> {
        let id =
            variants.as_ref().and_then(|variants| variants.find(self.id.as_deref(), self.sku.as_deref()));
        let id = id.map(str::to_owned);
        let action = match &id {
            _ if is_removal => VariantAction::Delete,
            Some(_) => VariantAction::Set,
            None => VariantAction::Upsert,
        };
        let all = UnusedParts::default();
        let body =
            if is_removal { self.to_removal(id.as_deref()) } else { self.to_body(id.as_deref(), &all) };
        let Some(variants) = variants else {
            let has_sku = self.sku.is_some();
            return Some(VariantChange { action, body, has_sku, effect: VariantEffect::ProductUnknown });
        };
        let AppliedVariant { effect, unused } = variants.apply_parts(action, &body)?;
        // Without a SKU, a newer change makes this one meaningless ([`supersede_key`]).
        let body = if unused == all { body } else { self.to_body(id.as_deref(), &unused) };
        let has_sku = self.sku.is_some() && !unused.sku;
        Some(VariantChange { action, body, has_sku, effect })
    }

    /// The body of a change to the variant with an id, without the parts that had no effect; `None`: to that with the
    /// row's own id or SKU.
    fn to_body(&self, id: Option<&str>, unused: &UnusedParts) -> Vec<u8> {
        let mut out = vec![b'{'];
        if let Some(id) = id.or(self.id.as_deref()) {
            key("Id", &mut out);
            write_text(id, &mut out);
        }
        let left_out: HashSet<&str> = unused.attributes.iter().map(String::as_str).collect();
        let members = JsonValue::from_trusted(&self.members);
        for (name, value) in members.entries().filter(|(name, _)| !(unused.sku && *name == "Sku")) {
            if name == ATTRIBUTES {
                let used = value.entries().filter(|(name, _)| !left_out.contains(name));
                write_members(ATTRIBUTES, used.map(|(name, value)| (name, value.as_sent())), &mut out);
                continue;
            }
            key(name, &mut out);
            out.extend_from_slice(value.as_sent().as_bytes());
        }
        out.push(b'}');
        out
    }

    /// Body of the removal of the variant with an id; `None`: of that with the row's own id or SKU.
    fn to_removal(&self, id: Option<&str>) -> Vec<u8> {
        let name = if id.or(self.id.as_deref()).is_some() { "Id" } else { "Sku" };
        let text = id.or(self.id.as_deref()).or(self.sku.as_deref()).unwrap_or_default();
        let mut out = vec![b'{'];
        key(name, &mut out);
        write_text(text, &mut out);
        out.push(b'}');
        out
    }
}

/// Product, variant and fields of a change: a newer change with the same key that sets them makes an older one
/// meaningless, as does one that removes the variant, whose key are the first two lines. `None` for changes that touch
/// a SKU, by which other variants are found, and for very many fields.
#[must_use]
pub fn supersede_key(product: &str, body: &[u8]) -> Option<String> {
    let body = JsonValue::from_trusted(std::str::from_utf8(body).ok()?);
    let mut names = Vec::new();
    let mut id = None;
    for (name, value) in body.entries() {
        match name {
            "Id" => id = Some(value.as_sent()),
            "Sku" => return None,
            ATTRIBUTES => names.extend(value.entries().map(|(name, _)| format!("@{name}"))),
            _ => names.push(name.to_owned()),
        }
    }
    names.sort_unstable();
    // As in JSON, so that no id holds the line breaks between them.
    let mut text = Vec::new();
    write_text(product, &mut text);
    text.push(b'\n');
    text.extend_from_slice(id?.as_bytes());
    for name in names {
        text.push(b'\n');
        text.extend_from_slice(name.as_bytes());
    }
    String::from_utf8(text).ok().filter(|text| text.len() <= SUPERSEDE_KEY_BYTES)
}
