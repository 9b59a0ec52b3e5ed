//! Synonyms: the words that a shop wants searched besides the words of a query. They are a property of the query: no
//! index knows of them.
//!
//! A shop writes lines, as many search engines read them: `tv, television` are names for the same thing, `notebook =>
//! laptop` finds laptops for notebooks and not the other way round, and a line that begins with `#` is a comment. A
//! phrase before `=>` matches words of a query that stand side by side; a phrase after it is held by products that hold
//! all its words. `glass != glasses` says that two forms of a word are not the same: these words alone are known to the
//! index, which keeps them apart.

mod line;
#[cfg(test)]
mod tests;

pub use self::line::{APART, LineFault, StemPhrase, lines};

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use self::line::SynonymRule;
use super::text::{Analyser, ShopLanguage};
use crate::limits;

/// Refusal of a shop's synonyms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SynonymFault {
    /// The text is too long.
    #[error("Synonyms has up to {} bytes", limits::SEARCH_SYNONYMS_BYTES)]
    Bytes,
    /// There are too many lines.
    #[error("Synonyms has up to {} lines that are not comments", limits::SEARCH_SYNONYM_LINES)]
    Lines,
    /// Too many lines say that two words are not the same.
    #[error("Synonyms has up to {} lines with !=", limits::SEARCH_WORD_PAIRS)]
    Pairs,
    /// A line is wrong.
    #[error("Synonyms: line {number} {fault}")]
    Line {
        /// The line, from 1.
        number: usize,
        /// Reason why it is refused.
        fault: LineFault,
    },
}

/// A phrase of queries, and its synonyms.
#[derive(Debug, PartialEq, Eq)]
pub struct SynonymEntry {
    /// The words after the first.
    pub rest: StemPhrase,
    /// Each phrase is a synonym.
    pub synonyms: Vec<StemPhrase>,
}

/// The synonyms of a shop in its language.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Synonyms {
    /// By the first stem of the phrase.
    entries: HashMap<String, Vec<SynonymEntry>>,
    /// The stems of all phrases that have synonyms.
    words: HashSet<String>,
}

impl Synonyms {
    /// The synonyms that these lines give.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong with them.
    pub fn parse(text: &str, analyser: &Analyser) -> Result<Self, SynonymFault> {
        let mut first = None;
        let synonyms = Self::read_lines(text, analyser, &mut |fault| first = first.or(Some(fault)));
        first.map_or(Ok(synonyms), Err)
    }

    /// The synonyms of lines that were accepted once. Lines that are no longer valid are left out: in another language
    /// of the shop more words have the same stem, and another version may have other limits.
    #[must_use]
    pub fn of_stored(text: &str, analyser: &Analyser) -> Self {
        Self::read_lines(text, analyser, &mut |_| {})
    }

    fn read_lines(text: &str, analyser: &Analyser, wrong: &mut dyn FnMut(SynonymFault)) -> Self {
        let mut synonyms = Self::default();
        if text.len() > limits::SEARCH_SYNONYMS_BYTES {
            wrong(SynonymFault::Bytes);
            return synonyms;
        }
        let mut count = 0;
        let mut pairs = 0;
        for (number, line) in line::lines(text) {
            count += 1;
            if count > limits::SEARCH_SYNONYM_LINES {
                wrong(SynonymFault::Lines);
                break;
            }
            let rule = SynonymRule::parse(line, analyser);
            pairs += usize::from(matches!(rule, Ok(SynonymRule::Apart(_))));
            if pairs > limits::SEARCH_WORD_PAIRS {
                wrong(SynonymFault::Pairs);
                break;
            }
            if let Err(fault) = rule.and_then(|rule| synonyms.add_line(&rule)) {
                wrong(SynonymFault::Line { number, fault });
            }
        }
        synonyms
    }

    fn add_line(&mut self, line: &SynonymRule) -> Result<(), LineFault> {
        match line {
            SynonymRule::Same(names) => self.add(names, names),
            SynonymRule::Leads { from, to } => {
                self.add(from, to)?;
                Ok(())
            }
            SynonymRule::Apart(_) => Ok(()),
        }
    }

    fn add(&mut self, from: &[StemPhrase], to: &[StemPhrase]) -> Result<(), LineFault> {
        for phrase in from {
            let Some((first, rest)) = phrase.split_first() else { continue };
            self.words.extend(phrase.iter().cloned());
            let entries = self.entries.entry(first.clone()).or_default();
            let place = entries.iter().position(|entry| entry.rest == rest).unwrap_or_else(|| {
                entries.push(SynonymEntry { rest: rest.to_vec(), synonyms: Vec::new() });
                entries.len() - 1
            });
            let synonyms = &mut entries[place].synonyms;
            for other in to.iter().filter(|other| *other != phrase) {
                if synonyms.contains(other) {
                    continue;
                }
                if synonyms.len() == limits::SEARCH_SYNONYMS_OF_WORD {
                    return Err(LineFault::TooManyOfWord);
                }
                synonyms.push(other.clone());
            }
        }
        Ok(())
    }

    /// True if there are no synonyms.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The phrases that begin with this stem.
    #[must_use]
    pub fn beginning_with(&self, stem: &str) -> &[SynonymEntry] {
        self.entries.get(stem).map_or(&[], Vec::as_slice)
    }

    /// Returns true if a word with this stem is one of a phrase that has synonyms: the shop knows it, though no product
    /// has it.
    #[must_use]
    pub fn knows(&self, stem: &str) -> bool {
        self.words.contains(stem)
    }
}

/// The lines of a shop as they are stored, and their compiled form, which the first search makes.
#[derive(Debug)]
pub struct SynonymLines {
    text: String,
    language: ShopLanguage,
    words_apart: Vec<String>,
    made: OnceLock<Option<Arc<Synonyms>>>,
}

impl SynonymLines {
    /// Lines of a shop whose texts are in this language.
    #[must_use]
    pub fn new(text: String, language: ShopLanguage) -> Self {
        Self { words_apart: find_words_apart(&text, language), text, language, made: OnceLock::new() }
    }

    /// The folded words that the shop keeps apart from all others, sorted, each once.
    #[must_use]
    pub fn words_apart(&self) -> &[String] {
        &self.words_apart
    }

    /// The lines as the shop wrote them.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The synonyms, if there are any.
    #[must_use]
    pub fn synonyms(&self) -> Option<&Arc<Synonyms>> {
        let make = || {
            let analyser = Analyser::with_words_apart(self.language, &self.words_apart);
            let made = Synonyms::of_stored(&self.text, &analyser);
            (!made.is_empty()).then(|| Arc::new(made))
        };
        self.made.get_or_init(make).as_ref()
    }
}

fn find_words_apart(text: &str, language: ShopLanguage) -> Vec<String> {
    if !text.contains(APART) {
        return Vec::new();
    }
    let analyser = Analyser::new(language);
    let pairs = lines(text).filter_map(|(_, line)| match SynonymRule::parse(line, &analyser) {
        Ok(SynonymRule::Apart(pair)) => Some(pair),
        _ => None,
    });
    let mut words: Vec<_> = pairs.take(limits::SEARCH_WORD_PAIRS).flatten().collect();
    words.sort_unstable();
    words.dedup();
    words
}

impl Default for SynonymLines {
    fn default() -> Self {
        Self::new(String::new(), ShopLanguage::English)
    }
}
