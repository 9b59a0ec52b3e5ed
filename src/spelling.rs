//! What a text says, however links, markup, JSON and letters of the same look write it.
//!
//! Who looks for an address in a text, and who reads one that was sent, decode by the same code: an address that one of
//! them understands is understood by the other.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr3;
use unicode_normalization::UnicodeNormalization;

/// Encodings in encodings that are looked through (`%2540` is `%40` is `@`).
const LAYERS: usize = 4;
/// No name of an HTML entity is longer, with its `&` and `;`.
const ENTITY_BYTES: usize = 34;

/// A text with its encodings undone, and where each of its bytes was written.
pub struct Plain {
    /// What it says.
    pub text: String,
    /// For each byte of the text, and for its end, the place in what was decoded.
    at: Vec<usize>,
}

impl Plain {
    /// Where a part of the text was written.
    #[must_use]
    pub fn written(&self, part: Range<usize>) -> Range<usize> {
        let place = |at: usize| self.at.get(at).or(self.at.last()).copied().unwrap_or(0);
        place(part.start)..place(part.end)
    }

    fn push(&mut self, letter: char, at: usize) {
        self.text.push(letter);
        self.at.resize(self.text.len(), at);
    }
}

/// The readings of a text below the one as it stands, each one encoding deeper than the one before.
#[must_use]
pub fn layers(text: &str) -> Vec<Plain> {
    let mut layers: Vec<Plain> = Vec::new();
    while layers.len() < LAYERS {
        let next = match layers.last() {
            None => decoded(text),
            Some(above) => decoded(&above.text).map(|mut below| {
                below.at.iter_mut().for_each(|at| *at = above.written(*at..*at).start);
                below
            }),
        };
        match next {
            Some(next) => layers.push(next),
            None => break,
        }
    }
    layers
}

/// What a text says in the end. `None`: it is encoded without end.
#[must_use]
pub fn said(text: &str) -> Option<Cow<'_, str>> {
    let mut said = Cow::Borrowed(text);
    for _ in 0..=LAYERS {
        match decoded(&said) {
            None => return Some(said),
            Some(plain) => said = Cow::Owned(plain.text),
        }
    }
    None
}

/// Whether a text begins with `@`, encoded. Cheap for what is encoded and is none.
#[must_use]
pub fn begins_with_sign(text: &str) -> bool {
    let mut text = Cow::Borrowed(text);
    for _ in 0..=LAYERS {
        match unit(&text) {
            Some(('@' | '＠' | '﹫', _)) => return true,
            Some(('%' | '&' | '\\', _)) => match decoded(&text) {
                Some(plain) => text = Cow::Owned(plain.text),
                None => return false,
            },
            _ => return false,
        }
    }
    false
}

/// The text with one layer of encodings undone; `None` when it has none.
fn decoded(text: &str) -> Option<Plain> {
    if text.is_ascii() && memchr3(b'%', b'&', b'\\', text.as_bytes()).is_none() {
        return None;
    }
    let mut plain = Plain { text: String::with_capacity(text.len()), at: Vec::with_capacity(text.len() + 1) };
    let (mut at, mut is_changed) = (0, false);
    while let Some(letter) = text[at..].chars().next() {
        let unit = unit(&text[at..]);
        is_changed |= unit.is_some();
        let (said, length) = unit.unwrap_or((letter, letter.len_utf8()));
        if said.is_ascii() {
            plain.push(said, at);
        } else if is_invisible(said, plain.text.bytes().next_back()) {
            is_changed = true;
        } else {
            for folded in std::iter::once(said).nfkc() {
                is_changed |= folded != said;
                plain.push(folded, at);
            }
        }
        at += length;
    }
    plain.at.push(text.len());
    is_changed.then_some(plain)
}

/// The encoded letter at the start of a text, and its length.
fn unit(text: &str) -> Option<(char, usize)> {
    match text.as_bytes().first()? {
        b'%' => percent(text.as_bytes()),
        b'&' => entity(text),
        b'\\' => escape(text),
        _ => None,
    }
}

/// A letter as links write it: `%` and two digits for each of its bytes.
fn percent(text: &[u8]) -> Option<(char, usize)> {
    let byte = |n: usize| match text.get(3 * n..3 * n + 3) {
        Some([b'%', high, low]) => number(&[*high, *low], 16).map(|byte| byte as u8),
        _ => None,
    };
    let length = match byte(0)? {
        0..=0x7F => 1,
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return None,
    };
    let bytes: Vec<u8> = (0..length).map_while(byte).collect();
    let letter = std::str::from_utf8(&bytes).ok()?.chars().next()?;
    Some((letter, 3 * length))
}

/// A letter as HTML writes it. A number may lack its semicolon, as browsers allow.
fn entity(text: &str) -> Option<(char, usize)> {
    if let Some(rest) = text.strip_prefix("&#") {
        let (radix, digits) = rest.strip_prefix(['x', 'X']).map_or((10, rest), |digits| (16, digits));
        let count = digits.chars().take_while(|letter| letter.is_digit(radix)).count();
        let letter = char::from_u32(number(&digits.as_bytes()[..count], radix)?)?;
        let end = text.len() - digits.len() + count;
        return Some((letter, end + usize::from(text[end..].starts_with(';'))));
    }
    let name = text.bytes().skip(1).take(ENTITY_BYTES).take_while(u8::is_ascii_alphanumeric).count();
    let end = name + 2;
    if name == 0 || text.as_bytes().get(end - 1) != Some(&b';') {
        return None;
    }
    let decoded = html_escape::decode_html_entities(&text[..end]);
    let mut letters = decoded.chars();
    let letter = letters.next()?;
    letters.next().is_none().then_some((letter, end))
}

/// A letter as JSON inside of a text writes it.
fn escape(text: &str) -> Option<(char, usize)> {
    let digits = text.strip_prefix("\\u")?.as_bytes().get(..4)?;
    Some((char::from_u32(number(digits, 16)?)?, 6))
}

/// A number without a sign; `None` when it has another digit, none, or no room.
fn number(digits: &[u8], radix: u32) -> Option<u32> {
    let add =
        |number: u32, digit: &u8| number.checked_mul(radix)?.checked_add(char::from(*digit).to_digit(radix)?);
    if digits.is_empty() { None } else { digits.iter().try_fold(0, add) }
}

/// Letters that nobody sees. Joiners mean something between letters of other scripts than ours.
fn is_invisible(letter: char, before: Option<u8>) -> bool {
    match letter {
        '\u{200C}' | '\u{200D}' => before.is_none_or(|byte| byte.is_ascii()),
        _ => matches!(letter,
            '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{FEFF}'
            | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_encoding_is_undone() {
        for (text, plain) in [
            ("ada%2Bnews%40x", "ada+news@x"),
            ("o&#39;b o&#039;b o&#x27;b o&apos;b o%27b", "o'b o'b o'b o'b o'b"),
            ("x%2Etest x&#46;test x&period;test", "x.test x.test x.test"),
            ("ｊｏ．ｕｎｄｅｒ＿ｓｃｏｒｅ＠ｘ", "jo.under_score@x"),
            ("m%C3%BCller m&uuml;ller", "müller müller"),
            ("a%2540b a&amp;#64;b a\\u0040b a&#64b.c", "a@b a@b a@b a@b.c"),
            ("j\u{ad}o\u{200b} hos&shy;tile", "jo hostile"),
            ("100% & more &nosuch; %zz %C3 %ff &#; &#x; &#99999999; \\u00g0", ""),
        ] {
            let wanted = if plain.is_empty() { text } else { plain };
            assert_eq!(said(text).as_deref(), Some(wanted));
        }
        assert_eq!(said(&format!("%{}40", "25".repeat(9))), None);
    }

    #[test]
    fn a_sign_is_seen_behind_every_encoding() {
        for sign in
            ["%40", "%2540", "&#64;", "&#064;", "&#x40;", "&#X0040", "&commat;", "&amp;#64;", "%EF%BC%A0"]
        {
            assert!(begins_with_sign(sign), "{sign}");
        }
        for none in ["", "a", "%41", "&amp;", "& @", "%25", "&amp;amp;amp;x", "&nbsp;@"] {
            assert!(!begins_with_sign(none), "{none}");
        }
    }

    proptest! {
        #[test]
        fn what_was_decoded_is_found_where_it_was_written(parts in prop::collection::vec("[a-z]{1,3}", 1..6)) {
            let encode = |part: &String| part.bytes().map(|byte| format!("%25{byte:02x}")).collect::<String>();
            let text: Vec<String> = parts.iter().map(encode).collect();
            let joined = text.join("-");
            let layers = layers(&joined);
            let deepest = &layers[layers.len() - 1];
            prop_assert_eq!(&deepest.text, &parts.join("-"));
            let last = deepest.text.len() - parts[parts.len() - 1].len();
            let written = deepest.written(last..deepest.text.len());
            prop_assert_eq!(&joined[written], text[text.len() - 1].as_str());
        }

        #[test]
        fn no_text_makes_the_decoder_panic(text: String) {
            let _ = layers(&text);
            let _ = begins_with_sign(&text);
        }
    }
}
