//! Lines of synonyms, and the synonyms they give.

use super::*;

fn english() -> Analyser {
    Analyser::new(ShopLanguage::English)
}

fn parse(text: &str) -> Synonyms {
    Synonyms::parse(text, &english()).expect("synonyms")
}

/// Synonyms of a word, or of a phrase with these words after the first.
fn find_synonyms(synonyms: &Synonyms, first: &str, rest: &[&str]) -> Vec<String> {
    let entry = synonyms.beginning_with(first).iter().find(|entry| entry.rest == rest);
    entry.map_or(Vec::new(), |entry| entry.synonyms.iter().map(|phrase| phrase.join(" ")).collect())
}

#[test]
fn names_of_one_line_stand_for_each_other() {
    let synonyms = parse("\u{feff}# names\r\n\r\n  TV,television , Tellies\r\ntv, tube\n");
    assert_eq!(find_synonyms(&synonyms, "tv", &[]), ["televis", "telli", "tube"]);
    assert_eq!(find_synonyms(&synonyms, "telli", &[]), ["tv", "televis"]);
    assert_eq!(find_synonyms(&synonyms, "tube", &[]), ["tv"]);
    assert!(parse("").is_empty() && parse("# nothing\n\n").is_empty());
}

#[test]
fn an_arrow_leads_one_way() {
    let synonyms = parse("notebook, netbook => laptop, portable computer");
    for first in ["notebook", "netbook"] {
        assert_eq!(find_synonyms(&synonyms, first, &[]), ["laptop", "portabl comput"]);
    }
    assert!(find_synonyms(&synonyms, "laptop", &[]).is_empty());
    assert!(synonyms.knows("notebook") && !synonyms.knows("laptop"));
}

#[test]
fn phrases_are_read_as_queries_are() {
    let synonyms = parse("Bed and Breakfast => the B&B\nthe who => who");
    assert_eq!(find_synonyms(&synonyms, "bed", &["breakfast"]), ["b"]);
    assert!(synonyms.knows("breakfast") && !synonyms.knows("and"));
    // In a phrase of function words alone, all words count.
    assert_eq!(find_synonyms(&synonyms, "the", &["who"]), ["who"]);
    let german = Synonyms::parse("Stühle => Sessel", &Analyser::new(ShopLanguage::German)).expect("synonyms");
    assert_eq!(find_synonyms(&german, "stuhl", &[]), ["sessel"]);
}

#[test]
fn a_line_that_cannot_be_is_named() {
    let long = "a ".repeat(limits::SEARCH_SYNONYM_WORDS + 1);
    let many = |count: usize| (0..count).map(|number| format!("w{number}")).collect::<Vec<_>>().join(",");
    let faults = [
        ("tv".to_owned(), LineFault::Alone),
        ("tv => a => b".to_owned(), LineFault::TwoArrows),
        ("tv,,telly".to_owned(), LineFault::NoWord),
        ("tv, television,".to_owned(), LineFault::NoWord),
        ("tv =>".to_owned(), LineFault::NoWord),
        ("=> tv".to_owned(), LineFault::NoWord),
        ("tv => !!!".to_owned(), LineFault::NoWord),
        (many(limits::SEARCH_SYNONYMS_OF_LINE + 1), LineFault::TooMany),
        (format!("x, {long}"), LineFault::TooLong),
        ("a\\,b, c".to_owned(), LineFault::Signs),
        ("a\u{1}, c".to_owned(), LineFault::Signs),
        ("glass != glass".to_owned(), LineFault::NotTwoWords),
        ("glass != reading glasses".to_owned(), LineFault::NotTwoWords),
        ("glass !=".to_owned(), LineFault::NotTwoWords),
        ("a != b != c".to_owned(), LineFault::NotTwoWords),
        ("ada, ada@shop.example".to_owned(), LineFault::Address),
    ];
    for (line, fault) in faults {
        let text = format!("# begin\nred, crimson\n{line}\nlast, final");
        let expected = Err(SynonymFault::Line { number: 3, fault });
        assert_eq!(Synonyms::parse(&text, &english()), expected, "{line}");
        // Lines stored by another version are read as far as they can be.
        let stored = Synonyms::of_stored(&text, &english());
        assert!(stored.knows("red") && stored.knows("last"), "{line}");
    }
    assert!(Synonyms::parse(&many(limits::SEARCH_SYNONYMS_OF_LINE), &english()).is_ok());
}

#[test]
fn there_are_limits() {
    let line = |number: usize| format!("w{number}, v{number}\n");
    let lines = |count: usize| (0..count).map(line).collect::<String>();
    assert!(Synonyms::parse(&lines(limits::SEARCH_SYNONYM_LINES), &english()).is_ok());
    let too_many = lines(limits::SEARCH_SYNONYM_LINES + 1);
    assert_eq!(Synonyms::parse(&too_many, &english()), Err(SynonymFault::Lines));
    let too_long = format!("#{}", "a".repeat(limits::SEARCH_SYNONYMS_BYTES));
    assert_eq!(Synonyms::parse(&too_long, &english()), Err(SynonymFault::Bytes));
    let pair = |number: usize| format!("w{number} != v{number}\n");
    let pairs = |count: usize| (0..count).map(pair).collect::<String>();
    assert!(Synonyms::parse(&pairs(limits::SEARCH_WORD_PAIRS), &english()).is_ok());
    let too_many = pairs(limits::SEARCH_WORD_PAIRS + 1);
    assert_eq!(Synonyms::parse(&too_many, &english()), Err(SynonymFault::Pairs));
    let of_one: String =
        (0..=limits::SEARCH_SYNONYMS_OF_WORD).map(|number| format!("tv => w{number}\n")).collect();
    let number = limits::SEARCH_SYNONYMS_OF_WORD + 1;
    let expected = SynonymFault::Line { number, fault: LineFault::TooManyOfWord };
    assert_eq!(Synonyms::parse(&of_one, &english()), Err(expected));
    assert_eq!(
        expected.to_string(),
        "Synonyms: line 33 gives a word more than 32 synonyms, with the lines before it"
    );
}

#[test]
fn words_that_are_not_the_same_are_no_synonyms() {
    let lines = "# glass != not\nÉtui != étuis\nglass!=Glasses\nred, crimson\nglasses != glass";
    let lines = SynonymLines::new(lines.to_owned(), ShopLanguage::English);
    assert_eq!(lines.words_apart(), ["etui", "etuis", "glass", "glasses"]);
    let synonyms = lines.synonyms().expect("synonyms");
    assert!(synonyms.knows("red") && !synonyms.knows("glass"));
    assert!(SynonymLines::new("a != b".to_owned(), ShopLanguage::English).synonyms().is_none());
    // A synonym is a word as the index has it.
    let lines = SynonymLines::new("glass != glasses\nspecs => glasses".to_owned(), ShopLanguage::English);
    assert_eq!(find_synonyms(lines.synonyms().expect("synonyms"), "spec", &[]), ["glasses"]);
}

mod any_text {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "([a-c ,=>#\\\\\n]|\\PC){0,60}") {
            let stored = Synonyms::of_stored(&text, &english());
            if let Ok(parsed) = Synonyms::parse(&text, &english()) {
                prop_assert_eq!(parsed, stored);
            }
        }
    }
}
