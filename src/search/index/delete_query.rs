//! The removal of products, as tantivy's writer holds it until a commit: it is small, as a feed may replace all
//! products of a shop in one step. tantivy's own query for a term holds a kilobyte for scores that are never read.
//!
//! tantivy applies a removal to segments that were written after it too, and leaves it to their writer to tell which of
//! their products are older. Here all products of a segment are younger than the removals before it.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use tantivy::index::{SegmentId, SegmentReader};
use tantivy::query::{
    AllScorer, ConstScorer, EmptyScorer, EnableScoring, Explanation, Query, Scorer, Weight,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, Score, Term};

/// The segments that were written, each with its number; a merged one has none.
#[derive(Debug, Clone, Default)]
pub struct WrittenSegments(Arc<Mutex<Numbers>>);

#[derive(Debug, Default)]
struct Numbers {
    last: u64,
    of: HashMap<SegmentId, u64>,
}

impl WrittenSegments {
    /// Numbers a segment before the writer learns of it.
    pub fn add(&self, segment: SegmentId) {
        self.with_numbers(|numbers| {
            numbers.last += 1;
            numbers.of.insert(segment, numbers.last);
        });
    }

    /// Drops the numbers of all segments except these. A segment that is being merged has to be among them.
    pub fn retain(&self, segments: impl Iterator<Item = SegmentId>) {
        let kept: HashSet<_> = segments.collect();
        self.with_numbers(|numbers| numbers.of.retain(|segment, _| kept.contains(segment)));
    }

    /// The removal of the products in the segments so far that have this id in the field of ids.
    #[must_use]
    pub fn removal_of(&self, field: Field, id: &str) -> Removal {
        self.removal(RemovalTarget::Id(field, id.into()))
    }

    /// The removal of all products in the segments so far.
    #[must_use]
    pub fn removal_of_all(&self) -> Removal {
        self.removal(RemovalTarget::All)
    }

    fn removal(&self, which: RemovalTarget) -> Removal {
        Removal { which, last: self.with_numbers(|numbers| numbers.last), written: self.clone() }
    }

    fn number(&self, segment: SegmentId) -> u64 {
        self.with_numbers(|numbers| numbers.of.get(&segment).copied().unwrap_or_default())
    }

    fn with_numbers<T>(&self, work: impl FnOnce(&mut Numbers) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A removal of products.
#[derive(Debug, Clone)]
pub struct Removal {
    which: RemovalTarget,
    /// The number of the last segment that was written before.
    last: u64,
    written: WrittenSegments,
}

#[derive(Debug, Clone)]
enum RemovalTarget {
    All,
    Id(Field, Box<str>),
}

impl Query for Removal {
    fn weight(&self, _: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(self.clone()))
    }
}

impl Weight for Removal {
    fn scorer(&self, reader: &SegmentReader, score: Score) -> tantivy::Result<Box<dyn Scorer>> {
        if self.written.number(reader.segment_id()) > self.last {
            return Ok(Box::new(EmptyScorer));
        }
        let RemovalTarget::Id(field, id) = &self.which else {
            return Ok(Box::new(AllScorer::new(reader.max_doc())));
        };
        let term = Term::from_field_text(*field, id);
        let index = reader.inverted_index(*field)?;
        Ok(match index.read_postings(&term, IndexRecordOption::Basic)? {
            Some(postings) => Box::new(ConstScorer::new(postings, score)),
            None => Box::new(EmptyScorer),
        })
    }

    fn explain(&self, _: &SegmentReader, _: DocId) -> tantivy::Result<Explanation> {
        Ok(Explanation::new("a removal", 1.0))
    }
}
