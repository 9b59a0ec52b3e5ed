//! Cost of words: tokens, terms, postings and bytes of an index.

use serde::{Deserialize, Serialize};
use tantivy::postings::Postings;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, TERMINATED};

use super::catalogues::ShopIndex;
use crate::search::feed::SearchEvalFault;
use lethe::search::index::IndexFault;
use lethe::search::index::snapshot::IndexSnapshot;

/// The index's field of words.
const WORDS: &str = "words";

/// Size of one catalogue's index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct IndexCost {
    /// Occurrences of terms in products, each field counted up to 15 times.
    pub tokens: u64,
    /// Different terms.
    pub terms: u64,
    /// Pairs of a term and a product that has it.
    pub postings: u64,
    /// Bytes of the index's files.
    pub index_bytes: u64,
    /// Bytes of the statistics.
    pub statistics_bytes: u64,
}

impl IndexCost {
    /// All figures, in the order of the fields.
    #[must_use]
    pub const fn figures(&self) -> [u64; 5] {
        [self.tokens, self.terms, self.postings, self.index_bytes, self.statistics_bytes]
    }

    /// Counts what an index holds. Terms are those of the field of words, with units, joins and parts.
    ///
    /// # Errors
    ///
    /// If the index cannot be read.
    pub fn measure(shop: &ShopIndex) -> Result<Self, SearchEvalFault> {
        let statistics = shop.knowledge.statistics();
        let patterns = statistics.patterns().patterns();
        let mut cost = Self { statistics_bytes: statistics.encode().len() as u64, ..Self::default() };
        let mut last = String::new();
        each_posting(&shop.snapshot, &mut |term, _, _, number| {
            if cost.postings == 0 || term != last {
                cost.terms += 1;
                term.clone_into(&mut last);
            }
            cost.postings += 1;
            // The index keeps the number of a pattern, counted from 1, in place of a count of occurrences.
            let pattern = (number as usize).checked_sub(1).and_then(|place| patterns.get(place));
            cost.tokens +=
                pattern.map_or(0, |counts| counts.iter().map(|count| u64::from(*count)).sum::<u64>());
        })?;
        for segment in shop.snapshot.segments() {
            let usage = segment.reader().space_usage().map_err(IndexFault::from)?;
            cost.index_bytes += usage.total().get_bytes();
        }
        Ok(cost)
    }
}

/// Calls `take` with each term, segment and product of an index, and the number of the term's pattern in the product; a
/// segment's terms are in order.
///
/// # Errors
///
/// If the index cannot be read.
pub fn each_posting(
    snapshot: &IndexSnapshot,
    take: &mut dyn FnMut(&str, usize, DocId, u32),
) -> Result<(), IndexFault> {
    for (number, segment) in snapshot.segments().iter().enumerate() {
        let reader = segment.reader();
        let words = reader.inverted_index(reader.schema().get_field(WORDS)?)?;
        let mut terms = words.terms().stream()?;
        while terms.advance() {
            let mut postings =
                words.read_postings_from_terminfo(terms.value(), IndexRecordOption::WithFreqs)?;
            let Ok(term) = std::str::from_utf8(terms.key()) else { continue };
            while postings.doc() != TERMINATED {
                take(term, number, postings.doc(), postings.term_freq());
                postings.advance();
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::catalogues::titled;
    use super::*;
    use lethe::search::text::ShopLanguage;

    #[test]
    fn tokens_terms_and_postings_are_counted() {
        let products = [titled("a".to_owned(), "red lamp lamp"), titled("b".to_owned(), "red carpet")];
        let shop = ShopIndex::build(&products, ShopLanguage::English).expect("an index");
        let cost = IndexCost::measure(&shop).expect("a cost");
        assert_eq!((cost.tokens, cost.terms, cost.postings), (5, 3, 4));
        assert!(cost.index_bytes > 0 && cost.statistics_bytes > 0, "{cost:?}");
    }
}
