//! The rules that act, their order, and the rules that are refused.

mod bounds;

use serde_json::{Value, json};

use super::*;
use crate::limits;

fn analyser() -> Analyser {
    Analyser::new(ShopLanguage::English)
}

fn rules(list: &Value) -> Rules {
    let (rules, _) = parse_rules(list.as_array().expect("a list"), &analyser(), &[]).expect("rules");
    Rules::new(rules, &analyser())
}

fn acting(rules: &Rules, query: &str, categories: &[&str], now: i64) -> Vec<String> {
    let categories: Vec<String> = categories.iter().map(|id| (*id).to_owned()).collect();
    let effects = rules.effects(&[query], &analyser(), &categories, now);
    effects.acting.iter().map(|rule| rule.id.clone()).collect()
}

#[test]
fn a_rule_is_for_its_query_alone() {
    let rules = rules(&json!([
        {"Id": "any", "Banner": "x"},
        {"Id": "browse", "Query": "", "Match": "exact", "Banner": "x"},
        {"Id": "contains", "Query": "Red Shoes", "Match": "contains", "Banner": "x"},
        {"Id": "exact", "Query": "red shoes", "Match": "exact", "Banner": "x"},
        {"Id": "words", "Query": "a shoe that is red", "Banner": "x"},
    ]));
    let of = |query| acting(&rules, query, &[], 0);
    assert_eq!(of("red shoes"), ["any", "contains", "exact", "words"]);
    assert_eq!(of("cheap RED shoes"), ["any", "contains", "words"]);
    assert_eq!(of("shoes, red"), ["any", "words"]);
    assert_eq!(of("red"), ["any"]);
    assert_eq!(of("shoe"), ["any"]);
    assert_eq!(of("shoe red leather"), ["any", "words"]);
    assert_eq!(of(""), ["any", "browse"]);
}

#[test]
fn a_rule_is_for_its_category() {
    let rules = rules(&json!([{"Id": "a", "Category": "12", "Banner": "x"}]));
    assert_eq!(acting(&rules, "shoe", &["12"], 0), ["a"]);
    assert!(acting(&rules, "shoe", &["13"], 0).is_empty());
    assert!(acting(&rules, "shoe", &[], 0).is_empty());
}

#[test]
fn a_rule_acts_in_its_time() {
    let rules = rules(&json!([
        {"Id": "a", "From": "1970-01-01T00:00:10Z", "Until": "1970-01-01T01:00:20+01:00", "Banner": "x"},
    ]));
    let at: Vec<_> = [9, 10, 19, 20].iter().map(|now| acting(&rules, "", &[], *now).len()).collect();
    assert_eq!(at, [0, 1, 1, 0]);
}

#[test]
fn rules_act_in_their_order() {
    let rules = rules(&json!([
        {"Id": "b", "Pin": ["2"]}, {"Id": "c", "Priority": 5, "Pin": ["3", "1"]}, {"Id": "a", "Pin": ["1"]},
        {"Id": "d", "Priority": -5, "Pin": ["4"]},
    ]));
    assert_eq!(acting(&rules, "", &[], 0), ["c", "a", "b", "d"]);
    let pins: Vec<_> = rules.effects(&[""], &analyser(), &[], 0).pins.iter().map(|pin| pin.id).collect();
    assert_eq!(pins, ["3", "1", "1", "2", "4"]);
}

#[test]
fn so_many_rules_of_one_search_look_through_the_index() {
    let many: Vec<_> = (10..50)
        .flat_map(|n| {
            [
                json!({"Id": format!("a{n}"), "Hide": {"Brand": ["x"]}}),
                json!({"Id": format!("b{n}"), "Hide": {"Ids": ["1"]}}),
            ]
        })
        .collect();
    let rules = rules(&json!(many));
    let effects = rules.effects(&[""], &analyser(), &[], 0);
    assert_eq!((effects.acting.len(), effects.hidden.len()), (80, limits::SEARCH_RULE_LOOKS + 40));
}

#[test]
fn a_rule_that_cannot_be_is_refused_with_a_sentence() {
    let cases = [
        (json!({"Id": "", "Banner": "x"}), "needs an Id of up to 1000 bytes without control characters"),
        (json!({"Banner": "x"}), "has a missing field `Id`"),
        (json!({"Id": "a"}), "does nothing: it needs Pin"),
        (json!({"Id": "a", "Pinn": ["1"]}), "has an unknown field `Pinn`"),
        (json!({"Id": "a", "Pin": "1"}), "has a field of the wrong type"),
        (json!({"Id": "a", "Query": "!", "Banner": "x"}), "has a Query without a word"),
        (json!({"Id": "a", "Match": "exact", "Banner": "x"}), "has Match without Query"),
        (json!({"Id": "a", "Query": "x", "Match": "regex", "Banner": "x"}), "has an unknown variant `regex`"),
        (json!({"Id": "a", "From": "tomorrow", "Banner": "x"}), "needs a moment as RFC 3339 has it in From"),
        (
            json!({"Id": "a", "From": "2027-01-01T00:00:00Z", "Until": "2026-01-01T00:00:00Z", "Banner": "x"}),
            "ends before it begins",
        ),
        (json!({"Id": "a", "Boost": {"By": 5}}), "does not say which products Boost means"),
        (json!({"Id": "a", "Boost": {"Ids": ["1"], "By": 500}}), "needs a number of percent in Boost.By"),
        (json!({"Id": "a", "Hide": {"Ids": ["1"], "By": 5}}), "has an unknown member in Hide"),
        (json!({"Id": "a", "Hide": {"Ids": ["1"], "Brand": ["x"]}}), "has Ids and filters in Hide"),
        (json!({"Id": "a", "Hide": {"Ids": [1]}}), "needs a list of texts in Hide.Ids"),
        (json!({"Id": "a", "Synonyms": ["tv"]}), "Synonyms: line 1 names one thing"),
        (json!({"Id": "a", "Banner": "ask ada@example.com"}), "holds an email address"),
        (json!({"Id": "a", "Banner": "ask ada\\u0040example.com"}), "holds an email address"),
        (json!({"Id": "a", "Banner": "ask ada\\40 example.com"}), "holds an email address"),
        (json!({"Id": "a", "Banner": "a\u{7}b"}), "has a text with a control character"),
        (json!({"Id": "a", "Pin": vec!["1"; 51]}), "pins more than 50 products"),
    ];
    for (rule, sentence) in cases {
        let fault =
            parse_rules(&[json!({"Id": "ok", "Banner": "x"}), rule], &analyser(), &[]).expect_err(sentence);
        let text = fault.to_string();
        assert!(text.starts_with("Rules: rule 2") && text.contains(sentence), "{text}");
    }
    let twice = [json!({"Id": "a", "Banner": "x"}), json!({"Id": "a", "Banner": "y"})];
    let fault = parse_rules(&twice, &analyser(), &[]).expect_err("twice").to_string();
    assert_eq!(fault, "Rules: rule 2 (a) has the Id of a rule before it");
    let many = vec![json!({"Id": "a", "Banner": "x"}); 5_001];
    let fault = parse_rules(&many, &analyser(), &[]).expect_err("too many").to_string();
    assert_eq!(fault, "Rules has 5001 rules; up to 5000 are taken");
}

#[test]
fn a_redirect_leads_to_the_shop_alone() {
    let origins = ["https://shop.example".to_owned()];
    let takes =
        |page: &str| parse_rules(&[json!({"Id": "a", "Redirect": page})], &analyser(), &origins).is_ok();
    for page in ["/sale", "/sale?a=b#c", "https://shop.example/sale"] {
        assert!(takes(page), "{page}");
    }
    let others = [
        "https://elsewhere.example/",
        "http://shop.example/",
        "javascript:alert(1)",
        "//elsewhere.example",
        "/\\elsewhere.example",
        "sale",
        "https://shop.example@elsewhere.example/",
        "https://me@shop.example/",
        "",
    ];
    for page in others {
        assert!(!takes(page), "{page}");
    }
}

#[test]
fn what_is_stored_is_read_as_it_was() {
    let list = [json!({"Id": "a", "Query": "x", "Boost": {"Ids": ["1"], "By": 5}, "StopWords": ["y"]})];
    let (rules, text) = parse_rules(&list, &analyser(), &[]).expect("rules");
    assert_eq!(serde_json::from_str::<Vec<Rule>>(&text).expect("rules"), rules);
    assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON"), json!(list));
}
