//! Text of checked JSON: escapes read and written.
//!
//! One spelling for everything written: only quotes, backslashes and control characters are escaped, so that equal rows
//! are equal bytes from every sender (PHP escapes `/` and all letters beyond ASCII, others do not).

use memchr::memchr;
use std::borrow::Cow;

/// Index of the quote that ends the checked string whose content begins at `at`.
pub(super) fn end_of_string(json: &[u8], mut at: usize) -> usize {
    while let Some(found) = memchr::memchr2(b'"', b'\\', json.get(at..).unwrap_or_default()) {
        at += found;
        if json[at] == b'"' {
            return at;
        }
        at += 2;
    }
    json.len()
}

/// The text of a checked string's content.
pub(in super::super) fn unescape(inner: &str) -> Cow<'_, str> {
    if memchr(b'\\', inner.as_bytes()).is_none() {
        return Cow::Borrowed(inner);
    }
    let mut text = String::with_capacity(inner.len());
    each_part(inner, |part| match part {
        TextPart::Plain(plain) => text.push_str(plain),
        TextPart::Escaped(letter) => text.push(letter),
    });
    Cow::Owned(text)
}

/// Writes a checked string's content in the one spelling, without quotes.
pub(in super::super) fn transcode(inner: &str, out: &mut Vec<u8>) {
    each_part(inner, |part| match part {
        TextPart::Plain(plain) => out.extend_from_slice(plain.as_bytes()),
        TextPart::Escaped(letter) => write_letter(letter, out),
    });
}

/// Writes a text as a JSON string, with quotes.
pub(in super::super) fn write_text(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    escape(text, out);
    out.push(b'"');
}

/// Bytes that are escaped.
const IS_ESCAPED: [bool; 256] = {
    let mut escaped = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        escaped[byte] = true;
        byte += 1;
    }
    escaped[b'"' as usize] = true;
    escaped[b'\\' as usize] = true;
    escaped
};

/// Writes a text as the content of a JSON string, in the one spelling.
pub(in super::super) fn escape(text: &str, out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(found) = rest.bytes().position(|byte| IS_ESCAPED[usize::from(byte)]) {
        out.extend_from_slice(&rest.as_bytes()[..found]);
        write_letter(char::from(rest.as_bytes()[found]), out);
        rest = &rest[found + 1..];
    }
    out.extend_from_slice(rest.as_bytes());
}

/// Writes a checked value without white space and with its strings in the one spelling.
pub(in super::super) fn compact(value: &str, out: &mut Vec<u8>) {
    let json = value.as_bytes();
    let mut at = 0;
    while let Some(&byte) = json.get(at) {
        match byte {
            b'"' => {
                let end = end_of_string(json, at + 1);
                out.push(b'"');
                transcode(&value[at + 1..end], out);
                out.push(b'"');
                at = end + 1;
            }
            b' ' | b'\t' | b'\n' | b'\r' => at += 1,
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
}

/// Returns true if a string's content in the one spelling is nothing but white space.
pub(in super::super) fn is_blank(written: &[u8]) -> bool {
    let mut rest = written;
    loop {
        rest = match rest {
            [] => return true,
            [b' ', rest @ ..] | [b'\\', b'n' | b'r' | b't', rest @ ..] => rest,
            _ => return false,
        }
    }
}

enum TextPart<'a> {
    Plain(&'a str),
    Escaped(char),
}

#[inline]
fn each_part<'a>(inner: &'a str, mut use_part: impl FnMut(TextPart<'a>)) {
    let mut rest = inner;
    while let Some(found) = memchr(b'\\', rest.as_bytes()) {
        if found > 0 {
            use_part(TextPart::Plain(&rest[..found]));
        }
        let (letter, length) = read_escape(&rest.as_bytes()[found..]);
        use_part(TextPart::Escaped(letter));
        rest = rest.get(found + length..).unwrap_or_default();
    }
    use_part(TextPart::Plain(rest));
}

/// The letter of the checked escape at the start of `escape`, and the escape's length.
fn read_escape(escape: &[u8]) -> (char, usize) {
    let simple = match escape.get(1) {
        Some(b'u') => {
            let high = hex4(escape.get(2..));
            if !(0xD800..0xDC00).contains(&high) {
                return (char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER), 6);
            }
            let low = hex4(escape.get(8..));
            let code = 0x1_0000 + ((high & 0x3FF) << 10) + (low & 0x3FF);
            return (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 12);
        }
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{C}',
        Some(&other) => char::from(other),
        None => char::REPLACEMENT_CHARACTER,
    };
    (simple, 2)
}

/// The number of four hexadecimal digits.
pub(super) fn hex4(digits: Option<&[u8]>) -> u32 {
    let digits = digits.unwrap_or_default().iter().take(4);
    digits.fold(0, |number, digit| number * 16 + char::from(*digit).to_digit(16).unwrap_or(0))
}

fn write_letter(letter: char, out: &mut Vec<u8>) {
    let short = match letter {
        '"' | '\\' => letter as u8,
        '\n' => b'n',
        '\t' => b't',
        '\r' => b'r',
        '\u{8}' => b'b',
        '\u{C}' => b'f',
        '\0'..='\u{1F}' => {
            const HEX: &[u8; 16] = b"0123456789abcdef";
            let code = letter as usize;
            out.extend_from_slice(b"\\u00");
            out.extend_from_slice(&[HEX[code / 16], HEX[code % 16]]);
            return;
        }
        _ => return out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_text_is_written_alike() {
        let mut out = Vec::new();
        transcode(r#"\u00e9\/\ud83d\ude00\u0022\u005c\u000a\u0001é\""#, &mut out);
        assert_eq!(String::from_utf8(out).expect("text"), r#"é/😀\"\\\n\u0001é\""#);
        assert_eq!(unescape(r"a\tb\u0041"), "a\tbA");
    }

    #[test]
    fn writing_a_text_and_compacting_a_value_agree_with_serde_json() {
        for text in ["", "a\"b\\c\n\u{1}\u{7f}é/", "\u{8}\u{c}\t"] {
            let mut out = Vec::new();
            write_text(text, &mut out);
            assert_eq!(String::from_utf8(out).expect("text"), serde_json::to_string(text).expect("json"));
        }
        let mut out = Vec::new();
        compact("{ \"a b\" : [ 1.50 , \" \\/ \" ] }", &mut out);
        assert_eq!(out, br#"{"a b":[1.50," / "]}"#);
    }
}
