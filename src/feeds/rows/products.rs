//! Rows of `Products`.

use super::children::Children;
use super::coerce::{element_text, list_elements};
use super::context::{ItemKey, NormaliserContext, RowFault, RowWarnings};
use super::reading::reading;
use super::shape::RowShape;
use super::sorted_row::sort;
use crate::feeds::fields;
use crate::feeds::issue::{Issue, IssueCode};
use crate::feeds::reader::RawRow;
use crate::limits;

static SHAPE: RowShape = RowShape::new(fields::PRODUCTS.fields);

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
    let mut sorted = sort(&SHAPE, row, context, notes)?;
    let sku = sorted.id("Sku", limits::ITEM_ID_BYTES)?;
    let id = sorted.id("Id", limits::ITEM_ID_BYTES)?.or_else(|| sku.clone());
    let id = id.ok_or(RowFault::field(IssueCode::IdMissing, "Id"))?;
    if let (Some(noticed), Some(categories)) = (context.noticed, sorted.value("Categories")) {
        for category in list_elements(categories).filter_map(|category| element_text(category).ok()) {
            noticed.categories.product_names(notes.row.number, &category);
        }
    }
    let Children { keys, repeated } = Children::from_row(&sorted, &id, sku.as_deref())?;
    sorted.leave_out(repeated);
    sorted.write_text(&[("Id", Some(&id)), ("Sku", sku.as_deref())], context, notes, out)?;
    Ok(ItemKey { id: id.into_owned(), sku: sku.map(Into::into), children: keys })
}
