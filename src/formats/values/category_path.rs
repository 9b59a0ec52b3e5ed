//! Paths of categories, such as `Home > Furniture > Chairs`.

/// Titles from the top down, none empty.
pub type CategoryPath = Vec<String>;

/// Titles of one path, trimmed, entities decoded; empty for a text without any.
#[must_use]
pub fn parse_category_path(text: &str, separator: char) -> CategoryPath {
    text.split(separator).map(str::trim).filter(|title| !title.is_empty()).map(str::to_owned).collect()
}
