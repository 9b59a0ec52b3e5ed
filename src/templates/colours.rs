//! Colours that a text names, in English, German and French.

use std::sync::LazyLock;

/// Names of colours, what stands for each on a page, and the parts of words that say it, where `_` is the edge of a
/// word. Scripts of pages read the same table.
const TABLE: &str = include_str!("colours.json");

static COLOURS: LazyLock<Vec<(String, String, Vec<String>)>> =
    LazyLock::new(|| serde_json::from_str(TABLE).unwrap_or_default());

/// The colour that a text names, `#3a6ea5` for `Dunkelblau`: the first of the table that fits.
#[must_use]
pub fn find_colour(text: &str) -> Option<&'static str> {
    let lower = text.to_lowercase();
    let words = lower.split(|sign: char| !sign.is_alphabetic()).filter(|word| !word.is_empty());
    let with_edges: String = words.flat_map(|word| ["_", word]).chain(["_"]).collect();
    let is_named = |parts: &[String]| parts.iter().any(|part| with_edges.contains(part.as_str()));
    COLOURS.iter().find(|(_, _, parts)| is_named(parts)).map(|(_, colour, _)| colour.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_names_a_colour_in_three_languages_and_a_part_of_another_word_names_none() {
        for (text, colour) in [
            ("Red", "#c8463c"),
            ("dark red", "#c8463c"),
            ("Dunkelrot", "#c8463c"),
            ("DUNKELBLAU", "#3a6ea5"),
            ("Grün/Weiß", "#4f9150"),
            ("vert d’eau", "#4f9150"),
            ("Écru", "#cdb088"),
            ("light-grey", "#8f9498"),
            ("noir", "#33363a"),
        ] {
            assert_eq!(find_colour(text), Some(colour), "{text}");
        }
        for text in ["", "_", "tired", "rotation", "overt", "XL", "42"] {
            assert_eq!(find_colour(text), None, "{text}");
        }
    }

    #[test]
    fn each_colour_of_the_table_is_one_and_its_parts_are_written_as_texts_are_compared() {
        assert_eq!(COLOURS.len(), 13);
        for (name, colour, parts) in &*COLOURS {
            let digits = colour.strip_prefix('#').unwrap_or_default();
            assert!(digits.len() == 6 && digits.bytes().all(|sign| sign.is_ascii_hexdigit()), "{name}");
            for part in parts {
                assert!(part.chars().all(|sign| sign == '_' || sign.is_alphabetic()), "{name}: {part}");
                assert_eq!(part.to_lowercase(), *part, "{name}");
            }
        }
    }
}
