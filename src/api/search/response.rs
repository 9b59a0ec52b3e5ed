//! Answer of a search, as it is sent.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde::Serialize;
use serde_json::value::RawValue;

use super::answer_budget::AnswerRoom;
use super::explain;
use super::facets::SearchFacet;
use super::request::SearchRequest;
use crate::reports::attribution::AttributionSource;
use crate::reports::query;
use crate::search::document::{Members, ObjectWriter, Variant};
use crate::search::engine::{Highlight, ProductResult, SearchResult, Truncation};
use crate::search::pricing::{Offered, Price};
use crate::search::query::sort::Sort;
use crate::search::spellcheck::WordCorrection;
use crate::transport::refusal::Refusal;

/// The answer to a search.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct SearchAnswer {
    /// Names the search, as clicks on hits refer to it; empty for a search that is not counted.
    ref_id: String,
    /// Number of products that are found.
    total: usize,
    /// The page, from 1.
    page: usize,
    /// The hits of the page.
    #[schema(value_type = Vec<SearchHit>)]
    items: Vec<Box<RawValue>>,
    /// By the names that were asked for.
    facets: BTreeMap<String, SearchFacet>,
    /// Attributes that were asked for by name and that too few products have now: their facets are empty, filters by
    /// them find nothing, and by them nothing is ordered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    not_held: Vec<String>,
    /// The query as it was typed, and as it was searched.
    query: SearchSaid,
    /// The page to which the shop's rules lead instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    redirect: Option<String>,
    /// Texts that the shop's rules show over the hits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    banners: Vec<String>,
    /// Parts of the answer that are incomplete: `synonyms` (some were not looked for), `products` (some were not looked
    /// at: the search took too many steps), `fields` (hits that had no room have only their `Id`), `values` (facets
    /// lack some).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    cut: Vec<&'static str>,
    /// Age of the index in seconds, while another one is made after a start: the shop shows something else by now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = u64)]
    index_age_seconds: Option<u64>,
    /// With `Explain`: the ids of the rules that act, in their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Vec<String>)]
    rules: Option<Vec<String>>,
    /// Time that it took to find them, in millionths of a second.
    took_micros: u64,
}

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

/// The query as it was typed, and as it was searched.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
#[schema(as = SearchSaid)]
struct SearchSaid {
    /// Text that was typed.
    asked: String,
    /// Text that was searched for.
    searched: String,
    /// Words that were corrected.
    corrected: Vec<SearchCorrection>,
    /// Text that may have been meant instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    did_you_mean: Option<String>,
    /// Words that no hit has to hold.
    dropped: Vec<String>,
    /// The place, from 1, from which on hits hold fewer words than those before.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = usize)]
    relaxed_from: Option<usize>,
}

#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
#[schema(as = SearchCorrection)]
struct SearchCorrection {
    from: String,
    to: String,
}

/// Among the fields that are needed: all that there are.
const EVERYTHING: &str = "*";

/// A hit for the answer; its JSON is written only when it is sent.
pub struct AnswerHit<R = ()> {
    item: ProductResult,
    /// The fields that are needed; those of the card when it is empty.
    fields: Arc<[String]>,
    /// Reasons for its place.
    why: Vec<String>,
    /// Reason why it is recommended.
    reason: Option<R>,
}

impl<R> AnswerHit<R> {
    /// A product that is recommended, and why.
    pub fn because(item: ProductResult, fields: &Arc<[String]>, reason: R) -> Self {
        Self { item, fields: fields.clone(), why: Vec::new(), reason: Some(reason) }
    }
}

impl SearchAnswer {
    /// The answer to a question.
    ///
    /// # Errors
    /// When a row of the index is damaged.
    pub(super) fn from_answer(
        question: SearchRequest,
        mut answer: SearchResult,
        sort: &Sort,
        not_held: Vec<String>,
        took: Duration,
    ) -> Result<Self, Refusal> {
        let mut room = AnswerRoom::default();
        room.fit_facets(&mut answer.facets);
        let fields: Arc<[String]> = question.fields.into();
        let hit = |item: ProductResult| {
            let why = item.why.as_ref().map(|why| explain::sentences(why, sort)).unwrap_or_default();
            AnswerHit::<()> { item, fields: fields.clone(), why, reason: None }
        };
        let items = room.hits(answer.items.into_iter().map(hit).collect())?;
        Ok(Self {
            ref_id: query::normalize(&answer.asked)
                .map(|query| AttributionSource::Search(query::mark(&query)).to_string())
                .unwrap_or_default(),
            total: answer.total,
            page: question.page,
            items,
            facets: answer.facets.into_iter().map(|facet| (facet.subject.name(), facet.into())).collect(),
            not_held,
            redirect: answer.redirect,
            banners: answer.banners,
            cut: cut_of(answer.cut, &room),
            index_age_seconds: None,
            rules: question.explain.then_some(answer.rules),
            query: SearchSaid {
                asked: answer.asked,
                searched: answer.searched,
                corrected: answer.corrected.into_iter().map(SearchCorrection::from).collect(),
                did_you_mean: answer.did_you_mean,
                dropped: answer.dropped,
                relaxed_from: answer.relaxed_from.map(|from| from + 1),
            },
            took_micros: u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
        })
    }

    /// Tells the age of an index that was written last at a time, if it is outdated.
    pub(super) fn with_index_age(mut self, outdated: Option<SystemTime>) -> Self {
        let age = outdated.map(|written| written.elapsed().unwrap_or_default());
        self.index_age_seconds = age.map(|age| age.as_secs());
        self
    }
}

/// Names of the parts of an answer that are incomplete.
fn cut_of(Truncation { synonyms, products }: Truncation, room: &AnswerRoom) -> Vec<&'static str> {
    let of_hits = [(room.lacks_fields, "fields"), (room.lacks_values, "values")];
    let names = [(synonyms, "synonyms"), (products, "products")].into_iter().chain(of_hits);
    names.filter(|(is_cut, _)| *is_cut).map(|(_, name)| name).collect()
}

impl From<WordCorrection> for SearchCorrection {
    fn from(WordCorrection { from, to, .. }: WordCorrection) -> Self {
        Self { from, to }
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

/// The usual price, where the caller pays less.
fn reduced_from(offered: &Offered) -> Option<Price> {
    let price = offered.price?;
    offered.list.filter(|list| list.amount > price.amount)
}

/// The products that are most like one.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
#[schema(as = SimilarAnswer)]
pub struct SimilarAnswer {
    #[schema(value_type = Vec<SearchHit>)]
    items: Vec<Box<RawValue>>,
    /// `fields`, where hits that had no room have their `Id` alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    cut: Vec<&'static str>,
}

impl SimilarAnswer {
    /// The answer with these products.
    ///
    /// # Errors
    /// When a row of the index is damaged.
    pub(super) fn from_items(items: Vec<ProductResult>) -> Result<Self, Refusal> {
        let hit = |item| AnswerHit::<()> { item, fields: Arc::default(), why: Vec::new(), reason: None };
        let mut room = AnswerRoom::default();
        let items = room.hits(items.into_iter().map(hit).collect())?;
        Ok(Self { items, cut: cut_of(Truncation::default(), &room) })
    }
}
