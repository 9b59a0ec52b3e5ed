//! Catalogue quality: the defects of a shop's products, and the change in searches that fixing them would bring.

mod attributes;
mod defect;
mod mark;
mod products;
mod samples;
#[cfg(test)]
mod tests;
mod titles;
mod words;

pub use self::defect::{DefectKind, TITLE_LETTERS};

use self::attributes::LoneAttributes;
use self::mark::DefectMark;
use self::samples::DefectiveProducts;
use self::titles::SharedTitles;
use crate::search::document::ShopTables;
use crate::search::engine::SearchQuery;
use crate::search::index::IndexFault;
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::pricing::BuyerContext;

pub use self::mark::DefectiveProduct;
pub use self::samples::{Sample, SampleImpact};

/// The products with one fault.
#[derive(Debug)]
pub struct DefectGroup {
    /// Kind of fault.
    pub kind: DefectKind,
    /// Number of products that have it.
    pub products: usize,
    /// The first affected products, in the order of their ids.
    pub rows: Vec<DefectiveProduct>,
    /// Per affected sample search, by its number: what fixing this would change.
    pub changes: Vec<(usize, SampleImpact)>,
}

/// Faults of the products of a shop.
#[derive(Debug)]
pub struct HealthReport {
    /// Number of products, without those that the shop leaves out of search.
    pub products: usize,
    /// Each fault that may be, in a fixed order.
    pub faults: Vec<DefectGroup>,
    /// The sample searches.
    pub samples: Vec<Sample>,
}

/// Looks through all products. For each fault it names the first `rows`; `samples` are searches of `caller`, who has no
/// account.
///
/// # Errors
/// If a file of the index cannot be read.
pub fn examine(
    snapshot: &IndexSnapshot,
    shop: &ShopTables,
    samples: &[SearchQuery],
    rows: usize,
    caller: &BuyerContext,
) -> Result<HealthReport, IndexFault> {
    let mut found = products::DefectScan::new(snapshot, rows, caller);
    let mut titles = SharedTitles::default();
    let mut attributes = LoneAttributes::default();
    found.for_each_product(shop, |place, document| {
        titles.add(place, document);
        attributes.add(place, document);
    });
    let products::DefectScan { mut marked, products, .. } = found;
    marked.push((DefectKind::SharedTitle, titles.finish(snapshot, rows)));
    marked.push((DefectKind::LoneAttribute, attributes.finish(snapshot, rows)));
    let (with_words, words) = words::mark_mistyped(snapshot, rows)?;
    marked.push((DefectKind::MistypedWord, with_words));
    marked.sort_by_key(|(kind, _)| *kind);
    let named: Vec<_> =
        marked.iter_mut().map(|(kind, marked)| (*kind, marked.product_sets(snapshot))).collect();
    let faulty: Vec<_> = named.iter().map(|(kind, named)| DefectiveProducts { kind: *kind, named }).collect();
    let fault = |(kind, mut marked): (DefectKind, DefectMark)| {
        let products = marked.count();
        DefectGroup { kind, products, rows: marked.take_rows(snapshot), changes: Vec::new() }
    };
    let mut faults: Vec<DefectGroup> = marked.into_iter().map(fault).collect();
    let mut searched = Vec::new();
    for (number, request) in samples.iter().enumerate() {
        let (sample, changes) = samples::sample(snapshot, request, caller, &faulty, &words)?;
        searched.push(sample);
        for (fault, change) in
            faults.iter_mut().zip(changes).filter(|(_, change)| *change != SampleImpact::default())
        {
            fault.changes.push((number, change));
        }
    }
    Ok(HealthReport { products, faults, samples: searched })
}
