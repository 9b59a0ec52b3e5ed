//! Rows in normal form with addresses in every field.

use super::*;
use crate::feeds::reader::{RawRow, RowOrigin};
use crate::feeds::rows::context::NormaliserContext;
use crate::feeds::rows::normalise_item;
use crate::feeds::section::FeedPart;

/// The row in its normal form, and its issues as `code field`.
fn read_in(section: FeedPart, json: &str) -> (String, Vec<String>) {
    let context = NormaliserContext {
        default_currency: Some("EUR"),
        account_tag: &|_| "TAG".to_owned(),
        noticed: None,
    };
    let row = RawRow { section, number: 1, offset: 0, origin: RowOrigin::Feed, json: json.as_bytes() };
    let mut out = Vec::new();
    let mut issues = Vec::new();
    assert!(normalise_item(&row, &context, &mut out, &mut issues).is_some(), "{json}");
    let issues = issues.iter().filter(|issue| !issue.code.as_str().ends_with("_missing"));
    let issues =
        issues.map(|issue| format!("{} {}", issue.code.as_str(), issue.field.as_deref().unwrap_or_default()));
    (String::from_utf8(out).expect("text"), issues.collect())
}

fn read(json: &str) -> (String, Vec<String>) {
    read_in(FeedPart::PRODUCTS, json)
}

#[test]
fn each_field_has_one_warning_of_a_code_and_its_addresses_are_blanked() {
    let (row, issues) = read(
        r#"{"Id":"a@b.test","Title":"ann@shop.test, bob@shop.test",
            "SearchTags":["+44 20 7946 0958","+44 20 7946 0959"],"Help":"call (020) 7946 0958 or c@shop.test",
            "ProductType":"+44 20 7946 0958","Attributes":{"Ean":"4006381333931","Deep":{"er":["d@shop.test"]}}}"#,
    );
    let expected = [
        "email_in_text Title",
        "phone_in_text SearchTags",
        "email_in_text Help",
        "phone_in_text Help",
        "email_in_text Deep",
    ];
    assert_eq!(issues, expected);
    assert_eq!(
        row,
        r#"{"Id":"a@b.test","Title":"***, ***","ProductType":"+44 20 7946 0958","SearchTags":["+44 20 7946 0958","+44 20 7946 0959"],"Attributes":{"Help":"call (020) 7946 0958 or ***","Ean":"4006381333931","Deep":{"er":["***"]}}}"#
    );
    assert_eq!(read(&row).0, row, "blanked text is its own normal form");
}

#[test]
fn keys_and_prices_stay_and_every_other_string_is_a_text() {
    let keys = r#"{"Id":"a@b.test","Sku":"s@b.test","Brand":"b@b.test","Categories":["c@b.test"],"MagentoCategories":["m@b.test"],"GroupPrices":{"g@b.test":{"Prices":["1.00 EUR"]}},"AssociatedIds":["i@b.test"],"AssociatedSkus":["k@b.test"]}"#;
    assert_eq!(read(keys), (keys.to_owned(), Vec::new()));
    let (row, _) = read(
        r#"{"Id":"1","MagentoProductType":"a@b.test","Visibility":"a@b.test","StartDate":"a@b.test","EndDate":"2030-01-01",
            "AssociatedSkus":["x","y"],"AssociatedTitles":["of a@b.test","t"],"PromoMessage":"a@b.test","AccountInclusions":["a@b.test"],
            "Attributes":{"Email":"a@b.test","Brand2":["a@b.test"]}}"#,
    );
    assert!(!row.contains("a@b"), "{row}");
    assert!(row.contains(r#""AssociatedTitles":["of ***","t"]"#) && row.contains("2030-01-01"), "{row}");
    assert!(row.contains(r#""AccountInclusions":["TAG"]"#), "{row}");
    for section in [FeedPart::CATEGORIES, FeedPart::BRANDS] {
        let (row, issues) =
            read_in(section, r#"{"Id":"a@b.test","DisplayName":"by a@b.test","Own":"a@b.test"}"#);
        assert_eq!(row, r#"{"Id":"a@b.test","DisplayName":"by ***","Attributes":{"Own":"***"}}"#);
        assert_eq!(issues, ["email_in_text DisplayName", "email_in_text Own"]);
    }
}

#[test]
fn an_attribute_whose_name_holds_an_address_is_left_out() {
    let (row, issues) = read(r#"{"Id":"1","ada@shop.test":1,"In":{"ada%40shop.test":[1],"b":2},"***":2}"#);
    assert_eq!(row, r#"{"Id":"1","Attributes":{"In":{"b":2},"***":2}}"#);
    assert_eq!(issues, ["email_in_text ***", "email_in_text In"], "no issue repeats an address");
    assert_eq!(read(r#"{"Id":"1","ada@shop.test":{"x":1}}"#).0, r#"{"Id":"1"}"#);
}

#[test]
fn a_url_with_an_address_is_left_out_and_the_others_stay() {
    let (row, issues) = read(
        r#"{"Id":"1","Link":"https://s.test/@shop.official?id=4051.html","Image":"https://s.test/shoe@2x.png?w=40px.jpg",
            "AllImages":["https://s.test/a.jpg","https://s.test/ada%40shop.test.png","b.jpg"],"ImageOverlay":"mailto:ada@shop.test"}"#,
    );
    assert_eq!(
        row,
        r#"{"Id":"1","Link":"https://s.test/@shop.official?id=4051.html","Image":"https://s.test/shoe@2x.png?w=40px.jpg","AllImages":["https://s.test/a.jpg","b.jpg"]}"#
    );
    assert_eq!(issues, ["email_in_text ImageOverlay", "email_in_text AllImages"]);
    let (row, _) = read(r#"{"Id":"1","Link":["https://s.test/1","https://s.test/?u=ada@shop.test"]}"#);
    assert_eq!(row, r#"{"Id":"1","Link":"https://s.test/1"}"#);
}

#[test]
fn json_in_a_text_is_blanked_in_its_strings_and_stays_json() {
    let (row, _) = read(
        r#"{"Id":"1","jsonconfig":{"html":"\u003cb>\nada@shop.test","ada@shop.test":1,"n":[1,2]},
            "Own":"{\"a\":\"x\\nada\\u0040shop.test\",\"deep\":\"[\\\"ada@shop.test\\\"]\"}","Not":"{a: ada@shop.test}"}"#,
    );
    let row: serde_json::Value = serde_json::from_str(&row).expect("JSON");
    let inner = |text: &serde_json::Value| -> serde_json::Value {
        serde_json::from_str(text.as_str().expect("a text")).expect("JSON")
    };
    assert_eq!(inner(&row["jsonconfig"]), serde_json::json!({"html": "<b>\n***", "n": [1, 2]}));
    let own = inner(&row["Attributes"]["Own"]);
    assert_eq!((own["a"].as_str(), own["deep"].as_str()), (Some("x\n***"), Some("[\"***\"]")));
    assert_eq!(row["Attributes"]["Not"], "{a: ***}");
}

#[test]
fn a_profile_keeps_the_addresses_of_people_who_are_not_forgotten() {
    let profile = br#"{"UserId":"ada@shop.test","City":"ada@shop.test, bob@shop.test","Attributes":{"n":"?by=ADA%40shop.test&x"}}"#;
    let is_ada = |email: &str| email.eq_ignore_ascii_case("ada@shop.test");
    let blanked = profile_without_forgotten(profile, &is_ada).expect("something to blank");
    let expected = r#"{"UserId":"ada@shop.test","City":"***, bob@shop.test","Attributes":{"n":"?***&x"}}"#;
    assert_eq!(String::from_utf8(blanked).expect("text"), expected);
    assert!(profile_without_forgotten(profile, &|_| false).is_none());
}

#[test]
fn a_phone_number_is_seen_in_any_element_and_in_any_name() {
    let (row, issues) = read(
        r#"{"Id":"1","SearchTags":["seat","+44 20 7946 0958"],"Call":{"at":"noon","+44 20 7946 0958":1},"Sizes":["S","M"]}"#,
    );
    assert_eq!(issues, ["phone_in_text SearchTags", "phone_in_text Call"]);
    assert_eq!(
        row,
        r#"{"Id":"1","SearchTags":["seat","+44 20 7946 0958"],"Attributes":{"Call":{"at":"noon","+44 20 7946 0958":1},"Sizes":["S","M"]}}"#
    );
}

#[test]
fn urls_of_a_text_stay_one_a_line_and_a_field_without_any_goes() {
    let (row, issues) = read(
        r#"{"Id":"1","Link":["https://s.test/1","https://s.test/?u=ada@shop.test","https://s.test/3"],"AllImages":["ada@shop.test","bob@shop.test"]}"#,
    );
    assert_eq!(row, r#"{"Id":"1","Link":"https://s.test/1\nhttps://s.test/3"}"#);
    assert_eq!(issues, ["email_in_text Link", "email_in_text AllImages"]);
}

#[test]
fn json_within_json_is_read_to_a_depth_and_text_beyond_it() {
    let within = |depth: usize, inner: &str| {
        (0..depth).fold(inner.to_owned(), |inner, _| serde_json::json!({"t": inner}).to_string())
    };
    for (depth, blanked) in [(0, "{}"), (2, "{}"), (3, r#"{"***":1}"#)] {
        let sent = within(depth, r#"{"ada@shop.test":1}"#);
        let (row, _) = read(&serde_json::json!({"Id": "1", "Own": sent}).to_string());
        let row: serde_json::Value = serde_json::from_str(&row).expect("JSON");
        assert_eq!(row["Attributes"]["Own"], within(depth, blanked), "{depth}");
    }
}

#[test]
fn a_profile_is_searched_beyond_its_first_field_and_in_its_names() {
    let is_ada = |email: &str| email == "ada@shop.test";
    for (profile, expected) in [
        (
            r#"{"UserId":"1","City":"Ulm","State":"ada@shop.test"}"#,
            r#"{"UserId":"1","City":"Ulm","State":"***"}"#,
        ),
        (
            r#"{"UserId":"1","Attributes":{"ada@shop.test":1,"bob@shop.test":[2,"ada@shop.test"]}}"#,
            r#"{"UserId":"1","Attributes":{"bob@shop.test":[2,"***"]}}"#,
        ),
    ] {
        let blanked = profile_without_forgotten(profile.as_bytes(), &is_ada).expect("something to blank");
        assert_eq!(String::from_utf8(blanked).expect("text"), expected);
    }
    assert_eq!(profile_without_forgotten(br#"{"UserId":"ada@shop.test","City":"Ulm"}"#, &is_ada), None);
}
