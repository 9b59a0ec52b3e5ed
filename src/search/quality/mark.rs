//! The products that have a fault.

use std::collections::BTreeMap;

use tantivy::DocId;

use crate::limits;
use crate::search::index::ProductSet;
use crate::search::index::snapshot::IndexSnapshot;

/// Number of a segment, and number of a product in it.
pub type ProductAddress = (usize, DocId);

/// A product that has a fault.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DefectiveProduct {
    /// Its id.
    pub id: String,
    /// Its title, or the beginning of a very long one.
    pub title: String,
    /// The first others that have its title.
    pub others: Vec<String>,
    /// Letters of a title that is too long.
    pub letters: Option<usize>,
    /// The attribute that no other product has.
    pub attribute: Option<String>,
    /// The mistyped word, and the word that may be meant.
    pub word: Option<(String, String)>,
}

/// The products that have one fault.
#[derive(Debug)]
pub struct DefectMark {
    docs: Vec<Vec<DocId>>,
    most_rows: usize,
    /// By id, then by the detail that tells rows of one product apart.
    rows: BTreeMap<(String, String), (ProductAddress, DefectiveProduct)>,
}

impl DefectMark {
    /// None of the products of this number of segments; the first `most_rows` will be named.
    pub fn new(segments: usize, most_rows: usize) -> Self {
        Self { docs: vec![Vec::new(); segments], most_rows, rows: BTreeMap::new() }
    }

    /// Marks a product.
    pub fn mark(&mut self, (segment, doc): ProductAddress) {
        self.docs[segment].push(doc);
    }

    /// Names a product, if it is one of the first. `detail` tells rows of one product apart; `row` has the members
    /// besides id and title.
    pub fn name(
        &mut self,
        place: ProductAddress,
        id: &str,
        detail: &str,
        row: impl FnOnce() -> DefectiveProduct,
    ) {
        let last = self.rows.last_key_value().map(|((id, detail), _)| (id.as_str(), detail.as_str()));
        let is_after = last.is_some_and(|last| last < (id, detail));
        if self.most_rows == 0 || is_after && self.rows.len() >= self.most_rows {
            return;
        }
        self.rows.insert((id.to_owned(), detail.to_owned()), (place, row()));
        if self.rows.len() > self.most_rows {
            self.rows.pop_last();
        }
    }

    /// The rows, in the order of their ids. A title is read once for all rows of its product.
    pub fn take_rows(&mut self, snapshot: &IndexSnapshot) -> Vec<DefectiveProduct> {
        let mut rows: Vec<DefectiveProduct> = Vec::new();
        for ((id, _), (place, row)) in std::mem::take(&mut self.rows) {
            let known = rows.last().filter(|last| last.id == id).map(|last| last.title.clone());
            let title = known.unwrap_or_else(|| beginning_of(&snapshot.title_at(place)));
            rows.push(DefectiveProduct { id, title, ..row });
        }
        rows
    }

    /// The products of each segment. A product that was marked twice is there once.
    pub fn product_sets(&mut self, snapshot: &IndexSnapshot) -> Vec<ProductSet> {
        let docs = self.docs.iter_mut().zip(snapshot.segments());
        docs.map(|(docs, segment)| {
            docs.sort_unstable();
            docs.dedup();
            ProductSet::new(docs.clone(), segment.max_doc())
        })
        .collect()
    }

    /// Number of products; after [`Self::product_sets`].
    pub fn count(&self) -> usize {
        self.docs.iter().map(Vec::len).sum()
    }
}

/// As much of a title as a row has room for.
fn beginning_of(title: &str) -> String {
    if title.len() <= limits::QUALITY_TEXT_BYTES {
        return title.to_owned();
    }
    let end = title.floor_char_boundary(limits::QUALITY_TEXT_BYTES);
    format!("{}…", &title[..end])
}
