//! Actions of changes, and what they make of a row.

use super::changes::{ChangeAction, StoredChange, sku_of, with_categories, with_variants};
use super::fault::CatalogueFault;
use super::position::ChangePlace;
use crate::feeds::rows::VariantAction;

fn step(what: ChangeAction, body: &str) -> StoredChange {
    StoredChange { at: ChangePlace::default(), what, body: body.as_bytes().to_vec() }
}

#[test]
fn categories_join_at_the_end_and_leave_in_the_order_of_the_changes() {
    use ChangeAction::{Join, Leave};
    let after = |row: &str, steps: &[StoredChange]| {
        let row = with_categories(row.as_bytes(), steps).expect("a row");
        String::from_utf8(row).expect("text")
    };
    let steps = [step(Join, r#"["c","a"]"#), step(Leave, r#"["b","x"]"#), step(Join, r#"["b","c"]"#)];
    assert_eq!(
        after(r#"{"Id":"1","Categories":["a","b"],"Title":"t"}"#, &steps),
        r#"{"Id":"1","Categories":["a","c","b"],"Title":"t"}"#
    );
    assert_eq!(after(r#"{"Id":"1"}"#, &steps[..1]), r#"{"Id":"1","Categories":["c","a"]}"#);
    assert_eq!(after(r#"{"Id":"1"}"#, &steps[1..2]), r#"{"Id":"1","Categories":[]}"#);
}

#[test]
fn a_row_or_change_in_another_form_is_a_fault() {
    for (row, body) in [
        ("[]", "[]"),
        (r#"{"Categories":"a"}"#, "[]"),
        (r#"{"Categories":[1]}"#, "[]"),
        (r#"{"Categories":[]}"#, "7"),
        (r#"{"Categories":[]}"#, ""),
    ] {
        for what in [ChangeAction::Join, ChangeAction::Leave] {
            let changed = with_categories(row.as_bytes(), &[step(what, body)]);
            assert!(matches!(changed, Err(CatalogueFault::Row)), "{row} {body}");
        }
    }
    assert_eq!(sku_of(br#"{"Id":"1","Sku":"s"}"#).expect("a row").as_deref(), Some("s"));
    assert_eq!(sku_of(br#"{"Id":"1"}"#).expect("a row"), None);
    assert!(matches!(sku_of(br#"{"Sku":7}"#), Err(CatalogueFault::Row)));
}

#[test]
fn actions_are_read_as_they_are_written() {
    let actions = ChangeAction::ALL;
    assert_eq!(
        actions.map(ChangeAction::as_str),
        ["put", "delete", "join", "leave", "add_variant", "set_variant", "delete_variant"]
    );
    assert_eq!(actions.map(|what| ChangeAction::parse(what.as_str())), actions.map(Some));
    assert_eq!(ChangeAction::parse("Put"), None);
    let of_categories = actions.map(|what| step(what, "").is_of_categories());
    assert_eq!(of_categories, [false, false, true, true, false, false, false]);
    let of_variants = actions.map(|what| step(what, "").is_of_variants());
    assert_eq!(of_variants, [false, false, false, false, true, true, true]);
    for action in [VariantAction::Upsert, VariantAction::Set, VariantAction::Delete] {
        assert_eq!(ChangeAction::from(action).on_variant(), Some(action));
    }
}

#[test]
fn variants_are_changed_in_the_order_of_the_changes() {
    use ChangeAction::{AddVariant, DeleteVariant, SetVariant};
    let steps = [
        step(SetVariant, r#"{"Id":"a","StockQty":0}"#),
        step(AddVariant, r#"{"Id":"b"}"#),
        step(DeleteVariant, r#"{"Id":"a"}"#),
        step(SetVariant, r#"{"Id":"b","StockQty":2}"#),
    ];
    let row = with_variants(br#"{"Id":"1","Variants":[{"Id":"a"}],"OnOffer":true}"#, &steps).expect("a row");
    assert_eq!(row, br#"{"Id":"1","Variants":[{"Id":"b","StockQty":2}],"OnOffer":true}"#);
    for (row, body) in [("[]", r#"{"Id":"a"}"#), (r#"{"Id":"1"}"#, "7"), (r#"{"Id":"1"}"#, "")] {
        let changed = with_variants(row.as_bytes(), &[step(AddVariant, body)]);
        assert!(matches!(changed, Err(CatalogueFault::Row)), "{row} {body}");
    }
}
