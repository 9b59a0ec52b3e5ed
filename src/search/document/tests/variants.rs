//! Variants of rows: their own members, and what they take from their product.

use serde_json::{Value, json};

use super::*;
use crate::limits;
use crate::search::pricing::{Period, Price};

#[test]
fn names_of_values_of_variants_are_at_most_four_times_as_long_as_the_settings() {
    let ids: Vec<String> = (0..300).map(|id| id.to_string()).collect();
    let twice = [ids.clone(), ids.clone()].concat();
    let option = |label: &str| serde_json::json!({"label": label, "products": twice});
    let label = |number: usize| format!("{}{number}", "a long label ".repeat(12));
    let options: Vec<_> = (0..50).map(|number| option(&label(number))).collect();
    let long = "x".repeat(10_000);
    let settings = serde_json::json!({"attributes": {"1": {"options": [option(&long)]},
                                                     "2": {"options": options}}})
    .to_string();
    let row = serde_json::json!({"Id": "1", "AssociatedIds": ids, "jsonconfig": settings}).to_string();
    let document = read_document(row.as_bytes(), &tables()).expect("a product");
    let [option] = document.variants[0].options.as_slice() else { panic!("one option") };
    assert_eq!(option.name, "2");
    let first: Vec<_> = option.values.iter().take(2).map(AttributeValue::text).collect();
    assert_eq!(first, [label(0), label(1)]);
    let options = document.variants.iter().flat_map(|variant| &variant.options);
    let written: usize = options.flat_map(|option| &option.values).map(|value| value.text().len()).sum();
    let bound = 4 * settings.len();
    assert!(written > bound / 2 && written <= bound, "{written} of {bound}");
}

fn variants_of(row: &Value) -> Vec<Variant> {
    read(&row.to_string()).variants
}

fn display_of(variant: &Variant) -> Value {
    serde_json::from_slice(&variant.display).expect("JSON")
}

#[test]
fn a_variant_has_its_own_members_and_the_stock_of_its_product_where_it_tells_none() {
    let row = |stock: Value| {
        json!({"Id": "1", "StockQty": stock, "Variants": [
            {"Id": "a", "Gtin": "4006381333931", "Options": {"Colour": "Red &amp; blue", "Size": ["S", "M"]},
             "Attributes": {"Colour": "none", "Fabric": "wool"}, "Image": "https://x.test/?a=1&amp;b=2", "StockQty": 0},
            {"Sku": "b", "InStock": true},
            {"Id": "c"},
            {"Title": "of no id"}]})
    };
    for (stock, is_there) in [(json!(3), true), (json!(0), false)] {
        let document = read(&row(stock).to_string());
        let told: Vec<_> =
            document.variants.iter().map(|variant| (variant.id.as_str(), variant.in_stock)).collect();
        assert_eq!(told, [("a", false), ("b", true), ("c", is_there)]);
        assert!(document.in_stock, "one of its variants is");
    }
    let variants = variants_of(&row(json!(3)));
    let names: Vec<_> = variants[0].own_attributes().map(|attribute| attribute.name.as_str()).collect();
    assert_eq!(names, ["Colour", "Size", "Fabric"], "an option comes before an attribute of its name");
    assert_eq!(
        display_of(&variants[0]),
        json!({"Id": "a", "Gtin": "4006381333931", "Options": {"Colour": "Red & blue", "Size": ["S", "M"]},
               "Attributes": {"Colour": "none", "Fabric": "wool"}, "Image": "https://x.test/?a=1&b=2"}),
        "no answer shows how many there are"
    );
}

#[test]
fn a_variant_without_stock_makes_its_product_sold_out_where_all_are() {
    let row = json!({"Id": "1", "InStock": true, "Variants": [{"Id": "a", "InStock": false}]});
    assert!(!read(&row.to_string()).in_stock);
}

#[test]
fn prices_of_a_variant_are_its_own_where_it_tells_them_and_an_empty_list_is_none() {
    let row = json!({"Id": "1", "SalePriceStartDate": "2026-02-01", "SalePriceEndDate": "2026-02-28", "Variants": [
        {"Id": "a", "Prices": ["2.00 GBP"], "SalePrices": [], "GroupPrices": {"trade": {"Prices": ["1.00 GBP"]}}},
        {"Id": "b", "SalePriceEndDate": "2026-02-10"},
        {"Id": "c", "SalePriceStartDate": "no day"}]});
    let variants = variants_of(&row);
    let own = &variants[0].offer;
    assert_eq!(own.lists, Some(vec![Price::parse("2.00 GBP").expect("a price")]));
    assert_eq!((&own.sales, own.sale), (&Some(Vec::new()), None));
    assert_eq!(own.groups[0].0, "trade");
    let february = variants[1].offer.sale.expect("a period");
    assert_eq!(february.until - february.from, 10 * 86_400, "it begins with its product's");
    assert_eq!(variants[2].offer.sale, Some(Period::NEVER));
    assert!(!String::from_utf8_lossy(&variants[0].display).contains("GBP"), "prices are the caller's");
}

#[test]
fn variants_that_a_row_tells_twice_are_there_once() {
    let row = json!({"Id": "1", "AssociatedIds": ["a", "c"], "AssociatedSkus": ["s", "t"],
        "Variants": [{"Id": "a", "Options": {"Size": "S"}}]});
    let variants = variants_of(&row);
    let ids: Vec<_> = variants.iter().map(|variant| variant.id.as_str()).collect();
    assert_eq!(ids, ["a", "c"]);
    assert_eq!(display_of(&variants[1]), json!({"Id": "c", "Sku": "t"}));
}

#[test]
fn a_product_has_the_values_of_its_variants_and_its_own_where_one_has_none() {
    let row = |second: Value| {
        json!({"Id": "1", "Attributes": {"Fabric": "wool", "Season": "winter"}, "Variants": [
            {"Id": "a", "Options": {"Size": "L"}, "Attributes": {"Fabric": "linen"}}, second]})
    };
    let held = |row: &Value| -> Vec<(String, Vec<String>)> {
        let document = read(&row.to_string());
        let texts =
            |attribute: &Attribute| attribute.values.iter().map(|value| value.text().to_owned()).collect();
        document
            .held_attributes()
            .iter()
            .map(|attribute| (attribute.name.clone(), texts(attribute)))
            .collect()
    };
    let expected = |fabrics: &[&str], sizes: &[&str]| {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        vec![
            ("Fabric".to_owned(), owned(fabrics)),
            ("Season".to_owned(), owned(&["winter"])),
            ("Size".to_owned(), owned(sizes)),
        ]
    };
    assert_eq!(
        held(&row(json!({"Id": "b", "Options": {"Size": "S"}}))),
        expected(&["linen", "wool"], &["L", "S"])
    );
    let other = json!({"Id": "b", "Options": {"Size": "S"}, "Attributes": {"Fabric": "silk"}});
    assert_eq!(held(&row(other.clone())), expected(&["linen", "silk"], &["L", "S"]));
    let card: Value = serde_json::from_slice(&read(&row(other).to_string()).display.card).expect("JSON");
    assert_eq!(card["Options"], json!({"Size": ["S", "L"]}), "in the order of sizes");
    assert_eq!(card.get("Variants"), None);
}

#[test]
fn an_option_of_the_settings_takes_the_place_of_an_attribute_of_its_name() {
    let option = json!({"label": "Red", "products": ["a"]});
    let settings = json!({"attributes": {"93": {"label": "Colour", "options": [option]}}}).to_string();
    let row = json!({"Id": "1", "jsonconfig": settings, "Variants": [
        {"Id": "a", "Attributes": {"Colour": "Blue", "Fabric": "wool"}},
        {"Id": "b", "Attributes": {"Colour": "Black"}}]});
    let document = read(&row.to_string());
    let held = document.held_attributes();
    let colours = held.iter().find(|attribute| attribute.name == "Colour").expect("the colours");
    let texts: Vec<_> = colours.values.iter().map(AttributeValue::text).collect();
    assert_eq!(texts, ["Red", "Black"]);
    let names: Vec<_> = document.variants[0].own_attributes().map(|own| own.name.as_str()).collect();
    assert_eq!(names, ["Colour", "Fabric"]);
}

#[test]
fn an_attribute_of_a_product_that_is_told_twice_has_the_values_of_both() {
    let row = r#"{"Id":"1","Fabric":"wool","Attributes":{"Fabric":"linen"},"Variants":[
        {"Id":"a","Attributes":{"Fabric":"jute","Fabric":"silk"}},{"Id":"b"}]}"#;
    let document = read(row);
    let fabrics = |variant: &Variant| -> Vec<String> {
        let values = variant.values_of("Fabric", &document.attributes);
        values.iter().map(|value| value.text().to_owned()).collect()
    };
    assert_eq!(fabrics(&document.variants[0]), ["silk"]);
    assert_eq!(fabrics(&document.variants[1]), ["wool", "linen"]);
    let held: Vec<_> = document.held_attributes().iter().flat_map(|held| held.values.clone()).collect();
    assert_eq!(
        held,
        ["silk", "wool", "linen"].map(AttributeValue::parse),
        "what the variants have, and no more"
    );
}

#[test]
fn settings_tell_no_more_options_and_values_than_a_variant_may_have() {
    let option = |label: String| json!({"label": label, "products": ["a", "a"]});
    let attribute = |number: usize| {
        let options: Vec<_> = (0..300).chain(0..3).map(|value| option(format!("v{value}"))).collect();
        (format!("k{number}"), json!({"label": format!("Option {number}"), "options": options}))
    };
    let attributes: serde_json::Map<_, _> = (0..limits::VARIANT_OPTIONS + 2).map(attribute).collect();
    let settings = json!({"attributes": attributes}).to_string();
    let variants = variants_of(&json!({"Id": "1", "AssociatedIds": ["a"], "jsonconfig": settings}));
    let options = &variants[0].options;
    assert_eq!(options.len(), limits::VARIANT_OPTIONS);
    for option in options {
        assert_eq!(option.values.len(), 256, "{}", option.name);
        assert_eq!(option.values[255].text(), "v255");
    }
}

#[test]
fn a_variant_has_the_number_of_its_barcode_attribute_unless_it_tells_one() {
    let variants = variants_of(&json!({"Id": "1", "Variants": [
        {"Id": "a", "Attributes": {"Fabric": "wool", "EAN 13": "4006381333931", "UPC": "036000291452"}},
        {"Id": "b", "Gtin": "4006381333948", "Attributes": {"Barcode": "4006381333931"}},
        {"Id": "c", "Attributes": {"Colour": "Red"}}]}));
    let numbers: Vec<_> = variants.iter().map(|variant| variant.gtin.as_str()).collect();
    assert_eq!(numbers, ["4006381333931", "4006381333948", ""]);
    assert_eq!(display_of(&variants[0])["Gtin"], "4006381333931");
}

#[test]
fn an_object_that_lacks_a_number_is_the_variant_of_the_other_one() {
    let row = json!({"Id": "1", "AssociatedIds": ["52", "b", "61"], "AssociatedSkus": ["S1", "T1", "U1"],
        "Variants": [{"Sku": "S1"}, {"Id": "b"}]});
    let document = read(&row.to_string());
    let ids: Vec<_> = document.variants.iter().map(|variant| variant.id.as_str()).collect();
    assert_eq!(ids, ["S1", "b", "61"]);
    assert_eq!(document.further_numbers, ["52", "T1"]);
}

#[test]
fn a_variant_that_a_delta_changed_keeps_its_place_and_the_options_of_the_settings() {
    let option = |label: &str, product: &str| json!({"label": label, "products": [product]});
    let settings = json!({"attributes": {"93": {"label": "Colour",
        "options": [option("Black", "901"), option("Red", "904"), option("Blue", "907")]}}});
    let row = json!({"Id": "900", "AssociatedIds": ["901", "904", "907"], "jsonconfig": settings.to_string(),
        "Variants": [{"Id": "904", "StockQty": 0}, {"Id": "new", "Options": {"Colour": "Green"}}]});
    let variants = variants_of(&row);
    let shown = variants.iter().map(|variant| (variant.id.as_str(), display_of(variant)["Options"].clone()));
    let colours = [("901", "Black"), ("904", "Red"), ("907", "Blue"), ("new", "Green")];
    let expected = colours.map(|(id, colour)| (id, json!({"Colour": colour})));
    assert_eq!(shown.collect::<Vec<_>>(), expected);
    assert_eq!(
        variants.iter().map(|variant| variant.in_stock).collect::<Vec<_>>(),
        [true, false, true, true]
    );
}
