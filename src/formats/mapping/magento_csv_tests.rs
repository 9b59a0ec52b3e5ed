//! Rows of exports of Magento.

use super::packed_values::PackedPair;
use super::*;
use crate::formats::mapping::engine::RecordMapper;
use crate::formats::mapping::format_rules::{MappingRules, normalise_name};
use crate::formats::records::headings::Headings;
use crate::formats::records::record::{FeedRecord, RecordValue};

/// The row of a record, given as `column` and `value` in turn; empty values are left out, as by a reader.
fn map(cells: &[[&str; 2]]) -> DraftRow {
    let mut headings = Headings::default();
    let mut record = FeedRecord::default();
    record.place.number = 3;
    for [name, text] in cells {
        let column = headings.intern(name).unwrap();
        if !text.is_empty() {
            record.values.push(RecordValue { column, text: (*text).to_owned() });
        }
    }
    let context = MappingContext { currency: Some("EUR"), ..MappingContext::default() };
    RecordMapper::new(&MAGENTO_CSV, context).map_record(&headings, &record)
}

fn attribute<'a>(row: &'a DraftRow, name: &str) -> Vec<&'a str> {
    let values = row.attributes.iter().find(|(known, _)| known == name).map(|(_, values)| values);
    values.into_iter().flatten().map(String::as_str).collect()
}

/// Pairs, each as one text.
fn pairs(text: &str) -> Vec<String> {
    let write = |pair: PackedPair<'_>| format!("{}={}", pair.code, pair.values.join("|"));
    parse_pairs(text).into_iter().map(write).collect()
}

#[test]
fn a_configurable_product_lists_its_variants_with_their_options() {
    let row = map(&[
        ["sku", "TANK"],
        ["product_type", "configurable"],
        ["name", "Tank"],
        ["price", "0.0000"],
        ["qty", "0.0000"],
        ["is_in_stock", "1"],
        ["configurable_variations", "sku=TANK-M-Blue,size=M,color=Blue|sku=TANK-L-Red,size=L,color=Red"],
        ["configurable_variation_labels", "size=Size,color=Colour"],
    ]);
    assert_eq!((row.role, row.group.as_deref()), (RowRole::Parent, Some("TANK")));
    assert_eq!(row.group_aliases, ["TANK-M-Blue", "TANK-L-Red"]);
    let last = &row.listed_variants[1];
    assert_eq!(last.sku, "TANK-L-Red");
    let options: Vec<[&str; 2]> = last.options.iter().map(|o| [o.name.as_str(), o.value.as_str()]).collect();
    assert_eq!(options, [["Size", "L"], ["Colour", "Red"]]);
    assert!(row.prices.is_empty());
    assert_eq!((row.quantity, row.in_stock), (None, Some(true)));
}

#[test]
fn a_variant_of_its_own_row_waits_for_its_parent() {
    let row = map(&[
        ["sku", "TANK-M-Blue"],
        ["product_type", "simple"],
        ["visibility", "Not Visible Individually"],
        ["additional_attributes", "color=Blue,size=M"],
        ["price", "29.000000"],
    ]);
    assert_eq!((row.role, row.group.as_deref()), (RowRole::Item, None));
    assert!(row.is_variant_only);
    assert!(!row.is_hidden);
    assert_eq!(attribute(&row, "size"), ["M"]);
    assert_eq!(row.prices.len(), 1);
}

#[test]
fn rows_of_store_views_say_nothing() {
    let row = map(&[["sku", "A"], ["store_view_code", "de"], ["name", "Tasche"], ["price", "cheap"]]);
    let blank = DraftRow { place: row.place, role: RowRole::More, ..DraftRow::default() };
    assert_eq!(row, blank);
    assert_eq!(row.place.number, 3);
    assert_eq!(map(&[["sku", "A"], ["_store", "admin"]]).sku.as_deref(), Some("A"));
}

#[test]
fn categories_lose_their_root_and_keep_their_parents() {
    let split = |text: &str| map(&[["categories", text]]).categories;
    assert_eq!(
        split("Default Category/Men/Tops,Default Category/Gear,Default Category"),
        [vec!["Men", "Tops"], vec!["Gear"]],
    );
    assert_eq!(split("Root Catalog/Default Category/Sale"), [["Sale"]]);
    assert_eq!(
        split("Default Category/Hats, Gloves/Warm,Default Category/Gear"),
        [vec!["Hats, Gloves", "Warm"], vec!["Gear"]]
    );
    assert_eq!(split("Default Category/Men, Default Category/Gear"), [["Men"], ["Gear"]]);
    assert_eq!(split("Men, Gear"), [["Men"], ["Gear"]]);
    assert_eq!(split(r"Default Category/Hi\/Lo/Tops"), [["Hi/Lo", "Tops"]]);
    assert_eq!(
        map(&[["category", "Gear\nBags\r\n\nMen/Tops"]]).categories,
        [vec!["Gear"], vec!["Bags"], vec!["Men", "Tops"]]
    );
}

#[test]
fn packed_attributes_keep_commas_quotes_and_lists() {
    assert_eq!(pairs("color=Red,size=M|L"), ["color=Red", "size=M|L"]);
    assert_eq!(pairs("note=Soft, warm, light,size=M"), ["note=Soft, warm, light", "size=M"]);
    assert_eq!(pairs(r#"note="a, b=c","size"="M""#).first().map(String::as_str), Some("note=a, b=c"));
    assert_eq!(pairs(r#"note="say ""hi""",size="M"|"L,XL",x=1"#), [r#"note=say "hi""#, "size=M|L,XL", "x=1"]);
    assert_eq!(pairs(r#"length="5" tall,size=M"#), [r#"length="5" tall"#, "size=M"]);
    assert_eq!(pairs(r#"length="open,size=M"#), [r#"length="open"#, "size=M"]);
    assert_eq!(pairs("a=,b=1, c=2,=3,,url=x?y=z"), ["b=1", "c=2,=3,", "url=x?y=z"]);
    assert!(pairs("no pairs, at all").is_empty());
    let parsed = parse_pairs("size=M| |L");
    assert_eq!(parsed[0].values, ["M", "L"]);
}

#[test]
fn known_attributes_take_their_place() {
    let row = map(&[[
        "additional_attributes",
        "manufacturer=Oak &amp; Co,ean=4006381333931,material=<b>Oak</b>|Ash",
    ]]);
    assert_eq!(row.brand.as_deref(), Some("Oak & Co"));
    assert_eq!(row.gtin.as_deref(), Some("4006381333931"));
    assert_eq!(attribute(&row, "material"), ["Oak", "Ash"]);
    assert_eq!(row.attributes.len(), 1);
}

#[test]
fn attributes_in_columns_have_values_on_lines() {
    let long = format!("A long text\n{}", "about cloth ".repeat(20));
    let row = map(&[
        ["material", "Nylon\n\nMesh"],
        ["lid", "A &amp; B\nC"],
        ["care", &long],
        ["use_config_min_qty", "1"],
        ["new", "1"],
    ]);
    assert_eq!(attribute(&row, "material"), ["Nylon", "Mesh"]);
    assert_eq!(attribute(&row, "care").len(), 1);
    assert_eq!(attribute(&row, "new"), ["1"]);
    assert_eq!(attribute(&row, "lid"), ["A & B", "C"]);
    assert_eq!(row.attributes.len(), 4);
}

#[test]
fn disabled_products_are_hidden_and_others_shown_where_they_are_visible() {
    let names = |visibility: &str| {
        let row = map(&[["sku", "A"], ["visibility", visibility], ["product_online", "1"]]);
        assert!(!row.is_hidden);
        row.attributes.into_iter().map(|(name, _)| name).collect::<Vec<String>>()
    };
    assert!(names("Catalog, Search").is_empty());
    assert_eq!(names("Catalog"), ["ExcludeFromSearch"]);
    assert_eq!(names("Suche"), ["ExcludeFromProductListing"]);
    assert!(map(&[["product_online", "2"]]).is_hidden);
    let parent = [["product_type", "configurable"], ["sku", "A"], ["visibility", "Not Visible Individually"]];
    assert!(map(&parent).is_hidden);
}

#[test]
fn stock_follows_the_flag_then_the_number() {
    let stock = |flag, count, backorders, least| {
        let row = map(&[
            ["is_in_stock", flag],
            ["qty", count],
            ["allow_backorders", backorders],
            ["out_of_stock_qty", least],
        ]);
        row.in_stock
    };
    assert_eq!(stock("1.0000", "0", "", ""), Some(true));
    assert_eq!(stock("0", "9", "", ""), Some(false));
    assert_eq!(stock("", "3.0000", "0", "3.0000"), Some(false));
    assert_eq!(stock("", "0", "1", ""), Some(true));
    assert_eq!(stock("", "", "", ""), None);
    let untracked = [["is_in_stock", "0"], ["manage_stock", "0"], ["use_config_manage_stock", "0"]];
    assert_eq!(map(&untracked).in_stock, Some(true));
    assert_eq!(map(&untracked[..2]).in_stock, Some(false));
    assert_eq!(map(&[["qty", "100.0000"]]).quantity.as_deref(), Some("100"));
    assert_eq!(map(&[["is_in_stock", "perhaps"]]).issues[0].code, IssueCode::AvailabilityUnknown);
}

#[test]
fn a_special_price_holds_for_whole_days() {
    let row = map(&[
        ["special_price", "8.00"],
        ["special_price_from_date", "3/1/26, 12:00 AM"],
        ["special_price_to_date", "3/31/26, 12:00\u{202f}AM"],
    ]);
    assert_eq!(row.sale_prices, ["8.00 EUR"]);
    assert_eq!(
        (row.sale_start.as_deref(), row.sale_end.as_deref()),
        (Some("2026-03-01"), Some("2026-03-31"))
    );
    assert!(row.issues.is_empty());
    let date = |text: &str| map(&[["special_price_from_date", text]]).sale_start;
    assert_eq!(date("01.03.26, 00:00").as_deref(), Some("2026-03-01"));
    assert_eq!(date("11/27/2026, 1:30 PM").as_deref(), Some("2026-11-27T13:30:00"));
    assert_eq!(date("2026-03-31 00:00:00").as_deref(), Some("2026-03-31"));
    assert_eq!(date("someday").as_deref(), Some("someday"));
}

#[test]
fn only_whole_addresses_are_pictures() {
    let row = map(&[
        ["base_image", "/m/b/mb01.jpg"],
        ["additional_images", "/m/b/1.jpg,https://cdn.example/2.jpg,https://cdn.example/3.jpg"],
        ["url_key", "a"],
    ]);
    assert_eq!(row.image.as_deref(), Some("https://cdn.example/2.jpg"));
    assert_eq!(row.more_images, ["https://cdn.example/3.jpg"]);
    assert_eq!(row.link, None);
    assert_eq!(map(&[["base_image", "no_selection"]]).image, None);
}

#[test]
fn a_bundle_of_dynamic_price_has_none() {
    let row = map(&[
        ["product_type", "bundle"],
        ["price", "0.000000"],
        ["bundle_values", "name=A,sku=B"],
        ["sku", "S"],
    ]);
    assert!(row.prices.is_empty());
    assert_eq!(row.role, RowRole::Item);
    assert!(row.attributes.is_empty());
}

#[test]
fn listed_variants_with_bars_and_without_sku_are_read_as_far_as_they_go() {
    let listed = parse_variations("sku=A,size=S|M|size=L|sku=B,display=1,size=XL", "");
    assert_eq!(listed.iter().map(|variant| variant.sku.as_str()).collect::<Vec<_>>(), ["A", "B"]);
    assert_eq!(listed[0].options[0].value, "S|M");
    assert_eq!(listed[1].options.len(), 1);
    assert_eq!(listed[1].options[0].name, "size");
}

#[test]
fn a_long_label_is_not_copied_into_every_variant() {
    let labels = format!("size={},color=Colour", "x".repeat(100_000));
    let options = "size=M,color=Red,".repeat(100);
    let listed = parse_variations(&format!("sku=A,{options}"), &labels);
    assert_eq!(listed[0].options.len(), 40);
    assert_eq!((listed[0].options[0].name.as_str(), listed[0].options[1].name.as_str()), ("size", "Colour"));
}

#[test]
fn hostile_values_are_bounded_and_read_in_linear_time() {
    let many = 100_000;
    for part in [
        "a=,", "a=b,", "a=\"b,", "a=\"\"\"", "=", "|", "sku=a|", ",", "\"|\"", "a=\"b\"|", "/", ", ", "\\/",
        "\n", "é=",
    ] {
        let text = part.repeat(many);
        let row = map(&[
            ["sku", "A"],
            ["categories", &text],
            ["additional_attributes", &text],
            ["configurable_variations", &text],
            ["configurable_variation_labels", &text],
            ["other", &text],
            ["special_price_from_date", &text],
        ]);
        assert!(row.listed_variants.len() <= 4_000);
        assert!(row.attributes.len() <= 1_001);
    }
    assert_eq!(MAGENTO_CSV.find_use("bundle_anything"), ColumnUse::LeftOut);
}

#[test]
fn no_two_rules_share_a_name() {
    let mut names = std::collections::HashSet::new();
    for rule in MAGENTO_CSV.columns {
        for name in rule.also.iter().chain([&rule.name]) {
            assert!(names.insert(normalise_name(name)), "{name}");
        }
    }
}

#[test]
fn a_disabled_parent_claims_no_variants() {
    let cells = |online: &'static str| {
        map(&[
            ["sku", "TANK"],
            ["product_type", "configurable"],
            ["product_online", online],
            ["configurable_variations", "sku=TANK-S,size=S|sku=TANK-M,size=M"],
        ])
    };
    assert_eq!(cells("1").group_aliases, ["TANK-S", "TANK-M"]);
    let disabled = cells("2");
    assert!(disabled.is_hidden && disabled.group_aliases.is_empty() && disabled.listed_variants.is_empty());
    assert_eq!(disabled.group.as_deref(), Some("TANK"));
}

#[test]
fn the_shops_own_cost_is_left_out() {
    let row = map(&[["sku", "A"], ["cost", "3.50"], ["additional_attributes", "cost=3.50,color=Red"]]);
    assert_eq!(row.attributes, [("color".to_owned(), vec!["Red".to_owned()])]);
}

#[test]
fn a_packed_attribute_adds_to_the_column_of_its_name() {
    let row = map(&[["sku", "A"], ["color", "Blue"], ["additional_attributes", "color=Red,size=M,size=L"]]);
    assert_eq!(attribute(&row, "color"), ["Blue", "Red"]);
    assert_eq!(attribute(&row, "size"), ["M", "L"]);
}
