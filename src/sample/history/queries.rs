//! The searches of a made-up history.

use std::collections::HashMap;

use super::action::SampleAction;
use super::shelf::ShelfItem;
use crate::reports::query;
use crate::sample::random::SampleRandom;
use crate::sample::words::MISSED;

/// The words of the titles, and the products that have each.
pub struct SampleQueries {
    /// Places of products in the list, in ascending order, by word.
    items_of: HashMap<String, Vec<u32>>,
    /// The words of each title.
    titles: Vec<Vec<String>>,
}

impl SampleQueries {
    /// The words of these products.
    pub fn new(items: &[ShelfItem]) -> Self {
        let titles: Vec<Vec<String>> = items
            .iter()
            .map(|item| query::lowercase_words(&item.title).split(' ').map(str::to_owned).collect())
            .collect();
        let mut items_of: HashMap<String, Vec<u32>> = HashMap::new();
        for (item, words) in (0..).zip(&titles) {
            for word in words {
                let items = items_of.entry(word.clone()).or_default();
                if items.last() != Some(&item) {
                    items.push(item);
                }
            }
        }
        Self { items_of, titles }
    }

    /// A search that finds a product: for the last word of its title, or its first and last; sometimes with a typing
    /// error, which is corrected. `None` if its title has no word that can be searched.
    pub fn search_for(&self, random: &mut SampleRandom, item: usize) -> Option<SampleAction> {
        let words = &self.titles[item];
        let last = words.last()?;
        let first = words.first().filter(|first| random.below(5) < 2 && *first != last);
        let typed: Vec<&str> = first.into_iter().chain([last]).map(String::as_str).collect();
        let found = self.count(&typed);
        let typed = typed.join(" ");
        let misspelt = (random.below(12) == 0).then(|| swap_letters(&typed)).flatten();
        let is_corrected = misspelt.is_some();
        let query = query::normalize(&misspelt.unwrap_or(typed))?;
        Some(SampleAction::Searched { query, found, is_corrected })
    }

    /// A search for something that the shop does not have.
    pub fn search_in_vain(random: &mut SampleRandom) -> SampleAction {
        // The first are searched more often.
        let place = random.below(MISSED.len() as u64).min(random.below(MISSED.len() as u64));
        SampleAction::Searched { query: MISSED[place as usize].to_owned(), found: 0, is_corrected: false }
    }

    /// Number of products that have all words.
    fn count(&self, words: &[&str]) -> u64 {
        let lists: Vec<&Vec<u32>> = words.iter().filter_map(|word| self.items_of.get(*word)).collect();
        let Some(shortest) = lists.iter().min_by_key(|list| list.len()) else { return 0 };
        let has_all = |item: &&u32| lists.iter().all(|list| list.binary_search(item).is_ok());
        shortest.iter().filter(has_all).count() as u64
    }
}

/// A text with its third and fourth letter swapped; `None` if it is short, or they are equal.
fn swap_letters(text: &str) -> Option<String> {
    let mut letters: Vec<char> = text.chars().collect();
    let is_long = letters.len() > 4 && letters[..4].iter().all(|letter| letter.is_alphabetic());
    (is_long && letters[2] != letters[3]).then(|| {
        letters.swap(2, 3);
        letters.into_iter().collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(title: &str) -> ShelfItem {
        ShelfItem { id: title.to_owned(), group: String::new(), title: title.to_owned(), pence: None }
    }

    #[test]
    fn a_search_finds_as_many_products_as_have_its_words() {
        let titles = ["Red Oak Chair", "Red Wool Rug", "Blue Oak Chair", "Red Ash Chair", ""];
        let queries = SampleQueries::new(&titles.map(item));
        let mut seen = HashMap::new();
        for number in 0..200 {
            let random = &mut SampleRandom::new(1, 1, number);
            assert!(queries.search_for(random, 4).is_none());
            match queries.search_for(random, 0) {
                Some(SampleAction::Searched { query, found, is_corrected }) => {
                    seen.insert((query, is_corrected), found);
                }
                _ => panic!("a search"),
            }
        }
        let told = |query: &str, is_corrected| seen.get(&(query.to_owned(), is_corrected)).copied();
        assert_eq!((told("chair", false), told("red chair", false)), (Some(3), Some(2)));
        assert_eq!((told("chiar", true), told("chair", true)), (Some(3), None));
        assert_eq!(seen.len(), 3, "the first word alone is too short for an error: {seen:?}");
    }

    #[test]
    fn a_search_in_vain_is_for_nothing_that_the_shop_has() {
        for number in 0..100 {
            let random = &mut SampleRandom::new(1, 1, number);
            let SampleAction::Searched { query, found, is_corrected } = SampleQueries::search_in_vain(random)
            else {
                panic!("a search");
            };
            assert!(MISSED.contains(&&*query) && found == 0 && !is_corrected);
            assert_eq!(query::normalize(&query), Some(query));
        }
    }
}
