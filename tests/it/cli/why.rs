//! `lethe product ID --why` against a running server.

use serde_json::{Value, json};

use super::scripted_server::{program_for, serve_script};
use crate::support::program::{Program, web_server};

const FEED: &str = r#"{"Products": [
    {"Title": "a bad row"},
    { "Id":"1", "Sku":"s1", "Title":"One", "Price":"2.00" },
    {"Id":"2"}, {"Id":"3"}, {"Id":"4"}, {"Id":"5"}, {"Id":"6"}, {"Id":"7"}, {"Id":"8"}, {"Id":"9"}, {"Id":"10"},
    {"Id":"11","Title":"Eleven","AccountInclusions":["canary"]}]}"#;

#[test]
fn a_product_is_explained_to_people_with_its_row_out_of_a_copy_of_the_feed() {
    let mut program = Program::new();
    let _served = program.serve();
    program.account("shop");
    let url = web_server(FEED.as_bytes().to_vec());
    let token = program.run(&format!("feed submit {url} --wait --json")).json()["Token"].clone();
    let token = token.as_str().expect("a token");
    std::fs::write(program.path().join("feed.json"), FEED).expect("a file");
    std::fs::write(program.path().join("other.json"), FEED.replace("One", "Another")).expect("a file");

    let told = program.run("product s1 --why --feed feed.json");
    assert_eq!((told.code, told.err.as_str()), (0, ""));
    for wanted in [
        "\"Title\": \"One\"",
        "the feed the shop stands on has it as it is shown",
        &format!("feed 1, {token}, row 2 of Products"),
        "In the file: its row of that number is the one the shop stands on",
        r#"as sent   { "Id":"1", "Sku":"s1", "Title":"One", "Price":"2.00" }"#,
        "warning ",
    ] {
        assert!(told.out.contains(wanted), "{wanted}: {}", told.out);
    }
    let says = |words: &str| {
        let found = program.run(&format!("product {words} --json")).json();
        (found["InFile"]["Says"].as_str().expect("a sentence").to_owned(), found)
    };
    let (other, found) = says("1 --why --feed other.json");
    assert!(other.contains("becomes another one"), "{other}");
    assert_eq!(found["InFile"]["Offset"].as_u64(), FEED.find(r#"{ "Id":"1""#).map(|at| at as u64));
    assert!(says("11 --why --feed feed.json").0.contains("names accounts"));
    let absent = program.run("product 1 --why --feed absent.json");
    assert!(absent.code == 2 && absent.err.contains("absent.json cannot be read: "), "{}", absent.err);

    let sent = program.run_with("delta send - --wait --json", r#"{"DeleteProducts":["s1"]}"#);
    assert_eq!(sent.code, 0, "{}", sent.err);
    let told = program.run("product s1 --why --account shop").out;
    assert!(told.starts_with("1 is not shown.\n"), "{told}");
    let removed = told.find("a delta removed it").expect("the delta");
    let held = told.find("the feed the shop stands on has it like this").expect("the feed");
    assert!(removed < held, "newest first: {told}");
    let timeline = program.run("product 1 --why --json").json()["Timeline"].take();
    assert_eq!(timeline.as_array().map(Vec::len), Some(2));
    assert_eq!(program.run("product nothing --why").code, 7);
    assert_eq!(program.run("product 1 --feed feed.json").code, 2, "a copy is for --why");
    let gone: Value = program.run("product s1 --why --feed feed.json --json").json();
    assert_eq!(gone["Item"], Value::Null);
    assert!(gone["InFile"]["Says"].as_str().is_some_and(|says| says.contains("is the one")), "{gone}");
}

/// Output of `product 7 --why` for a timeline.
fn explain(timeline: &Value) -> String {
    let answer = json!({"Id": "7", "Item": null, "Timeline": timeline}).to_string();
    let told = program_for(&serve_script(move |_| (200, "", answer.clone())).0).run("product 7 --why");
    assert_eq!(told.code, 0, "{}", told.err);
    told.out
}

#[test]
fn each_entry_of_a_timeline_is_told_in_its_words() {
    for (kind, what, is_base, is_as_shown, sentence) in [
        ("delta", "put", false, true, "a delta put this row"),
        ("delta", "put", false, false, "a delta put this row"),
        ("delta", "delete", false, false, "a delta removed it"),
        ("delta", "join", false, false, "a delta added categories"),
        ("delta", "leave", false, false, "a delta took categories away"),
        ("delta", "add_variant", false, false, "a delta added a variant"),
        ("delta", "set_variant", false, false, "a delta changed a variant"),
        ("delta", "delete_variant", false, false, "a delta removed a variant"),
        ("feed", "lacks", true, false, "the feed the shop stands on does not have it"),
        ("feed", "lacks", false, false, "a feed that is kept does not have it"),
        ("feed", "has", true, true, "the feed the shop stands on has it as it is shown"),
        ("feed", "has", true, false, "the feed the shop stands on has it like this"),
        ("feed", "has", false, true, "a feed that is kept has it as it is shown"),
        ("feed", "has", false, false, "a feed that is kept has it like this"),
    ] {
        let told = explain(&json!([{"Kind": kind, "What": what, "IsBase": is_base, "IsAsShown": is_as_shown,
            "AcceptedAt": 0, "Number": 41, "KindNumber": 1, "Token": "t"}]));
        let expected = format!("7 is not shown.\n\n1970-01-01T00:00:00Z  {sentence}\n  {kind} 1, t\n");
        assert_eq!(told, expected, "{kind} {what}");
    }
}

#[test]
fn an_entry_of_a_timeline_is_told_with_its_row_and_its_faults() {
    let issues = json!([{"Severity": "bad", "Code": "price_malformed", "Field": "Prices", "Advice": "Mend it"},
        {"Severity": "warning", "Code": "link_missing", "Field": null, "Advice": "Add one"}]);
    let entry = |is_as_shown: bool| {
        json!({"Kind": "feed", "What": "has", "IsBase": true, "IsAsShown": is_as_shown, "AcceptedAt": 0,
            "PublishedAt": 1000, "Number": 45, "KindNumber": 5, "Token": null, "RowNumber": 9, "SentIn": "Products", "Raw": "{ \"Id\": 7 }",
            "Row": {"Id": "7"}, "Issues": issues})
    };
    let told = explain(&json!([entry(false), entry(true)]));
    let begin = "  feed 5, its token is no longer kept, row 9 of Products\n  published 1970-01-01T00:00:01Z\n  \
        as sent   { \"Id\": 7 }\n";
    let end = "  bad price_malformed (Prices): Mend it\n  warning link_missing: Add one\n";
    let expected = format!(
        "7 is not shown.\n\n\
        1970-01-01T00:00:00Z  the feed the shop stands on has it like this\n{begin}  as stored {{\"Id\":\"7\"}}\n{end}\n\
        1970-01-01T00:00:00Z  the feed the shop stands on has it as it is shown\n{begin}{end}"
    );
    assert_eq!(told, expected);
}
