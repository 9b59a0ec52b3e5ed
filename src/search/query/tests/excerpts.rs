//! Excerpts of descriptions, to the letter.

use crate::limits;
use crate::search::query::highlight::{HighlightRange, Highlighter};
use crate::search::text::{Analyser, ShopLanguage};

/// The excerpt of a text for a search for an oak table.
fn excerpt(text: &str, letters: usize) -> Option<String> {
    let analyser = Analyser::new(ShopLanguage::English);
    let stems = analyser.stems("oak table");
    Highlighter::new(&analyser, stems.iter().map(String::as_str)).excerpt(text, letters)
}

#[test]
fn an_excerpt_begins_and_ends_with_whole_words() {
    let text = "one two three oak four five six seven eight table nine oak ten";
    let near = "…eight <em>table</em> nine <em>oak</em> ten";
    let whole = "one two three <em>oak</em> four five six seven eight <em>table</em> nine <em>oak</em> ten";
    for (letters, expected) in [
        (1, "…<em>oak</em>…"),
        (4, "…three <em>oak</em>…"),
        (12, "…three <em>oak</em> four…"),
        // From the first place on at which both words are near.
        (20, "…eight <em>table</em> nine <em>oak</em>…"),
        (24, near),
        (26, near),
        (40, "…two three <em>oak</em> four five six seven eight <em>table</em>…"),
        (61, whole),
        (62, whole),
        (100, whole),
    ] {
        assert_eq!(excerpt(text, letters).as_deref(), Some(expected), "{letters}");
    }
}

#[test]
fn an_excerpt_begins_where_the_most_different_words_are_first() {
    let text = "oak a table b oak c table oak";
    for (letters, expected) in [
        (3, "<em>oak</em>…"),
        (10, "…c <em>table</em> <em>oak</em>"),
        (11, "<em>oak</em> a <em>table</em>…"),
        (12, "<em>oak</em> a <em>table</em> b…"),
    ] {
        assert_eq!(excerpt(text, letters).as_deref(), Some(expected), "{letters}");
    }
    assert_eq!(excerpt("one two", 12), None);
}

#[test]
fn an_excerpt_cuts_words_without_an_end_near_by() {
    let text = format!("{} oak {}", "x".repeat(50), "y".repeat(50));
    for (letters, before, after) in [(3, 0, 0), (8, 1, 2)] {
        let blanks = [before, after].map(|count| if count > 0 { " " } else { "" });
        let expected =
            format!("…{}{}<em>oak</em>{}{}…", "x".repeat(before), blanks[0], blanks[1], "y".repeat(after));
        assert_eq!(excerpt(&text, letters), Some(expected), "{letters}");
    }
    // The end of the text is near.
    let expected = format!("…{} <em>oak</em> {}", "x".repeat(4), "y".repeat(50));
    assert_eq!(excerpt(&text, 20), Some(expected));
}

#[test]
fn marks_are_those_of_the_beginning_of_a_text() {
    let analyser = Analyser::new(ShopLanguage::English);
    let highlighter = Highlighter::new(&analyser, ["oak", "the"]);
    let mark = |start: usize| HighlightRange { start, len: 3 };
    assert_eq!(highlighter.marks("oak oak, the oak"), [mark(0), mark(4), mark(13)], "no function word");
    let last = limits::SEARCH_MARKED_BYTES - 3;
    let text = format!("{}oak", " ".repeat(last));
    assert_eq!(highlighter.marks(&text), [mark(last)]);
    assert_eq!(highlighter.marks(&format!(" {text}")), []);
    assert_eq!(Highlighter::new(&analyser, ["the"]).marks("the oak"), [mark(0)], "nothing else");
}
