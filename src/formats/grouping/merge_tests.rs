//! Tests of the products that groups become.

use super::*;

/// A row of a group with an id, a title and a value of the option 1, of this name.
fn row(id: &str, title: &str, option: Option<(&str, &str)>) -> DraftRow {
    let option = option.map(|(name, value)| DraftOption {
        position: 1,
        name: name.to_owned(),
        value: value.to_owned(),
    });
    DraftRow {
        id: Some(id.to_owned()),
        title: Some(title.to_owned()),
        options: option.into_iter().collect(),
        ..DraftRow::default()
    }
}

fn merge(rule: GroupRule, part: GroupPart, rows: Vec<DraftRow>) -> Vec<MergedProduct> {
    merge_group(RowGroup { key: "G".to_owned(), rows, part }, rule)
}

fn ids(products: &[MergedProduct]) -> Vec<&str> {
    products.iter().filter_map(|merged| merged.product.id.as_deref()).collect()
}

fn variant_ids(products: &[MergedProduct]) -> Vec<&str> {
    let variants = products.iter().flat_map(|merged| &merged.variants);
    variants.filter_map(|variant| variant.id.as_deref()).collect()
}

fn codes(products: &[MergedProduct]) -> Vec<IssueCode> {
    products.iter().flat_map(|merged| &merged.product.issues).map(|issue| issue.code).collect()
}

#[test]
fn a_group_gives_the_same_products_in_any_order_of_its_rows() {
    let mut rows: Vec<DraftRow> =
        (0..9).map(|n| row(&format!("a{n}"), "Oak chair", Some(("Color", &format!("c{n}"))))).collect();
    rows.push(row("z", "Steel lamp", Some(("Color", "c9"))));
    for _ in 0..rows.len() {
        rows.rotate_left(1);
        assert_eq!(ids(&merge(GroupRule::Checked, GroupPart::Whole, rows.clone())), ["G"]);
    }
}

#[test]
fn a_row_without_options_keeps_its_id_alone_and_beside_another() {
    let rows = vec![row("a", "Oak chair", None), row("b", "Oak chair", None)];
    let alone = merge(GroupRule::Checked, GroupPart::Whole, rows[..1].to_vec());
    assert_eq!((ids(&alone), codes(&alone)), (vec!["a"], vec![]));
    let both = merge(GroupRule::Checked, GroupPart::Whole, rows);
    assert_eq!((ids(&both), codes(&both)), (vec!["a", "b"], vec![IssueCode::GroupIsCategory]));
}

#[test]
fn no_row_of_a_category_is_lost_in_a_group_of_several_parts() {
    let rows = || {
        vec![row("a", "Oak chair", Some(("Color", "red"))), row("b", "Oak chair", Some(("Color", "blue")))]
    };
    let first = merge(GroupRule::Checked, GroupPart::First, rows());
    assert_eq!((ids(&first), codes(&first)), (vec!["a", "b"], vec![IssueCode::GroupIsCategory]));
    let further = merge(GroupRule::Checked, GroupPart::Further, rows());
    assert_eq!((ids(&further), codes(&further)), (vec!["a", "b"], vec![]));
    let first = merge(GroupRule::Certain, GroupPart::First, rows());
    assert_eq!((ids(&first), codes(&first)), (vec!["G"], vec![IssueCode::VariantsTooMany]));
    assert!(merge(GroupRule::Certain, GroupPart::Further, rows()).is_empty());
}

#[test]
fn a_row_that_comes_twice_is_no_variant_without_its_product() {
    let rows = vec![row("G", "Oak chair", None), row("G", "Oak table", None)];
    let products = merge(GroupRule::Parented, GroupPart::Whole, rows.clone());
    assert_eq!((ids(&products), codes(&products)), (vec!["G", "G"], vec![]));
    assert!(products.iter().all(|merged| merged.product.attributes.is_empty()));
    let hidden = rows.into_iter().map(|row| DraftRow { is_variant_only: true, ..row }).collect();
    assert!(merge(GroupRule::Parented, GroupPart::Whole, hidden).is_empty());
}

#[test]
fn an_option_takes_its_name_from_any_row_and_in_one_writing() {
    let mut rows = vec![
        row("a", "Oak chair", Some(("", "red"))),
        row("b", "Oak chair", Some(("Color", "blue"))),
        row("c", "Oak chair", Some(("color", "green"))),
    ];
    rows[0].role = RowRole::Item;
    let products = merge(GroupRule::Certain, GroupPart::Whole, rows);
    let options = products.iter().flat_map(|merged| &merged.variants).flat_map(|variant| &variant.options);
    let names: Vec<&str> = options.map(|option| option.name.as_str()).collect();
    assert_eq!(names, ["Color", "Color", "Color"]);
}

#[test]
fn variants_with_one_sku_are_told_apart_by_their_options() {
    let rows = || {
        vec![
            row("X", "Oak chair", Some(("Color", "red"))),
            row("Y", "Oak chair", Some(("Color", "green"))),
            row("X", "Oak chair", Some(("Color", "blue"))),
        ]
    };
    let products = merge(GroupRule::Certain, GroupPart::Whole, rows());
    assert_eq!(variant_ids(&products), ["G/red", "Y", "G/blue"]);
    let products = merge(GroupRule::Checked, GroupPart::Whole, rows());
    assert_eq!(variant_ids(&products), ["X", "Y", "X"], "only Shopify writes such rows on purpose");
}
