//! Statistics for completions, a part of the statistics of a shop.

use crate::search::codec::{BlobFormat, PackedFault, Packer, SortedTexts, Unpacker};
use std::collections::HashMap;

const FORM: BlobFormat = BlobFormat { kind: *b"cmpl", version: 1 };

/// Scores are kept in thousandths.
const SCORE_PARTS: f64 = 1_000.0;

/// A phrase while statistics are made.
#[derive(Clone, Debug)]
pub(super) struct PhraseEntry {
    pub(super) text: String,
    pub(super) score: f64,
    pub(super) products: u32,
}

/// A brand or category.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) id: String,
    pub(super) products: u32,
}

impl Name {
    pub(super) fn new(text: &str, id: &str) -> Self {
        Self { text: text.to_owned(), id: id.to_owned(), products: 1 }
    }
}

/// The words of a sample of titles.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Titles {
    pub(super) words: SortedTexts,
    /// Words whose usual spelling is not the folded one.
    pub(super) written: HashMap<u32, String>,
    /// For each word the commonest of its forms, singular or plural.
    pub(super) commonest: Vec<u32>,
    /// For each word, true if it may be the last of a completion.
    pub(super) is_offered: Vec<bool>,
    /// For each title its words in their commonest forms, sorted.
    pub(super) titles: Vec<Vec<u32>>,
}

/// Data for completions: phrases, sampled titles, brands and categories.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CompletionStatistics {
    /// Phrases, folded.
    pub(super) phrases: SortedTexts,
    /// Phrases whose usual spelling is not the folded one.
    pub(super) written: HashMap<u32, String>,
    /// For each phrase its score in thousandths.
    pub(super) scores: Vec<u32>,
    /// For each phrase the products that hold it.
    pub(super) products: Vec<u32>,
    pub(super) titles: Titles,
    /// Those with most products first.
    pub(super) brands: Vec<Name>,
    pub(super) categories: Vec<Name>,
}

impl CompletionStatistics {
    pub(super) fn new(
        phrases: &HashMap<String, PhraseEntry>,
        titles: Titles,
        brands: Vec<Name>,
        categories: Vec<Name>,
    ) -> Self {
        let keys = SortedTexts::new(phrases.keys().collect()).unwrap_or_default();
        let mut all = Self { titles, brands, categories, ..Self::default() };
        for (number, key) in (0..).zip(keys.iter()) {
            let Some(phrase) = phrases.get(key) else { continue };
            // Between 0 and 40 thousand: logarithms of counts.
            all.scores.push((phrase.score * SCORE_PARTS).round() as u32);
            all.products.push(phrase.products);
            if phrase.text != key {
                all.written.insert(number, phrase.text.clone());
            }
        }
        all.phrases = keys;
        all
    }

    /// The bytes in which they are stored.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Packer::new(FORM);
        out.sorted_texts(&self.phrases);
        write_texts(&self.written, &mut out);
        out.numbers(self.scores.iter().map(|score| u64::from(*score)));
        out.numbers(self.products.iter().map(|products| u64::from(*products)));
        out.sorted_texts(&self.titles.words);
        write_texts(&self.titles.written, &mut out);
        out.numbers(self.titles.commonest.iter().map(|word| u64::from(*word)));
        out.numbers(self.titles.is_offered.iter().map(|is_offered| u64::from(*is_offered)));
        out.number(self.titles.titles.len() as u64);
        for title in &self.titles.titles {
            out.rising(title.iter().map(|word| u64::from(*word)));
        }
        write_names(&self.brands, &mut out);
        write_names(&self.categories, &mut out);
        out.finish()
    }

    /// Reads stored bytes.
    ///
    /// # Errors
    /// When the bytes are torn or something else; the statistics have to be rebuilt.
    pub fn decode(bytes: &[u8]) -> Result<Self, PackedFault> {
        let mut rest = Unpacker::new(bytes, FORM)?;
        let phrases = rest.sorted_texts()?;
        let written = read_texts(&mut rest)?;
        let scores = rest.smalls()?;
        let products = rest.smalls()?;
        let titles = read_titles(&mut rest)?;
        let brands = read_names(&mut rest)?;
        let categories = read_names(&mut rest)?;
        let is_whole = scores.len() == phrases.len() && products.len() == phrases.len() && rest.is_at_end();
        if !is_whole {
            return Err(PackedFault::Torn);
        }
        Ok(Self { phrases, written, scores, products, titles, brands, categories })
    }
}

fn read_titles(rest: &mut Unpacker<'_>) -> Result<Titles, PackedFault> {
    let words = rest.sorted_texts()?;
    let written = read_texts(rest)?;
    let commonest = rest.smalls()?;
    let is_offered: Vec<bool> = rest.smalls()?.into_iter().map(|flag| flag != 0).collect();
    let count = rest.count()?;
    let is_word = |word: u32| (word as usize) < words.len();
    let mut titles = Vec::with_capacity(count);
    for _ in 0..count {
        let title = rest.rising()?.into_iter().map(u32::try_from).collect::<Result<Vec<_>, _>>();
        titles.push(title.ok().filter(|title| title.iter().copied().all(is_word)).ok_or(PackedFault::Torn)?);
    }
    let is_whole = commonest.len() == words.len() && is_offered.len() == words.len();
    if !is_whole || !commonest.iter().copied().all(is_word) {
        return Err(PackedFault::Torn);
    }
    Ok(Titles { words, written, commonest, is_offered, titles })
}

fn write_texts(texts: &HashMap<u32, String>, out: &mut Packer) {
    let mut sorted: Vec<(&u32, &String)> = texts.iter().collect();
    sorted.sort_unstable();
    out.number(sorted.len() as u64);
    for (number, text) in sorted {
        out.number(u64::from(*number));
        out.text(text);
    }
}

fn read_texts(rest: &mut Unpacker<'_>) -> Result<HashMap<u32, String>, PackedFault> {
    let count = rest.count()?;
    (0..count).map(|_| Ok((rest.small()?, rest.text()?.to_owned()))).collect()
}

fn write_names(names: &[Name], out: &mut Packer) {
    out.number(names.len() as u64);
    for Name { text, id, products } in names {
        out.text(text);
        out.text(id);
        out.number(u64::from(*products));
    }
}

fn read_names(rest: &mut Unpacker<'_>) -> Result<Vec<Name>, PackedFault> {
    let count = rest.count()?;
    let mut names = Vec::with_capacity(count);
    for _ in 0..count {
        let text = rest.text()?.to_owned();
        let id = rest.text()?.to_owned();
        names.push(Name { text, id, products: rest.small()? });
    }
    Ok(names)
}
