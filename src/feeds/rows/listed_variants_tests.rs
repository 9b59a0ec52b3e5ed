//! Rows about variants of products that list them by id, SKU and title alone, and about those that are known by their
//! SKU.

use super::variant_changes::{ProductVariants, with_variant_changes};
use super::variant_changes_tests::{after, change_of, stored};
use super::variant_effect::{VariantAction, VariantEffect};

/// A product of two variants that it lists.
const LISTED: &str = r#"{"Id":"tee","Sku":"T","AssociatedIds":["11","12"],"AssociatedSkus":["T-11","T-12"],"AssociatedTitles":["Small","Large"]}"#;

/// The variants of the listed product after a row that sets something.
fn set(row: &str) -> (String, Vec<VariantEffect>) {
    let (row, effects) = after(&stored(LISTED), &[(row, false)]);
    let row: serde_json::Value = serde_json::from_str(&row).expect("JSON");
    (row["Variants"].to_string(), effects)
}

#[test]
fn a_listed_variant_is_found_by_its_keys_and_takes_them_and_its_title_along() {
    use VariantEffect::{Applied, SkuTaken};
    let sold_out = r#"[{"Id":"11","Sku":"T-11","Title":"Small","StockQty":0}]"#;
    for (row, expected, effect) in [
        (r#"{"Sku":"T-11","StockQty":0}"#, sold_out, Applied),
        (r#"{"Id":"11","StockQty":0}"#, sold_out, Applied),
        (r#"{"Id":"11","Sku":"T-11","StockQty":0}"#, sold_out, Applied),
        (r#"{"Id":"11","Title":"S"}"#, r#"[{"Id":"11","Sku":"T-11","Title":"S"}]"#, Applied),
        (r#"{"Id":"11","Sku":"T-1"}"#, r#"[{"Id":"11","Sku":"T-1","Title":"Small"}]"#, Applied),
        (r#"{"Id":"11","Sku":"T-12"}"#, r#"[{"Id":"11","Sku":"T-11","Title":"Small"}]"#, SkuTaken),
        (r#"{"Id":"13","Sku":"T-11"}"#, r#"[{"Id":"13"}]"#, SkuTaken),
        (r#"{"Sku":"T-13"}"#, r#"[{"Id":"T-13","Sku":"T-13"}]"#, Applied),
    ] {
        assert_eq!(set(row), (expected.to_owned(), vec![effect]), "{row}");
    }
    let skus = r#"{"Id":"tee","Sku":"T","AssociatedSkus":["A","T","B"]}"#;
    let rows = [(r#"{"Id":"9","Sku":"B","StockQty":1}"#, false), (r#"{"Sku":"A","StockQty":2}"#, false)];
    let (row, effects) = after(&stored(skus), &rows);
    assert_eq!(effects, [Applied; 2]);
    let written = r#""Variants":[{"Id":"A","Sku":"A","StockQty":2},{"Id":"B","Sku":"B","StockQty":1}]"#;
    assert!(row.contains(written), "{row}");
}

#[test]
fn a_listed_variant_is_not_removed_and_one_that_was_set_is_listed_again() {
    let rows = [
        (r#"{"Id":"11"}"#, true),
        (r#"{"Id":"11","StockQty":0}"#, false),
        (r#"{"Sku":"T-11"}"#, true),
        (r#"{"Sku":"T-11","StockQty":1}"#, false),
    ];
    use VariantEffect::{Applied, Unknown};
    let (row, effects) = after(&stored(LISTED), &rows);
    assert_eq!(effects, [Unknown, Applied, Applied, Applied]);
    assert!(row.contains(r#""Variants":[{"Id":"11","Sku":"T-11","Title":"Small","StockQty":1}]"#), "{row}");
    let mut variants = ProductVariants::from_row(LISTED.as_bytes()).expect("a row");
    let set = change_of(r#"{"Sku":"T-12","StockQty":1}"#, false, Some(&mut variants));
    assert_eq!((set.action, &set.body[..]), (VariantAction::Set, &br#"{"Id":"12","StockQty":1}"#[..]));
    let later = with_variant_changes(br#"{"Id":"tee"}"#, [(set.action, &set.body[..])].into_iter());
    assert_eq!(later.as_deref(), Some(&br#"{"Id":"tee"}"#[..]), "a later feed no longer lists it");
}

/// A feed may know a variant by its SKU alone, and the shop's other system by an id.
#[test]
fn an_unknown_id_with_the_sku_of_a_variant_without_an_id_names_that_variant() {
    use VariantEffect::{Applied, SkuTaken, Unknown};
    let tee = stored(r#"{"Id":"tee","Variants":[{"Sku":"T-S","StockQty":3},{"Id":"m","Sku":"T-M"}]}"#);
    for (rows, left, effects) in [
        (
            vec![(r#"{"Id":"9001","Sku":"T-S","StockQty":0}"#, false)],
            r#"{"Id":"T-S","Sku":"T-S","StockQty":0},{"Id":"m","Sku":"T-M"}"#,
            vec![Applied],
        ),
        (vec![(r#"{"Id":"9001","Sku":"T-S"}"#, true)], r#"{"Id":"m","Sku":"T-M"}"#, vec![Applied]),
        (
            vec![(r#"{"Id":"9002","Sku":"T-M"}"#, false), (r#"{"Id":"9003","Sku":"T-M"}"#, true)],
            r#"{"Id":"T-S","Sku":"T-S","StockQty":3},{"Id":"m","Sku":"T-M"},{"Id":"9002"}"#,
            vec![SkuTaken, Unknown],
        ),
        (
            vec![(r#"{"Id":"m","Sku":"T-S","StockQty":0}"#, false)],
            r#"{"Id":"T-S","Sku":"T-S","StockQty":3},{"Id":"m","Sku":"T-M","StockQty":0}"#,
            vec![SkuTaken],
        ),
    ] {
        let expected = format!(r#"{{"Id":"tee","Variants":[{left}]}}"#);
        assert_eq!(after(&tee, &rows), (expected, effects), "{rows:?}");
    }
}
