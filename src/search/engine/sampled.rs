//! What a search finds, as numbers: for who compares it with other lists of products.

use tantivy::DocId;

use super::answer::stems_of;
use super::{Answer, Request, Snapshot};
use crate::search::index::IndexFault;
use crate::search::offer::Caller;

/// What a search finds.
#[derive(Debug)]
pub struct Sampled {
    /// All hits of each segment, rising.
    pub hits: Vec<Vec<DocId>>,
    /// Those of the page: segment and product, best first.
    pub page: Vec<(usize, DocId)>,
    /// The stems that it looks for.
    pub stems: Vec<String>,
}

impl Snapshot {
    /// Searches. `request` was checked, and neither filters nor counts.
    ///
    /// # Errors
    ///
    /// If a file of the index cannot be read.
    pub fn sampled(&self, request: &Request, caller: &Caller) -> Result<Sampled, IndexFault> {
        let prepared = self.prepare(request, caller)?;
        let search = self.search_of(request, &prepared);
        let matches = search.matches(None)?;
        let hits = matches.hits.iter().map(|hits| hits.iter().map(|hit| hit.doc).collect()).collect();
        let page = self.page(request, &prepared, &search, &mut Answer::default())?;
        let page = page.iter().take(request.size).map(|found| (found.segment, found.hit.doc)).collect();
        Ok(Sampled { hits, page, stems: stems_of(&prepared.plan) })
    }

    /// The id of the product of a place: segment and number.
    #[must_use]
    pub fn id_at(&self, (segment, doc): (usize, DocId)) -> &str {
        self.segments[segment].id(doc)
    }

    /// The title of the product of a place.
    #[must_use]
    pub fn title_at(&self, (segment, doc): (usize, DocId)) -> String {
        let [card, _] = self.segments[segment].shown(doc);
        super::answer::title_of(&card).unwrap_or_default()
    }
}
