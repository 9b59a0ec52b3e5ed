//! The words of a language, to tell a typing error from a word that the shop just does not have.

use std::fs;
use std::path::Path;

use crate::search::codec::SortedTexts;
use crate::search::text::{Analyser, ShopLanguage, fold_text};

/// SCOWL's English words, American and British, up to its size 40 (its licence is in `lists/COPYRIGHT`), folded,
/// sorted, one a line, compressed with zstd. A larger list holds rare words that are typed by error more often than
/// meant: with size 60, 92.0 % of nDCG are kept instead of 93.0 %. With a smaller one, more words that the shop lacks
/// are replaced.
static ENGLISH: &[u8] = include_bytes!("lists/english.zst");
/// More than the list holds.
const LIST_BYTES: usize = 4 << 20;
/// A dictionary file above this is passed over.
const FILE_BYTES: u64 = 64 << 20;

/// Words of one language, by themselves and by their stems.
pub struct Dictionary {
    analyser: Analyser,
    words: SortedTexts,
    stems: SortedTexts,
}

impl Dictionary {
    /// Folders in which systems keep their dictionaries: plain lists, and those of Hunspell.
    pub const FOLDERS: [&'static str; 3] =
        ["/usr/share/dict", "/usr/share/hunspell", "/usr/share/myspell/dicts"];

    /// Makes a dictionary of these words.
    #[must_use]
    pub fn new<'w>(language: ShopLanguage, words: impl IntoIterator<Item = &'w str>) -> Self {
        let analyser = Analyser::new(language);
        let mut list = Vec::new();
        for word in words {
            list.extend(single(word));
        }
        let stems = list.iter().map(|word| analyser.stem(word)).collect();
        let stems = SortedTexts::new(stems).unwrap_or_default();
        Self { words: SortedTexts::new(list).unwrap_or_default(), stems, analyser }
    }

    /// No words: every unknown word may be corrected.
    #[must_use]
    pub fn empty(language: ShopLanguage) -> Self {
        Self::new(language, [])
    }

    /// The embedded list, if the language has one: then every node answers alike. If not, every dictionary of the
    /// language in these folders ([`Dictionary::FOLDERS`]). Unreadable files are passed over.
    #[must_use]
    pub fn of_system(language: ShopLanguage, folders: &[&Path]) -> Self {
        let mut texts = Vec::new();
        if language == ShopLanguage::English {
            texts.extend(zstd::bulk::decompress(ENGLISH, LIST_BYTES).ok());
        } else {
            let names = file_names(language);
            let paths = folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name)));
            texts.extend(paths.filter_map(|path| read_file(&path)));
        }
        let texts: Vec<String> = texts.into_iter().map(|bytes| read_text(&bytes)).collect();
        Self::new(language, texts.iter().flat_map(|text| text.lines()).map(without_flags))
    }

    /// Number of words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// True if it has no words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns true if the language has the folded word or another form of it; in languages that write compounds as one
    /// word, also if it is made of two.
    #[must_use]
    pub fn has(&self, word: &str) -> bool {
        self.words.find(word).is_some()
            || self.stems.find(&self.analyser.stem(word)).is_some()
            || self.has_compound(word)
    }

    fn has_compound(&self, word: &str) -> bool {
        use ShopLanguage as L;
        let joins =
            [L::German, L::Dutch, L::Danish, L::Norwegian, L::Swedish, L::Icelandic, L::Finnish, L::Estonian];
        if !joins.contains(&self.analyser.language()) {
            return false;
        }
        word.char_indices().any(|(at, _)| {
            let (first, second) = word.split_at(at);
            let is_long = first.chars().nth(3).is_some() && second.chars().nth(3).is_some();
            let has_first = || {
                let without_s = first.strip_suffix('s').unwrap_or(first);
                self.words.find(first).is_some() || self.words.find(without_s).is_some()
            };
            is_long && has_first() && self.stems.find(&self.analyser.stem(second)).is_some()
        })
    }
}

fn read_file(path: &Path) -> Option<Vec<u8>> {
    let length = fs::metadata(path).ok()?.len();
    if length <= FILE_BYTES { fs::read(path).ok() } else { None }
}

/// A line's folded word; `None` for a number, an abbreviation of one letter or more than one word.
fn single(line: &str) -> Option<String> {
    let word = fold_text(line);
    (word.len() > 1 && word.bytes().all(|byte| byte > b'9')).then_some(word)
}

/// Hunspell writes flags after a slash and morphology after a tab.
fn without_flags(line: &str) -> &str {
    line.split(['/', '\t']).next().unwrap_or(line)
}

/// UTF-8, or else Latin-1, in which western Hunspell lists are written.
fn read_text(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes)
        .map_or_else(|_| bytes.iter().map(|byte| char::from(*byte)).collect(), str::to_owned)
}

fn file_names(language: ShopLanguage) -> Vec<String> {
    let plain: &[&str] = match language {
        ShopLanguage::German => &["ngerman", "ogerman", "swiss"],
        ShopLanguage::French => &["french"],
        ShopLanguage::Spanish => &["spanish"],
        ShopLanguage::Italian => &["italian"],
        ShopLanguage::Portuguese => &["portuguese", "brazilian"],
        ShopLanguage::Dutch => &["dutch"],
        ShopLanguage::Danish => &["danish"],
        ShopLanguage::Swedish => &["swedish"],
        ShopLanguage::Norwegian => &["bokmaal", "nynorsk"],
        ShopLanguage::Finnish => &["finnish"],
        ShopLanguage::Polish => &["polish"],
        ShopLanguage::Catalan => &["catalan"],
        ShopLanguage::Ukrainian => &["ukrainian"],
        ShopLanguage::Bulgarian => &["bulgarian"],
        ShopLanguage::Irish => &["irish"],
        _ => &[],
    };
    let regions =
        ["", "_DE", "_FR", "_ES", "_IT", "_PT", "_BR", "_NL", "_DK", "_SE", "_NO", "_FI", "_PL", "_CZ"];
    let more =
        ["_SK", "_SI", "_HR", "_HU", "_RO", "_BG", "_GR", "_EE", "_LT", "_LV", "_RU", "_UA", "_TR", "_IS"];
    let last = ["_AT", "_CH", "_IE", "_RS", "_Latn"];
    let codes =
        if language == ShopLanguage::Norwegian { &["nb", "nn"] as &[&str] } else { &[language.code()] };
    let mut names: Vec<String> = plain.iter().map(|name| (*name).to_owned()).collect();
    for code in codes {
        for region in regions.iter().chain(&more).chain(&last) {
            names.push(format!("{code}{region}.dic"));
        }
    }
    names
}
