//! Searches that show the effect of fixing a fault.

use super::defect::DefectKind;
use super::mark::ProductAddress;
use crate::search::engine::{MistypedHit, SearchQuery, SearchSample};
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::index::{IndexFault, ProductSet};
use crate::search::pricing::BuyerContext;

/// Result of a sample search.
#[derive(Debug)]
pub struct Sample {
    /// Query that is searched.
    pub query: String,
    /// Number of products found.
    pub hits: usize,
    /// Number of these on the first page.
    pub first_page: usize,
}

/// Changes in a search that fixing a fault would make.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SampleImpact {
    /// Products of the first page that have the fault.
    pub first_page: usize,
    /// Hits that have it.
    pub hits: usize,
    /// Products that would be found, and are not.
    pub comes: usize,
}

/// The products with a fault, by segment.
pub struct DefectiveProducts<'f> {
    /// Kind of fault.
    pub kind: DefectKind,
    /// Products that have it.
    pub named: &'f [ProductSet],
}

impl DefectiveProducts<'_> {
    fn has(&self, (segment, doc): ProductAddress) -> bool {
        self.named.get(segment).is_some_and(|named| named.has(doc))
    }

    fn hits(&self, found: &SearchSample) -> usize {
        let hits = found.hits.iter().enumerate();
        hits.flat_map(|(number, docs)| docs.iter().map(move |doc| (number, *doc)))
            .filter(|place| self.has(*place))
            .count()
    }
}

/// Runs searches, and records what fixing each fault would change. The hits are dropped: many searches in a large
/// catalogue would hold too much.
///
/// # Errors
/// If a file of the index cannot be read.
pub fn sample(
    snapshot: &IndexSnapshot,
    request: &SearchQuery,
    caller: &BuyerContext,
    faults: &[DefectiveProducts<'_>],
    mistyped: &[MistypedHit],
) -> Result<(Sample, Vec<SampleImpact>), IndexFault> {
    let found = snapshot.sample_search(request, caller, mistyped)?;
    // A caller with a currency finds no product without a price in it.
    let priceless = BuyerContext { currency: None, ..caller.clone() };
    let whatever_the_price = if caller.currency.is_some() {
        Some(snapshot.sample_search(request, &priceless, &[])?)
    } else {
        None
    };
    let change = |fault: &DefectiveProducts<'_>| SampleImpact {
        first_page: found.page.iter().filter(|place| fault.has(**place)).count(),
        hits: fault.hits(&found),
        comes: match fault.kind {
            DefectKind::NoPrice(_) => fault.hits(whatever_the_price.as_ref().unwrap_or(&found)),
            DefectKind::MistypedWord => found.coming,
            _ => 0,
        },
    };
    let changes = faults.iter().map(change).collect();
    let hits = found.hits.iter().map(Vec::len).sum();
    Ok((Sample { query: request.query.clone(), hits, first_page: found.page.len() }, changes))
}
