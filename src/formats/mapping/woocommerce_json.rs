//! WooCommerce: JSON of its REST API (`/wp-json/wc/v3/products`) and of its Store API
//! (`/wp-json/wc/store/v1/products`).
//!
//! Variations are objects of their own, with their product's number, or stand in its `variations`; a list of numbers
//! there says nothing. Numbers have a decimal point whatever the shop's language, and the Store API's prices are in
//! the currency's smallest unit. `meta_data`, shipping, taxes, downloads and reviews are left out.

use iso_currency::Currency;
use rust_decimal::Decimal;
use serde_json::{Map, Value};

use super::context::MappingContext;
use super::woocommerce_csv::{LIST_MAX, WooRowType, apply_visibility, group_of_id, is_published};
use crate::feeds::IssueCode;
use crate::formats::draft_row::{DraftIssue, DraftOption, DraftRow, RecordPlace, RowRole};
use crate::formats::values::availability::parse_availability;
use crate::formats::values::date_text::{DateReading, parse_date};
use crate::formats::values::markup::to_plain_text;
use crate::formats::values::price_text::parse_price;

/// Decimals of a currency that nothing tells.
const DECIMALS_USUAL: u32 = 2;

/// Rows of an object of a product or of a variation: its own, and those of the variations in it.
#[must_use]
pub fn map_woocommerce_product(
    object: &Map<String, Value>,
    place: RecordPlace,
    context: &MappingContext<'_>,
) -> Vec<DraftRow> {
    let product = map_object(object, None, place, context);
    let variations = object.get("variations").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    // A variation without a price of its own is a reference: its row stands elsewhere, or nowhere.
    let has_price = |object: &&Map<String, Value>| {
        ["price", "regular_price", "prices"].iter().any(|name| object.contains_key(*name))
    };
    let embedded = variations.iter().filter_map(Value::as_object).filter(has_price);
    let parent = product.id.clone().filter(|_| product.role == RowRole::Parent);
    let Some(parent) = parent else {
        return vec![product];
    };
    let rows = embedded.map(|variation| map_object(variation, Some(&parent), place, context));
    let mut all = vec![product];
    all.extend(rows);
    all
}

/// Row of one object; `parent` is the id of the product that it stands in.
fn map_object(
    object: &Map<String, Value>,
    parent: Option<&str>,
    place: RecordPlace,
    context: &MappingContext<'_>,
) -> DraftRow {
    let reader = ObjectReader { object, context };
    let mut row = DraftRow {
        place,
        id: reader.text("id"),
        sku: reader.text("sku"),
        gtin: reader.text("global_unique_id"),
        title: reader.plain_text("name").or_else(|| reader.plain_text("title")),
        description: reader.plain_text("description").or_else(|| reader.plain_text("short_description")),
        link: reader.text("permalink").or_else(|| reader.text("external_url")),
        categories: reader.titles("categories").into_iter().map(|title| vec![title]).collect(),
        tags: reader.titles("tags"),
        ..DraftRow::default()
    };
    let parent = parent.map(str::to_owned).or_else(|| reader.parent());
    let kind = set_group(&mut row, &reader, parent);
    set_brand(&mut row, &reader);
    set_images(&mut row, &reader);
    set_prices(&mut row, &reader);
    set_stock(&mut row, &reader);
    set_attributes(&mut row, &reader, kind);
    row.is_hidden = reader.text("status").is_some_and(|status| !is_published(&status));
    apply_visibility(&mut row, &reader.text("catalog_visibility").unwrap_or_default());
    row
}

/// Members of one object.
struct ObjectReader<'a> {
    object: &'a Map<String, Value>,
    context: &'a MappingContext<'a>,
}

impl<'a> ObjectReader<'a> {
    /// A trimmed text or number; `None` for anything else, and for an empty text.
    fn text(&self, name: &str) -> Option<String> {
        self.object.get(name).and_then(to_text)
    }

    fn plain_text(&self, name: &str) -> Option<String> {
        self.text(name).map(|text| to_plain_text(&text)).filter(|text| !text.is_empty())
    }

    /// The first entries of a list.
    fn list(&self, name: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
        self.object.get(name).and_then(Value::as_array).into_iter().flatten().take(LIST_MAX)
    }

    /// Names of a list of objects such as categories.
    fn titles(&self, name: &str) -> Vec<String> {
        self.list(name).filter_map(name_of).collect()
    }

    /// Id of the product that a variation belongs to: `parent_id` of the REST API, `parent` of the Store API.
    fn parent(&self) -> Option<String> {
        let id = self.text("parent_id").or_else(|| self.text("parent"));
        id.filter(|id| id != "0")
    }
}

fn to_text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    Some(text).filter(|text| !text.is_empty())
}

/// The name of `{"name": …}`, or a text itself.
fn name_of(value: &Value) -> Option<String> {
    let name = value.get("name").unwrap_or(value);
    to_text(name).map(|text| to_plain_text(&text)).filter(|text| !text.is_empty())
}

fn set_group(row: &mut DraftRow, reader: &ObjectReader<'_>, parent: Option<String>) -> WooRowType {
    let kind = WooRowType::parse(&reader.text("type").unwrap_or_default());
    let kind = if parent.is_some() { WooRowType::Variation } else { kind };
    match kind {
        WooRowType::Product => {}
        WooRowType::Variable => {
            row.role = RowRole::Parent;
            row.group = row.id.as_deref().map(group_of_id);
        }
        WooRowType::Variation => {
            row.group = parent.as_deref().map(group_of_id);
            if row.group.is_none() {
                row.issues
                    .push(DraftIssue { code: IssueCode::ParentMissing, column: "parent_id".to_owned() });
            }
        }
    }
    kind
}

fn set_brand(row: &mut DraftRow, reader: &ObjectReader<'_>) {
    let mut brands = reader.titles("brands");
    if !brands.is_empty() {
        row.brand = Some(brands.remove(0));
        row.add_values("Brands", brands);
    }
}

/// `images` of a product, `image` of a variation.
fn set_images(row: &mut DraftRow, reader: &ObjectReader<'_>) {
    let own = reader.object.get("image").into_iter();
    let addresses = own.chain(reader.list("images")).filter_map(|image| image.get("src").and_then(to_text));
    for address in addresses {
        if row.image.is_none() {
            row.image = Some(address);
        } else if row.image.as_ref() != Some(&address) {
            row.more_images.push(address);
        }
    }
}

fn set_prices(row: &mut DraftRow, reader: &ObjectReader<'_>) {
    if let Some(prices) = reader.object.get("prices").and_then(Value::as_object) {
        let units = MinorUnits::new(prices, reader.context);
        let read = |name: &str| units.as_ref().and_then(|units| units.read(prices, name));
        let regular = read("regular_price").or_else(|| read("price"));
        let sale = read("sale_price").filter(|sale| Some(sale) != regular.as_ref());
        if regular.is_none() && (prices.contains_key("price") || prices.contains_key("regular_price")) {
            row.issues.push(DraftIssue { code: IssueCode::PriceUnreadable, column: "prices".to_owned() });
        }
        row.prices.extend(regular);
        row.sale_prices.extend(sale);
        return;
    }
    // A variable product has a `price` alone, the lowest of its variations.
    let regular = if reader.text("regular_price").is_some() { "regular_price" } else { "price" };
    let price = read_price(row, reader, regular);
    row.prices.extend(price);
    let sale = read_price(row, reader, "sale_price");
    row.sale_prices.extend(sale);
    if !row.sale_prices.is_empty() {
        row.sale_start = read_date(row, reader, "date_on_sale_from");
        row.sale_end = read_date(row, reader, "date_on_sale_to");
    }
}

/// A price of the REST API, which has a decimal point in every shop.
fn read_price(row: &mut DraftRow, reader: &ObjectReader<'_>, name: &str) -> Option<String> {
    let text = reader.text(name)?;
    let price = match text.parse::<Decimal>() {
        Ok(amount) => Some(with_currency(amount, reader.context.currency)),
        Err(_) => parse_price(&text, None, reader.context),
    };
    if price.is_none() {
        row.issues.push(DraftIssue { code: IssueCode::PriceUnreadable, column: name.to_owned() });
    }
    price
}

fn with_currency(amount: Decimal, currency: Option<&str>) -> String {
    match currency {
        Some(currency) => format!("{amount} {currency}"),
        None => amount.to_string(),
    }
}

/// Unit of the Store API's prices.
struct MinorUnits<'a> {
    currency: Option<&'a str>,
    /// Decimals of the currency.
    decimals: u32,
}

impl<'a> MinorUnits<'a> {
    /// `None` for a currency that does not exist: its prices must not pass for those of the account's.
    fn new(prices: &Map<String, Value>, context: &MappingContext<'a>) -> Option<Self> {
        let known = match prices.get("currency_code").and_then(to_text) {
            Some(code) => Some(Currency::from_code(&code.to_ascii_uppercase())?),
            None => None,
        };
        let sent = prices.get("currency_minor_unit").and_then(Value::as_u64);
        let sent = sent.and_then(|decimals| u32::try_from(decimals).ok());
        let usual = known.and_then(Currency::exponent).map(u32::from);
        let currency = known.map(|currency| currency.code()).or(context.currency);
        Some(Self { currency, decimals: sent.or(usual).unwrap_or(DECIMALS_USUAL) })
    }

    fn read(&self, prices: &Map<String, Value>, name: &str) -> Option<String> {
        let amount: i64 = prices.get(name).and_then(to_text)?.parse().ok()?;
        let amount = Decimal::try_new(amount, self.decimals).ok()?;
        Some(with_currency(amount, self.currency))
    }
}

/// A date of the REST API; the one in UTC counts, if there is one.
fn read_date(row: &mut DraftRow, reader: &ObjectReader<'_>, name: &str) -> Option<String> {
    let text = reader.text(&format!("{name}_gmt")).or_else(|| reader.text(name))?;
    match parse_date(&text, reader.context) {
        DateReading::Blank => None,
        DateReading::Malformed => Some(text),
        DateReading::Date { iso, is_ambiguous } => {
            if is_ambiguous {
                row.issues.push(DraftIssue { code: IssueCode::DateAmbiguous, column: name.to_owned() });
            }
            Some(iso)
        }
    }
}

fn set_stock(row: &mut DraftRow, reader: &ObjectReader<'_>) {
    let number = reader.object.get("stock_quantity").and_then(Value::as_number);
    row.quantity = number.map(ToString::to_string);
    let flag = ["is_in_stock", "in_stock"].iter().find_map(|name| reader.object.get(*name)?.as_bool());
    row.in_stock = match reader.text("stock_status").as_deref() {
        Some("instock" | "onbackorder") => Some(true),
        Some("outofstock") => Some(false),
        Some(other) => parse_availability(other).or(flag),
        None => flag,
    };
    if row.in_stock.is_none() {
        let is_sold_on = reader.text("backorders").is_some_and(|policy| policy != "no");
        let count = number.and_then(serde_json::Number::as_f64);
        row.in_stock = count.map(|count| count > 0.0 || is_sold_on);
    }
}

/// Attributes of a variation are its options; those of a product are attributes.
fn set_attributes(row: &mut DraftRow, reader: &ObjectReader<'_>, kind: WooRowType) {
    for attribute in reader.list("attributes") {
        let Some(name) = name_of_attribute(attribute) else {
            continue;
        };
        if kind == WooRowType::Variation {
            let value =
                ["option", "value"].iter().find_map(|member| attribute.get(*member).and_then(name_of));
            let value = value.or_else(|| values_of_attribute(attribute).into_iter().next());
            row.options.extend(value.map(|value| DraftOption { position: 0, name, value }));
        } else {
            row.add_values(&name, values_of_attribute(attribute));
        }
    }
    if kind == WooRowType::Variation && row.options.is_empty() {
        row.options = parse_variation_text(&reader.plain_text("variation").unwrap_or_default());
    }
    for (member, name) in
        [("weight", "Weight"), ("length", "Length"), ("width", "Width"), ("height", "Height")]
    {
        let size = reader.object.get("dimensions").and_then(|sizes| sizes.get(member));
        let value = reader.object.get(member).or(size).and_then(to_text);
        row.add_values(name, value.into_iter().collect());
    }
}

/// `name`, but not a number or a list.
fn name_of_attribute(attribute: &Value) -> Option<String> {
    attribute.get("name").and_then(to_text).map(|name| to_plain_text(&name)).filter(|name| !name.is_empty())
}

/// `options` of the REST API, `terms` of the Store API.
fn values_of_attribute(attribute: &Value) -> Vec<String> {
    let lists = ["options", "terms"].iter().filter_map(|member| attribute.get(*member)?.as_array());
    lists.flatten().take(LIST_MAX).filter_map(name_of).collect()
}

/// Options of a variation in the Store API: `Colour: Red, Size: Large`.
fn parse_variation_text(text: &str) -> Vec<DraftOption> {
    let mut options: Vec<DraftOption> = Vec::new();
    for part in text.split(", ").take(LIST_MAX) {
        match (part.split_once(": "), options.last_mut()) {
            (Some((name, value)), _) if !name.trim().is_empty() && !value.trim().is_empty() => {
                let name = name.trim().to_owned();
                options.push(DraftOption { position: 0, name, value: value.trim().to_owned() });
            }
            // A comma within the value of the option before it.
            (None, Some(last)) if !part.trim().is_empty() => {
                last.value.push_str(", ");
                last.value.push_str(part.trim());
            }
            _ => {}
        }
    }
    options
}

#[cfg(test)]
#[path = "woocommerce_json_tests.rs"]
mod tests;
