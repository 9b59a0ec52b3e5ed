//! A variant of a product.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::value::RawValue;

use super::barcodes::is_barcode;
use super::dates;
use super::json::{self, ObjectWriter, flag, text};
use super::markup::{with_ampersands, with_characters, with_texts_decoded};
use super::prices::{keyed_prices, prices};
use super::values::{Attribute, AttributeValue, read_attribute};
use crate::search::pricing::{Period, VariantTerms};

/// A variant of a product, such as its size M in red. It has no row of its own; what it leaves out is its product's.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Variant {
    /// Its id, or empty.
    pub id: String,
    /// Its article number, or empty.
    pub sku: String,
    /// The identifier in its barcode (GTIN, EAN, UPC, ISBN), else that of its first attribute of such a name, or empty.
    pub gtin: String,
    /// Its title, or empty.
    pub title: String,
    /// Its options, such as its colour and size, in the shop's order.
    pub options: Vec<Attribute>,
    /// Its other attributes; none has the name of an option, or of another one.
    pub attributes: Vec<Attribute>,
    /// Prices that differ from its product's.
    pub offer: VariantTerms,
    /// True if it can be bought now.
    pub in_stock: bool,
    /// Members that an answer shows besides its prices and its stock: an object of JSON.
    pub display: Vec<u8>,
}

impl Variant {
    /// Its options and other attributes.
    pub fn own_attributes(&self) -> impl Iterator<Item = &Attribute> {
        self.options.iter().chain(&self.attributes)
    }

    /// Its values of an attribute; if it has none, those among its product's attributes. A row may tell an attribute of
    /// the product twice, as a field and in `Attributes`: both count.
    pub fn values_of<'v>(&'v self, name: &str, product: &'v [Attribute]) -> Cow<'v, [AttributeValue]> {
        if let Some(own) = self.own_attributes().find(|attribute| attribute.name == name) {
            return Cow::Borrowed(&own.values);
        }
        let mut held = product.iter().filter(|attribute| attribute.name == name);
        let first = held.next().map_or(&[][..], |attribute| &attribute.values);
        let others: Vec<_> = held.flat_map(|attribute| &attribute.values).cloned().collect();
        if others.is_empty() { Cow::Borrowed(first) } else { Cow::Owned([first, &others].concat()) }
    }

    /// A variant that is known by its numbers and title alone.
    pub(super) fn from_numbers(id: String, sku: String, title: String, in_stock: bool) -> Self {
        Self { id, sku, title, in_stock, ..Self::default() }
    }

    /// Writes the members that an answer shows, as far as its row has not told them.
    pub(super) fn complete_display(&mut self) {
        if !self.display.is_empty() {
            self.add_options_to_display();
            return;
        }
        self.fill_gtin();
        let mut shown = self.begin_display();
        if !self.options.is_empty() {
            shown.raw("Options", &options_json(self.options.iter()));
        }
        self.display = shown.finish();
    }

    /// Adds the options that the settings of its product tell of a variant whose row tells none.
    fn add_options_to_display(&mut self) {
        const MEMBER: &[u8] = br#","Options":"#;
        // Within a text a quotation mark would have a backslash.
        let has_options = self.display.windows(MEMBER.len()).any(|bytes| bytes == MEMBER);
        if !has_options && !self.options.is_empty() && self.display.pop() == Some(b'}') {
            self.display.extend_from_slice(MEMBER);
            self.display.extend_from_slice(options_json(self.options.iter()).as_bytes());
            self.display.push(b'}');
        }
    }

    /// Takes the number of its first attribute that holds one, unless its row told it: a typed number then chooses it.
    fn fill_gtin(&mut self) {
        if self.gtin.is_empty() {
            let barcode = self.own_attributes().find(|attribute| is_barcode(&attribute.name));
            let number = barcode.and_then(|attribute| attribute.values.first()).map(AttributeValue::text);
            self.gtin = number.unwrap_or_default().to_owned();
        }
    }

    fn begin_display(&self) -> ObjectWriter {
        let mut shown = ObjectWriter::default();
        shown.member("Id", if self.id.is_empty() { &self.sku } else { &self.id });
        for (name, text) in [("Sku", &self.sku), ("Gtin", &self.gtin), ("Title", &self.title)] {
            if !text.is_empty() {
                shown.member(name, text);
            }
        }
        shown
    }
}

/// The options as an object of JSON: a text for each; a list where there are several values.
pub(super) fn options_json<'a>(options: impl Iterator<Item = &'a Attribute>) -> String {
    let mut shown = ObjectWriter::default();
    for Attribute { name, values } in options {
        match values.as_slice() {
            [value] => shown.member(name, &value.text()),
            values => shown.member(name, &values.iter().map(AttributeValue::text).collect::<Vec<_>>()),
        }
    }
    String::from_utf8(shown.finish()).unwrap_or_default()
}

/// Members that a variant takes from its product's row.
pub(super) struct ProductDefaults<'d> {
    /// True if the product can be bought.
    pub(super) in_stock: bool,
    /// Begin and end of the product's sale.
    pub(super) sale: &'d [String; 2],
}

/// Reads the `Variants` of a stored row.
pub(super) fn read_variants(value: &RawValue, product: &ProductDefaults<'_>) -> Vec<Variant> {
    json::elements(value).into_iter().filter_map(|element| read_variant(element, product)).collect()
}

fn read_variant(value: &RawValue, product: &ProductDefaults<'_>) -> Option<Variant> {
    let mut variant = Variant::default();
    let mut sent = SentVariant::default();
    for (name, value) in json::members(value) {
        variant.set_member(&name, value, &mut sent);
    }
    if variant.id.is_empty() {
        variant.id.clone_from(&variant.sku);
    }
    if variant.id.is_empty() {
        return None;
    }
    let is_there = sent.quantity.map(|quantity| quantity > 0.0);
    variant.in_stock = sent.in_stock.or(is_there).unwrap_or(product.in_stock);
    if sent.sale.iter().any(Option::is_some) {
        let [from, until] = [0, 1].map(|end| sent.sale[end].as_deref().unwrap_or(&product.sale[end]));
        // As of products: a sale with unreadable dates must not go on for ever.
        variant.offer.sale = Some(dates::period(from, until).unwrap_or(Period::NEVER));
    }
    let options = std::mem::take(&mut variant.options);
    variant.attributes.retain(|attribute| options.iter().all(|option| option.name != attribute.name));
    variant.options = options;
    variant.fill_gtin();
    let mut shown = variant.begin_display();
    sent.shown.iter().for_each(|(name, json)| shown.raw(name, json));
    variant.display = shown.finish();
    Some(variant)
}

/// Members of a variant that mean something only together with others or with its product.
#[derive(Default)]
struct SentVariant {
    in_stock: Option<bool>,
    quantity: Option<f64>,
    sale: [Option<String>; 2],
    /// Members that are shown as they are.
    shown: Vec<(&'static str, String)>,
}

impl Variant {
    fn set_member(&mut self, name: &str, value: &RawValue, sent: &mut SentVariant) {
        let decoded = || with_texts_decoded(value.get(), |text| with_characters(text).into_owned());
        match name {
            "Id" => self.id = text(value),
            "Sku" => self.sku = text(value),
            "Gtin" => self.gtin = text(value),
            "Title" => self.title = with_characters(&text(value)).into_owned(),
            "Options" => {
                self.options = read_attributes(value);
                sent.shown.push(("Options", decoded().into_owned()));
            }
            "Attributes" => {
                self.attributes = read_attributes(value);
                sent.shown.push(("Attributes", decoded().into_owned()));
            }
            "Prices" => self.offer.lists = Some(prices(value)),
            "SalePrices" => self.offer.sales = Some(prices(value)),
            "GroupPrices" => self.offer.groups = keyed_prices(value),
            "AccountPrices" => self.offer.accounts = keyed_prices(value),
            "SalePriceStartDate" => sent.sale[0] = Some(text(value)),
            "SalePriceEndDate" => sent.sale[1] = Some(text(value)),
            "InStock" => sent.in_stock = Some(flag(value)),
            // As of products, no answer shows how many there are.
            "StockQty" => sent.quantity = text(value).parse().ok(),
            "Image" | "Link" => {
                let name = if name == "Image" { "Image" } else { "Link" };
                let address = serde_json::to_string(&with_ampersands(&text(value)));
                sent.shown.extend(address.ok().map(|address| (name, address)));
            }
            _ => {}
        }
    }
}

/// Reads the attributes of an object, each name once: the last counts, as it is shown.
fn read_attributes(value: &RawValue) -> Vec<Attribute> {
    let members = json::members(value);
    let mut attributes: Vec<Attribute> = Vec::with_capacity(members.len());
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (name, value) in &members {
        let Some(attribute) = read_attribute(name, value) else { continue };
        let place = *places.entry(name).or_insert(attributes.len());
        match attributes.get_mut(place) {
            Some(earlier) => *earlier = attribute,
            None => attributes.push(attribute),
        }
    }
    attributes
}
