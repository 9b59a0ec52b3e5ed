//! Which products of a segment hold the words of a plan, and what they score.

use tantivy::postings::{Postings, SegmentPostings};
use tantivy::{DocId, DocSet, TERMINATED};

use super::plan::{Alternative, Plan, Scored};
use crate::search::index::SegmentView;
use crate::search::statistics::{Norms, Weights};

/// The products with one word, and what it scores by its saturated frequency.
struct List {
    postings: SegmentPostings,
    factor: f32,
}

impl List {
    fn open(scored: &Scored, segment: &SegmentView) -> tantivy::Result<Option<Self>> {
        Ok(segment.postings(&scored.term)?.map(|postings| Self { postings, factor: scored.factor }))
    }

    /// The word's score in a product; 0 if it is not there. Products are asked for in rising order.
    #[inline]
    fn score_at(&mut self, doc: DocId, weighed: &Weighed<'_>) -> f32 {
        if self.postings.doc() < doc {
            self.postings.seek(doc);
        }
        if self.postings.doc() == doc { self.score(weighed) } else { 0.0 }
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

/// One way to hold a word: by itself, or as two words side by side that score together.
struct Way {
    list: List,
    parts: Option<Box<[Option<List>; 2]>>,
}

impl Way {
    #[inline]
    fn score(&mut self, doc: DocId, weighed: &Weighed<'_>) -> f32 {
        match &mut self.parts {
            None => self.list.score(weighed),
            Some(parts) => parts.iter_mut().flatten().map(|part| part.score_at(doc, weighed)).sum(),
        }
    }
}

/// The products that hold a word of the query in any way.
pub struct Cursor {
    ways: Vec<Way>,
    doc: DocId,
}

impl Cursor {
    fn open(alternatives: &[Alternative], segment: &SegmentView) -> tantivy::Result<Self> {
        let mut ways = Vec::with_capacity(alternatives.len());
        for alternative in alternatives {
            let way = match alternative {
                Alternative::Word(scored) => {
                    List::open(scored, segment)?.map(|list| Way { list, parts: None })
                }
                Alternative::Pair(term, [left, right]) => match segment.postings(term)? {
                    None => None,
                    Some(postings) => {
                        let parts = Box::new([List::open(left, segment)?, List::open(right, segment)?]);
                        Some(Way { list: List { postings, factor: 0.0 }, parts: Some(parts) })
                    }
                },
            };
            ways.extend(way);
        }
        let mut cursor = Self { ways, doc: TERMINATED };
        cursor.doc = cursor.first();
        Ok(cursor)
    }

    #[inline]
    fn first(&self) -> DocId {
        match self.ways.as_slice() {
            [only] => only.list.postings.doc(),
            ways => ways.iter().map(|way| way.list.postings.doc()).min().unwrap_or(TERMINATED),
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
            if way.list.postings.doc() == doc {
                way.list.postings.advance();
            }
        }
        self.doc = self.first();
    }

    #[inline]
    fn seek(&mut self, target: DocId) -> DocId {
        if self.doc < target {
            for way in &mut self.ways {
                if way.list.postings.doc() < target {
                    way.list.postings.seek(target);
                }
            }
            self.doc = self.first();
        }
        self.doc
    }

    /// The score in the product at which the cursor stands.
    #[inline]
    fn score(&mut self, weighed: &Weighed<'_>) -> f32 {
        let doc = self.doc;
        if let [only] = self.ways.as_mut_slice() {
            return only.score(doc, weighed);
        }
        let mut best = 0.0;
        for way in &mut self.ways {
            if way.list.postings.doc() == doc {
                best = f32::max(best, way.score(doc, weighed));
            }
        }
        best
    }
}

/// A product and what it scores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The product.
    pub doc: DocId,
    /// Its score; infinite if the query is its id or article number.
    pub score: f32,
    /// The share of the query that it holds.
    pub coverage: f32,
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
        let words = plan.words.iter().map(|word| Cursor::open(&word.alternatives, segment));
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
                let score = self.cursors.iter_mut().map(|cursor| cursor.score(&weighed)).sum::<f32>();
                let score = score + self.extra_score(doc, &weighed);
                take(Hit { doc, score, coverage: 1.0 });
            }
            self.cursors[*lead].advance();
            doc = self.cursors[*lead].doc;
        }
    }

    /// Calls `take` with each product that holds any word, in rising order: its score, and a bit for each word.
    pub fn any_word(&mut self, keep: &mut dyn FnMut(DocId) -> bool, take: &mut dyn FnMut(DocId, f32, u64)) {
        loop {
            let doc = self.cursors.iter().map(|cursor| cursor.doc).min().unwrap_or(TERMINATED);
            if doc == TERMINATED {
                return;
            }
            let kept = keep(doc);
            let weighed = self.weighed(doc);
            let mut score = 0.0;
            let mut words = 0;
            for (place, cursor) in self.cursors.iter_mut().enumerate() {
                if cursor.doc == doc {
                    if kept {
                        words |= 1 << place;
                        score += cursor.score(&weighed);
                    }
                    cursor.advance();
                }
            }
            if kept {
                let score = score + self.extra_score(doc, &weighed);
                take(doc, score, words);
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
