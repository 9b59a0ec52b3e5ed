//! Recommendations of one category or brand, lists in which no brand has all places, and rows that are full or none.

use serde_json::{Value, json};

use crate::support::events::{open_shop, post_events};
use crate::support::recommendations::describe_recommended;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    what_is_of_the_same_kin_is_recommended
    of_the_same_kin_those_come_first_that_the_session_calls_for
    no_brand_and_no_category_has_too_many_places
    others_are_looked_for_behind_many_of_one_kind
    fewer_than_the_least_are_none
}

/// Among p1 to p12 the first eight are of brand b1, four of b2; the categories are z-own and a-own, below all.
async fn shop_with_kin(world: &World) -> Shop {
    let shop = open_shop(world, 14).await;
    let product = |number: u64| {
        let brand = if number <= 8 { "b1" } else { "b2" };
        let own = if number.is_multiple_of(2) { "z-own" } else { "a-own" };
        json!({"Id": format!("p{number}"), "Title": format!("Thing {number}"), "Prices": ["5.00 GBP"], "Brand": brand,
            "Categories": [own, "m-beside"]})
    };
    let plain = (13..=14).map(|number| {
        json!({"Id": format!("p{number}"), "Title": format!("Thing {number}"), "Prices": ["5.00 GBP"]})
    });
    let products: Vec<_> = (1..=12).map(product).chain(plain).collect();
    let category = |id: &str| json!({"Id": id, "Name": id});
    let categories = ["z-own", "a-own", "m-beside"].map(category);
    world.complete_feed(&shop, "/kin", &json!({"Products": products, "Categories": categories})).await;
    // The more, the higher the number.
    let view = |who: u64, number: u64| json!({"Name": "product_view", "Product": format!("p{number}"), "UserId": format!("u{who}")});
    for number in 1..=11 {
        let events: Vec<_> = (0..number).map(|who| view(who, number)).collect();
        post_events(world, &shop, &events).await;
    }
    world.node().derived.catch_up(lethe::ids::AccountId(1)).await;
    shop
}

async fn what_is_of_the_same_kin_is_recommended(world: World) {
    let shop = shop_with_kin(&world).await;
    let recommended = async |recommender: &str, newest: &str, more: Value| {
        let mut asked = json!({"Recommender": recommender, "Items": [newest], "Size": 4});
        more.as_object().expect("an object").iter().for_each(|(name, value)| asked[name] = value.clone());
        describe_recommended(&world, &shop, asked).await
    };
    // Nobody looked at p12, so that a session with it calls for nothing, and the most viewed come first.
    let category = recommended("category", "p12", json!({})).await;
    assert_eq!(category, ["p10", "p8", "p6", "p4"].map(|id| format!("{id} in_category p12")));
    let brand = recommended("brand", "p12", json!({"Size": 3})).await;
    assert_eq!(brand, ["p11", "p10", "p9"].map(|id| format!("{id} of_brand p12")));
    let both = recommended("brand", "p12", json!({"Filters": {"Category": ["a-own"]}, "Size": 2})).await;
    assert_eq!(both, ["p11", "p9"].map(|id| format!("{id} of_brand p12")));
    let named = recommended("brand", "p12", json!({"Filters": {"Brand": ["b1"]}, "Size": 2})).await;
    assert_eq!(named, ["p8", "p7"].map(|id| format!("{id} most_viewed")), "the filter says of which");
    let all = recommended("category", "p2", json!({"Size": 7})).await;
    assert_eq!(all[4], "p12 in_category p2", "nobody looked at it yet: {all:?}");
    assert_eq!(all.len(), 7, "others follow");
    for items in [json!([]), json!(["p14"]), json!(["unknown"])] {
        let found = recommended("category", "p2", json!({"Items": items, "Size": 2})).await;
        assert_eq!(found.len(), 2, "{found:?}");
    }
}

async fn of_the_same_kin_those_come_first_that_the_session_calls_for(world: World) {
    let shop = shop_with_kin(&world).await;
    for who in 0..8 {
        let view =
            |id: &str| json!({"Name": "product_view", "Product": id, "UserId": format!("other-{who}")});
        post_events(&world, &shop, &["p2", "p12", "p9"].map(view)).await;
    }
    world.node().derived.catch_up(lethe::ids::AccountId(1)).await;
    let recommended = async |recommender: &str, items: &[&str], filters: Value| {
        let asked = json!({"Recommender": recommender, "Items": items, "Size": 2, "Filters": filters});
        describe_recommended(&world, &shop, asked).await
    };
    let most_viewed = recommended("most_viewed", &["p2"], json!({"Category": ["z-own"]})).await;
    assert_eq!(most_viewed, ["p10 most_viewed", "p12 most_viewed"]);
    let category = recommended("category", &["p2"], json!({})).await;
    assert!(["p6 in_category p2", "p8 in_category p2"].contains(&category[0].as_str()), "{category:?}");
    // Which brand or category the filter says; why, the session does.
    let named = recommended("category", &["p2"], json!({"Category": ["a-own"]})).await;
    assert_eq!(named[0], "p9 viewed_near p2", "{named:?}");
    let brand = json!({"Brand": ["b2"]});
    let named = recommended("brand", &["p2"], brand.clone()).await;
    assert_eq!(named, ["p9 viewed_near p2", "p12 alike_sessions p2"]);
    // Of two products the one of that brand asks, though the other was viewed last, or has no brand. It is not
    // recommended, as the newest there.
    let named = recommended("brand", &["p12", "p2"], brand.clone()).await;
    assert_eq!(named, ["p9 viewed_next p12", "p10 viewed_near p12"]);
    let named = recommended("brand", &["p12", "p14"], brand).await;
    assert_eq!(named, ["p9 viewed_near p12", "p10 viewed_near p12"]);
}

async fn no_brand_and_no_category_has_too_many_places(world: World) {
    let shop = shop_with_kin(&world).await;
    let ask = |size: u64, diversity: Value| json!({"Recommender": "most_viewed", "Size": size, "Diversity": diversity});
    let ids = async |asked: Value| -> Vec<String> {
        let told = describe_recommended(&world, &shop, asked).await;
        told.iter().map(|one| one.split(' ').next().expect("an id").to_owned()).collect()
    };
    assert_eq!(ids(ask(4, json!({}))).await, ["p11", "p10", "p9", "p8"]);
    assert_eq!(ids(ask(4, json!({"Brand": 2}))).await, ["p11", "p10", "p8", "p7"]);
    assert_eq!(ids(ask(2, json!({"Brand": 1, "Category": 1}))).await, ["p11", "p8"]);
    // A product without a brand counts for none, and products above the limit fill the rest.
    assert_eq!(ids(ask(5, json!({"Brand": 1}))).await[..2], ["p11", "p8"]);
    let all = ids(ask(14, json!({"Brand": 1}))).await;
    assert_eq!(all.len(), 14, "{all:?}");
    for wrong in [json!(2), json!({"Colour": 2}), json!({"Brand": 0}), json!({"Category": "two"})] {
        let asked = json!({"AppKey": shop.key, "Diversity": wrong});
        world.post("/api/recommend", &asked).await.expect_refusal(400);
    }
}

async fn fewer_than_the_least_are_none(world: World) {
    let shop = shop_with_kin(&world).await;
    let ask = |least: u64| json!({"Size": 6, "Min": least, "Filters": {"Brand": ["b2"]}});
    assert_eq!(describe_recommended(&world, &shop, ask(4)).await.len(), 4);
    assert_eq!(describe_recommended(&world, &shop, ask(5)).await.len(), 0);
}

async fn others_are_looked_for_behind_many_of_one_kind(world: World) {
    let shop = world.shop("one").await;
    let product = |number: u64| {
        let brand = if number == 1 { "rare" } else { "common" };
        json!({"Id": format!("p{number}"), "Title": format!("Thing {number}"), "Prices": ["5.00 GBP"], "Brand": brand})
    };
    let products: Vec<_> = (1..=40).map(product).collect();
    world.complete_feed(&shop, "/kin", &json!({"Products": products})).await;
    let view = |who: u64, number: u64| json!({"Name": "product_view", "Product": format!("p{number}"), "UserId": format!("u{who}")});
    let mut views: Vec<_> = (2..=40).flat_map(|number| [view(1, number), view(number, number)]).collect();
    views.push(view(1, 1));
    post_events(&world, &shop, &views).await;
    world.node().derived.catch_up(lethe::ids::AccountId(1)).await;
    for (recommender, found) in [("most_viewed", "p1 most_viewed"), ("new_arrivals", "p1 newest")] {
        let ask = json!({"Recommender": recommender, "Size": 3, "Diversity": {"Brand": 1}});
        let told = describe_recommended(&world, &shop, ask).await;
        assert!(told.iter().any(|one| one == found), "{recommender}: {told:?}");
        assert_eq!(told.len(), 3);
    }
}
