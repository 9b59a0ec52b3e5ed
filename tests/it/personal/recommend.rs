//! Recommendations over HTTP: soon after an event, only products that may be shown, and never an empty list.

use std::time::{Duration, Instant};

use lethe::ids::AccountId;
use lethe::keys::{KeyFault, Keys};
use lethe::limits;
use serde_json::{Value, json};

use crate::support::events::{open_shop, post_events, post_view};
use crate::support::recommendations::{describe_recommended, fetch_recommended, hold_model_overnight};
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    what_others_did_is_recommended_soon
    what_may_not_be_shown_leaves_its_place_to_the_next
    what_is_wanted_is_found_behind_what_may_not_be_shown
    there_is_always_something_to_recommend
    a_session_asks_with_what_it_did
    what_cannot_be_recommended_is_refused_with_the_reason
    one_shop_recommends_nothing_of_another
    who_asks_waits_for_no_model_that_takes_long
    a_reading_that_fails_keeps_no_stopped_node
    a_reading_that_failed_is_tried_again
    what_comes_while_a_model_reads_is_read_too
    what_only_a_visitor_viewed_counts_for_thirty_days
    a_model_has_the_events_of_every_page
}

async fn ids(world: &World, shop: &Shop, asked: Value) -> Vec<String> {
    let items = fetch_recommended(world, shop, asked).await;
    items.iter().map(|item| item["Id"].as_str().expect("an id").to_owned()).collect()
}

/// Twenty people who look at p1, p2, p3, and twenty who look at p4, p5.
async fn post_visits(world: &World, shop: &Shop) {
    let mut events = Vec::new();
    for number in 0..20 {
        for (who, paths) in [("a", &["p1", "p2", "p3"][..]), ("b", &["p4", "p5"][..])] {
            let event = |id: &&str| json!({"Name": "product_view", "Product": id, "UserId": format!("{who}{number}")});
            events.extend(paths.iter().map(event));
        }
    }
    assert!(post_events(world, shop, &events).await.iter().all(|taken| taken["SessionId"].is_string()));
}

async fn what_others_did_is_recommended_soon(world: World) {
    let shop = open_shop(&world, 30).await;
    let ask = || json!({"Items": ["p1"], "Size": 2});
    assert_eq!(ids(&world, &shop, ask()).await.len(), 2);
    post_visits(&world, &shop).await;
    let begun = Instant::now();
    while describe_recommended(&world, &shop, ask()).await != ["p2 viewed_next p1", "p3 viewed_near p1"] {
        let now = describe_recommended(&world, &shop, ask()).await;
        assert!(begun.elapsed() < Duration::from_secs(20), "{now:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let also = json!({"Items": ["p4"], "Size": 1, "Recommender": "also_viewed"});
    assert_eq!(describe_recommended(&world, &shop, also).await, ["p5 also_viewed p4"]);
    let most = json!({"Size": 5, "Recommender": "most_viewed"});
    let codes = ["p1", "p2", "p3", "p4", "p5"].map(|id| format!("{id} most_viewed"));
    assert_eq!(describe_recommended(&world, &shop, most).await, codes);
    let item = &fetch_recommended(&world, &shop, ask()).await[0];
    assert_eq!(
        (&item["Title"], &item["Price"], &item["Currency"]),
        (&json!("Thing 2"), &json!(5.0), &json!("GBP"))
    );
}

async fn what_may_not_be_shown_leaves_its_place_to_the_next(world: World) {
    let shop = open_shop(&world, 30).await;
    post_visits(&world, &shop).await;
    let ask = |more: Value| {
        let mut asked = json!({"Items": ["p1"], "Size": 1});
        more.as_object().expect("an object").iter().for_each(|(name, value)| asked[name] = value.clone());
        asked
    };
    assert_eq!(ids(&world, &shop, ask(json!({}))).await, ["p2"]);
    assert_eq!(ids(&world, &shop, ask(json!({"Exclude": ["p2"]}))).await, ["p3"]);
    let product = |more: Value| {
        let mut product = json!({"Id": "p2", "Title": "Thing 2", "Prices": ["5.00 GBP"]});
        more.as_object().expect("an object").iter().for_each(|(name, value)| product[name] = value.clone());
        json!({"Products": [product]})
    };
    world.apply_delta(&shop, product(json!({"ExcludeFromSearch": true}))).await;
    assert_eq!(ids(&world, &shop, ask(json!({}))).await, ["p2"], "only search leaves it out");
    world.apply_delta(&shop, product(json!({"ExcludeFromRecommenders": true}))).await;
    assert_eq!(ids(&world, &shop, ask(json!({}))).await, ["p3"]);
    world.apply_delta(&shop, product(json!({"Brand": "b1", "InStock": true}))).await;
    assert_eq!(ids(&world, &shop, ask(json!({}))).await, ["p2"]);
    assert_eq!(ids(&world, &shop, ask(json!({"Filters": {"Brand": ["b1"]}}))).await, ["p2"]);
    let none = ids(&world, &shop, ask(json!({"Filters": {"Brand": ["b2"]}}))).await;
    assert!(none.is_empty(), "{none:?}");
    let rules = json!({"Rules": [{"Id": "no-p2", "Hide": {"Ids": ["p2"]}}]});
    world.ask_json(&shop, "/api/rules/set", rules).await;
    tokio::time::sleep(lethe::limits::KEYS_REMEMBERED_DURATION * 2).await;
    assert_eq!(ids(&world, &shop, ask(json!({}))).await, ["p3"]);
    world.clock.advance(Duration::from_secs(1));
    world.ask_json(&shop, "/api/rules/set", json!({"Rules": []})).await;
    world.apply_delta(&shop, json!({"DeleteProducts": ["p2"]})).await;
    assert_eq!(ids(&world, &shop, ask(json!({}))).await, ["p3"]);
}

/// Few products of each recommender are looked up at first.
async fn what_is_wanted_is_found_behind_what_may_not_be_shown(world: World) {
    let shop = open_shop(&world, 30).await;
    let rare =
        |id: &str| json!({"Id": id, "Title": format!("Thing {id}"), "Prices": ["5.00 GBP"], "Brand": "b1"});
    world.apply_delta(&shop, json!({"Products": [rare("p13"), rare("p14")]})).await;
    let event = |who: String, number: u64| json!({"Name": "product_view", "Product": format!("p{number}"), "UserId": who});
    for person in 0..10 {
        let events: Vec<_> = (1..=12).map(|number| event(format!("a{person}"), number)).collect();
        post_events(&world, &shop, &events).await;
    }
    post_events(
        &world,
        &shop,
        &[event("b".to_owned(), 1), event("b".to_owned(), 13), event("c".to_owned(), 14)],
    )
    .await;
    world.node().derived.catch_up(lethe::ids::AccountId(1)).await;
    let ask = |recommender: &str| json!({"Recommender": recommender, "Items": ["p1"], "Size": 2, "Filters": {"Brand": ["b1"]}});
    assert_eq!(
        describe_recommended(&world, &shop, ask("most_viewed")).await,
        ["p13 most_viewed", "p14 most_viewed"]
    );
    let near = describe_recommended(&world, &shop, ask("also_viewed")).await;
    assert_eq!((near.len(), near[0].as_str()), (2, "p13 also_viewed p1"));
    let near = describe_recommended(&world, &shop, ask("default")).await;
    let first = near[0].split(' ').collect::<Vec<_>>();
    assert_eq!((near.len(), first[0], first[2]), (2, "p13", "p1"), "{near:?}");
    let newest = ids(&world, &shop, json!({"Recommender": "new_arrivals", "Size": 20})).await;
    let rest = json!({"Recommender": "new_arrivals", "Size": 3, "Exclude": newest[..17]});
    assert_eq!(ids(&world, &shop, rest).await, newest[17..]);
}

async fn there_is_always_something_to_recommend(world: World) {
    let shop = open_shop(&world, 30).await;
    for recommender in [
        "default",
        "also_viewed",
        "most_viewed",
        "similar",
        "category",
        "brand",
        "new_arrivals",
        "for_you",
        "bought_together",
        "also_bought",
        "best_sellers",
        "trending",
    ] {
        for items in [json!([]), json!(["p1"]), json!(["unknown"])] {
            let ask = || json!({"Items": items, "Recommender": recommender, "Size": 10});
            let found = ids(&world, &shop, ask()).await;
            let different: std::collections::BTreeSet<_> = found.iter().collect();
            assert_eq!((found.len(), different.len()), (10, 10), "{recommender} {items}");
            assert!(!found.contains(&"p1".to_owned()) || items != json!(["p1"]), "{recommender}");
        }
    }
    let session = "0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55";
    assert_eq!(ids(&world, &shop, json!({"SessionId": session, "Size": 30})).await.len(), 30);
    post_visits(&world, &shop).await;
    assert_eq!(ids(&world, &shop, json!({"Items": ["p1"], "Size": 29})).await.len(), 29);
    let empty = world.shop("two").await;
    assert!(ids(&world, &empty, json!({})).await.is_empty());
}

async fn a_session_asks_with_what_it_did(world: World) {
    let shop = open_shop(&world, 30).await;
    post_visits(&world, &shop).await;
    world.node().derived.catch_up(lethe::ids::AccountId(1)).await;
    let of_items = describe_recommended(&world, &shop, json!({"Items": ["p4", "p4", "p1"], "Size": 5})).await;
    let mut session = String::new();
    for product in ["p4", "p9", "p4", "p1"] {
        session = post_view(&world, &shop, json!({"VisitorId": "5f2b8c1e77aa41d2"}), product).await;
    }
    world.node().derived.catch_up(lethe::ids::AccountId(1)).await;
    let recent = json!({"SessionId": session, "Recommender": "recently_viewed"});
    assert_eq!(
        describe_recommended(&world, &shop, recent.clone()).await,
        ["p4 viewed_before", "p9 viewed_before"]
    );
    let of_session = describe_recommended(&world, &shop, json!({"SessionId": session, "Size": 5})).await;
    // Its own clicks say nothing about others.
    assert_eq!(of_session[..3], of_items[..3]);
    assert!(of_session.iter().all(|told| !told.starts_with("p1 ")), "{of_session:?}");
    // A history holds what lies in the basket too.
    let basket = json!({"Name": "set_basket", "VisitorId": "5f2b8c1e77aa41d2", "Items": ["p9"]});
    post_events(&world, &shop, &[basket]).await;
    world.node().derived.catch_up(lethe::ids::AccountId(1)).await;
    assert_eq!(describe_recommended(&world, &shop, recent).await, ["p4 viewed_before", "p9 viewed_before"]);
}

async fn what_cannot_be_recommended_is_refused_with_the_reason(world: World) {
    let shop = open_shop(&world, 1).await;
    let names = "default, also_viewed, most_viewed, similar, category, brand, new_arrivals, recently_viewed, \
             for_you, bought_together, also_bought, buy_again, best_sellers, trending";
    for (asked, sentence) in [
        (json!({"Recommender": "best"}), format!("Recommender is one of {names}")),
        (json!({"SessionId": "mine"}), "SessionId has to be one that an answer to events named".to_owned()),
        (json!({"Size": 101}), "Size has to be 1 to 100".to_owned()),
        (json!({"Items": {"Id": 1}}), "Items has to be a list of texts".to_owned()),
        (json!({"Exclude": vec!["a"; 1001]}), "Exclude has up to 1000 ids".to_owned()),
    ] {
        let mut asked = asked;
        asked["AppKey"] = shop.key.as_str().into();
        assert_eq!(world.post("/api/recommend", &asked).await.expect_refusal(400), sentence);
    }
    // An account without a currency of its own.
    let bare = world.control("/control/account/create", json!({"Name": "bare"})).await;
    let priced = json!({"AppKey": bare["AccessKey"], "Filters": {"Price": {"From": 1}}});
    let sentence = "Filters.Price: prices are compared in one currency: name it in Currency";
    assert_eq!(world.post("/api/recommend", &priced).await.expect_refusal(400), sentence);
    let wrong = world.post("/api/recommend", &json!({"AppKey": "nobody"})).await;
    assert_eq!(wrong.status, 403, "{}", wrong.text);
}

async fn one_shop_recommends_nothing_of_another(world: World) {
    let shop = open_shop(&world, 30).await;
    let other = world.shop("two").await;
    let products: Vec<_> =
        (1..=30).map(|n| json!({"Id": format!("p{n}"), "Title": format!("Other {n}")})).collect();
    world.complete_feed(&other, "/other", &json!({"Products": products})).await;
    post_visits(&world, &shop).await;
    let session = post_view(&world, &shop, json!({"UserId": "anna"}), "p1").await;
    let ask = json!({"SessionId": session, "Recommender": "recently_viewed"});
    assert!(ids(&world, &other, ask).await.is_empty());
    let codes = describe_recommended(&world, &other, json!({"Items": ["p1"], "Size": 3})).await;
    assert!(codes.iter().all(|told| told.contains(" similar ") || told.contains(" newest")), "{codes:?}");
}

async fn who_asks_waits_for_no_model_that_takes_long(world: World) {
    let shop = open_shop(&world, 5).await;
    post_visits(&world, &shop).await;
    let asked = || json!({"Items": ["p1"], "Recommender": "also_viewed", "Size": 1});
    let (end, holding) = hold_model_overnight(&world).await;
    let waiting =
        tokio::time::timeout(limits::DERIVED_WAIT_DURATION / 2, describe_recommended(&world, &shop, asked()))
            .await;
    let without = waiting.expect("nobody waits for it");
    assert!(without.len() == 1 && !without[0].contains("also_viewed"), "{without:?}");
    end.send(()).expect("it ends");
    holding.await.expect("it ended");
    while describe_recommended(&world, &shop, asked()).await != ["p2 also_viewed p1"] {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn a_reading_that_fails_keeps_no_stopped_node(mut world: World) {
    let shop = open_shop(&world, 5).await;
    post_visits(&world, &shop).await;
    describe_recommended(&world, &shop, json!({"Items": ["p1"]})).await;
    world.rename("record", "record_away").await;
    world.node().derived.models().wake(AccountId(1));
    while world.node().derived.is_caught_up() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    world.stop().await;
    let freed = async {
        while matches!(Keys::open(&world.config.key_dir), Err(KeyFault::InUse)) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), freed).await.expect("nobody holds the keys");
}

async fn a_reading_that_failed_is_tried_again(world: World) {
    let shop = open_shop(&world, 5).await;
    post_view(&world, &shop, json!({"UserId": "anna"}), "p1").await;
    let models = world.node().derived.models();
    let shown = models.get_or_build(AccountId(1)).await.expect("a model");
    let sessions = || shown.with_model(|model, _| model.views().sessions());
    assert_eq!(sessions(), 1);
    // The model reads a moment after an event: it finds no table.
    post_view(&world, &shop, json!({"UserId": "berta"}), "p2").await;
    world.rename("record", "record_away").await;
    while world.node().derived.is_caught_up() && sessions() == 1 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    world.rename("record_away", "record").await;
    wait_for_sessions(sessions, 2).await;
}

/// Waits until a model has read so many sessions, without a request that would make it read.
async fn wait_for_sessions(sessions: impl Fn() -> usize, wanted: usize) {
    let read = async {
        while sessions() < wanted {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), read).await.expect("they are read");
}

/// The events of known people count for sixty.
async fn what_only_a_visitor_viewed_counts_for_thirty_days(world: World) {
    let shop = open_shop(&world, 1).await;
    post_view(&world, &shop, json!({"UserId": "anna"}), "p1").await;
    post_view(&world, &shop, json!({"VisitorId": "5f2b8c1e77aa41d2"}), "p1").await;
    let day = Duration::from_secs(24 * 60 * 60);
    let mut people = Vec::new();
    for wait in [0, 29, 1, 29, 1] {
        world.clock.advance(day * wait);
        let counting = world
            .node()
            .derived
            .models()
            .compare_with_rebuilt(AccountId(1), |live, anew| [live.people(), anew.people()]);
        people.push(counting.await.expect("a model").0);
    }
    assert_eq!(people, [[2; 2], [2; 2], [1; 2], [1; 2], [0; 2]], "after 0, 29, 30, 59 and 60 days");
}

/// A request holds the model: events read from the store wait for it, and the next event comes after that.
async fn what_comes_while_a_model_reads_is_read_too(world: World) {
    let shop = open_shop(&world, 5).await;
    post_view(&world, &shop, json!({"UserId": "anna"}), "p1").await;
    let models = world.node().derived.models();
    let shown = models.get_or_build(AccountId(1)).await.expect("a model");
    let sessions = || shown.with_model(|model, _| model.views().sessions());
    assert_eq!(sessions(), 1);
    let asking = models.get_or_build(AccountId(1)).await.expect("a model");
    let (begun, has_begun) = tokio::sync::oneshot::channel();
    let (end, may_end) = std::sync::mpsc::channel();
    let asking = tokio::task::spawn_blocking(move || {
        asking.with_model(|_, _| {
            let _ = begun.send(());
            let _ = may_end.recv();
        });
    });
    has_begun.await.expect("it asks");
    post_view(&world, &shop, json!({"UserId": "berta"}), "p2").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    post_view(&world, &shop, json!({"UserId": "cid"}), "p3").await;
    end.send(()).expect("it ends");
    asking.await.expect("it asked");
    wait_for_sessions(sessions, 3).await;
}

async fn a_model_has_the_events_of_every_page(world: World) {
    let shop = open_shop(&world, 1).await;
    let people = limits::MODEL_PAGE_EVENTS as usize / limits::EVENTS_OF_REQUEST + 1;
    for number in 0..people {
        let view = json!({"Name": "product_view", "Product": "p1", "UserId": format!("u-{number}")});
        post_events(&world, &shop, &vec![view; limits::EVENTS_OF_REQUEST]).await;
    }
    let verified = world.control("/control/model/verify", json!({"Name": shop.name})).await;
    assert_eq!(
        (&verified[0]["People"], &verified[0]["SameBytes"]),
        (&json!(people), &json!(true)),
        "{verified}"
    );
}
