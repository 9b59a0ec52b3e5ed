//! The members of a row and the tags of its markup, each by its name.

use serde_json::{Value, json};

use super::*;
use crate::search::pricing::{OfferTerms, Price, PriceTerms};

#[test]
fn each_flag_is_what_it_is_called() {
    let set = |name: &str, value: bool| -> Vec<&str> {
        // Nothing is in stock, unless the shop says so.
        let document = read(&json!({"Id": "1", "StockQty": 0, (name): value}).to_string());
        let offer = &document.offer;
        let flags = [
            (document.in_stock, "InStock"),
            (document.new_arrival, "NewArrival"),
            (document.on_offer, "OnOffer"),
            (document.hidden && offer.hidden, "ExcludeFromSearch"),
            (offer.unlisted, "ExcludeFromProductListing"),
            (offer.unrecommended, "ExcludeFromRecommenders"),
            (offer.own_prices_only, "NoDefaultPriceForAccounts"),
        ];
        flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, name)| name).collect()
    };
    for name in [
        "InStock",
        "NewArrival",
        "OnOffer",
        "ExcludeFromSearch",
        "ExcludeFromProductListing",
        "ExcludeFromRecommenders",
        "NoDefaultPriceForAccounts",
    ] {
        assert_eq!(set(name, true), [name]);
        assert!(set(name, false).is_empty(), "{name}");
    }
}

#[test]
fn each_list_of_prices_and_accounts_is_what_it_is_called() {
    let document = read(
        r#"{"Id":"1","Prices":["6 GBP"],"SalePrices":["5 GBP"],"AccountInclusions":["in"],"AccountExclusions":["out"],
        "GroupPrices":{"trade":{"Prices":["4 GBP"],"SalePrices":["3 GBP"]}},
        "AccountPrices":{"tag":{"Prices":["2 GBP"],"SalePrices":["1 GBP"]}}}"#,
    );
    let terms = |list: &str, sale: &str| {
        let [lists, sales] = [list, sale].map(|text| Price::parse(text).into_iter().collect());
        PriceTerms { lists, sales }
    };
    let expected = OfferTerms {
        prices: terms("6 GBP", "5 GBP"),
        groups: vec![("trade".to_owned(), terms("4 GBP", "3 GBP"))],
        accounts: vec![("tag".to_owned(), terms("2 GBP", "1 GBP"))],
        inclusions: vec!["in".to_owned()],
        exclusions: vec!["out".to_owned()],
        ..OfferTerms::default()
    };
    assert_eq!(document.offer, expected);
}

/// `Brand` is not among them: an answer shows it by its name.
#[test]
fn no_answer_shows_members_about_prices_accounts_and_switches() {
    for name in [
        "Prices",
        "SalePrices",
        "GroupPrices",
        "AccountPrices",
        "SalePriceStartDate",
        "SalePriceEndDate",
        "AccountInclusions",
        "AccountExclusions",
        "NoDefaultPriceForAccounts",
        "ExcludeFromSearch",
        "ExcludeFromProductListing",
        "ExcludeFromRecommenders",
        "StockQty",
        "InStock",
        "Visibility",
        "jsonconfig",
        "swatchrenderjson",
        "_index",
        "Price",
        "ListPrice",
        "Currency",
        "Variant",
        "Highlight",
    ] {
        let document = read(&json!({"Id": "1", (name): ["sent"], "Colour": "red"}).to_string());
        let card: Value = serde_json::from_str(&display(&document)).expect("JSON");
        assert!(card.get(name).is_none() && card["Colour"] == "red", "{name}: {card}");
    }
}

#[test]
fn members_that_are_only_shown_are_no_attributes() {
    for name in [
        "Link",
        "Image",
        "ImageOverlay",
        "AllImages",
        "MagentoProductType",
        "ProductType",
        "Visibility",
        "PromoMessage",
        "swatchrenderjson",
        "_index",
    ] {
        let document = read(&json!({"Id": "1", (name): "sent", "Colour": "red"}).to_string());
        let names: Vec<_> = document.attributes.iter().map(|attribute| attribute.name.as_str()).collect();
        assert_eq!(names, ["Colour"], "{name}");
    }
}

#[test]
fn each_tag_joins_words_or_parts_them_or_hides_its_text() {
    let inline = "a abbr b bdi code em font i ins kbd mark q s small span strong sub sup u wbr";
    for (tags, text) in [
        (inline, "xyz"),
        ("p div li td th tr table h1 section br hr ul dl article button", "x y z"),
        ("script style template noscript", "x z"),
    ] {
        for tag in tags.split(' ') {
            assert_eq!(markup::without_markup(&format!("x<{tag}>y</{tag}>z")), text, "{tag}");
        }
    }
}
