//! Texts of pages without what the shop's system puts in their place: shortcodes of WordPress, directives of Magento.

use std::borrow::Cow;

/// Shortcodes that stand alone and without attributes. All others have attributes, an end, or `_` in their name.
const ALONE: [&str; 6] = ["gallery", "playlist", "audio", "video", "embed", "products"];

/// The text without `[vc_column width="1/2"]`, `[/vc_column]` and `{{widget type="…"}}`; a text in brackets stays.
pub(super) fn without_shortcodes(text: &str) -> Cow<'_, str> {
    // red: search::document::tests::shortcodes_and_directives_are_no_text
    if mutant!("shortcodes-are-text", !text.contains('[') && !text.contains("{{"), true) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['[', '{']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        match after_directive(rest).or_else(|| after_shortcode(rest, text)) {
            Some(after) => {
                plain.push(' ');
                rest = after;
            }
            None => {
                plain.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// What follows the directive at the begin; `None` if none begins there.
fn after_directive(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("{{")?;
    let begins =
        inner.strip_prefix('/').unwrap_or(inner).starts_with(|first: char| first.is_ascii_alphabetic());
    inner.split_once("}}").filter(|_| begins).map(|(_, after)| after)
}

/// What follows the shortcode at the begin; `None` if none begins there.
fn after_shortcode<'t>(text: &'t str, whole: &str) -> Option<&'t str> {
    let inner = text.strip_prefix('[')?;
    let is_end = inner.starts_with('/');
    let inner = inner.strip_prefix('/').unwrap_or(inner);
    let name_end = inner.find(|letter: char| !is_of_name(letter)).unwrap_or(inner.len());
    let (name, attributes) = inner.split_at(name_end);
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return None;
    }
    let (attributes, after) = split_at_bracket(attributes)?;
    let attributes = attributes.trim_end_matches('/').trim();
    if is_end {
        return attributes.is_empty().then_some(after);
    }
    let is_shortcode = if attributes.is_empty() {
        name.contains('_') || ALONE.contains(&name) || whole.contains(&format!("[/{name}]"))
    } else {
        has_attribute(attributes)
    };
    is_shortcode.then_some(after)
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
}

/// Whether a text begins with `name=`.
fn has_attribute(text: &str) -> bool {
    text.trim_start_matches(is_of_name).starts_with('=') && text.starts_with(is_of_name)
}

/// What stands before the bracket that closes, and behind it; a bracket in quotation marks does not.
fn split_at_bracket(text: &str) -> Option<(&str, &str)> {
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (None, ']') => return Some((&text[..at], &text[at + 1..])),
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            (None, '[') => return None,
            _ => {}
        }
    }
    None
}
