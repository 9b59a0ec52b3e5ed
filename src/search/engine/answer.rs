//! The answer to a search.

use serde_json::value::RawValue;
use tantivy::DocId;
use tantivy::directory::OwnedBytes;

use super::places::ProductPlace;
use super::plan_stems::stems_of;
use super::search_query::SearchQuery;
use super::variant_choice::{VariantChoice, VariantResult};
use crate::limits;
use crate::search::document::without_markup;
use crate::search::index::IndexFault;
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::pricing::{self, BuyerContext, Offer};
use crate::search::query::candidate::{RankedProduct, ScoreBoosts};
use crate::search::query::facets::Facet;
use crate::search::query::highlight::Highlighter;
use crate::search::query::matching::QueryTermMatch;
use crate::search::query::plan::SearchPlan;
use crate::search::query::tiers::MatchTier;
use crate::search::spellcheck::WordCorrection;

/// Approximate length of a marked part of a description.
const EXCERPT_LETTERS: usize = 200;

/// A product of an answer.
#[derive(Debug, PartialEq)]
pub struct ProductResult {
    /// The product's id.
    pub id: String,
    /// Content that every answer shows: a JSON object.
    pub card: OwnedBytes,
    /// Further content that may be shown: another JSON object.
    pub rest: OwnedBytes,
    /// Its price for the caller: that of the variant.
    pub offered: Offer,
    /// True if it can be bought now, or one of its variants that the caller sees.
    pub in_stock: bool,
    /// The variant that stands for it, if it has any.
    pub variant: Option<VariantResult>,
    /// All its variants that the caller sees, where they were asked for.
    pub variants: Vec<VariantResult>,
    /// Its texts with the words of the query marked.
    pub highlight: Option<Highlight>,
    /// Explanation of its rank.
    pub why: Option<RankExplanation>,
}

/// Texts of a product as HTML, with the words of the query in `<em>`; none where there is no such word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Highlight {
    /// The title.
    pub title: Option<String>,
    /// The part of the description with most of the words.
    pub description: Option<String>,
}

/// Parts that make an answer incomplete, because its search was ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Truncation {
    /// Some synonyms were not looked for.
    pub synonyms: bool,
    /// Some products were not examined.
    pub products: bool,
    /// Some hits have no list of their variants.
    pub variants: bool,
}

/// The answer to a request.
#[derive(Debug, Default, PartialEq)]
pub struct SearchResult {
    /// Number of products that hold all words.
    pub total: usize,
    /// Number of products that match: pages, facets and orders are over these.
    pub total_relaxed: usize,
    /// The page's products.
    pub items: Vec<ProductResult>,
    /// Counted values, in the order of the request.
    pub facets: Vec<Facet>,
    /// Query of the request.
    pub asked: String,
    /// Text that was searched.
    pub searched: String,
    /// Corrections made to the query.
    pub corrected: Vec<WordCorrection>,
    /// Query that may have been meant instead.
    pub did_you_mean: Option<String>,
    /// Words that not all matches hold.
    pub dropped: Vec<String>,
    /// Words that the matches lack that do not hold all: each of these lacks one.
    pub relaxed_without: Vec<String>,
    /// Parts in which it is incomplete.
    pub cut: Truncation,
    /// The place of the first product that lacks a word, counted over all pages from 0.
    pub relaxed_from: Option<usize>,
    /// The page to which rules lead instead.
    pub redirect: Option<String>,
    /// Texts of rules.
    pub banners: Vec<String>,
    /// Ids of the rules that act, where reasons were asked for.
    pub rules: Vec<String>,
}

#[derive(Default, serde::Deserialize)]
#[serde(rename_all = "PascalCase")]
struct HighlightTexts<'s> {
    #[serde(borrow, default)]
    title: Option<&'s RawValue>,
    #[serde(borrow, default)]
    description: Option<&'s RawValue>,
}

impl SearchResult {
    /// Sets the totals, and the words that not all matches hold.
    pub(super) fn set_totals(&mut self, total: usize, total_relaxed: usize, lacking: &[String]) {
        self.total = total;
        self.total_relaxed = total_relaxed;
        if total < total_relaxed {
            self.relaxed_without = lacking.to_vec();
        }
        self.dropped.extend_from_slice(lacking);
    }
}

impl IndexSnapshot {
    pub(super) fn fill(
        &self,
        answer: &mut SearchResult,
        ranked: &[RankedProduct<'_>],
        request: &SearchQuery,
        plan: &SearchPlan,
        mut choice: VariantChoice<'_>,
    ) -> Result<(), IndexFault> {
        let skipped = (request.page.max(1) - 1).saturating_mul(request.size);
        let stems = stems_of(plan);
        let highlighter = Highlighter::new(self.knowledge.analyser(), stems.iter().map(String::as_str));
        let highlighter = highlighter.with_parts(self.knowledge.compounds(), plan);
        let mut room = limits::ANSWER_BYTES;
        for candidate in ranked.iter().skip(skipped).take(request.size) {
            let place = (candidate.segment, candidate.hit.doc);
            let variant = choice.choose(place, candidate.group, candidate.is_exact())?;
            let mut item = self.item_with(place, variant, choice.caller());
            item.in_stock = choice.is_in_stock(place, candidate.group)?.unwrap_or(item.in_stock);
            if request.all_variants && item.variant.is_some() {
                let bytes = self.segments[place.0].variant_bytes(place.1);
                answer.cut.variants |= bytes > room;
                item.variants = if bytes > room { Vec::new() } else { choice.list(place)? };
                room = room.saturating_sub(bytes);
            }
            if request.highlight {
                item.highlight = Some(highlight(&highlighter, &item));
            }
            answer.items.push(item);
        }
        answer.relaxed_from = ranked.iter().position(|candidate| candidate.tier != MatchTier::AllWords);
        Ok(())
    }

    /// A product where nothing is searched for, with its first variant in stock.
    pub(super) fn item(
        &self,
        segment: usize,
        doc: DocId,
        caller: &BuyerContext,
    ) -> Result<ProductResult, IndexFault> {
        let variant = VariantChoice::new(self, caller).choose((segment, doc), None, false)?;
        Ok(self.item_with((segment, doc), variant, caller))
    }

    pub(super) fn item_with(
        &self,
        product: ProductPlace,
        variant: Option<VariantResult>,
        caller: &BuyerContext,
    ) -> ProductResult {
        let (segment, doc) = product;
        let segment = &self.segments[segment];
        let [card, rest] = segment.display_bytes(doc);
        let own = || pricing::resolve(segment.offer(doc), caller);
        ProductResult {
            id: segment.id(doc).to_owned(),
            card,
            rest,
            offered: variant.as_ref().map_or_else(own, |variant| variant.offered),
            in_stock: segment.is_in_stock_for(doc, caller),
            variant,
            variants: Vec::new(),
            highlight: None,
            why: None,
        }
    }
}

/// The title on a card.
pub(super) fn title_of(card: &[u8]) -> Option<String> {
    text_of(texts_of(card).title)
}

/// Title and description, without markup, in the bytes that are shown.
pub(super) fn texts_of_product([card, rest]: &[OwnedBytes; 2]) -> [String; 2] {
    let description = text_of(texts_of(rest).description).unwrap_or_default();
    [title_of(card).unwrap_or_default(), without_markup(&description)]
}

fn text_of(raw: Option<&RawValue>) -> Option<String> {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok())
}

fn highlight(highlighter: &Highlighter<'_>, item: &ProductResult) -> Highlight {
    let title = title_of(&item.card);
    let description = text_of(texts_of(&item.rest).description);
    Highlight {
        title: title.and_then(|title| highlighter.html(&title)),
        description: description
            .and_then(|text| highlighter.excerpt(&without_markup(&text), EXCERPT_LETTERS)),
    }
}

fn texts_of(part: &[u8]) -> HighlightTexts<'_> {
    serde_json::from_slice(part).unwrap_or_default()
}

/// Explanation of a product's rank.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RankExplanation {
    /// Its place over all pages, from 1.
    pub place: usize,
    /// True if the query is its id or article number, or that of a variant.
    pub is_by_number: bool,
    /// True if its words decide its place, and not a number or a rule.
    pub is_by_words: bool,
    /// Words of the query that it holds, and those that it lacks.
    pub held: QueryTermMatch,
    /// The share of the query that it holds.
    pub coverage: f32,
    /// Score of its words: 1 for the best hit.
    pub of_words: f64,
    /// Boosts and penalties besides the score of its words.
    pub boosts: ScoreBoosts,
    /// The rule that puts it in front.
    pub pinned_by: Option<String>,
    /// The rule that lifts or lowers it, and the share of its score.
    pub weighed_by: Option<(String, f64)>,
    /// The id of the variant that stands for it.
    pub variant: Option<String>,
}
