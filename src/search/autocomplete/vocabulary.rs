//! The words of titles, and their phrases, in which singular and plural are one.

use super::phrases::{NO_WORD, NumberMap, PhraseCounts, PhraseKey, Phrases};
use super::statistics::{Name, PhraseEntry, Titles};
use crate::search::codec::SortedTexts;
use crate::search::text::Analyser;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

/// A phrase of one word is whole, one of two or three may be a part of something: measured on the half of the queries
/// in `data/`, MRR@5 at four letters .420 without and .435 with.
const ONE_WORD: f64 = 1.15;
/// Two words are a part of a phrase of three if this share of their products, in percent, have the third after them:
/// `power over` is no query. Measured on the same: .446 instead of .435.
const WHOLE_PERCENT: u64 = 60;

/// A word of titles.
pub(super) struct TitleWord {
    pub(super) products: u32,
    /// The spelling of titles, if it is not the folded word; with its count.
    pub(super) written: Vec<(String, u32)>,
    pub(super) is_function_word: bool,
}

/// Phrases by their folded text.
#[derive(Default)]
pub(super) struct FoldedPhrases {
    pub(super) by_text: HashMap<String, PhraseEntry>,
    /// The text by the groups of its words.
    by_group: NumberMap<PhraseKey, String>,
}

impl FoldedPhrases {
    /// Adds a name, which is a phrase too, or raises the score of the phrase.
    pub(super) fn add_name(&mut self, name: &Name, key: String, score: f64) {
        if key.is_empty() {
            return;
        }
        let text = name.text.to_lowercase();
        match self.by_text.entry(key) {
            Entry::Occupied(mut known) => {
                let known = known.get_mut();
                known.score = known.score.max(score);
                known.products = known.products.max(name.products);
            }
            Entry::Vacant(free) => drop(free.insert(PhraseEntry { text, score, products: name.products })),
        }
    }
}

/// By the groups of a phrase's words: its commonest form, the products that hold this, and the counts of all forms.
type Grouped = NumberMap<PhraseKey, (PhraseKey, u32, PhraseCounts)>;

/// The groups of two words that mostly stand before the same third.
fn fragments(grouped: &Grouped) -> HashSet<PhraseKey> {
    let products = |group: &PhraseKey| grouped.get(group).map_or(0, |(_, _, seen)| u64::from(seen.products));
    let wholes = grouped.keys().filter(|group| group[2] != NO_WORD);
    let parted = wholes.map(|whole| ([whole[0], whole[1], NO_WORD], products(whole)));
    parted
        .filter(|(part, whole)| whole * 100 >= products(part) * WHOLE_PERCENT)
        .map(|(part, _)| part)
        .collect()
}

/// The words of titles by number: their spelling, and the forms of each word.
pub(super) struct Vocabulary {
    texts: Vec<String>,
    words: Vec<TitleWord>,
    /// Groups by the singular.
    by_singular: HashMap<String, u32>,
    /// For each word the number of its group: singular and plural are in one.
    groups: Vec<u32>,
    /// For each group its commonest word.
    commonest: Vec<u32>,
}

impl Vocabulary {
    pub(super) fn new(analyser: &Analyser, numbers: HashMap<String, u32>, words: Vec<TitleWord>) -> Self {
        let mut texts = vec![String::new(); words.len()];
        numbers.into_iter().for_each(|(text, number)| texts[number as usize] = text);
        let mut by_singular: HashMap<String, u32> = HashMap::new();
        let mut groups = Vec::with_capacity(texts.len());
        let mut commonest: Vec<u32> = Vec::new();
        for (number, text) in (0..).zip(&texts) {
            let next = u32::try_from(commonest.len()).unwrap_or(NO_WORD);
            let group = *by_singular.entry(analyser.plural(text)).or_insert(next);
            groups.push(group);
            match commonest.get_mut(group as usize) {
                None => commonest.push(number),
                Some(best) => {
                    let rank = |number: u32| (words[number as usize].products, &texts[number as usize]);
                    if rank(number) > rank(*best) {
                        *best = number;
                    }
                }
            }
        }
        Self { texts, words, by_singular, groups, commonest }
    }

    /// The commonest writing of a word.
    fn written_form(&self, number: u32) -> &str {
        let word = &self.words[number as usize];
        let best =
            word.written.iter().max_by(|one, other| one.1.cmp(&other.1).then_with(|| other.0.cmp(&one.0)));
        let marked: u32 = word.written.iter().map(|(_, count)| count).sum();
        match best {
            Some((text, _)) if marked * 2 >= word.products => text,
            _ => &self.texts[number as usize],
        }
    }

    fn join_words<'v>(&'v self, phrase: PhraseKey, text: impl Fn(u32) -> &'v str) -> String {
        let words = phrase.iter().filter(|word| **word != NO_WORD);
        words.map(|word| text(*word)).collect::<Vec<_>>().join(" ")
    }

    /// Phrases by their folded text; if phrases differ in plurals alone, the commonest stands for all.
    pub(super) fn folded_phrases(&self, phrases: Phrases) -> FoldedPhrases {
        let mut grouped = Grouped::default();
        for (phrase, seen) in phrases.finish() {
            match grouped.entry(self.group(phrase)) {
                Entry::Vacant(free) => drop(free.insert((phrase, seen.products, seen))),
                Entry::Occupied(mut known) => {
                    let (best, most, all) = known.get_mut();
                    let text = |phrase: PhraseKey| self.join_words(phrase, |word| &self.texts[word as usize]);
                    all.products += seen.products;
                    all.brands.join(&seen.brands);
                    if (seen.products, text(phrase)) > (*most, text(*best)) {
                        *most = seen.products;
                        *best = phrase;
                    }
                }
            }
        }
        let fragments = fragments(&grouped);
        let mut folded = FoldedPhrases::default();
        for (group, (phrase, _, seen)) in grouped {
            if fragments.contains(&group) {
                continue;
            }
            let weight = if phrase[1] == NO_WORD { ONE_WORD } else { 1.0 };
            // Far fewer brands than a float has whole numbers.
            let score = (1.0 + seen.brands.len() as f64).log2() * weight;
            let text = self.join_words(phrase, |word| self.written_form(word));
            let key = self.join_words(phrase, |word| &self.texts[word as usize]);
            folded.by_group.insert(group, key.clone());
            folded.by_text.insert(key, PhraseEntry { text, score, products: seen.products });
        }
        folded
    }

    /// For each word of a phrase its group.
    fn group(&self, phrase: PhraseKey) -> PhraseKey {
        phrase.map(|word| self.groups.get(word as usize).copied().unwrap_or(NO_WORD))
    }

    /// The phrase of titles that differs from a folded text in plurals alone, or the text itself.
    pub(super) fn commonest_form(&self, analyser: &Analyser, text: &str, phrases: &FoldedPhrases) -> String {
        let mut groups = [NO_WORD; 3];
        for (place, word) in text.split(' ').enumerate() {
            match (groups.get_mut(place), self.by_singular.get(&analyser.plural(word))) {
                (Some(free), Some(group)) => *free = *group,
                _ => return text.to_owned(),
            }
        }
        phrases.by_group.get(&groups).map_or_else(|| text.to_owned(), Clone::clone)
    }

    pub(super) fn titles(&self, titles: impl Iterator<Item = Box<[u32]>>) -> Titles {
        // Both have all words and no repetitions: they cannot be too many, the numbers are of 32 bits.
        let sorted = SortedTexts::new(self.texts.clone()).unwrap_or_default();
        let sorted_number = |number: u32| sorted.find(&self.texts[number as usize]).unwrap_or_default();
        let new_numbers: Vec<u32> = (0..).take(self.texts.len()).map(sorted_number).collect();
        let mut commonest = vec![0; self.texts.len()];
        let mut written = HashMap::new();
        let mut is_offered = vec![false; self.texts.len()];
        for (old, new) in (0..).zip(&new_numbers) {
            let best = self.commonest[self.groups[old as usize] as usize];
            commonest[*new as usize] = new_numbers[best as usize];
            is_offered[*new as usize] = !self.words[old as usize].is_function_word;
            if self.written_form(old) != self.texts[old as usize] {
                written.insert(*new, self.written_form(old).to_owned());
            }
        }
        let titles = titles.map(|words| {
            let mut words: Vec<u32> =
                words.iter().map(|old| commonest[new_numbers[*old as usize] as usize]).collect();
            words.sort_unstable();
            words.dedup();
            words
        });
        Titles {
            words: sorted.clone(),
            written,
            commonest: commonest.clone(),
            is_offered,
            titles: titles.collect(),
        }
    }
}
