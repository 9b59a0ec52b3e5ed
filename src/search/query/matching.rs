//! Matching: the products of a segment that hold the words of a plan, and their scores.

mod alternative_cursor;
mod postings;
mod term_match;

use tantivy::{DocId, DocSet, TERMINATED};

use self::alternative_cursor::{AddedOccurrences, AlternativeCursor, WayScore};
use self::postings::{ScoringState, WordPostings};
use super::plan::{PlannedWord, SYNONYM_SHARE, SearchPlan};
use super::work_budget::StepBudget;
use crate::search::index::SegmentView;
use crate::search::statistics::Weights;

pub use self::term_match::{MatchExplainer, MatchForm, QueryTermMatch, TermMatch};

/// Score of a word in a product.
#[derive(Default)]
struct WordScore {
    score: f32,
    /// Coverage that is lost because the product holds only a synonym, or holds the word only in its texts.
    lost: f32,
}

/// The products that hold a word of the query in any way.
pub struct Cursor {
    ways: Vec<AlternativeCursor>,
    doc: DocId,
    /// Coverage of a product that holds the word.
    share: f32,
    /// Part of it that is lost if only attributes or description hold the word.
    detail_loss: f32,
    /// True if occurrences in several ways add up.
    has_parts: bool,
}

impl Cursor {
    fn open(
        word: &PlannedWord,
        detail_loss: f32,
        segment: &SegmentView,
        steps: &StepBudget,
    ) -> tantivy::Result<Self> {
        let ways = AlternativeCursor::open_all(word, segment, steps)?;
        let ways: Vec<_> = ways.into_iter().map(|(_, way)| way).collect();
        let has_parts = ways.iter().filter(|way| way.adds_up).nth(1).is_some();
        let mut cursor = Self { ways, doc: TERMINATED, share: word.share, detail_loss, has_parts };
        cursor.doc = cursor.first();
        Ok(cursor)
    }

    #[inline]
    fn first(&self) -> DocId {
        match self.ways.as_slice() {
            [only] => only.doc(),
            ways => ways.iter().map(AlternativeCursor::doc).min().unwrap_or(TERMINATED),
        }
    }

    /// At most how many products there are.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.ways.iter().map(|way| way.list.postings.size_hint()).sum()
    }

    #[inline]
    fn advance(&mut self, steps: &StepBudget) {
        let doc = self.doc;
        steps.spend(self.ways.len());
        for way in &mut self.ways {
            if way.doc() == doc {
                way.advance(steps);
            }
        }
        self.doc = self.first();
    }

    #[inline]
    fn seek(&mut self, target: DocId, steps: &StepBudget) -> DocId {
        if self.doc < target {
            steps.spend(self.ways.len());
            self.ways.iter_mut().for_each(|way| way.seek(target, steps));
            self.doc = self.first();
        }
        self.doc
    }

    /// Scores the word in a product with these numbers: the best way counts, or what adds up over several.
    #[inline]
    fn score_word(&self, numbers: &mut impl Iterator<Item = u8>, weighed: &ScoringState<'_>) -> WordScore {
        let mut best: Option<f32> = None;
        let mut kept: f32 = 0.0;
        let mut added = AddedOccurrences::default();
        for way in &self.ways {
            if let Some(WayScore { score, number }) = way.score(numbers, weighed) {
                best = Some(best.map_or(score, |best| best.max(score)));
                if self.has_parts {
                    added.add(way, number, weighed);
                }
                let is_lost = self.detail_loss > 0.0 && weighed.weights.is_in_details_only(number);
                let of_details = if is_lost { 1.0 - self.detail_loss } else { 1.0 };
                kept = kept.max(if way.is_synonym { SYNONYM_SHARE * of_details } else { of_details });
            }
        }
        let Some(best) = best else { return WordScore::default() };
        let score = if self.has_parts { best.max(added.score()) } else { best };
        WordScore { score, lost: self.share * (1.0 - kept) }
    }
}

/// A product and its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoredDoc {
    /// The product.
    pub doc: DocId,
    /// Its score; infinite if the query is its id or article number.
    pub score: f32,
    /// The share of the query that the product holds; a word that it holds only as a synonym or in its texts counts
    /// less.
    pub coverage: f32,
}

/// Hits of each segment, in the order of its products.
pub type HitsBySegment = Vec<Vec<ScoredDoc>>;

/// A product that holds some of the words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartialHit {
    /// The product.
    pub doc: DocId,
    /// Its score.
    pub score: f32,
    /// A bit for each word that it holds.
    pub words: u64,
    /// Coverage of these that is lost because it holds only synonyms, or holds them only in its texts.
    pub lost: f32,
}

/// Products that are weighed together. The data of each lies far from that of the others, and memory brings many as
/// soon as one.
const BLOCK: usize = 128;

/// Products that hold words, with the numbers of the words' patterns.
#[derive(Default)]
struct MatchBlock {
    /// Each with a bit for every word that it holds.
    docs: Vec<(DocId, u64)>,
    /// Numbers of patterns, equally many for each product.
    numbers: Vec<u8>,
}

/// The words of a plan in one segment.
pub struct SegmentMatcher<'s> {
    segment: &'s SegmentView,
    weights: &'s Weights,
    /// Steps that are left to the search.
    steps: &'s StepBudget,
    cursors: Vec<Cursor>,
    extras: Vec<WordPostings>,
    /// Lists from which a product that counts has a number.
    lists: usize,
    block: MatchBlock,
}

impl<'s> SegmentMatcher<'s> {
    /// Opens the lists of the plan's words.
    ///
    /// # Errors
    ///
    /// If a file cannot be read.
    pub fn open(
        plan: &SearchPlan,
        segment: &'s SegmentView,
        weights: &'s Weights,
        steps: &'s StepBudget,
    ) -> tantivy::Result<Self> {
        let words = plan.words.iter().map(|word| Cursor::open(word, plan.detail_loss, segment, steps));
        let cursors = words.collect::<tantivy::Result<Vec<_>>>()?;
        let mut extras = Vec::new();
        for extra in &plan.extras {
            extras.extend(WordPostings::open(extra, segment)?);
        }
        let lists = cursors.iter().map(|cursor| cursor.ways.len()).sum::<usize>() + extras.len();
        Ok(Self { segment, weights, steps, cursors, extras, lists, block: MatchBlock::default() })
    }

    /// Calls `take` with each product that holds all words, in rising order; `keep` says before that whether a product
    /// counts at all, which spares its score.
    pub fn all_words(&mut self, keep: impl Fn(DocId) -> bool, take: &mut impl FnMut(ScoredDoc)) {
        let mut order: Vec<usize> = (0..self.cursors.len()).collect();
        order.sort_by_key(|cursor| self.cursors[*cursor].size());
        let Some((lead, others)) = order.split_first() else { return };
        let take = &mut |part: PartialHit| {
            take(ScoredDoc { doc: part.doc, score: part.score, coverage: 1.0 - part.lost });
        };
        let steps = self.steps;
        let mut doc = self.cursors[*lead].doc;
        'products: while doc != TERMINATED && !steps.is_spent() {
            for other in others {
                let found = self.cursors[*other].seek(doc, steps);
                if found != doc {
                    doc = self.cursors[*lead].seek(found, steps);
                    continue 'products;
                }
            }
            if keep(doc) {
                self.buffer_doc(doc, u64::MAX, take);
            }
            self.cursors[*lead].advance(steps);
            doc = self.cursors[*lead].doc;
        }
        self.weigh(take);
    }

    /// Calls `take` with each product that holds any word, in rising order.
    pub fn any_word(&mut self, keep: impl Fn(DocId) -> bool, take: &mut impl FnMut(PartialHit)) {
        let steps = self.steps;
        loop {
            let doc = self.cursors.iter().map(|cursor| cursor.doc).min().unwrap_or(TERMINATED);
            if doc == TERMINATED || steps.is_spent() {
                return self.weigh(take);
            }
            let holding = self.cursors.iter().enumerate().filter(|(_, cursor)| cursor.doc == doc);
            let words = holding.fold(0, |words, (place, _)| words | 1 << place);
            if keep(doc) {
                self.buffer_doc(doc, words, take);
            }
            let here = self.cursors.iter_mut().filter(|cursor| cursor.doc == doc);
            here.for_each(|cursor| cursor.advance(steps));
        }
    }

    /// Holds the product at which the cursors stand until it is weighed.
    #[inline]
    fn buffer_doc(&mut self, doc: DocId, words: u64, take: &mut impl FnMut(PartialHit)) {
        let Self { cursors, extras, block, .. } = self;
        self.steps.spend(self.lists);
        block.docs.push((doc, words));
        for way in cursors.iter_mut().flat_map(|cursor| &mut cursor.ways) {
            way.push_numbers(doc, &mut block.numbers);
        }
        block.numbers.extend(extras.iter_mut().map(|extra| extra.number_at(doc)));
        if block.docs.len() == BLOCK {
            self.weigh(take);
        }
    }

    /// Weighs the products that are held.
    fn weigh(&mut self, take: &mut impl FnMut(PartialHit)) {
        self.segment.touch_facts(self.block.docs.iter().map(|(doc, _)| *doc));
        let numbers = &mut self.block.numbers.iter().copied();
        for (doc, words) in &self.block.docs {
            let norms = self.weights.norms(self.segment.facts(*doc).lengths());
            let weighed = ScoringState { weights: self.weights, norms };
            let mut part = PartialHit { doc: *doc, score: 0.0, words: *words, lost: 0.0 };
            for held in self.cursors.iter().map(|cursor| cursor.score_word(numbers, &weighed)) {
                part.score += held.score;
                part.lost += held.lost;
            }
            let extras = self.extras.iter();
            part.score += extras.map(|extra| extra.score(numbers.next().unwrap_or(0), &weighed)).sum::<f32>();
            take(part);
        }
        self.block.docs.clear();
        self.block.numbers.clear();
    }
}
