//! The removal of a product, as tantivy's writer holds it until a commit: it is small, as a feed may replace all
//! products of a shop in one step. tantivy's own query for a term holds a kilobyte for scores that nobody asks for.

use tantivy::index::SegmentReader;
use tantivy::query::{ConstScorer, EmptyScorer, EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, Score, Term};

/// The products with an id.
#[derive(Debug, Clone)]
pub struct WithId {
    field: Field,
    id: Box<str>,
}

impl WithId {
    /// Those that have this id in the field of ids.
    #[must_use]
    pub fn new(field: Field, id: &str) -> Self {
        Self { field, id: id.into() }
    }
}

impl Query for WithId {
    fn weight(&self, _: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(self.clone()))
    }
}

impl Weight for WithId {
    fn scorer(&self, reader: &SegmentReader, score: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let term = Term::from_field_text(self.field, &self.id);
        let index = reader.inverted_index(self.field)?;
        Ok(match index.read_postings(&term, IndexRecordOption::Basic)? {
            Some(postings) => Box::new(ConstScorer::new(postings, score)),
            None => Box::new(EmptyScorer),
        })
    }

    fn explain(&self, _: &SegmentReader, _: DocId) -> tantivy::Result<Explanation> {
        Ok(Explanation::new("the product's id", 1.0))
    }
}
