//! Texts of pages without their markup.

use std::borrow::Cow;

use super::shortcodes::without_shortcodes;

/// Tags inside of words and sentences; all others separate words.
const INLINE: [&str; 20] = [
    "a", "abbr", "b", "bdi", "code", "em", "font", "i", "ins", "kbd", "mark", "q", "s", "small", "span",
    "strong", "sub", "sup", "u", "wbr",
];

/// Elements whose content is no text.
const SILENT: [&str; 4] = ["script", "style", "template", "noscript"];

/// Longest reference to a character, `&CounterClockwiseContourIntegral;`, without its `&`.
const REFERENCE_BYTES_MAX: usize = 33;

/// Maximum number of encodings that are undone. A text that one system encodes and the next encodes again is encoded
/// twice; more is a text about encodings.
const ENCODINGS_MAX: usize = 2;

/// The text without tags, comments, scripts, shortcodes and references to characters; white space is one space.
#[must_use]
pub fn without_markup(text: &str) -> String {
    if !text.contains(['<', '&']) {
        return with_single_spaces(&without_shortcodes(text));
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        match after_tag(rest) {
            Some((after, parts_words)) => {
                plain.push_str(if parts_words { " " } else { "" });
                rest = after;
            }
            None => {
                plain.push('<');
                rest = &rest[1..];
            }
        }
    }
    plain.push_str(rest);
    with_single_spaces(&without_shortcodes(&with_characters(&plain)))
}

fn with_single_spaces(text: &str) -> String {
    let mut single = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !single.is_empty() {
            single.push(' ');
        }
        single.push_str(word);
    }
    single
}

/// Text after the tag at the beginning, and true if the tag separates words. `None` if no tag begins there.
fn after_tag(text: &str) -> Option<(&str, bool)> {
    if let Some(comment) = text.strip_prefix("<!--") {
        return Some((comment.split_once("-->").map_or("", |(_, after)| after), false));
    }
    let inner = text[1..].trim_start_matches('/');
    if !inner.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '!' || letter == '?') {
        return None;
    }
    let (_, after) = text.split_once('>')?;
    let name_end = inner.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(inner.len());
    let name = inner[..name_end].to_ascii_lowercase();
    let is_opening = !text[1..].starts_with('/');
    if is_opening && SILENT.contains(&name.as_str()) {
        return Some((after_element(after, &name), true));
    }
    Some((after, !INLINE.contains(&name.as_str())))
}

/// Text after the end of an element; empty if the element does not end.
fn after_element<'t>(text: &'t str, name: &str) -> &'t str {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("</") {
        let is_same = after.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name));
        if is_same {
            return after.split_once('>').map_or("", |(_, after)| after);
        }
        rest = after;
    }
    ""
}

/// The text with the characters to which it refers, such as `&amp;` and `&#39;`, also where it was encoded twice.
#[must_use]
pub fn with_characters(text: &str) -> Cow<'_, str> {
    let mut plain = Cow::Borrowed(text);
    for _ in 0..ENCODINGS_MAX {
        match decode(&plain) {
            Some(decoded) => plain = Cow::Owned(decoded),
            None => break,
        }
    }
    plain
}

/// The text with one encoding undone; `None` when it refers to no character.
fn decode(text: &str) -> Option<String> {
    let mut plain = String::new();
    let mut rest = text;
    let mut is_changed = false;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(REFERENCE_BYTES_MAX + 1).position(|byte| byte == b';');
        match end.and_then(|end| Some((end, character(&rest[..=end])?))) {
            Some((end, character)) => {
                plain.push_str(&character);
                rest = &rest[end + 1..];
                is_changed = true;
            }
            None => {
                plain.push('&');
                rest = &rest[1..];
            }
        }
    }
    plain.push_str(rest);
    is_changed.then_some(plain)
}

/// The character of a reference, `&eacute;`; `None` if there is none. A no-break space is a space; a soft hyphen gives
/// an empty text.
fn character(reference: &str) -> Option<Cow<'_, str>> {
    match html_escape::decode_html_entities(reference) {
        Cow::Borrowed(_) => None,
        Cow::Owned(decoded) if decoded == reference || decoded == "\0" => None,
        Cow::Owned(decoded) => Some(match decoded.as_str() {
            "\u{a0}" => Cow::Borrowed(" "),
            "\u{ad}" => Cow::Borrowed(""),
            _ => Cow::Owned(decoded),
        }),
    }
}

/// A URL with its `&amp;` as `&`. All else stays: `&copy=1` is a part of a query.
#[must_use]
pub fn with_ampersands(url: &str) -> String {
    ["&amp;", "&#38;", "&#038;"].into_iter().fold(url.to_owned(), |url, written| url.replace(written, "&"))
}

/// The JSON of a value with its texts decoded by `decode`; names of members stay.
pub(super) fn with_texts_decoded<'j>(json: &'j str, decode: impl Fn(&str) -> String) -> Cow<'j, str> {
    if !json.contains('&') {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(begin) = rest.find('"') {
        let (before, literal) = rest.split_at(begin);
        let (literal, after) = literal.split_at(end_of_string(literal));
        let is_name = after.trim_start().starts_with(':');
        out.push_str(before);
        let text = (!is_name && literal.contains('&')).then(|| serde_json::from_str::<String>(literal).ok());
        match text.flatten() {
            Some(text) => out.push_str(&serde_json::Value::String(decode(&text)).to_string()),
            None => out.push_str(literal),
        }
        rest = after;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// End of the string that begins a text of JSON.
fn end_of_string(literal: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in literal.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    literal.len()
}
