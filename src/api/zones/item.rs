//! A product in a zone, field by field as plugins read it, and the title over it.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde_json::Value;
use url::{ParseError, Url};

use crate::api::search::variant_json;
use crate::i18n::{self, Translations};
use crate::limits;
use crate::search::document::{CARD_VALUE_BYTES, Members, ObjectWriter, elements, members, scalar};
use crate::search::engine::ProductResult;
use crate::search::pricing::Price;
use crate::search::text::ShopLanguage;

/// A brand as plugins read it.
#[derive(serde::Serialize)]
#[serde(rename_all = "PascalCase")]
struct Brand<'b> {
    id: &'b str,
    display_name: &'b str,
}

/// Members of an item that are written here: the shop sent them differently, or not at all.
const OWN: [&str; 16] = [
    "Brand",
    "InStock",
    "Options",
    "Swatches",
    "Variant",
    "Variants",
    "Price",
    "DisplayPrice",
    "CurrencySymbol",
    "WasPrice",
    "DisplayWasPrice",
    "SavingPrice",
    "SavingDisplayPrice",
    "SavingPercent",
    "RefId",
    "clickEvt",
];

/// Fields of an item that are sent.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub enum WantedFields {
    /// All fields: plugins of shops look for fields of their own.
    #[default]
    All,
    /// The fields of a card, which a page renders, and those of the other fields that have these names.
    Card(Vec<String>),
}

impl WantedFields {
    /// Fields for a page that names those it needs besides a card; `*` is all.
    pub fn of_page(named: Vec<String>) -> Self {
        if named.iter().any(|name| name == "*") { Self::All } else { Self::Card(named) }
    }

    /// Returns true if a field that is on no card is sent.
    pub fn has(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Card(named) => named.iter().any(|one| one == name),
        }
    }
}

/// A product of a zone, or of a search, with its source: its `needed` fields, as far as they may be shown, and its
/// price for the caller.
///
/// # Errors
/// When a row of the index is damaged.
pub fn json(
    item: &ProductResult,
    source: &str,
    language: ShopLanguage,
    needed: &WantedFields,
) -> Result<String, serde_json::Error> {
    let mut object = ObjectWriter::default();
    let mut brand = (String::new(), String::new());
    let mut attributes = Vec::new();
    let mut taken = HashSet::new();
    for (part, is_on_card) in [(&item.card, true), (&item.rest, false)] {
        let row: Members<'_> = serde_json::from_slice(part)?;
        for (name, value) in
            row.0.iter().filter(|(name, _)| is_on_card || name == "Attributes" || needed.has(name))
        {
            match &**name {
                "Brand" => brand.1 = scalar(value).into_owned(),
                "BrandId" => brand.0 = scalar(value).into_owned(),
                "AllImages" | "Categories" | "SearchTags" => {
                    // A single one comes as a text, where clients walk through a list.
                    let all: Vec<_> = elements(value).iter().map(|element| element.get()).collect();
                    object.raw(name, &format!("[{}]", all.join(",")));
                    taken.insert(name.clone());
                }
                // One that is long keeps no other from a card.
                "Attributes" => {
                    attributes = members(value);
                    attributes
                        .retain(|(name, value)| value.get().len() <= CARD_VALUE_BYTES || needed.has(name));
                }
                _ => {
                    taken.insert(name.clone());
                    object.raw(name, value.get());
                }
            }
        }
    }
    // The shop's own fields stand next to the common ones.
    for (name, value) in
        attributes.iter().filter(|(name, _)| !OWN.contains(&&**name) && !taken.contains(name))
    {
        object.raw(name, value.get());
    }
    if !brand.0.is_empty() {
        object.member("Brand", &Brand { id: &brand.0, display_name: &brand.1 });
    }
    object.member("InStock", &item.in_stock);
    if let Some(variant) = &item.variant {
        object.raw("Variant", &variant_json(variant)?);
    }
    if let Some(price) = item.offered.price {
        prices(&mut object, price, item.offered.list, language);
    }
    object.member("RefId", &source);
    object.member("clickEvt", &click(&item.id, source));
    String::from_utf8(object.finish()).map_err(serde::de::Error::custom)
}

/// An item for a template: addresses in it are those of the web or of the shop, or empty. Nothing else may stand in an
/// attribute of HTML that leads somewhere.
/// It is small: a template may compare items, and look for one in a text, and each is a step or two for its library.
pub fn for_html(json: &str) -> Value {
    let sent: Value = serde_json::from_str(json).unwrap_or_default();
    let Value::Object(members) = sent else { return Value::Null };
    let mut room = TemplateBudget { bytes: limits::TEMPLATE_ITEM_BYTES, members: limits::TEMPLATE_MEMBERS };
    // Fields that nearly all templates use come first, whatever else the shop sends.
    let is_first = |name: &str| FIRST.contains(&name);
    let (first, others): (Vec<_>, Vec<_>) = members.into_iter().partition(|(name, _)| is_first(name));
    let kept = first.into_iter().chain(others).filter_map(|(name, value)| {
        let value = if name == "Brand" { value } else { room.fit_value(value)? };
        Some((name, value))
    });
    let mut item = Value::Object(kept.collect());
    for name in ["Link", "Image", "ImageOverlay", "AllImages"] {
        match item.get_mut(name) {
            Some(Value::Array(all)) => all.iter_mut().for_each(make_safe),
            Some(address) => make_safe(address),
            None => {}
        }
    }
    item
}

/// Members of an item that a template has in any case.
const FIRST: [&str; 10] =
    ["Id", "Sku", "Title", "Link", "Image", "Brand", "RefId", "DisplayPrice", "DisplayWasPrice", "InStock"];

/// Bytes and members of an item that a template may still get.
struct TemplateBudget {
    bytes: usize,
    members: usize,
}

impl TemplateBudget {
    /// A value, or its beginning; `None` for an object, and when there is no room.
    fn fit_value(&mut self, value: Value) -> Option<Value> {
        self.members = self.members.checked_sub(1)?;
        match value {
            Value::String(mut text) => {
                text.truncate(text.floor_char_boundary(self.bytes));
                self.bytes -= text.len();
                Some(Value::String(text))
            }
            Value::Array(all) => {
                let is_plain = |value: &Value| !value.is_array() && !value.is_object();
                let fitted = all.into_iter().filter(is_plain).map_while(|value| self.fit_value(value));
                Some(Value::Array(fitted.collect()))
            }
            Value::Object(_) => None,
            Value::Null | Value::Bool(_) | Value::Number(_) => Some(value),
        }
    }
}

fn make_safe(address: &mut Value) {
    let is_safe = address.as_str().is_some_and(|text| match Url::parse(text) {
        Ok(url) => ["http", "https"].contains(&url.scheme()),
        Err(fault) => fault == ParseError::RelativeUrlWithoutBase,
    });
    if !is_safe {
        *address = Value::String(String::new());
    }
}

fn prices(object: &mut ObjectWriter, price: Price, list: Option<Price>, language: ShopLanguage) {
    object.raw("Price", &price.decimal());
    object.member("DisplayPrice", &display_price(price, language));
    object.member("CurrencySymbol", &symbol(price));
    let Some(was) = list.filter(|list| list.amount > price.amount) else { return };
    let saving = Price { amount: was.amount - price.amount, ..price };
    object.raw("WasPrice", &was.decimal());
    object.member("DisplayWasPrice", &display_price(was, language));
    object.raw("SavingPrice", &saving.decimal());
    object.member("SavingDisplayPrice", &display_price(saving, language));
    // Rounded down: a shopper never saves less than it says.
    let percent = i128::from(saving.amount) * 100 / i128::from(was.amount);
    object.raw("SavingPercent", &percent.to_string());
}

/// A price as people of a language read it.
fn display_price(price: Price, language: ShopLanguage) -> String {
    let number = price.decimal();
    match language {
        ShopLanguage::English => format!("{}{number}", symbol(price)),
        _ => format!("{}\u{a0}{}", number.replace('.', ","), symbol(price)),
    }
}

fn symbol(price: Price) -> String {
    let known = iso_currency::Currency::from_code(price.code());
    known.map_or_else(|| price.code().to_owned(), |currency| currency.symbol().symbol)
}

/// The text of a script that reports a click. The client writes it into an HTML attribute: none of its characters
/// means anything there.
fn click(id: &str, source: &str) -> String {
    let plain = |text: &str| -> String {
        let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "-_.%".contains(sign);
        let coded =
            |sign: char| if is_plain(sign) { sign.to_string() } else { sign.escape_unicode().to_string() };
        text.chars().map(coded).collect()
    };
    format!("_pc('item_click',{{id:'{}',refid:'{}'}})", plain(id), plain(source))
}

/// Title over items whose campaign has none: by the name of their recommender, `categories` or `brands`.
pub fn title(name: &str, language: ShopLanguage) -> String {
    static TEXTS: LazyLock<[Translations; 3]> =
        LazyLock::new(|| i18n::UiLanguage::ALL.map(Translations::load));
    let (language, _) = i18n::UiLanguage::or_english(language.code());
    let of_language = i18n::UiLanguage::ALL.iter().position(|known| *known == language);
    TEXTS[of_language.unwrap_or_default()].translate(&format!("zone.{name}"), &[])
}

#[cfg(test)]
#[path = "item_tests.rs"]
mod tests;
