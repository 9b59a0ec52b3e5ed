//! Searches that show what mending a fault would change.

use tantivy::DocId;

use super::mark::Place;
use super::words::Mistyped;
use crate::search::engine::{Request, Sampled, Snapshot};
use crate::search::index::{IndexFault, Named};
use crate::search::offer::Caller;

/// What a search finds.
#[derive(Debug)]
pub struct Sample {
    /// What is searched.
    pub query: String,
    found: Sampled,
}

/// What mending a fault would change in a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Change {
    /// Products of the first page that have the fault.
    pub first_page: usize,
    /// Hits that have it.
    pub hits: usize,
    /// Products that would be found, and are not.
    pub comes: usize,
}

impl Sample {
    /// Searches.
    ///
    /// # Errors
    /// If a file of the index cannot be read.
    pub fn search(snapshot: &Snapshot, request: &Request, caller: &Caller) -> Result<Self, IndexFault> {
        Ok(Self { query: request.query.clone(), found: snapshot.sampled(request, caller)? })
    }

    /// How many products are found.
    #[must_use]
    pub fn hits(&self) -> usize {
        self.found.hits.iter().map(Vec::len).sum()
    }

    /// How many of them are on the first page.
    #[must_use]
    pub fn first_page(&self) -> usize {
        self.found.page.len()
    }

    pub(super) fn changed_by(&self, fault: &[Named]) -> Change {
        let has = |segment: usize, doc: DocId| fault.get(segment).is_some_and(|named| named.has(doc));
        let of_segment =
            |(number, docs): (usize, &Vec<DocId>)| docs.iter().filter(|doc| has(number, **doc)).count();
        Change {
            first_page: self.found.page.iter().filter(|(number, doc)| has(*number, *doc)).count(),
            hits: self.found.hits.iter().enumerate().map(of_segment).sum(),
            comes: 0,
        }
    }

    pub(super) fn changed_by_words(&self, fault: &[Named], words: &[Mistyped]) -> Change {
        let is_hit = |(number, doc): &Place| self.found.hits[*number].binary_search(doc).is_ok();
        let mut coming: Vec<_> = words.iter().filter(|(_, meant)| self.found.stems.contains(meant)).collect();
        coming.dedup_by_key(|(place, _)| *place);
        let comes = coming.iter().filter(|(place, _)| !is_hit(place)).count();
        Change { comes, ..self.changed_by(fault) }
    }
}
