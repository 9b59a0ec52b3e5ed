//! Products with variants, as senders write them, after reading.

use proptest::prelude::*;

use super::context::{NormaliserContext, RowObservations};
use super::normalise_item;
use super::products_tests::normal;
use crate::feeds::issue::{Issue, IssueCode};
use crate::feeds::testing::{CONTEXT, product};
use crate::feeds::{FeedPart, RawRow, RowOrigin, Severity};
use crate::limits;

/// Returns true if an issue is about what a product here has not.
pub(super) fn is_of_product(issue: &Issue) -> bool {
    issue.code.as_str().ends_with("_missing")
}

// The account ids here have five letters, and so have the tags of these tests: a row with them is its own normal form.

/// The list of variants of a product with the id 1 and the SKU P that sends this value, and the issues about it.
pub(super) fn read(variants: &str) -> (String, Vec<String>) {
    read_with("", variants)
}

/// The same with other members of the product, which are written before its variants.
fn read_with(members: &str, variants: &str) -> (String, Vec<String>) {
    let sent = format!(r#"{{"Id":1,"Sku":"P",{members}"Variants":{variants}}}"#);
    let (json, issues) = product(sent.as_bytes()).expect("the row stays");
    assert_eq!(product(json.as_bytes()).expect("a good row").0, json, "the normal form is its own");
    assert!(issues.iter().all(|issue| issue.severity() == Severity::Warning));
    let told = issues.into_iter().filter(|issue| !is_of_product(issue)).map(describe);
    let list = json.split_once(r#","Variants":"#).map_or("", |(_, list)| list.trim_end_matches('}'));
    let closed = if list.is_empty() { String::new() } else { format!("{}}}]", list.trim_end_matches("}]")) };
    (closed, told.collect())
}

/// `code field`, and what was meant.
pub(super) fn describe(issue: Issue) -> String {
    let meant = issue.meant.map_or_else(String::new, |meant| format!(" {meant}"));
    format!("{} {}{meant}", issue.code.as_str(), issue.field.unwrap_or_default())
}

/// The variants of a list without an issue.
pub(super) fn variants(list: &str) -> String {
    let (written, told) = read(list);
    assert_eq!(told, Vec::<String>::new(), "{list}");
    written
}

fn keys(row: &str) -> Vec<String> {
    let row = RawRow {
        section: FeedPart::PRODUCTS,
        number: 1,
        offset: 0,
        origin: RowOrigin::Feed,
        json: row.as_bytes(),
    };
    let key = normalise_item(&row, &CONTEXT, &mut Vec::new(), &mut Vec::new());
    key.expect("a good row").children
}

#[test]
fn a_variant_has_the_coercions_of_products_and_keeps_the_order_of_the_normal_form() {
    let sent = r#"{"link":"\/\/shop.test\/v","IMAGE":["i.jpg"],"stockqty":"3","InStock":"1",
        "AccountPrices":{"acme7":{"Prices":"10"}},"GroupPrices":{"trade":{"prices":["11 GBP"]}},
        "SalePriceEndDate":"2026-02-28","SalePriceStartDate":"2026-02-01","SalePrices":9.9,"Prices":["12.5"],
        "Options":{"Colour":"Red","Size":38},"Title":["Tee","red"],"Ean":4006381333931,"sku":"S1","id":7,
        "Material":"wool","Attributes":{"Weight":[1.50]}}"#;
    let sent: String = sent.split('\n').map(str::trim).collect();
    let expected = concat!(
        r#"[{"Id":"7","Sku":"S1","Gtin":"4006381333931","Title":"Tee\nred","Options":{"Colour":"Red","Size":"38"},"#,
        r#""Prices":["12.50 GBP"],"SalePrices":["9.90 GBP"],"SalePriceStartDate":"2026-02-01","#,
        r#""SalePriceEndDate":"2026-02-28","GroupPrices":{"trade":{"Prices":["11.00 GBP"]}},"#,
        r#""AccountPrices":{"tag-5":{"Prices":["10.00 GBP"]}},"InStock":true,"StockQty":3,"Image":"i.jpg","#,
        r#""Link":"//shop.test/v","Attributes":{"Material":"wool","Weight":[1.50]}}"#,
    );
    assert_eq!(variants(&format!("[{sent}]")), format!("{expected}]"));
}

#[test]
fn the_order_of_variants_is_the_shops_and_nothing_is_no_variant() {
    let list = r#"[{"Id":"b"},{"Id":"c","Sku":"C"},{"Id":"a","StockQty":0}]"#;
    assert_eq!(variants(list), list);
    assert_eq!(variants(r#"[null,{"Id":"b"},{ },[],"",{"Id":"a"}]"#), r#"[{"Id":"b"},{"Id":"a"}]"#);
    for nothing in ["null", "false", r#""""#, "[]", "{}", "[null]", "[{}]"] {
        assert_eq!(variants(nothing), "", "{nothing}");
    }
    assert_eq!(variants(r#"[{"Sku":"S"}]"#), r#"[{"Id":"S","Sku":"S"}]"#, "the SKU stands in for an id");
}

/// Shops' systems have a field of this name with the ids of the variants.
#[test]
fn variations_are_an_attribute_of_the_product_beside_its_variants() {
    let variations = |sent: &str| normal(&format!(r#""variations":{sent}"#));
    for sent in ["[101,102]", r#""101,102""#, r#"[{"Id":"v","Options":{"Size":"S"}}]"#] {
        assert_eq!(variations(sent), format!(r#""Attributes":{{"variations":{sent}"#));
    }
    assert_eq!(
        normal(r#""variants":[{"id":101}],"variations":[101,102]"#),
        r#""Variants":[{"Id":"101"}],"Attributes":{"variations":[101,102]"#
    );
}

#[test]
fn variants_stand_behind_the_other_lists_and_before_the_flags() {
    let row = r##"{"Id":1,"OnOffer":true,"Swatches":{"Colour":{"Red":"#c00"}},"Variants":[{"Id":2}],"AssociatedIds":[2]}"##;
    let (json, _) = product(row.as_bytes()).expect("a good row");
    let expected = r##"{"Id":"1","AssociatedIds":["2"],"Variants":[{"Id":"2"}],"Swatches":{"Colour":{"Red":"#c00"}},"OnOffer":true}"##;
    assert_eq!(json, expected);
}

#[test]
fn a_bad_variant_is_told_with_its_place_and_the_others_are_used() {
    for (bad, told) in [
        ("7", "variant_malformed Variants[1]"),
        (r#""CH-OAK-S""#, "variant_malformed Variants[1]"),
        (r#"["x"]"#, "variant_malformed Variants[1]"),
        (r#"{"Title":"x"}"#, "variant_malformed Variants[1].Id"),
        (r#"{"Id":true}"#, "variant_malformed Variants[1].Id"),
        (r#"{"Id":"a\u0000b"}"#, "variant_malformed Variants[1].Id"),
        (r#"{"Id":"x","Sku":["a","b"]}"#, "variant_malformed Variants[1].Sku"),
        (r#"{"Id":"x","Gtin":{}}"#, "variant_malformed Variants[1].Gtin"),
        (r#"{"Id":"x","Prices":["1,50 GBP"]}"#, "variant_malformed Variants[1].Prices"),
        (r#"{"Id":"x","SalePrices":["1 GBX"]}"#, "variant_malformed Variants[1].SalePrices"),
        (r#"{"Id":"x","GroupPrices":7}"#, "variant_malformed Variants[1].GroupPrices"),
        (r#"{"Id":"x","AccountPrices":[7]}"#, "variant_malformed Variants[1].AccountPrices"),
        (r#"{"Id":"x","InStock":"perhaps"}"#, "variant_malformed Variants[1].InStock"),
        (r#"{"Id":"x","StockQty":"many"}"#, "variant_malformed Variants[1].StockQty"),
        (r#"{"Id":"x","Title":{"en":"x"}}"#, "variant_malformed Variants[1].Title"),
        (r#"{"Id":"x","Options":"Red"}"#, "variant_malformed Variants[1].Options"),
        (r#"{"Id":"x","Title":"a","title":"b"}"#, "variant_malformed Variants[1].Title"),
        (r#"{"Id":"a"}"#, "variant_repeated Variants[1].Id"),
        (r#"{"Sku":"A"}"#, "variant_repeated Variants[1].Sku"),
    ] {
        let list = format!(r#"[{{"Id":"a","Sku":"A"}},{bad},{{"Id":"c"}}]"#);
        let expected = (r#"[{"Id":"a","Sku":"A"},{"Id":"c"}]"#.to_owned(), vec![told.to_owned()]);
        assert_eq!(read(&list), expected, "{bad}");
    }
    let long = format!(r#"[{{"Id":"{}"}}]"#, "x".repeat(limits::ITEM_ID_BYTES + 1));
    assert_eq!(read(&long), (String::new(), vec!["variant_malformed Variants[0].Id".to_owned()]));
}

#[test]
fn an_object_of_variants_is_read_as_a_list_and_told() {
    for (sent, kept, of_variants) in [
        (
            r#"{"0":{"Id":"a"},"1":{"Id":"a"},"2":{}}"#,
            r#"[{"Id":"a"}]"#,
            &["variant_repeated Variants[1].Id"][..],
        ),
        (r#"{"0":{"Id":"b","StockQty":1},"2":{"Id":"a"}}"#, r#"[{"Id":"b","StockQty":1},{"Id":"a"}]"#, &[]),
        (r#"{"red":{"Id":"a"}}"#, r#"[{"Id":"a"}]"#, &[]),
    ] {
        let expected = [&["variants_not_list Variants"], of_variants].concat();
        let (written, told) = read(sent);
        assert_eq!(
            (written.as_str(), told),
            (kept, expected.into_iter().map(str::to_owned).collect()),
            "{sent}"
        );
    }
}

#[test]
fn variants_that_are_no_list_are_told_and_the_product_stays() {
    for no_list in [
        r#"{"Id":"a","Options":{"Size":"S"}}"#,
        r#"{"0":{"Id":"a"},"count":1}"#,
        r#"{"0":{"Id":"a"},"1":null}"#,
        r#"{"0":[{"Id":"a"}]}"#,
        "7",
        "true",
        r#""a,b""#,
    ] {
        let expected = (String::new(), vec!["variant_malformed Variants".to_owned()]);
        assert_eq!(read(no_list), expected, "{no_list}");
    }
}

#[test]
fn an_issue_of_many_variants_is_told_once_with_the_first() {
    let list = r#"[{"Id":1,"price":1},{"Title":"x"},{"Id":2,"Prices":["1.005 GBP"]},{"Id":3,"Prices":["1.005 GBP"]},7,{"Title":"y"}]"#;
    let told = [
        "variant_malformed Variants[1].Id",
        "price_rounded Variants[2].Prices",
        "variant_malformed Variants[4]",
    ];
    assert_eq!(read(list).1, told);
    let noticed = RowObservations::default();
    let context = NormaliserContext { noticed: Some(&noticed), ..CONTEXT };
    let json = format!(r#"{{"Id":1,"Variants":{list}}}"#);
    let row = RawRow {
        section: FeedPart::PRODUCTS,
        number: 1,
        offset: 0,
        origin: RowOrigin::Feed,
        json: json.as_bytes(),
    };
    let mut issues = Vec::new();
    assert!(normalise_item(&row, &context, &mut Vec::new(), &mut issues).is_some());
    let misnamed = issues.into_iter().filter(|issue| issue.code == IssueCode::FieldMisnamed).map(describe);
    assert_eq!(misnamed.collect::<Vec<_>>(), ["field_misnamed Variants[0].price Prices"]);
}

#[test]
fn so_many_variants_are_used_and_no_more() {
    let list = |count: usize| {
        let all: Vec<_> = (0..count).map(|n| format!(r#"{{"Id":"v{n}","Sku":"s{n}"}}"#)).collect();
        format!("[7,{}]", all.join(","))
    };
    for (count, is_told) in [(limits::VARIANTS, false), (limits::VARIANTS + 1, true)] {
        let (written, told) = read(&list(count));
        assert_eq!(written.matches(r#""Id""#).count(), limits::VARIANTS);
        assert_eq!(told.contains(&"variants_too_many Variants".to_owned()), is_told, "{told:?}");
    }
    let keys =
        keys(&format!(r#"{{"Id":1,"Variants":{},"AssociatedIds":["v0","x"]}}"#, list(limits::VARIANTS)));
    assert_eq!(keys.len(), 2 * limits::VARIANTS + 1, "all of them are keys, and those of the other lists");
    assert_eq!((keys[0].as_str(), keys.last().map(String::as_str)), ("v0", Some("x")));
}

#[test]
fn a_product_is_found_by_the_ids_and_skus_of_its_variants_and_not_by_those_left_out() {
    let row = r#"{"Id":1,"Sku":"P","Variants":[{"Id":"a","Sku":"A"},{"Id":1},{"Sku":"b"},{"Id":"c","Prices":"x"}]}"#;
    assert_eq!(keys(row), ["a", "A", "b"]);
}

#[test]
fn the_sku_of_the_product_is_no_variants_own() {
    let list = r#"[{"Id":11,"Sku":"P"},{"Id":12,"Sku":"P"},{"Sku":"P"}]"#;
    assert_eq!(variants(list), r#"[{"Id":"11"},{"Id":"12"},{"Id":"P","Sku":"P"}]"#);
    assert_eq!(variants(r#"[{"Id":"P","Sku":"P"}]"#), r#"[{"Id":"P","Sku":"P"}]"#);
}

#[test]
fn variants_with_ids_of_their_own_may_share_a_sku_and_the_first_keeps_it() {
    let list = r#"[{"Id":"a","Sku":"A"},{"Id":"b","Sku":"A","StockQty":1},{"Id":"c","Sku":"A"},{"Id":"A","Sku":"A"}]"#;
    let kept = r#"[{"Id":"a","Sku":"A"},{"Id":"b","StockQty":1},{"Id":"c"},{"Id":"A"}]"#;
    assert_eq!(read(list), (kept.to_owned(), vec!["variant_repeated Variants[1].Sku".to_owned()]));
    assert_eq!(keys(&format!(r#"{{"Id":1,"Variants":{list}}}"#)), ["a", "A", "b", "c"]);
    let bad = r#"[{"Id":"a","Sku":"A"},{"Id":"b","Sku":"A","StockQty":"many"}]"#;
    let told = vec!["variant_malformed Variants[1].StockQty".to_owned()];
    assert_eq!(
        read(bad),
        (r#"[{"Id":"a","Sku":"A"}]"#.to_owned(), told),
        "of a variant left out nothing else is told"
    );
}

#[test]
fn an_empty_list_of_prices_says_that_there_are_none_and_anything_else_that_is_empty_says_nothing() {
    for (sent, kept) in [
        (r#""SalePrices":[]"#, r#","SalePrices":[]"#),
        (r#""SalePrices":[""]"#, r#","SalePrices":[]"#),
        (r#""SalePrices":{}"#, r#","SalePrices":[]"#),
        (r#""Prices":[ ]"#, r#","Prices":[]"#),
        (r#""GroupPrices":{}"#, r#","GroupPrices":{}"#),
        (r#""AccountPrices":[]"#, r#","AccountPrices":{}"#),
        (r#""SalePrices":null"#, ""),
        (r#""SalePrices":"""#, ""),
        (r#""SalePrices":false"#, ""),
        (r#""GroupPrices":null"#, ""),
        (r#""Title":"","Image":[],"InStock":null,"StockQty":"","Options":{},"Gtin":"""#, ""),
    ] {
        assert_eq!(
            variants(&format!(r#"[{{"Id":"v",{sent}}}]"#)),
            format!(r#"[{{"Id":"v"{kept}}}]"#),
            "{sent}"
        );
    }
    assert_eq!(normal(r#""SalePrices":[]"#), "", "a product has none anyway");
}

#[test]
fn variants_that_are_sold_in_different_currencies_are_told() {
    let prices = |prices: &[&str]| {
        let all = prices.iter().enumerate().map(|(n, prices)| format!(r#"{{"Id":{n}{prices}}}"#));
        format!("[{}]", all.collect::<Vec<_>>().join(","))
    };
    let gbp = r#","Prices":["1 GBP"]"#;
    let eur = r#","Prices":["1 EUR"]"#;
    let both = r#","Prices":["1 EUR","2 GBP","3 EUR"]"#;
    let none = r#","Prices":[]"#;
    for (product, variants, is_told) in [
        ("", prices(&[gbp, gbp, none, ""]), false),
        ("", prices(&[both, r#","Prices":["2 GBP","1 EUR"]"#]), false),
        ("", prices(&[gbp, eur]), true),
        ("", prices(&[gbp, both]), true),
        (r#""Prices":["5 EUR"],"#, prices(&[gbp, ""]), true),
        (r#""Prices":["5 EUR"],"#, prices(&[gbp]), false),
        (r#""Prices":["5 GBP"],"#, prices(&[gbp, ""]), false),
        (r#""Prices":["5 EUR"],"#, prices(&["", none]), false),
    ] {
        let told = read_with(product, &variants).1;
        assert_eq!(
            told.contains(&"variant_currencies_differ Variants".to_owned()),
            is_told,
            "{product} {variants}: {told:?}"
        );
    }
}

#[test]
fn a_product_that_is_sold_by_its_variants_needs_no_price_of_its_own() {
    let codes = |members: &str| {
        let (_, issues) = product(format!(r#"{{"Id":1,{members}}}"#).as_bytes()).expect("a good row");
        let is_of_prices =
            |code: &IssueCode| matches!(code, IssueCode::PriceMissing | IssueCode::PriceOtherCurrency);
        issues.into_iter().map(|issue| issue.code).filter(is_of_prices).collect::<Vec<_>>()
    };
    for (members, told) in [
        (r#""Variants":[{"Id":2},{"Id":3,"Prices":["1 GBP"]}]"#, vec![]),
        (r#""Prices":["1 EUR"],"Variants":[{"Id":3,"Prices":["1 GBP"]}]"#, vec![]),
        (r#""Prices":["1 GBP"],"Variants":[{"Id":3,"Prices":["1 EUR"]}]"#, vec![]),
        (r#""Variants":[{"Id":3,"Prices":["1 EUR"]}]"#, vec![IssueCode::PriceOtherCurrency]),
        (r#""Prices":["1 EUR"],"Variants":[{"Id":3}]"#, vec![IssueCode::PriceOtherCurrency]),
        (r#""Variants":[{"Id":2},{"Id":3,"Prices":[]}]"#, vec![IssueCode::PriceMissing]),
        (r#""Variants":[{"Id":3,"Prices":["x GBP"]}]"#, vec![IssueCode::PriceMissing]),
    ] {
        assert_eq!(codes(members), told, "{members}");
    }
}

#[test]
fn accounts_stand_in_variants_only_as_tags() {
    for sent in [
        r#"[{"Id":"v","Accountprices":{"acme1":{"Prices":["1 GBP"]}}}]"#,
        r#"[{"Id":"v","Attributes":{"AccountPrices":{"acme1":{"Prices":["1 GBP"]}}}}]"#,
    ] {
        assert_eq!(variants(sent), r#"[{"Id":"v","AccountPrices":{"tag-5":{"Prices":["1.00 GBP"]}}}]"#);
    }
    for (sent, field) in [
        (r#""accountinclusions":["acme1"]"#, "AccountInclusions"),
        (r#""Attributes":{"AccountExclusions":["acme1"]}"#, "AccountExclusions"),
        (r#""Variants":[{"Id":"w","AccountPrices":{"acme1":{}}}]"#, "Variants"),
    ] {
        let expected = (String::new(), vec![format!("variant_malformed Variants[0].{field}")]);
        assert_eq!(read(&format!(r#"[{{"Id":"v",{sent}}}]"#)), expected, "{sent}");
    }
    let nested =
        normal(r#""Attributes":{"variants":[{"Id":"v","AccountPrices":{"acme1":{"Prices":["1 GBP"]}}}]}"#);
    assert!(nested.starts_with(r#""Variants":[{"Id":"v","AccountPrices":{"tag-5":"#), "{nested}");
}

/// Lists of variants with every field, right and wrong.
fn any_variants() -> impl Strategy<Value = String> {
    let name = prop::sample::select(fields_of_variants());
    let value = prop::sample::select(vec![
        "null",
        "false",
        "true",
        "\"\"",
        "\"x\"",
        "\"a@b.test\"",
        "7",
        "12.50",
        "[]",
        "{}",
        "[\"M\"]",
        "[\"1 GBP\",\"2 EUR\"]",
        "{\"abcde\":{\"Prices\":[\"1 GBP\"]}}",
        "{\"a\":\"b\"}",
        "[{\"name\":\"a\",\"value\":\"b\"}]",
        "\"2026-01-31\"",
        "[[1]]",
    ]);
    let members = prop::collection::vec((name, value), 0..6).prop_map(|members| {
        let mut named = std::collections::BTreeMap::new();
        named.extend(members);
        let members = named.iter().map(|(name, value)| format!("\"{name}\":{value}"));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    });
    let with_id = (0..4_u8, members).prop_map(|(id, members)| match members.as_str() {
        "{}" => format!(r#"{{"id":"{id}"}}"#),
        members => format!(r#"{{"id":"{id}",{}"#, &members[1..]),
    });
    prop::collection::vec(with_id, 0..6).prop_map(|all| format!("[{}]", all.join(",")))
}

/// Names of the fields of a variant but its id, and of some others.
pub(super) fn fields_of_variants() -> Vec<&'static str> {
    let own = ["Material", "a@b.test", "AccountInclusions", "price"];
    crate::feeds::fields::VARIANT.iter().skip(1).map(|field| field.name).chain(own).collect()
}

proptest! {
    #[test]
    fn any_variants_leave_a_row_in_its_normal_form(variants in any_variants()) {
        let sent = format!(r#"{{"Id":"p","Sku":"x","Variants":{variants}}}"#);
        let (json, _) = product(sent.as_bytes()).expect("the row stays");
        let (again, _) = product(json.as_bytes()).expect("a good row");
        prop_assert_eq!(again, json);
    }
}
