//! Products as real senders write them, after reading.

use proptest::prelude::*;

use super::context::{NormaliserContext, RowObservations};
use super::normalise_item;
use crate::feeds::issue::{Issue, IssueCode};
use crate::feeds::testing::{CONTEXT, product};
use crate::feeds::{FeedPart, RawRow, RowOrigin};
use crate::limits;

/// The normal form without the fields every row has here, so that a test shows its subject.
pub(super) fn normal(members: &str) -> String {
    let row = format!(r#"{{"Id":1,{members}}}"#);
    let (json, _) = product(row.as_bytes()).expect("a good row");
    json.strip_prefix(r#"{"Id":"1""#)
        .expect("the id first")
        .trim_end_matches('}')
        .trim_start_matches(',')
        .to_owned()
}

pub(super) fn bad(row: &str) -> (IssueCode, Option<String>) {
    let Issue { code, field, .. } = product(row.as_bytes()).expect_err(row);
    (code, field.map(Into::into))
}

fn warnings(row: &str) -> Vec<IssueCode> {
    product(row.as_bytes()).expect("a good row").1.into_iter().map(|issue| issue.code).collect()
}

#[test]
fn a_magento_row_becomes_the_normal_form() {
    let sent = r#"{"_index": 4, "Sku": "24-MB 01/x", "Id": 42, "Title": "Tee \u2014 blue",
        "Description": ["Long <p>", "", "Short", "Long <p>", false], "Link": "\/\/shop.test\/p",
        "Image": "https:\/\/shop.test\/i.jpg", "AllImages": ["\/\/shop.test\/i.jpg", ""],
        "Categories": ["2", 11, null], "Brand": 9101, "InStock": "true", "Prices": ["12.5000 GBP", "13 EUR"],
        "SalePrices": [], "GroupPrices": [{"Prices": ["11 GBP"], "SalePrices": []}, {"Prices": []}],
        "SearchTags": {"0": " tea ", "2": "pot"}, "newArrival": 1, "jsonconfig": "{\"a\":1}",
        "Weight": ["1.50"], "Set Product as New from Date": [ false , 1.50 ]}"#;
    let expected = concat!(
        r#"{"Id":"42","Sku":"24-MB 01/x","Title":"Tee — blue","Description":"Long <p>\nShort","#,
        r#""Link":"//shop.test/p","Image":"https://shop.test/i.jpg","AllImages":["//shop.test/i.jpg"],"#,
        r#""Brand":"9101","Categories":["2","11"],"InStock":true,"Prices":["12.50 GBP","13.00 EUR"],"#,
        r#""GroupPrices":{"0":{"Prices":["11.00 GBP"]}},"SearchTags":["tea","pot"],"NewArrival":true,"#,
        r#""jsonconfig":"{\"a\":1}","Attributes":{"Weight":["1.50"],"Set Product as New from Date":[false,1.50]}}"#
    );
    let (json, issues) = product(sent.as_bytes()).expect("a good row");
    assert_eq!(json, expected);
    assert!(issues.is_empty());
    assert_eq!(product(expected.as_bytes()).expect("a good row").0, expected);
}

#[test]
fn the_sku_stands_in_for_a_missing_id() {
    for id in ["", r#""Id":null,"#, r#""Id":"","#, r#""Id":[],"#] {
        let (json, _) = product(format!(r#"{{{id}"Sku":"s"}}"#).as_bytes()).expect("a good row");
        assert_eq!(json, r#"{"Id":"s","Sku":"s"}"#);
    }
    assert_eq!(bad(r#"{"Title":"x"}"#), (IssueCode::IdMissing, Some("Id".to_owned())));
    assert_eq!(bad(r#"{"Id":true,"Sku":"s"}"#).0, IssueCode::FieldWrongType);
    assert_eq!(bad(r#"{"Id":"a\u0000b"}"#).0, IssueCode::IdMalformed);
    assert_eq!(
        bad(&format!(r#"{{"Id":"{}"}}"#, "x".repeat(limits::ITEM_ID_BYTES + 1))).0,
        IssueCode::IdTooLong
    );
}

#[test]
fn lists_are_lists_of_text_however_they_are_sent() {
    assert_eq!(normal(r#""Categories":"""#), "");
    assert_eq!(normal(r#""Categories":"a""#), r#""Categories":["a"]"#);
    assert_eq!(normal(r#""Categories":{"3":1,"9":"b"}"#), r#""Categories":["1","b"]"#);
    assert_eq!(
        normal(r#""AssociatedSkus":["a","b"],"AssociatedTitles":["",null]"#),
        r#""AssociatedSkus":["a","b"]"#
    );
    assert_eq!(normal(r#""AssociatedTitles":["",7]"#), r#""AssociatedTitles":["","7"]"#);
    assert_eq!(
        bad(r#"{"Id":1,"Categories":[["a"]]}"#),
        (IssueCode::FieldWrongType, Some("Categories".to_owned()))
    );
}

#[test]
fn flags_are_booleans_and_anything_else_is_refused() {
    for (sent, expected) in
        [("true", "true"), ("\"TRUE\"", "true"), ("1", "true"), ("\"0\"", "false"), ("[\"1\"]", "true")]
    {
        assert_eq!(normal(&format!(r#""OnOffer":{sent}"#)), format!(r#""OnOffer":{expected}"#));
    }
    assert_eq!(normal(r#""OnOffer":"""#), "");
    for sent in ["2", "\"perhaps\"", "{}", "[1,0]"] {
        assert_eq!(bad(&format!(r#"{{"Id":1,"OnOffer":{sent}}}"#)).0, IssueCode::FieldWrongType, "{sent}");
    }
}

#[test]
fn a_date_that_cannot_be_read_is_told() {
    let dates = |sent: &str| {
        let (_, issues) = product(sent.as_bytes()).expect("a good row");
        let told = issues.into_iter().filter(|issue| issue.code == IssueCode::DateMalformed);
        told.filter_map(|issue| issue.field).map(|field| field.into_owned()).collect::<Vec<_>>()
    };
    let malformed = r#"{"Id":1,"SalePriceStartDate":"27.11.2026","SalePriceEndDate":"11/27/2026","StartDate":"soon","EndDate":["2026-01-01","2026-01-02"]}"#;
    assert_eq!(dates(malformed), ["SalePriceStartDate", "SalePriceEndDate", "StartDate", "EndDate"]);
    let readable = r#"{"Id":1,"SalePriceStartDate":"Fri, 27 Nov 2026 00:00:00 +0000","SalePriceEndDate":1795773600,"StartDate":"2026-11-27","EndDate":false}"#;
    assert!(dates(readable).is_empty());
    assert_eq!(
        normal(r#""StartDate":"27.11.2026","EndDate":"0000-00-00 00:00:00""#),
        r#""StartDate":"27.11.2026""#
    );
}

#[test]
fn accounts_stand_only_as_tags_inside_attributes_too() {
    let row = r#""Attributes":{"Accountinclusions":["acme-1"],"Colour":"red","AccountExclusions":22}"#;
    let tags = r#""AccountInclusions":["tag-6"],"AccountExclusions":["tag-2"],"Attributes":{"Colour":"red""#;
    assert_eq!(normal(row), tags);
    let twice = bad(r#"{"Id":1,"AccountInclusions":[1],"Attributes":{"AccountInclusions":[2]}}"#);
    assert_eq!(twice, (IssueCode::DuplicateKey, Some("AccountInclusions".into())));
}

#[test]
fn accounts_stand_only_as_tags() {
    let json = normal(
        r#""AccountInclusions":["acme-1",22],"AccountPrices":{"acme-1":{"Prices":["1 GBP"]}},
           "GroupPrices":{"trade":{"prices":"2","SalePrices":null},"none":[],"other":null}"#,
    );
    let expected = concat!(
        r#""GroupPrices":{"trade":{"Prices":["2.00 GBP"]}},"AccountPrices":{"tag-6":{"Prices":["1.00 GBP"]}},"#,
        r#""AccountInclusions":["tag-6","tag-2"]"#
    );
    assert_eq!(json, expected);
    assert_eq!(bad(r#"{"Id":1,"AccountPrices":[{"AccountId":"acme-1"}]}"#).0, IssueCode::FieldWrongType);
}

#[test]
fn prices_that_cannot_be_read_sink_the_row_and_lesser_faults_warn() {
    assert_eq!(
        bad(r#"{"Id":1,"Prices":["1,50 GBP"]}"#),
        (IssueCode::PriceMalformed, Some("Prices".to_owned()))
    );
    assert_eq!(bad(r#"{"Id":1,"SalePrices":["1.50 GBX"]}"#).0, IssueCode::CurrencyUnknown);
    assert_eq!(bad(r#"{"Id":1,"GroupPrices":{"a":{"Prices":[{}]}}}"#).0, IssueCode::FieldWrongType);
    let row =
        r#"{"Id":1,"Title":"t","Description":"d","Link":"l","Image":"i","Prices":["1.005 GBP","2.001 GBP"]}"#;
    assert_eq!(warnings(row), [IssueCode::PriceRounded]);
}

#[test]
fn what_a_shopper_needs_and_is_missing_is_a_warning() {
    use IssueCode as Is;
    let all = [Is::TitleMissing, Is::DescriptionMissing, Is::LinkMissing, Is::ImageMissing, Is::PriceMissing];
    assert_eq!(warnings(r#"{"Id":1}"#), all);
    assert_eq!(
        warnings(r#"{"Id":1,"Title":"","Description":" ","Link":false,"Image":null,"Prices":[""]}"#),
        all
    );
}

#[test]
fn the_same_field_twice_must_say_the_same() {
    assert_eq!(normal(r#""newArrival":true,"NewArrival": true"#), r#""NewArrival":true"#);
    assert_eq!(normal(r#""Size":["S"],"S\u0069ze":[ "S" ]"#), r#""Attributes":{"Size":["S"]"#);
    let duplicate = |field: &str| (IssueCode::DuplicateKey, Some(field.to_owned()));
    assert_eq!(bad(r#"{"Id":1,"title":"a","Title":"b"}"#), duplicate("Title"));
    assert_eq!(bad(r#"{"Id":1,"Id":2}"#), duplicate("Id"));
    assert_eq!(bad(r#"{"Id":1,"Size":"S","Size":"M","Colour":"red"}"#), duplicate("Size"));
    assert_eq!(bad(r#"{"Id":1,"Deep":[{"a":{"b":1,"\u0062":2}}]}"#), duplicate("Deep"));
    assert_eq!(bad(r#"{"Id":1,"Attributes":{"x":1},"x":2}"#), duplicate("x"));
}

#[test]
fn duplicates_are_found_among_thousands_of_keys_too() {
    let keys: Vec<String> = (0..30_000).map(|n| format!(r#""k{n}":0"#)).collect();
    let keys = keys.join(",");
    assert_eq!(bad(&format!(r#"{{"Id":1,{keys},"k5":1}}"#)).0, IssueCode::DuplicateKey);
    assert_eq!(bad(&format!(r#"{{"Id":1,"x":{{{keys},"k\u0035":1}}}}"#)).0, IssueCode::DuplicateKey);
    assert!(product(format!(r#"{{"Id":1,{keys},{keys}}}"#).as_bytes()).is_ok());
}

#[test]
fn a_row_has_so_many_fields_and_no_more() {
    let keys = |count| (0..count).map(|n| format!(r#""k{n}":0"#)).collect::<Vec<_>>().join(",");
    let most = limits::FEED_ROW_FIELDS;
    assert!(product(format!(r#"{{"Id":1,{}}}"#, keys(most - 1)).as_bytes()).is_ok());
    assert_eq!(bad(&format!(r#"{{"Id":1,{}}}"#, keys(most))).0, IssueCode::RowTooManyFields);
    assert_eq!(bad(&format!(r#"{{"Id":1,"x":{{{}}}}}"#, keys(most))).0, IssueCode::RowTooManyFields);
}

#[test]
fn what_is_no_json_text_is_refused_in_attributes_too() {
    let field = |code| (code, Some("Größe".to_owned()));
    assert_eq!(bad(r#"{"Id":1,"Größe":1e400}"#), field(IssueCode::RowNumberTooLarge));
    assert_eq!(bad(r#"{"Id":1,"Größe":["\ud800x"]}"#), field(IssueCode::RowLoneSurrogate));
    assert_eq!(bad(r#"{"Id":1,"Größe":[1,]}"#), field(IssueCode::RowSyntax));
    let nested = |levels| format!(r#"{{"Id":1,"a":{}{}}}"#, "[".repeat(levels), "]".repeat(levels));
    assert_eq!(bad(&nested(limits::FEED_ROW_DEPTH_LEVELS)).0, IssueCode::RowTooDeep);
    assert!(product(nested(limits::FEED_ROW_DEPTH_LEVELS - 1).as_bytes()).is_ok());
    let invalid = product(b"{\"Id\":1,\"Size\":\"caf\xe9\",\"b\":2}").expect_err("invalid");
    assert_eq!((invalid.code, invalid.field.as_deref()), (IssueCode::RowInvalidUtf8, Some("Size")));
    assert_eq!(bad("[1]").0, IssueCode::RowNotObject);
    assert_eq!(bad("7").0, IssueCode::RowNotObject);
}

#[test]
fn a_fault_names_the_field_that_it_is_in_and_no_other() {
    for (row, code, field) in [
        (&br#"{"Id":1}{"Id":2}"#[..], IssueCode::RowSyntax, None),
        (&br#"{"Id""#[..], IssueCode::RowSyntax, Some("Id")),
        ("{\"id\"é:1}".as_bytes(), IssueCode::RowSyntax, Some("Id")),
        (&b"{\"Id\":1,\"S\xe9ze\":\"x\"}"[..], IssueCode::RowInvalidUtf8, None),
        (&b"{\"Id\":1,\"Gr\xc3\xb6\xc3\x9fe\":\"caf\xe9\"}"[..], IssueCode::RowInvalidUtf8, None),
        (&b"{\"Id\":\"caf\xe9\",\"Size\":1}"[..], IssueCode::RowInvalidUtf8, Some("Id")),
    ] {
        let issue = product(row).expect_err("a bad row");
        assert_eq!((issue.code, issue.field.as_deref()), (code, field), "{}", String::from_utf8_lossy(row));
    }
}

#[test]
fn text_fields_take_what_labels_of_attributes_do_to_them() {
    assert_eq!(normal(r#""Brand":["Acme",7,false]"#), r#""Brand":"Acme\n7""#);
    assert_eq!(normal(r#""jsonconfig":{"a" : [1]}"#), r#""jsonconfig":"{\"a\":[1]}""#);
    assert_eq!(normal(r#""StockQty":"2.50""#), r#""StockQty":2.50"#);
    assert_eq!(bad(r#"{"Id":1,"Title":{"en":"x"}}"#), (IssueCode::FieldWrongType, Some("Title".to_owned())));
}

/// JSON values without numbers that serde_json would spell differently.
fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        "\\PC{0,8}|[ \"\\\\/\n\t\u{1}é😀]{0,6}".prop_map(Into::into),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            prop::collection::hash_map("[a-cA-C \"]{0,3}", inner, 0..4)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

/// A field of every kind but those that turn account ids into tags, and attributes.
fn any_name() -> impl Strategy<Value = String> {
    let core = prop::sample::select(vec![
        "Sku",
        "Title",
        "Description",
        "AllImages",
        "Brand",
        "StockQty",
        "Prices",
        "SalePrices",
        "GroupPrices",
        "SearchTags",
        "AssociatedTitles",
        "onOffer",
        "InStock",
        "jsonconfig",
        "_index",
        "Variants",
        "Swatches",
        "Attributes",
    ]);
    prop_oneof![core.prop_map(str::to_owned), "[a-zA-Z\"é]{0,6}"]
}

proptest! {
    #[test]
    fn the_normal_form_is_its_own_normal_form(
        id in "[a-z]{1,5}",
        members in prop::collection::vec((any_name(), any_json()), 0..8),
    ) {
        let mut row = serde_json::Map::new();
        row.insert("Id".to_owned(), id.into());
        row.extend(members);
        let sent = serde_json::Value::Object(row).to_string();
        if let Ok((json, _)) = product(sent.as_bytes()) {
            let again = product(json.as_bytes()).map(|(json, _)| json);
            prop_assert_eq!(again, Ok(json));
        }
    }

    #[test]
    fn attributes_are_kept_as_sent(name in "[a-z\"\\\\é]{1,6}x_", value in any_json()) {
        let sent = serde_json::json!({ "Id": 1, &name: value }).to_string();
        let (json, _) = product(sent.as_bytes()).expect("a good row");
        let read: serde_json::Value = serde_json::from_str(&json).expect("json");
        prop_assert_eq!(&read["Attributes"][&name], &value);
    }

    #[test]
    fn a_valid_product_is_always_a_good_row(
        id in 0_u32.., sku in "[ -~é]{1,20}", title in "\\PC{0,20}", price in 0_u32..1_000_000,
        tags in prop::collection::vec("\\PC{0,5}", 0..4), stock in any::<bool>(),
    ) {
        let sent = serde_json::json!({
            "Id": id, "Sku": sku, "Title": title, "Prices": [format!("{}.{:02} EUR", price / 100, price % 100)],
            "SearchTags": tags, "InStock": stock.to_string(),
        });
        let (json, _) = product(sent.to_string().as_bytes()).expect("a good row");
        let read: serde_json::Value = serde_json::from_str(&json).expect("json");
        prop_assert_eq!(&read["Id"], &serde_json::json!(id.to_string()));
        prop_assert_eq!(&read["Prices"], &sent["Prices"]);
        prop_assert_eq!(&read["InStock"], &serde_json::json!(stock));
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = product(&bytes);
        let _ = product(&[b"{\"Id\":1,\"Prices\":", &bytes[..], b"}"].concat());
    }
}

#[test]
fn a_name_beside_the_field_that_it_is_like_is_an_attribute() {
    let noticed = RowObservations::default();
    let context = NormaliserContext { noticed: Some(&noticed), ..CONTEXT };
    let meant = |json: &str| {
        let row = RawRow {
            section: FeedPart::PRODUCTS,
            number: 1,
            offset: 0,
            origin: RowOrigin::Feed,
            json: json.as_bytes(),
        };
        let mut issues = Vec::new();
        normalise_item(&row, &context, &mut Vec::new(), &mut issues);
        issues
            .into_iter()
            .filter_map(|issue| Some((issue.field?.into_owned(), issue.meant?)))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        meant(r#"{"Id":1,"price":1,"pri\u0063e ":2}"#),
        [("price".into(), "Prices"), ("price ".into(), "Prices")]
    );
    assert_eq!(
        meant(r#"{"Id":1,"PRICE":1}"#),
        [("PRICE".into(), "Prices")],
        "a product's words may be quoted"
    );
    assert_eq!(meant(r#"{"Id":1,"price":1,"Prices":["1 GBP"]}"#), []);
    assert_eq!(meant(r#"{"Id":1,"Attributes":{"price":1}}"#), []);
    assert_eq!(meant(r#"{"ProductId":1}"#), [("ProductId".into(), "Id")], "why the row is bad");
}

#[test]
fn categories_and_the_products_that_name_them_by_title_are_noticed() {
    let noticed = RowObservations::default();
    let context = NormaliserContext { noticed: Some(&noticed), ..CONTEXT };
    for (section, number, json) in [
        (FeedPart::CATEGORIES, 1, r#"{"Id":"c1","DisplayName":"Chairs"}"#),
        (FeedPart::BRANDS, 1, r#"{"Id":"b1","DisplayName":"Oak"}"#),
        (FeedPart::PRODUCTS, 4, r#"{"Id":1,"Categories":["Chairs","c1"]}"#),
        (FeedPart::PRODUCTS, 5, r#"{"Id":2,"Categories":"Oak"}"#),
    ] {
        let row = RawRow { section, number, offset: 0, origin: RowOrigin::Feed, json: json.as_bytes() };
        assert!(normalise_item(&row, &context, &mut Vec::new(), &mut Vec::new()).is_some());
    }
    assert_eq!(noticed.categories.by_title(), (1, vec![4]));
}
