//! Synonyms: the words that a shop wants searched besides the words of a query. They are a property of the query: no
//! index knows of them.
//!
//! A shop writes lines, as many search engines read them: `tv, television` are names for the same thing, `notebook =>
//! laptop` finds laptops for notebooks and not the other way round, and a line that begins with `#` is a comment. A
//! phrase before `=>` matches words of a query that stand side by side; a phrase after it is held by products that hold
//! all its words.

mod line;
#[cfg(test)]
mod tests;

pub use self::line::{LineFault, StemPhrase, lines};

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
        for (number, line) in line::lines(text) {
            count += 1;
            if count > limits::SEARCH_SYNONYM_LINES {
                wrong(SynonymFault::Lines);
                break;
            }
            let added = SynonymRule::parse(line, analyser).and_then(|line| synonyms.add_line(&line));
            if let Err(fault) = added {
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
    made: OnceLock<Option<Arc<Synonyms>>>,
}

impl SynonymLines {
    /// Lines of a shop whose texts are in this language.
    #[must_use]
    pub const fn new(text: String, language: ShopLanguage) -> Self {
        Self { text, language, made: OnceLock::new() }
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
            let made = Synonyms::of_stored(&self.text, &Analyser::new(self.language));
            (!made.is_empty()).then(|| Arc::new(made))
        };
        self.made.get_or_init(make).as_ref()
    }
}

impl Default for SynonymLines {
    fn default() -> Self {
        Self::new(String::new(), ShopLanguage::English)
    }
}
