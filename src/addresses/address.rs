//! The matcher: finds every email address in a text, in any script, between any punctuation, in any spelling.
//!
//! It does not look up the owner of an address, and takes too much rather than too little. Its work is linear: the text
//! between two signs is read once for the address before it and once for the one after it.

use std::ops::Range;

use memchr::memrchr;
use unicode_normalization::char::is_combining_mark;

use super::decode::Readings;
use super::{prefilter, step_counter};

/// Replacement for an address.
const BLANK: &str = "***";
/// No part of an address is longer.
const PART_BYTES: usize = 254;
/// Ends of a file's name that look like the end of a domain (`shoe@2x.png`).
const FILES: [&str; 7] = [".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg"];
/// The dots between the labels of a domain (UTS 46).
const DOTS: [char; 4] = ['.', '。', '．', '｡'];

/// Returns true if a text holds an address. In a URL, `=40` is a value and no `@`.
#[must_use]
pub fn holds_address(text: &str) -> bool {
    if !prefilter::may_hold_address(text.as_bytes()) {
        return false;
    }
    let readings = Readings::decode(text);
    readings.iter().any(|(_, reading)| first_in(reading, 0).is_some())
}

/// Returns true if a text or a name anywhere in JSON holds an address. JSON as it is written doubles backslashes, which
/// hides escapes in a text.
#[must_use]
pub fn json_holds_address(json: &serde_json::Value) -> bool {
    use serde_json::Value;
    match json {
        Value::String(text) => holds_address(text),
        Value::Array(all) => all.iter().any(json_holds_address),
        Value::Object(members) => {
            members.iter().any(|(name, value)| holds_address(name) || json_holds_address(value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Returns true if a text in normal form is an address from its first letter to its last.
#[must_use]
pub fn is_address(text: &str) -> bool {
    first_in(text, 0) == Some(0..text.len())
}

/// A text with every address blanked; `None` when it holds none.
#[must_use]
pub fn without_addresses(text: &str) -> Option<String> {
    blanked_where(text, &mut |_| true)
}

/// A text without the addresses that are `known`; `None` when it holds none. Text runs on: for each match, the part
/// that no punctuation surrounds is checked too.
#[must_use]
pub fn without_known(text: &str, known: &dyn Fn(&str) -> bool) -> Option<String> {
    blanked_where(text, &mut |address| known(address) || core(address).is_some_and(known))
}

/// The addresses in a text, as its readings say them: each as a whole, and the part that no rare punctuation surrounds,
/// unless only an apostrophe surrounds it (`o'brien@…` is not `brien@…`).
#[must_use]
pub fn addresses_in(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    blanked_where(text, &mut |address| {
        found.push(address.to_owned());
        found.extend(core(address).filter(|_| !address.contains('\'')).map(str::to_owned));
        false
    });
    found
}

/// The part of an address that no rare punctuation surrounds (`to=ada@shop.test’s`); `None` when that is the whole
/// address.
fn core(address: &str) -> Option<&str> {
    let (local, domain) = address.rsplit_once('@')?;
    let is_rare = |letter: char| !is_letter(letter) && !"._+-".contains(letter);
    let start = local.trim_end_matches('"').rfind(is_rare).map_or(0, |at| at + 1);
    let start = local.ceil_char_boundary(start);
    let is_end = |letter: char| !is_letter(letter) && !"-_".contains(letter) && !DOTS.contains(&letter);
    let end = local.len() + 1 + domain.find(is_end).unwrap_or(domain.len());
    let core = address.get(start..end)?.trim_end_matches(DOTS);
    (core.len() < address.len()).then_some(core)
}

fn blanked_where(text: &str, chosen: &mut dyn FnMut(&str) -> bool) -> Option<String> {
    if !prefilter::may_hold_address(text.as_bytes()) {
        return None;
    }
    let readings = Readings::decode(text);
    let mut places = Vec::new();
    for (depth, reading) in readings.iter() {
        let mut from = 0;
        while let Some(place) = first_in(reading, from) {
            from = place.end;
            if chosen(&reading[place.clone()]) {
                places.push(readings.source_range(depth, place));
            }
        }
    }
    (!places.is_empty()).then(|| blank_ranges(text, places))
}

/// The text with these places blanked, those that touch as one.
fn blank_ranges(text: &str, mut places: Vec<Range<usize>>) -> String {
    places.sort_by_key(|place| (place.start, place.end));
    let mut blanked = String::with_capacity(text.len());
    let mut end = 0;
    for place in places {
        if place.start > end || blanked.is_empty() {
            blanked.push_str(text.get(end..place.start).unwrap_or_default());
            blanked.push_str(BLANK);
        }
        end = end.max(place.end);
    }
    blanked.push_str(text.get(end..).unwrap_or_default());
    blanked
}

/// Range of the first address at or after a place.
fn first_in(text: &str, from: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    // Byte by byte: a text full of signs costs no more than one with few.
    let signs = bytes.iter().enumerate().skip(from).filter(|(_, byte)| **byte == b'@');
    signs.map(|(at, _)| at).find_map(|at| {
        // In a text full of signs, most have none of these next to them.
        if !at.checked_sub(1).is_some_and(|before| may_be(bytes[before], b"_+-\""))
            || !bytes.get(at + 1).is_some_and(|after| may_be(*after, b"_-"))
        {
            return None;
        }
        let before = &text[from..at];
        if !may_stand_before(before) {
            return None;
        }
        let domain = domain(&text[at + 1..])?;
        Some(from + local(before)?..at + 1 + domain)
    })
}

/// Returns true if a byte may belong to a letter, or is one of these signs.
fn may_be(byte: u8, signs: &[u8]) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii() || signs.contains(&byte)
}

/// A letter or digit of any script, or a mark on one.
fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric() || (!letter.is_ascii() && is_combining_mark(letter))
}

/// Beyond ASCII, and neither white space nor a control character.
fn is_foreign(letter: char) -> bool {
    !letter.is_ascii() && !letter.is_whitespace() && !letter.is_control()
}

fn may_stand_before(before: &str) -> bool {
    before.chars().next_back().is_some_and(|last| is_letter(last) || "_+-\"".contains(last))
}

/// Start of the part before a sign, which ends this text.
fn local(before: &str) -> Option<usize> {
    let first = before.ceil_char_boundary(before.len().saturating_sub(PART_BYTES));
    if let Some(quoted) = before.strip_suffix('"') {
        // After anything else a quotation begins (`title="@shop.official"`), in JSON with a backslash before its mark.
        let last = quoted.trim_end_matches('\\').chars().next_back();
        if !last.is_some_and(|last| is_letter(last) || "_+-.".contains(last)) {
            return None;
        }
        let quote = first + memrchr(b'"', quoted.as_bytes().get(first..)?)?;
        step_counter::add(before.len() - quote);
        return Some(quote);
    }
    let mut begin = before.len();
    let mut letters = before[first..].char_indices().rev().peekable();
    while let Some((at, letter)) = letters.next() {
        step_counter::add(1);
        let is_in = match letter {
            // One that no letter stands before opens a quotation.
            '\'' => letters.peek().is_some_and(|(_, before)| is_letter(*before)),
            _ => is_letter(letter) || is_foreign(letter) || "._+-!#$%&*/=?^`{|}~\\".contains(letter),
        };
        if !is_in {
            break;
        }
        begin = first + at;
        if letter == '\\' && letters.peek().is_none_or(|(_, before)| *before != '\\') {
            break;
        }
    }
    let run = &before[begin..];
    // A backslash belongs to the letter after it (`\nada@…`); other punctuation is the text's own.
    Some(
        before.len() - run.trim_start_matches(|letter| !is_letter(letter) && !"_+-\\".contains(letter)).len(),
    )
}

/// Length of the domain at the start of a text; `None` when there is no domain.
fn domain(after: &str) -> Option<usize> {
    let is_in = |letter: char| {
        is_letter(letter) || "-_".contains(letter) || DOTS.contains(&letter) || is_foreign(letter)
    };
    let bytes = after.as_bytes();
    let end = bytes.iter().take(PART_BYTES).take_while(|byte| is_in_ascii(**byte)).count();
    if bytes.get(end).is_none_or(u8::is_ascii) {
        // The text is all ASCII, as it mostly is.
        step_counter::add(end);
        let dots =
            after[..end].contains('.').then(|| after[..end].trim_end_matches(|letter| !is_letter(letter)));
        return dots.filter(|run| has_public(without_file(run).split('.'))).map(str::len);
    }
    let run = after.char_indices().take_while(|(at, letter)| is_in(*letter) && *at < PART_BYTES);
    let end = run.last().map_or(0, |(at, letter)| at + letter.len_utf8());
    step_counter::add(end);
    let run = after[..end].trim_end_matches(|letter| !is_letter(letter));
    has_public(without_file(run).split(DOTS)).then_some(run.len())
}

const fn is_in_ascii(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

/// Returns true if these are the labels of a public domain.
fn has_public<'a>(mut labels: impl Iterator<Item = &'a str>) -> bool {
    let is_first_empty = labels.next().is_none_or(str::is_empty);
    !is_first_empty && labels.any(is_public)
}

/// A name without the ending of a picture file.
fn without_file(name: &str) -> &str {
    let ends_with = |end: &&&str| {
        let start = name.len().checked_sub(end.len());
        start.and_then(|start| name.get(start..)).is_some_and(|last| last.eq_ignore_ascii_case(end))
    };
    FILES.iter().find(ends_with).map_or(name, |end: &&str| &name[..name.len() - end.len()])
}

/// Returns true if a label can stand after a dot of a public domain: not in `5.0V`, a version, or an initial.
fn is_public(label: &str) -> bool {
    let mut letters = label.chars();
    let is_word =
        |letter: Option<char>| letter.is_some_and(|letter| is_letter(letter) && !letter.is_numeric());
    label.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("xn--"))
        || (is_word(letters.next()) && is_word(letters.next()))
}

#[cfg(test)]
#[path = "address_tests.rs"]
mod tests;
