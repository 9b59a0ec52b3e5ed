//! Products of WooCommerce as JSON.

use super::*;

fn map(text: &str) -> Vec<DraftRow> {
    let context = MappingContext { currency: Some("EUR"), ..MappingContext::default() };
    let Value::Object(object) = serde_json::from_str(text).unwrap() else { panic!("no object") };
    map_woocommerce_product(&object, RecordPlace { number: 7, line: 1, offset: 9 }, &context)
}

fn map_one(text: &str) -> DraftRow {
    let mut rows = map(text);
    assert_eq!(rows.len(), 1);
    rows.remove(0)
}

fn options(row: &DraftRow) -> Vec<[&str; 2]> {
    row.options.iter().map(|option| [option.name.as_str(), option.value.as_str()]).collect()
}

#[test]
fn a_simple_product_of_the_rest_api_is_a_row() {
    let row = map_one(
        r#"{"id": 5, "name": "Mug &amp; lid", "permalink": "https://shop.example/mug", "type": "simple",
        "status": "publish", "catalog_visibility": "search", "short_description": "For tea",
        "description": "",
        "sku": "MUG", "global_unique_id": "4006381333931", "price": "1.299", "regular_price": "1.299",
        "sale_price": "", "stock_quantity": 4, "stock_status": "instock", "parent_id": 0,
        "categories": [{"id": 1, "name": "Kitchen"}, {"id": 2, "name": "Tea"}], "brands": [{"id": 3,
        "name": "Oak"}],
        "tags": [{"id": 4, "name": "gift"}], "images": [{"src": "https://shop.example/1.jpg"},
        {"src": "https://shop.example/2.jpg"}], "attributes": [{"id": 0, "name": "Glaze",
        "options": ["Matt", 3]}],
        "weight": "0.4", "dimensions": {"length": "10", "width": "", "height": null}, "variations": [],
        "meta_data": [{"key": "secret", "value": "x"}]}"#,
    );
    assert_eq!(row.place, RecordPlace { number: 7, line: 1, offset: 9 });
    assert_eq!(row.id.as_deref(), Some("5"));
    assert_eq!(row.gtin.as_deref(), Some("4006381333931"));
    assert_eq!(row.title.as_deref(), Some("Mug & lid"));
    assert_eq!(row.description.as_deref(), Some("For tea"));
    assert_eq!(row.categories, [["Kitchen"], ["Tea"]]);
    assert_eq!(row.brand.as_deref(), Some("Oak"));
    assert_eq!(row.tags, ["gift"]);
    assert_eq!(row.prices, ["1.299 EUR"]);
    assert_eq!(row.sale_prices, [""; 0]);
    assert_eq!(row.image.as_deref(), Some("https://shop.example/1.jpg"));
    assert_eq!(row.more_images, ["https://shop.example/2.jpg"]);
    assert_eq!((row.in_stock, row.quantity.as_deref()), (Some(true), Some("4")));
    let names: Vec<&str> = row.attributes.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["Glaze", "Weight", "Length", "ExcludeFromProductListing"]);
    assert_eq!(row.attributes[0].1, ["Matt", "3"]);
    assert_eq!((row.role, row.group), (RowRole::Item, None));
}

#[test]
fn a_variation_finds_its_product_by_the_key_of_its_id() {
    let parent = map_one(
        r#"{"id": 9, "type": "variable", "sku": "TEE", "price": "18", "regular_price": "",
        "variations": [10, 11],
        "attributes": [{"name": "Size", "variation": true, "options": ["S", "M"]}]}"#,
    );
    assert_eq!((parent.role, parent.group.as_deref()), (RowRole::Parent, Some("id:9")));
    assert_eq!(parent.prices, ["18 EUR"]);
    assert!(parent.options.is_empty());
    let child = map_one(
        r#"{"id": 10, "type": "variation", "parent_id": 9, "regular_price": "20.00", "sale_price": "18.00",
        "date_on_sale_to": "2026-03-31T01:59:59", "date_on_sale_to_gmt": "2026-03-30T23:59:59",
        "stock_quantity": null,
        "stock_status": "onbackorder", "image": {"src": "https://shop.example/s.jpg"},
        "attributes": [{"name": "Size", "option": "S"}, {"name": "Colour", "option": ""}]}"#,
    );
    assert_eq!((child.role, child.group.as_deref()), (RowRole::Item, Some("id:9")));
    assert_eq!(options(&child), [["Size", "S"]]);
    assert_eq!(child.prices, ["20.00 EUR"]);
    assert_eq!(child.sale_prices, ["18.00 EUR"]);
    assert!(child.sale_end.is_some_and(|end| end.starts_with("2026-03-30")));
    assert_eq!((child.in_stock, child.quantity), (Some(true), None));
    assert_eq!(child.image.as_deref(), Some("https://shop.example/s.jpg"));
}

#[test]
fn variations_within_their_product_are_rows_if_they_have_prices() {
    let rows = map(r#"{"id": 9, "type": "variable", "variations": [
        {"id": 10, "price": "5", "attributes": [{"name": "Size", "option": "S"}],
        "variations": [{"id": 1, "price": "1"}]},
        {"id": 11, "attributes": [{"name": "Size", "value": "m"}]}, 12, null]}"#);
    assert_eq!(rows.len(), 2);
    let child = &rows[1];
    assert_eq!((child.id.as_deref(), child.group.as_deref()), (Some("10"), Some("id:9")));
    assert_eq!(options(child), [["Size", "S"]]);
}

#[test]
fn prices_of_the_store_api_are_in_minor_units() {
    let price = |prices: &str| {
        let row =
            map_one(&format!(r#"{{"id": 1, "type": "simple", "is_in_stock": false, "prices": {prices}}}"#));
        assert_eq!(row.in_stock, Some(false));
        (row.prices, row.sale_prices, row.issues.len())
    };
    let found = price(
        r#"{"price": "1250", "regular_price": "1500", "sale_price": "1250", "currency_code": "USD",
        "currency_minor_unit": 2}"#,
    );
    assert_eq!(found, (vec!["15.00 USD".to_owned()], vec!["12.50 USD".to_owned()], 0));
    let found =
        price(r#"{"price": 1250, "regular_price": "1250", "sale_price": "1250", "currency_code": "JPY"}"#);
    assert_eq!(found, (vec!["1250 JPY".to_owned()], vec![], 0));
    let found = price(r#"{"price": "1250", "currency_code": "KWD", "currency_minor_unit": 3}"#);
    assert_eq!(found.0, ["1.250 KWD"]);
    assert_eq!(price(r#"{"price": "1250"}"#).0, ["12.50 EUR"]);
    for bad in [
        r#"{"price": "1250", "currency_code": "ZZZ"}"#,
        r#"{"price": "1250", "currency_minor_unit": 4000000000}"#,
        r#"{"price": "99999999999999999999999"}"#,
        r#"{"price": {}}"#,
    ] {
        assert_eq!(price(bad), (vec![], vec![], 1), "{bad}");
    }
}

#[test]
fn a_variation_of_the_store_api_tells_its_options_in_a_text() {
    let row = map_one(
        r#"{"id": 2, "type": "variation", "parent": 1, "variation": "Colour: Red, dark, Size: L",
        "attributes": []}"#,
    );
    assert_eq!(row.group.as_deref(), Some("id:1"));
    assert_eq!(options(&row), [["Colour", "Red, dark"], ["Size", "L"]]);
    assert!(parse_variation_text(", : , a, : b,").is_empty());
}

#[test]
fn drafts_and_hidden_products_are_not_for_sale() {
    for (member, is_hidden) in [
        (r#""status": "draft""#, true),
        (r#""status": "private""#, true),
        (r#""status": "publish""#, false),
        (r#""catalog_visibility": "hidden""#, true),
        (r#""status": null"#, false),
    ] {
        assert_eq!(map_one(&format!(r#"{{"id": 1, {member}}}"#)).is_hidden, is_hidden, "{member}");
    }
}

#[test]
fn members_of_the_wrong_kind_are_passed_over() {
    let row = map_one(
        r#"{"id": [1], "name": {"a": 1}, "type": 5, "images": {"src": "x"}, "categories": "Kitchen",
        "tags": [null, {}],
        "attributes": [3, {"name": null}, {"name": "A", "options": "x"}], "dimensions": "10", "prices": 5,
        "regular_price": "dear", "stock_quantity": "many", "parent_id": {"a": 1}, "variations": {"a": 1}}"#,
    );
    assert_eq!(row.issues.len(), 1);
    assert_eq!(row.issues[0].code, IssueCode::PriceUnreadable);
    let rest = DraftRow { issues: Vec::new(), ..row };
    let blank = DraftRow { place: RecordPlace { number: 7, line: 1, offset: 9 }, ..DraftRow::default() };
    assert_eq!(rest, blank);
    assert_eq!(map("{}").len(), 1);
}

#[test]
fn long_lists_are_cut_off() {
    let tags = r#"{"name": "t"},"#.repeat(5_000);
    let row = map_one(&format!(r#"{{"id": 1, "tags": [{}]}}"#, tags.trim_end_matches(',')));
    assert_eq!(row.tags.len(), LIST_MAX);
}
