//! Rows become documents.

mod attribute_bounds;
mod category_trees;
mod members;
mod texts;
mod variants;

use super::*;
use crate::search::pricing::{BuyerContext, resolve};
use proptest::prelude::*;

fn tables() -> ShopTables {
    let mut tables = ShopTables::default();
    let categories: [(&str, &str); 5] = [
        ("chairs", r#"{"Id":"chairs","DisplayName":"Chairs","ParentIds":["furniture"]}"#),
        ("furniture", r#"{"Id":"furniture","DisplayName":"Furniture","ParentIds":["home"]}"#),
        ("home", r#"{"Id":"home","DisplayName":"Home","ParentIds":["chairs"]}"#),
        ("old", r#"{"Id":"old","DisplayName":"Old","ParentIds":["top"],"IsActive":false}"#),
        ("top", r#"{"Id":"top"}"#),
    ];
    for (id, row) in categories {
        tables.categories.put_row(id, row.as_bytes()).expect("a category");
    }
    tables.brands.put_row("ow", br#"{"Id":"ow","DisplayName":"Oakworks"}"#).expect("a brand");
    tables
}

fn read(row: &str) -> ProductDocument {
    read_document(row.as_bytes(), &tables()).expect("a document")
}

fn display(document: &ProductDocument) -> String {
    assert_eq!(document.display.rest, b"{}");
    String::from_utf8(document.display.card.clone()).expect("a text")
}

#[test]
fn a_row_becomes_a_document() {
    let document = read(
        r#"{"Id":"chair-1","Sku":"CH","Title":"Oak &amp; ash chair","Description":"<p>Oiled <b>oa</b>k</p><p>seat",
        "Brand":"ow","Categories":["chairs","old","x"],"MagentoCategories":["Seats","Home"],"StartDate":"2026-02-01",
        "SearchTags":["seat"],"AssociatedIds":["11",""],"AssociatedSkus":["S","L"],"AssociatedTitles":["small"],
        "InStock":false,"NewArrival":true,"Attributes":{"Colour":["red","oak"],"Seat height":45,"Depth":"50cm"}}"#,
    );
    assert_eq!((document.id.as_str(), document.sku.as_str()), ("chair-1", "CH"));
    assert_eq!(document.title, "Oak & ash chair");
    assert_eq!(document.description, "Oiled oak seat");
    assert_eq!((document.brand_id.as_str(), document.brand.as_str()), ("ow", "Oakworks"));
    assert_eq!(document.categories, ["chairs", "x", "furniture", "home"]);
    assert_eq!(document.category_names, ["Chairs", "x", "Furniture", "Home", "Seats"]);
    assert_eq!(document.newest, 1_769_904_000);
    assert_eq!(document.variants.len(), 2);
    assert_eq!(
        document.variants[1],
        Variant { sku: "L".to_owned(), display: br#"{"Id":"L","Sku":"L"}"#.to_vec(), ..Variant::default() }
    );
    assert!(!document.in_stock && document.new_arrival && !document.on_offer && !document.hidden);
    let depth = AttributeValue::parse("50cm");
    assert_eq!(document.attributes[2], Attribute { name: "Depth".to_owned(), values: vec![depth] });
}

#[test]
fn a_row_as_it_was_sent_is_read_too() {
    let document =
        read(r#"{"Sku":42,"Title":["a","b"],"Brand":"HP","Categories":[""],"Specs":["17 inch, black"]}"#);
    assert_eq!(
        (document.id.as_str(), document.title.as_str(), document.brand.as_str()),
        ("42", "a\nb", "HP")
    );
    assert!(document.categories.is_empty() && document.in_stock);
    assert_eq!(document.attributes[0].values, [AttributeValue::Text("17 inch, black".to_owned())]);
    assert_eq!(
        display(&document),
        r#"{"Id":"42","Sku":"42","Title":"a\nb","Link":"","Image":"","Brand":"HP","BrandId":"HP","Categories":[""],"Specs":["17 inch, black"]}"#
    );
}

#[test]
fn an_answer_shows_neither_prices_nor_accounts() {
    let document = read(
        r#"{"Id":"1","Prices":["12.50 GBP"],"SalePrices":["9.99 GBP"],"GroupPrices":{"trade":{"Prices":["8 GBP"]}},
        "AccountPrices":{"tag-17":{"Prices":["7 GBP"]}},"AccountInclusions":["tag-17"],"AccountExclusions":["tag-18"],
        "NoDefaultPriceForAccounts":true,"PromoMessage":"Two for one"}"#,
    );
    let shown = r#"{"Id":"1","Sku":"","Title":"","Link":"","Image":"","PromoMessage":"Two for one"}"#;
    assert_eq!(display(&document), shown);
    let caller = BuyerContext {
        account_tag: Some("tag-17".to_owned()),
        group: Some("trade".to_owned()),
        currency: Some(*b"GBP"),
        ..BuyerContext::default()
    };
    let paid = resolve(&document.offer.encode(), &caller).price.map(|price| price.to_string());
    assert_eq!(paid.as_deref(), Some("7.00 GBP"));
}

#[test]
fn the_last_day_of_a_sale_is_a_day_of_the_sale() {
    let sale = |from: &str, until: &str| {
        let row = format!(
            r#"{{"Id":"1","Prices":["2 GBP"],"SalePrices":["1 GBP"],"SalePriceStartDate":"{from}","SalePriceEndDate":"{until}"}}"#
        );
        read(&row).offer.sale
    };
    let day = sale("1970-01-02", "1970-01-02");
    assert_eq!((day.from, day.until), (86_400, 2 * 86_400));
    let exact = sale("1970-01-01T01:00:00+01:00", "1970-01-01 00:00:59");
    assert_eq!((exact.from, exact.until), (0, 60));
    assert_eq!(sale("", ""), crate::search::pricing::Period::ALWAYS);
    assert_eq!(
        sale("next week", ""),
        crate::search::pricing::Period::NEVER,
        "a sale without a readable begin"
    );
}

#[test]
fn a_product_whose_dates_cannot_be_read_is_not_shown() {
    let shown = |from: &str, until: &str| {
        read(&format!(r#"{{"Id":"1","StartDate":"{from}","EndDate":"{until}"}}"#)).offer.shown
    };
    use crate::search::pricing::Period;
    assert_eq!(shown("24.12.2026", ""), Period::NEVER);
    assert_eq!(shown("", "11/27/2026"), Period::NEVER);
    assert_eq!(shown("0000-00-00", "0000-00-00 00:00:00"), Period::ALWAYS);
    let exact = Period { from: 0, until: 1_000_000_001 };
    assert_eq!(shown("Thu, 01 Jan 1970 00:00:00 +0000", "1000000000"), exact);
}

#[test]
fn what_there_are_none_of_cannot_be_bought() {
    let in_stock = |members: &str| read(&format!(r#"{{"Id":"1"{members}}}"#)).in_stock;
    for quantity in ["0", "-3", "\"0\"", "0.000"] {
        assert!(!in_stock(&format!(r#","StockQty":{quantity}"#)), "{quantity}");
        assert!(in_stock(&format!(r#","InStock":true,"StockQty":{quantity}"#)), "the shop's word counts");
    }
    assert!(in_stock("") && in_stock(r#","StockQty":0.5"#) && !in_stock(r#","InStock":false,"StockQty":9"#));
}

#[test]
fn markup_is_no_text() {
    let plain = |text: &str| markup::without_markup(text);
    assert_eq!(
        plain("a <b>bo</b>ld<br/>line &lt;i&gt; &#39;x&#x27; &copy; &unknown; AT&T"),
        "a bold line <i> 'x' © &unknown; AT&T"
    );
    assert_eq!(plain("x<script>if (a<b) {}</SCRIPT>y<!-- <p> -->z"), "x yz");
    assert_eq!(plain("1 < 2 and <3, <div"), "1 < 2 and <3, <div");
    assert_eq!(plain("&#0; &#xD800; &"), "&#0; &#xD800; &");
    assert_eq!(plain("  two\n\tlines "), "two lines");
}

#[test]
fn entities_are_decoded_everywhere() {
    let mut tables = tables();
    tables.brands.put_row("jj", br#"{"Id":"jj","DisplayName":"Ben &amp; Co"}"#).expect("a brand");
    tables.categories.put_row("c&amp;t", br#"{"DisplayName":"Caf&eacute;s"}"#).expect("a category");
    let row = r#"{"Id":"a&amp;b","Title":"Ma&ntilde;ana &amp;amp; more","Description":"<p>T&eacute; &amp;lt; caf&#233;","Brand":"jj",
        "Categories":["c&amp;t"],"MagentoCategories":["A&amp;B"],"SearchTags":["&#x27;x"],"AssociatedTitles":["&frac12;"],
        "Link":"https://shop.example/?a=1&amp;b=2&copy=3","Attributes":{"Gr&uuml;n":"rot &amp; gr&uuml;n","n":1.50}}"#;
    let document = read_document(row.as_bytes(), &tables).expect("a document");
    assert_eq!((document.id.as_str(), document.title.as_str()), ("a&amp;b", "Mañana & more"));
    assert_eq!(document.description, "Té < café");
    assert_eq!((document.brand.as_str(), document.categories[0].as_str()), ("Ben & Co", "c&amp;t"));
    assert_eq!(document.category_names, ["Cafés", "A&B"]);
    assert_eq!((document.tags[0].as_str(), document.variants[0].title.as_str()), ("'x", "½"));
    assert_eq!(document.attributes[0].values, [AttributeValue::Text("rot & grün".to_owned())]);
    let card = String::from_utf8(document.display.card).expect("a text");
    let shown = [
        r#""Title":"Mañana & more""#,
        r#""Link":"https://shop.example/?a=1&b=2&copy=3""#,
        r#""Brand":"Ben & Co""#,
        r#""Categories":["c&amp;t"]"#,
        r#""Attributes":{"Gr&uuml;n":"rot & grün","n":1.50}"#,
    ];
    for part in shown {
        assert!(card.contains(part), "{part} in {card}");
    }
}

#[test]
fn shortcodes_and_directives_are_no_text() {
    let plain = |text: &str| markup::without_markup(text);
    let page = r#"[vc_row][vc_column width="1/2" css=".a{b: c]}"]Oak [b]table[/b][/vc_column][/vc_row]"#;
    assert_eq!(plain(page), "Oak table");
    assert_eq!(
        plain(r#"a {{widget type="Magento\Cms" id="1"}} b {{/if}} [gallery] [x id=&quot;7&quot;]c"#),
        "a b c"
    );
    for text in ["[new] 10 [0-9] [a = b]", "{a} {{}} {{1}}", "[", "[a", "{{a", "array[i]", "[see here]"] {
        assert_eq!(plain(text), text);
    }
}

/// Reading again from each beginning to the end would take hours.
#[test]
fn a_text_of_many_beginnings_is_read_once() {
    for begins in ["{{a", "[a]", "[a ", "[a x=\"", "{{"] {
        let text = begins.repeat(1_000_000 / begins.len());
        assert!(!markup::without_markup(&text).is_empty(), "{begins}");
    }
}

#[test]
fn a_value_with_a_unit_is_a_number() {
    let measure = |text: &str| match AttributeValue::parse(text) {
        AttributeValue::Number(measure) => {
            Some((measure.number, measure.unit.unwrap_or_default(), measure.text))
        }
        AttributeValue::Text(_) => None,
    };
    let read = |number: f64, unit: &str, text: &str| Some((number, unit.to_owned(), text.to_owned()));
    assert_eq!(measure("45 cm"), read(45.0, "cm", "45 cm"));
    assert_eq!(measure("2.50kg"), read(2.5, "kg", "2.50kg"));
    assert_eq!(measure("15\""), read(15.0, "\"", "15\""));
    assert_eq!(measure("-7"), read(-7.0, "", "-7"));
    assert_eq!(measure("7.10"), read(7.1, "", "7.10"));
    for text in ["0815", "1-2", "3 m long", "1.2.3", "-", "12345678901234567", "4 x 4", "", "1."] {
        assert_eq!(AttributeValue::parse(text), AttributeValue::Text(text.to_owned()), "{text}");
    }
}

#[test]
fn a_decimal_comma_is_a_number() {
    let number = |text: &str| match AttributeValue::parse(text) {
        AttributeValue::Number(measure) => Some(measure.number),
        AttributeValue::Text(_) => None,
    };
    assert_eq!(["1,5", "12,75 kg", "0,125", "-0,5"].map(number), [1.5, 12.75, 0.125, -0.5].map(Some));
    assert_eq!(
        ["1,500", "1,5,2", "1.500,5", "1,", ",5"].map(number),
        [None; 5],
        "one of two numbers, or none"
    );
}

#[test]
fn common_and_named_attributes_get_columns() {
    let mut counter = AttributeCounter::new(["Rare".to_owned()]);
    let attribute = |name: &str, value: &str| Attribute {
        name: name.to_owned(),
        values: vec![AttributeValue::parse(value)],
    };
    for product in 0..1_000 {
        let mut attributes = vec![attribute("Colour", "red"), attribute("Text", &"long ".repeat(40))];
        if product % 50 == 0 {
            attributes.push(attribute("Height", &format!("{product} cm")));
        }
        if product == 1 {
            attributes.push(attribute("Rare", "7"));
            attributes.push(attribute("Single", "7"));
        }
        counter.add(&attributes);
    }
    let statistics = counter.finish();
    let names: Vec<_> = statistics.columns().iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["Colour", "Height", "Rare"]);
    let height = statistics.column("height").expect("a column");
    assert_eq!((height.kind, height.products, height.unit.as_str()), (AttributeKind::Number, 20, "cm"));
    assert_eq!(AttributeStatistics::decode(&statistics.encode()), Some(statistics));
}

#[test]
fn categories_in_a_circle_end() {
    let tables = tables();
    assert_eq!(tables.categories.with_ancestors(&["old".to_owned()]), Vec::<String>::new());
}

#[test]
fn an_account_price_is_read_from_its_row() {
    let row = br#"{"AccountTag":"t","Sku":"S 1","ParentId":"9","Prices":["1.50 GBP"]}"#;
    let price = read_account_price(row).expect("a price");
    assert_eq!((price.tag.as_str(), price.parent_id.as_str(), price.prices.lists.len()), ("t", "9", 1));
    assert_eq!(read_account_price(br#"{"Sku":"1"}"#), Err(DocumentFault::Missing("AccountTag")));
    assert!(matches!(read_document(b"[]", &tables()), Err(DocumentFault::Malformed(_))));
    assert_eq!(read_document(b"{}", &ShopTables::default()), Err(DocumentFault::Missing("Id")));
}

/// Values of any form under the names of any field.
fn some_row() -> impl Strategy<Value = String> {
    let names = [
        "Id",
        "Sku",
        "Title",
        "Description",
        "Brand",
        "Categories",
        "Prices",
        "GroupPrices",
        "AccountPrices",
        "InStock",
        "StartDate",
        "SalePriceEndDate",
        "AssociatedIds",
        "AssociatedTitles",
        "Attributes",
        "Colour",
        "AccountInclusions",
    ];
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        any::<f64>().prop_map(serde_json::Value::from),
        any::<String>().prop_map(serde_json::Value::from),
        "[0-9]{1,3}[.0-9]{0,4} [A-Z]{3}".prop_map(serde_json::Value::from),
        "<?/?[a-z]{0,6}&?#?x?[0-9]{0,5};?>?".prop_map(serde_json::Value::from),
    ];
    let value = leaf.prop_recursive(3, 16, 4, |inner| {
        let key = prop_oneof![Just("Prices".to_owned()), any::<String>()];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            prop::collection::vec((key, inner), 0..4).prop_map(|members| members.into_iter().collect()),
        ]
    });
    let member = (prop::sample::select(names.to_vec()), value);
    prop::collection::vec(member, 0..8).prop_map(|members| {
        let object: serde_json::Map<_, _> =
            members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        serde_json::Value::Object(object).to_string()
    })
}

#[test]
fn what_is_long_is_not_on_the_card() {
    let row = serde_json::json!({"Id": "1", "Title": "t".repeat(2_000), "Description": "To sit on", "Colour": "red",
                                 "Manual": "m".repeat(2_000), "AssociatedIds": ["1a"]});
    let document = read(&row.to_string());
    let names = |part: &[u8]| {
        let object: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(part).expect("JSON");
        object.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert_eq!(names(&document.display.card), ["Id", "Sku", "Title", "Link", "Image", "Colour"]);
    assert_eq!(names(&document.display.rest), ["Description", "Manual", "AssociatedIds"]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_stands_in_a_row_an_answer_can_show_it(row in some_row(), account in any::<String>()) {
        if let Ok(document) = read_document(row.as_bytes(), &tables()) {
            let Display { card, rest } = &document.display;
            let [card, rest]: [serde_json::Value; 2] =
                [card, rest].map(|part| serde_json::from_slice(part).expect("JSON"));
            prop_assert!(card["Id"].is_string() && card["Title"].is_string());
            for part in [&card, &rest] {
                prop_assert!(part.get("AccountPrices").is_none() && part.get("Prices").is_none());
            }
            let caller = BuyerContext { account_tag: Some(account), ..BuyerContext::default() };
            let _ = resolve(&document.offer.encode(), &caller);
        }
    }

    #[test]
    fn any_text_loses_its_markup(text in "[<>/!&;#a-z0-9 \\-]{0,40}") {
        let plain = markup::without_markup(&text);
        prop_assert!(plain.len() <= text.len() * 4 && !plain.contains("  "));
    }

    #[test]
    fn any_value_is_shown_as_it_was_sent(text in "-?[0-9]{0,4}\\.?[0-9]{0,3} ?[a-z%\"]{0,7}") {
        let value = AttributeValue::parse(&text);
        prop_assert_eq!(value.text(), &text);
    }
}

#[test]
fn the_path_of_a_category_ends_at_one_that_is_not_shown() {
    let mut categories = NameTable::default();
    for (id, row) in [
        ("home", r#"{"DisplayName": "Home"}"#),
        ("soon", r#"{"DisplayName": "Soon", "IsActive": false, "ParentIds": ["home"]}"#),
        ("lamps", r#"{"DisplayName": "Lamps", "ParentIds": ["soon"]}"#),
        ("desk", r#"{"DisplayName": "Desk lamps", "ParentIds": ["lamps", "home"]}"#),
    ] {
        categories.put_row(id, row.as_bytes()).expect("a category");
    }
    assert_eq!(categories.path("desk"), ["lamps", "desk"]);
    let is_below = |id: &str, above: &str| categories.is_below(id, &[above.to_owned()]);
    assert!(is_below("desk", "home") && is_below("desk", "lamps"));
    assert!(!is_below("lamps", "home") && !is_below("desk", "desk") && !categories.is_below("desk", &[]));
}
