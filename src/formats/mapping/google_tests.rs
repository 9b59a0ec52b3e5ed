//! Rows of Google feeds.

use super::*;
use crate::formats::mapping::engine::RecordMapper;
use crate::formats::mapping::format_rules::MappingRules;
use crate::formats::records::headings::Headings;
use crate::formats::records::record::{FeedRecord, RecordValue};

/// The row that Google's columns and their values mean.
fn map(values: &[(&str, &str)]) -> DraftRow {
    let mut headings = Headings::default();
    let mut record = FeedRecord::default();
    for (name, text) in values {
        let column = headings.intern(name).unwrap();
        record.values.push(RecordValue { column, text: (*text).to_owned() });
    }
    RecordMapper::new(&GOOGLE, MappingContext::default()).map_record(&headings, &record)
}

fn attribute_values<'a>(row: &'a DraftRow, name: &str) -> Vec<&'a str> {
    let found = row.attributes.iter().filter(|(known, _)| known == name);
    found.flat_map(|(_, values)| values).map(String::as_str).collect()
}

#[test]
fn a_column_is_known_in_every_writing_of_its_name() {
    for name in ["image_link", "image link", "Image Link", "g:image_link", "IMAGE-LINK", "imageLink"] {
        assert_eq!(GOOGLE.find_use(name), ColumnUse::Image, "{name}");
    }
    for name in ["gtin", "g:gtin", "GTIN"] {
        assert_eq!(GOOGLE.find_use(name), ColumnUse::Gtin, "{name}");
    }
    assert_eq!(GOOGLE.find_use("g:gender"), ColumnUse::AttributeNamed("gender"));
    assert_eq!(GOOGLE.find_use("gender"), ColumnUse::AttributeNamed("gender"));
}

#[test]
fn attributes_made_of_others_are_left_out_in_both_writings() {
    for name in [
        "shipping",
        "shipping(country)",
        "shipping(country:price)",
        "g:shipping(country:region:service:price)",
        "tax(country:region:rate:tax_ship)",
        "installment(months:amount)",
        "loyalty_program(program_label:tier_label:price)",
        "free_shipping_threshold(country:price_threshold)",
        "certification(certification_authority)",
        "product_detail(section_name)",
        "applink.ios_url",
    ] {
        assert_eq!(GOOGLE.find_use(name), ColumnUse::LeftOut, "{name}");
    }
    for name in ["shipping note", "taxonomy", "taxi", "siroop_category", "geometry", "images"] {
        assert_eq!(GOOGLE.find_use(name), ColumnUse::Attribute, "{name}");
    }
    assert_eq!(GOOGLE.find_use("image[0].url"), ColumnUse::Image);
}

#[test]
fn no_two_rules_share_a_name_and_each_column_left_out_says_why() {
    let names = COLUMNS.iter().flat_map(|rule| [rule.name].into_iter().chain(rule.also.iter().copied()));
    let mut names: Vec<String> = names.map(normalise_name).collect();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
    for rule in COLUMNS.iter().filter(|rule| rule.becomes == ColumnUse::LeftOut) {
        assert!(rule.note.ends_with('.'), "{}", rule.name);
    }
}

#[test]
fn a_whole_item_is_a_row() {
    let row = map(&[
        ("id", "sofa-1-red"),
        ("title", "Sofa <b>Ida</b>"),
        ("description", "Soft &amp; wide"),
        ("link", "https://shop.example/sofa"),
        ("image_link", "https://shop.example/1.jpg"),
        ("additional_image_link", "https://shop.example/2.jpg,https://shop.example/3.jpg"),
        ("price", "499.00 EUR"),
        ("sale_price", "399.00 EUR"),
        ("availability", "in_stock"),
        ("brand", "Oakworks"),
        ("gtin", "4006381333931"),
        ("mpn", "ID-1"),
        ("item_group_id", "sofa-1"),
        ("color", "Red/Black"),
        ("size", "S, M"),
        ("age_group", "adult"),
        ("product_type", "Living > Sofas"),
        ("shipping(price)", "9.90 EUR"),
        ("cost_of_goods_sold", "100 EUR"),
        ("product_highlight", "Soft"),
        ("product_highlight", "Wide"),
    ]);
    assert_eq!(row.id.as_deref(), Some("sofa-1-red"));
    assert_eq!(row.title.as_deref(), Some("Sofa Ida"));
    assert_eq!(row.description.as_deref(), Some("Soft & wide"));
    assert_eq!(row.more_images.len(), 2);
    assert_eq!((row.prices, row.sale_prices), (vec!["499.00 EUR".to_owned()], vec!["399.00 EUR".to_owned()]));
    assert_eq!((row.in_stock, row.sku, row.gtin.as_deref()), (Some(true), None, Some("4006381333931")));
    assert_eq!(row.group.as_deref(), Some("sofa-1"));
    let options: Vec<(&str, &str)> =
        row.options.iter().map(|option| (option.name.as_str(), option.value.as_str())).collect();
    assert_eq!(options, [("Color", "Red/Black"), ("Size", "S, M")]);
    assert_eq!(row.categories, [["Living", "Sofas"]]);
    let attributes: Vec<(&str, usize)> =
        row.attributes.iter().map(|(name, values)| (name.as_str(), values.len())).collect();
    assert_eq!(attributes, [("mpn", 1), ("age_group", 1), ("product_highlight", 2)]);
}

#[test]
fn color_and_size_of_a_product_on_its_own_are_attributes() {
    let row = map(&[("id", "1"), ("color", "Red"), ("size", "M"), ("size_system", "EU")]);
    assert!(row.options.is_empty());
    assert_eq!(attribute_values(&row, "Color"), ["Red"]);
    assert_eq!(attribute_values(&row, "Size"), ["M"]);
    assert_eq!(attribute_values(&row, "size_system"), ["EU"]);
}

#[test]
fn the_shops_own_category_wins_over_those_of_channels() {
    const PATH: &str = "Furniture > Sofas";
    for (values, path, kept) in [
        (&[("google_product_category", PATH)][..], &["Furniture", "Sofas"][..], None),
        (&[("google_product_category", "460 - Furniture > Sofas")], &["Furniture", "Sofas"], None),
        (&[("google_product_category", "460")], &[], Some("460")),
        (&[("google_product_category", PATH), ("product_type", "Ida")], &["Ida"], Some(PATH)),
        (&[("product_type", "3D"), ("google_product_category", "460")], &["3D"], Some("460")),
        (&[("google_product_category", "3D printers")], &["3D printers"], None),
    ] {
        let row = map(values);
        assert_eq!(row.categories.first().map_or(&[][..], Vec::as_slice), path, "{values:?}");
        assert_eq!(attribute_values(&row, "google_product_category"), Vec::from_iter(kept), "{values:?}");
    }
    let row = map(&[("fb_product_category", "Sofas"), ("google_product_category", PATH)]);
    assert_eq!(row.categories, [["Furniture", "Sofas"]]);
    assert_eq!(attribute_values(&row, "fb_product_category"), ["Sofas"]);
}

#[test]
fn an_identifier_that_does_not_exist_is_dropped() {
    for (exists, kept) in [("no", false), ("FALSE", false), ("yes", true)] {
        let row = map(&[("gtin", "4006381333931"), ("identifier_exists", exists)]);
        assert_eq!(row.gtin.is_some(), kept, "{exists}");
    }
    assert_eq!(map(&[("gtin", "4006381333931, 4006381333948")]).gtin.as_deref(), Some("4006381333931"));
}

#[test]
fn nothing_left_is_not_in_stock_unless_availability_says_otherwise() {
    for (values, in_stock) in [
        (&[("quantity", "0")][..], Some(false)),
        (&[("quantity", "-2")], Some(false)),
        (&[("quantity_to_sell_on_facebook", "0")], Some(false)),
        (&[("quantity", "3")], None),
        (&[("quantity", "0"), ("availability", "preorder")], Some(true)),
        (&[("inventory", "5"), ("availability", "out of stock")], Some(false)),
    ] {
        assert_eq!(map(values).in_stock, in_stock, "{values:?}");
    }
}

#[test]
fn a_row_without_an_id_has_its_link_for_one() {
    let row = map(&[("link", "https://shop.example/a"), ("title", "A")]);
    assert_eq!(row.id.as_deref(), Some("https://shop.example/a"));
    assert_eq!(map(&[("title", "A")]).id, None);
}

#[test]
fn structured_and_short_texts_stand_in_for_missing_ones() {
    let row = map(&[
        ("structured_title(digital_source_type)", "trained_algorithmic_media"),
        ("structured_title(content)", "Sofa Ida"),
        ("structured_description", "trained_algorithmic_media:\"Soft, wide\""),
        ("short_description", "Sofa"),
    ]);
    assert_eq!((row.title.as_deref(), row.description.as_deref()), (Some("Sofa Ida"), Some("Soft, wide")));
    let row = map(&[("structured_title(content)", "Other"), ("title", "Own"), ("summary", "<p>Short</p>")]);
    assert_eq!((row.title.as_deref(), row.description.as_deref()), (Some("Own"), Some("Short")));
}

#[test]
fn details_are_attributes_of_their_own_names() {
    let row = map(&[
        ("product_detail(section_name)", "General"),
        ("product_detail(attribute_name)", "Seats"),
        ("product_detail(attribute_value)", "3"),
        ("product_detail(attribute_name)", "Cover"),
        ("product_detail(attribute_value)", "Wool"),
    ]);
    assert_eq!((attribute_values(&row, "Seats"), attribute_values(&row, "Cover")), (vec!["3"], vec!["Wool"]));
    for name in ["product_detail", "product_detail(section_name:attribute_name:attribute_value)"] {
        let row = map(&[(name, "General:Seats:3,General:Cover:Wool")]);
        assert_eq!(
            (attribute_values(&row, "Seats"), attribute_values(&row, "Cover")),
            (vec!["3"], vec!["Wool"])
        );
        assert_eq!(row.attributes.len(), 2);
    }
}

#[test]
fn columns_that_google_does_not_know_are_attributes_by_their_names() {
    let row = map(&[("siroop_category", "s6340"), ("warranty", "24")]);
    assert_eq!(attribute_values(&row, "siroop_category"), ["s6340"]);
    assert_eq!(attribute_values(&row, "warranty"), ["24"]);
}

#[test]
fn archived_and_hidden_rows_of_meta_are_not_for_sale() {
    for (name, text, is_hidden) in [
        ("status", "archived", true),
        ("status", "active", false),
        ("visibility", "Hidden", true),
        ("visibility", "published", false),
    ] {
        assert_eq!(map(&[("id", "1"), (name, text)]).is_hidden, is_hidden, "{name} {text}");
    }
}
