//! Barcodes of variants, and addresses in their texts.

use super::set_variant;
use super::variants_tests::{describe, fields_of_variants, read};
use crate::feeds::testing::CONTEXT;
use crate::feeds::{FeedPart, RawRow, RowOrigin};
use crate::limits;

#[test]
fn a_wrong_number_of_a_barcode_is_told_with_the_right_digit_and_stays_as_it_was_sent() {
    for (sent, kept, told) in [
        (r#""978-3-16-148410-0""#, "978-3-16-148410-0", ""),
        ("36000291452", "36000291452", ""),
        (r#""4006381333930""#, "4006381333930", "gtin_malformed Variants[0].Gtin 1"),
        (r#""0-8044-2957-0""#, "0-8044-2957-0", "gtin_malformed Variants[0].Gtin X"),
        ("3600029140", "3600029140", "gtin_malformed Variants[0].Gtin"),
        ("3600029143", "3600029143", ""),
        (r#""4.00638E+12""#, "4.00638E+12", "gtin_malformed Variants[0].Gtin"),
        (r#""123456""#, "123456", "gtin_malformed Variants[0].Gtin"),
    ] {
        let told: Vec<_> = [told].into_iter().filter(|told| !told.is_empty()).map(str::to_owned).collect();
        let expected = (format!(r#"[{{"Id":"v","Gtin":"{kept}"}}]"#), told);
        assert_eq!(read(&format!(r#"[{{"Id":"v","Gtin":{sent}}}]"#)), expected, "{sent}");
    }
    let long = format!(r#"[{{"Id":"v","Gtin":"{}"}}]"#, "0".repeat(limits::VARIANT_VALUE_BYTES + 1));
    let expected = (r#"[{"Id":"v"}]"#.to_owned(), vec!["variant_value_too_long Variants[0].Gtin".to_owned()]);
    assert_eq!(read(&long), expected);
}

#[test]
fn no_member_of_a_variant_but_its_keys_keeps_an_address() {
    for address in ["ada@shop.test", "EAN ada@shop.test", "ada%40shop.test", "ada&#64;shop.test"] {
        let sent = format!(r#"[{{"Id":"v","Gtin":"{address}"}}]"#);
        let expected = (r#"[{"Id":"v"}]"#.to_owned(), vec!["email_in_text Variants[0].Gtin".to_owned()]);
        assert_eq!(read(&sent), expected, "{address}");
        let row = RawRow {
            section: FeedPart::SetVariants,
            number: 1,
            offset: 0,
            origin: RowOrigin::Feed,
            json: &sent.as_bytes()[1..sent.len() - 1],
        };
        let mut issues = Vec::new();
        let change = set_variant(&row, &CONTEXT, &mut issues).and_then(|row| row.to_change(false, None));
        assert_eq!(change.expect("a good row").body, br#"{"Id":"v"}"#, "{address}");
        assert_eq!(issues.into_iter().map(describe).collect::<Vec<_>>(), ["email_in_text Gtin"]);
    }
    // Names of customer groups are keys, as they are in products; ids of accounts are stored under a tag.
    let keys = ["Id", "Sku", "GroupPrices", "AccountPrices"];
    for field in fields_of_variants().into_iter().filter(|field| !keys.contains(field)) {
        for sent in [r#""ada@shop.test""#, r#"["ada@shop.test"]"#, r#"{"By":"ada@shop.test"}"#] {
            let (written, _) = read(&format!(r#"[{{"Id":"v","{field}":{sent}}}]"#));
            assert!(!written.contains("ada@"), "{field} {sent}: {written}");
        }
    }
}

#[test]
fn addresses_in_texts_of_variants_are_blanked_and_in_their_keys_they_stay() {
    let (written, told) = read(
        r#"[{"Id":"a@b.test","Sku":"s@b.test","Title":"by ann@shop.test","Options":{"By":"ann@shop.test","x@b.test":"1"},
            "Image":"https://shop.test/?by=ann@shop.test","Link":"https://shop.test/v","Help":"ann@shop.test",
            "GroupPrices":{"g@b.test":{"Prices":["1 GBP"]}}},{"Id":"b","Title":"call +44 20 7946 0958","Options":{"x@b.test":"1"}}]"#,
    );
    let expected = concat!(
        r#"[{"Id":"a@b.test","Sku":"s@b.test","Title":"by ***","Options":{"By":"***"},"#,
        r#""GroupPrices":{"g@b.test":{"Prices":["1.00 GBP"]}},"Link":"https://shop.test/v","Attributes":{"Help":"***"}},"#,
        r#"{"Id":"b","Title":"call +44 20 7946 0958"}]"#
    );
    assert_eq!(written, expected);
    let told_of_first =
        ["Title", "Options", "Image", "Help"].map(|field| format!("email_in_text Variants[0].{field}"));
    assert_eq!(told, [&told_of_first[..], &["phone_in_text Variants[1].Title".to_owned()]].concat());
}
