//! Readings of a text in which an address may be hidden.

use std::borrow::Cow;
use std::ops::Range;

use super::encodings::{Folded, fold, is_special, unit};
use super::step_counter;

/// Depth of encodings in encodings that is looked through (`%2540` is `%40` is `@`).
pub(super) const LAYERS: usize = 4;

/// The readings of a text: as it stands, and each one encoding deeper than the one before.
pub(super) struct Readings<'a> {
    text: &'a str,
    layers: Vec<Plain>,
}

impl<'a> Readings<'a> {
    pub(super) fn decode(text: &'a str) -> Self {
        let mut layers: Vec<Plain> = Vec::new();
        while layers.len() < LAYERS {
            match decode_layer(layers.last().map_or(text, |layer| &layer.text), layers.is_empty()) {
                Some(next) => layers.push(next),
                None => break,
            }
        }
        Self { text, layers }
    }

    /// All readings, each with its depth.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &str)> {
        std::iter::once(self.text).chain(self.layers.iter().map(|layer| layer.text.as_str())).enumerate()
    }

    /// Place in the text of a part of the reading at a depth.
    pub(super) fn source_range(&self, depth: usize, part: Range<usize>) -> Range<usize> {
        let up = |at, layer: &Plain| layer.source_offset(at);
        let layers = || self.layers[..depth].iter().rev();
        layers().fold(part.start, up)..layers().fold(part.end, up)
    }
}

/// A text with one layer of encodings undone, and where its parts were written.
#[derive(Default)]
pub(super) struct Plain {
    text: String,
    /// Places in the text, and where each was written; text between two places was written as it is.
    marks: Vec<(u32, u32)>,
}

impl Plain {
    fn mark(&mut self, written: usize) {
        // No row is as large as 4 GiB.
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        self.marks.push((place(self.text.len()), place(written)));
    }

    fn copy(&mut self, part: &str, written: usize) {
        if !part.is_empty() {
            self.mark(written);
            self.text.push_str(part);
        }
    }

    fn push(&mut self, letter: char, written: usize) {
        self.mark(written);
        self.text.push(letter);
    }

    fn source_offset(&self, at: usize) -> usize {
        let behind = self.marks.partition_point(|(place, _)| *place as usize <= at);
        let Some((place, written)) = behind.checked_sub(1).and_then(|n| self.marks.get(n)) else { return at };
        *written as usize + at - *place as usize
    }
}

/// The text with all its encodings undone. `None`: it is encoded without end.
#[must_use]
pub fn decode_fully(text: &str) -> Option<Cow<'_, str>> {
    let mut said = Cow::Borrowed(text);
    for layer in 0..=LAYERS {
        match decode_layer(&said, layer == 0) {
            None => return Some(said),
            Some(plain) => said = Cow::Owned(plain.text),
        }
    }
    None
}

/// The text with one layer of encodings undone; `None` when it has none. Mail encodes a text as a whole, so that its
/// `=40` inside of other encodings does not count.
pub(super) fn decode_layer(text: &str, is_outermost: bool) -> Option<Plain> {
    step_counter::add(text.len());
    let mut plain = Plain::default();
    let mut words = UrlScanner::new(text);
    let mut at = 0;
    let mut copied = 0;
    let mut is_changed = false;
    while let Some(found) = text.as_bytes()[at..].iter().position(|byte| is_special(*byte)) {
        at += found;
        let Some(first) = text[at..].chars().next() else { break };
        let unit = unit(&text[at..], &mut || is_outermost && !words.is_url_at(at));
        let (letter, length) = unit.unwrap_or((first, first.len_utf8()));
        let folded = fold(letter, || {
            let said = if copied == at { &plain.text } else { &text[..at] };
            (said.chars().next_back(), text[at + length..].chars().next())
        });
        if unit.is_none() && matches!(folded, Folded::Same) {
            at += length;
            continue;
        }
        if !is_changed {
            plain.text.reserve(text.len());
        }
        plain.copy(&text[copied..at], copied);
        match folded {
            Folded::Gone => {}
            Folded::Same => plain.push(letter, at),
            Folded::To(letters) => letters.as_slice().iter().for_each(|letter| plain.push(*letter, at)),
        }
        is_changed = true;
        at += length;
        copied = at;
    }
    if !is_changed {
        return None;
    }
    plain.copy(&text[copied..], copied);
    plain.mark(text.len());
    Some(plain)
}

/// Tells whether a place stands in a URL, for places in ascending order: each byte is read once, up to the last place
/// that is checked.
pub(super) struct UrlScanner<'a> {
    text: &'a [u8],
    read: usize,
    is_url: bool,
}

impl<'a> UrlScanner<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text: text.as_bytes(), read: 0, is_url: false }
    }

    pub(super) fn is_url_at(&mut self, at: usize) -> bool {
        for (position, byte) in self.text.iter().enumerate().take(at).skip(self.read) {
            self.is_url = match byte {
                byte if byte.is_ascii_whitespace() => false,
                // A character that a backslash escapes may end a word.
                b'"' | b'\'' | b'<' | b'>' | b'\\' => false,
                b'?' => true,
                b':' => self.is_url || self.text[position..].starts_with(b"://"),
                _ => self.is_url,
            };
        }
        step_counter::add(at.saturating_sub(self.read));
        self.read = self.read.max(at);
        self.is_url
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
            ("𝐚𝐝𝐚 ﬁona ①", "ada fiona 1"),
            ("m%C3%BCller m&uuml;ller", "müller müller"),
            ("a%2540b a&amp;#64;b a\\u0040b a&#64b.c", "a@b a@b a@b a@b.c"),
            ("j\u{ad}o\u{200b} hos&shy;tile", "jo hostile"),
            ("a\\x40b a\\u{40}b a\\40 b a\\000040b", "a@b a@b a@b a@b"),
            ("a=40b a=3D40b m=C3=BCller /p?w=40 https://x/=40", "a@b a=40b müller /p?w=40 https://x/=40"),
            ("a&#00000000000000000000000000000000000000000064;b a&ampcommat;b", "a@b a@b"),
            (
                "a\u{115f}\u{1160}\u{17b4}\u{180b}\u{180f}\u{3164}\u{ffa0}\u{fff0}\u{1bca0}\u{1d173}\u{e0000}\u{1}b",
                "ab",
            ),
            ("100% & more &nosuch; %zz %C3 %ff &#; &#x; &#99999999; \\u00g0", ""),
        ] {
            let wanted = if plain.is_empty() { text } else { plain };
            assert_eq!(decode_fully(text).as_deref(), Some(wanted));
        }
        assert_eq!(decode_fully(&format!("%{}40", "25".repeat(9))), None);
    }

    #[test]
    fn a_text_is_decoded_fully_up_to_four_encodings_within_each_other() {
        let decoded = |depth: usize| {
            let text = format!("%{}40", "25".repeat(depth - 1));
            decode_fully(&text).map(Cow::into_owned)
        };
        assert_eq!([1, 4, 5].map(decoded), [Some("@".to_owned()), Some("@".to_owned()), None]);
    }

    #[test]
    fn a_place_is_of_a_url_from_its_scheme_or_query_to_the_end_of_its_word() {
        let text = "a=1 http://x=2 \"?b=3\" c:=4 //d=5 e?f=6<g=7";
        let mut words = UrlScanner::new(text);
        let places = text.char_indices().filter(|(_, letter)| *letter == '=').map(|(at, _)| at);
        let found: Vec<bool> = places.map(|at| words.is_url_at(at)).collect();
        assert_eq!(found, [false, true, true, false, false, true, false]);
    }

    proptest! {
        #[test]
        fn what_was_decoded_is_found_where_it_was_written(parts in prop::collection::vec("[a-z]{1,3}", 1..6)) {
            let encode = |part: &String| part.bytes().map(|byte| format!("%25{byte:02x}")).collect::<String>();
            let text: Vec<String> = parts.iter().map(encode).collect();
            let joined = text.join("-");
            let readings = Readings::decode(&joined);
            let (depth, deepest) = readings.iter().last().expect("the text itself");
            prop_assert_eq!(deepest, &parts.join("-"));
            let last = deepest.len() - parts[parts.len() - 1].len();
            let written = readings.source_range(depth, last..deepest.len());
            prop_assert_eq!(&joined[written], text[text.len() - 1].as_str());
        }

        #[test]
        fn no_text_makes_the_decoder_panic(text: String) {
            let _ = Readings::decode(&text);
            let _ = decode_fully(&text);
        }
    }
}
