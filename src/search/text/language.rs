//! The languages of shops.

use frostem::Algorithm;

use super::function_words as words;

/// The language of a shop: the stemmer, function words and plurals for its texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ShopLanguage {
    /// Bulgarian.
    Bulgarian,
    /// Catalan.
    Catalan,
    /// Czech.
    Czech,
    /// Danish.
    Danish,
    /// German.
    German,
    /// Greek.
    Greek,
    /// English.
    English,
    /// Spanish.
    Spanish,
    /// Estonian.
    Estonian,
    /// Basque.
    Basque,
    /// Finnish.
    Finnish,
    /// French.
    French,
    /// Irish.
    Irish,
    /// Croatian.
    Croatian,
    /// Hungarian.
    Hungarian,
    /// Icelandic.
    Icelandic,
    /// Italian.
    Italian,
    /// Lithuanian.
    Lithuanian,
    /// Latvian.
    Latvian,
    /// Dutch.
    Dutch,
    /// Norwegian, both written forms.
    Norwegian,
    /// Polish.
    Polish,
    /// Portuguese.
    Portuguese,
    /// Romanian.
    Romanian,
    /// Russian.
    Russian,
    /// Slovak.
    Slovak,
    /// Slovenian.
    Slovenian,
    /// Serbian.
    Serbian,
    /// Swedish.
    Swedish,
    /// Turkish.
    Turkish,
    /// Ukrainian.
    Ukrainian,
    /// Any other: words are folded and not stemmed.
    Other,
}

/// Method by which words of a language lose their endings.
#[derive(Clone, Copy)]
pub(super) enum Stemming {
    /// By a Snowball stemmer.
    Snowball(Algorithm),
    /// By its list of endings. Also where a Snowball stemmer cannot do without marks (Hungarian) or removes a part that
    /// is no ending (Turkish `çanta`).
    Endings(&'static str),
    /// Not at all.
    Unstemmed,
}

/// Properties of a language.
pub(super) struct LanguageProfile {
    language: ShopLanguage,
    code: &'static str,
    name: &'static str,
    pub(super) stemming: Stemming,
    /// Folded and separated by blanks.
    pub(super) function_words: &'static str,
}

const fn row(
    language: ShopLanguage,
    code: &'static str,
    name: &'static str,
    stemming: Stemming,
    function_words: &'static str,
) -> LanguageProfile {
    LanguageProfile { language, code, name, stemming, function_words }
}

use ShopLanguage as L;
use Stemming::{Endings, Snowball, Unstemmed};

/// In the order of the enum.
const TABLE: [LanguageProfile; 32] = [
    row(L::Bulgarian, "bg", "Bulgarian", Endings(words::BULGARIAN_ENDINGS), words::BULGARIAN),
    row(L::Catalan, "ca", "Catalan", Snowball(Algorithm::Catalan), words::CATALAN),
    row(L::Czech, "cs", "Czech", Snowball(Algorithm::Czech), words::CZECH),
    row(L::Danish, "da", "Danish", Snowball(Algorithm::Danish), words::DANISH),
    row(L::German, "de", "German", Snowball(Algorithm::German), words::GERMAN),
    row(L::Greek, "el", "Greek", Snowball(Algorithm::Greek), words::GREEK),
    row(L::English, "en", "English", Snowball(Algorithm::English), words::ENGLISH),
    row(L::Spanish, "es", "Spanish", Snowball(Algorithm::Spanish), words::SPANISH),
    row(L::Estonian, "et", "Estonian", Snowball(Algorithm::Estonian), words::ESTONIAN),
    row(L::Basque, "eu", "Basque", Snowball(Algorithm::Basque), words::BASQUE),
    row(L::Finnish, "fi", "Finnish", Snowball(Algorithm::Finnish), words::FINNISH),
    row(L::French, "fr", "French", Snowball(Algorithm::French), words::FRENCH),
    row(L::Irish, "ga", "Irish", Snowball(Algorithm::Irish), words::IRISH),
    row(L::Croatian, "hr", "Croatian", Snowball(Algorithm::Serbian), words::CROATIAN),
    row(L::Hungarian, "hu", "Hungarian", Endings(words::HUNGARIAN_ENDINGS), words::HUNGARIAN),
    row(L::Icelandic, "is", "Icelandic", Endings(words::ICELANDIC_ENDINGS), words::ICELANDIC),
    row(L::Italian, "it", "Italian", Snowball(Algorithm::Italian), words::ITALIAN),
    row(L::Lithuanian, "lt", "Lithuanian", Snowball(Algorithm::Lithuanian), words::LITHUANIAN),
    row(L::Latvian, "lv", "Latvian", Endings(words::LATVIAN_ENDINGS), words::LATVIAN),
    row(L::Dutch, "nl", "Dutch", Snowball(Algorithm::Dutch), words::DUTCH),
    row(L::Norwegian, "no", "Norwegian", Snowball(Algorithm::Norwegian), words::NORWEGIAN),
    row(L::Polish, "pl", "Polish", Snowball(Algorithm::Polish), words::POLISH),
    row(L::Portuguese, "pt", "Portuguese", Snowball(Algorithm::Portuguese), words::PORTUGUESE),
    row(L::Romanian, "ro", "Romanian", Snowball(Algorithm::Romanian), words::ROMANIAN),
    row(L::Russian, "ru", "Russian", Snowball(Algorithm::Russian), words::RUSSIAN),
    row(L::Slovak, "sk", "Slovak", Snowball(Algorithm::Czech), words::SLOVAK),
    row(L::Slovenian, "sl", "Slovenian", Endings(words::SLOVENIAN_ENDINGS), words::SLOVENIAN),
    row(L::Serbian, "sr", "Serbian", Snowball(Algorithm::Serbian), words::SERBIAN),
    row(L::Swedish, "sv", "Swedish", Snowball(Algorithm::Swedish), words::SWEDISH),
    row(L::Turkish, "tr", "Turkish", Endings(words::TURKISH_ENDINGS), words::TURKISH),
    row(L::Ukrainian, "uk", "Ukrainian", Endings(words::UKRAINIAN_ENDINGS), words::UKRAINIAN),
    row(L::Other, "other", "other", Unstemmed, ""),
];

impl ShopLanguage {
    /// All languages, by code; the last is [`ShopLanguage::Other`].
    pub const ALL: [Self; TABLE.len()] = {
        let mut all = [Self::Other; TABLE.len()];
        let mut at = 0;
        while at < TABLE.len() {
            all[at] = TABLE[at].language;
            at += 1;
        }
        all
    };

    /// Reads a code of ISO 639-1 in any case, also with a region (`en-GB`), or `other`.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        let code = code.trim().to_ascii_lowercase();
        let code = code.split(['-', '_']).next().unwrap_or_default();
        if matches!(code, "nb" | "nn") {
            return Some(Self::Norwegian);
        }
        TABLE.iter().find(|row| row.code == code).map(|row| row.language)
    }

    /// A word in lower case, as the language has it: `IŞIK` is `ışık` in Turkish. A word of ASCII letters alone, such
    /// as a foreign name, follows the general rule.
    #[must_use]
    pub fn lower_case(self, word: &str) -> String {
        if self == Self::Turkish && !word.is_ascii() {
            return word.replace('I', "ı").replace('İ', "i").to_lowercase();
        }
        word.to_lowercase()
    }

    /// Its code of ISO 639-1, or `other`.
    #[must_use]
    pub fn code(self) -> &'static str {
        self.row().code
    }

    /// Its English name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    pub(super) fn row(self) -> &'static LanguageProfile {
        static ROWS: [LanguageProfile; TABLE.len()] = TABLE;
        &ROWS[self as usize]
    }
}
