//! What comes first of products that are equally relevant.

use std::collections::HashMap;

use super::*;

const DAY_SECONDS: i64 = 86_400;
const NOW: i64 = 20_000 * DAY_SECONDS;

fn answered(shop: &Shop, request: &Request, now: i64) -> Vec<String> {
    let caller = Caller { now, ..Caller::default() };
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
    let plain = Request { ranking: Ranking { favour: false, ..Ranking::default() }, ..asking("oak chair") };
    assert_eq!(answered(&shop, &plain, NOW), ["x1", "x2", "x3", "x4"]);
    let popular = HashMap::from([("x2".to_owned(), 1.0), ("x1".to_owned(), 0.2)]);
    let popular = Request { popularity: Some(Arc::new(Popularity::new(popular))), ..asking("oak chair") };
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
    let popular = popular.filter(|(id, _)| id != "whole").collect();
    let shop = Shop::new(&products);
    let request =
        Request { popularity: Some(Arc::new(Popularity::new(popular))), ..asking(&words.join(" ")) };
    assert_eq!(answered(&shop, &request, NOW)[0], "whole");
}
