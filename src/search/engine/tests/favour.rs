//! Order of equally relevant products.

use std::collections::HashMap;

use super::*;
use crate::search::pricing::BuyerContext;
use crate::search::query::boosts::{PopularitySignal, ShopperRatings};
use crate::search::query::options::Ranking;

const DAY_SECONDS: i64 = 86_400;
const NOW: i64 = 20_000 * DAY_SECONDS;

/// Popularity of products.
struct Popular(HashMap<String, f64>);

impl PopularitySignal for Popular {
    fn rate_products(&self, ids: &[&str]) -> Vec<ShopperRatings> {
        let popular = |id: &&str| self.0.get(*id).copied().unwrap_or_default();
        ids.iter().map(|id| ShopperRatings { popular: popular(id), personal: 0.0 }).collect()
    }

    fn most_liked(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }
}

pub fn liking(query: &str, popular: impl IntoIterator<Item = (String, f64)>) -> SearchQuery {
    SearchQuery { liking: Some(Arc::new(Popular(popular.into_iter().collect()))), ..asking(query) }
}

fn answered(shop: &Shop, request: &SearchQuery, now: i64) -> Vec<String> {
    let caller = BuyerContext { now, ..BuyerContext::default() };
    ids(&shop.index.snapshot().search(request, &caller).expect("an answer"))
}

#[test]
fn new_and_available_products_come_first_of_equals() {
    let mut products = shoes();
    products.extend(["x1", "x2", "x3", "x4"].map(|id| product(id, "Oak chair")));
    let first = products.len() - 4;
    products[first].in_stock = false;
    products[first + 2].newest = NOW - 2 * DAY_SECONDS;
    products[first + 3].newest = NOW - 20 * DAY_SECONDS;
    let shop = Shop::new(&products);
    assert_eq!(answered(&shop, &asking("oak chair"), NOW), ["x3", "x4", "x2", "x1"]);
    // The same all day, and old one day.
    assert_eq!(answered(&shop, &asking("oak chair"), NOW + DAY_SECONDS - 1), ["x3", "x4", "x2", "x1"]);
    assert_eq!(answered(&shop, &asking("oak chair"), NOW + 90 * DAY_SECONDS), ["x2", "x3", "x4", "x1"]);
    let plain =
        SearchQuery { ranking: Ranking { favour: false, ..Ranking::default() }, ..asking("oak chair") };
    assert_eq!(answered(&shop, &plain, NOW), ["x1", "x2", "x3", "x4"]);
    let popular = liking("oak chair", [("x2".to_owned(), 1.0), ("x1".to_owned(), 0.2)]);
    assert_eq!(answered(&shop, &popular, NOW), ["x2", "x3", "x4", "x1"]);
}

#[test]
fn what_is_favoured_does_not_pass_what_holds_a_word_more() {
    let words = ["oak", "steel", "small", "blue", "round", "soft", "light", "chair"];
    let mut products: Vec<_> =
        (10..22).map(|number| product(&format!("p{number}"), &words[1..].join(" "))).collect();
    products.iter_mut().for_each(|product| product.newest = NOW);
    products.extend((22..34).map(|number| product(&format!("p{number}"), "oak")));
    products.extend(shoes());
    let mut whole = product("whole", &words.join(" "));
    whole.in_stock = false;
    products.push(whole);
    let popular = products.iter().map(|product| (product.id.clone(), 1.0));
    let popular = popular.filter(|(id, _)| id != "whole");
    let shop = Shop::new(&products);
    // No product holds the last word: one that held all would come first in any case.
    let request = liking(&format!("{} gold", words.join(" ")), popular);
    assert_eq!(answered(&shop, &request, NOW)[0], "whole");
}

/// A word that nearly all products hold is worth less than being liked.
#[test]
fn what_is_liked_does_not_pass_what_holds_a_common_word_more() {
    let mut products: Vec<_> = (100..400).map(|n| product(&format!("p{n}"), "chair steel")).collect();
    products.extend(
        [("both", "chair oak"), ("less", "oak steel"), ("liked", "oak steel")]
            .map(|(id, title)| product(id, title)),
    );
    let shop = Shop::new(&products);
    let first = |request: &SearchQuery| answered(&shop, request, NOW)[..3].to_vec();
    // No product holds the last word: one that held all would come first in any case.
    let query = "chair oak gold";
    assert_eq!(first(&asking(query)), ["both", "less", "liked"]);
    assert_eq!(first(&liking(query, [("liked".to_owned(), 1.0)])), ["both", "liked", "less"]);
    let of_both = liking(query, ["both", "liked"].map(|id| (id.to_owned(), 1.0)));
    assert_eq!(first(&of_both), ["both", "liked", "less"]);
}
