//! Prices of products: without a currency, and of groups and accounts.

use super::context::NormaliserContext;
use super::normalise_item;
use super::products_tests::{bad, normal};
use crate::feeds::issue::IssueCode;
use crate::feeds::testing::CONTEXT;
use crate::feeds::{FeedPart, RawRow, RowOrigin};

#[test]
fn a_price_without_a_currency_is_left_out_and_told() {
    let context = NormaliserContext { default_currency: None, ..CONTEXT };
    let read = |prices: &str| {
        let json =
            format!(r#"{{"Id":1,"Title":"t","Description":"d","Link":"l","Image":"i","Prices":{prices}}}"#);
        let row = RawRow {
            section: FeedPart::PRODUCTS,
            number: 1,
            offset: 0,
            origin: RowOrigin::Feed,
            json: json.as_bytes(),
        };
        let mut out = Vec::new();
        let mut issues = Vec::new();
        assert!(normalise_item(&row, &context, &mut out, &mut issues).is_some(), "{prices}");
        let codes: Vec<_> = issues.iter().map(|issue| issue.code).collect();
        (String::from_utf8(out).expect("text"), codes)
    };
    let begin = r#"{"Id":"1","Title":"t","Description":"d","Link":"l","Image":"i""#;
    let with = format!(r#"{begin},"Prices":["2.00 GBP"]}}"#);
    assert_eq!(read(r#"["1.50","2 GBP",3]"#), (with, vec![IssueCode::PriceWithoutCurrency]));
    let codes = vec![IssueCode::PriceWithoutCurrency, IssueCode::PriceMissing];
    assert_eq!(read("1.50"), (format!("{begin}}}"), codes));
}

#[test]
fn a_product_without_a_price_in_the_currency_of_the_shop_is_told() {
    for (default_currency, prices, is_told) in [
        (Some("GBP"), r#"["2 EUR"]"#, true),
        (Some("GBP"), r#"["2 EUR","3 USD"]"#, true),
        (Some("GBP"), r#"["2 EUR","3 GBP"]"#, false),
        (Some("GBP"), "3", false),
        (Some("gbp"), "3", false),
        (None, r#"["2 EUR"]"#, false),
    ] {
        let context = NormaliserContext { default_currency, ..CONTEXT };
        let json = format!(r#"{{"Id":1,"Prices":{prices},"SalePrices":["1 EUR"]}}"#);
        let row = RawRow {
            section: FeedPart::PRODUCTS,
            number: 1,
            offset: 0,
            origin: RowOrigin::Feed,
            json: json.as_bytes(),
        };
        let mut issues = Vec::new();
        assert!(normalise_item(&row, &context, &mut Vec::new(), &mut issues).is_some(), "{prices}");
        let is_other = issues.iter().any(|issue| issue.code == IssueCode::PriceOtherCurrency);
        assert_eq!(is_other, is_told, "{default_currency:?} {prices}");
    }
}

#[test]
fn prices_by_group_or_account_are_objects_of_objects_or_nothing() {
    let none = [
        "null",
        "false",
        r#""""#,
        "[]",
        "{}",
        r#"{"a":null,"b":"","c":false,"d":[],"e":{}}"#,
        r#"{"a":{"Other":["1 GBP"]},"b":{"Prices":[]}}"#,
    ];
    let wrong = ["7", "true", r#""x""#, r#"{"a":7}"#, r#"{"a":"x"}"#, r#"{"a":["1 GBP"]}"#];
    for field in ["GroupPrices", "AccountPrices"] {
        for sent in none {
            assert_eq!(normal(&format!(r#""{field}":{sent}"#)), "", "{sent}");
        }
        for sent in wrong.into_iter().chain([r#"{"a":{"Prices":[true]}}"#]) {
            let expected = (IssueCode::FieldWrongType, Some(field.to_owned()));
            assert_eq!(bad(&format!(r#"{{"Id":1,"{field}":{sent}}}"#)), expected, "{sent}");
        }
    }
}

#[test]
fn the_prices_of_a_group_may_stand_twice_if_they_are_the_same() {
    let sent = r#""GroupPrices":{"a":{"Prices":["1 GBP"],"prices":[ "1 GBP" ],"SalePrices":0.5},"b":{"saleprices":2}}"#;
    let kept = r#""GroupPrices":{"a":{"Prices":["1.00 GBP"],"SalePrices":["0.50 GBP"]},"b":{"SalePrices":["2.00 GBP"]"#;
    assert_eq!(normal(sent), kept);
    let sent = r#"{"Id":1,"GroupPrices":{"a":{"Prices":["1 GBP"],"prices":["2 GBP"]}}}"#;
    assert_eq!(bad(sent), (IssueCode::DuplicateKey, Some("GroupPrices".to_owned())));
    let listed = r#""GroupPrices":[{"Prices":"1 GBP"},{},{"Prices":"3 GBP"}]"#;
    let kept = r#""GroupPrices":{"0":{"Prices":["1.00 GBP"]},"2":{"Prices":["3.00 GBP"]"#;
    assert_eq!(normal(listed), kept);
}
