//! The products of a segment with one word.

use tantivy::postings::{Postings, SegmentPostings};
use tantivy::{DocId, DocSet};

use crate::search::index::SegmentView;
use crate::search::query::plan::ScoredTerm;
use crate::search::statistics::{Norms, Weights, saturate};

/// The products with one word, and its scores by saturated frequency.
pub(super) struct WordPostings {
    pub(super) postings: SegmentPostings,
    pub(super) factor: f32,
    /// An occurrence counts as this many.
    pub(super) worth: f32,
}

impl WordPostings {
    pub(super) fn open(scored: &ScoredTerm, segment: &SegmentView) -> tantivy::Result<Option<Self>> {
        Self::open_part(scored, 1.0, segment)
    }

    /// The products with a word of which each occurrence counts as `worth`.
    pub(super) fn open_part(
        scored: &ScoredTerm,
        worth: f32,
        segment: &SegmentView,
    ) -> tantivy::Result<Option<Self>> {
        let Some(postings) = segment.postings(&scored.term)? else { return Ok(None) };
        Ok(Some(Self { factor: scored.factor, postings, worth }))
    }

    /// The first product from this one on that has the word. Calls must come in rising order.
    #[inline]
    pub(super) fn seek(&mut self, doc: DocId) -> DocId {
        if self.postings.doc() < doc { self.postings.seek(doc) } else { self.postings.doc() }
    }

    /// The number of the word's pattern in a product; 0 if it is not there.
    #[inline]
    pub(super) fn number_at(&mut self, doc: DocId) -> u8 {
        self.seek(doc);
        self.number_if_at(doc)
    }

    /// The same without moving on in the list.
    #[inline]
    pub(super) fn number_if_at(&self, doc: DocId) -> u8 {
        if self.postings.doc() == doc { self.postings.term_freq() as u8 } else { 0 }
    }

    /// Score of the word in a product that has it with the pattern of this number; 0 for 0.
    #[inline]
    pub(super) fn score(&self, number: u8, weighed: &ScoringState<'_>) -> f32 {
        self.factor * saturate(self.occurrences(number, weighed))
    }

    /// The weighed occurrences of the word in a product that has it with the pattern of this number; 0 for 0.
    #[inline]
    pub(super) fn occurrences(&self, number: u8, weighed: &ScoringState<'_>) -> f32 {
        self.worth * weighed.weights.frequency(u32::from(number), &weighed.norms)
    }
}

/// The product that is scored, with the weights of occurrences in its fields.
pub(super) struct ScoringState<'w> {
    pub(super) weights: &'w Weights,
    pub(super) norms: Norms,
}
