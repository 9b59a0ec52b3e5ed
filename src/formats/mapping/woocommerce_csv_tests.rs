//! Rows of exports of WooCommerce.

use super::*;
use crate::formats::mapping::engine::RecordMapper;
use crate::formats::mapping::format_rules::{MappingRules, normalise_name};
use crate::formats::records::headings::Headings;
use crate::formats::records::record::{FeedRecord, RecordValue};

/// The row of a record, given as `column` and `value` in turn; empty values are left out, as by a reader.
fn map(cells: &[[&str; 2]]) -> DraftRow {
    let mut headings = Headings::default();
    let mut record = FeedRecord::default();
    for [name, text] in cells {
        let column = headings.intern(name).unwrap();
        if !text.is_empty() {
            record.values.push(RecordValue { column, text: (*text).to_owned() });
        }
    }
    let context = MappingContext { currency: Some("EUR"), ..MappingContext::default() };
    RecordMapper::new(&WOOCOMMERCE_CSV, context).map_record(&headings, &record)
}

fn attribute<'a>(row: &'a DraftRow, name: &str) -> Vec<&'a str> {
    let values = row.attributes.iter().find(|(known, _)| known == name).map(|(_, values)| values);
    values.into_iter().flatten().map(String::as_str).collect()
}

fn options(row: &DraftRow) -> Vec<[&str; 2]> {
    row.options.iter().map(|option| [option.name.as_str(), option.value.as_str()]).collect()
}

#[test]
fn a_variable_product_is_a_parent_by_its_sku_and_by_its_id() {
    let row = map(&[
        ["ID", "12"],
        ["Type", "variable"],
        ["SKU", "TEE"],
        ["Name", "Tee"],
        ["Attribute 1 name", "Colour"],
        ["Attribute 1 value(s)", r"Blue, Green\, dark,Red"],
        ["Attribute 1 default", "Red"],
    ]);
    assert_eq!(row.role, RowRole::Parent);
    assert_eq!(row.group.as_deref(), Some("TEE"));
    assert_eq!(row.group_aliases, ["id:12"]);
    assert_eq!(row.options, []);
    assert_eq!(attribute(&row, "Colour"), ["Blue", "Green, dark", "Red"]);
    let row = map(&[["ID", "12"], ["Type", "Variable-Subscription"]]);
    assert_eq!(row.group.as_deref(), Some("id:12"));
    assert!(row.group_aliases.is_empty());
}

#[test]
fn a_variation_names_its_product_and_has_options() {
    let row = map(&[
        ["ID", "13"],
        ["Type", "variation"],
        ["SKU", "TEE-RED"],
        ["Parent", "TEE"],
        ["Attribute 1 name", "Colour"],
        ["Attribute 1 value(s)", "Red"],
        ["Attribute 2 name", "Size"],
        ["Attribute 2 value(s)", ""],
        ["Attribute 10 name", "Fit"],
        ["Attribute 10 value(s)", "Slim"],
    ]);
    assert_eq!(row.role, RowRole::Item);
    assert_eq!(row.group.as_deref(), Some("TEE"));
    assert_eq!(options(&row), [["Colour", "Red"], ["Fit", "Slim"]]);
    assert!(row.attributes.is_empty());
    assert!(row.issues.is_empty());
    for parent in ["id:12", "ID: 12"] {
        assert_eq!(map(&[["Type", "variation"], ["Parent", parent]]).group.as_deref(), Some("id:12"));
    }
}

#[test]
fn a_variation_without_a_product_is_noticed() {
    let row = map(&[["ID", "13"], ["Type", "variation"]]);
    assert_eq!(row.issues.first().map(|issue| issue.code), Some(IssueCode::ParentMissing));
    assert_eq!(row.group, None);
}

#[test]
fn a_simple_product_has_attributes_and_belongs_to_no_group() {
    let row = map(&[
        ["Type", "simple, downloadable, virtual"],
        ["SKU", "ALBUM"],
        ["Parent", "OTHER"],
        ["Attribute 1 name", "Label"],
        ["Attribute 1 value(s)", "A,,B"],
        ["Attribute 2 value(s)", "nameless"],
        ["Download 1 URL", "https://shop.example/secret.mp3"],
        ["Meta: _x", "1"],
        ["Metal", "Silver"],
        ["Weight (lbs)", "2"],
    ]);
    assert_eq!(row.role, RowRole::Item);
    assert_eq!(row.group, None);
    assert_eq!(attribute(&row, "Label"), ["A", "B"]);
    assert_eq!(attribute(&row, "Metal"), ["Silver"]);
    assert_eq!(attribute(&row, "Weight (lbs)"), ["2"]);
    assert_eq!(row.attributes.len(), 3);
}

#[test]
fn categories_have_parents_and_escaped_commas() {
    let row = map(&[
        ["Categories", r"Home > Lamps\, lights > Desk, Sale,Sale, "],
        ["Tags", r"warm\, dim, led"],
        ["Brands", "Lumen > Lumen Pro, Other"],
    ]);
    assert_eq!(row.categories, [vec!["Home", "Lamps, lights", "Desk"], vec!["Sale"]]);
    assert_eq!(row.tags, ["warm, dim", "led"]);
    assert_eq!(row.brand.as_deref(), Some("Lumen Pro"));
    assert_eq!(attribute(&row, "Brands"), ["Other"]);
}

#[test]
fn only_published_and_visible_products_are_for_sale() {
    for (published, is_hidden) in [("1", false), ("0", true), ("-1", true), ("", false)] {
        assert_eq!(map(&[["Published", published]]).is_hidden, is_hidden, "{published}");
    }
    let exclusions = [
        ("visible", None),
        ("catalog", Some("ExcludeFromSearch")),
        ("search", Some("ExcludeFromProductListing")),
    ];
    for (visibility, name) in exclusions {
        let row = map(&[["Visibility in catalog", visibility]]);
        assert!(!row.is_hidden);
        let names: Vec<&str> = row.attributes.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, Vec::from_iter(name), "{visibility}");
    }
    assert!(map(&[["Visibility in catalog", "hidden"]]).is_hidden);
}

#[test]
fn stock_is_told_by_its_flag_then_by_its_number_and_backorders() {
    let stock = |flag, count, backorders| {
        map(&[["In stock?", flag], ["Stock", count], ["Backorders allowed?", backorders]]).in_stock
    };
    assert_eq!(stock("1", "0", "0"), Some(true));
    assert_eq!(stock("0", "5", "1"), Some(false));
    assert_eq!(stock("backorder", "0", "1"), Some(true));
    assert_eq!(stock("", "0", "0"), Some(false));
    assert_eq!(stock("", "0", "notify"), Some(true));
    assert_eq!(stock("", "3", "0"), Some(true));
    assert_eq!(stock("", "", "1"), None);
    let shared = map(&[["Stock", "parent"], ["In stock?", "1"]]);
    assert_eq!((shared.quantity, shared.issues.len()), (None, 0));
    assert_eq!(map(&[["Stock", "3.50"]]).quantity.as_deref(), Some("3.5"));
}

#[test]
fn an_external_address_is_the_link_of_a_product_without_another() {
    let outside = ["External URL", "https://partner.example/a"];
    assert_eq!(map(&[outside]).link.as_deref(), Some("https://partner.example/a"));
    let own = map(&[outside, ["Permalink", "https://shop.example/a"]]);
    assert_eq!(own.link.as_deref(), Some("https://shop.example/a"));
    assert_eq!(map(&[["External URL", "javascript:alert(1)"]]).link, None);
}

#[test]
fn a_german_export_means_the_same() {
    let row = map(&[
        ["Typ", "variation"],
        ["Artikelnummer", "T-1"],
        ["Veröffentlicht", "1"],
        ["Kurzbeschreibung", "Kurz"],
        ["Regulärer Preis", "12.50"],
        ["Angebotspreis", "9.90"],
        ["Kategorien", "Mode > Hemden"],
        ["Übergeordnetes Produkt", "id:4"],
        ["Attribut 3 Name", "Farbe"],
        ["Attribut 3 Wert(e)", "Rot"],
        ["Attribut 3 Sichtbar", "1"],
    ]);
    assert_eq!(row.sku.as_deref(), Some("T-1"));
    assert_eq!(row.description.as_deref(), Some("Kurz"));
    assert_eq!(row.prices, ["12.50 EUR"]);
    assert_eq!(row.sale_prices, ["9.90 EUR"]);
    assert_eq!(row.group.as_deref(), Some("id:4"));
    assert_eq!(options(&row), [["Farbe", "Rot"]]);
    assert!(row.attributes.is_empty());
}

#[test]
fn numbers_of_attributes_are_read_up_to_255() {
    assert_eq!(find_other("attribute255name"), ColumnUse::OptionName(255));
    assert_eq!(find_other("attribute256name"), ColumnUse::LeftOut);
    assert_eq!(find_other("attribute0name"), ColumnUse::LeftOut);
    assert_eq!(find_other("attribute99999999999999999999values"), ColumnUse::LeftOut);
    assert_eq!(find_other("attributeset"), ColumnUse::Attribute);
    assert_eq!(WOOCOMMERCE_CSV.find_use("Attribute 7 value(s)"), ColumnUse::OptionValue(7));
}

#[test]
fn hostile_lists_are_cut_off() {
    let commas = "a,".repeat(500_000);
    let slashes = r"\".repeat(500_000);
    let row = map(&[
        ["Categories", &commas],
        ["Tags", &commas],
        ["Attribute 1 name", "x"],
        ["Attribute 1 value(s)", &commas],
        ["Brands", &slashes],
    ]);
    assert_eq!(row.tags.len(), LIST_MAX);
    assert_eq!(attribute(&row, "x").len(), LIST_MAX);
    assert_eq!(split_list(r"\"), [r"\"]);
    assert_eq!(split_list(r"a\,"), ["a,"]);
    assert!(split_list(", ,\u{a0},").is_empty());
    assert_eq!(split_list("ä,ö"), ["ä", "ö"]);
}

#[test]
fn no_two_rules_share_a_name() {
    let mut names = std::collections::HashSet::new();
    for rule in WOOCOMMERCE_CSV.columns {
        for name in rule.also.iter().chain([&rule.name]) {
            assert!(names.insert(normalise_name(name)), "{name}");
        }
    }
}

#[test]
fn the_shops_own_cost_is_left_out_and_an_hour_of_one_digit_is_read() {
    let row = map(&[
        ["ID", "1"],
        ["Cost of goods", "3.50"],
        ["Regular price", "12"],
        ["Sale price", "10"],
        ["Date sale price starts", "2026-11-01 0:00:00"],
        ["Date sale price ends", "2026-11-30 9:30:00"],
    ]);
    assert_eq!(row.attributes, []);
    assert_eq!(row.sale_start.as_deref(), Some("2026-11-01T00:00:00"));
    assert_eq!(row.sale_end.as_deref(), Some("2026-11-30T09:30:00"));
}
