//! Compounds as the index splits them, a sample of them to be read by a person.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tantivy::DocId;

use super::catalogues::{ShopIndex, titled};
use super::cost::each_posting;
use crate::search::bootstrap::BootstrapRng;
use crate::search::feed::SearchEvalFault;
use lethe::search::index_context::IndexContext;

/// First letter of the terms of a compound's head (docs/ranking.md).
const HEAD: char = '\u{5}';
/// First letter of the terms of its modifier.
const MODIFIER: char = '\u{6}';
/// Shorter words are not split.
const LETTERS_MIN: usize = 7;
const SEED: u64 = 45;

/// A word of a catalogue and the stems of its parts.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct SplitWord {
    /// The word, folded.
    pub word: String,
    /// The stem of its first part.
    pub modifier: String,
    /// The stem of its last part.
    pub head: String,
    /// Products with the word.
    pub products: u32,
}

/// The splits of a catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct SplitSample {
    /// Words that are long enough.
    pub words: usize,
    /// Words, of these, that the index splits.
    pub split: usize,
    /// Some of them, always the same ones, in alphabetical order.
    pub sample: Vec<SplitWord>,
}

impl SplitSample {
    /// Indexes each word of a catalogue as a product of its own, with the statistics of the catalogue, and reads the
    /// parts from there; keeps `most` of them.
    ///
    /// # Errors
    ///
    /// If tantivy fails.
    pub fn measure(knowledge: &Arc<IndexContext>, most: usize) -> Result<Self, SearchEvalFault> {
        let words = knowledge.statistics().words().iter();
        let long: Vec<_> = words.filter(|(word, _)| word.chars().nth(LETTERS_MIN - 1).is_some()).collect();
        let products: Vec<_> = long.iter().map(|(word, _)| titled((*word).to_owned(), word)).collect();
        let shop = ShopIndex::build_with(&products, Arc::clone(knowledge))?;
        let mut parts: BTreeMap<(usize, DocId), SplitWord> = BTreeMap::new();
        each_posting(&shop.snapshot, &mut |term, segment, doc, _| match term.strip_prefix(HEAD) {
            Some(head) => head.clone_into(&mut parts.entry((segment, doc)).or_default().head),
            None => {
                if let Some(modifier) = term.strip_prefix(MODIFIER) {
                    modifier.clone_into(&mut parts.entry((segment, doc)).or_default().modifier);
                }
            }
        })?;
        let segments = shop.snapshot.segments();
        let products: BTreeMap<&str, u32> =
            long.iter().map(|(word, entry)| (*word, entry.products)).collect();
        let named = parts.into_iter().map(|((segment, doc), parts)| {
            let word = segments[segment].id(doc);
            SplitWord { word: word.to_owned(), products: products.get(word).copied().unwrap_or(0), ..parts }
        });
        let mut sample: Vec<SplitWord> = named.collect();
        let split = sample.len();
        sample.sort_unstable();
        BootstrapRng(SEED).shuffle(&mut sample);
        sample.truncate(most);
        sample.sort_unstable();
        Ok(Self { words: long.len(), split, sample })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lethe::search::text::ShopLanguage;

    /// Holds with and without splits: none here has a part that is a word of the shop.
    #[test]
    fn words_of_one_part_are_not_split() {
        let titles = ["Regenschirm", "Fernseher", "Tasse"];
        let products: Vec<_> = titles.iter().map(|title| titled(format!("id-{title}"), title)).collect();
        let shop = ShopIndex::build(&products, ShopLanguage::German).expect("an index");
        let splits = SplitSample::measure(&shop.knowledge, 10).expect("splits");
        assert_eq!(splits, SplitSample { words: 2, split: 0, sample: Vec::new() });
    }
}
