//! A product as a row of Lethe's own feed.

use serde_json::{Map, Value};

use super::merge::MergedProduct;
use crate::formats::draft_row::DraftRow;

/// Currencies whose range of prices a product gets.
const CURRENCIES_MAX: usize = 100;

/// The row of `Products`; `brand` and `categories` are the ids of the product's brand and categories.
#[must_use]
pub fn write_product(
    merged: &MergedProduct,
    brand: Option<&str>,
    categories: &[String],
) -> Map<String, Value> {
    let MergedProduct { product, variants } = merged;
    let mut row = Map::new();
    write_shared(product, &mut row);
    put_text(&mut row, "Description", product.description.as_deref());
    put_text(&mut row, "Brand", brand);
    put_list(&mut row, "Categories", categories);
    put_list(&mut row, "SearchTags", &product.tags);
    let images: Vec<String> = product.image.iter().chain(&product.more_images).cloned().collect();
    if images.len() > 1 {
        put_list(&mut row, "AllImages", &images);
    }
    put_text(&mut row, "StartDate", product.start.as_deref());
    put_text(&mut row, "EndDate", product.end.as_deref());
    if !variants.is_empty() {
        row.insert("Variants".to_owned(), variants.iter().map(write_variant).collect());
        write_price_range(variants, &mut row);
    }
    if !product.attributes.is_empty() {
        row.insert("Attributes".to_owned(), Value::Object(write_attributes(product)));
    }
    row
}

fn write_variant(variant: &DraftRow) -> Value {
    let mut row = Map::new();
    write_shared(variant, &mut row);
    let options = variant.options.iter();
    let options: Map<String, Value> =
        options.map(|option| (option.name.clone(), Value::String(option.value.clone()))).collect();
    if !options.is_empty() {
        row.insert("Options".to_owned(), Value::Object(options));
    }
    if !variant.attributes.is_empty() {
        row.insert("Attributes".to_owned(), Value::Object(write_attributes(variant)));
    }
    Value::Object(row)
}

/// Fields that products and variants have alike.
fn write_shared(from: &DraftRow, row: &mut Map<String, Value>) {
    put_text(row, "Id", from.id.as_deref());
    put_text(row, "Sku", from.sku.as_deref());
    put_text(row, "Gtin", from.gtin.as_deref());
    put_text(row, "Title", from.title.as_deref());
    put_text(row, "Link", from.link.as_deref());
    put_text(row, "Image", from.image.as_deref());
    put_list(row, "Prices", &from.prices);
    put_list(row, "SalePrices", &from.sale_prices);
    put_text(row, "SalePriceStartDate", from.sale_start.as_deref());
    put_text(row, "SalePriceEndDate", from.sale_end.as_deref());
    if let Some(in_stock) = from.in_stock {
        row.insert("InStock".to_owned(), Value::Bool(in_stock));
    }
    put_text(row, "StockQty", from.quantity.as_deref());
}

/// The lowest and the highest price of the variants, in the currencies of the first: what the product costs where a
/// price of its own is missing.
fn write_price_range(variants: &[DraftRow], row: &mut Map<String, Value>) {
    if row.contains_key("Prices") {
        return;
    }
    let mut range: Vec<(&str, &String, &String)> = Vec::new();
    for price in variants.iter().flat_map(|variant| &variant.prices) {
        let currency = price.split_once(' ').map_or("", |(_, currency)| currency);
        let known = range.iter().position(|(known, _, _)| *known == currency);
        if let Some((_, lowest, highest)) = known.and_then(|known| range.get_mut(known)) {
            *lowest = if amount(price) < amount(lowest) { price } else { lowest };
            *highest = if amount(price) > amount(highest) { price } else { highest };
        } else if range.len() < CURRENCIES_MAX {
            range.push((currency, price, price));
        }
    }
    let prices = range.into_iter().flat_map(|(_, lowest, highest)| {
        let highest = (lowest != highest).then_some(highest);
        std::iter::once(lowest).chain(highest).cloned()
    });
    put_list(row, "Prices", &prices.collect::<Vec<_>>());
}

fn amount(price: &str) -> rust_decimal::Decimal {
    let number = price.split(' ').next().unwrap_or_default();
    number.parse().unwrap_or_default()
}

/// One text, or a list of several.
fn write_attributes(from: &DraftRow) -> Map<String, Value> {
    let value = |values: &[String]| match values {
        [one] => Value::String(one.clone()),
        several => several.iter().cloned().map(Value::String).collect(),
    };
    from.attributes.iter().map(|(name, values)| (name.clone(), value(values))).collect()
}

fn put_text(row: &mut Map<String, Value>, name: &str, text: Option<&str>) {
    if let Some(text) = text {
        row.insert(name.to_owned(), Value::String(text.to_owned()));
    }
}

fn put_list(row: &mut Map<String, Value>, name: &str, texts: &[String]) {
    if !texts.is_empty() {
        row.insert(name.to_owned(), texts.iter().cloned().map(Value::String).collect());
    }
}
