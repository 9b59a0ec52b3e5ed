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
