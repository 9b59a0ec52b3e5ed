//! Bounds of rules, each on both of its sides, and the sentence of each refusal.

use super::*;

/// The sentence by which a rule is refused; `None` if it is taken.
fn refusal(rule: &Value) -> Option<String> {
    let read = parse_rules(std::slice::from_ref(rule), &analyser(), &[]);
    read.err().map(|fault| fault.to_string())
}

fn assert_taken(rule: &Value) {
    assert_eq!(refusal(rule), None, "{rule}");
}

fn assert_refused(rule: &Value, sentence: &str) {
    assert_eq!(refusal(rule).as_deref(), Some(&*format!("Rules: rule 1 {sentence}")), "{rule}");
}

/// A rule that does something, with one member more.
fn with_member(name: &str, value: &Value) -> Value {
    let mut rule = json!({"Id": "a", "Banner": "x"});
    rule[name] = value.clone();
    rule
}

#[test]
fn a_text_has_so_many_bytes() {
    let most = limits::SEARCH_RULE_TEXT_BYTES;
    assert_taken(&with_member("Id", &json!("i".repeat(most))));
    let id = "needs an Id of up to 1000 bytes without control characters";
    assert_refused(&with_member("Id", &json!("i".repeat(most + 1))), id);
    assert_refused(&with_member("Id", &json!("a\u{7}")), id);
    for name in ["Query", "Category", "Redirect", "Banner", "Pin", "StopWords"] {
        let member = |letters: usize| {
            let text = format!("/{}", "t".repeat(letters - 1));
            let value = if ["Pin", "StopWords"].contains(&name) { json!(["x", text]) } else { json!(text) };
            with_member(name, &value)
        };
        assert_taken(&member(most));
        assert_refused(&member(most + 1), "(a) has a text of more than 1000 bytes");
    }
}

#[test]
fn a_control_character_is_refused_wherever_it_stands() {
    for (name, value) in [
        ("Query", json!("a\u{7}b")),
        ("Category", json!("a\u{7}b")),
        ("Redirect", json!("/a\u{7}b")),
        ("Pin", json!(["a", "a\u{7}b"])),
        ("StopWords", json!(["a", "a\u{7}b"])),
        ("Boost", json!({"Ids": ["a", "a\u{7}b"]})),
        ("Bury", json!({"Brand": ["a"], "Category": ["a\u{7}b"]})),
        ("Hide", json!({"Attributes": {"Colour": ["red"], "a\u{7}b": ["x"]}})),
        ("Filter", json!({"Attributes": {"Colour": ["red", "a\u{7}b"], "Size": ["x"]}})),
        ("Hide", json!({"a\u{7}b": ["x"]})),
    ] {
        assert_refused(&with_member(name, &value), "(a) has a text with a control character");
    }
}

#[test]
fn each_member_alone_does_something() {
    for (name, value) in [
        ("Pin", json!(["1"])),
        ("Boost", json!({"Ids": ["1"]})),
        ("Bury", json!({"Brand": ["x"], "By": 5})),
        ("Hide", json!({"InStock": false})),
        ("Filter", json!({"Attributes": {"Colour": ["red"]}})),
        ("Redirect", json!("/sale")),
        ("Banner", json!("x")),
        ("Synonyms", json!(["tv, television"])),
        ("StopWords", json!(["cheap"])),
    ] {
        assert_taken(&json!({"Id": "a", (name): value}));
    }
}

#[test]
fn products_are_selected_within_bounds() {
    let ids = |count: usize| json!({"Ids": vec!["1"; count]});
    assert_taken(&with_member("Hide", &ids(limits::SEARCH_FILTER_VALUES)));
    let many = "(a) has more than 200 Ids in Hide";
    assert_refused(&with_member("Hide", &ids(limits::SEARCH_FILTER_VALUES + 1)), many);
    assert_taken(&with_member("Pin", &json!(vec!["1"; limits::SEARCH_RULE_PINS])));
    let pins = with_member("Pin", &json!(vec!["1"; limits::SEARCH_RULE_PINS + 1]));
    assert_refused(&pins, "(a) pins more than 50 products");
    for wrong in [json!(["1", 2]), json!("1"), json!([null])] {
        assert_refused(
            &with_member("Filter", &json!({"Ids": wrong})),
            "(a) needs a list of texts in Filter.Ids",
        );
    }
    let known = "Brand, Category, Price, InStock, NewArrival, OnOffer, Attributes";
    let unknown = json!({"Ids": ["1"], "Colour": ["red"]});
    for (name, by) in [("Boost", ", By"), ("Bury", ", By"), ("Hide", ""), ("Filter", "")] {
        let sentence = format!("(a) has an unknown member in {name}; it takes Ids{by}, {known}");
        assert_refused(&with_member(name, &unknown), &sentence);
        let both = json!({"Ids": ["1"], "Brand": ["x"]});
        let sentence = format!("(a) has Ids and filters in {name}: make two rules of it");
        assert_refused(&with_member(name, &both), &sentence);
    }
    for by in [json!(0.1), json!(100)] {
        assert_taken(&with_member("Bury", &json!({"Ids": ["1"], "By": by})));
    }
    for by in [json!(0), json!(-1), json!(100.5), json!("5"), json!(null)] {
        assert_refused(
            &with_member("Bury", &json!({"Ids": ["1"], "By": by})),
            "(a) needs a number of percent in Bury.By, more than 0 and up to 100",
        );
    }
}

#[test]
fn a_query_of_a_rule_has_words_and_not_too_many() {
    let words = |count: usize| json!("red ".repeat(count));
    assert_taken(&with_member("Query", &words(limits::SEARCH_RULE_WORDS)));
    let many = with_member("Query", &words(limits::SEARCH_RULE_WORDS + 1));
    assert_refused(&many, "(a) has a Query of more than 10 words");
    let wordless =
        "(a) has a Query without a word: leave it out for any query; with Match exact it is for browsing";
    for matching in ["words", "contains"] {
        assert_refused(&json!({"Id": "a", "Query": "!", "Match": matching, "Banner": "x"}), wordless);
    }
    assert_taken(&json!({"Id": "a", "Query": "!", "Match": "exact", "Banner": "x"}));
    let contains = json!({"Id": "a", "Match": "contains", "Banner": "x"});
    assert_refused(&contains, "(a) has Match without Query");
}

#[test]
fn so_many_rules_and_bytes_are_taken_and_no_more() {
    let banners = |count: usize, letters: usize| -> Vec<Value> {
        let banner = |number| json!({"Id": format!("r{number:04}"), "Banner": "x".repeat(letters)});
        (0..count).map(banner).collect()
    };
    let taken = parse_rules(&banners(limits::SEARCH_RULES, 1), &analyser(), &[]).expect("rules");
    assert_eq!(taken.0.len(), limits::SEARCH_RULES);
    // With brackets and commas each of these takes a kibibyte.
    let mut list = banners(1023, 998);
    let (_, text) = parse_rules(&list, &analyser(), &[]).expect("rules");
    assert_eq!(text.len(), limits::SEARCH_RULES_BYTES);
    list[7]["Banner"] = json!("x".repeat(999));
    assert_eq!(parse_rules(&list, &analyser(), &[]), Err(RuleFault::Bytes));
}

#[test]
fn the_first_pins_and_banners_of_all_rules_count() {
    let pins = |rule: usize| (0..50).map(|place| format!("p{}", rule * 50 + place)).collect::<Vec<_>>();
    let list: Vec<_> = (0..11)
        .map(|rule| {
            let pins = if rule < 6 { pins(rule) } else { Vec::new() };
            json!({"Id": format!("r{rule:02}"), "Pin": pins, "Banner": format!("banner {rule}")})
        })
        .collect();
    let rules = rules(&json!(list));
    let effects = rules.effects(&[""], &analyser(), &[], 0);
    let pinned: Vec<_> = effects.pins.iter().map(|pin| pin.id.to_owned()).collect();
    assert_eq!(pinned, (0..limits::SEARCH_PAGE_HITS).map(|number| format!("p{number}")).collect::<Vec<_>>());
    assert_eq!(effects.pins[249].rule.id, "r04");
    assert_eq!((effects.banners.len(), effects.banners[9]), (limits::SEARCH_RULE_BANNERS, "banner 9"));
    assert_eq!(effects.acting.len(), 11);
}

#[test]
fn a_rule_weighs_by_its_percent_or_by_twenty() {
    let rules = rules(&json!([
        {"Id": "a", "Boost": {"Ids": ["1"]}, "Bury": {"Ids": ["2"]}},
        {"Id": "b", "Boost": {"Ids": ["1"], "By": 5}, "Bury": {"Ids": ["2"], "By": 100}},
    ]));
    let effects = rules.effects(&[""], &analyser(), &[], 0);
    let weights: Vec<_> =
        effects.weights.iter().map(|weight| (weight.limit.rule.id.as_str(), weight.by)).collect();
    assert_eq!(weights, [("a", 0.2), ("a", -0.2), ("b", 0.05), ("b", -1.0)]);
}

#[test]
fn a_rule_acts_for_the_query_as_typed_and_as_corrected() {
    let rules = rules(&json!([
        {"Id": "corrected", "Query": "shoe", "Banner": "x"},
        {"Id": "neither", "Query": "boot", "Banner": "x"},
        {"Id": "typed", "Query": "shose", "Match": "exact", "Banner": "x"},
        {"Id": "words of both", "Query": "shose shoe", "Banner": "x"},
        {"Id": "function words", "Query": "the who", "Banner": "x"},
    ]));
    let acting = |texts: &[&str]| -> Vec<String> {
        let effects = rules.effects(texts, &analyser(), &[], 0);
        effects.acting.iter().map(|rule| rule.id.clone()).collect()
    };
    assert_eq!(acting(&["shose", "shoe"]), ["corrected", "typed"]);
    assert_eq!(acting(&["shoe"]), ["corrected"]);
    assert_eq!(acting(&["who the"]), ["function words"]);
    assert!(acting(&["the"]).is_empty() && acting(&["band"]).is_empty());
}

#[test]
fn a_list_of_rules_is_its_text_and_compiled_from_it() {
    let none = RuleList::default();
    assert_eq!((none.version, none.text()), (0, "[]"));
    assert!(none.rules().is_none());
    let text = r#"[{"Id":"a","Query":"Stühle","Banner":"x"}]"#;
    let german = RuleList::new(3, text.to_owned(), ShopLanguage::German);
    assert_eq!((german.version, german.text()), (3, text));
    let rules = german.rules().expect("rules");
    let effects = rules.effects(&["stuhl"], &Analyser::new(ShopLanguage::German), &[], 0);
    assert_eq!(effects.banners, ["x"], "a word of the shop's language in another form");
    let unreadable = RuleList::new(4, r#"[{"Id":"a","Later":1}]"#.to_owned(), ShopLanguage::English);
    assert!(unreadable.rules().is_none());
}
