//! Paths of categories, such as `Home > Furniture > Chairs`.

use super::markup::{decode_entities, to_plain_text};

/// Titles of the longest path; deeper ones are left out.
pub const CATEGORY_DEPTH_MAX: usize = 32;

/// Titles from the top down, none empty.
pub type CategoryPath = Vec<String>;

/// Titles of one path as plain text, at most [`CATEGORY_DEPTH_MAX`]; empty for a text without any. Entities are decoded
/// first, so that `A &gt; B` is a path too.
#[must_use]
pub fn parse_category_path(text: &str, separator: char) -> CategoryPath {
    decode_entities(text)
        .split(separator)
        .map(|title| to_plain_text(title).replace('\n', " "))
        .map(|title| title.replace("  ", " "))
        .filter(|title| !title.is_empty())
        .take(CATEGORY_DEPTH_MAX)
        .collect()
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
        assert_eq!(parse_category_path(&"a>".repeat(1_000), '>').len(), CATEGORY_DEPTH_MAX);
    }
}
