//! Grammatical number: the singular of a word, which the stemmer then stems.
//!
//! Lists and rules are Lethe's own and read nothing of a shop: a word has one singular in all texts.

use rustc_hash::FxHashMap;

use super::language::ShopLanguage;
use super::number_lists as lists;

/// Endings of plurals that lose their last letters.
struct EndingRule {
    /// The shortest word to which it applies.
    min_bytes: usize,
    endings: &'static [&'static str],
    /// Bytes that are taken off the word.
    cut_bytes: usize,
    /// Endings of words that stay as they are.
    kept: &'static [&'static str],
}

impl EndingRule {
    fn cut<'w>(&self, word: &'w str) -> Option<&'w str> {
        let ends_in = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
        let applies = word.len() >= self.min_bytes && ends_in(self.endings) && !ends_in(self.kept);
        if applies { word.get(..word.len() - self.cut_bytes) } else { None }
    }
}

/// The `s` of words that are often foreign: `Autos`, `Taxis`.
const GERMAN: [EndingRule; 1] = [EndingRule {
    min_bytes: 5,
    endings: &["as", "is", "os", "ys"],
    cut_bytes: 1,
    kept: &[
        "glas", "gras", "gas", "nas", "las", "los", "oos", "eis", "ais", "nis", "sis", "ris", "tis", "bis",
        "xis", "pis", "chis", "vis",
    ],
}];
/// The `s` after a vowel, which the stemmer leaves: `clous`.
const FRENCH: [EndingRule; 1] =
    [EndingRule { min_bytes: 4, endings: &["as", "is", "os", "us"], cut_bytes: 1, kept: &[] }];
/// The `es` of `collares`, and the `s` of foreign words such as `robots`.
const SPANISH: [EndingRule; 2] = [
    EndingRule {
        min_bytes: 6,
        endings: &["ares", "eres", "ores", "ires", "ures", "ales", "eles"],
        cut_bytes: 2,
        kept: &[],
    },
    EndingRule {
        min_bytes: 5,
        endings: &["ts", "ps", "bs", "ks", "gs", "ds", "ms", "fs", "ys", "js", "cs"],
        cut_bytes: 1,
        kept: &[],
    },
];
/// The stemmer takes the `s` of `keuken` and of `keukens` differently. Not of `-as`: `matras` is a singular.
const DUTCH: [EndingRule; 1] =
    [EndingRule { min_bytes: 6, endings: &["ens", "els", "ers", "ems", "jes"], cut_bytes: 1, kept: &[] }];
/// `gensere` becomes `genser`: the stemmer takes `er` off the latter, and only `e` off the former.
const NORWEGIAN: [EndingRule; 1] = [EndingRule { min_bytes: 7, endings: &["ere"], cut_bytes: 1, kept: &[] }];

/// The irregular plurals of a language, and its rules.
pub(super) struct NumberForms {
    language: ShopLanguage,
    /// Singulars by their plurals.
    irregular: FxHashMap<&'static str, &'static str>,
    /// Singulars that end as plurals do, sorted.
    exceptions: Vec<&'static str>,
    /// Singulars that are their own stems, sorted.
    whole: Vec<&'static str>,
    rules: &'static [EndingRule],
}

impl NumberForms {
    pub(super) fn new(language: ShopLanguage) -> Self {
        let irregular = match language {
            ShopLanguage::Czech => lists::CZECH,
            ShopLanguage::Danish => lists::DANISH,
            ShopLanguage::German => lists::GERMAN,
            ShopLanguage::English => lists::ENGLISH,
            ShopLanguage::Spanish => lists::SPANISH,
            ShopLanguage::French => lists::FRENCH,
            ShopLanguage::Italian => lists::ITALIAN,
            ShopLanguage::Dutch => lists::DUTCH,
            ShopLanguage::Norwegian => lists::NORWEGIAN,
            ShopLanguage::Polish => lists::POLISH,
            ShopLanguage::Portuguese => lists::PORTUGUESE,
            ShopLanguage::Swedish => lists::SWEDISH,
            _ => "",
        };
        let irregular = irregular.split_whitespace().filter_map(|entry| entry.split_once('/')).collect();
        let exceptions = match language {
            ShopLanguage::German => lists::GERMAN_EXCEPTIONS,
            ShopLanguage::French => lists::FRENCH_EXCEPTIONS,
            _ => "",
        };
        let whole = if language == ShopLanguage::English { lists::ENGLISH_WHOLE } else { "" };
        let rules: &[EndingRule] = match language {
            ShopLanguage::German => &GERMAN,
            ShopLanguage::French => &FRENCH,
            ShopLanguage::Spanish => &SPANISH,
            ShopLanguage::Dutch => &DUTCH,
            ShopLanguage::Norwegian => &NORWEGIAN,
            _ => &[],
        };
        Self { language, irregular, exceptions: sort_words(exceptions), whole: sort_words(whole), rules }
    }

    /// The singular of a folded word; the word itself where no list or rule knows a plural.
    pub(super) fn singular<'w>(&self, word: &'w str) -> &'w str {
        let word = self.irregular.get(word).copied().unwrap_or(word);
        // Words with digits in them are names.
        let is_fixed = self.rules.is_empty()
            || word.bytes().any(|byte| byte.is_ascii_digit())
            || self.exceptions.binary_search(&word).is_ok();
        if is_fixed {
            return word;
        }
        // A singular of the list loses an ending as it does where it is typed itself.
        self.rules.iter().find_map(|rule| rule.cut(word)).unwrap_or(word)
    }

    /// Returns true if a singular is its own stem: the stemmer would take its end for an ending.
    pub(super) fn is_whole(&self, word: &str) -> bool {
        self.whole.binary_search(&word).is_ok()
    }

    /// Bytes of a stem without the `x` that the stemmer leaves on French plurals: `cheveux` and `cheveu` have one stem.
    pub(super) fn stem_bytes(&self, stem: &str) -> usize {
        let is_longer = self.language == ShopLanguage::French
            && stem.len() >= 4
            && (stem.ends_with("eux") || stem.ends_with("oux"));
        stem.len() - usize::from(is_longer)
    }

    /// One form for a word and its regular plural, longer than the stem, so that other words of that stem have another;
    /// `None` in a language without such rules.
    pub(super) fn regular_singular(&self, word: &str) -> Option<String> {
        let endings = regular_endings(self.language)?;
        let singular = self.singular(word);
        let is_short = singular.len() < 4 || singular.bytes().any(|byte| byte.is_ascii_digit());
        if is_short || self.is_whole(singular) {
            return Some(singular.to_owned());
        }
        let found = endings.iter().find_map(|(ending, instead)| {
            singular.strip_suffix(ending).map(|rest| format!("{rest}{instead}"))
        });
        Some(found.unwrap_or_else(|| singular.to_owned()))
    }
}

fn sort_words(words: &'static str) -> Vec<&'static str> {
    let mut words: Vec<_> = words.split_whitespace().collect();
    words.sort_unstable();
    words
}

/// Regular plurals with the ends of their singulars, the longest first. Only completion needs them: a stemmer knows
/// these endings, and others that make another word (`lighting`).
fn regular_endings(language: ShopLanguage) -> Option<&'static [(&'static str, &'static str)]> {
    Some(match language {
        ShopLanguage::English => &[
            ("sses", "ss"),
            ("ches", "ch"),
            ("shes", "sh"),
            ("xes", "x"),
            ("zzes", "zz"),
            ("ies", "y"),
            ("ss", "ss"),
            ("us", "us"),
            ("is", "is"),
            ("s", ""),
        ],
        ShopLanguage::French => {
            &[("eaux", "eau"), ("aux", "al"), ("eux", "eux"), ("ss", "ss"), ("s", ""), ("x", "")]
        }
        ShopLanguage::Spanish => &[
            ("iones", "ion"),
            ("ores", "or"),
            ("ales", "al"),
            ("eles", "el"),
            ("ces", "z"),
            ("ss", "ss"),
            ("s", ""),
        ],
        ShopLanguage::Portuguese => &[
            ("oes", "ao"),
            ("ores", "or"),
            ("ais", "al"),
            ("eis", "el"),
            ("ns", "m"),
            ("ss", "ss"),
            ("s", ""),
        ],
        ShopLanguage::Other => &[],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::text::fold_text;

    #[test]
    fn each_list_has_folded_words_and_the_singular_of_a_singular_is_itself() {
        for language in ShopLanguage::ALL {
            let forms = NumberForms::new(language);
            for (plural, singular) in &forms.irregular {
                assert_eq!((fold_text(plural).as_str(), fold_text(singular).as_str()), (*plural, *singular));
                assert_eq!(forms.singular(plural), forms.singular(singular), "{plural} in {language:?}");
            }
        }
    }
}
