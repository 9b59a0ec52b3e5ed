//! Rows of `Products`.

use super::children::Children;
use super::coerce::{element_text, list_elements};
use super::context::{ItemKey, NormaliserContext, RowFault, RowWarnings};
use super::reading::reading;
use super::shape::PRODUCT_SHAPE;
use super::sorted_row::sort;
use super::variants::Variants;
use crate::feeds::issue::{Issue, IssueCode};
use crate::feeds::json::value::JsonValue;
use crate::feeds::reader::RawRow;
use crate::limits;

/// Appends the normal form of a product to `out`; the key's id is `Id`, or `Sku` where that is
/// missing. `None`: a bad row, with exactly one bad issue and nothing appended.
pub(super) fn normalise_product(
    row: &RawRow<'_>,
    context: &NormaliserContext<'_>,
    out: &mut Vec<u8>,
    issues: &mut Vec<Issue>,
) -> Option<ItemKey> {
    reading(row, out, issues, |out, notes| product(row, context, out, notes))
}

fn product(
    row: &RawRow<'_>,
    context: &NormaliserContext<'_>,
    out: &mut Vec<u8>,
    notes: &mut RowWarnings<'_, '_>,
) -> Result<ItemKey, RowFault> {
    let mut sorted = sort(&PRODUCT_SHAPE, row, context, notes)?;
    let sku = sorted.id("Sku", limits::ITEM_ID_BYTES)?;
    let id = sorted.id("Id", limits::ITEM_ID_BYTES)?.or_else(|| sku.clone());
    let id = id.ok_or(RowFault::field(IssueCode::IdMissing, "Id"))?;
    if let (Some(noticed), Some(categories)) = (context.noticed, sorted.value("Categories")) {
        for category in list_elements(categories).filter_map(|category| element_text(category).ok()) {
            noticed.categories.product_names(notes.row.number, &category);
        }
    }
    let Variants { json, keys, prices } =
        Variants::from_product(&sorted, &id, sku.as_deref(), context, notes);
    if let Some(noticed) = context.noticed {
        let children: Vec<_> =
            sorted.value("AssociatedIds").map(list_elements).into_iter().flatten().collect();
        let children: Vec<_> = children.into_iter().filter_map(|child| element_text(child).ok()).collect();
        let variants = keys.iter().map(|keys| keys.id.as_str());
        noticed.overlap.product(notes.row.number, &id, variants, children.iter().map(|child| &**child));
    }
    let Children { keys, repeated } = Children::from_row(&sorted, &id, sku.as_deref(), &keys)?;
    sorted.leave_out(repeated);
    sorted.set_variants(json.as_deref().map(JsonValue::from_trusted), prices);
    sorted.write_text(&[("Id", Some(&id)), ("Sku", sku.as_deref())], context, notes, out)?;
    Ok(ItemKey { id: id.into_owned(), sku: sku.map(Into::into), children: keys })
}
