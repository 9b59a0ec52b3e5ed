//! Variants whose fields are set one by one.

use super::stored_variant::{StoredVariant, VariantPatch};
use super::variant_changes::ProductVariants;
use super::variant_changes_tests::{after, change_of, stored};
use super::variant_effect::VariantEffect;
use crate::feeds::json::value::JsonValue;
use crate::limits;

fn written(variant: &StoredVariant) -> String {
    let mut out = Vec::new();
    variant.write(&mut out);
    String::from_utf8(out).expect("text")
}

#[test]
fn the_length_of_a_variant_is_known_before_a_change_and_after_it() {
    let json = r#"{"Id":"v","Sku":"S\"1","Title":"T","Attributes":{"a":1,"b":"x"}}"#;
    let mut variant = StoredVariant::from_json(json.to_owned()).expect("a variant");
    assert_eq!(variant.bytes(), json.len());
    for (body, sku, expected) in [
        (r#"{"Title":null}"#, Some("S\"1"), r#"{"Id":"v","Sku":"S\"1","Attributes":{"a":1,"b":"x"}}"#),
        (r#"{"Attributes":{"a":null,"c":2}}"#, None, r#"{"Id":"v","Attributes":{"b":"x","c":2}}"#),
        (
            r#"{"StockQty":10,"Attributes":{"b":"longer"}}"#,
            None,
            r#"{"Id":"v","StockQty":10,"Attributes":{"b":"longer","c":2}}"#,
        ),
        (
            r#"{"StockQty":1,"Attributes":{"b":null,"c":null,"d":null}}"#,
            Some("A"),
            r#"{"Id":"v","Sku":"A","StockQty":1}"#,
        ),
        (
            r#"{"Attributes":{"c":[]}}"#,
            Some("A"),
            r#"{"Id":"v","Sku":"A","StockQty":1,"Attributes":{"c":[]}}"#,
        ),
    ] {
        let patch = VariantPatch::from_body(JsonValue::from_trusted(body));
        let bytes = variant.bytes_after(&patch, sku);
        assert_eq!(variant.apply(&patch, sku), Vec::<String>::new());
        assert_eq!(written(&variant), expected, "{body}");
        assert_eq!([bytes, variant.bytes()], [expected.len(); 2], "{body}");
    }
}

#[test]
fn a_variant_has_room_for_so_many_attributes_and_the_first_are_used() {
    let attributes = |names: std::ops::Range<usize>| {
        let members = names.map(|n| format!(r#""a{n}":{n}"#));
        members.collect::<Vec<_>>().join(",")
    };
    let most = limits::VARIANT_ATTRIBUTES;
    let full = stored(&format!(r#"{{"Id":"1","Variants":[{{"Id":"v",{}}}]}}"#, attributes(0..most + 5)));
    assert!(full.contains(&format!(r#""a{}":"#, most - 1)) && !full.contains(&format!(r#""a{most}":"#)));
    let more = r#"{"Id":"v","StockQty":1,"a0":"x","new":1,"newer":2}"#;
    let (row, effects) = after(&full, &[(more, false)]);
    assert_eq!(effects, [VariantEffect::AttributesFull]);
    assert!(row.contains(r#""StockQty":1,"Attributes":{"a0":"x","a1":1"#) && !row.contains("new"), "{row}");
    let swapped = r#"{"Id":"v","a1":null,"new":1,"newer":2}"#;
    let (row, effects) = after(&full, &[(swapped, false)]);
    assert_eq!(effects, [VariantEffect::AttributesFull]);
    assert!(row.contains(r#""new":1"#) && !row.contains("newer") && !row.contains(r#""a1":"#), "{row}");
    // Names without room are in no stored change: they would count when another attribute has gone.
    let mut variants = ProductVariants::from_row(full.as_bytes()).expect("a row");
    let change = change_of(more, false, Some(&mut variants));
    let body = br#"{"Id":"v","StockQty":1,"Attributes":{"a0":"x"}}"#;
    assert_eq!(String::from_utf8_lossy(&change.body), String::from_utf8_lossy(body));
}
