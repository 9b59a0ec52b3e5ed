//! Folding: NFKD, marks dropped, lower case; and the bounds of words.

use unicode_normalization::char::{compose, decompose_compatible, is_combining_mark};

/// Bytes of a word that are read; the rest of the word is skipped.
const WORD_BYTES: usize = 64;

/// A word of a text: its folded letters and its place.
pub(super) struct FoldedWord<'w> {
    pub(super) text: &'w str,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Where letters of the text are collected.
#[derive(Default)]
pub(super) struct Folding {
    word: String,
    start: usize,
    end: usize,
    /// The letters of a script without spaces: each with its begin and end.
    run: Vec<(char, usize, usize)>,
}

/// Result of folding a letter.
enum Sign {
    Letter(char),
    /// A letter of a script that puts no spaces between words.
    Unspaced(char),
    /// A mark, or something invisible: the word goes on, and perhaps its last letter becomes another.
    Mark(char),
    Gap,
}

impl Folding {
    /// Calls `take` with every word of the text, in order. In scripts without spaces the words are overlapping pairs
    /// of letters. The `s` after an apostrophe is no word.
    pub(super) fn for_each_word(&mut self, text: &str, take: &mut dyn FnMut(FoldedWord<'_>)) {
        let bytes = text.as_bytes();
        let mut at = 0;
        self.word.clear();
        self.run.clear();
        while at < bytes.len() {
            let byte = bytes[at];
            if byte.is_ascii_alphanumeric() {
                if !self.run.is_empty() {
                    self.end_word(text, take);
                }
                self.push(char::from(byte.to_ascii_lowercase()), at, at + 1);
                at += 1;
            } else if byte.is_ascii() {
                if byte != b'\'' || !self.is_inside_cyrillic(&text[at + 1..]) {
                    self.end_word(text, take);
                }
                at += 1;
            } else {
                let letter = text[at..].chars().next().unwrap_or(' ');
                let end = at + letter.len_utf8();
                self.take_letter(letter, at, end, text, take);
                at = end;
            }
        }
        self.end_word(text, take);
    }

    fn take_letter(
        &mut self,
        letter: char,
        start: usize,
        end: usize,
        text: &str,
        take: &mut dyn FnMut(FoldedWord<'_>),
    ) {
        if is_apostrophe(letter) && self.is_inside_cyrillic(&text[end..]) {
            return;
        }
        each_folded(letter, &mut |sign| match sign {
            Sign::Letter(letter) => {
                if !self.run.is_empty() {
                    self.end_word(text, take);
                }
                self.push(letter, start, end);
            }
            Sign::Unspaced(letter) => {
                if !self.word.is_empty() {
                    self.end_word(text, take);
                }
                self.push_unspaced(letter, start, end);
            }
            Sign::Mark(mark) => self.put_mark(mark, end),
            Sign::Gap => self.end_word(text, take),
        });
    }

    fn push(&mut self, letter: char, start: usize, end: usize) {
        if self.word.is_empty() {
            self.start = start;
        }
        if self.word.len() < WORD_BYTES {
            self.word.push(letter);
        }
        self.end = end;
    }

    /// Returns true between two letters of a Cyrillic word: an apostrophe there is a part of it (`сім'я`).
    fn is_inside_cyrillic(&self, after: &str) -> bool {
        self.word.ends_with(is_cyrillic) && after.starts_with(is_cyrillic)
    }

    /// Letters of a Korean syllable that stand apart (decomposed text) make one.
    fn push_unspaced(&mut self, letter: char, start: usize, end: usize) {
        if is_jamo(letter)
            && let Some(last) = self.run.last_mut()
            && let Some(syllable) = compose(last.0, letter)
        {
            last.0 = syllable;
            last.2 = end;
            return;
        }
        self.run.push((letter, start, end));
    }

    /// Takes a mark. Two marks make another letter: the breve of й and the voicing of kana.
    fn put_mark(&mut self, mark: char, end: usize) {
        if let Some(last) = self.run.last_mut() {
            if matches!(mark, '\u{3099}' | '\u{309a}') {
                last.0 = compose(last.0, mark).unwrap_or(last.0);
            }
            last.2 = end;
        } else if !self.word.is_empty() {
            if mark == '\u{306}' && self.word.ends_with('и') {
                self.word.pop();
                self.word.push('й');
            }
            self.end = end;
        }
    }

    fn end_word(&mut self, text: &str, take: &mut dyn FnMut(FoldedWord<'_>)) {
        if !self.word.is_empty() {
            let is_possessive = self.word == "s" && follows_apostrophe(text, self.start);
            if !is_possessive {
                take(FoldedWord { text: &self.word, start: self.start, end: self.end });
            }
            self.word.clear();
        }
        if !self.run.is_empty() {
            self.end_run(take);
        }
    }

    fn end_run(&mut self, take: &mut dyn FnMut(FoldedWord<'_>)) {
        let mut gram = String::with_capacity(8);
        let pairs = self.run.len().saturating_sub(1).max(1);
        for first in 0..pairs {
            let last = (first + 1).min(self.run.len() - 1);
            gram.clear();
            gram.extend(self.run[first..=last].iter().map(|(letter, ..)| letter));
            take(FoldedWord { text: &gram, start: self.run[first].1, end: self.run[last].2 });
        }
        self.run.clear();
    }
}

fn follows_apostrophe(text: &str, start: usize) -> bool {
    let before = text[..start].strip_suffix(['\'', '’', '`', '´', '\u{2bc}']);
    before.is_some_and(|before| before.ends_with(char::is_alphanumeric))
}

/// The signs that a letter of a text becomes.
fn each_folded(letter: char, take: &mut dyn FnMut(Sign)) {
    if matches!(letter, '™' | '℠' | 'º' | 'ª') {
        return take(Sign::Gap);
    }
    if is_syllable(letter) {
        return take(Sign::Unspaced(letter));
    }
    for lower in letter.to_lowercase() {
        // Compatibility forms may decompose to upper case: № does.
        decompose_compatible(lower, |part| part.to_lowercase().for_each(|part| put_sign(part, take)));
    }
}

fn put_sign(letter: char, take: &mut dyn FnMut(Sign)) {
    match without_decomposition(letter) {
        Some(folded) => folded.chars().for_each(|letter| take(Sign::Letter(letter))),
        None => take(sign(letter)),
    }
}

fn sign(letter: char) -> Sign {
    if is_invisible(letter) || is_optional_mark(letter) {
        Sign::Mark(letter)
    } else if is_apostrophe(letter) {
        Sign::Gap
    } else if letter.is_alphanumeric() {
        if is_spaced(letter) { Sign::Letter(letter) } else { Sign::Unspaced(letter) }
    } else if is_combining_mark(letter) {
        Sign::Mark(letter)
    } else {
        Sign::Gap
    }
}

/// Marks that readers do without: accents, and the vowel signs of Hebrew, Arabic and Syriac, which Unicode counts among
/// the letters. In other scripts (Thai, those of India) a vowel sign is a letter like any other.
fn is_optional_mark(letter: char) -> bool {
    let is_of_script = matches!(letter,
        '\u{300}'..='\u{74f}' | '\u{890}'..='\u{8ff}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}' | '\u{fb1e}' | '\u{fe20}'..='\u{fe2f}');
    is_of_script && is_combining_mark(letter)
}

/// Apostrophes that some keyboards have for the one of Ukrainian and Belarusian words.
fn is_apostrophe(letter: char) -> bool {
    matches!(letter, '\u{2b9}' | '\u{2bc}' | '\u{2019}')
}

fn is_cyrillic(letter: char) -> bool {
    matches!(letter, '\u{400}'..='\u{481}' | '\u{48a}'..='\u{52f}')
}

/// Letters that Unicode does not decompose, and that shoppers write with others.
fn without_decomposition(letter: char) -> Option<&'static str> {
    Some(match letter {
        'ß' | 'ẞ' => "ss",
        'æ' | 'Æ' | 'ǽ' | 'Ǽ' => "ae",
        'œ' | 'Œ' => "oe",
        'ø' | 'Ø' | 'ǿ' | 'Ǿ' => "o",
        'ł' | 'Ł' => "l",
        'đ' | 'Đ' | 'ð' | 'Ð' => "d",
        'þ' | 'Þ' => "th",
        'ħ' | 'Ħ' => "h",
        'ŧ' | 'Ŧ' => "t",
        'ı' | 'İ' => "i",
        'ŋ' | 'Ŋ' => "n",
        'ς' => "σ",
        _ => return None,
    })
}

fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{640}' | '\u{115f}' | '\u{1160}' | '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

/// Korean syllables.
fn is_syllable(letter: char) -> bool {
    matches!(letter, '\u{ac00}'..='\u{d7a3}')
}

/// Letters of Korean syllables.
fn is_jamo(letter: char) -> bool {
    matches!(letter, '\u{1100}'..='\u{11ff}')
}

/// Returns true if words of the letter's script stand between spaces; false for Hangul.
#[must_use]
pub fn is_spaced(letter: char) -> bool {
    !is_unspaced(letter) && !is_syllable(letter) && !is_jamo(letter)
}

/// Thai, Lao, Burmese and Khmer, kana and Chinese.
fn is_unspaced(letter: char) -> bool {
    matches!(letter,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30ff}' | '\u{3105}'..='\u{312f}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn joined_by(text: &str, gap: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut reach = 0;
    Folding::default().for_each_word(text, &mut |word| {
        // Pairs of letters overlap: each pair after the first adds only its new part.
        let overlaps = word.start < reach;
        if overlaps {
            joined.extend(word.text.chars().skip(1));
        } else {
            if !joined.is_empty() {
                joined.push_str(gap);
            }
            joined.push_str(word.text);
        }
        reach = word.end;
    });
    joined
}

/// The words of the text, folded, with one blank between them: `Café  CRÈME` becomes `cafe creme`.
#[must_use]
pub fn fold_text(text: &str) -> String {
    joined_by(text, " ")
}

/// Letters and digits alone, folded: the form in which Ids and SKUs are compared. `AB-12/x` becomes `ab12x`.
#[must_use]
pub fn fold_identifier(text: &str) -> String {
    joined_by(text, "")
}
