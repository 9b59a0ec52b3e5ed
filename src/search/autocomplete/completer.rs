//! Completes a prefix.

use std::sync::Arc;

use super::best::RankTree;
use super::completion::{Completion, Completions};
use super::phrases::NumberMap;
use super::statistics::{CompletionStatistics, Name};
use crate::search::text::fold_text;

/// Titles read for the words that go with complete ones: a sample is enough to rank them.
const TITLES_MAX: usize = 2_000;
/// Shoppers type no longer prefix into a field.
const PREFIX_BYTES_MAX: usize = 200;

/// Completes prefixes from the statistics of a shop.
pub struct Completer {
    statistics: Arc<CompletionStatistics>,
    phrases: RankTree,
    brands: Names,
    categories: Names,
    /// For each word, the start of its titles in `postings`.
    begins: Vec<u32>,
    postings: Vec<u32>,
}

impl Completer {
    /// Prepares the statistics for queries.
    #[must_use]
    pub fn new(statistics: Arc<CompletionStatistics>) -> Self {
        let phrases = RankTree::new(&phrase_ranks(&statistics));
        let brands = Names::new(&statistics.brands);
        let categories = Names::new(&statistics.categories);
        let mut completer =
            Self { statistics, phrases, brands, categories, begins: Vec::new(), postings: Vec::new() };
        completer.invert_titles();
        completer
    }

    /// The best completions of a prefix, `size` of each kind at most; queries of others (`searched`) come first, where
    /// the catalogue has all their words. A prefix without a letter has none.
    #[must_use]
    pub fn complete(&self, prefix: &str, searched: &[String], size: usize) -> Completions {
        let end = prefix.floor_char_boundary(PREFIX_BYTES_MAX);
        let prefix = &prefix[..end];
        let mut key = fold_text(prefix);
        if key.is_empty() {
            return Completions::default();
        }
        if prefix.ends_with(char::is_whitespace) {
            key.push(' ');
        }
        Completions {
            queries: self.with_searched(searched, self.queries(&key, size), size),
            products: Vec::new(),
            categories: self.categories.beginning_with(key.trim_end(), size, &self.statistics.categories),
            brands: self.brands.beginning_with(key.trim_end(), size, &self.statistics.brands),
        }
    }

    fn with_searched(&self, searched: &[String], queries: Vec<Completion>, size: usize) -> Vec<Completion> {
        let words = &self.statistics.titles.words;
        let is_known = |text: &&String| fold_text(text).split(' ').all(|word| words.find(word).is_some());
        let known = searched.iter().filter(is_known);
        let known = known.map(|text| Completion { text: text.clone(), ..Completion::default() });
        let mut all: Vec<Completion> = Vec::with_capacity(size);
        for query in known.chain(queries) {
            let key = fold_text(&query.text);
            match all.iter().position(|other| fold_text(&other.text) == key) {
                // The shop's spelling, and the number of products.
                Some(place) => all[place] = query,
                None if all.len() < size => all.push(query),
                None => {}
            }
        }
        all
    }

    fn queries(&self, key: &str, size: usize) -> Vec<Completion> {
        let statistics = &self.statistics;
        let numbers = statistics.phrases.beginning_with(key);
        let mut queries = Vec::with_capacity(size);
        for place in self.phrases.places(numbers.start as usize..numbers.end as usize).take(size) {
            let number = place as u32;
            let key = statistics.phrases.get(number).unwrap_or_default();
            let text = statistics.written.get(&number).map_or(key, String::as_str).to_owned();
            queries.push(Completion { text, products: statistics.products[place], id: String::new() });
        }
        if queries.len() < size
            && let Some((complete, last)) = key.rsplit_once(' ')
        {
            let known: Vec<String> = queries.iter().map(|query| fold_text(&query.text)).collect();
            let more = self.last_words(complete, last, size).into_iter();
            let more = more.filter(|query| !known.contains(&fold_text(&query.text)));
            queries.extend(more.take(size - known.len()));
        }
        queries
    }

    /// Words that stand in titles with all complete words, by the number of titles; singular and plural are one.
    fn last_words(&self, complete: &str, last: &str, size: usize) -> Vec<Completion> {
        let words = &self.statistics.titles.words;
        let numbers: Option<Vec<u32>> = complete.split(' ').map(|word| words.find(word)).collect();
        let Some(numbers) = numbers else { return Vec::new() };
        let is_offered = &self.statistics.titles.is_offered;
        if !numbers.iter().any(|number| is_offered[*number as usize]) {
            // Nothing but function words: all titles have some.
            return Vec::new();
        }
        let commonest = &self.statistics.titles.commonest;
        let mut head: Vec<u32> = numbers.iter().map(|number| commonest[*number as usize]).collect();
        head.sort_by_key(|word| self.titles_with(*word).len());
        let range = words.beginning_with(last);
        // Forms with this beginning, of words whose commonest form has another.
        let others: NumberMap<u32, u32> = range
            .clone()
            .map(|number| (commonest[number as usize], number))
            .filter(|(commonest, _)| !range.contains(commonest))
            .collect();
        let mut counts: NumberMap<u32, u32> = NumberMap::default();
        for title in self.titles_with_all(&head).take(TITLES_MAX) {
            for word in title.iter().filter(|word| range.contains(word) || others.contains_key(word)) {
                *counts.entry(*word).or_default() += 1;
            }
        }
        let text = |word: u32| words.get(word).unwrap_or_default();
        let is_offered =
            |word: &u32| self.statistics.titles.is_offered[*word as usize] && !head.contains(word);
        let mut ranked: Vec<(u32, u32)> = counts.into_iter().filter(|(word, _)| is_offered(word)).collect();
        ranked.sort_by_key(|(word, count)| (std::cmp::Reverse(*count), text(*word).len(), *word));
        let completed = ranked.into_iter().take(size).map(|(word, count)| {
            let shown = others.get(&word).copied().unwrap_or(word);
            let joined: Vec<&str> =
                numbers.iter().chain([&shown]).map(|word| self.written_form(*word)).collect();
            Completion { text: joined.join(" "), products: count, id: String::new() }
        });
        completed.collect()
    }

    fn written_form(&self, word: u32) -> &str {
        let titles = &self.statistics.titles;
        titles.written.get(&word).map_or_else(|| titles.words.get(word).unwrap_or_default(), String::as_str)
    }

    fn titles_with(&self, word: u32) -> &[u32] {
        let bound = |word: usize| self.begins.get(word).map_or(0, |begin| *begin as usize);
        self.postings.get(bound(word as usize)..bound(word as usize + 1)).unwrap_or_default()
    }

    /// The titles with all words; the rarest comes first.
    fn titles_with_all<'c>(&'c self, words: &'c [u32]) -> impl Iterator<Item = &'c [u32]> {
        let rarest = words.first().map_or(&[][..], |word| self.titles_with(*word));
        let titles = rarest.iter().filter_map(|title| self.statistics.titles.titles.get(*title as usize));
        let has_all = |title: &&Vec<u32>| words.iter().skip(1).all(|word| title.binary_search(word).is_ok());
        titles.filter(has_all).map(Vec::as_slice)
    }

    fn invert_titles(&mut self) {
        let titles = &self.statistics.titles;
        let mut ends = vec![0_u32; titles.words.len() + 1];
        for word in titles.titles.iter().flatten() {
            ends[*word as usize + 1] += 1;
        }
        for word in 1..ends.len() {
            ends[word] += ends[word - 1];
        }
        let mut next = ends.clone();
        let mut postings = vec![0_u32; ends.last().map_or(0, |end| *end as usize)];
        for (number, title) in (0_u32..).zip(&titles.titles) {
            for word in title {
                let at = &mut next[*word as usize];
                postings[*at as usize] = number;
                *at += 1;
            }
        }
        self.begins = ends;
        self.postings = postings;
    }
}

/// For each phrase its rank: by score, then by length, then by text.
fn phrase_ranks(statistics: &CompletionStatistics) -> Vec<u32> {
    let mut order: Vec<u32> = (0..).take(statistics.phrases.len()).collect();
    let length = |number: u32| statistics.phrases.get(number).map_or(0, str::len);
    order.sort_by_key(|number| {
        (std::cmp::Reverse(statistics.scores[*number as usize]), length(*number), *number)
    });
    let mut ranks = vec![0; order.len()];
    for (rank, number) in (0..).zip(order) {
        ranks[number as usize] = rank;
    }
    ranks
}

/// Names by each of their words and the words after it.
struct Names {
    /// Sorted: where a word of a name begins, and the number of the name, which is its rank.
    starts: Vec<(String, u32)>,
    best: RankTree,
}

impl Names {
    fn new(names: &[Name]) -> Self {
        let mut starts = Vec::new();
        for (rank, name) in (0_u32..).zip(names) {
            let key = fold_text(&name.text);
            let words = key.match_indices(' ').map(|(at, _)| at + 1);
            starts.extend(std::iter::once(0).chain(words).map(|at| (key[at..].to_owned(), rank)));
        }
        starts.retain(|(start, _)| !start.is_empty());
        starts.sort();
        let best = RankTree::new(&starts.iter().map(|(_, rank)| *rank).collect::<Vec<_>>());
        Self { starts, best }
    }

    fn beginning_with(&self, key: &str, size: usize, names: &[Name]) -> Vec<Completion> {
        let first = self.starts.partition_point(|(start, _)| start.as_str() < key);
        let is_before_end = |(start, _): &(String, u32)| start.as_str() < key || start.starts_with(key);
        let end = self.starts.partition_point(is_before_end);
        let mut ranks: Vec<u32> = Vec::with_capacity(size);
        for place in self.best.places(first..end) {
            if ranks.len() == size {
                break;
            }
            let rank = self.starts[place].1;
            if !ranks.contains(&rank) {
                ranks.push(rank);
            }
        }
        let named = ranks.iter().filter_map(|rank| names.get(*rank as usize));
        named
            .map(|Name { text, id, products }| Completion {
                text: text.clone(),
                products: *products,
                id: id.clone(),
            })
            .collect()
    }
}
