//! A line of synonyms.

use crate::search::text::{Analyser, TypedText, TypedWord};
use crate::{addresses, limits};

/// Reason why a line is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LineFault {
    /// It names one thing.
    #[error("names one thing: it has to be words or phrases with commas between them, or WORDS => WORDS")]
    Alone,
    /// It has more than one `=>`.
    #[error("has => twice")]
    TwoArrows,
    /// A place where a word has to be has none.
    #[error("has no word where one has to be: between two commas, or before or behind =>")]
    NoWord,
    /// It has too many words and phrases.
    #[error("has more than {} words and phrases", limits::SEARCH_SYNONYMS_OF_LINE)]
    TooMany,
    /// A phrase on the line is too long.
    #[error("has a phrase of more than {} words", limits::SEARCH_SYNONYM_WORDS)]
    TooLong,
    /// With it something has too many synonyms.
    #[error("gives a word more than {} synonyms, with the lines before it", limits::SEARCH_SYNONYMS_OF_WORD)]
    TooManyOfWord,
    /// It has signs that no file of synonyms needs.
    #[error("holds a control character or a backslash: nothing is escaped here")]
    Signs,
    /// It has `!=` and not two different words, one on each side.
    #[error("has != and is not two different words, one on each side of it")]
    NotTwoWords,
    /// It has an email address.
    #[error("holds an email address")]
    Address,
}

/// Sign between two words that the index keeps apart although they are forms of one.
pub const APART: &str = "!=";

/// Rule that a line states.
pub(super) enum SynonymRule {
    /// All of these are names for the same.
    Same(Vec<StemPhrase>),
    /// One-way synonyms: a query with a phrase of `from` also finds those of `to`.
    Leads {
        /// Phrases of queries.
        from: Vec<StemPhrase>,
        /// Synonyms of these phrases.
        to: Vec<StemPhrase>,
    },
    /// These folded words are not the same.
    Apart([String; 2]),
}

/// The non-empty lines, with their numbers from 1.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    // Some editors begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let numbered = text.lines().enumerate().map(|(number, line)| (number + 1, line.trim()));
    numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

impl SynonymRule {
    /// Reads one.
    pub(super) fn parse(line: &str, analyser: &Analyser) -> Result<Self, LineFault> {
        if line.contains(|sign: char| sign == '\\' || sign.is_control() && sign != '\t') {
            return Err(LineFault::Signs);
        }
        // The line is readable in the store, so it must not hold an address: its owner could ask to be forgotten.
        if addresses::holds_address(line) {
            return Err(LineFault::Address);
        }
        if let Some((one, other)) = line.split_once(APART) {
            return parse_words_apart(one, other, analyser).map(Self::Apart);
        }
        let sides = line.split("=>").map(|side| phrases(side, analyser)).collect::<Result<Vec<_>, _>>()?;
        if sides.iter().map(Vec::len).sum::<usize>() > limits::SEARCH_SYNONYMS_OF_LINE {
            return Err(LineFault::TooMany);
        }
        let mut sides = sides.into_iter();
        match (sides.next(), sides.next(), sides.next()) {
            (Some(names), None, _) if names.len() > 1 => Ok(Self::Same(names)),
            (Some(from), Some(to), None) => Ok(Self::Leads { from, to }),
            (_, _, Some(_)) => Err(LineFault::TwoArrows),
            _ => Err(LineFault::Alone),
        }
    }
}

fn parse_words_apart(one: &str, other: &str, analyser: &Analyser) -> Result<[String; 2], LineFault> {
    let sides = [one, other].map(|side| analyser.words(side));
    match sides.each_ref().map(Vec::as_slice) {
        [[one], [other]] if one != other => Ok([one.clone(), other.clone()]),
        _ => Err(LineFault::NotTwoWords),
    }
}

fn phrases(side: &str, analyser: &Analyser) -> Result<Vec<StemPhrase>, LineFault> {
    side.split(',').map(|phrase| stems(phrase, analyser)).collect()
}

/// The stems of a phrase, each once. Function words do not count, as in queries, unless there is nothing else.
fn stems(phrase: &str, analyser: &Analyser) -> Result<StemPhrase, LineFault> {
    let typed = TypedText::parse(phrase, analyser).words;
    let words = typed.len();
    let mut all = StemPhrase::new();
    let mut telling = StemPhrase::new();
    for TypedWord { word, stem, .. } in typed {
        if all.contains(&stem) {
            continue;
        }
        if !analyser.is_function_word(&word) {
            telling.push(stem.clone());
        }
        all.push(stem);
    }
    match words {
        0 => Err(LineFault::NoWord),
        words if words > limits::SEARCH_SYNONYM_WORDS => Err(LineFault::TooLong),
        _ => Ok(if telling.is_empty() { all } else { telling }),
    }
}

/// The stems of a phrase, or of one word.
pub type StemPhrase = Vec<String>;
