//! Answer of a search, as it is sent.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::value::RawValue;

use super::answer_budget::AnswerRoom;
use super::facets::SearchFacet;
use super::hit::{AnswerHit, SearchHit};
use super::reasons::ReasonWriter;
use super::request::SearchRequest;
use crate::reports::attribution::AttributionSource;
use crate::reports::query;
use crate::search::engine::{ProductResult, SearchResult, Truncation};
use crate::search::query::sort::Sort;
use crate::search::spellcheck::WordCorrection;
use crate::transport::refusal::Refusal;

/// The answer to a search.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct SearchAnswer {
    /// Names the search, as clicks on hits refer to it; empty for a search that is not counted.
    ref_id: String,
    /// Number of products that hold all words of the query.
    total: usize,
    /// Number of products that are found: pages, facets and orders are over these. Equal to `Total`, unless fewer than
    /// ten products hold all words; then those count that hold most.
    total_relaxed: usize,
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
    /// The place, from 1, of the first hit that lacks a word, in the order by relevance.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = usize)]
    relaxed_from: Option<usize>,
    /// Words that the products of `TotalRelaxed` beyond `Total` do not all hold; each of these products lacks at least
    /// one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    relaxed_without: Vec<String>,
}

#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
#[schema(as = SearchCorrection)]
struct SearchCorrection {
    from: String,
    to: String,
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
        let writer = ReasonWriter::new(question.explain_language);
        let hit = |item: ProductResult| {
            let why = item.why.as_ref().map(|why| writer.rank_reasons(why, sort)).unwrap_or_default();
            AnswerHit::<()> { item, fields: fields.clone(), why, reason: None }
        };
        let items = room.hits(answer.items.into_iter().map(hit).collect())?;
        Ok(Self {
            ref_id: query::normalize(&answer.asked)
                .map(|query| AttributionSource::Search(query::mark(&query)).to_string())
                .unwrap_or_default(),
            total: answer.total,
            total_relaxed: answer.total_relaxed,
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
                relaxed_without: answer.relaxed_without,
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
fn cut_of(Truncation { synonyms, products, variants }: Truncation, room: &AnswerRoom) -> Vec<&'static str> {
    let of_hits = [(variants || room.lacks_fields, "fields"), (room.lacks_values, "values")];
    let names = [(synonyms, "synonyms"), (products, "products")].into_iter().chain(of_hits);
    names.filter(|(is_cut, _)| *is_cut).map(|(_, name)| name).collect()
}

impl From<WordCorrection> for SearchCorrection {
    fn from(WordCorrection { from, to, .. }: WordCorrection) -> Self {
        Self { from, to }
    }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::testing::product;
    use crate::search::spellcheck::ChangeKind;

    fn answer_of(question: SearchRequest) -> serde_json::Value {
        let text = |text: &str| text.to_owned();
        let corrected = WordCorrection { from: text("shoo"), to: text("shoe"), kind: ChangeKind::Replaced };
        let answer = SearchResult {
            total: 0,
            total_relaxed: 12,
            items: vec![product("1", &json!({"Id": "1"}), &json!({}))],
            asked: text("Shoo"),
            searched: text("shoe"),
            corrected: vec![corrected],
            did_you_mean: Some(text("shoes")),
            dropped: vec![text("the")],
            cut: Truncation { products: true, ..Truncation::default() },
            relaxed_from: Some(0),
            relaxed_without: vec![text("red")],
            redirect: Some(text("/sale")),
            banners: vec![text("one")],
            rules: vec![text("r1")],
            ..SearchResult::default()
        };
        let took = Duration::from_micros(1234);
        let answer = SearchAnswer::from_answer(question, answer, &Sort::Relevance, vec![text("Size")], took);
        serde_json::to_value(answer.expect("an answer")).expect("JSON")
    }

    #[test]
    fn an_answer_tells_what_was_found_and_what_was_searched() {
        let mark = query::mark("shoo");
        let mut expected = json!({
            "RefId": format!("s.{mark}"), "Total": 0, "TotalRelaxed": 12, "Page": 3,
            "Items": [{"Id": "1", "InStock": false}], "Facets": {}, "NotHeld": ["Size"], "Redirect": "/sale", "Banners": ["one"], "Cut": ["products"],
            "TookMicros": 1234,
            "Query": {"Asked": "Shoo", "Searched": "shoe", "Corrected": [{"From": "shoo", "To": "shoe"}],
                "DidYouMean": "shoes", "Dropped": ["the"], "RelaxedFrom": 1, "RelaxedWithout": ["red"]}
        });
        let question = SearchRequest { page: 3, ..SearchRequest::default() };
        assert_eq!(answer_of(question.clone()), expected);
        expected["Rules"] = json!(["r1"]);
        assert_eq!(answer_of(SearchRequest { explain: true, ..question }), expected);
    }

    #[test]
    fn an_answer_to_nothing_tells_nothing_else() {
        let answer = SearchAnswer::from_answer(
            SearchRequest::default(),
            SearchResult::default(),
            &Sort::Relevance,
            Vec::new(),
            Duration::ZERO,
        );
        let answer = answer.expect("an answer").with_index_age(None);
        let expected = json!({"RefId": "", "Total": 0, "TotalRelaxed": 0, "Page": 0, "Items": [], "Facets": {}, "TookMicros": 0,
            "Query": {"Asked": "", "Searched": "", "Corrected": [], "Dropped": []}});
        assert_eq!(serde_json::to_value(answer).expect("JSON"), expected);
    }

    #[test]
    fn parts_that_are_cut_are_named_in_their_order() {
        let room = |lacks_fields, lacks_values| {
            let mut room = AnswerRoom::default();
            room.lacks_fields = lacks_fields;
            room.lacks_values = lacks_values;
            room
        };
        let cut = |synonyms, products, room: AnswerRoom| {
            cut_of(Truncation { synonyms, products, variants: false }, &room)
        };
        assert_eq!(cut(true, true, room(true, true)), ["synonyms", "products", "fields", "values"]);
        assert_eq!(cut(true, false, room(false, false)), ["synonyms"]);
        assert_eq!(cut(false, true, room(false, false)), ["products"]);
        assert_eq!(cut(false, false, room(true, false)), ["fields"]);
        assert_eq!(cut(false, false, room(false, true)), ["values"]);
        let similar = SimilarAnswer::from_items(vec![product("1", &json!({"Id": "1"}), &json!({}))]);
        let similar = serde_json::to_value(similar.expect("an answer")).expect("JSON");
        assert_eq!(similar, json!({"Items": [{"Id": "1", "InStock": false}]}));
    }
}
