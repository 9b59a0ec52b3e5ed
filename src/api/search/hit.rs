//! Hits of an answer.

use std::sync::Arc;

use serde::Serialize;

use crate::search::document::{Members, ObjectWriter, Variant};
use crate::search::engine::{Highlight, ProductResult};
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
    /// The variant that was found.
    #[schema(required = false)]
    variant: HitVariant,
    /// Texts as HTML, with the words that were found in `<em>`.
    #[schema(required = false)]
    highlight: HitHighlight,
    /// With `Explain`: why it is where it is, in sentences. The best hit has 1 for its words.
    #[schema(required = false)]
    why: Vec<String>,
}

/// A variant that was found.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct HitVariant {
    id: String,
    sku: String,
    title: String,
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
        let ProductResult { card, rest, .. } = &self.item;
        if self.fields.is_empty() { card.len() } else { card.len() + rest.len() }
    }

    /// Returns true if a field is needed by its name.
    fn names(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field == name || field == EVERYTHING)
    }

    /// Most of a hit stands in the index as it is sent.
    pub(super) fn json(&self) -> Result<String, serde_json::Error> {
        let ProductResult { card, rest, offered, in_stock, variant, highlight, .. } = &self.item;
        let is_card = self.fields.is_empty();
        let mut object = if is_card { ObjectWriter::after(card) } else { ObjectWriter::default() };
        let parts = if is_card { &[][..] } else { &[card, rest] };
        for part in parts {
            let members: Members<'_> = serde_json::from_slice(part)?;
            let needed = members.0.iter().filter(|(name, _)| name == "Id" || self.names(name));
            needed.for_each(|(name, value)| object.raw(name, value.get()));
        }
        let is_needed = |name: &str| is_card || self.names(name);
        for (name, price) in [("Price", offered.price), ("ListPrice", reduced_from(offered))] {
            if let Some(price) = price.filter(|_| is_needed(name)) {
                object.raw(name, &price.decimal());
            }
        }
        if let Some(price) = offered.price.filter(|_| is_needed("Currency")) {
            object.member("Currency", &price.code());
        }
        if is_needed("InStock") {
            object.member("InStock", in_stock);
        }
        if let Some(variant) = variant {
            object.member("Variant", &HitVariant::from(variant));
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

impl From<&Variant> for HitVariant {
    fn from(Variant { id, sku, title, .. }: &Variant) -> Self {
        Self { id: id.clone(), sku: sku.clone(), title: title.clone() }
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
    use serde_json::{Value, json};

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
        hit.item.variant = Some(Variant {
            id: "v".to_owned(),
            sku: "s".to_owned(),
            title: "V".to_owned(),
            values: "red".to_owned(),
        });
        hit.item.highlight = Some(Highlight { title: Some("<em>T</em>".to_owned()), description: None });
        hit.why = vec!["first".to_owned(), "second".to_owned()];
        hit.reason = Some(json!({"Code": "similar"}));
        let expected = concat!(
            r#"{"Id":"1","Variant":{"Id":"v","Sku":"s","Title":"V"},"Highlight":{"Title":"<em>T</em>"},"#,
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
