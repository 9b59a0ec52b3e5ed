//! Texts of pages without the codes that the shop's system replaces: shortcodes of WordPress, directives of Magento.

use std::borrow::Cow;
use std::collections::HashSet;

/// Shortcodes that stand alone and without attributes. All others have attributes, an end, or `_` in their name.
const ALONE: [&str; 6] = ["gallery", "playlist", "audio", "video", "embed", "products"];

/// Bytes of a directive or shortcode at the most.
const DIRECTIVE_BYTES: usize = 1_000;

/// The text without `[vc_column width="1/2"]`, `[/vc_column]` and `{{widget type="…"}}`; a text in brackets stays.
pub(super) fn without_shortcodes(text: &str) -> Cow<'_, str> {
    if !text.contains('[') && !text.contains("{{") {
        return Cow::Borrowed(text);
    }
    let ended = ended_names(text);
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['[', '{']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        match after_directive(rest).or_else(|| after_shortcode(rest, &ended)) {
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

/// Text after the directive at the beginning; `None` if none begins there.
fn after_directive(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("{{")?;
    let begins =
        inner.strip_prefix('/').unwrap_or(inner).starts_with(|first: char| first.is_ascii_alphabetic());
    // A beginning without an end nearby is text: a text of many beginnings is not read again from each to its end.
    let near = &inner[..inner.floor_char_boundary(DIRECTIVE_BYTES)];
    let end = if begins { near.find("}}")? } else { return None };
    Some(&inner[end + 2..])
}

/// Names of the shortcodes that end somewhere in a text: `b` for `[/b]`.
fn ended_names(text: &str) -> HashSet<&str> {
    let ends = text.split("[/").skip(1);
    ends.filter_map(|end| {
        let (name, rest) = end.split_at(end.find(|letter: char| !is_of_name(letter))?);
        rest.starts_with(']').then_some(name)
    })
    .collect()
}

/// Text after the shortcode at the beginning; `None` if none begins there.
fn after_shortcode<'t>(text: &'t str, ended: &HashSet<&str>) -> Option<&'t str> {
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
        name.contains('_') || ALONE.contains(&name) || ended.contains(name)
    } else {
        has_attribute(attributes)
    };
    is_shortcode.then_some(after)
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
}

/// Returns true if a text begins with `name=`.
fn has_attribute(text: &str) -> bool {
    text.trim_start_matches(is_of_name).starts_with('=') && text.starts_with(is_of_name)
}

/// Splits a text at the closing bracket, into the parts before and after. A bracket in quotation marks does not close.
fn split_at_bracket(text: &str) -> Option<(&str, &str)> {
    let mut quote = None;
    for (at, letter) in text[..text.floor_char_boundary(DIRECTIVE_BYTES)].char_indices() {
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
