//! Highlights by example.

use crate::search::query::highlight::{HighlightRange, Highlighter};
use crate::search::text::{Analyser, ShopLanguage};

fn english() -> Analyser {
    Analyser::new(ShopLanguage::parse("en").expect("English"))
}

fn html(query: &str, text: &str) -> Option<String> {
    let analyser = english();
    let stems = analyser.stems(query);
    Highlighter::new(&analyser, stems.iter().map(String::as_str)).html(text)
}

#[test]
fn words_of_the_same_stem_are_marked_as_they_are_written() {
    assert_eq!(
        html("red shoe", "Red Shoes, bright red").as_deref(),
        Some("<em>Red</em> <em>Shoes</em>, bright <em>red</em>")
    );
    assert_eq!(html("cafe", "Café crème").as_deref(), Some("<em>Café</em> crème"));
    assert_eq!(html("boots", "Red Shoes"), None);
    assert_eq!(
        html("shoes for the rain", "Shoes for the rain").as_deref(),
        Some("<em>Shoes</em> for the <em>rain</em>")
    );
    assert_eq!(html("the who", "The Who").as_deref(), Some("<em>The</em> <em>Who</em>"));
}

#[test]
fn joined_words_are_marked_where_they_stand_apart() {
    assert_eq!(html("wifi", "A Wi-Fi router").as_deref(), Some("A <em>Wi-Fi</em> router"));
    assert_eq!(
        html("wi fi wifi", "Wi-Fi, wi, fi").as_deref(),
        Some("<em>Wi-Fi</em>, <em>wi</em>, <em>fi</em>")
    );
}

#[test]
fn of_a_very_long_text_the_beginning_is_marked() {
    let long = format!("red {} red", "ä".repeat(crate::limits::SEARCH_MARKED_BYTES / 2));
    let marked = html("red", &long).expect("marks");
    assert!(marked.starts_with("<em>red</em> ") && marked.ends_with("ä red"));
}

#[test]
fn a_text_cannot_add_markup() {
    let text = "<script>alert('red')</script> & \"shoe\"";
    let expected = "&lt;script&gt;alert(&#39;<em>red</em>&#39;)&lt;/script&gt; &amp; &quot;shoe&quot;";
    assert_eq!(html("red", text).as_deref(), Some(expected));
}

#[test]
fn marks_count_bytes_and_do_not_overlap() {
    let analyser = english();
    let stems = analyser.stems("東京都");
    let marks = Highlighter::new(&analyser, stems.iter().map(String::as_str)).marks("in 東京都");
    assert_eq!(marks, [HighlightRange { start: 3, len: 9 }]);
}

#[test]
fn an_excerpt_is_where_most_words_are() {
    let analyser = english();
    let stems = analyser.stems("oak table");
    let highlighter = Highlighter::new(&analyser, stems.iter().map(String::as_str));
    let filler = "Lorem ipsum dolor sit amet consectetur. ".repeat(10);
    let text = format!("An oak thing. {filler}A table of oak & ash. {filler}");
    let excerpt = highlighter.excerpt(&text, 120).expect("marked");
    assert!(excerpt.contains("<em>table</em> of <em>oak</em> &amp; ash."), "{excerpt}");
    assert!(excerpt.starts_with('…') && excerpt.ends_with('…') && excerpt.len() < 220, "{excerpt}");
    assert_eq!(highlighter.excerpt("An oak", 120).as_deref(), Some("An <em>oak</em>"));
    assert_eq!(highlighter.excerpt("Nothing", 120), None);
    for letters in 1..200 {
        let _ = highlighter.excerpt(&format!("é{}東京 oak{}", "ü".repeat(50), "漢字".repeat(60)), letters);
    }
}
