//! Rows about variants, and stored products after them.

use super::variant_changes::{ProductVariants, with_variant_changes};
use super::variant_effect::{VariantAction, VariantEffect};
use super::variant_rows::{VariantChange, VariantRow, deleted_variant, set_variant, supersede_key};
use crate::feeds::issue::{Issue, IssueCode};
use crate::feeds::testing::{CONTEXT, product};
use crate::feeds::{FeedPart, RawRow, RowOrigin};
use crate::limits;

/// Reads a row of `SetVariants` or, with `is_removal`, of `DeleteVariants`, and its issues as `code field`.
fn read(json: &str, is_removal: bool) -> (Option<VariantRow>, Vec<String>) {
    let section = if is_removal { FeedPart::DeleteVariants } else { FeedPart::SetVariants };
    let row = RawRow { section, number: 1, offset: 0, origin: RowOrigin::Feed, json: json.as_bytes() };
    let mut issues = Vec::new();
    let reader = if is_removal { deleted_variant } else { set_variant };
    let read = reader(&row, &CONTEXT, &mut issues);
    let told = |issue: Issue| format!("{} {}", issue.code.as_str(), issue.field.unwrap_or_default());
    (read, issues.into_iter().map(told).collect())
}

pub(super) fn change_of(
    json: &str,
    is_removal: bool,
    variants: Option<&mut ProductVariants>,
) -> VariantChange {
    let (row, told) = read(json, is_removal);
    row.unwrap_or_else(|| panic!("{json}: {told:?}")).to_change(is_removal, variants).expect("objects")
}

/// The product that the shop sends as `sent`, in normal form.
pub(super) fn stored(sent: &str) -> String {
    product(sent.as_bytes()).expect("a good row").0
}

/// The product after rows, each with whether it removes, and the effect of each.
pub(super) fn after(stored: &str, rows: &[(&str, bool)]) -> (String, Vec<VariantEffect>) {
    let mut variants = ProductVariants::from_row(stored.as_bytes()).expect("a row");
    let changes: Vec<_> =
        rows.iter().map(|(json, is_removal)| change_of(json, *is_removal, Some(&mut variants))).collect();
    let bodies = changes.iter().map(|change| (change.action, change.body.as_slice()));
    let row = with_variant_changes(stored.as_bytes(), bodies).expect("a row");
    let row = String::from_utf8(row).expect("text");
    assert_eq!(product(row.as_bytes()).expect("a good row").0, row, "the row stays in normal form");
    (row, changes.iter().map(|change| change.effect).collect())
}

/// The list of variants after one row that sets members.
fn set(variants: &str, row: &str) -> String {
    let sent = format!(r#"{{"Id":"1","Sku":"P","Variants":{variants}}}"#);
    let (row, effects) = after(&stored(&sent), &[(row, false)]);
    assert_eq!(effects, [VariantEffect::Applied]);
    row.trim_start_matches(r#"{"Id":"1","Sku":"P","Variants":"#)
        .trim_end_matches('}')
        .trim_end_matches("}]")
        .to_owned()
        + "}]"
}

#[test]
fn a_row_sets_the_members_it_names_and_leaves_the_others() {
    let before = r#"[{"Id":"a","Sku":"A","Options":{"Size":"S"},"Prices":["1 GBP"],"StockQty":3,"Image":"i","Material":"wool","Own":null},{"Id":"b"}]"#;
    for (row, kept) in [
        (
            r#"{"Id":"a","stockqty":"0"}"#,
            r#"[{"Id":"a","Sku":"A","Options":{"Size":"S"},"Prices":["1.00 GBP"],"StockQty":0,"Image":"i","Attributes":{"Material":"wool","Own":null}},{"Id":"b"}]"#,
        ),
        (
            r#"{"Sku":"A","Image":null,"Options":[],"Prices":[],"Material":null,"Weight":2,"GroupPrices":null}"#,
            r#"[{"Id":"a","Sku":"A","Prices":[],"StockQty":3,"Attributes":{"Own":null,"Weight":2}},{"Id":"b"}]"#,
        ),
        (
            r#"{"Id":"b","Title":"B","Attributes":{"Weight":1}}"#,
            r#"[{"Id":"a","Sku":"A","Options":{"Size":"S"},"Prices":["1.00 GBP"],"StockQty":3,"Image":"i","Attributes":{"Material":"wool","Own":null}},{"Id":"b","Title":"B","Attributes":{"Weight":1}}]"#,
        ),
        (
            r#"{"Id":"a","Sku":"","Gtin":"","Title":false,"InStock":false,"Attributes":{"Material":"silk"}}"#,
            r#"[{"Id":"a","Options":{"Size":"S"},"Prices":["1.00 GBP"],"InStock":false,"StockQty":3,"Image":"i","Attributes":{"Material":"silk","Own":null}},{"Id":"b"}]"#,
        ),
    ] {
        assert_eq!(set(before, row), kept, "{row}");
    }
}

/// One rule for all fields and attributes; only prices can be none.
#[test]
fn what_is_empty_takes_a_field_or_an_attribute_away() {
    let before = r#"[{"Id":"a","Title":"A","Options":{"Size":"S"},"Prices":["1 GBP"],"GroupPrices":{"g":{"Prices":["1 GBP"]}},"Material":"wool","Own":1}]"#;
    let prices = r#""Prices":["1.00 GBP"],"GroupPrices":{"g":{"Prices":["1.00 GBP"]}}"#;
    let all = format!(r#""Title":"A","Options":{{"Size":"S"}},{prices}"#);
    let attributes = r#""Attributes":{"Material":"wool","Own":1}"#;
    for empty in ["null", r#""""#, r#"" ""#, "[]", "{}"] {
        for (name, left) in [
            ("Title", format!(r#""Options":{{"Size":"S"}},{prices},{attributes}"#)),
            ("Options", format!(r#""Title":"A",{prices},{attributes}"#)),
            ("Material", format!(r#"{all},"Attributes":{{"Own":1}}"#)),
            ("Attributes", format!("{all},{attributes}")),
        ] {
            if name == "Title" && empty == "{}" {
                continue;
            }
            let expected = format!(r#"[{{"Id":"a",{left}}}]"#);
            assert_eq!(set(before, &format!(r#"{{"Id":"a","{name}":{empty}}}"#)), expected, "{name} {empty}");
        }
        let row = format!(r#"{{"Id":"a","Attributes":{{"Material":{empty},"Own":{empty}}}}}"#);
        assert_eq!(set(before, &row), format!(r#"[{{"Id":"a",{all}}}]"#), "{empty}");
    }
    for (row, left) in [
        (r#"{"Id":"a","GroupPrices":{}}"#, r#""Prices":["1.00 GBP"]"#),
        (r#"{"Id":"a","GroupPrices":null}"#, r#""Prices":["1.00 GBP"]"#),
        (r#"{"Id":"a","Prices":[],"GroupPrices":[]}"#, r#""Prices":[]"#),
        (r#"{"Id":"a","Prices":null,"GroupPrices":""}"#, ""),
    ] {
        let comma = if left.is_empty() { "" } else { "," };
        let expected =
            format!(r#"[{{"Id":"a","Title":"A","Options":{{"Size":"S"}},{left}{comma}{attributes}}}]"#);
        assert_eq!(set(before, row), expected, "{row}");
    }
}

#[test]
fn an_unknown_variant_is_added_at_the_end() {
    let list = r#"[{"Id":"a"}]"#;
    for (row, added) in [
        (r#"{"Id":"b","StockQty":1,"Image":null,"Own":null}"#, r#"{"Id":"b","StockQty":1}"#),
        (r#"{"Sku":"B","Size":"M"}"#, r#"{"Id":"B","Sku":"B","Attributes":{"Size":"M"}}"#),
        (r#"{"Id":"b","Sku":"P"}"#, r#"{"Id":"b"}"#),
        (r#"{"Id":"b","Sku":null}"#, r#"{"Id":"b"}"#),
    ] {
        assert_eq!(set(list, row), format!(r#"[{{"Id":"a"}},{added}]"#), "{row}");
    }
    let (row, _) =
        after(r#"{"Id":"1","AssociatedIds":["2"],"OnOffer":true}"#, &[(r#"{"Id":"2","StockQty":1}"#, false)]);
    assert_eq!(
        row,
        r#"{"Id":"1","AssociatedIds":["2"],"Variants":[{"Id":"2","StockQty":1}],"OnOffer":true}"#
    );
    let (row, _) = after(r#"{"Id":"1"}"#, &[(r#"{"Id":"2"}"#, false)]);
    assert_eq!(row, r#"{"Id":"1","Variants":[{"Id":"2"}]}"#);
}

#[test]
fn a_variant_is_removed_by_its_id_or_its_sku_and_the_last_takes_the_list_along() {
    let row =
        stored(r#"{"Id":"1","Variants":[{"Id":"a","Sku":"A"},{"Id":"b","Sku":"B"},{"Id":"A"}],"Own":1}"#);
    let ids = |rows: &[(&str, bool)]| {
        let (row, effects) = after(&row, rows);
        let row: serde_json::Value = serde_json::from_str(&row).expect("JSON");
        let ids = row["Variants"].as_array().into_iter().flatten().map(|variant| variant["Id"].to_string());
        (ids.collect::<String>(), effects)
    };
    use VariantEffect::{Applied, Unknown};
    assert_eq!(ids(&[(r#"{"Id":"a"}"#, true)]), (r#""b""A""#.to_owned(), vec![Applied]));
    assert_eq!(ids(&[(r#"{"Sku":"A"}"#, true)]), (r#""b""A""#.to_owned(), vec![Applied]));
    let all = [(r#"{"Id":"A"}"#, true), (r#"{"Sku":"B"}"#, true), (r#"{"Id":"a","Sku":"x"}"#, true)];
    assert_eq!(ids(&all), (String::new(), vec![Applied; 3]));
    assert_eq!(after(&row, &all).0, r#"{"Id":"1","Attributes":{"Own":1}}"#);
    for unknown in [r#"{"Id":"c"}"#, r#"{"Sku":"a"}"#, r#"{"Id":"B","Sku":"B"}"#] {
        let expected = if unknown.contains(r#""Sku":"a""#) { vec![Applied] } else { vec![Unknown] };
        assert_eq!(ids(&[(unknown, true)]).1, expected, "{unknown}: an id stands in for a SKU");
    }
    let again = [(r#"{"Id":"b"}"#, true), (r#"{"Id":"b","StockQty":1}"#, false), (r#"{"Id":"b"}"#, true)];
    assert_eq!(ids(&again), (r#""a""A""#.to_owned(), vec![Applied; 3]));
}

#[test]
fn a_sku_is_of_one_variant_and_the_one_that_has_it_keeps_it() {
    let list = r#"{"Id":"1","Sku":"P","Variants":[{"Id":"a","Sku":"A"},{"Id":"b","Sku":"B"}]}"#;
    for (row, kept) in [
        (r#"{"Id":"b","Sku":"A","StockQty":1}"#, r#"{"Id":"b","Sku":"B","StockQty":1}]"#),
        (r#"{"Id":"c","Sku":"A","StockQty":1}"#, r#"{"Id":"b","Sku":"B"},{"Id":"c","StockQty":1}]"#),
    ] {
        let (after, effects) = after(list, &[(row, false)]);
        assert_eq!(effects, [VariantEffect::SkuTaken], "{row}");
        assert!(after.ends_with(&format!("{kept}}}")), "{after}");
    }
    let moved = [
        (r#"{"Id":"a","Sku":null}"#, false),
        (r#"{"Id":"b","Sku":"A"}"#, false),
        (r#"{"Sku":"A","StockQty":1}"#, false),
    ];
    let (row, effects) = after(list, &moved);
    assert_eq!(effects, [VariantEffect::Applied; 3]);
    assert!(row.ends_with(r#"[{"Id":"a"},{"Id":"b","Sku":"A","StockQty":1}]}"#), "{row}");
}

/// Stock that comes each minute with such a SKU has to replace the earlier one.
#[test]
fn a_sku_that_changes_nothing_is_left_out_of_the_stored_change() {
    let list = br#"{"Id":"1","Sku":"P","Variants":[{"Id":"a","Sku":"A"},{"Id":"b"},{"Id":"c","Sku":"C"}]}"#;
    let mut variants = ProductVariants::from_row(list).expect("a row");
    for (row, stored, has_sku) in [
        (r#"{"Id":"a","Sku":"A","StockQty":1}"#, r#"{"Id":"a","StockQty":1}"#, false),
        (r#"{"Sku":"A","StockQty":1}"#, r#"{"Id":"a","StockQty":1}"#, false),
        (r#"{"Id":"b","Sku":"P","StockQty":1}"#, r#"{"Id":"b","StockQty":1}"#, false),
        (r#"{"Id":"b","Sku":"A","StockQty":1}"#, r#"{"Id":"b","StockQty":1}"#, false),
        (r#"{"Id":"b","Sku":"","StockQty":1}"#, r#"{"Id":"b","StockQty":1}"#, false),
        (r#"{"Id":"c","Sku":"P","StockQty":1}"#, r#"{"Id":"c","Sku":"P","StockQty":1}"#, true),
        (r#"{"Id":"c","Sku":"P","StockQty":1}"#, r#"{"Id":"c","StockQty":1}"#, false),
        (r#"{"Id":"b","Sku":"B"}"#, r#"{"Id":"b","Sku":"B"}"#, true),
        (r#"{"Id":"d","Sku":"P"}"#, r#"{"Id":"d"}"#, false),
        (r#"{"Sku":"E"}"#, r#"{"Sku":"E"}"#, true),
        (r#"{"Id":"a","Sku":null}"#, r#"{"Id":"a","Sku":null}"#, false),
    ] {
        let change = change_of(row, false, Some(&mut variants));
        assert_eq!(String::from_utf8_lossy(&change.body), stored, "{row}");
        assert_eq!(change.has_sku, has_sku, "{row}");
    }
}

#[test]
fn a_change_for_a_product_that_is_not_shown_counts_for_its_later_row() {
    let later = r#"{"Id":"1","Variants":[{"Id":"a","Sku":"A"}]}"#;
    for (row, is_removal, kept) in [
        (r#"{"Id":"a","StockQty":1}"#, false, r#"[{"Id":"a","Sku":"A","StockQty":1}]"#),
        (r#"{"Sku":"A","StockQty":1}"#, false, r#"[{"Id":"a","Sku":"A","StockQty":1}]"#),
        (r#"{"Sku":"B"}"#, false, r#"[{"Id":"a","Sku":"A"},{"Id":"B","Sku":"B"}]"#),
        (r#"{"Sku":"A"}"#, true, ""),
    ] {
        let VariantChange { action, body, effect, .. } = change_of(row, is_removal, None);
        assert_eq!(effect, VariantEffect::ProductUnknown);
        let row = with_variant_changes(later.as_bytes(), [(action, &body[..])].into_iter()).expect("a row");
        let expected = if kept.is_empty() {
            r#"{"Id":"1"}"#.to_owned()
        } else {
            format!(r#"{{"Id":"1","Variants":{kept}}}"#)
        };
        assert_eq!(String::from_utf8(row).expect("text"), expected);
    }
}

/// A variant that a later feed has no more does not come back as a ghost.
#[test]
fn what_is_set_on_a_variant_adds_none_to_the_row_of_a_later_feed() {
    let mut variants = ProductVariants::from_row(br#"{"Id":"1","Variants":[{"Id":"a"}]}"#).expect("a row");
    let set = change_of(r#"{"Id":"a","StockQty":1}"#, false, Some(&mut variants));
    let added = change_of(r#"{"Id":"b","StockQty":1}"#, false, Some(&mut variants));
    assert_eq!([set.action, added.action], [VariantAction::Set, VariantAction::Upsert]);
    let bodies = [&set, &added].map(|change| (change.action, &change.body[..]));
    let row = with_variant_changes(br#"{"Id":"1"}"#, bodies.into_iter()).expect("a row");
    assert_eq!(row, br#"{"Id":"1","Variants":[{"Id":"b","StockQty":1}]}"#);
}

#[test]
fn a_product_has_room_for_so_many_variants_and_so_many_bytes() {
    let list = |count: usize| (0..count).map(|n| format!(r#"{{"Id":"v{n}"}}"#)).collect::<Vec<_>>().join(",");
    let full = format!(r#"{{"Id":"1","Variants":[{}]}}"#, list(limits::VARIANTS));
    let rows = [
        (r#"{"Id":"new"}"#, false),
        (r#"{"Id":"v7"}"#, true),
        (r#"{"Id":"new"}"#, false),
        (r#"{"Id":"v7"}"#, false),
    ];
    let (_, effects) = after(&full, &rows);
    use VariantEffect::{Applied, NoRoom};
    assert_eq!(effects, [NoRoom, Applied, Applied, NoRoom]);
    let title = |bytes: usize| "x".repeat(bytes);
    let large = format!(
        r#"{{"Id":"1","Title":"{}","Variants":[{{"Id":"v","Title":"{}"}}]}}"#,
        title(limits::SNAPSHOT_ROW_BYTES - 200_000),
        title(180_000)
    );
    let longer = format!(r#"{{"Id":"v","Title":"{}"}}"#, title(200_000));
    let shorter = format!(r#"{{"Id":"v","Title":"{}"}}"#, title(10_000));
    let rows = [
        (longer.as_str(), false),
        (r#"{"Id":"v","StockQty":1}"#, false),
        (&shorter, false),
        (&longer, false),
    ];
    assert_eq!(after(&large, &rows).1, [NoRoom, Applied, Applied, NoRoom]);
}

#[test]
fn bad_rows_have_the_issues_of_rows_and_warnings_leave_them_good() {
    for (row, told) in [
        ("7", "row_not_object "),
        (r#"{"ProductId":"p"}"#, "id_missing Id"),
        (r#"{"ProductId":"p","Id":["a","b"]}"#, "field_wrong_type Id"),
        (r#"{"ProductId":{},"Id":"v"}"#, "field_wrong_type ProductId"),
        (r#"{"Id":"v","Prices":["1,50 GBP"]}"#, "price_malformed Prices"),
        (r#"{"Id":"v","StockQty":"many"}"#, "field_wrong_type StockQty"),
        (r#"{"Id":"v","AccountInclusions":["acme1"]}"#, "field_wrong_type AccountInclusions"),
        (r#"{"Id":"v","Title":"a","title":"b"}"#, "duplicate_key Title"),
    ] {
        let (read, issues) = read(row, false);
        assert!(read.is_none(), "{row}");
        assert_eq!(issues, [told], "{row}");
    }
    let long = "x".repeat(limits::VARIANT_VALUE_BYTES + 1);
    for (row, told) in [
        (r#"{"Id":"v","Gtin":"4006381333930"}"#.to_owned(), "gtin_malformed Gtin"),
        (format!(r#"{{"Id":"v","Text":"{long}"}}"#), "variant_value_too_long Text"),
        (format!(r#"{{"Id":"v","Options":{{"Size":"{long}"}}}}"#), "variant_value_too_long Options.Size"),
        (r#"{"Id":"v","Title":"ann@shop.test"}"#.to_owned(), "email_in_text Title"),
        (r#"{"Id":"v","SalePriceEndDate":"soon"}"#.to_owned(), "date_malformed SalePriceEndDate"),
    ] {
        let (read, issues) = read(&row, false);
        assert!(read.is_some(), "{row}");
        assert_eq!(issues, [told], "{row}");
    }
    let (row, _) = read(
        r#"{"parentid":"p","sku":"S","Title":"by ann@shop.test","AccountPrices":{"acme1":{"Prices":["1 GBP"]}}}"#,
        false,
    );
    let row = row.expect("a good row");
    assert_eq!((row.product.as_deref(), row.id.as_deref(), row.sku.as_deref()), (Some("p"), None, Some("S")));
    let body = row.to_change(false, None).expect("an object").body;
    let expected = r#"{"Sku":"S","Title":"by ***","AccountPrices":{"tag-5":{"Prices":["1.00 GBP"]}}}"#;
    assert_eq!(String::from_utf8(body).expect("text"), expected);
    assert_eq!(read(r#"{"ProductId":"p"}"#, true).1, ["id_missing Id"]);
    assert_eq!(IssueCode::IdMissing.as_str(), "id_missing");
}

#[test]
fn changes_of_the_same_fields_have_the_same_key_and_no_others() {
    let text = |product: &str, body: &str| supersede_key(product, body.as_bytes());
    let stock = text("p", r#"{"Id":"v","StockQty":1,"InStock":true}"#);
    assert!(stock.is_some());
    assert_eq!(text("p", r#"{"Id":"v","InStock":false,"StockQty":null}"#), stock);
    for (product, other) in [
        ("q", r#"{"Id":"v","StockQty":1,"InStock":true}"#),
        ("p", r#"{"Id":"w","StockQty":1,"InStock":true}"#),
        ("p", r#"{"Id":"v","StockQty":1}"#),
        ("p", r#"{"Id":"v\nInStock","StockQty":1}"#),
        ("p", r#"{"Id":"v","StockQty":1,"Attributes":{"InStock":true}}"#),
        ("p", r#"{"Id":"v","StockQty":1,"InStock":true,"Attributes":{"a":1}}"#),
    ] {
        assert_ne!(text(product, other), stock, "{other}");
    }
    assert_eq!(text("p", r#"{"Id":"v","Sku":"S","StockQty":1}"#), None, "others are found by it");
    assert_eq!(text("p", r#"{"Sku":"S"}"#), None);
    let removal = text("p", r#"{"Id":"v"}"#).expect("a key");
    assert!(stock.is_some_and(|stock| stock.starts_with(&format!("{removal}\n"))));
    assert_eq!(text(&"p".repeat(2 * limits::ITEM_ID_BYTES), r#"{"Id":"v"}"#), None);
}
