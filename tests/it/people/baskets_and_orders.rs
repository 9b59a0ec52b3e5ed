//! Baskets and orders: the person and products of each, products ordered together, and their end.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::FutureExt;
use lethe::ids::AccountId;
use lethe::limits;
use lethe::recommend::model::Model;
use lethe::recommend::model_diff::compare_models;
use lethe::work::order_events;
use serde_json::{Value, json};

use crate::support::events::{open_shop, post_events, post_view};
use crate::support::order_files;
use crate::support::plugin::{send_events, start_visit};
use crate::support::recommendations::describe_recommended;
use crate::support::reports::rows_by_subject;
use crate::support::residue::assert_nothing;
use crate::support::world::{Shop, World, on_both_engines};
use crate::support::zones::await_zones;

on_both_engines! {
    baskets_and_orders_stand_in_the_export
    an_order_counts_once_whoever_sends_it_again
    what_is_no_basket_and_no_order_is_left_out_with_the_reason
    an_order_is_looked_at_soon_and_nothing_else_is
    orders_before_the_catalogue_count_once_it_shows
    more_orders_than_one_unit_looks_at_are_noted_at_once
    an_order_that_grows_is_noted_again
    an_order_that_is_cancelled_counts_no_more
    an_order_that_goes_alone_takes_its_event_along
    a_buyer_who_is_forgotten_leaves_no_basket_and_no_order
    what_goes_with_what_is_bought_is_recommended
    specific_products_come_first_where_the_shop_wants_them
    an_old_session_reads_nobodys_history
}

const SHOP: AccountId = AccountId(1);

fn order(number: &str, who: &Value, items: Value) -> Value {
    let mut event = who.clone();
    event["Name"] = "order".into();
    event["Order"] = number.into();
    event["Items"] = items;
    event
}

fn basket(who: &Value, items: Value) -> Value {
    let mut event = who.clone();
    event["Name"] = "set_basket".into();
    event["Items"] = items;
    event
}

/// Looks at all orders that were not looked at.
async fn store_order_events(world: &World) {
    order_events::record_orders(world.node(), SHOP).await.expect("noted");
}

/// The live model, compared with a rebuilt one: sessions with views, baskets, orders.
async fn model(world: &World) -> [usize; 3] {
    let compare = |live: &Model, anew: &Model| {
        assert!(compare_models(live, anew, usize::MAX).is_same(), "made anew it is another");
        [live.views(), live.baskets(), live.orders()].map(lethe::recommend::history::ClickHistory::sessions)
    };
    world.node().derived.models().compare_with_rebuilt(SHOP, compare).await.expect("a model").0
}

async fn export(world: &World, shop: &Shop, identifier: &str) -> Value {
    world.ask_json(shop, "/api/user/export", json!({"Identifier": identifier})).await
}

/// The products of each event of a kind, in an export.
fn products_of(export: &Value, kind: &str) -> Vec<Value> {
    let events = export["Events"].as_array().expect("events").iter();
    let mut products: Vec<_> =
        events.filter(|event| event["Event"] == kind).map(|event| event["Products"].clone()).collect();
    // Orders are noted in the order of their keyed hashes.
    if kind == "order" {
        products.sort_by_key(Value::to_string);
    }
    products
}

async fn baskets_and_orders_stand_in_the_export(world: World) {
    let shop = open_shop(&world, 5).await;
    let anna = json!({"UserId": "anna"});
    let line = json!({"Product": "no-1", "Quantity": 2.5, "UnitPrice": "9.90"});
    let events = [
        // By id, article number and variant; one is there twice, and one is not shown.
        basket(&anna, json!(["p2", "no-1", {"Product": "v2", "Quantity": 3}, "gone"])),
        basket(&anna, json!([])),
        order("order-canary-4711", &anna, json!([line, "p3", "gone", "p3"])),
    ];
    let taken = post_events(&world, &shop, &events).await;
    assert_eq!(taken[0], taken[1], "one session");
    assert_eq!(taken[2], json!({"Order": "stored"}));
    store_order_events(&world).await;
    let export = export(&world, &shop, "anna").await;
    assert_eq!(products_of(&export, "set_basket"), [json!(["p2", "p1"]), json!([])]);
    assert_eq!(products_of(&export, "order"), [json!(["p1", "p3"])]);
    let lines = export["Orders"][0]["Lines"].as_array().expect("lines");
    assert_eq!(lines[0], json!({"Product": "no-1", "Quantity": "2.5", "UnitPrice": "9.90"}));
    assert_eq!(lines[1], json!({"Product": "p3", "Quantity": "1", "UnitPrice": null}));
    assert_eq!((lines.len(), model(&world).await), (4, [0, 0, 1]), "an empty basket is none");
    assert_nothing(&world, &["order-canary-4711", "set_basket"]).await;
}

async fn an_order_counts_once_whoever_sends_it_again(world: World) {
    let shop = open_shop(&world, 5).await;
    let anna = json!({"UserId": "anna"});
    let berta = json!({"Email": "berta@shop.test"});
    let one = order("A-1", &anna, json!(["p1"]));
    // In one request further lines join it, of the same person.
    let taken = post_events(&world, &shop, &[one.clone(), order("A-1", &berta, json!(["p2"]))]).await;
    assert_eq!(taken, [json!({"Order": "stored"}), json!({"Order": "mixed"})]);
    store_order_events(&world).await;
    assert_eq!(post_events(&world, &shop, std::slice::from_ref(&one)).await, [json!({"Order": "known"})]);
    assert_eq!(
        post_events(&world, &shop, &[order("A-2", &berta, json!(["p2"]))]).await,
        [json!({"Order": "stored"})]
    );
    store_order_events(&world).await;
    assert_eq!(model(&world).await, [0, 0, 2]);
    let export = export(&world, &shop, "anna").await;
    assert_eq!(export["Orders"].as_array().map(Vec::len), Some(1));
}

async fn what_is_no_basket_and_no_order_is_left_out_with_the_reason(world: World) {
    let shop = open_shop(&world, 2).await;
    let anna = json!({"UserId": "anna"});
    let many: Vec<_> = (0..501).map(|n| format!("p{n}")).collect();
    let events = [
        basket(&anna, json!("p1")),
        basket(&anna, json!(many)),
        basket(&anna, json!(["gone"])),
        basket(&anna, json!([{"Quantity": 1}])),
        order("", &anna, json!(["p1"])),
        order("A-2", &anna, json!([{"Product": "p1", "Quantity": -1}])),
        order("A-3", &anna, json!([{"Product": "p1", "Quantity": "many"}])),
        order("A-4", &anna, json!([{"Product": "p1", "UnitPrice": 1e300}])),
        order("A-5", &json!({"VisitorId": "5f2b8c1e77aa41d2"}), json!(["p1"])),
        order("A-6", &anna, json!(["x".repeat(600)])),
    ];
    let taken = post_events(&world, &shop, &events).await;
    let reasons: Vec<_> = taken.iter().map(|taken| taken["LeftOut"].as_str().unwrap_or("taken")).collect();
    let expected = [
        "Items has to be a list of products",
        "Items has up to 500 products",
        "The shop shows none of the products in Items",
        "Product is missing in Items",
        "Order is missing: the shop's id of it",
        "Quantity is no amount that can be",
        "Quantity is no amount that can be",
        "UnitPrice is no amount that can be",
        "An order names a customer: UserId, Email or AccountId is needed",
        "A product in Items has up to 512 bytes",
    ];
    assert_eq!(reasons, expected);
}

/// No worker runs in a test: this one looks what would wait for it.
async fn an_order_is_looked_at_soon_and_nothing_else_is(world: World) {
    let shop = open_shop(&world, 2).await;
    let anna = json!({"UserId": "anna"});
    let due = || world.node().noting.next().now_or_never();
    let view = json!({"Name": "product_view", "Product": "p1", "UserId": "anna"});
    post_events(&world, &shop, &[view, basket(&anna, json!(["p1"]))]).await;
    assert_eq!(due(), None);
    post_events(&world, &shop, &[order("A-1", &anna, json!(["p1"]))]).await;
    assert_eq!((due(), due()), (Some((SHOP, Vec::new())), None));
    // Whose it is, is known only by the browser.
    let visitor = start_visit(&world, &shop).await;
    let told = json!({"name": "order_track", "data": {"orderid": "A-2", "id1": "p1", "qty1": "1"}});
    send_events(&world, &shop, &visitor, json!([told])).await;
    assert_eq!((due(), due()), (Some((SHOP, Vec::new())), None));
}

async fn orders_before_the_catalogue_count_once_it_shows(world: World) {
    let shop = world.shop("one").await;
    let orders = [order("A-1", &json!({"UserId": "anna"}), json!(["no-1", "p2"]))];
    assert_eq!(post_events(&world, &shop, &orders).await, [json!({"Order": "stored"})]);
    store_order_events(&world).await;
    assert_eq!(model(&world).await, [0, 0, 0]);
    let product = |n: u32| json!({"Id": format!("p{n}"), "Sku": format!("no-{n}"), "Title": "Thing", "Prices": ["5.00 GBP"]});
    world.complete_feed(&shop, "/shop", &json!({"Products": [product(1), product(2)]})).await;
    store_order_events(&world).await;
    assert_eq!(model(&world).await, [0, 0, 1]);
    // Its products do not change any more.
    world.complete_feed(&shop, "/shop", &json!({"Products": [product(2), product(3)]})).await;
    store_order_events(&world).await;
    assert_eq!(products_of(&export(&world, &shop, "anna").await, "order"), [json!(["p1", "p2"])]);
}

async fn more_orders_than_one_unit_looks_at_are_noted_at_once(world: World) {
    const ORDERS: usize = limits::UNIT_ROWS / 6 + 5;
    let shop = world.shop("one").await;
    let order = |n: usize| order(&format!("A-{n}"), &json!({"UserId": format!("u-{n}")}), json!(["p1"]));
    let orders: Vec<_> = (0..ORDERS).map(order).collect();
    post_events(&world, &shop, &orders).await;
    let product = json!({"Id": "p1", "Title": "Thing", "Prices": ["5.00 GBP"]});
    world.complete_feed(&shop, "/shop", &json!({"Products": [product]})).await;
    store_order_events(&world).await;
    assert_eq!(model(&world).await, [0, 0, ORDERS]);
}

/// A file may be read while its first lines are noted already, or again after a crash.
async fn an_order_that_grows_is_noted_again(world: World) {
    const SEQ: i64 = 1000;
    let shop = open_shop(&world, 5).await;
    let line = |product: &str| format!("A-1,anna,2026-11-21 09:00:00,{product},1\n");
    let file = |lines: &[&str]| {
        let lines: String = lines.iter().map(|product| line(product)).collect();
        format!("OrderId,UserId,DateTimeStamp,ProdCode,Quantity\n{lines}")
    };
    order_files::process_order_file(&world, SEQ, &file(&["p1"])).await.expect("stored");
    store_order_events(&world).await;
    assert_eq!(model(&world).await, [0, 0, 1]);
    order_files::process_order_file(&world, SEQ, &file(&["p1", "no-2"])).await.expect("stored");
    store_order_events(&world).await;
    assert_eq!(model(&world).await, [0, 0, 1], "one order");
    // The event before it is gone.
    assert_eq!(products_of(&export(&world, &shop, "anna").await, "order"), [json!(["p1", "p2"])]);
}

/// Orders of the last days, as the report tells it of five people or more; 0 where it tells nothing.
async fn count_reported_orders(world: &World, shop: &Shop) -> f64 {
    let report = world.ask_json(shop, "/api/report", json!({"Report": "quality"})).await;
    rows_by_subject(&report).get("orders").map_or(0.0, |orders| orders[1])
}

async fn an_order_that_is_cancelled_counts_no_more(world: World) {
    let shop = open_shop(&world, 5).await;
    let of = |n: usize| order(&format!("A-{n}"), &json!({"UserId": format!("u-{n}")}), json!(["p1", "p2"]));
    let orders: Vec<_> = (0..15).map(of).collect();
    post_events(&world, &shop, &orders).await;
    store_order_events(&world).await;
    assert_eq!((model(&world).await, count_reported_orders(&world, &shop).await), ([0, 0, 15], 15.0));
    let events = [
        json!({"Name": "order", "Order": "A-0", "Cancelled": true}),
        json!({"Name": "order", "Order": "A-1", "UserId": "u-1", "Items": []}),
        json!({"Name": "order", "Order": "never placed", "Cancelled": "1"}),
    ];
    assert_eq!(post_events(&world, &shop, &events).await, vec![json!({"Order": "cancelled"}); 3]);
    let file = "OrderId,UserId,DateTimeStamp,ProdCode,Quantity,Cancelled\n\
                A-2,u-2,2026-11-21,p1,1,true\nA-2,u-2,2026-11-21,p2,1,true\n\
                A-3,,,,,\n\
                A-4,u-4,2026-11-21,p1,1,true\nB-1,u-4,2026-11-21,p1,1,\nB-1,u-4,2026-11-21,p2,1,true\n";
    assert_eq!(
        order_files::process_order_file(&world, 1000, file).await,
        Ok(BTreeMap::new()),
        "nothing is wrong with it"
    );
    store_order_events(&world).await;
    assert_eq!((model(&world).await, count_reported_orders(&world, &shop).await), ([0, 0, 11], 11.0));
    // Its number stays known: sent once more it does not come back.
    assert_eq!(post_events(&world, &shop, &orders[..1]).await, [json!({"Order": "known"})]);
    store_order_events(&world).await;
    assert_eq!(model(&world).await, [0, 0, 11]);
    let left = export(&world, &shop, "u-0").await;
    assert_eq!((&left["Orders"][0]["Order"], &left["Orders"][0]["Lines"]), (&json!("A-0"), &json!([])));
}

/// A person's address was typed into an order of another: that order goes, and its customer stays.
async fn an_order_that_goes_alone_takes_its_event_along(world: World) {
    let shop = open_shop(&world, 5).await;
    let of = |email: &str| json!({"UserId": "51", "Email": email});
    let orders = [
        order("A-1", &of("cid@shop.test"), json!(["p1", "p2"])),
        order("A-2", &of("ron@shop.test"), json!(["p3", "p4"])),
        order("A-3", &of("cid@shop.test"), json!(["p1", "p5"])),
    ];
    post_events(&world, &shop, &orders).await;
    store_order_events(&world).await;
    assert_eq!(model(&world).await, [0, 0, 3]);
    assert_eq!(products_of(&export(&world, &shop, "ron@shop.test").await, "order"), [json!(["p3", "p4"])]);
    world.forget(&shop, "ron@shop.test").await;
    world.run_all_jobs().await;
    assert_eq!(model(&world).await, [0, 0, 2]);
    let left = export(&world, &shop, "51").await;
    assert_eq!(products_of(&left, "order"), [json!(["p1", "p2"]), json!(["p1", "p5"])]);
}

async fn a_buyer_who_is_forgotten_leaves_no_basket_and_no_order(mut world: World) {
    let shop = open_shop(&world, 5).await;
    for user in ["anna", "berta"] {
        let who = json!({"UserId": user});
        let events = [
            json!({"Name": "product_view", "Product": "p1", "UserId": user}),
            basket(&who, json!(["p1", "p2"])),
            order(&format!("of-{user}"), &who, json!(["p1", "p2"])),
        ];
        post_events(&world, &shop, &events).await;
    }
    store_order_events(&world).await;
    assert_eq!(model(&world).await, [2, 2, 2]);
    world.forget(&shop, "anna").await;
    world.run_all_jobs().await;
    assert_eq!(model(&world).await, [1, 1, 1]);
    let taken = post_events(&world, &shop, &[order("late", &json!({"UserId": "anna"}), json!(["p1"]))]).await;
    assert_eq!(taken, [json!({"Order": "stored"})], "nobody learns who was forgotten");
    world.clock.advance(Duration::from_secs(61 * 24 * 60 * 60));
    world.restart().await;
    store_order_events(&world).await;
    assert_eq!(model(&world).await, [0, 0, 0], "sixty days");
    assert_eq!(
        products_of(&export(&world, &shop, "berta").await, "order").len(),
        1,
        "kept for thirteen months"
    );
}

/// Ten people who order p1 with p2, one also p3 later; five who order p4 alone.
async fn post_orders(world: &World, shop: &Shop) {
    let mut events = Vec::new();
    let before = world.clock.now() - 1000;
    for number in 0..15 {
        let who = json!({"UserId": format!("user-{number}"), "At": before});
        let goods = if number < 10 { json!(["p1", "p2"]) } else { json!(["p4"]) };
        events.push(order(&format!("first-{number}"), &who, goods));
    }
    events.push(order("later", &json!({"UserId": "user-3"}), json!(["p3"])));
    assert!(post_events(world, shop, &events).await.iter().all(|taken| taken["Order"] == "stored"));
    store_order_events(world).await;
    world.node().derived.catch_up(SHOP).await;
}

async fn what_goes_with_what_is_bought_is_recommended(world: World) {
    let shop = open_shop(&world, 12).await;
    post_orders(&world, &shop).await;
    let anna = json!({"UserId": "user-3"});
    let session = post_view(&world, &shop, anna.clone(), "p5").await;
    let of = |recommender: &str, more: Value| {
        let mut asked = json!({"Recommender": recommender, "Size": 2});
        more.as_object().expect("an object").iter().for_each(|(name, value)| asked[name] = value.clone());
        asked
    };
    let told = async |recommender, more| {
        world.node().derived.catch_up(SHOP).await;
        describe_recommended(&world, &shop, of(recommender, more)).await
    };
    assert_eq!(told("bought_together", json!({"Items": ["p1"]})).await[0], "p2 bought_together p1");
    assert_eq!(
        told("also_bought", json!({"Items": ["p1"]})).await,
        ["p2 also_bought p1", "p3 also_bought p1"]
    );
    assert_eq!(told("best_sellers", json!({})).await, ["p1 best_seller", "p2 best_seller"]);
    // The session identifies the shopper: first their most frequent purchases, then their last ones.
    let own = json!({"SessionId": session});
    assert_eq!(told("buy_again", own.clone()).await, ["p3 bought_before", "p1 bought_before"]);
    let but = json!({"SessionId": session, "ExcludeBought": true});
    assert_eq!(told("best_sellers", but.clone()).await[0], "p4 best_seller");
    assert_eq!(told("buy_again", but).await, ["p3 bought_before", "p1 bought_before"]);
    // Products in the basket count for the question, and are not recommended.
    post_events(&world, &shop, &[basket(&anna, json!(["p2"]))]).await;
    assert_eq!(told("bought_together", own.clone()).await[0], "p1 bought_together p2");
    assert!(told("best_sellers", own.clone()).await.iter().all(|told| !told.starts_with("p2 ")));
    for number in 0..9 {
        for product in ["p5", "p6", "p7"] {
            post_view(&world, &shop, json!({"UserId": format!("viewer-{number}")}), product).await;
        }
    }
    assert_eq!(told("for_you", own).await, ["p6 for_you", "p7 for_you"]);
    assert_eq!(told("trending", json!({})).await[0], "p5 trending");
    assert_eq!(told("buy_again", json!({"Items": ["p1"]})).await, [""; 0], "nobody is known");
    // A page about a product asks with it, whatever lies in the basket.
    let other = post_view(&world, &shop, json!({"UserId": "user-5"}), "p5").await;
    post_events(&world, &shop, &[basket(&json!({"UserId": "user-5"}), json!(["p2"]))]).await;
    let of_page = json!({"SessionId": other, "Items": ["p1"]});
    assert_eq!(told("bought_together", of_page).await[0], "p3 also_bought p1");
}

/// With p1: p2 in eight orders and 42 others, p3 in five and no other.
async fn specific_products_come_first_where_the_shop_wants_them(world: World) {
    let shop = open_shop(&world, 3).await;
    let items = |number: usize| match number {
        0..8 => json!(["p1", "p2"]),
        8..13 => json!(["p1", "p3"]),
        _ => json!(["p2"]),
    };
    let buyer = |number: usize| json!({"UserId": format!("user-{number}")});
    let orders: Vec<_> =
        (0..55).map(|number| order(&format!("A-{number}"), &buyer(number), items(number))).collect();
    post_events(&world, &shop, &orders).await;
    store_order_events(&world).await;
    world.node().derived.catch_up(SHOP).await;
    for (focus, first) in [("likely", "p2"), ("balanced", "p2"), ("specific", "p3")] {
        let set =
            world.control("/control/account/search", json!({"Name": "one", "BoughtTogether": focus})).await;
        assert_eq!(set["BoughtTogether"], focus);
        let asked = json!({"Recommender": "bought_together", "Items": ["p1"], "Size": 1});
        assert_eq!(describe_recommended(&world, &shop, asked).await, [format!("{first} bought_together p1")]);
        let page = json!({"zones": [{"id": "PP-02", "data": {"product_id": "p1"}}]});
        let zones = await_zones(&world, &shop, page).await;
        assert_eq!(zones["PP-02"]["items"][0]["Id"], first, "{zones}");
        // Other settings leave it as it is.
        let set = world.control("/control/account/search", json!({"Name": "one", "Popularity": true})).await;
        assert_eq!(set["BoughtTogether"], focus);
    }
}

/// The number of a session is in a cookie: one that ended long ago opens nothing.
async fn an_old_session_reads_nobodys_history(world: World) {
    let shop = open_shop(&world, 5).await;
    post_orders(&world, &shop).await;
    let session = post_view(&world, &shop, json!({"UserId": "user-3"}), "p5").await;
    let again = async || {
        world.node().derived.catch_up(SHOP).await;
        describe_recommended(&world, &shop, json!({"Recommender": "buy_again", "SessionId": session}))
            .await
            .len()
    };
    assert_eq!(again().await, 3);
    world.clock.advance(Duration::from_secs(24 * 60 * 60));
    assert_eq!(again().await, 3);
    world.clock.advance(Duration::from_secs(24 * 60 * 60));
    assert_eq!(again().await, 0);
}
