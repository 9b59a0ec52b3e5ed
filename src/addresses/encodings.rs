//! The one table of how a letter of an address can be written: the encodings that begin with an ASCII sign, the letters
//! of the same look, and the invisible letters. Matcher and prefilter both read it.

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use super::step_counter;

/// No name of an HTML entity is longer.
const ENTITY_NAME_BYTES: usize = 32;
/// Frequent entities, found without the list of all.
const USUAL: [(&str, char); 8] = [
    ("amp", '&'),
    ("nbsp", '\u{a0}'),
    ("quot", '"'),
    ("lt", '<'),
    ("gt", '>'),
    ("apos", '\''),
    ("commat", '@'),
    ("period", '.'),
];
/// Most digits of a CSS escape.
const CSS_DIGITS: usize = 6;

/// Returns true if a byte begins an encoding: of links and of mail, of HTML, of JSON, scripts and CSS.
pub(super) const fn is_introducer(byte: u8) -> bool {
    matches!(byte, b'%' | b'=' | b'&' | b'\\')
}

/// Signs of an address and beginnings of encodings in full-width and small form.
const WIDE: [(char, char); 10] = [
    ('＠', '@'),
    ('﹫', '@'),
    ('％', '%'),
    ('﹪', '%'),
    ('＝', '='),
    ('﹦', '='),
    ('＆', '&'),
    ('﹠', '&'),
    ('＼', '\\'),
    ('﹨', '\\'),
];

/// First byte of every letter in [`WIDE`].
pub(super) const WIDE_BYTE: u8 = 0xEF;

/// The ASCII form of a sign or of the beginning of an encoding.
pub(super) fn ascii_form(letter: char) -> Option<char> {
    if letter.is_ascii() {
        return (letter == '@' || is_introducer(letter as u8)).then_some(letter);
    }
    WIDE.iter().find(|(wide, _)| *wide == letter).map(|(_, narrow)| *narrow)
}

/// Bytes at which decoding may begin, as a table: every byte of a text is looked up.
const SPECIAL: [bool; 256] = {
    let mut special = [false; 256];
    let mut byte = 0;
    while byte < special.len() {
        special[byte] = byte >= 0x80 || is_introducer(byte as u8) || is_unseen_control(byte as u8);
        byte += 1;
    }
    special
};

pub(super) const fn is_special(byte: u8) -> bool {
    SPECIAL[byte as usize]
}

const fn is_unseen_control(byte: u8) -> bool {
    matches!(byte, 0..=8 | 0xE..=0x1F | 0x7F)
}

/// Form of a letter when letters of the same look are one.
pub(super) enum Folded {
    /// Itself.
    Same,
    /// Nothing: it is invisible.
    Gone,
    /// The letters of its compatibility form.
    To(Letters),
}

/// A few letters.
pub(super) struct Letters {
    letters: [char; MOST_LETTERS],
    count: usize,
}

/// Most letters that one may become: a letter that becomes more is whole words, and stays.
const MOST_LETTERS: usize = 6;

impl Letters {
    const fn from_letter(letter: char) -> Self {
        Self { letters: [letter; MOST_LETTERS], count: 1 }
    }

    /// The compatibility form of a letter, unless it is too long.
    fn compatibility_form(letter: char) -> Option<Self> {
        let mut all = Self { letters: ['\0'; MOST_LETTERS], count: 0 };
        for letter in std::iter::once(letter).nfkc() {
            *all.letters.get_mut(all.count)? = letter;
            all.count += 1;
        }
        Some(all)
    }

    pub(super) fn as_slice(&self) -> &[char] {
        &self.letters[..self.count]
    }
}

/// Folds a letter; `around` returns the last decoded letter, and the next one as it is written.
pub(super) fn fold(letter: char, around: impl FnOnce() -> (Option<char>, Option<char>)) -> Folded {
    if is_its_own(letter) {
        return Folded::Same;
    }
    if is_invisible(letter) {
        return Folded::Gone;
    }
    if letter.is_ascii() {
        return Folded::Same;
    }
    if is_joiner(letter) {
        let (before, after) = around();
        return if joins(before, after) { Folded::Same } else { Folded::Gone };
    }
    if let Some(narrow) = ascii_form(letter) {
        return Folded::To(Letters::from_letter(narrow));
    }
    let is_plain = is_nfkc_quick(std::iter::once(letter)) == IsNormalized::Yes;
    if is_plain {
        return Folded::Same;
    }
    // A letter that is whole words (`ﷺ` is 18 letters) is in no address as these, and a text full of such letters would
    // grow eightfold.
    let Some(letters) = Letters::compatibility_form(letter) else { return Folded::Same };
    // A superscript `=` begins no encoding, and the prefilter need not look for it.
    let stays = |letter: &char| letter.is_whitespace() || ascii_form(*letter).is_some();
    if letters.as_slice() == [letter] || letters.as_slice().iter().any(stays) {
        return Folded::Same;
    }
    Folded::To(letters)
}

/// Returns true if a letter is in a large range in which all are their own compatibility form.
const fn is_its_own(letter: char) -> bool {
    matches!(letter,
        '\u{C0}'..='\u{FF}' | '\u{391}'..='\u{3A1}' | '\u{3B1}'..='\u{3C9}' | '\u{400}'..='\u{481}'
        | '\u{4E00}'..='\u{9FFF}' | '\u{3041}'..='\u{3096}' | '\u{30A1}'..='\u{30FA}' | '\u{AC00}'..='\u{D7A3}')
}

pub(super) const fn is_joiner(letter: char) -> bool {
    matches!(letter, '\u{200C}' | '\u{200D}')
}

/// Returns true if a joiner has a meaning: between two letters of scripts that join, and of pictures.
pub(super) fn joins(before: Option<char>, after: Option<char>) -> bool {
    let is_joined = |letter: char| {
        // Hebrew is the first after the scripts of Europe, whose rare letters stand further on.
        letter >= '\u{590}'
            && !matches!(letter, '\u{1E00}'..='\u{1FFF}')
            && !is_invisible(letter)
            && !is_joiner(letter)
    };
    before.is_some_and(is_joined) && after.is_some_and(is_joined)
}

/// Invisible letters: Unicode's Default_Ignorable_Code_Point but the joiners, and control characters that are no white
/// space.
pub(super) fn is_invisible(letter: char) -> bool {
    match letter {
        '\0'..='\u{7F}' => is_unseen_control(letter as u8),
        _ => matches!(letter,
            '\u{80}'..='\u{84}' | '\u{86}'..='\u{9F}' | '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}'
            | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}' | '\u{200B}' | '\u{200E}' | '\u{200F}'
            | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
            | '\u{FFA0}' | '\u{FFF0}'..='\u{FFF8}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}'),
    }
}

/// The encoded letter at the start of a text, and its length in bytes. `is_mail` is called before `=40` is decoded: in
/// a URL it is a value.
pub(super) fn unit(text: &str, is_mail: &mut dyn FnMut() -> bool) -> Option<(char, usize)> {
    match text.as_bytes().first()? {
        b'%' => bytes_in_hex(text.as_bytes()),
        b'=' => bytes_in_hex(text.as_bytes()).filter(|_| is_mail()),
        b'&' => entity(text),
        b'\\' => escape(text),
        _ => None,
    }
}

/// A letter as links (`%40`) and mail (`=40`) write it: a sign and two digits for each of its bytes.
fn bytes_in_hex(text: &[u8]) -> Option<(char, usize)> {
    let byte = |n: usize| match text.get(3 * n..3 * n + 3) {
        Some([sign, high, low]) if *sign == text[0] => number(&[*high, *low], 16).map(|byte| byte as u8),
        _ => None,
    };
    let first = byte(0)?;
    let length = match first {
        0..=0x7F => return Some((char::from(first), 3)),
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return None,
    };
    let mut bytes = [0; 4];
    for (n, place) in bytes.iter_mut().take(length).enumerate() {
        *place = byte(n)?;
    }
    let letter = std::str::from_utf8(&bytes[..length]).ok()?.chars().next()?;
    Some((letter, 3 * length))
}

/// A letter as HTML writes it. A number and `&amp` may lack their semicolon, as browsers allow.
fn entity(text: &str) -> Option<(char, usize)> {
    let bytes = text.as_bytes();
    if bytes.get(1) == Some(&b'#') {
        let is_hex = matches!(bytes.get(2), Some(b'x' | b'X'));
        let (start, radix) = if is_hex { (3, 16) } else { (2, 10) };
        let count = bytes[start..].iter().take_while(|byte| char::from(**byte).is_digit(radix)).count();
        step_counter::add(count);
        let end = start + count;
        let letter = char::from_u32(number(&bytes[start..end], radix)?)?;
        return Some((letter, end + usize::from(bytes.get(end) == Some(&b';'))));
    }
    let name =
        bytes[1..].iter().take(ENTITY_NAME_BYTES).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    step_counter::add(name);
    let end = name + 2;
    if name > 0 && bytes.get(end - 1) == Some(&b';') {
        if let Some((_, letter)) = USUAL.iter().find(|(usual, _)| *usual == &text[1..=name]) {
            return Some((*letter, end));
        }
        let decoded = html_escape::decode_html_entities(&text[..end]);
        let mut letters = decoded.chars();
        if let (Some(letter), None) = (letters.next(), letters.next()) {
            return Some((letter, end));
        }
    }
    bytes[1..].starts_with(b"amp").then_some(('&', 4))
}

/// A letter after a backslash: `\u0040` (JSON, and scripts), `\u{40}`, `\x40`, and `\40 ` as CSS writes it.
fn escape(text: &str) -> Option<(char, usize)> {
    let bytes = text.as_bytes();
    let digits = |start: usize, most: usize| {
        let rest = bytes.get(start..).unwrap_or_default();
        rest.iter().take(most).take_while(|byte| byte.is_ascii_hexdigit()).count()
    };
    let (start, count, end) = match (bytes.get(1)?, bytes.get(2)) {
        (b'u', Some(b'{')) => {
            let count = digits(3, CSS_DIGITS);
            (3, count, (bytes.get(3 + count) == Some(&b'}')).then_some(4 + count)?)
        }
        (b'u', _) => (2, 4, 6),
        (b'x', _) => (2, 2, 4),
        _ => {
            let end = 1 + digits(1, CSS_DIGITS);
            // One white space after it belongs to it.
            (1, end - 1, end + usize::from(matches!(bytes.get(end), Some(b' ' | b'\t' | b'\n' | b'\r'))))
        }
    };
    let letter = char::from_u32(number(bytes.get(start..start + count)?, 16)?)?;
    Some((letter, end))
}

/// A number without a sign; `None` when it has another digit, no digit, or no room.
fn number(digits: &[u8], radix: u32) -> Option<u32> {
    let add =
        |number: u32, digit: &u8| number.checked_mul(radix)?.checked_add(char::from(*digit).to_digit(radix)?);
    if digits.is_empty() { None } else { digits.iter().try_fold(0, add) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_that_looks_like_a_sign_is_in_the_table() {
        for letter in (0x80..=0x10_FFFF).filter_map(char::from_u32) {
            let folded: Vec<char> = std::iter::once(letter).nfkc().collect();
            if is_its_own(letter) {
                assert_eq!(folded, [letter], "{letter:?}");
                assert!(!is_invisible(letter) && !is_joiner(letter), "{letter:?}");
            }
            if let [sign] = folded[..]
                && ascii_form(sign).is_some()
                && !['⁼', '₌'].contains(&letter)
            {
                assert_eq!(ascii_form(letter), Some(sign), "{letter:?}");
            }
        }
    }

    #[test]
    fn the_letters_that_nobody_sees_are_those_of_unicode() {
        for letter in
            ['\u{115F}', '\u{1160}', '\u{17B5}', '\u{180B}', '\u{180F}', '\u{3164}', '\u{FFA0}', '\u{FFF8}']
                .into_iter()
                .chain([
                    '\u{1BCA0}',
                    '\u{1D173}',
                    '\u{1D17A}',
                    '\u{E0000}',
                    '\u{E0FFF}',
                    '\u{1}',
                    '\u{7F}',
                    '\u{9F}',
                ])
        {
            assert!(matches!(fold(letter, || (Some('a'), Some('a'))), Folded::Gone), "{letter:?}");
        }
        for letter in ['\t', '\n', '\r', ' ', 'a', 'é', '中', '\u{85}'] {
            assert!(matches!(fold(letter, || (Some('a'), Some('a'))), Folded::Same), "{letter:?}");
        }
    }

    #[test]
    fn usual_entities_are_those_of_html() {
        for (name, letter) in USUAL {
            let entity = format!("&{name};");
            assert_eq!(html_escape::decode_html_entities(&entity), letter.to_string());
        }
    }

    #[test]
    fn no_letter_becomes_a_sentence() {
        for letter in (0x80..=0x10_FFFF).filter_map(char::from_u32) {
            if let Folded::To(letters) = fold(letter, || (None, None)) {
                let letters = letters.as_slice();
                let bytes: usize = letters.iter().map(|letter| letter.len_utf8()).sum();
                assert!(bytes <= 6 * letter.len_utf8(), "{letter:?}: {letters:?}");
            }
        }
    }

    #[test]
    fn a_joiner_means_something_only_between_letters_that_join() {
        let is_gone = |before, after| matches!(fold('\u{200D}', || (before, after)), Folded::Gone);
        for (before, after) in [
            (None, None),
            (Some('a'), Some('\u{645}')),
            (Some('é'), Some('@')),
            (Some('é'), Some('ö')),
            (Some('ế'), Some('ế')),
            (Some('\u{645}'), Some('@')),
            (Some('\u{645}'), Some('\u{200D}')),
            (Some('\u{645}'), Some('\u{200B}')),
        ] {
            assert!(is_gone(before, after), "{before:?} {after:?}");
        }
        assert!(!is_gone(Some('\u{6CC}'), Some('\u{62E}')) && !is_gone(Some('👩'), Some('💻')));
    }

    #[test]
    fn letters_that_join_begin_with_hebrew_and_leave_out_those_of_europe() {
        let joins_with = |letter| joins(Some(letter), Some(letter));
        let around = ['\u{58F}', '\u{590}', '\u{1DFF}', '\u{1E00}', '\u{1FFF}', '\u{2000}'];
        assert_eq!(around.map(joins_with), [false, true, true, false, false, true]);
        assert_eq!([joins(Some('م'), None), joins(None, Some('م')), joins(None, None)], [false; 3]);
    }
}
