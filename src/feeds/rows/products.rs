//! Rows of `Products`.

use super::children::Children;
use super::shape::{Field, Kind, Shape, field, sort, wanted};
use super::{Context, ItemKey, Notes, Refusal, reading};
use crate::feeds::issue::{Issue, IssueCode};
use crate::feeds::reader::RawRow;
use crate::limits;

const FIELDS: &[Field] = &[
    field("Id", Kind::Id),
    field("Sku", Kind::Id),
    wanted("Title", Kind::Text, IssueCode::TitleMissing),
    wanted("Description", Kind::Text, IssueCode::DescriptionMissing),
    wanted("Link", Kind::Text, IssueCode::LinkMissing),
    wanted("Image", Kind::Text, IssueCode::ImageMissing),
    field("ImageOverlay", Kind::Text),
    field("AllImages", Kind::List),
    field("Brand", Kind::Text),
    field("Categories", Kind::List),
    field("MagentoCategories", Kind::List),
    field("MagentoProductType", Kind::Text),
    field("ProductType", Kind::Text),
    field("Visibility", Kind::Text),
    field("InStock", Kind::Flag),
    field("StockQty", Kind::Number),
    wanted("Prices", Kind::Prices, IssueCode::PriceMissing),
    field("SalePrices", Kind::Prices),
    field("GroupPrices", Kind::GroupPrices),
    field("AccountPrices", Kind::AccountPrices),
    field("SalePriceStartDate", Kind::Text),
    field("SalePriceEndDate", Kind::Text),
    field("StartDate", Kind::Text),
    field("EndDate", Kind::Text),
    field("SearchTags", Kind::Tags),
    field("AssociatedIds", Kind::AlignedList),
    field("AssociatedSkus", Kind::AlignedList),
    field("AssociatedTitles", Kind::AlignedList),
    field("NewArrival", Kind::Flag),
    field("OnOffer", Kind::Flag),
    field("ExcludeFromSearch", Kind::Flag),
    field("ExcludeFromProductListing", Kind::Flag),
    field("ExcludeFromRecommenders", Kind::Flag),
    field("AccountInclusions", Kind::Accounts),
    field("AccountExclusions", Kind::Accounts),
    field("NoDefaultPriceForAccounts", Kind::Flag),
    field("PromoMessage", Kind::Text),
    field("jsonconfig", Kind::Embedded),
    field("swatchrenderjson", Kind::Embedded),
    field("_index", Kind::Ignored),
    field("Attributes", Kind::Attributes),
];

static SHAPE: Shape = Shape::new(FIELDS);

/// Appends the normal form of a product to `out`; the key's id is `Id`, or `Sku` where that is
/// missing. `None`: a bad row, with exactly one bad issue and nothing appended.
pub(super) fn normalise_product(
    row: &RawRow<'_>,
    context: &Context<'_>,
    out: &mut Vec<u8>,
    issues: &mut Vec<Issue>,
) -> Option<ItemKey> {
    reading(row, out, issues, |out, notes| product(row, context, out, notes))
}

fn product(
    row: &RawRow<'_>,
    context: &Context<'_>,
    out: &mut Vec<u8>,
    notes: &mut Notes<'_, '_>,
) -> Result<ItemKey, Refusal> {
    let mut sorted = sort(&SHAPE, row)?;
    let sku = sorted.id("Sku", limits::ITEM_ID_BYTES)?;
    let id = sorted.id("Id", limits::ITEM_ID_BYTES)?.or_else(|| sku.clone());
    let id = id.ok_or(Refusal::field(IssueCode::IdMissing, "Id"))?;
    let Children { keys, repeated } = Children::of(&sorted, &id, sku.as_deref())?;
    // red: it::senders::dot_net::sqlite::a_file_holds_products_by_sku_whose_first_child_is_the_product
    mutant!("the-product-is-its-own-child", sorted.leave_out(repeated), drop(repeated));
    sorted.write_text(&[("Id", Some(&id)), ("Sku", sku.as_deref())], context, notes, out)?;
    Ok(ItemKey { id: id.into_owned(), sku: sku.map(Into::into), children: keys })
}
