//! Searches that show what mending a fault would change.

use super::Kind;
use super::mark::Place;
use crate::search::engine::{Mistyped, Request, Sampled, Snapshot};
use crate::search::index::{IndexFault, Named};
use crate::search::offer::Caller;

/// What a search finds.
#[derive(Debug)]
pub struct Sample {
    /// What is searched.
    pub query: String,
    /// How many products are found.
    pub hits: usize,
    /// How many of them are on the first page.
    pub first_page: usize,
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

/// The products with a fault, by segment.
pub struct Faulty<'f> {
    /// Which fault.
    pub kind: Kind,
    /// Who has it.
    pub named: &'f [Named],
}

impl Faulty<'_> {
    fn has(&self, (segment, doc): Place) -> bool {
        self.named.get(segment).is_some_and(|named| named.has(doc))
    }

    fn hits(&self, found: &Sampled) -> usize {
        let hits = found.hits.iter().enumerate();
        hits.flat_map(|(number, docs)| docs.iter().map(move |doc| (number, *doc)))
            .filter(|place| self.has(*place))
            .count()
    }
}

/// Searches, and says what mending each fault would change. What was found is dropped: of many searches in a large
/// catalogue it would be much.
///
/// # Errors
/// If a file of the index cannot be read.
pub fn sample(
    snapshot: &Snapshot,
    request: &Request,
    caller: &Caller,
    faults: &[Faulty<'_>],
    mistyped: &[Mistyped],
) -> Result<(Sample, Vec<Change>), IndexFault> {
    let found = snapshot.sampled(request, caller, mistyped)?;
    // Who searches in a currency finds nothing without a price in it.
    let priceless = Caller { currency: None, ..caller.clone() };
    let whatever_the_price =
        if caller.currency.is_some() { Some(snapshot.sampled(request, &priceless, &[])?) } else { None };
    let change = |fault: &Faulty<'_>| Change {
        first_page: found.page.iter().filter(|place| fault.has(**place)).count(),
        hits: fault.hits(&found),
        comes: match fault.kind {
            Kind::NoPrice(_) => fault.hits(whatever_the_price.as_ref().unwrap_or(&found)),
            Kind::MistypedWord => found.coming,
            _ => 0,
        },
    };
    let changes = faults.iter().map(change).collect();
    let hits = found.hits.iter().map(Vec::len).sum();
    Ok((Sample { query: request.query.clone(), hits, first_page: found.page.len() }, changes))
}
