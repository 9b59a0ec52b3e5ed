//! Rows of `SetVariants` and `DeleteVariants`: a variant of a product, and the fields that the row sets.

use super::context::{NormaliserContext, RowFault, RowWarnings};
use super::options::is_nothing;
use super::reading::reading;
use super::shape::{RowShape, key};
use super::sorted_row::{SortedRow, sort};
use super::variant_changes::{AppliedVariant, ProductVariants, VariantAction, VariantEffect};
use super::variants::SortedVariant;
use crate::feeds::fields;
use crate::feeds::issue::{Issue, IssueCode};
use crate::feeds::json::value::{JsonType, JsonValue};
use crate::feeds::json::write_text;
use crate::feeds::reader::RawRow;
use crate::limits;

static SET: RowShape = RowShape::new(fields::SET_VARIANTS.fields);
static DELETED: RowShape = RowShape::new(fields::DELETE_VARIANTS.fields);

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
        write_cleared(variant.members(), out);
        read.members = String::from_utf8_lossy(out).into_owned();
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

/// Adds a `null` to the written members for each field that the row empties.
fn write_cleared(sorted: &SortedRow<'_>, out: &mut Vec<u8>) {
    let written = String::from_utf8_lossy(out).into_owned();
    let is_written =
        |name: &str| JsonValue::from_trusted(&written).entries().any(|(written, _)| written == name);
    let members = fields::VARIANT.iter().map(|field| field.name).filter(|name| *name != "Id");
    let cleared = members.filter(|name| sorted.value(name).is_some_and(clears) && !is_written(name));
    out.pop();
    for name in cleared {
        key(name, out);
        out.extend_from_slice(b"null");
    }
    out.push(b'}');
}

/// Returns true for a value that takes the member away: `null`, and what is empty. `false` is a value of a flag, and
/// says nothing for another field.
fn clears(value: JsonValue<'_>) -> bool {
    match value.json_type() {
        JsonType::False => false,
        JsonType::Object => value.elements().next().is_none(),
        _ => is_nothing(value),
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
        let body =
            if is_removal { self.to_removal(id.as_deref()) } else { self.to_body(id.as_deref(), true) };
        let Some(variants) = variants else {
            let has_sku = self.sku.is_some();
            return Some(VariantChange { action, body, has_sku, effect: VariantEffect::ProductUnknown });
        };
        let AppliedVariant { effect, is_sku_unused } = variants.apply_parts(action, &body)?;
        // Without it, a newer change makes this one meaningless ([`supersede_key`]).
        let body = if is_sku_unused { self.to_body(id.as_deref(), false) } else { body };
        let has_sku = self.sku.is_some() && !is_sku_unused;
        Some(VariantChange { action, body, has_sku, effect })
    }

    /// The body of a change to the variant with an id; `None`: to that with the row's own id or SKU.
    fn to_body(&self, id: Option<&str>, has_sku: bool) -> Vec<u8> {
        let mut out = vec![b'{'];
        if let Some(id) = id.or(self.id.as_deref()) {
            key("Id", &mut out);
            write_text(id, &mut out);
        }
        let members = JsonValue::from_trusted(&self.members);
        for (name, value) in members.entries().filter(|(name, _)| has_sku || *name != "Sku") {
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
            "Attributes" => names.extend(value.entries().map(|(name, _)| format!("@{name}"))),
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
