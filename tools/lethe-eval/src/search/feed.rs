//! Feeds and judgments as files, read for an evaluation.

use std::collections::HashMap;
use std::sync::Arc;

use lethe::search::document::ProductDocument;
use lethe::search::index::{DocumentChange, Index, IndexFault};
use lethe::search::index_context::IndexContext;
use lethe::search::spellcheck::Dictionary;
use lethe::search::statistics::StatisticsCounter;
use lethe::search::text::{Analyser, ShopLanguage};

/// Reason why an evaluation is impossible.
#[derive(Debug, thiserror::Error)]
pub enum SearchEvalFault {
    /// The index cannot be made or read.
    #[error(transparent)]
    Index(#[from] IndexFault),
    /// A line of the judgments cannot be read.
    #[error("line {0} of the judgments is not query,id,rating")]
    Judgments(usize),
    /// A line of the pairs of words cannot be read.
    #[error("line {0} of the pairs of words is not language,word,word,kind,1 or 0,remark")]
    Pairs(usize),
    /// The list of brands cannot be read.
    #[error("the list of brands is not a JSON array of texts")]
    Brands,
}

/// Counts the products.
#[must_use]
pub fn count(
    products: &[ProductDocument],
    language: ShopLanguage,
    dictionary: Arc<Dictionary>,
) -> Arc<IndexContext> {
    let analyser = Arc::new(Analyser::new(language));
    let mut counter = StatisticsCounter::new(Arc::clone(&analyser), []);
    for product in products {
        counter.add(product);
    }
    IndexContext::new(analyser, Arc::new(counter.finish()), dictionary)
}

/// An index of the products in memory.
///
/// # Errors
///
/// If tantivy fails.
pub fn build(products: &[ProductDocument], knowledge: &Arc<IndexContext>) -> Result<Index, SearchEvalFault> {
    let directory = tantivy::directory::RamDirectory::create();
    let mut index = Index::create_in(Box::new(directory), Arc::clone(knowledge))?;
    for product in products {
        index.write(DocumentChange::Put(product))?;
    }
    index.commit("")?;
    Ok(index)
}

/// Ratings of products by query, in the order of the file.
pub struct Judgments {
    /// Query and ratings by product.
    pub queries: Vec<(String, HashMap<String, u8>)>,
}

impl Judgments {
    /// Reads a CSV with a heading and the columns query, product and rating.
    ///
    /// # Errors
    ///
    /// If a line has another form.
    pub fn parse(text: &str) -> Result<Self, SearchEvalFault> {
        let mut queries: Vec<(String, HashMap<String, u8>)> = Vec::new();
        for (number, line) in text.lines().enumerate().skip(1).filter(|(_, line)| !line.is_empty()) {
            let fault = || SearchEvalFault::Judgments(number + 1);
            let (rest, rating) = line.rsplit_once(',').ok_or_else(fault)?;
            let (query, product) = rest.rsplit_once(',').ok_or_else(fault)?;
            let query = query.trim_matches('"').replace("\"\"", "\"");
            let rating = rating.trim().parse().map_err(|_| fault())?;
            if queries.last().is_none_or(|(last, _)| *last != query) {
                match queries.iter().position(|(known, _)| *known == query) {
                    Some(place) => {
                        queries[place].1.insert(product.to_owned(), rating);
                        continue;
                    }
                    None => queries.push((query, HashMap::new())),
                }
            }
            if let Some((_, ratings)) = queries.last_mut() {
                ratings.insert(product.to_owned(), rating);
            }
        }
        Ok(Self { queries })
    }
}
