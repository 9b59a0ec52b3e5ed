//! The answer to a search.

use std::collections::HashSet;

use serde_json::value::RawValue;
use tantivy::DocId;
use tantivy::directory::OwnedBytes;

use super::search_query::SearchQuery;
use crate::search::document::{Variant, without_markup};
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::index::without_leading_zeros;
use crate::search::pricing::{self, BuyerContext, Offer};
use crate::search::query::candidate::{RankedProduct, ScoreBoosts};
use crate::search::query::facets::Facet;
use crate::search::query::highlight::Highlighter;
use crate::search::query::matching::QueryTermMatch;
use crate::search::query::plan::{SearchPlan, WordAlternative};
use crate::search::query::tiers::MatchTier;
use crate::search::spellcheck::WordCorrection;
use crate::search::text::fold_identifier;

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
    /// Its price for the caller.
    pub offered: Offer,
    /// True if it can be bought now.
    pub in_stock: bool,
    /// The variant that the query is about.
    pub variant: Option<Variant>,
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
        caller: &BuyerContext,
        plan: &SearchPlan,
    ) {
        let skipped = (request.page.max(1) - 1).saturating_mul(request.size);
        let stems = stems_of(plan);
        let highlighter = Highlighter::new(self.knowledge.analyser(), stems.iter().map(String::as_str));
        let highlighter = highlighter.with_parts(self.knowledge.compounds(), plan);
        for candidate in ranked.iter().skip(skipped).take(request.size) {
            let mut item = self.item(candidate.segment, candidate.hit.doc, caller);
            item.variant = self.variant(candidate, &request.query, plan);
            if request.highlight {
                item.highlight = Some(highlight(&highlighter, &item));
            }
            answer.items.push(item);
        }
        answer.relaxed_from = ranked.iter().position(|candidate| candidate.tier != MatchTier::AllWords);
    }

    pub(super) fn item(&self, segment: usize, doc: DocId, caller: &BuyerContext) -> ProductResult {
        let segment = &self.segments[segment];
        let [card, rest] = segment.display_bytes(doc);
        ProductResult {
            id: segment.id(doc).to_owned(),
            card,
            rest,
            offered: pricing::resolve(segment.offer(doc), caller),
            in_stock: segment.is_in_stock(doc),
            variant: None,
            highlight: None,
            why: None,
        }
    }

    /// The variant whose id or article number is the query, or whose title and values hold more words of the query than
    /// those of all others: words in any form count first, then words as they stand.
    fn variant(&self, candidate: &RankedProduct<'_>, query: &str, plan: &SearchPlan) -> Option<Variant> {
        let mut variants = self.segments[candidate.segment].variants(candidate.hit.doc);
        if variants.is_empty() {
            return None;
        }
        if candidate.is_exact()
            && let Some(place) = place_of_number(&variants, &fold_identifier(query))
        {
            return Some(variants.swap_remove(place));
        }
        let counts: Vec<_> = variants.iter().map(|variant| self.words_in(variant, plan)).collect();
        let most = counts.iter().copied().max().unwrap_or_default();
        let is_alone = counts.iter().filter(|count| **count == most).count() == 1;
        let place = counts.iter().position(|count| *count == most);
        place
            .filter(|_| is_alone && variants.len() > 1 && most > (0, 0))
            .map(|place| variants.swap_remove(place))
    }

    /// Counts the words of the plan that a variant has in any form, and those that it has as they stand.
    fn words_in(&self, variant: &Variant, plan: &SearchPlan) -> (usize, usize) {
        let mut stems = HashSet::new();
        for text in [&variant.title, &variant.values] {
            self.knowledge.analyser().for_each_part(text, &mut |part| {
                stems.insert(part.term().to_owned());
            });
        }
        let any = plan.words.iter().filter(|word| {
            let mut ways = word.alternatives.iter().map(stems_of_way);
            ways.any(|way| way.into_iter().all(|stem| stems.contains(stem)))
        });
        (any.count(), plan.words.iter().filter(|word| stems.contains(&word.stem)).count())
    }
}

/// The variant with this id or article number, leading zeros aside, or the only one whose number begins with it.
fn place_of_number(variants: &[Variant], name: &str) -> Option<usize> {
    let numbers = |variant: &Variant| [fold_identifier(&variant.sku), fold_identifier(&variant.id)];
    if name.is_empty() {
        return None;
    }
    let is_it =
        |variant: &Variant| numbers(variant).iter().any(|number| number_of(number) == number_of(name));
    let begins = |variant: &Variant| numbers(variant).iter().any(|number| number.starts_with(name));
    variants.iter().position(is_it).or_else(|| {
        let has_digit = name.bytes().any(|byte| byte.is_ascii_digit());
        let mut begun = variants.iter().enumerate().filter(|(_, variant)| has_digit && begins(variant));
        begun.next().filter(|_| begun.next().is_none()).map(|(place, _)| place)
    })
}

fn number_of(name: &str) -> &str {
    without_leading_zeros(name).unwrap_or(name)
}

/// The stems of one way to have a word.
pub(super) fn stems_of_way(way: &WordAlternative) -> Vec<&str> {
    match way {
        WordAlternative::Word(scored)
        | WordAlternative::Part(scored, _)
        | WordAlternative::Ending(scored) => {
            vec![&scored.term]
        }
        WordAlternative::Pair(_, parts) => parts.iter().map(|part| part.term.as_str()).collect(),
        WordAlternative::Synonym(parts) => parts.iter().map(|part| part.term.as_str()).collect(),
    }
}

/// The stems that products are found by, without function words and words of speech; of compounds only the part is
/// meant.
pub(super) fn stems_of(plan: &SearchPlan) -> Vec<String> {
    let ways = plan.words.iter().flat_map(|word| &word.alternatives);
    let ways = ways.filter(|way| !matches!(way, WordAlternative::Part(..) | WordAlternative::Ending(_)));
    ways.flat_map(stems_of_way).map(str::to_owned).collect()
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
}
