//! Random rows about variants, applied to the product of today and to that of a later feed.

use proptest::prelude::*;

use super::variant_changes::{ProductVariants, with_variant_changes};
use super::variant_changes_tests::{change_of, stored};
use super::variant_effect::VariantAction;
use super::variant_rows::{VariantChange, supersede_key};
use crate::feeds::testing::product;

/// Rows about a few variants, right ones only.
fn any_row() -> impl Strategy<Value = (String, bool)> {
    let id = prop_oneof![
        (0..4_u8).prop_map(|n| format!(r#""Id":"{n}""#)),
        (0..4_u8).prop_map(|n| format!(r#""Sku":"S{n}""#)),
        (0..2_u8).prop_map(|n| format!(r#""Sku":"L{n}""#)),
        (4..7_u8).prop_map(|n| format!(r#""Id":"{n}""#)),
        (0..5_u8).prop_map(|n| format!(r#""Id":"{n}","Sku":"P""#)),
        (0..4_u8, 0..4_u8).prop_map(|(id, sku)| format!(r#""Id":"{id}","Sku":"S{sku}""#)),
    ];
    let member = prop::sample::select(vec![
        "",
        r#","StockQty":1"#,
        r#","StockQty":2"#,
        r#","InStock":true"#,
        r#","Own":1"#,
        r#","Own":null"#,
        r#","Options":{"Size":"M"}"#,
        r#","Prices":[]"#,
        r#","Prices":["1 GBP"]"#,
        r#","Title":"T","Image":null"#,
    ]);
    (id, member, prop::bool::weighted(0.3))
        .prop_map(|(id, member, is_removal)| (format!("{{{id}{member}}}"), is_removal))
}

/// Some list variants too: with ids and SKUs, and with SKUs alone. No SKU is that of two variants in one feed: a listed
/// one that another variant hid shows when that is removed.
fn any_product() -> impl Strategy<Value = String> {
    let lists = prop::sample::select(vec![
        "",
        r#""AssociatedIds":["4","5"],"AssociatedSkus":["L0","L1"],"AssociatedTitles":["four","five"],"#,
        r#""AssociatedSkus":["L0","L1"],"#,
        r#""AssociatedIds":["4","0"],"#,
    ]);
    let variant =
        (0..4_u8, prop::option::of(0..5_u8), prop::option::of(0..3_u8)).prop_map(|(id, sku, stock)| {
            let sku = sku.map_or_else(String::new, |sku| {
                format!(r#","Sku":"{}""#, ["S0", "S1", "S2", "S3", "P"][usize::from(sku)])
            });
            let stock =
                stock.map_or_else(String::new, |stock| format!(r#","StockQty":{stock},"Own":{stock}"#));
            format!(r#"{{"Id":"{id}"{sku}{stock}}}"#)
        });
    (lists, prop::collection::vec(variant, 0..5)).prop_map(|(lists, variants)| {
        let variants = variants.join(",");
        stored(&format!(r#"{{"Id":"p","Sku":"P",{lists}"Variants":[{variants}],"OnOffer":true}}"#))
    })
}

/// Returns true if a newer change makes an older one meaningless.
fn is_superseded(changes: &[VariantChange], older: usize, newer: usize) -> bool {
    let key = |at: usize| supersede_key("p", &changes[at].body);
    let Some(own) = key(older) else { return false };
    let Some(by) = key(newer) else { return false };
    let is_of_variant = own == by || own.starts_with(&format!("{by}\n"));
    let is_no_sku_between = (older..newer).all(|between| key(between).is_some());
    match (changes[older].action, changes[newer].action) {
        (VariantAction::Set, VariantAction::Set) => own == by,
        (VariantAction::Set, VariantAction::Delete) => is_of_variant,
        (VariantAction::Upsert | VariantAction::Delete, VariantAction::Delete) => {
            is_of_variant && is_no_sku_between
        }
        _ => false,
    }
}

/// A product with its variants in the order of their ids.
fn by_id(row: &[u8]) -> serde_json::Value {
    let mut row: serde_json::Value = serde_json::from_slice(row).expect("JSON");
    if let Some(variants) = row["Variants"].as_array_mut() {
        variants.sort_by_key(|variant| variant["Id"].to_string());
    }
    row
}

proptest! {
    /// Over any later feed too, and whether or not the changes that newer ones make meaningless are still there.
    #[test]
    fn rows_keep_their_normal_form_and_superseded_changes_mean_nothing(
        before in any_product(), later in any_product(), rows in prop::collection::vec(any_row(), 0..12), cut in 0..12_usize,
    ) {
        let mut variants = ProductVariants::from_row(before.as_bytes()).expect("a row");
        let changes: Vec<_> = rows.iter().map(|(json, is_removal)| change_of(json, *is_removal, Some(&mut variants))).collect();
        let is_left = |at: usize| (at + 1..changes.len()).all(|newer| !is_superseded(&changes, at, newer));
        for (base, first) in [(&before, 0), (&later, cut.min(changes.len()))] {
            let apply = |is_kept: &dyn Fn(usize) -> bool| {
                let kept = (first..changes.len()).filter(|at| is_kept(*at)).map(|at| (changes[at].action, &changes[at].body[..]));
                String::from_utf8(with_variant_changes(base.as_bytes(), kept).expect("a row")).expect("text")
            };
            let all = apply(&|_| true);
            prop_assert_eq!(&apply(&is_left), &all);
            prop_assert_eq!(&product(all.as_bytes()).expect("a good row").0, &all);
        }
        let one_by_one = changes.iter().fold(before.clone(), |row, change| {
            let row = with_variant_changes(row.as_bytes(), [(change.action, &change.body[..])].into_iter());
            String::from_utf8(row.expect("a row")).expect("text")
        });
        let together = changes.iter().map(|change| (change.action, &change.body[..]));
        let together = with_variant_changes(before.as_bytes(), together).expect("a row");
        // A listed variant stands behind the variants of the row as it is then.
        prop_assert_eq!(by_id(one_by_one.as_bytes()), by_id(&together));
    }
}
