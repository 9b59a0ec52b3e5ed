//! A stored row becomes a document.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::value::RawValue;

use super::fault::DocumentFault;
use super::json::{self, Members, ObjectWriter, flag, text, texts};
use super::markup::{with_ampersands, with_characters, with_texts_decoded, without_markup};
use super::prices::{keyed_prices, prices};
use super::product_document::{Display, ProductDocument};
use super::tables::ShopTables;
use super::values::read_attribute;
use super::variant::{ProductDefaults, Variant, options_json, read_variants};
use super::{configurable, dates};
use crate::limits;
use crate::search::pricing::{OfferTerms, Period, PriceTerms};

/// Members that an answer shows as texts, also when they are absent.
const SHOWN_AS_TEXTS: [&str; 5] = ["Id", "Sku", "Title", "Link", "Image"];

/// Members that no answer shows: prices are resolved for each caller, and accounts are confidential.
const NOT_SHOWN: [&str; 26] = [
    "Prices",
    "SalePrices",
    "GroupPrices",
    "AccountPrices",
    "SalePriceStartDate",
    "SalePriceEndDate",
    "AccountInclusions",
    "AccountExclusions",
    "NoDefaultPriceForAccounts",
    "ExcludeFromSearch",
    "ExcludeFromProductListing",
    "ExcludeFromRecommenders",
    "Brand",
    "StockQty",
    "InStock",
    "Visibility",
    "jsonconfig",
    "swatchrenderjson",
    "_index",
    // Its variants name accounts; an answer shows one, and the options of all.
    "Variants",
    "Options",
    // Members of the answer about the caller's price and the match.
    "Price",
    "ListPrice",
    "Currency",
    "Variant",
    "Highlight",
];

/// Members that are on no card, even if they are short: a page would find them for some products only.
const NOT_ON_CARD: [&str; 4] = ["Description", "AssociatedIds", "AssociatedSkus", "AssociatedTitles"];

/// A longer value of JSON is on no card.
pub const CARD_VALUE_BYTES: usize = 1_000;

/// A row of `AccountPrices`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AccountPrice {
    /// The account's tag.
    pub tag: String,
    /// The id of the product or variant, or empty.
    pub id: String,
    /// Its article number, or empty.
    pub sku: String,
    /// The id of the product whose variant it is, or empty.
    pub parent_id: String,
    /// Prices for the account.
    pub prices: PriceTerms,
}

/// Reads a stored row of `Products`.
///
/// # Errors
/// When the row is no object of JSON, or has neither `Id` nor `Sku`.
pub fn read_document(row: &[u8], tables: &ShopTables) -> Result<ProductDocument, DocumentFault> {
    let members = parse(row)?;
    let mut document = ProductDocument::default();
    let mut lists = PendingFields::default();
    for (name, value) in &members {
        document.set_member(name, value, &mut lists);
    }
    if document.id.is_empty() {
        document.id.clone_from(&document.sku);
    }
    if document.id.is_empty() {
        return Err(DocumentFault::Missing("Id"));
    }
    // A brand without a row is called by its id, which is no text until then.
    document.brand = with_characters(tables.brands.name(&document.brand_id)).into_owned();
    document.categories = tables.categories.with_ancestors(&lists.categories);
    let names = document.categories.iter().map(|id| with_characters(tables.categories.name(id)).into_owned());
    document.category_names = names.collect();
    for name in std::mem::take(&mut lists.category_names) {
        if !document.category_names.contains(&name) {
            document.category_names.push(name);
        }
    }
    lists.move_into(&mut document);
    document.display = display(&members, &document);
    Ok(document)
}

/// Reads a stored row of `AccountPrices`.
///
/// # Errors
/// When the row is no object of JSON, has no `AccountTag`, or neither `Id` nor `Sku`.
pub fn read_account_price(row: &[u8]) -> Result<AccountPrice, DocumentFault> {
    let members = parse(row)?;
    let member = |name: &str| members.iter().find(|(member, _)| member == name).map(|(_, value)| *value);
    let member_text = |name: &str| member(name).map(text).unwrap_or_default();
    let price = AccountPrice {
        tag: member_text("AccountTag"),
        id: member_text("Id"),
        sku: member_text("Sku"),
        parent_id: member_text("ParentId"),
        prices: PriceTerms {
            lists: member("Prices").map(prices).unwrap_or_default(),
            sales: member("SalePrices").map(prices).unwrap_or_default(),
        },
    };
    if price.tag.is_empty() {
        return Err(DocumentFault::Missing("AccountTag"));
    }
    if price.id.is_empty() && price.sku.is_empty() {
        return Err(DocumentFault::Missing("Id"));
    }
    Ok(price)
}

type MemberList<'a> = Vec<(Cow<'a, str>, &'a RawValue)>;

fn parse(row: &[u8]) -> Result<MemberList<'_>, DocumentFault> {
    let members: Result<Members<'_>, _> = serde_json::from_slice(row);
    members.map(|members| members.0).map_err(|fault| DocumentFault::Malformed(fault.to_string()))
}

/// Members that mean something only together with others.
#[derive(Default)]
struct PendingFields<'a> {
    categories: Vec<String>,
    category_names: Vec<String>,
    ids: Vec<String>,
    skus: Vec<String>,
    titles: Vec<String>,
    /// Attribute values of each variant, in Magento's form.
    settings: String,
    variants: Option<&'a RawValue>,
    /// The shop's flag that it can be bought, and the number in stock.
    in_stock: Option<bool>,
    quantity: Option<f64>,
    /// Begin and end of the sale and of the time in which the product is shown.
    sale: [String; 2],
    shown: [String; 2],
}

impl PendingFields<'_> {
    fn move_into(self, document: &mut ProductDocument) {
        let is_there = self.quantity.is_none_or(|quantity| quantity > 0.0);
        document.in_stock = self.in_stock.unwrap_or(is_there);
        let [from, until] = &self.sale;
        // A sale with unreadable dates must not go on for ever.
        document.offer.sale = dates::period(from, until).unwrap_or(Period::NEVER);
        let [from, until] = &self.shown;
        document.newest = dates::parse_begin(from).unwrap_or_default();
        // Shown on an unwanted day is worse than not shown; the feed's issues report it.
        document.offer.shown = dates::period(from, until).unwrap_or(Period::NEVER);
        self.move_variants(document);
    }

    fn move_variants(self, document: &mut ProductDocument) {
        let in_stock = document.in_stock;
        let defaults = ProductDefaults { in_stock, sale: &self.sale };
        document.variants = self.variants.map(|sent| read_variants(sent, &defaults)).unwrap_or_default();
        document.add_numbered_variants([self.ids, self.skus, self.titles]);
        // Everything that is written of variants is written of the same ones: a place has one meaning.
        let kept = document.variants.len().min(limits::VARIANTS);
        let further = document.variants.split_off(kept).into_iter();
        let numbers = further.flat_map(|variant| [variant.id, variant.sku, variant.gtin]);
        document.further_numbers.extend(numbers.filter(|number| !number.is_empty()));
        if !self.settings.is_empty() {
            configurable::add_options(&self.settings, &mut document.variants);
        }
        document.variants.iter_mut().for_each(Variant::complete_display);
        if !document.variants.is_empty() {
            document.in_stock = document.variants.iter().any(|variant| variant.in_stock);
        }
    }
}

impl ProductDocument {
    /// Adds the variants of these ids, article numbers and titles, unless the row told them as objects. If it told only
    /// some of them, as after a change of one variant's stock, all stand in the order of these lists.
    fn add_numbered_variants(&mut self, [ids, skus, titles]: [Vec<String>; 3]) {
        let in_stock = self.in_stock;
        let told_count = self.variants.len();
        let count = ids.len().max(skus.len()).max(titles.len());
        let mut told: HashMap<String, usize> = HashMap::new();
        for (index, variant) in self.variants.iter().enumerate() {
            for key in [&variant.id, &variant.sku].into_iter().filter(|key| !key.is_empty()) {
                told.entry(key.clone()).or_insert(index);
            }
        }
        // By variant: its place in the lists; those without one come last.
        let mut places = vec![usize::MAX; self.variants.len()];
        let mut columns = [ids, skus, titles].map(Vec::into_iter);
        for place in 0..count {
            let [id, sku, title] = columns.each_mut().map(|column| column.next().unwrap_or_default());
            // A row may tell its variants twice: as objects, and by their numbers, of which an object may lack one.
            if let Some(index) = told.get(&id).or_else(|| told.get(&sku)) {
                places[*index] = places[*index].min(place);
                let unknown = [id, sku].into_iter().filter(|number| !told.contains_key(number));
                self.further_numbers.extend(unknown.filter(|number| !number.is_empty()));
            } else {
                self.variants.push(Variant::from_numbers(id, sku, title, in_stock));
                places.push(place);
            }
        }
        if self.variants.len() > told_count {
            let mut placed: Vec<_> = places.into_iter().zip(std::mem::take(&mut self.variants)).collect();
            placed.sort_by_key(|(place, _)| *place);
            self.variants = placed.into_iter().map(|(_, variant)| variant).collect();
        }
    }

    fn set_member<'a>(&mut self, name: &str, value: &'a RawValue, lists: &mut PendingFields<'a>) {
        match name {
            "Id" => self.id = text(value),
            "Sku" => self.sku = text(value),
            "Title" => self.title = with_characters(&text(value)).into_owned(),
            "Description" => self.description = without_markup(&text(value)),
            "Brand" => self.brand_id = text(value),
            "Categories" => lists.categories = texts(value),
            "MagentoCategories" => lists.category_names = decode_texts(texts(value)),
            "SearchTags" => self.tags = decode_texts(texts(value)),
            "AssociatedIds" => lists.ids = json::aligned_texts(value),
            "AssociatedSkus" => lists.skus = json::aligned_texts(value),
            "AssociatedTitles" => lists.titles = decode_texts(json::aligned_texts(value)),
            "Variants" => lists.variants = Some(value),
            "jsonconfig" => lists.settings = configurable::settings(value).into_owned(),
            "InStock" => lists.in_stock = Some(flag(value)),
            "StockQty" => lists.quantity = text(value).parse().ok(),
            "NewArrival" => self.new_arrival = flag(value),
            "OnOffer" => self.on_offer = flag(value),
            "ExcludeFromSearch" => {
                self.hidden = flag(value);
                self.offer.hidden = self.hidden;
            }
            "StartDate" => lists.shown[0] = text(value),
            "EndDate" => lists.shown[1] = text(value),
            "SalePriceStartDate" => lists.sale[0] = text(value),
            "SalePriceEndDate" => lists.sale[1] = text(value),
            "Attributes" if value.get().starts_with('{') => {
                let attributes = json::members(value);
                self.attributes
                    .extend(attributes.iter().filter_map(|(name, value)| read_attribute(name, value)));
            }
            _ if take_offer(&mut self.offer, name, value) || is_passed_over(name) => {}
            attribute => self.attributes.extend(read_attribute(attribute, value)),
        }
    }
}

fn decode_texts(texts: Vec<String>) -> Vec<String> {
    texts.into_iter().map(|text| with_characters(&text).into_owned()).collect()
}

/// Fields that search has no use for but to show them.
fn is_passed_over(name: &str) -> bool {
    let passed_over = [
        "Link",
        "Image",
        "ImageOverlay",
        "AllImages",
        "MagentoProductType",
        "ProductType",
        "Visibility",
        "PromoMessage",
        "Swatches",
        "swatchrenderjson",
        "_index",
    ];
    passed_over.contains(&name)
}

/// Takes a member that belongs to the offer; false if it does not.
fn take_offer(offer: &mut OfferTerms, name: &str, value: &RawValue) -> bool {
    match name {
        "Prices" => offer.prices.lists = prices(value),
        "SalePrices" => offer.prices.sales = prices(value),
        "GroupPrices" => offer.groups = keyed_prices(value),
        "AccountPrices" => offer.accounts = keyed_prices(value),
        "AccountInclusions" => offer.inclusions = texts(value),
        "AccountExclusions" => offer.exclusions = texts(value),
        "NoDefaultPriceForAccounts" => offer.own_prices_only = flag(value),
        "ExcludeFromProductListing" => offer.unlisted = flag(value),
        "ExcludeFromRecommenders" => offer.unrecommended = flag(value),
        _ => return false,
    }
    true
}

/// The value of a member as it is shown, with decoded texts. Ids, JSON in a text and HTML stay as they are.
fn decode_shown<'v>(name: &str, value: &'v RawValue) -> Cow<'v, str> {
    match name {
        "Categories" | "AssociatedIds" | "AssociatedSkus" | "Description" => Cow::Borrowed(value.get()),
        "ImageOverlay" | "AllImages" => with_texts_decoded(value.get(), with_ampersands),
        _ => with_texts_decoded(value.get(), |text| with_characters(text).into_owned()),
    }
}

/// Content that an answer may show: the row's members except prices, accounts and switches, and the brand by its name.
fn display(members: &MemberList<'_>, document: &ProductDocument) -> Display {
    let mut card = ObjectWriter::default();
    let mut rest = ObjectWriter::default();
    for name in SHOWN_AS_TEXTS {
        let member = members.iter().find(|(member, _)| member == name).map(|(_, value)| *value);
        match member {
            _ if name == "Id" => card.member(name, &document.id),
            _ if name == "Title" => {
                card.member(name, &document.title);
            }
            Some(value) if name == "Link" || name == "Image" => {
                card.member(name, &with_ampersands(&text(value)))
            }
            Some(value) if value.get().starts_with('"') => card.raw(name, value.get()),
            Some(value) => card.member(name, &text(value)),
            None => card.member(name, &""),
        }
    }
    if !document.brand_id.is_empty() {
        card.member("Brand", &document.brand);
        card.member("BrandId", &document.brand_id);
    }
    let options = document.options();
    if !options.is_empty() {
        let json = options_json(options.iter());
        let part = if json.len() > CARD_VALUE_BYTES { &mut rest } else { &mut card };
        part.raw("Options", &json);
    }
    for (name, value) in members {
        let is_written = SHOWN_AS_TEXTS.contains(&&**name) || name == "BrandId";
        let is_secret = NOT_SHOWN.contains(&&**name);
        if is_written || is_secret {
            continue;
        }
        let is_long = value.get().len() > CARD_VALUE_BYTES || NOT_ON_CARD.contains(&&**name);
        let part = if is_long { &mut rest } else { &mut card };
        part.raw(name, &decode_shown(name, value));
    }
    Display { card: card.finish(), rest: rest.finish() }
}
