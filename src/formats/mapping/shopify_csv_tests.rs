//! Rows of exports of Shopify.

use super::*;
use crate::formats::mapping::engine::RecordMapper;
use crate::formats::mapping::format_rules::MappingRules;
use crate::formats::records::headings::Headings;
use crate::formats::records::record::{FeedRecord, RecordValue};

const CONTEXT: MappingContext<'static> =
    MappingContext { currency: Some("GBP"), is_decimal_comma: false, is_day_first: true };

/// Rows of a table whose first line has the headings.
fn map_table(table: &str) -> Vec<DraftRow> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(table.as_bytes());
    let mut headings = Headings::default();
    let names = reader.headers().unwrap().clone();
    let columns: Vec<usize> = names.iter().map(|name| headings.intern(name).unwrap()).collect();
    let mut mapper = RecordMapper::new(&SHOPIFY_CSV, CONTEXT);
    let records = reader.records().map(|line| {
        let line = line.unwrap();
        let pairs = columns.iter().zip(line.iter()).filter(|(_, text)| !text.is_empty());
        let values =
            pairs.map(|(column, text)| RecordValue { column: *column, text: text.to_owned() }).collect();
        FeedRecord { values, ..FeedRecord::default() }
    });
    records.map(|record| mapper.map_record(&headings, &record)).collect()
}

fn option(position: u8, name: &str, value: &str) -> DraftOption {
    DraftOption { position, name: name.to_owned(), value: value.to_owned() }
}

#[test]
fn rows_of_a_handle_are_first_row_variant_and_picture() {
    let rows = map_table(
        "Handle,Title,Vendor,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant SKU,Variant Price,\
         Image Src,Variant Image,Variant Weight Unit\n\
         lamp,Desk lamp,Lux,Colour,Red,Size,S,,20.00,https://x.example/1.jpg,https://x.example/red.jpg,kg\n\
         lamp,,,,Blue,,S,LAMP-B,22.00,https://x.example/2.jpg,https://x.example/blue.jpg,kg\n\
         lamp,,,,,,,,,https://x.example/3.jpg,,kg\n",
    );
    let [first, second, picture] = rows.as_slice() else { panic!("three rows") };
    assert!(rows.iter().all(|row| row.group.as_deref() == Some("lamp")));
    assert_eq!([first.role, second.role, picture.role], [RowRole::Item, RowRole::Item, RowRole::More]);
    assert_eq!(first.id.as_deref(), Some("lamp/Red/S"));
    assert_eq!(first.options, [option(1, "Colour", "Red"), option(2, "Size", "S")]);
    assert_eq!(first.image.as_deref(), Some("https://x.example/red.jpg"));
    assert_eq!(first.more_images, ["https://x.example/1.jpg"]);
    assert_eq!(first.brand.as_deref(), Some("Lux"));
    assert_eq!(second.id.as_deref(), Some("LAMP-B"));
    assert_eq!(second.options, [option(1, "", "Blue"), option(2, "", "S")]);
    assert_eq!(second.image.as_deref(), Some("https://x.example/blue.jpg"));
    assert_eq!(second.more_images, ["https://x.example/2.jpg"]);
    assert_eq!(picture.image, None);
    assert_eq!(picture.more_images, ["https://x.example/3.jpg"]);
    assert_eq!((picture.id.as_ref(), picture.in_stock), (None, None));
}

#[test]
fn picture_of_a_later_row_is_not_that_of_its_variant() {
    let rows = map_table(
        "Handle,Title,Option1 Value,Image Src\n\
         lamp,,Blue,https://x.example/2.jpg\n",
    );
    assert_eq!(rows[0].image, None);
    assert_eq!(rows[0].more_images, ["https://x.example/2.jpg"]);
}

#[test]
fn the_first_row_of_a_product_with_options_is_product_and_variant() {
    let mut rows = map_table(
        "Handle,Title,Vendor,Tags,Status,Option1 Name,Option1 Value,Variant SKU,Variant Price,Variant Grams,\
         Image Src,Variant Image,Season,Variant Inventory Tracker,Variant Inventory Qty\n\
         lamp,Lamp,Lux,\"a, b\",draft,Colour,Red,L-R,20.00,90,https://x.example/1.jpg,\
         https://x.example/r.jpg,All,s,4\n\
         lamp,,,,,,Blue,L-B,20.00,90,,,,s,4\n\
         mug,Mug,,,,,,M,2.00,,https://x.example/m.jpg,,,,\n",
    );
    let parts = split_first_row(rows.remove(0));
    let [product, variant] = parts.as_slice() else { panic!("two rows") };
    assert_eq!((product.role, product.id.as_deref()), (RowRole::Parent, Some("lamp")));
    assert_eq!(product.image.as_deref(), Some("https://x.example/1.jpg"));
    assert_eq!(product.attributes, [("Season".to_owned(), vec!["All".to_owned()])]);
    assert_eq!((product.brand.as_deref(), product.tags.len()), (Some("Lux"), 2));
    assert!(product.prices.is_empty() && product.sku.is_none() && product.in_stock.is_none());
    assert_eq!((variant.role, variant.id.as_deref()), (RowRole::Item, Some("L-R")));
    assert_eq!(variant.group, product.group);
    assert_eq!(variant.image.as_deref(), Some("https://x.example/r.jpg"));
    assert_eq!(variant.attributes, [("Weight".to_owned(), vec!["90 g".to_owned()])]);
    assert_eq!(variant.options, [option(1, "Colour", "Red")]);
    assert_eq!(
        (variant.prices.as_slice(), variant.quantity.as_deref()),
        (&["20.00 GBP".to_owned()][..], Some("4"))
    );
    assert!(product.is_hidden && variant.is_hidden && variant.title.is_none());
    for row in rows {
        assert_eq!(split_first_row(row.clone()), [row]);
    }
}

#[test]
fn the_first_row_without_a_picture_of_its_variant_gives_it_to_the_product() {
    let split = |images: &str| {
        let table = format!("Handle,Title,Option1 Value,Image Src,Variant Image\na,A,Red,{images}\n");
        split_first_row(map_table(&table).remove(0)).into_iter().map(|row| row.image).collect::<Vec<_>>()
    };
    let image = |address: &str| Some(address.to_owned());
    assert_eq!(split("https://x.example/1.jpg,"), [image("https://x.example/1.jpg"), None]);
    assert_eq!(
        split("https://x.example/1.jpg,https://x.example/1.jpg"),
        [image("https://x.example/1.jpg"), None]
    );
    assert_eq!(split(","), [None, None]);
}

#[test]
fn default_title_is_no_option_and_the_handle_is_the_id() {
    let rows = map_table(
        "Handle,Title,Option1 Name,Option1 Value,Variant Price,Variant SKU\n\
         mug,Mug,Title,Default Title,5.00,M-1\n",
    );
    assert_eq!(rows[0].sku.as_deref(), Some("M-1"));
    assert_eq!(rows[0].role, RowRole::Item);
    assert!(rows[0].options.is_empty());
    assert_eq!(rows[0].id.as_deref(), Some("mug"));
    assert_eq!(rows[0].group.as_deref(), Some("mug"));
}

#[test]
fn a_row_that_only_names_options_is_a_parent() {
    let rows = map_table(
        "Handle,Title,Option1 Name,Option1 Value,Variant Price\n\
         mug,Mug,Size,,\n\
         mug,,,Large,5.00\n\
         cup,Cup,Title,,\n",
    );
    assert_eq!([rows[0].role, rows[1].role, rows[2].role], [RowRole::Parent, RowRole::Item, RowRole::Item]);
    assert_eq!(rows[0].id.as_deref(), Some("mug"));
    assert_eq!(rows[0].options, [option(1, "Size", "")]);
    assert_eq!(rows[0].in_stock, None);
    assert!(rows[2].options.is_empty());
}

#[test]
fn headings_of_today_mean_the_same_as_the_former() {
    let former = map_table(
        "Handle,Title,Body (HTML),Published,Variant SKU,Variant Barcode,Variant Price,\
         Variant Compare At Price,Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,\
         Variant Grams,Image Src,Variant Image\n\
         lamp,Lamp,Text,TRUE,L1,'4006381333931,8.00,10.00,shopify,0,deny,250,https://x.example/1.jpg,\n",
    );
    let today = map_table(
        "URL handle,Title,Description,Published on online store,SKU,Barcode,Price,Compare-at price,\
         Inventory tracker,Inventory quantity,Continue selling when out of stock,Weight value (grams),\
         Product image URL,Variant image URL\n\
         lamp,Lamp,Text,TRUE,L1,4006381333931,8.00,10.00,shopify,0,DENY,250,https://x.example/1.jpg,\n",
    );
    assert_eq!(former, today);
    let row = &today[0];
    assert_eq!(
        (row.prices.as_slice(), row.sale_prices.as_slice()),
        (&["10.00 GBP".into()][..], &["8.00 GBP".into()][..])
    );
    assert_eq!(row.gtin.as_deref(), Some("4006381333931"));
    assert_eq!(row.in_stock, Some(false));
    assert_eq!(row.attributes, [("Weight".to_owned(), vec!["250 g".to_owned()])]);
}

#[test]
fn a_compare_at_price_counts_only_if_it_is_higher() {
    let rows = map_table(
        "Handle,Title,Variant Price,Variant Compare At Price\n\
         a,A,100.00,99.00\n\
         b,B,100.00,100.00\n\
         c,C,100.00,0.00\n\
         d,D,9.00,10.00\n\
         e,E,9.00,cheap\n\
         f,F,,10.00\n",
    );
    for row in &rows[..3] {
        assert_eq!(row.prices, ["100.00 GBP"]);
        assert!(row.sale_prices.is_empty(), "{:?}", row.id);
    }
    assert_eq!((rows[3].prices[0].as_str(), rows[3].sale_prices[0].as_str()), ("10.00 GBP", "9.00 GBP"));
    assert_eq!(rows[4].prices, ["9.00 GBP"]);
    assert_eq!(rows[4].issues[0].code, IssueCode::PriceUnreadable);
    assert!(rows[5].prices.is_empty() && rows[5].sale_prices.is_empty());
}

#[test]
fn stock_is_told_by_quantity_policy_and_tracker() {
    let table = |tracker: &str, quantity: &str, policy: &str| {
        let heading = "Handle,Title,Variant Price,Variant Inventory Tracker,Variant Inventory Qty,\
                       Variant Inventory Policy";
        let rows = map_table(&format!("{heading}\na,A,1.00,{tracker},{quantity},{policy}\n"));
        (rows[0].in_stock, rows[0].quantity.clone())
    };
    let count = |text: &str| Some(text.to_owned());
    assert_eq!(table("shopify", "3", "deny"), (Some(true), count("3")));
    assert_eq!(table("shopify", "0", "deny"), (Some(false), count("0")));
    assert_eq!(table("shopify", "-2", "deny"), (Some(false), count("-2")));
    assert_eq!(table("shopify", "0", "Continue"), (Some(true), count("0")));
    assert_eq!(table("", "0", "deny"), (Some(true), count("0")));
    assert_eq!(table("shopify", "", "deny"), (Some(true), None));
    assert_eq!(table("shopify", "007", "deny"), (Some(true), count("7")));
    assert_eq!(table("shopify", "out of stock", "deny"), (Some(false), None));
    assert_eq!(table("shopify", "many", "deny"), (Some(true), None));
}

#[test]
fn drafts_and_unpublished_products_are_hidden() {
    let rows = map_table(
        "Handle,Title,Published,Status\n\
         a,A,TRUE,active\n\
         b,B,FALSE,active\n\
         c,C,TRUE,Draft\n\
         d,D,TRUE,archived\n\
         e,E,,\n\
         f,F,true,unlisted\n",
    );
    let hidden: Vec<bool> = rows.iter().map(|row| row.is_hidden).collect();
    assert_eq!(hidden, [false, true, true, true, false, true]);
}

#[test]
fn categories_are_paths_and_types_but_no_codes() {
    let categories = |category: &str, google: &str, kind: &str| {
        let heading = "Handle,Title,Product Category,Google Shopping / Google Product Category,Type";
        map_table(&format!("{heading}\na,A,{category},{google},{kind}\n")).remove(0).categories
    };
    let path = |titles: &[&str]| titles.iter().map(|title| (*title).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        categories("Home > Lamps", "Furniture > Lights", "Mood > light"),
        [path(&["Home", "Lamps"]), path(&["Mood > light"])]
    );
    assert_eq!(categories("aa-1-4", "1604", "501"), [path(&["501"])]);
    assert_eq!(categories("", "Furniture > Lights", ""), [path(&["Furniture", "Lights"])]);
    assert_eq!(categories("Hats", "", "Hats"), [path(&["Hats"])]);
    assert!(categories("Uncategorized", "166", "").is_empty());
}

#[test]
fn metafields_and_google_columns_are_attributes_with_plain_names() {
    let row = map_table(
        "Handle,Title,Color (product.metafields.shopify.color-pattern),Care (product.metafields.custom.care),\
         Maker (product.metafields.custom.maker),\
         Related products (product.metafields.shopify--discovery--product_recommendation.related_products),\
         Price note (product.metafields.custom.price_note),Google Shopping / Gender,\
         Google Shopping / Manufacturer part number (MPN),Season,Color\n\
         a,A,red; blue,Wash cold; dry flat,gid://shopify/Metaobject/1,b,From 5,female,M-1,Autumn,Crimson\n",
    )
    .remove(0);
    let expected = [
        ("Color", vec!["red", "blue", "Crimson"]),
        ("Care", vec!["Wash cold; dry flat"]),
        ("Price note", vec!["From 5"]),
        ("Gender", vec!["female"]),
        ("MPN", vec!["M-1"]),
        ("Season", vec!["Autumn"]),
    ];
    let expected =
        expected.map(|(name, values)| (name.to_owned(), values.into_iter().map(str::to_owned).collect()));
    assert_eq!(row.attributes, expected);
}

#[test]
fn settings_costs_and_prices_of_markets_are_left_out() {
    let row = map_table(
        "Handle,Title,Cost per item,Included / Germany,Price / Germany,Compare At Price / Germany,\
         Compare-at price / South America,Unit price base measure unit,SEO Title,Gift Card,\
         Option1 Linked To\n\
         a,A,3.00,true,4.00,5.00,6.00,kg,B,false,product.metafields.shopify.color-pattern\n",
    )
    .remove(0);
    assert!(row.attributes.is_empty(), "{:?}", row.attributes);
    assert!(row.prices.is_empty());
}

#[test]
fn rules_name_each_column_once_and_say_why_one_is_left_out() {
    let mut names = std::collections::HashSet::new();
    for rule in SHOPIFY_CSV.columns {
        for name in std::iter::once(&rule.name).chain(rule.also) {
            assert!(names.insert(crate::formats::mapping::format_rules::normalise_name(name)), "{name}");
            assert_eq!(SHOPIFY_CSV.find_use(name), rule.becomes);
        }
        assert!(rule.becomes != ColumnUse::LeftOut || !rule.note.is_empty(), "{}", rule.name);
    }
}

#[test]
fn a_product_without_handle_gets_one_from_its_title() {
    let rows = map_table("Title,Variant Price,Variant SKU\nÉtui & Box 2,3.00,\nMug,1.00,M1\n&,1.00,\n");
    let ids: Vec<Option<&str>> = rows.iter().map(|row| row.id.as_deref()).collect();
    assert_eq!(ids, [Some("étui-box-2"), Some("M1"), None]);
    assert!(rows.iter().all(|row| row.group.is_none()));
}

#[test]
fn hostile_cells_neither_panic_nor_become_values() {
    let heading = "Handle,Title,Option1 Value,Variant Price,Variant Grams,Variant Inventory Qty,Variant SKU,\
                   (product.metafields.custom.a),Product Category";
    let huge = "9".repeat(10_000);
    let rows = map_table(&format!("{heading}\n',>,';,{huge},{huge},<b>,',é,> > >\n,,,,-5,,'7,;,\n"));
    assert!(rows[0].categories.is_empty());
    assert_eq!(rows[0].attributes, [("(product.metafields.custom.a)".to_owned(), vec!["é".to_owned()])]);
    assert_eq!((rows[1].role, rows[1].id.as_deref()), (RowRole::Item, Some("7")));
}
