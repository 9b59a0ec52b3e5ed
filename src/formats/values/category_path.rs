//! Paths of categories, such as `Home > Furniture > Chairs`.

use std::collections::HashSet;

use super::markup::{decode_entities, to_plain_text};
use crate::limits::FEED_CATEGORY_LEVELS;

/// Titles from the top down, none empty.
pub type CategoryPath = Vec<String>;

/// Titles of one path as plain text, at most [`FEED_CATEGORY_LEVELS`]; empty for a text without any. Entities are
/// decoded first, so that `A &gt; B` is a path too.
#[must_use]
pub fn parse_category_path(text: &str, separator: char) -> CategoryPath {
    decode_entities(text)
        .split(separator)
        .map(|title| to_plain_text(title).replace('\n', " "))
        .map(|title| title.replace("  ", " "))
        .filter(|title| !title.is_empty())
        .take(FEED_CATEGORY_LEVELS)
        .collect()
}

/// Drops paths that stand before in the list. Takes time in proportion to the list.
pub fn drop_repeated_paths(paths: &mut Vec<CategoryPath>) {
    if paths.len() > 1 {
        let mut known = HashSet::new();
        paths.retain(|path| known.insert(path.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_cut_at_its_separator_alone() {
        assert_eq!(parse_category_path("Home > Furniture>Chairs ", '>'), ["Home", "Furniture", "Chairs"]);
        assert_eq!(
            parse_category_path("Default Category/Men/Tops, Tees", '/').join("|"),
            "Default Category|Men|Tops, Tees"
        );
        assert_eq!(parse_category_path("Bed > Bath", '/'), ["Bed > Bath"]);
    }

    #[test]
    fn entities_are_decoded_before_the_path_is_cut() {
        assert_eq!(parse_category_path("Home &amp; Garden &gt; Pots", '>'), ["Home & Garden", "Pots"]);
        assert_eq!(parse_category_path("Home &amp;amp; Garden", '>'), ["Home & Garden"]);
        assert_eq!(parse_category_path("A&nbsp;B|C", '|'), ["A B", "C"]);
    }

    #[test]
    fn empty_titles_are_left_out() {
        assert_eq!(parse_category_path("> A >> B > &nbsp; >", '>'), ["A", "B"]);
        assert!(parse_category_path(" > ", '>').is_empty());
        assert_eq!(parse_category_path("Gear\n\nBags", '>'), ["Gear Bags"]);
    }

    #[test]
    fn a_path_has_a_deepest_level() {
        assert_eq!(parse_category_path(&"a>".repeat(1_000), '>').len(), FEED_CATEGORY_LEVELS);
    }
}
