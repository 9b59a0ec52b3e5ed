//! Hits of an answer.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::search::document::{Members, ObjectWriter};
use crate::search::engine::{Highlight, ProductResult, VariantResult};
use crate::search::pricing::{Offer, Price};

/// A hit: the shown fields of the product, its price, and its matches.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct SearchHit {
    id: String,
    #[schema(required = false)]
    sku: String,
    #[schema(required = false)]
    title: String,
    #[schema(required = false)]
    link: String,
    #[schema(required = false)]
    image: String,
    #[schema(required = false)]
    brand: String,
    /// Price of the product; not there without a price.
    #[schema(required = false)]
    price: f64,
    /// Usual price, if the price is lower.
    #[schema(required = false)]
    list_price: f64,
    #[schema(required = false)]
    currency: String,
    #[schema(required = false)]
    in_stock: bool,
    /// The options of its variants with all their values, in the order in which shoppers expect them: a text, or a list
    /// of texts.
    #[schema(required = false, value_type = Object)]
    options: Value,
    /// The variant that stands for the product: `Price`, `ListPrice` and `Currency` of the hit are its own.
    #[schema(required = false)]
    variant: HitVariant,
    /// All variants that the caller sees, if `Fields` names `Variants`.
    #[schema(required = false)]
    variants: Vec<HitVariant>,
    /// Texts as HTML, with the words that were found in `<em>`.
    #[schema(required = false)]
    highlight: HitHighlight,
    /// With `Explain`: why it is where it is, in sentences. The best hit has 1 for its words.
    #[schema(required = false)]
    why: Vec<String>,
}

/// A variant of a hit; what the shop has not told is not there.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct HitVariant {
    id: String,
    #[schema(required = false)]
    sku: String,
    /// The identifier in its barcode: GTIN, EAN, UPC or ISBN.
    #[schema(required = false)]
    gtin: String,
    #[schema(required = false)]
    title: String,
    /// Its value of each option, such as its colour.
    #[schema(required = false, value_type = Object)]
    options: Value,
    #[schema(required = false, value_type = Object)]
    attributes: Value,
    #[schema(required = false)]
    price: f64,
    /// Usual price, if the price is lower.
    #[schema(required = false)]
    list_price: f64,
    #[schema(required = false)]
    currency: String,
    /// True if it can be bought now.
    in_stock: bool,
    #[schema(required = false)]
    image: String,
    #[schema(required = false)]
    link: String,
}

/// Texts of a hit as HTML, with the words that were found in `<em>`; one without such a word is not there.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct HitHighlight {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    title: Option<String>,
    /// The part of the description with most of the words.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    description: Option<String>,
}

/// A hit for the answer; its JSON is written only when it is sent.
pub struct AnswerHit<R = ()> {
    pub(super) item: ProductResult,
    /// The fields that are needed; those of the card when it is empty.
    pub(super) fields: Arc<[String]>,
    /// Reasons for its place.
    pub(super) why: Vec<String>,
    /// Reason why it is recommended.
    pub(super) reason: Option<R>,
}

impl<R> AnswerHit<R> {
    /// A product that is recommended, and why.
    pub fn because(item: ProductResult, fields: &Arc<[String]>, reason: R) -> Self {
        Self { item, fields: fields.clone(), why: Vec::new(), reason: Some(reason) }
    }
}

impl<R: Serialize> AnswerHit<R> {
    /// The product's id.
    pub(super) fn id(&self) -> &str {
        &self.item.id
    }

    /// Bytes of the index that are read for it.
    pub(super) fn read_bytes(&self) -> usize {
        let ProductResult { card, rest, variants, .. } = &self.item;
        let variants = || variants.iter().map(|variant| variant.display.len()).sum::<usize>();
        if self.fields.is_empty() { card.len() } else { card.len() + rest.len() + variants() }
    }

    /// Returns true if a field is needed by its name.
    fn names(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field == name || field == EVERYTHING)
    }

    /// Most of a hit stands in the index as it is sent.
    pub(super) fn json(&self) -> Result<String, serde_json::Error> {
        let ProductResult { card, rest, offered, in_stock, variant, variants, highlight, .. } = &self.item;
        let is_card = self.fields.is_empty();
        let mut object = if is_card { ObjectWriter::after(card) } else { ObjectWriter::default() };
        let parts = if is_card { &[][..] } else { &[card, rest] };
        for part in parts {
            let members: Members<'_> = serde_json::from_slice(part)?;
            let needed = members.0.iter().filter(|(name, _)| name == "Id" || self.names(name));
            needed.for_each(|(name, value)| object.raw(name, value.get()));
        }
        let is_needed = |name: &str| is_card || self.names(name);
        write_offer(&mut object, offered, *in_stock, is_needed);
        if let Some(variant) = variant.as_ref().filter(|_| is_needed("Variant")) {
            object.raw("Variant", &variant_json(variant)?);
        }
        if self.names("Variants") && !variants.is_empty() {
            let variants: Vec<String> = variants.iter().map(variant_json).collect::<Result<_, _>>()?;
            object.raw("Variants", &format!("[{}]", variants.join(",")));
        }
        if let Some(highlight) = highlight {
            object.member("Highlight", &HitHighlight::from(highlight));
        }
        if !self.why.is_empty() {
            object.member("Why", &self.why);
        }
        if let Some(reason) = &self.reason {
            object.member("Reason", reason);
        }
        String::from_utf8(object.finish()).map_err(serde::de::Error::custom)
    }
}

/// A variant with its price and stock.
///
/// # Errors
/// When its bytes in the index are damaged.
pub fn variant_json(variant: &VariantResult) -> Result<String, serde_json::Error> {
    let mut members = ObjectWriter::after(&variant.display);
    write_offer(&mut members, &variant.offered, variant.in_stock, |_| true);
    String::from_utf8(members.finish()).map_err(serde::de::Error::custom)
}

/// Writes what a caller pays, and whether it can be bought, as far as it is needed.
fn write_offer(object: &mut ObjectWriter, offered: &Offer, in_stock: bool, is_needed: impl Fn(&str) -> bool) {
    for (name, price) in [("Price", offered.price), ("ListPrice", reduced_from(offered))] {
        if let Some(price) = price.filter(|_| is_needed(name)) {
            object.raw(name, &price.decimal());
        }
    }
    if let Some(price) = offered.price.filter(|_| is_needed("Currency")) {
        object.member("Currency", &price.code());
    }
    if is_needed("InStock") {
        object.member("InStock", &in_stock);
    }
}

impl From<&Highlight> for HitHighlight {
    fn from(Highlight { title, description }: &Highlight) -> Self {
        Self { title: title.clone(), description: description.clone() }
    }
}

/// Among the fields that are needed: all that there are.
pub(super) const EVERYTHING: &str = "*";

/// The usual price, where the caller pays less.
pub(super) fn reduced_from(offered: &Offer) -> Option<Price> {
    let price = offered.price?;
    offered.list.filter(|list| list.amount > price.amount)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tantivy::directory::OwnedBytes;

    use super::*;
    use crate::api::testing::{offer, product};

    fn hit(fields: &[&str]) -> AnswerHit<Value> {
        let card = json!({"Id": "1", "Title": "T", "Long": null});
        let item = ProductResult {
            offered: offer("2.00 GBP", "3.00 GBP"),
            in_stock: true,
            ..product("1", &card, &json!({"Description": "D", "More": 1}))
        };
        let fields: Vec<_> = fields.iter().map(|name| (*name).to_owned()).collect();
        AnswerHit { item, fields: fields.into(), why: Vec::new(), reason: None }
    }

    #[test]
    fn a_hit_has_the_fields_of_its_card_or_those_that_are_needed() {
        let card = r#"{"Id":"1","Title":"T","Long":null,"Price":2.00,"ListPrice":3.00,"Currency":"GBP","InStock":true}"#;
        for (fields, expected) in [
            (&["None"][..], r#"{"Id":"1"}"#),
            (&[], card),
            (&["Title", "Price"], r#"{"Id":"1","Title":"T","Price":2.00}"#),
            (&["Description", "ListPrice"], r#"{"Id":"1","Description":"D","ListPrice":3.00}"#),
            (&["Currency"], r#"{"Id":"1","Currency":"GBP"}"#),
        ] {
            assert_eq!(hit(fields).json().expect("JSON"), expected, "{fields:?}");
        }
        let all = hit(&["*"]).json().expect("JSON");
        assert!(
            all.starts_with(r#"{"Id":"1","Title":"T","Long":null,"Description":"D","More":1,"Price":2.00,"#),
            "{all}"
        );
    }

    #[test]
    fn a_hit_tells_its_variant_its_marks_its_place_and_why_it_is_recommended() {
        let mut hit = hit(&["None"]);
        hit.fields = ["Variant".to_owned()].into();
        let display = br#"{"Id":"v","Sku":"s","Options":{"Colour":"red"}}"#;
        hit.item.variant = Some(VariantResult {
            display: OwnedBytes::new(display.to_vec()),
            offered: offer("4.00 GBP", "5.00 GBP"),
            in_stock: false,
        });
        hit.item.highlight = Some(Highlight { title: Some("<em>T</em>".to_owned()), description: None });
        hit.why = vec!["first".to_owned(), "second".to_owned()];
        hit.reason = Some(json!({"Code": "similar"}));
        let expected = concat!(
            r#"{"Id":"1","Variant":{"Id":"v","Sku":"s","Options":{"Colour":"red"},"Price":4.00,"ListPrice":5.00,"#,
            r#""Currency":"GBP","InStock":false},"Highlight":{"Title":"<em>T</em>"},"#,
            r#""Why":["first","second"],"Reason":{"Code":"similar"}}"#
        );
        assert_eq!(hit.json().expect("JSON"), expected);
        assert_eq!(hit.id(), "1");
        hit.item.highlight = Some(Highlight { title: None, description: Some("D".to_owned()) });
        assert!(hit.json().expect("JSON").contains(r#""Highlight":{"Description":"D"}"#));
    }

    #[test]
    fn the_bytes_that_are_read_for_a_hit_are_those_of_its_card_and_of_the_rest_where_it_is_needed() {
        let card = json!({"Id": "1", "Title": "T", "Long": null}).to_string().len();
        let rest = json!({"Description": "D", "More": 1}).to_string().len();
        assert_eq!((hit(&[]).read_bytes(), hit(&["Id"]).read_bytes()), (card, card + rest));
    }

    #[test]
    fn a_usual_price_is_told_where_it_is_higher() {
        for (price, list, expected) in [
            ("2.00 GBP", "2.01 GBP", Some("2.01")),
            ("2.00 GBP", "2.00 GBP", None),
            ("2.00 GBP", "1.99 GBP", None),
            ("2.00 GBP", "", None),
            ("", "2.00 GBP", None),
        ] {
            let reduced = reduced_from(&offer(price, list)).map(|list| list.decimal());
            assert_eq!(reduced.as_deref(), expected, "{price} {list}");
        }
    }
}
