//! Products of Shopify as JSON.

use std::str::FromStr;

use rust_decimal::Decimal;
use serde_json::json;

use super::*;

const PLACE: RecordPlace = RecordPlace { number: 3, line: 5, offset: 7 };

fn map_value(value: &Value) -> Vec<DraftRow> {
    let context = MappingContext { currency: Some("GBP"), is_decimal_comma: true, is_day_first: true };
    map_shopify_product(value.as_object().unwrap(), PLACE, &context)
}

fn option(position: u8, name: &str, value: &str) -> DraftOption {
    DraftOption { position, name: name.to_owned(), value: value.to_owned() }
}

fn texts(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

/// A product as a shop's public `products.json` has it.
fn public_product() -> Value {
    json!({
        "id": 11, "title": "Desk lamp", "handle": "desk-lamp", "body_html": "<p>Bends.</p>", "vendor": "Lux",
        "product_type": "Lamps", "tags": ["desk", " light "], "published_at": "2024-01-01T00:00:00Z",
        "options": [{"name": "Colour", "position": 2, "values": ["Red"]}, {"name": "Size", "position": 1}],
        "images": [{"id": 5, "src": "https://x.example/1.jpg"}, {"id": 6, "src": "//x.example/2.jpg"}],
        "variants": [
            {"id": 21, "title": "S / Red", "option1": "S", "option2": "Red", "option3": null, "sku": "L-S",
             "price": "20.00", "compare_at_price": "25.00", "available": true, "grams": 500,
             "featured_image": {"src": "https://x.example/2.jpg"}},
            {"id": 22, "option1": "L", "option2": "Red", "sku": "", "price": "30.00",
                "compare_at_price": "30.00",
             "available": false, "image_id": 6}
        ]
    })
}

#[test]
fn a_public_product_is_a_parent_and_its_variants() {
    let rows = map_value(&public_product());
    let [product, small, large] = rows.as_slice() else { panic!("three rows") };
    assert!(
        rows.iter().all(|row| row.group.as_deref() == Some("11") && row.place == PLACE && !row.is_hidden)
    );
    assert_eq!([product.role, small.role, large.role], [RowRole::Parent, RowRole::Item, RowRole::Item]);
    assert_eq!((product.id.as_deref(), product.title.as_deref()), (Some("11"), Some("Desk lamp")));
    assert_eq!((product.description.as_deref(), product.brand.as_deref()), (Some("Bends."), Some("Lux")));
    assert_eq!(
        (product.categories.as_slice(), product.tags.as_slice()),
        (&[texts(&["Lamps"])][..], &texts(&["desk", "light"])[..])
    );
    assert_eq!(product.image.as_deref(), Some("https://x.example/1.jpg"));
    assert_eq!(product.more_images, ["https://x.example/2.jpg"]);
    assert_eq!(product.link, None);
    assert_eq!((small.id.as_deref(), small.sku.as_deref()), (Some("21"), Some("L-S")));
    assert_eq!(small.options, [option(1, "Size", "S"), option(2, "Colour", "Red")]);
    assert_eq!((small.prices[0].as_str(), small.sale_prices[0].as_str()), ("25.00 GBP", "20.00 GBP"));
    assert_eq!(small.image.as_deref(), Some("https://x.example/2.jpg"));
    assert_eq!(small.attributes, [("Weight".to_owned(), texts(&["500 g"]))]);
    assert_eq!((small.in_stock, large.in_stock), (Some(true), Some(false)));
    assert_eq!((large.sku.as_ref(), large.title.as_ref()), (None, None));
    assert_eq!(large.prices, ["30.00 GBP"]);
    assert!(large.sale_prices.is_empty());
    assert_eq!(large.image.as_deref(), Some("https://x.example/2.jpg"));
}

#[test]
fn the_default_variant_is_its_product() {
    let rows = map_value(&json!({
        "id": 11, "title": "Mug", "options": [{"name": "Title", "values": ["Default Title"]}],
        "variants": [{"id": 21, "title": "Default Title", "option1": "Default Title", "sku": "M",
            "barcode": "4006381333931",
                      "price": 7, "inventory_quantity": 3, "inventory_policy": "deny",
                          "inventory_management": "shopify"}]
    }));
    let [row] = rows.as_slice() else { panic!("one row") };
    assert_eq!((row.role, row.group.as_ref(), row.id.as_deref()), (RowRole::Item, None, Some("11")));
    assert_eq!((row.sku.as_deref(), row.gtin.as_deref()), (Some("M"), Some("4006381333931")));
    assert_eq!((row.title.as_deref(), row.quantity.as_deref()), (Some("Mug"), Some("3")));
    assert!(row.options.is_empty());
    let price = row.prices[0].split(' ').next().unwrap();
    assert_eq!(Decimal::from_str(price), Ok(Decimal::from(7)));
}

#[test]
fn a_single_variant_with_an_option_stays_a_variant() {
    let rows =
        map_value(&json!({"id": 1, "title": "A", "options": [{"name": "Size"}], "variants": [{"id": 2,
            "option1": "S"}]}));
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[1].options, [option(1, "Size", "S")]);
}

#[test]
fn stock_is_told_by_quantity_policy_and_management() {
    let stock = |mut variant: Value| {
        variant["id"] = json!(2);
        let rows = map_value(&json!({"id": 1, "title": "A", "variants": [variant]}));
        rows[0].in_stock
    };
    assert_eq!(
        stock(
            json!({"inventory_quantity": 0, "inventory_policy": "deny", "inventory_management": "shopify"})
        ),
        Some(false)
    );
    assert_eq!(
        stock(json!({"inventory_quantity": 0, "inventory_policy": "continue",
                "inventory_management": "shopify"})),
        Some(true)
    );
    assert_eq!(
        stock(json!({"inventory_quantity": 0, "inventory_policy": "deny", "inventory_management": null})),
        Some(true)
    );
    assert_eq!(stock(json!({"inventoryQuantity": -1, "inventoryPolicy": "DENY"})), Some(false));
    assert_eq!(stock(json!({"inventoryQuantity": -1, "inventoryPolicy": "CONTINUE"})), Some(true));
    assert_eq!(stock(json!({"inventoryQuantity": 0, "inventoryItem": {"tracked": false}})), Some(true));
    assert_eq!(
        stock(json!({"inventoryQuantity": 0, "inventoryPolicy": "CONTINUE", "availableForSale": false})),
        Some(false)
    );
    assert_eq!(stock(json!({"price": "1.00"})), None);
}

#[test]
fn drafts_archived_and_unpublished_products_are_hidden_with_their_variants() {
    let hidden = |member: &str, value: Value| {
        let mut product = public_product();
        product[member] = value;
        let rows = map_value(&product);
        assert!(rows.iter().all(|row| row.is_hidden == rows[0].is_hidden));
        rows[0].is_hidden
    };
    assert!(hidden("status", json!("draft")) && hidden("status", json!("ARCHIVED")));
    assert!(hidden("published_at", Value::Null) && hidden("publishedAt", Value::Null));
    assert!(!hidden("status", json!("ACTIVE")) && !hidden("status", json!(5)));
}

#[test]
fn lines_of_a_bulk_operation_name_their_product() {
    let parent = "gid://shopify/Product/1";
    let product = map_value(&json!({
        "id": parent, "title": "A", "descriptionHtml": "<p>B</p>", "productType": "Hats", "status": "DRAFT",
        "onlineStoreUrl": "https://x.example/products/a", "tags": "x, y",
        "category": {"fullName": "Apparel > Hats"},
        "featuredMedia": {"preview": {"image": {"url": "https://x.example/1.jpg"}}}
    }));
    let [product] = product.as_slice() else { panic!("one row") };
    assert_eq!(
        (product.role, product.group.as_deref(), product.id.as_deref()),
        (RowRole::Parent, Some("1"), Some("1"))
    );
    assert_eq!(product.link.as_deref(), Some("https://x.example/products/a"));
    assert_eq!(product.categories, [texts(&["Apparel", "Hats"]), texts(&["Hats"])]);
    assert_eq!((product.tags.as_slice(), product.is_hidden), (&texts(&["x", "y"])[..], true));
    assert_eq!(product.image.as_deref(), Some("https://x.example/1.jpg"));

    let variant = map_value(&json!({
        "id": "gid://shopify/ProductVariant/2?x=1", "price": "3.00", "compareAtPrice": "4.00",
            "barcode": "123",
        "selectedOptions": [{"name": "Size", "value": "S"}, {"name": "Colour", "value": "Red"}],
        "image": {"url": "https://x.example/s.jpg"}, "__parentId": parent
    }));
    let [variant] = variant.as_slice() else { panic!("one row") };
    assert_eq!(
        (variant.role, variant.group.as_deref(), variant.id.as_deref()),
        (RowRole::Item, Some("1"), Some("2"))
    );
    assert_eq!(variant.options, [option(1, "Size", "S"), option(2, "Colour", "Red")]);
    assert_eq!((variant.prices[0].as_str(), variant.sale_prices[0].as_str()), ("4.00 GBP", "3.00 GBP"));
    assert_eq!(variant.image.as_deref(), Some("https://x.example/s.jpg"));

    let nameless = map_value(&json!({"sku": "K", "price": "3.00", "__parentId": parent}));
    assert_eq!((nameless[0].id.as_deref(), nameless[0].group.as_deref()), (Some("K"), Some("1")));
}

#[test]
fn other_children_add_pictures_attributes_and_categories() {
    let parent = "gid://shopify/Product/1";
    let add =
        |mut child: Value| {
            child["__parentId"] = json!(parent);
            let rows = map_value(&child);
            assert!(rows.iter().all(|row| row.role == RowRole::More
                && row.group.as_deref() == Some("1")
                && row.id.is_none()));
            rows.into_iter().next()
        };
    let media = json!({"id": "gid://shopify/MediaImage/3", "image": {"url": "https://x.example/3.jpg"}});
    assert_eq!(add(media).unwrap().more_images, ["https://x.example/3.jpg"]);
    assert_eq!(
        add(json!({"src": "https://x.example/4.jpg"})).unwrap().more_images,
        ["https://x.example/4.jpg"]
    );
    let attributes = |value: &str| {
        let metafield = json!({"id": "gid://shopify/Metafield/4", "namespace": "custom", "key": "fabric",
            "value": value});
        add(metafield).map(|row| row.attributes)
    };
    assert_eq!(attributes("Wool"), Some(vec![("fabric".to_owned(), texts(&["Wool"]))]));
    assert_eq!(attributes(r#"["Wool", 2]"#), Some(vec![("fabric".to_owned(), texts(&["Wool", "2"]))]));
    assert_eq!(
        attributes(r#"{"value": 2.5, "unit": "cm"}"#),
        Some(vec![("fabric".to_owned(), texts(&["2.5 cm"]))])
    );
    assert_eq!(attributes(r#"["gid://shopify/Metaobject/1"]"#), None);
    assert_eq!(attributes(r#"{"type": "root", "children": []}"#), None);
    assert_eq!(attributes("[cut off"), None);
    let collection = json!({"id": "gid://shopify/Collection/5", "title": "Sale"});
    assert_eq!(add(collection).unwrap().categories, [texts(&["Sale"])]);
    assert_eq!(add(json!({"id": "gid://shopify/InventoryLevel/6", "available": 4})), None);
    let of_variant = json!({"id": "gid://shopify/Metafield/7", "key": "a", "value": "b",
        "__parentId": "gid://shopify/ProductVariant/2"});
    assert!(map_value(&of_variant).is_empty());
}

#[test]
fn connections_inside_a_product_are_read_in_both_forms() {
    let edges = json!({"node": {
        "id": "gid://shopify/Product/1", "title": "A",
            "priceRangeV2": {"minVariantPrice": {"amount": "3.0", "currencyCode": "CAD"}},
        "images": {"edges": [{"node": {"url": "https://x.example/1.jpg"}},
            {"node": {"url": "https://x.example/2.jpg"}}]},
        "metafields": {"nodes": [{"key": "fabric", "value": "Wool", "definition": {"name": "Fabric"}}]},
        "variants": {"edges": [
            {"node": {"id": "gid://shopify/ProductVariant/2", "price": "3.00",
                "selectedOptions": [{"name": "Size", "value": "S"}]}},
            {"node": {"id": "gid://shopify/ProductVariant/3", "price": {"amount": "4.00",
                "currencyCode": "EUR"}}}
        ]}
    }});
    let rows = map_value(&edges);
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[0].more_images, ["https://x.example/2.jpg"]);
    assert_eq!(rows[0].attributes, [("Fabric".to_owned(), texts(&["Wool"]))]);
    assert_eq!((rows[1].id.as_deref(), rows[1].prices.as_slice()), (Some("2"), &texts(&["3.00 CAD"])[..]));
    assert_eq!(rows[2].prices, ["4.00 EUR"]);
    let mut nodes = edges["node"].clone();
    nodes["variants"] = json!({"nodes": [edges["node"]["variants"]["edges"][0]["node"],
        edges["node"]["variants"]["edges"][1]["node"]]});
    assert_eq!(map_value(&nodes), rows);
}

#[test]
fn a_variant_with_its_product_inside_brings_the_product() {
    let rows = map_value(&json!({
        "id": "gid://shopify/ProductVariant/2", "price": "3.00", "selectedOptions": [{"name": "Size",
            "value": "S"}],
        "product": {"id": "gid://shopify/Product/1", "title": "A", "vendor": "B", "status": "ARCHIVED"}
    }));
    let [product, variant] = rows.as_slice() else { panic!("two rows") };
    assert_eq!(
        (product.role, product.title.as_deref(), product.is_hidden),
        (RowRole::Parent, Some("A"), true)
    );
    assert_eq!((variant.group.as_deref(), variant.id.as_deref()), (Some("1"), Some("2")));
}

#[test]
fn a_decimal_point_is_one_in_every_language() {
    let rows = map_value(&json!({"id": 1, "title": "A", "variants": [{"id": 2, "price": "1.299"}]}));
    assert!(rows[0].prices[0].starts_with("1.299"), "{:?}", rows[0].prices);
}

#[test]
fn an_unreadable_price_is_an_issue_and_a_missing_one_is_none() {
    let issues = |price: Value| {
        let rows = map_value(&json!({"id": 1, "title": "A", "variants": [{"id": 2, "price": price,
                "compare_at_price": null}]}));
        assert!(rows[0].prices.is_empty());
        rows[0].issues.iter().map(|issue| issue.column.clone()).collect::<Vec<_>>()
    };
    assert_eq!(issues(json!("on request")), ["price"]);
    assert_eq!(issues(json!([])), ["price"]);
    assert!(issues(Value::Null).is_empty());
}

#[test]
fn weights_of_any_unit_become_grams() {
    let weight = |variant: Value| {
        let rows = map_value(&json!({"id": 1, "title": "A", "variants": [variant]}));
        rows[0].attributes.first().map(|(_, values)| values[0].clone())
    };
    assert_eq!(weight(json!({"weight": 1.5, "weight_unit": "kg"})).as_deref(), Some("1500 g"));
    let measured = json!({"inventoryItem": {"measurement": {"weight": {"value": 2, "unit": "OUNCES"}}}});
    assert_eq!(weight(measured).as_deref(), Some("56.699 g"));
    assert_eq!(weight(json!({"grams": 0})), None);
    assert_eq!(weight(json!({"weight": 1.5})), None);
    assert_eq!(weight(json!({"weight": "79228162514264337593543950335", "weightUnit": "KILOGRAMS"})), None);
}

#[test]
fn products_without_variants_or_ids_are_still_rows() {
    let rows = map_value(&json!({"id": 1, "title": "A"}));
    assert_eq!((rows.len(), rows[0].role, rows[0].id.as_deref()), (1, RowRole::Item, Some("1")));
    let rows =
        map_value(&json!({"title": "A", "handle": "a", "variants": [{"option1": "S"}, {"option1": "M"}]}));
    assert_eq!(rows[0].id.as_deref(), Some("a"));
    assert_eq!(rows[2].id.as_deref(), Some("a/M"));
    let rows = map_value(&json!({"title": "A", "variants": [{"sku": "K"}]}));
    assert_eq!((rows.len(), rows[0].group.as_ref(), rows[0].id.as_deref()), (1, None, Some("K")));
    assert_eq!(map_value(&json!({})).len(), 1);
}

#[test]
fn a_record_stays_small_as_rows() {
    let long = "x".repeat(1_000_000);
    let variants: Vec<Value> =
        (0..5_000).map(|id| json!({"id": id, "option1": "S", "price": "1.00", "image_id": 9})).collect();
    let rows = map_value(&json!({
        "id": 1, "title": "A", "variants": variants, "images": [{"id": 9,
            "src": format!("https://x.example/{long}")}],
        "options": [{"name": long}],
        "priceRange": {"minVariantPrice": {"currencyCode": long}}
    }));
    assert_eq!(rows.len(), ROWS_MAX);
    assert!(rows.iter().flat_map(|row| &row.options).all(|option| option.name.is_empty()));
    assert!(rows.iter().all(|row| row.image.is_none() && row.prices.iter().all(|price| price.len() < 20)));
    let rows = map_value(&json!({"id": long, "title": "A", "variants": variants}));
    assert_eq!((rows.len(), rows[0].group.as_ref()), (1, None));
}

#[test]
fn hostile_members_do_not_panic() {
    let many: Vec<Value> = (0..100_000).map(|number| json!({"name": number, "value": number})).collect();
    let rows = map_value(&json!({
        "id": 1, "title": 5, "tags": {"a": 1}, "options": many, "images": "none", "vendor": [],
            "product_type": {},
        "metafields": 7, "collections": [[]], "category": {"fullName": 1},
        "variants": {"a": {"id": [], "selectedOptions": many, "price": {"amount": {}}}, "b": 5}
    }));
    assert_eq!((rows.len(), rows[0].title.as_deref()), (2, Some("5")));
    assert_eq!(rows[1].options.len(), OPTIONS_MAX);
    for variants in [
        json!(5),
        json!("a"),
        json!([1, null, "x", []]),
        json!({"edges": 5, "nodes": {}}),
        json!({"edges": [{"node": 5}]}),
    ] {
        assert!(!map_value(&json!({"id": 1, "title": "A", "variants": variants, "options": 5})).is_empty());
    }
    let mut deep = json!("https://x.example/1.jpg");
    for _ in 0..100 {
        deep = json!({"node": deep, "image": deep});
        if deep.to_string().len() > 100_000 {
            break;
        }
    }
    let rows =
        map_value(&json!({"id": 1, "title": "A", "image": deep, "images": [deep], "variants": [deep]}));
    assert_eq!(rows[0].image, None);
    for id in ["gid://shopify/", "gid://shopify/Product/", "gid://shopify/Product", "gid://shopify//?"] {
        let _ = map_value(&json!({"id": id, "__parentId": id, "price": "1"}));
    }
}
