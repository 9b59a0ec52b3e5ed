//! Tokens beside the words of a text: joined words, decimal numbers, and words with a sign after them.
//!
//! They are read in the same pass as the words, by looking at the characters between two words; nothing of a text is
//! read twice.

use super::fold::{FoldedWord, is_spaced};

/// Prefix of a decimal number in the index: `\3` and `15.6`.
pub const DECIMAL: char = '\u{3}';
/// Prefix of a word with the sign after it in the index: `\4` and `s23+`.
pub const SIGN: char = '\u{4}';

/// Most letters of the shorter part of a join by a hyphen: `wi-fi`. Two longer words stay two.
const HYPHEN_PART_LETTERS: usize = 3;
/// Most letters of each part around `&`: `AT&T`.
const AMPERSAND_PART_LETTERS: usize = 3;
/// Most letters of each part around `/`: `AC/DC`.
const SLASH_PART_LETTERS: usize = 2;
/// Most letters of a join, and of a word with a sign.
const JOIN_LETTERS: usize = 20;
/// Most digits before the decimal sign: a longer number is a name of something.
const WHOLE_DIGITS: usize = 9;
/// Most digits after the decimal sign.
const DECIMAL_DIGITS: usize = 3;
/// First byte of the hyphens that are not of ASCII.
const HYPHEN_BYTE: u8 = 0xE2;
/// Most signs after a word: `c++` has two.
const SIGNS: usize = 3;

/// Kind of a token beside the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BesideKind {
    /// Words joined: `wifi` for `wi-fi`, `apc` for `A.P.C.`, `hm` for `H&M`.
    Join,
    /// A number with decimals: `15.6`, also for `15,6`.
    Decimal,
    /// A word with the signs after it: `s23+`, `c++`.
    Sign,
}

/// A token beside the words of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BesideToken<'w> {
    /// Its kind.
    pub kind: BesideKind,
    /// Its text, folded.
    pub word: &'w str,
    /// Its term in the index: the stem of joined words, else the text after its prefix.
    pub term: &'w str,
    /// The byte of the text at which it begins.
    pub start: usize,
    /// The byte of the text after its last.
    pub end: usize,
}

impl<'w> BesideToken<'w> {
    /// A token of these bytes of the text whose term is not stemmed yet.
    fn with_unstemmed_term(kind: BesideKind, term: &'w str, start: usize, end: usize) -> Self {
        Self { kind, word: term.trim_start_matches([DECIMAL, SIGN]), term, start, end }
    }
}

/// A character between two words that may make them one token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    Hyphen,
    Point,
    Comma,
    Ampersand,
    Slash,
}

impl Gap {
    fn parse(between: &str) -> Option<Self> {
        Some(match between {
            "-" | "\u{2010}" | "\u{2011}" => Self::Hyphen,
            "." => Self::Point,
            "," => Self::Comma,
            "&" => Self::Ampersand,
            "/" => Self::Slash,
            _ => return None,
        })
    }
}

/// The word before.
#[derive(Default)]
struct WordBefore {
    /// True if the character after it may join it with the next.
    is_open: bool,
    word: String,
    letters: usize,
    start: usize,
    end: usize,
    /// True if it has the digits after a decimal sign.
    ends_decimal: bool,
}

/// Single letters that one sign parts: `A.P.C.`
#[derive(Default)]
struct Initials {
    letters: String,
    /// Number of the letters, also of those that are left out because there are too many.
    count: usize,
    start: usize,
    end: usize,
}

/// Finds the tokens beside words, word by word. Their terms are not stemmed yet.
#[derive(Default)]
pub(super) struct BesideReader {
    before: WordBefore,
    initials: Initials,
    token: String,
}

impl BesideReader {
    /// Begins a text.
    pub(super) fn begin(&mut self) {
        self.before.is_open = false;
        self.initials.count = 0;
    }

    /// Ends a text, and calls `take` with the token that ends with it.
    pub(super) fn end(&mut self, take: &mut dyn FnMut(BesideToken<'_>)) {
        self.end_initials(take);
    }

    /// Takes the next word of the text, and calls `take` with each token that ends with it or ended before it.
    pub(super) fn take_word(
        &mut self,
        text: &str,
        word: &FoldedWord<'_>,
        take: &mut dyn FnMut(BesideToken<'_>),
    ) {
        // Most words: nothing is open, and a blank follows.
        let may_begin = text.as_bytes().get(word.end).is_some_and(may_join_or_mark);
        if !self.before.is_open && self.initials.count == 0 && !may_begin {
            return;
        }
        let is_open = std::mem::take(&mut self.before.is_open);
        let between = if is_open { text.get(self.before.end..word.start) } else { None };
        let mut ends_decimal = false;
        match between.and_then(Gap::parse) {
            None => self.end_initials(take),
            Some(gap) if self.is_initial(gap, word.text) => self.add_initial(word),
            Some(gap) => {
                self.end_initials(take);
                ends_decimal = self.take_decimal(gap, text, word, take);
                if !ends_decimal && self.is_join(gap, word.text) {
                    self.take_join(word, take);
                }
            }
        }
        self.read_next_character(text, word, ends_decimal, take);
    }

    fn is_initial(&self, gap: Gap, word: &str) -> bool {
        let is_sign = matches!(gap, Gap::Point | Gap::Ampersand | Gap::Slash);
        is_sign && is_single_letter(&self.before.word) && is_single_letter(word)
    }

    fn add_initial(&mut self, word: &FoldedWord<'_>) {
        let Self { before, initials, .. } = self;
        if initials.count == 0 {
            initials.letters.clear();
            initials.letters.push_str(&before.word);
            initials.start = before.start;
            initials.count = 1;
        }
        // A longer row of letters is no name, and makes no token.
        if initials.count < JOIN_LETTERS {
            initials.letters.push_str(word.text);
        }
        initials.end = word.end;
        initials.count += 1;
    }

    fn end_initials(&mut self, take: &mut dyn FnMut(BesideToken<'_>)) {
        let Initials { letters, count, start, end } = &self.initials;
        if (2..=JOIN_LETTERS).contains(count) {
            take(BesideToken::with_unstemmed_term(BesideKind::Join, letters, *start, *end));
        }
        self.initials.count = 0;
    }

    /// Takes `15.6` and the `3.5` of `3.5mm`. A number with two such signs is a version, a date or an address.
    fn take_decimal(
        &mut self,
        gap: Gap,
        text: &str,
        word: &FoldedWord<'_>,
        take: &mut dyn FnMut(BesideToken<'_>),
    ) -> bool {
        let before = &self.before;
        let digits = word.text.bytes().take_while(u8::is_ascii_digit).count();
        let is_decimal = matches!(gap, Gap::Point | Gap::Comma)
            && is_number(&before.word)
            && before.word.len() <= WHOLE_DIGITS
            && (1..=DECIMAL_DIGITS).contains(&digits)
            && !ends_in_number_and_sign(&text[..before.start])
            && !(digits == word.text.len() && begins_with_sign_and_number(&text[word.end..]));
        if !is_decimal {
            return false;
        }
        self.token.clear();
        self.token.push(DECIMAL);
        self.token.push_str(&before.word);
        self.token.push('.');
        self.token.push_str(&word.text[..digits]);
        self.take_pair(BesideKind::Decimal, word.end, take);
        true
    }

    fn is_join(&self, gap: Gap, word: &str) -> bool {
        let before = &self.before;
        let of_next = word.chars().count();
        let is_near = match gap {
            Gap::Hyphen => before.letters.min(of_next) <= HYPHEN_PART_LETTERS,
            Gap::Ampersand => before.letters.max(of_next) <= AMPERSAND_PART_LETTERS,
            Gap::Slash => {
                before.letters.max(of_next) <= SLASH_PART_LETTERS
                    && is_letters(&before.word)
                    && is_letters(word)
            }
            Gap::Point | Gap::Comma => false,
        };
        let are_numbers = is_number(&before.word) && is_number(word);
        is_near
            && before.letters + of_next <= JOIN_LETTERS
            && !before.ends_decimal
            && !are_numbers
            && word.starts_with(is_spaced)
    }

    fn take_join(&mut self, word: &FoldedWord<'_>, take: &mut dyn FnMut(BesideToken<'_>)) {
        self.token.clear();
        self.token.push_str(&self.before.word);
        self.token.push_str(word.text);
        self.take_pair(BesideKind::Join, word.end, take);
    }

    /// Calls `take` with the token of the word before and the word that ends here.
    fn take_pair(&self, kind: BesideKind, end: usize, take: &mut dyn FnMut(BesideToken<'_>)) {
        take(BesideToken::with_unstemmed_term(kind, &self.token, self.before.start, end));
    }

    /// Reads the character after a word: it may be a sign of the word, or join the word with the next.
    fn read_next_character(
        &mut self,
        text: &str,
        word: &FoldedWord<'_>,
        ends_decimal: bool,
        take: &mut dyn FnMut(BesideToken<'_>),
    ) {
        let behind = &text[word.end..];
        match behind.as_bytes().first() {
            Some(b'-' | b'&' | b'/') => {}
            // The sign of a decimal, or of an initial; else the end of a clause.
            Some(b',') if is_number(word.text) => {}
            Some(b'.') if is_number(word.text) || is_single_letter(word.text) => {}
            Some(&HYPHEN_BYTE) if behind.starts_with(['\u{2010}', '\u{2011}']) => {}
            Some(b'+' | b'#') if !ends_decimal => return self.take_sign(behind, word, take),
            _ => return,
        }
        if !word.text.starts_with(is_spaced) {
            return;
        }
        self.before.is_open = true;
        self.before.word.clear();
        self.before.word.push_str(word.text);
        self.before.letters = word.text.chars().count();
        self.before.start = word.start;
        self.before.end = word.end;
        self.before.ends_decimal = ends_decimal;
    }

    fn take_sign(&mut self, behind: &str, word: &FoldedWord<'_>, take: &mut dyn FnMut(BesideToken<'_>)) {
        let signs = behind.bytes().take(SIGNS + 1).take_while(|byte| matches!(*byte, b'+' | b'#')).count();
        let is_last = behind[signs..].chars().next().is_none_or(|next| !next.is_alphanumeric());
        let is_short = word.text.chars().count() <= JOIN_LETTERS && word.text.starts_with(is_spaced);
        if signs > SIGNS || !is_last || !is_short {
            return;
        }
        self.token.clear();
        self.token.push(SIGN);
        self.token.push_str(word.text);
        self.token.push_str(&behind[..signs]);
        take(BesideToken::with_unstemmed_term(BesideKind::Sign, &self.token, word.start, word.end + signs));
    }
}

/// Returns true if a byte may begin a sign that joins words or marks the one before it.
const fn may_join_or_mark(byte: &u8) -> bool {
    matches!(*byte, b'-' | b'.' | b',' | b'&' | b'/' | b'+' | b'#' | HYPHEN_BYTE)
}

fn is_single_letter(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(|letter| letter.is_alphabetic() && is_spaced(letter))
        && letters.next().is_none()
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_letters(word: &str) -> bool {
    word.chars().all(char::is_alphabetic)
}

/// Returns true if a text ends like `1.`, before the next digits of a number.
fn ends_in_number_and_sign(text: &str) -> bool {
    matches!(text.as_bytes(), [.., digit, b'.' | b','] if digit.is_ascii_digit())
}

/// Returns true if a text begins like `.1`, after digits of a number.
fn begins_with_sign_and_number(text: &str) -> bool {
    matches!(text.as_bytes(), [b'.' | b',', digit, ..] if digit.is_ascii_digit())
}
