//! Shopify: CSV export of products, with the headings of today and those of before 2025.
//!
//! A product is several rows with one handle. The first has the title and everything about the product, and is its
//! first variant; the rows below it are further variants, or bring a picture each. Names of options stand in the first
//! alone.

mod columns;

use std::collections::HashMap;
use std::str::FromStr;

use rust_decimal::Decimal;

use self::columns::{COLLECTION, COLUMNS, GOOGLE_TAXONOMY, GRAMS, TAXONOMY, TYPE};
use super::column_rule::{ColumnUse, Extra};
use super::context::MappingContext;
use super::format_rules::{Extras, FormatRules, GroupRule};
use crate::feeds::IssueCode;
use crate::feeds::feed_format::FeedFormat;
use crate::formats::draft_row::{DraftIssue, DraftOption, DraftRow, RowRole};
use crate::formats::values::category_path::parse_category_path;
use crate::formats::values::markup::to_plain_text;
use crate::formats::values::price_text::parse_price;

/// Name of the attribute that holds the weight.
const WEIGHT_NAME: &str = "Weight";
/// Option value that Shopify gives to the only variant of a product without options.
const DEFAULT_VALUE: &str = "Default Title";
/// Category of products that nobody sorted.
const UNSORTED: &str = "Uncategorized";

/// Rules of Shopify's product CSV.
pub static SHOPIFY_CSV: FormatRules = FormatRules {
    format: FeedFormat::Shopify,
    file: "CSV export",
    columns: COLUMNS,
    find_other: find_other_use,
    complete: complete_row,
    groups: GroupRule::Certain,
};

/// Metafields are attributes; columns of further markets are left out like those of `International`.
fn find_other_use(name: &str) -> ColumnUse {
    if name.contains("metafieldsshopifydiscovery") {
        // Recommended products and boosted queries of Shopify's own search.
        return ColumnUse::LeftOut;
    }
    let is_metafield = name.contains("productmetafields") || name.contains("variantmetafields");
    let is_market = ["included", "price", "compareatprice"].iter().any(|start| name.starts_with(start));
    if is_market && !is_metafield { ColumnUse::LeftOut } else { ColumnUse::Attribute }
}

fn complete_row(row: &mut DraftRow, extras: &Extras, context: &MappingContext<'_>) {
    row.options.retain(|option| !is_default_option(option));
    row.options.sort_by_key(|option| option.position);
    for number in [&mut row.sku, &mut row.gtin].into_iter().flatten() {
        drop_apostrophe(number);
    }
    row.is_hidden = is_hidden(extras);
    row.role = find_role(row);
    place_pictures(row, extras.first(Extra::VariantImage));
    if row.role == RowRole::More {
        row.gtin = None;
        row.quantity = None;
        row.in_stock = None;
        row.attributes.clear();
        return;
    }
    if row.role == RowRole::Item {
        row.options.retain(|option| !option.value.is_empty());
        set_stock(row, extras);
    }
    row.id = find_id(row);
    let compare = extras.first(Extra::CompareAtPrice);
    if let Some(compare) = compare {
        let read = parse_price(compare, None, context);
        if read.is_none() {
            let column = "Variant Compare At Price".to_owned();
            row.issues.push(DraftIssue { code: IssueCode::PriceUnreadable, column });
        }
        apply_compare_price(row, read);
    }
    add_categories(row, extras);
    rename_attributes(row);
    if let Some(weight) = extras.first(GRAMS).and_then(|grams| Decimal::from_str(grams).ok()) {
        push_weight(row, weight);
    }
}

/// Returns true if the option only says that the product has none.
pub(super) fn is_default_option(option: &DraftOption) -> bool {
    option.value == DEFAULT_VALUE || (option.value.is_empty() && option.name == "Title")
}

/// Spreadsheets put an apostrophe before a number that is to stay a text.
fn drop_apostrophe(text: &mut String) {
    if text.starts_with('\'') && text[1..].starts_with(|letter: char| letter.is_ascii_digit()) {
        text.remove(0);
    }
}

fn is_hidden(extras: &Extras) -> bool {
    let is_unpublished = extras.first(Extra::Published).is_some_and(is_no);
    is_unpublished || extras.first(Extra::Status).is_some_and(is_hidden_status)
}

/// Returns true if shoppers do not see products of this status. Unlisted ones are seen by those who were sent the
/// address.
pub(super) fn is_hidden_status(status: &str) -> bool {
    ["draft", "archived", "unlisted"].iter().any(|hidden| status.eq_ignore_ascii_case(hidden))
}

fn is_no(text: &str) -> bool {
    ["false", "no", "0"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn find_role(row: &DraftRow) -> RowRole {
    let has_value = row.options.iter().any(|option| !option.value.is_empty());
    let is_sold = row.sku.is_some() || !row.prices.is_empty() || has_value;
    if is_sold {
        return RowRole::Item;
    }
    match (row.title.is_some(), row.options.is_empty()) {
        (false, _) => RowRole::More,
        (true, true) => RowRole::Item,
        // A product that only names its options has its variants below it.
        (true, false) => RowRole::Parent,
    }
}

/// Gives the row the variant's picture. `Image Src` is a picture of the product in whichever row it stands; the first
/// row, which is the product too, has it as its picture if the variant has none.
fn place_pictures(row: &mut DraftRow, variant_image: Option<&str>) {
    let variant_image = variant_image.map(str::to_owned);
    let is_same = row.image == variant_image;
    if row.title.is_none() || (variant_image.is_some() && !is_same) {
        let picture = std::mem::replace(&mut row.image, variant_image);
        row.more_images.splice(0..0, picture);
    }
}

/// Parts the first row of a product with options: the product, which everything but the variant's own is about, and its
/// first variant. Any other row stays as it is.
#[must_use]
pub fn split_first_row(mut row: DraftRow) -> Vec<DraftRow> {
    if row.role != RowRole::Item || row.title.is_none() || row.group.is_none() || row.options.is_empty() {
        return vec![row];
    }
    let weight = row.attributes.pop_if(|(name, _)| name == WEIGHT_NAME);
    let variant = DraftRow {
        place: row.place,
        group: row.group.clone(),
        id: row.id.take(),
        sku: row.sku.take(),
        gtin: row.gtin.take(),
        image: row.image.take_if(|_| !row.more_images.is_empty()),
        prices: std::mem::take(&mut row.prices),
        sale_prices: std::mem::take(&mut row.sale_prices),
        in_stock: row.in_stock.take(),
        quantity: row.quantity.take(),
        options: std::mem::take(&mut row.options),
        attributes: weight.into_iter().collect(),
        is_hidden: row.is_hidden,
        issues: std::mem::take(&mut row.issues),
        ..DraftRow::default()
    };
    if row.image.is_none() && !row.more_images.is_empty() {
        row.image = Some(row.more_images.remove(0));
    }
    let product = DraftRow { role: RowRole::Parent, id: row.group.clone(), ..row };
    vec![product, variant]
}

/// A word in place of the quantity has set the stock already.
fn set_stock(row: &mut DraftRow, extras: &Extras) {
    let count = row.quantity.as_deref().and_then(|text| Decimal::from_str(text).ok());
    let is_tracked = extras.first(Extra::StockTracked).is_some();
    let policy = extras.first(Extra::StockPolicy).unwrap_or_default();
    row.in_stock = row.in_stock.or(Some(is_buyable(count, is_tracked, policy)));
}

/// Returns true if a variant can be bought: something is left, nobody counts, or it is sold on when nothing is left.
pub(super) fn is_buyable(count: Option<Decimal>, is_tracked: bool, policy: &str) -> bool {
    let is_sold_on = ["continue", "true", "yes"].iter().any(|word| policy.eq_ignore_ascii_case(word));
    !is_tracked || is_sold_on || count.is_none_or(|count| count > Decimal::ZERO)
}

/// Id that stays the same from export to export: of a variant its SKU, else the handle with the values of its options;
/// of a product without variants the handle.
fn find_id(row: &DraftRow) -> Option<String> {
    let is_product = row.role == RowRole::Parent || (row.title.is_some() && row.options.is_empty());
    if is_product && row.group.is_some() {
        return row.group.clone();
    }
    let handle = row.group.clone().or_else(|| row.title.as_deref().and_then(derive_handle));
    row.sku.clone().or_else(|| handle.map(|handle| add_option_values(handle, &row.options)))
}

/// The id with the values of a variant's options behind it, such as `classic-varsity-top/Small`.
pub(super) fn add_option_values(mut id: String, options: &[DraftOption]) -> String {
    for option in options {
        id.push('/');
        id.push_str(&option.value);
    }
    id
}

/// Handle that Shopify itself makes for a product without one.
fn derive_handle(title: &str) -> Option<String> {
    let words = title.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let handle = words.map(str::to_lowercase).collect::<Vec<_>>().join("-");
    Some(handle).filter(|handle| !handle.is_empty())
}

/// Makes the price the sale price and `compare` the list price, if `compare` is higher.
pub(super) fn apply_compare_price(row: &mut DraftRow, compare: Option<String>) {
    let Some(compare) = compare else { return };
    let [price] = row.prices.as_slice() else { return };
    if is_higher(&compare, price) {
        row.sale_prices = std::mem::replace(&mut row.prices, vec![compare]);
    }
}

/// Returns true if `left` is the higher price, in the same currency. Both are as [`parse_price`] writes them.
fn is_higher(left: &str, right: &str) -> bool {
    let (left_amount, left_currency) = left.split_once(' ').unwrap_or((left, ""));
    let (right_amount, right_currency) = right.split_once(' ').unwrap_or((right, ""));
    let amounts = Decimal::from_str(left_amount).ok().zip(Decimal::from_str(right_amount).ok());
    left_currency == right_currency && amounts.is_some_and(|(left, right)| left > right)
}

fn add_categories(row: &mut DraftRow, extras: &Extras) {
    let mut taxonomy = read_taxonomy(extras.first(TAXONOMY).unwrap_or_default());
    if taxonomy.is_empty() {
        taxonomy = read_taxonomy(extras.first(GOOGLE_TAXONOMY).unwrap_or_default());
    }
    let titles = [TYPE, COLLECTION].map(|extra| extras.first(extra).map(to_plain_text));
    for path in [taxonomy].into_iter().chain(titles.into_iter().flatten().map(|title| vec![title])) {
        push_category(row, path);
    }
}

/// Titles of a path of a taxonomy; empty for its numbers and codes (`1604`, `aa-1-4`) and for `Uncategorized`.
pub(super) fn read_taxonomy(text: &str) -> Vec<String> {
    let has_word = |piece: &str| piece.chars().filter(|letter| letter.is_alphabetic()).count() > 2;
    let is_code = !text.contains('>') && (text.starts_with("gid://") || !text.split('-').any(has_word));
    let path = parse_category_path(text, '>');
    if is_code || path == [UNSORTED] { Vec::new() } else { path }
}

/// Adds the path of a category that is neither empty nor there.
pub(super) fn push_category(row: &mut DraftRow, path: Vec<String>) {
    let is_whole = !path.is_empty() && path.iter().all(|title| !title.is_empty());
    if is_whole && !row.categories.contains(&path) {
        row.categories.push(path);
    }
}

/// Names metafields as shoppers know them: `Color` for `Color (product.metafields.shopify.color-pattern)`.
fn rename_attributes(row: &mut DraftRow) {
    let mut places: HashMap<String, usize> = HashMap::new();
    for (heading, values) in std::mem::take(&mut row.attributes) {
        let is_list = heading.contains("product.metafields.shopify.");
        // Values of a category's own metafields are words in a list; those of other metafields may be sentences.
        let pieces = values.iter().flat_map(|value| split_values(value, is_list));
        let values: Vec<String> = pieces.filter(|value| is_shown_value(value)).map(str::to_owned).collect();
        if values.is_empty() {
            continue;
        }
        let name = shorten_heading(&heading);
        let place = *places.entry(name.to_owned()).or_insert(row.attributes.len());
        match row.attributes.get_mut(place) {
            Some(attribute) => attribute.1.extend(values),
            None => row.attributes.push((name.to_owned(), values)),
        }
    }
}

fn split_values(value: &str, is_list: bool) -> impl Iterator<Item = &str> {
    let limit = if is_list { usize::MAX } else { 1 };
    value.splitn(limit, ';').map(str::trim)
}

/// Returns true if shoppers can read a metafield's value; a reference to another record is none.
pub(super) fn is_shown_value(value: &str) -> bool {
    !value.is_empty() && !value.starts_with("gid://") && !value.starts_with("[\"gid://")
}

fn shorten_heading(heading: &str) -> &str {
    let starts = [" (product.metafields.", " (variant.metafields."];
    let name = starts.iter().find_map(|start| heading.split_once(start)).map(|(name, _)| name.trim());
    name.filter(|name| !name.is_empty()).unwrap_or(heading)
}

/// Adds the attribute of the weight; 0 says that nobody weighed it.
pub(super) fn push_weight(row: &mut DraftRow, grams: Decimal) {
    let is_named = row.attributes.iter().any(|(name, _)| name == WEIGHT_NAME);
    if grams > Decimal::ZERO && !is_named {
        let text = format!("{} g", grams.round_dp(3).normalize());
        row.attributes.push((WEIGHT_NAME.to_owned(), vec![text]));
    }
}

#[cfg(test)]
#[path = "shopify_csv_tests.rs"]
mod tests;
