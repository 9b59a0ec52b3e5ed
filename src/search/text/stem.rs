//! Stems, and a cache of them: a shop's texts use few words very often.

use std::borrow::Cow;

use frostem::{Algorithm, Stemmer};
use xxhash_rust::xxh3::xxh3_64;

use super::language::{ShopLanguage, Stemming};
use super::number::NumberForms;

/// Slots of the cache, a power of two: enough that a word of the electronics catalogue takes 50 ns, 0.7 MB at most.
const SLOTS: usize = 8192;

/// The stems of a language's words: the singular is found first, then it loses its endings.
pub(super) struct WordStemmer {
    numbers: NumberForms,
    endings: SuffixStripper,
    /// Folded words that are their own stems because the shop keeps them apart, sorted.
    apart: Vec<String>,
}

impl WordStemmer {
    /// The stems of a language, in which each word of `apart` is a stem of its own.
    pub(super) fn new(language: ShopLanguage, apart: &[String]) -> Self {
        let mut apart = apart.to_vec();
        apart.sort_unstable();
        Self { numbers: NumberForms::new(language), endings: SuffixStripper::new(language), apart }
    }

    pub(super) fn is_apart(&self, word: &str) -> bool {
        self.apart.binary_search_by(|apart| apart.as_str().cmp(word)).is_ok()
    }

    /// The stem of a folded word.
    pub(super) fn stem<'w>(&self, word: &'w str) -> Cow<'w, str> {
        if self.is_apart(word) {
            return Cow::Borrowed(word);
        }
        let singular = self.numbers.singular(word);
        if self.numbers.is_whole(singular) {
            return Cow::Borrowed(singular);
        }
        match self.endings.stem(singular) {
            Cow::Borrowed(stem) => Cow::Borrowed(&stem[..self.numbers.stem_bytes(stem)]),
            Cow::Owned(mut stem) => {
                stem.truncate(self.numbers.stem_bytes(&stem));
                Cow::Owned(stem)
            }
        }
    }

    /// One form for a word and its plural; `None` where the stem has to serve.
    pub(super) fn regular_singular(&self, word: &str) -> Option<String> {
        if self.is_apart(word) { None } else { self.numbers.regular_singular(word) }
    }
}

/// Takes the endings off the words of a language.
enum SuffixStripper {
    Snowball(Stemmer),
    /// Longest first.
    Listed(Vec<&'static str>),
    Kept,
}

impl SuffixStripper {
    fn new(language: ShopLanguage) -> Self {
        match language.row().stemming {
            Stemming::Snowball(algorithm) => Self::Snowball(Stemmer::new(algorithm)),
            Stemming::Endings(list) => {
                let mut endings: Vec<_> = list.split_whitespace().collect();
                endings.sort_by_key(|ending| std::cmp::Reverse(ending.len()));
                Self::Listed(endings)
            }
            Stemming::Unstemmed => Self::Kept,
        }
    }

    /// The stem of a folded word. Words with digits in them are names and stay as they are.
    fn stem<'w>(&self, word: &'w str) -> Cow<'w, str> {
        if word.bytes().any(|byte| byte.is_ascii_digit()) {
            return Cow::Borrowed(word);
        }
        match self {
            Self::Snowball(stemmer) => match with_marks(stemmer.algorithm(), word) {
                Some(marked) => Cow::Owned(super::fold::fold_text(&stemmer.stem(&marked))),
                None => stemmer.stem(word),
            },
            Self::Listed(endings) => Cow::Borrowed(without_endings(endings, word)),
            Self::Kept => Cow::Borrowed(word),
        }
    }
}

/// Removes the longest ending that leaves three letters, and another after it: a plural and a case.
fn without_endings<'w>(endings: &[&str], word: &'w str) -> &'w str {
    let mut short = word;
    for _ in 0..2 {
        let rest = endings
            .iter()
            .find_map(|ending| short.strip_suffix(ending).filter(|rest| rest.chars().nth(2).is_some()));
        short = rest.unwrap_or(short);
    }
    short
}

/// Words are folded before they are stemmed, so that they match however they are typed. Where a stemmer knows an
/// ending only with its marks, they are put back; where it does not know a plural, the singular is given to it.
fn with_marks(algorithm: Algorithm, word: &str) -> Option<String> {
    let endings: &[(&str, &str)] = match algorithm {
        Algorithm::Spanish => &[("acion", "ación"), ("logia", "logía"), ("ucion", "ución"), ("ces", "z")],
        Algorithm::Portuguese => &[
            ("cao", "ção"),
            ("coes", "ção"),
            ("oes", "ão"),
            ("eis", "el"),
            ("ais", "al"),
            ("ois", "ol"),
            ("uis", "ul"),
            ("ns", "m"),
        ],
        Algorithm::French => &[("ees", "ées"), ("ee", "ée"), ("ite", "ité"), ("ites", "ités")],
        Algorithm::Catalan => &[("acio", "ació"), ("ucio", "ució")],
        Algorithm::Polish => &[("ow", "ów")],
        Algorithm::Swedish if word.len() > 4 => &[("an", "a"), ("ans", "a")],
        _ => return None,
    };
    endings.iter().find_map(|(plain, marked)| word.strip_suffix(plain).map(|rest| format!("{rest}{marked}")))
}

/// A word and its stem, one after the other, so that memory is waited for once.
#[derive(Clone, Default)]
struct Slot {
    text: String,
    word_bytes: usize,
}

/// Each word has one slot, by its hash, and replaces the word before.
pub(super) struct StemCache {
    slots: Vec<Slot>,
}

impl StemCache {
    pub(super) fn new() -> Self {
        Self { slots: vec![Slot::default(); SLOTS] }
    }

    pub(super) fn stem(&mut self, stemmer: &WordStemmer, word: &str) -> &str {
        // The cast cuts, and the mask keeps it in range.
        let at = xxh3_64(word.as_bytes()) as usize & (SLOTS - 1);
        let slot = &mut self.slots[at];
        if slot.word_bytes != word.len() || !slot.text.starts_with(word) {
            slot.text.clear();
            slot.text.push_str(word);
            slot.text.push_str(&stemmer.stem(word));
            slot.word_bytes = word.len();
        }
        &slot.text[slot.word_bytes..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_put_back_where_a_stemmer_needs_them() {
        let tables = [
            (Algorithm::Spanish, "iluminacion-iluminación tecnologia-tecnología solucion-solución luces-luz"),
            (
                Algorithm::Portuguese,
                "decoracao-decoração coracoes-coração limoes-limão papeis-papel animais-animal lencois-lencol \
                 azuis-azul bombons-bombom",
            ),
            (Algorithm::French, "idees-idées entree-entrée qualite-qualité qualites-qualités"),
            (Algorithm::Catalan, "decoracio-decoració solucio-solució"),
            (Algorithm::Polish, "butow-butów"),
            (Algorithm::Swedish, "banan-bana bilans-bila"),
        ];
        for (algorithm, words) in tables {
            for (word, marked) in words.split_whitespace().filter_map(|pair| pair.split_once('-')) {
                assert_eq!(with_marks(algorithm, word).as_deref(), Some(marked), "{word}");
            }
        }
        for (algorithm, word) in
            [(Algorithm::Swedish, "plan"), (Algorithm::Spanish, "zapatos"), (Algorithm::German, "decoracao")]
        {
            assert_eq!(with_marks(algorithm, word), None, "{word}");
        }
    }
}
