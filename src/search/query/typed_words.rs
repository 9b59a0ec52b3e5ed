//! The words of a query as they were typed.

use super::options::Ranking;
use crate::limits;
use crate::search::statistics::{UNIT, key_of};
use crate::search::text::{Analyser, DECIMAL, TypedText, TypedWord};

/// A word of a query.
#[derive(Debug)]
pub(super) struct ParsedWord {
    pub(super) word: String,
    pub(super) stem: String,
    pub(super) key: u64,
    pub(super) function_word: bool,
    pub(super) start: usize,
    pub(super) end: usize,
    /// The number with unit that the word is a part of.
    pub(super) unit: Option<String>,
}

impl ParsedWord {
    /// Returns true for a number such as `15.6`: it is one word, and is neither joined with others nor split.
    pub(super) fn is_decimal(&self) -> bool {
        self.stem.starts_with(DECIMAL)
    }
}

/// The words of a query.
#[derive(Debug, Default)]
pub(super) struct TypedWords {
    /// The words that are looked for, each stem once.
    pub(super) words: Vec<ParsedWord>,
    /// Surplus words.
    pub(super) dropped: Vec<String>,
    /// Words with the signs after them, as the index has them (`s23+`): they order products, and match none.
    pub(super) signs: Vec<String>,
}

/// The words of a query, each stem once, and the surplus words. A decimal number is one word in place of its parts.
pub(super) fn words_of(
    query: &str,
    analyser: &Analyser,
    stop_stems: &[&str],
    ranking: &Ranking,
) -> TypedWords {
    let text = TypedText::parse(query, analyser);
    let mut typed = TypedWords::default();
    for TypedWord { word, stem, start, end } in text.words {
        if typed.words.iter().any(|other| other.stem == stem) {
            continue;
        }
        if typed.words.len() == limits::SEARCH_WORDS {
            typed.dropped.push(word);
            continue;
        }
        let is_one = ranking.function_words && analyser.is_function_word(&word);
        let function_word = is_one || stop_stems.contains(&stem.as_str());
        typed.words.push(ParsedWord {
            key: key_of(&stem),
            word,
            stem,
            function_word,
            start,
            end,
            unit: None,
        });
    }
    for sign in text.signs {
        if typed.signs.len() < limits::SEARCH_WORDS && !typed.signs.contains(&sign) {
            typed.signs.push(sign);
        }
    }
    typed
}

/// Finds the words that make a number with its unit: such a word is also held by a product that has the measure in
/// another form.
pub(super) fn find_units(query: &str, found: &mut [ParsedWord], analyser: &Analyser) {
    for place in 0..found.len() {
        let word = &found[place];
        if word.unit.is_some() || !word.word.starts_with(|first: char| first.is_ascii_digit()) {
            continue;
        }
        let with_sign = query[word.end..].chars().next().map_or(word.end, |sign| word.end + sign.len_utf8());
        let next = found.get(place + 1).filter(|next| next.start > word.start).map(|next| next.end);
        let ends = [(word.end, 1), (with_sign, 1), (next.unwrap_or(word.end), 2)];
        let unit = ends.into_iter().find_map(|(end, words)| {
            let mut units = analyser.units(query.get(word.start..end)?);
            (units.len() == 1).then(|| units.pop().map(|unit| (format!("{UNIT}{unit}"), words)))?
        });
        if let Some((unit, words)) = unit {
            found.iter_mut().skip(place).take(words).for_each(|word| word.unit = Some(unit.clone()));
        }
    }
}
