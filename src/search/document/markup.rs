//! Texts of pages without their markup.

use std::borrow::Cow;

/// Tags inside of words and sentences; all others part words.
const INLINE: [&str; 20] = [
    "a", "abbr", "b", "bdi", "code", "em", "font", "i", "ins", "kbd", "mark", "q", "s", "small", "span",
    "strong", "sub", "sup", "u", "wbr",
];

/// Elements whose content is no text.
const SILENT: [&str; 4] = ["script", "style", "template", "noscript"];

/// Named characters of HTML that texts of shops use; others stay as they are written.
const NAMED: [(&str, &str); 36] = [
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", " "),
    ("ndash", "–"),
    ("mdash", "—"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("bull", "•"),
    ("hellip", "…"),
    ("trade", "™"),
    ("reg", "®"),
    ("copy", "©"),
    ("deg", "°"),
    ("euro", "€"),
    ("pound", "£"),
    ("times", "×"),
    ("auml", "ä"),
    ("ouml", "ö"),
    ("uuml", "ü"),
    ("Auml", "Ä"),
    ("Ouml", "Ö"),
    ("Uuml", "Ü"),
    ("szlig", "ß"),
    ("eacute", "é"),
    ("egrave", "è"),
    ("agrave", "à"),
    ("ccedil", "ç"),
    ("frac12", "½"),
    ("sup2", "²"),
    ("micro", "µ"),
    ("shy", ""),
];

/// Longest reference to a character, `&thetasym;`.
const REFERENCE_BYTES_MAX: usize = 12;

/// The text without tags, comments, scripts and references to characters; white space is one space.
pub(super) fn without_markup(text: &str) -> String {
    if !text.contains(['<', '&']) {
        return with_single_spaces(text);
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
    with_single_spaces(&with_characters(&plain))
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

/// What follows the tag at the begin, and whether the tag parts words. `None` if no tag begins there.
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

/// What follows the end of an element; nothing if it does not end.
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

/// The text with the characters to which it refers, such as `&amp;` and `&#39;`.
pub(super) fn with_characters(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        let reference = &rest[at + 1..];
        let end = reference.bytes().take(REFERENCE_BYTES_MAX).position(|byte| byte == b';');
        match end.filter(|end| push_character(&reference[..*end], &mut plain)) {
            Some(end) => rest = &reference[end + 1..],
            None => {
                plain.push('&');
                rest = reference;
            }
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// Adds the character with a name; false if there is none.
fn push_character(name: &str, plain: &mut String) -> bool {
    if let Some((_, character)) = NAMED.iter().find(|(known, _)| *known == name) {
        plain.push_str(character);
        return true;
    }
    let Some(number) = name.strip_prefix('#') else { return false };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    };
    let character = code.ok().and_then(char::from_u32).filter(|character| *character != '\0');
    plain.extend(character);
    character.is_some()
}
