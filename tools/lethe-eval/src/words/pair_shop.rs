//! Shops whose products have the words of pairs as titles.

use std::collections::BTreeMap;

use super::catalogues::{ShopIndex, titled};
use super::pairs::{PairKind, WordPair};
use crate::search::feed::SearchEvalFault;
use lethe::search::engine::SearchQuery;
use lethe::search::pricing::BuyerContext;
use lethe::search::text::ShopLanguage;

/// Products of each title: a word of one product counts as a slip in some rules.
const COPIES: usize = 2;
/// Products of an answer that are looked at: more than hold any word.
const DEPTH: usize = 200;
/// Coverage from which on a product holds all words.
const WHOLE: f32 = 0.99;

/// The shops of one language. Ways to write a word are tried in a shop that writes the second way alone, as the typed
/// way is then unknown; other words in a shop that has both, in which corrections change neither.
pub struct PairShop {
    both: TitleShop,
    written: TitleShop,
}

impl PairShop {
    /// The shops of these pairs, which are of one language.
    ///
    /// # Errors
    ///
    /// If tantivy fails.
    pub fn build(language: ShopLanguage, pairs: &[&WordPair]) -> Result<Self, SearchEvalFault> {
        let written = pairs.iter().map(|pair| pair.written.as_str());
        let both = written.clone().chain(pairs.iter().map(|pair| pair.typed.as_str()));
        Ok(Self { both: TitleShop::build(language, both)?, written: TitleShop::build(language, written)? })
    }

    /// Returns true if the typed word finds the other as one that holds all of the query.
    ///
    /// # Errors
    ///
    /// If the index cannot be read.
    pub fn finds(&self, pair: &WordPair) -> Result<bool, SearchEvalFault> {
        let is_spelling = !matches!(pair.kind, PairKind::Number | PairKind::Compound);
        let shop = if pair.is_joined && is_spelling { &self.written } else { &self.both };
        shop.finds(&pair.typed, &pair.written)
    }
}

/// A shop with [`COPIES`] products of each title.
struct TitleShop {
    index: ShopIndex,
    /// Beginning of the products' ids, by their title.
    ids: BTreeMap<String, String>,
}

impl TitleShop {
    fn build<'t>(
        language: ShopLanguage,
        titles: impl Iterator<Item = &'t str>,
    ) -> Result<Self, SearchEvalFault> {
        let mut ids = BTreeMap::new();
        for title in titles {
            let number = ids.len();
            ids.entry(title.to_owned()).or_insert_with(|| format!("title{number}of"));
        }
        let products = ids
            .iter()
            .flat_map(|(title, id)| (0..COPIES).map(move |copy| titled(format!("{id}{copy}"), title)));
        let products: Vec<_> = products.collect();
        Ok(Self { index: ShopIndex::build(&products, language)?, ids })
    }

    fn finds(&self, query: &str, title: &str) -> Result<bool, SearchEvalFault> {
        let Some(wanted) = self.ids.get(title) else { return Ok(false) };
        let request =
            SearchQuery { query: query.to_owned(), size: DEPTH, explain: true, ..SearchQuery::default() };
        let answer = self.index.snapshot.search(&request, &BuyerContext::default())?;
        let found = answer.items.iter().any(|item| {
            let is_whole = item.why.as_ref().is_some_and(|why| why.coverage > WHOLE);
            is_whole && item.id.starts_with(wanted.as_str())
        });
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(typed: &str, written: &str, kind: PairKind, is_joined: bool) -> WordPair {
        let language = ShopLanguage::English;
        WordPair {
            language,
            typed: typed.to_owned(),
            written: written.to_owned(),
            kind,
            is_joined,
            is_excused: false,
        }
    }

    #[test]
    fn a_product_that_lacks_a_word_is_not_found() {
        let pairs = [
            pair("desk lamp", "lamp", PairKind::Number, false),
            pair("lamps", "lamp", PairKind::Number, true),
        ];
        let shop = PairShop::build(ShopLanguage::English, &pairs.iter().collect::<Vec<_>>()).expect("shops");
        assert!(!shop.finds(&pairs[0]).expect("an answer"), "it holds one of two words");
        assert!(shop.finds(&pairs[1]).expect("an answer"));
    }

    #[test]
    fn a_way_to_write_is_tried_where_the_shop_does_not_have_it() {
        let joined = pair("headphones", "head phones", PairKind::Join, true);
        let shop = PairShop::build(ShopLanguage::English, &[&joined]).expect("shops");
        assert_eq!(shop.written.ids.keys().collect::<Vec<_>>(), ["head phones"]);
        assert_eq!(shop.both.ids.len(), 2);
    }

    #[test]
    fn titles_are_told_apart_by_whole_ids() {
        let titles: Vec<String> = (0..20).map(|number| format!("thing {number}")).collect();
        let shop =
            TitleShop::build(ShopLanguage::English, titles.iter().map(String::as_str)).expect("a shop");
        assert!(shop.finds("thing 1", "thing 1").expect("an answer"));
        assert!(!shop.finds("thing 12", "thing 1").expect("an answer"));
        assert!(!shop.finds("thing 1", "nothing").expect("an answer"));
    }
}
