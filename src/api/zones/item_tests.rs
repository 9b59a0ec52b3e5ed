//! A product in a zone as it is written: its fields, its prices, and its title.

use serde_json::{Value, json};

use super::*;
use crate::api::testing::{offer, product};

/// A product of a zone, as it is written for these fields.
fn written(needed: &WantedFields, item: &ProductResult) -> Value {
    let text = json(item, "z.HP-01.x.", ShopLanguage::English, needed).expect("JSON");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn an_item_has_its_card_and_the_fields_that_are_needed_in_the_form_of_plugins() {
    let at_limit = "x".repeat(CARD_VALUE_BYTES - 2);
    let long = "x".repeat(CARD_VALUE_BYTES - 1);
    let card = json!({"Id": "1", "Brand": "Acme", "BrandId": "b", "AllImages": "/a.png", "Categories": ["c"],
        "Title": "T"});
    let rest = json!({"Attributes": {"Colour": "red", "Price": "x", "Title": "y", "Fits": at_limit, "Long": long},
        "Description": "D", "SearchTags": "t"});
    let item = product("1", &card, &rest);
    let shown = |more: Value, end: Value| {
        let mut shown = json!({"Id": "1", "AllImages": ["/a.png"], "Categories": ["c"], "Title": "T"});
        for part in [more, json!({"Colour": "red", "Fits": at_limit}), end] {
            part.as_object().into_iter().flatten().for_each(|(name, value)| shown[name] = value.clone());
        }
        shown["Brand"] = json!({"Id": "b", "DisplayName": "Acme"});
        shown["InStock"] = false.into();
        shown["RefId"] = "z.HP-01.x.".into();
        shown["clickEvt"] = "_pc('item_click',{id:'1',refid:'z.HP-01.x.'})".into();
        shown
    };
    let whole = shown(json!({"Description": "D", "SearchTags": ["t"]}), json!({"Long": long}));
    let of_page =
        |names: &[&str]| WantedFields::of_page(names.iter().map(|name| (*name).to_owned()).collect());
    for (needed, expected) in [
        (WantedFields::All, whole.clone()),
        (of_page(&["x", "*"]), whole),
        (of_page(&[]), shown(json!({}), json!({}))),
        (of_page(&["Long"]), shown(json!({}), json!({"Long": long}))),
        (of_page(&["SearchTags"]), shown(json!({"SearchTags": ["t"]}), json!({}))),
    ] {
        assert_eq!(written(&needed, &item).to_string(), expected.to_string(), "{needed:?}");
    }
    let bare = written(&WantedFields::All, &product("1", &json!({"Brand": "Acme"}), &json!({})));
    assert_eq!(bare.get("Brand"), None, "a brand without an id is none");
    let damaged = product("1", &json!([]), &json!({}));
    assert!(json(&damaged, "", ShopLanguage::English, &WantedFields::All).is_err());
}

#[test]
fn attributes_are_no_options_swatches_or_variants() {
    let attributes = ["Options", "Swatches", "Variant", "Variants"]
        .map(|name| (name.to_owned(), json!("S, M")))
        .into_iter()
        .chain([("Fit".to_owned(), json!("wide"))]);
    let rest = json!({"Attributes": attributes.collect::<serde_json::Map<_, _>>()});
    let shown = |card: Value| {
        let item = written(&WantedFields::All, &product("1", &card, &rest));
        ["Options", "Swatches", "Variant", "Variants", "Fit"].map(|name| item.get(name).cloned())
    };
    assert_eq!(shown(json!({})), [None, None, None, None, Some(json!("wide"))]);
    let options = json!({"Size": ["S", "M"]});
    let swatches = json!({"Size": {"S": "#ccc"}});
    let card = json!({"Options": options, "Swatches": swatches});
    assert_eq!(shown(card), [Some(options), Some(swatches), None, None, Some(json!("wide"))]);
}

#[test]
fn fields_are_needed_by_their_names_or_all() {
    let card = WantedFields::of_page(vec!["a".to_owned()]);
    assert_eq!(card, WantedFields::Card(vec!["a".to_owned()]));
    assert!(card.has("a") && !card.has("A") && !card.has("*"));
    assert_eq!(WantedFields::of_page(vec!["a".to_owned(), "*".to_owned()]), WantedFields::All);
    assert!(WantedFields::All.has("anything"));
}

#[test]
fn prices_are_written_for_people_with_what_is_saved() {
    for (price, list, expected) in [
        ("", "12.50 GBP", json!({})),
        ("10.00 GBP", "", json!({"Price": 10.0, "DisplayPrice": "£10.00", "CurrencySymbol": "£"})),
        ("10.00 GBP", "10.00 GBP", json!({"Price": 10.0, "DisplayPrice": "£10.00", "CurrencySymbol": "£"})),
        (
            "2.00 GBP",
            "3.00 GBP",
            json!({"Price": 2.0, "DisplayPrice": "£2.00", "CurrencySymbol": "£", "WasPrice": 3.0,
                "DisplayWasPrice": "£3.00", "SavingPrice": 1.0, "SavingDisplayPrice": "£1.00", "SavingPercent": 33}),
        ),
    ] {
        let mut item = product("1", &json!({}), &json!({}));
        item.offered = offer(price, list);
        item.in_stock = true;
        let mut expected = expected;
        expected["InStock"] = true.into();
        expected["RefId"] = "z.HP-01.x.".into();
        expected["clickEvt"] = "_pc('item_click',{id:'1',refid:'z.HP-01.x.'})".into();
        assert_eq!(written(&WantedFields::All, &item), expected, "{price} {list}");
    }
    let price = Price::parse("1234.50 GBP").expect("a price");
    assert_eq!(display_price(price, ShopLanguage::English), "£1234.50");
    assert_eq!(display_price(price, ShopLanguage::German), "1234,50\u{a0}£");
    assert_eq!(symbol(Price { currency: *b"XQQ", ..price }), "XQQ");
}

#[test]
fn nothing_of_a_click_means_anything_in_html() {
    assert_eq!(click("a-B_9.%", "z.1"), "_pc('item_click',{id:'a-B_9.%',refid:'z.1'})");
    assert_eq!(click("'\"<", "é"), r"_pc('item_click',{id:'\u{27}\u{22}\u{3c}',refid:'\u{e9}'})");
}

#[test]
fn a_title_is_in_the_language_of_the_shop_or_in_english() {
    for (name, language, expected) in [
        ("similar", ShopLanguage::English, "Similar products"),
        ("similar", ShopLanguage::German, "Ähnliche Produkte"),
        ("brands", ShopLanguage::Danish, "Brands for you"),
    ] {
        assert_eq!(title(name, language), expected);
    }
}

#[test]
fn an_item_of_a_template_is_small_and_leads_to_the_web_or_the_shop_alone() {
    let mut sent = json!({"Title": "T", "Link": "/x", "Image": "data:text/html,x", "Brand": {"Id": "b"},
        "AllImages": ["/a.png", "javascript:x", "https://s.test/b"], "Deep": {"x": 1},
        "List": ["a", ["b"], {"c": 1}, 2], "Long": "é".repeat(limits::TEMPLATE_ITEM_BYTES)});
    for number in 0..limits::TEMPLATE_MEMBERS {
        sent[format!("a{number:03}")] = number.into();
    }
    let shown = for_html(&sent.to_string());
    let own = [&shown["Title"], &shown["Link"], &shown["Image"], &shown["Brand"]["Id"]];
    assert_eq!(own, ["T", "/x", "", "b"], "whatever else there is");
    assert_eq!(shown["AllImages"], json!(["/a.png", "", "https://s.test/b"]));
    assert_eq!((shown.get("Deep"), &shown["List"]), (None, &json!(["a", 2])));
    let texts = "T/xdata:text/html,x/a.pngjavascript:xhttps://s.test/ba".len();
    assert_eq!(shown["Long"].as_str().map(str::len), Some((limits::TEMPLATE_ITEM_BYTES - texts) / 2 * 2));
    let numbers = shown.as_object().expect("an item").keys().filter(|name| name.starts_with('a')).count();
    // Each member counts, and each element of a list.
    assert_eq!(numbers, limits::TEMPLATE_MEMBERS - 3 - 4 - 1 - 3 - 1);
}
