//! The products that have a fault.

use std::collections::BTreeMap;

use tantivy::DocId;

use crate::search::engine::Snapshot;
use crate::search::index::Named;

/// Number of a segment, and number of a product in it.
pub type Place = (usize, DocId);

/// A product that has a fault.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The first others that have its title.
    pub others: Vec<String>,
    /// Letters of a title that is too long.
    pub letters: Option<usize>,
    /// The attribute that no other product has.
    pub attribute: Option<String>,
    /// The word that is mistyped, and the one that may be meant.
    pub word: Option<(String, String)>,
}

/// The products that have one fault.
#[derive(Debug)]
pub struct Marked {
    docs: Vec<Vec<DocId>>,
    most_rows: usize,
    /// By id, and of those of one product by what tells them apart.
    rows: BTreeMap<(String, String), Row>,
}

impl Marked {
    /// None of the products of so many segments; so many of the first will be named.
    pub fn new(segments: usize, most_rows: usize) -> Self {
        Self { docs: vec![Vec::new(); segments], most_rows, rows: BTreeMap::new() }
    }

    /// Marks a product.
    pub fn mark(&mut self, (segment, doc): Place) {
        self.docs[segment].push(doc);
    }

    /// Names a product, if it is one of the first. `detail` tells rows of one product apart.
    pub fn name(&mut self, id: &str, detail: &str, row: impl FnOnce() -> Row) {
        let is_after = self.rows.last_key_value().is_some_and(|((last, _), _)| last.as_str() < id);
        if self.most_rows == 0 || is_after && self.rows.len() >= self.most_rows {
            return;
        }
        self.rows.insert((id.to_owned(), detail.to_owned()), row());
        // red: search::quality::tests::the_first_rows_are_those_of_the_first_ids
        if self.rows.len() > self.most_rows {
            mutant!("the-first-rows-are-those-that-came-last", self.rows.pop_last(), self.rows.pop_first());
        }
    }

    /// The rows, in the order of their ids.
    pub fn take_rows(&mut self) -> Vec<Row> {
        std::mem::take(&mut self.rows).into_values().collect()
    }

    /// The products of each segment. A product that was marked twice is there once.
    pub fn named(&mut self, snapshot: &Snapshot) -> Vec<Named> {
        let docs = self.docs.iter_mut().zip(snapshot.segments());
        docs.map(|(docs, segment)| {
            docs.sort_unstable();
            docs.dedup();
            Named::new(docs.clone(), segment.max_doc())
        })
        .collect()
    }

    /// How many products; after [`Self::named`].
    pub fn count(&self) -> usize {
        self.docs.iter().map(Vec::len).sum()
    }
}
