//! The prefilter: a cheap check whether a text, or JSON as it was sent, could hold an address. It never says no to a
//! text in which the matcher would find an address, and it reads the same table of spellings.

use super::decode::UrlScanner;
use super::encodings::{Folded, WIDE_BYTE, ascii_form, fold, is_introducer, unit};
use super::step_counter;

/// Longest body of an encoding that other signs may interrupt.
const BODY_BYTES: usize = 32;

/// Returns true if a text or JSON could hold the sign of an address, as it is, or in encodings within encodings. A text
/// that is not UTF-8 could.
#[must_use]
pub fn may_hold_address(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return true };
    let bytes = text.as_bytes();
    let mut words = UrlScanner::new(text);
    let mut of_others = UrlScanner::new(text);
    memchr::memchr(b'@', bytes).is_some()
        || memchr::memchr_iter(WIDE_BYTE, bytes).any(|at| is_wide_sign(&text[at..]))
        || memchr::memchr3_iter(b'%', b'&', b'\\', bytes)
            .any(|at| leads_to_sign(&text[at..], &mut || !of_others.is_url_at(at)))
        || memchr::memchr_iter(b'=', bytes).any(|at| leads_to_sign(&text[at..], &mut || !words.is_url_at(at)))
}

/// Returns true if a text begins with a sign, or the beginning of an encoding, in full-width.
fn is_wide_sign(text: &str) -> bool {
    text.chars().next().is_some_and(|letter| ascii_form(letter).is_some())
}

/// Returns true if the encoding at the start of a text gives a sign, or may give one once more is decoded.
fn leads_to_sign(text: &str, is_mail: &mut dyn FnMut() -> bool) -> bool {
    step_counter::add(1);
    let Some((letter, length)) = unit(text, is_mail) else { return is_interrupted(text, is_mail) };
    let rest = &text[length..];
    match ascii_form(letter) {
        Some('@') => true,
        Some(introducer) => may_continue(introducer, rest, is_mail),
        // `&#6` and then an escaped `4`.
        None => text.starts_with("&#") && !text[..length].ends_with(';') && may_be_encoded(rest, is_mail),
    }
}

/// Returns true if a text that begins with no complete encoding may do so once some of its letters are decoded.
fn is_interrupted(text: &str, is_mail: &mut dyn FnMut() -> bool) -> bool {
    let bytes = text.as_bytes();
    let is_script = bytes[0] == b'\\' && matches!(bytes.get(1), Some(b'u' | b'x'));
    let is_braced = is_script && bytes.get(2) == Some(&b'{');
    let (skipped, is_in): (usize, fn(&u8) -> bool) = match (bytes[0], bytes.get(1)) {
        (b'&', Some(b'#')) => (2, u8::is_ascii_alphanumeric),
        (b'&', _) => (1, u8::is_ascii_alphanumeric),
        _ if is_script => (2 + usize::from(is_braced), u8::is_ascii_hexdigit),
        _ => (1, u8::is_ascii_hexdigit),
    };
    let body = bytes.iter().skip(skipped).take(BODY_BYTES).take_while(|byte| is_in(byte)).count();
    step_counter::add(body);
    let rest = &text[(skipped + body).min(text.len())..];
    match bytes[0] {
        // Half of a letter beyond the first 65,536.
        b'\\' if is_script && !is_braced && body >= 4 => false,
        // Only JSON around it can hide its digits.
        b'=' => rest.starts_with("\\u") && may_be_encoded(rest, is_mail) && is_mail(),
        _ => may_be_encoded(rest, is_mail),
    }
}

/// Returns true if `rest` may be the rest of an encoding whose beginning was decoded.
fn may_continue(introducer: char, rest: &str, is_mail: &mut dyn FnMut() -> bool) -> bool {
    let bytes = rest.as_bytes();
    let is_rest = match (introducer, bytes.first()) {
        (_, None) => false,
        ('&', Some(b'#')) => true,
        ('&', _) => {
            let name = bytes.iter().take(BODY_BYTES).take_while(|byte| byte.is_ascii_alphanumeric()).count();
            step_counter::add(name);
            let is_whole = name > 0 && (bytes.get(name) == Some(&b';') || bytes.starts_with(b"amp"));
            is_whole || may_be_encoded(&rest[name..], is_mail)
        }
        ('\\', Some(first)) => matches!(first, b'u' | b'x') || first.is_ascii_hexdigit(),
        (_, Some(first)) => first.is_ascii_hexdigit(),
    };
    is_rest || may_be_encoded(rest, is_mail)
}

/// Returns true if a text begins with something that may stand for a part of an encoding, or for nothing.
fn may_be_encoded(text: &str, is_mail: &mut dyn FnMut() -> bool) -> bool {
    let Some(first) = text.chars().next() else { return false };
    // JSON's own escape of a control character, which CSS would read as the digit.
    if text.starts_with("\\b") {
        return true;
    }
    if !u8::try_from(first).is_ok_and(is_introducer) {
        return (!first.is_ascii() || first.is_ascii_control()) && may_be_part(first);
    }
    match (unit(text, is_mail), first, text.chars().nth(1)) {
        (Some((letter, _)), _, _) => may_be_part(letter),
        (None, '\\', Some(next)) => matches!(next, 'u' | 'x' | '\\'),
        (None, '&', Some(next)) => next == '#' || next.is_ascii_alphabetic() || may_be_part(next),
        (None, '%', Some(next)) => next.is_ascii_hexdigit() || may_be_part(next),
        (None, _, Some('\\')) => is_mail(),
        (None, _, Some(next)) => next.is_ascii_hexdigit() && is_mail(),
        (None, _, None) => false,
    }
}

/// Returns true if a decoded letter may be a part of an encoding, or nothing.
fn may_be_part(letter: char) -> bool {
    let is_part = |letter: &char| letter.is_ascii_alphanumeric() || "#;{}%&\\=".contains(*letter);
    match fold(letter, || (None, None)) {
        Folded::Gone => true,
        Folded::Same => is_part(&letter) || ascii_form(letter).is_some(),
        Folded::To(letters) => letters.as_slice().iter().any(is_part),
    }
}

#[cfg(test)]
#[path = "prefilter_tests.rs"]
mod tests;
