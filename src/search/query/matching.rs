//! Which products of a segment hold the words of a plan, and what they score.

use tantivy::postings::{Postings, SegmentPostings};
use tantivy::{DocId, DocSet, TERMINATED};

use super::plan::{Alternative, Plan, PlannedWord, SYNONYM_SHARE, Scored};
use crate::search::index::SegmentView;
use crate::search::statistics::{Norms, Weights};

/// The products with one word, and what it scores by its saturated frequency.
struct List {
    postings: SegmentPostings,
    factor: f32,
}

impl List {
    fn open(scored: &Scored, segment: &SegmentView) -> tantivy::Result<Option<Self>> {
        let Some(postings) = segment.postings(&scored.term)? else { return Ok(None) };
        // red: search::engine::tests::answers_are_the_same_whatever_was_merged_and_removed
        let factor = mutant!("tantivys-own-frequencies", scored.factor, 1.0 / postings.doc_freq() as f32);
        Ok(Some(Self { postings, factor }))
    }

    /// The first product from this one on that has the word. Products are asked for in rising order.
    #[inline]
    fn seek(&mut self, doc: DocId) -> DocId {
        if self.postings.doc() < doc { self.postings.seek(doc) } else { self.postings.doc() }
    }

    /// The word's score in a product; 0 if it is not there.
    #[inline]
    fn score_at(&mut self, doc: DocId, weighed: &Weighed<'_>) -> f32 {
        if self.seek(doc) == doc { self.score(weighed) } else { 0.0 }
    }

    #[inline]
    fn score(&self, weighed: &Weighed<'_>) -> f32 {
        self.factor * weighed.weights.saturated(self.postings.term_freq(), &weighed.norms)
    }
}

/// The product that is scored, with what occurrences in its fields count.
struct Weighed<'w> {
    weights: &'w Weights,
    norms: Norms,
}

/// One way to hold a word: by itself, as two words side by side that score together, or as a synonym of one or several
/// words.
struct Way {
    list: List,
    parts: Option<Box<[Option<List>; 2]>>,
    is_synonym: bool,
    /// The other words of a synonym: a product has to hold them too.
    with: Vec<List>,
}

impl Way {
    /// `None` if no product holds it.
    fn open(alternative: &Alternative, segment: &SegmentView) -> tantivy::Result<Option<Self>> {
        let plain = |list| Self { list, parts: None, is_synonym: false, with: Vec::new() };
        Ok(match alternative {
            Alternative::Word(scored) => List::open(scored, segment)?.map(plain),
            Alternative::Pair(term, [left, right]) => match segment.postings(term)? {
                None => None,
                Some(postings) => {
                    let parts = Box::new([List::open(left, segment)?, List::open(right, segment)?]);
                    Some(Self { parts: Some(parts), ..plain(List { postings, factor: 0.0 }) })
                }
            },
            Alternative::Synonym(words) => {
                let lists = words.iter().map(|word| List::open(word, segment));
                let lists = lists.collect::<tantivy::Result<Option<Vec<_>>>>()?;
                lists.and_then(Self::synonym)
            }
        })
    }

    fn synonym(lists: Vec<List>) -> Option<Self> {
        let mut lists = lists.into_iter();
        let list = lists.next()?;
        let mut way = Self { list, parts: None, is_synonym: true, with: lists.collect() };
        way.align();
        Some(way)
    }

    #[inline]
    fn doc(&self) -> DocId {
        self.list.postings.doc()
    }

    #[inline]
    fn advance(&mut self) {
        self.list.postings.advance();
        if !self.with.is_empty() {
            self.align();
        }
    }

    #[inline]
    fn seek(&mut self, target: DocId) {
        if self.doc() < target {
            self.list.postings.seek(target);
            if !self.with.is_empty() {
                self.align();
            }
        }
    }

    /// Goes on to the first product that holds the other words too.
    fn align(&mut self) {
        let mut doc = self.doc();
        'products: while doc != TERMINATED {
            for other in &mut self.with {
                let found = other.seek(doc);
                // red: search::engine::tests::synonyms::a_phrase_is_a_synonym_where_all_its_words_are
                if mutant!("one-word-of-a-synonym-is-enough", found != doc, false) {
                    doc = self.list.postings.seek(found);
                    continue 'products;
                }
            }
            return;
        }
    }

    #[inline]
    fn score(&mut self, doc: DocId, weighed: &Weighed<'_>) -> f32 {
        if let Some(parts) = &mut self.parts {
            return parts.iter_mut().flatten().map(|part| part.score_at(doc, weighed)).sum();
        }
        let mut score = self.list.score(weighed);
        for other in &mut self.with {
            score += other.score_at(doc, weighed);
        }
        score
    }
}

/// How a product holds a word.
#[derive(Default)]
struct Held {
    score: f32,
    /// What of the coverage it lacks, as it holds only a synonym.
    lost: f32,
}

/// The products that hold a word of the query in any way.
pub struct Cursor {
    ways: Vec<Way>,
    doc: DocId,
    /// What of the coverage a product lacks that holds only a synonym.
    lost: f32,
}

impl Cursor {
    fn open(word: &PlannedWord, segment: &SegmentView) -> tantivy::Result<Self> {
        let mut ways = Vec::with_capacity(word.alternatives.len());
        for alternative in &word.alternatives {
            ways.extend(Way::open(alternative, segment)?);
        }
        // red: search::engine::tests::synonyms::the_word_in_a_worse_place_comes_before_its_synonym
        let share = mutant!("a-synonym-covers-like-the-word", SYNONYM_SHARE, 1.0);
        let mut cursor = Self { ways, doc: TERMINATED, lost: word.share * (1.0 - share) };
        cursor.doc = cursor.first();
        Ok(cursor)
    }

    #[inline]
    fn first(&self) -> DocId {
        match self.ways.as_slice() {
            [only] => only.doc(),
            ways => ways.iter().map(Way::doc).min().unwrap_or(TERMINATED),
        }
    }

    /// At most how many products there are.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.ways.iter().map(|way| way.list.postings.size_hint()).sum()
    }

    #[inline]
    fn advance(&mut self) {
        let doc = self.doc;
        for way in &mut self.ways {
            if way.doc() == doc {
                way.advance();
            }
        }
        self.doc = self.first();
    }

    #[inline]
    fn seek(&mut self, target: DocId) -> DocId {
        if self.doc < target {
            self.ways.iter_mut().for_each(|way| way.seek(target));
            self.doc = self.first();
        }
        self.doc
    }

    /// How the product holds the word at which the cursor stands.
    #[inline]
    fn held(&mut self, weighed: &Weighed<'_>) -> Held {
        let doc = self.doc;
        let mut held = Held { score: 0.0, lost: self.lost };
        for way in &mut self.ways {
            if way.doc() == doc {
                held.score = f32::max(held.score, way.score(doc, weighed));
                if !way.is_synonym {
                    held.lost = 0.0;
                }
            }
        }
        held
    }
}

/// A product and what it scores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The product.
    pub doc: DocId,
    /// Its score; infinite if the query is its id or article number.
    pub score: f32,
    /// The share of the query that it holds; a word of which it holds only a synonym counts a little less.
    pub coverage: f32,
}

/// A product that holds some of the words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    /// The product.
    pub doc: DocId,
    /// What it scores.
    pub score: f32,
    /// A bit for each word that it holds.
    pub words: u64,
    /// What of the coverage of these it lacks, as it holds only synonyms.
    pub lost: f32,
}

/// The words of a plan in one segment.
pub struct Matching<'s> {
    segment: &'s SegmentView,
    weights: &'s Weights,
    cursors: Vec<Cursor>,
    extras: Vec<List>,
}

impl<'s> Matching<'s> {
    /// Opens the lists of the plan's words.
    ///
    /// # Errors
    ///
    /// If a file cannot be read.
    pub fn open(plan: &Plan, segment: &'s SegmentView, weights: &'s Weights) -> tantivy::Result<Self> {
        let words = plan.words.iter().map(|word| Cursor::open(word, segment));
        let cursors = words.collect::<tantivy::Result<Vec<_>>>()?;
        let mut extras = Vec::new();
        for extra in &plan.extras {
            extras.extend(List::open(extra, segment)?);
        }
        Ok(Self { segment, weights, cursors, extras })
    }

    /// Calls `take` with each product that holds all words, in rising order; `keep` says before that whether a product
    /// counts at all, which spares its score.
    pub fn all_words(&mut self, keep: &mut dyn FnMut(DocId) -> bool, take: &mut dyn FnMut(Hit)) {
        let mut order: Vec<usize> = (0..self.cursors.len()).collect();
        order.sort_by_key(|cursor| self.cursors[*cursor].size());
        let Some((lead, others)) = order.split_first() else { return };
        let mut doc = self.cursors[*lead].doc;
        'products: while doc != TERMINATED {
            for other in others {
                let found = self.cursors[*other].seek(doc);
                if found != doc {
                    doc = self.cursors[*lead].seek(found);
                    continue 'products;
                }
            }
            if keep(doc) {
                let weighed = self.weighed(doc);
                let mut all = Held::default();
                for held in self.cursors.iter_mut().map(|cursor| cursor.held(&weighed)) {
                    all.score += held.score;
                    all.lost += held.lost;
                }
                let score = all.score + self.extra_score(doc, &weighed);
                take(Hit { doc, score, coverage: 1.0 - all.lost });
            }
            self.cursors[*lead].advance();
            doc = self.cursors[*lead].doc;
        }
    }

    /// Calls `take` with each product that holds any word, in rising order.
    pub fn any_word(&mut self, keep: &mut dyn FnMut(DocId) -> bool, take: &mut dyn FnMut(Part)) {
        loop {
            let doc = self.cursors.iter().map(|cursor| cursor.doc).min().unwrap_or(TERMINATED);
            if doc == TERMINATED {
                return;
            }
            let kept = keep(doc);
            let weighed = self.weighed(doc);
            let mut part = Part { doc, score: 0.0, words: 0, lost: 0.0 };
            for (place, cursor) in self.cursors.iter_mut().enumerate() {
                if cursor.doc == doc {
                    if kept {
                        let held = cursor.held(&weighed);
                        part.words |= 1 << place;
                        part.score += held.score;
                        part.lost += held.lost;
                    }
                    cursor.advance();
                }
            }
            if kept {
                part.score += self.extra_score(doc, &weighed);
                take(part);
            }
        }
    }

    #[inline]
    fn weighed(&self, doc: DocId) -> Weighed<'s> {
        Weighed { weights: self.weights, norms: self.weights.norms(self.segment.facts(doc).lengths()) }
    }

    #[inline]
    fn extra_score(&mut self, doc: DocId, weighed: &Weighed<'_>) -> f32 {
        let mut score = 0.0;
        for extra in &mut self.extras {
            score += extra.score_at(doc, weighed);
        }
        score
    }
}
