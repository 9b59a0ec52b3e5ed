//! Popularity in searches over HTTP: among equals, products that many looked at, or that fit the session, come first.

use std::time::Duration;

use lethe::ids::AccountId;
use lethe::limits;
use serde_json::{Value, json};

use crate::support::events::{post_events, post_view};
use crate::support::plugin::{start_visit, view_event};
use crate::support::recommendations::hold_model_overnight;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    what_many_like_comes_first_of_equals
    what_many_like_comes_first_where_nothing_is_typed
    a_session_lifts_what_it_calls_for
    a_plugins_search_is_its_visitors
    who_is_forgotten_lifts_nothing
    a_search_waits_for_no_model
}

/// A shop with twelve equal red shoes, `p10` to `p21`, and one with a word more.
async fn shoes(world: &World, name: &str) -> Shop {
    let shop = world.shop(name).await;
    let shoe = |id: &str, title: &str| json!({"Id": id, "Title": title, "Prices": ["5.00 GBP"]});
    let mut products: Vec<_> = (10..=21).map(|n| shoe(&format!("p{n}"), "Red shoe")).collect();
    products.push(shoe("p30", "Red leather shoe"));
    world.complete_feed(&shop, &format!("/{name}"), &json!({"Products": products})).await;
    shop
}

/// Waits until the account's events so far are in its model.
async fn await_model(world: &World, account: i64) {
    world.node().derived.models().compare_with_rebuilt(AccountId(account), |_, _| ()).await.expect("a model");
}

/// Each of these people looks at these products.
async fn all_look(world: &World, shop: &Shop, people: &[&str], products: &[&str]) {
    let view = |who: &&str, id: &&str| json!({"Name": "product_view", "Product": id, "UserId": who});
    let events: Vec<_> = people.iter().flat_map(|who| products.iter().map(move |id| view(who, id))).collect();
    assert!(post_events(world, shop, &events).await.iter().all(|taken| taken["SessionId"].is_string()));
}

async fn search_products(world: &World, shop: &Shop, mut asked: Value) -> Value {
    if asked.get("Query").is_none() {
        asked["Query"] = "red shoe".into();
    }
    world.ask_json(shop, "/api/search", asked).await
}

fn ids(found: &Value) -> Vec<&str> {
    let items = found["Items"].as_array().expect("items");
    items.iter().map(|item| item["Id"].as_str().expect("an id")).collect()
}

/// The first hits.
async fn first(world: &World, shop: &Shop, asked: Value, count: usize) -> Vec<String> {
    ids(&search_products(world, shop, asked).await)[..count].iter().map(|id| (*id).to_owned()).collect()
}

async fn set_popularity(world: &World, popularity: bool) {
    let body = json!({"Name": "one", "Popularity": popularity});
    let set = world.control("/control/account/search", body).await;
    assert_eq!(set["Popularity"], popularity);
    tokio::time::sleep(limits::KEYS_REMEMBERED_DURATION * 2).await;
}

async fn what_many_like_comes_first_of_equals(world: World) {
    let shop = shoes(&world, "one").await;
    let before = search_products(&world, &shop, json!({})).await;
    assert_eq!(ids(&before)[..3], ["p10", "p11", "p12"]);
    let people: Vec<_> = (0..70).map(|n| format!("u{n}")).collect();
    let people: Vec<_> = people.iter().map(String::as_str).collect();
    all_look(&world, &shop, &people, &["p17"]).await;
    all_look(&world, &shop, &people[..7], &["p15"]).await;
    let goods = json!([{"Product": "p19", "Quantity": 1, "UnitPrice": 5}]);
    let order = json!({"Name": "order", "Order": "1", "UserId": "u1", "Items": goods});
    assert_eq!(post_events(&world, &shop, &[order]).await[0]["Order"], "stored");
    lethe::work::order_events::record_orders(world.node(), AccountId(1)).await.expect("noted");
    await_model(&world, 1).await;
    let popular = search_products(&world, &shop, json!({"Explain": true})).await;
    assert_eq!(ids(&popular)[..4], ["p17", "p15", "p19", "p10"]);
    let why = |place: usize| popular["Items"][place]["Why"][2].clone();
    assert_eq!([why(0), why(3)], [json!("Popular: +5.0 %"), Value::Null], "{popular:#}");
    let why = json!({"Query": "red shoe", "Id": "p15"});
    let why = world.ask_json(&shop, "/api/search/why", why).await;
    assert_eq!((&why["Place"], why["Reasons"].as_array().map(Vec::len)), (&json!(2), Some(4)), "{why}");
    let typed = json!({"AppKey": shop.key, "Query": "red sh"});
    assert_eq!(world.post("/api/autocomplete", &typed).await.json()["Products"][0]["Id"], "p17");
    // Not over what holds more of the query, and in no other order.
    assert_eq!(first(&world, &shop, json!({"Query": "red leather shoe"}), 2).await, ["p30", "p17"]);
    let title = |asked: Value| first(&world, &shop, asked, 13);
    let by_title = json!({"Sort": "title"});
    let plain = json!({"Sort": "title", "Popularity": false});
    assert_eq!(title(by_title).await, title(plain).await);
    // Without it all is as it was.
    let items = |found: Value| found["Items"].clone();
    let plain = || json!({"Popularity": false});
    assert_eq!(items(search_products(&world, &shop, plain()).await), before["Items"]);
    set_popularity(&world, false).await;
    assert_eq!(items(search_products(&world, &shop, json!({})).await), before["Items"]);
    set_popularity(&world, true).await;
    assert_eq!(first(&world, &shop, json!({}), 1).await, ["p17"]);
    let refused = world.ask(&shop, "/api/search", json!({"Popularity": "much"})).await;
    assert_eq!(refused.expect_refusal(400), "Popularity has to be true or false");
}

async fn what_many_like_comes_first_where_nothing_is_typed(world: World) {
    let shop = shoes(&world, "one").await;
    let browsed = |more: Value| {
        let mut asked = json!({"Query": "", "Explain": true});
        more.as_object().expect("an object").iter().for_each(|(name, value)| asked[name] = value.clone());
        search_products(&world, &shop, asked)
    };
    let before = browsed(json!({})).await;
    assert_eq!(ids(&before)[..3], ["p10", "p11", "p12"]);
    all_look(&world, &shop, &["u1", "u2", "u3", "u4"], &["p17"]).await;
    all_look(&world, &shop, &["a1", "a2"], &["p18", "p20"]).await;
    let session = post_view(&world, &shop, json!({"UserId": "me"}), "p18").await;
    await_model(&world, 1).await;
    let popular = browsed(json!({})).await;
    assert_eq!(ids(&popular)[..5], ["p17", "p18", "p20", "p10", "p11"]);
    assert_eq!(popular["Total"], before["Total"]);
    let why = |found: &Value, place: usize| found["Items"][place]["Why"].clone();
    assert_eq!(why(&popular, 0), json!(["Popular: +0.02"]));
    let why_of = json!({"Query": "", "Id": "p18", "Size": 1});
    let why_of = world.ask_json(&shop, "/api/search/why", why_of).await;
    assert_eq!((&why_of["Place"], &why_of["Page"]), (&json!(2), &json!(2)), "{why_of}");
    // Page after page nothing comes twice, and filters leave the order as it is.
    let mut pages = Vec::new();
    for page in 1..=5 {
        pages.extend(ids(&browsed(json!({"Page": page, "Size": 3})).await).into_iter().map(str::to_owned));
    }
    assert_eq!(pages, ids(&popular));
    let cheap =
        browsed(json!({"Filters": {"Price": {"To": 9}}, "Currency": "GBP", "Facets": ["Brand"]})).await;
    assert_eq!(ids(&cheap), ids(&popular));
    // Products that fit a session come first for it alone.
    let personal = browsed(json!({"SessionId": session})).await;
    let mut firsts = ids(&personal)[..3].to_vec();
    firsts[..2].sort_unstable();
    assert_eq!(firsts, ["p18", "p20", "p17"]);
    assert!(why(&personal, 0).to_string().contains("Fits what this shopper viewed: +"));
    // Without it all is as it was.
    assert_eq!(browsed(json!({"Popularity": false})).await["Items"], before["Items"]);
    set_popularity(&world, false).await;
    assert_eq!(browsed(json!({"SessionId": session})).await["Items"], before["Items"]);
}

/// Six people who look at `p18` and then at `p20`, six at `p14` and `p16`.
async fn kin(world: &World, shop: &Shop) {
    all_look(world, shop, &["a1", "a2", "a3", "a4", "a5", "a6"], &["p18", "p20"]).await;
    all_look(world, shop, &["b1", "b2", "b3", "b4", "b5", "b6"], &["p14", "p16"]).await;
    await_model(world, 1).await;
}

async fn a_session_lifts_what_it_calls_for(world: World) {
    let shop = shoes(&world, "one").await;
    let other = shoes(&world, "two").await;
    kin(&world, &shop).await;
    let all = ["p14", "p16", "p18", "p20"];
    assert_eq!(first(&world, &shop, json!({}), 4).await, all);
    let session = post_view(&world, &shop, json!({"UserId": "me"}), "p18").await;
    await_model(&world, 1).await;
    let asked = |more: Value| {
        let mut asked = json!({"SessionId": session, "Explain": true});
        more.as_object().expect("an object").iter().for_each(|(name, value)| asked[name] = value.clone());
        asked
    };
    let lifted = search_products(&world, &shop, asked(json!({}))).await;
    let mut firsts = ids(&lifted)[..2].to_vec();
    firsts.sort_unstable();
    assert_eq!(firsts, ["p18", "p20"]);
    let why = lifted["Items"][0]["Why"].to_string();
    assert!(why.contains("Fits what this shopper viewed: +"), "{why}");
    // A page asks with the access key, and gets the same.
    let of_page = json!({"AppKey": shop.key, "Query": "red shoe", "SessionId": session});
    assert_eq!(ids(&world.post("/api/search", &of_page).await.json()), ids(&lifted));
    // No other session gets it, nor does a search that refuses it. A shopper who looked once more is one of many.
    let popular = ["p18", "p14", "p16", "p20"];
    assert_eq!(first(&world, &shop, json!({}), 4).await, popular);
    assert_eq!(first(&world, &shop, asked(json!({"Personal": false})), 4).await, popular);
    let unknown = json!({"SessionId": "00000000-0000-4000-8000-000000000000"});
    assert_eq!(first(&world, &shop, unknown, 4).await, popular);
    await_model(&world, 2).await;
    assert_eq!(first(&world, &other, asked(json!({})), 2).await, ["p10", "p11"]);
    // Popular or not, what many do not know is lifted too.
    let alone = search_products(&world, &shop, asked(json!({"Popularity": false}))).await;
    assert_eq!(&ids(&alone)[2..4], ["p10", "p11"]);
    let wrong = world.ask(&shop, "/api/search", json!({"SessionId": "mine"})).await;
    assert_eq!(wrong.expect_refusal(400), "SessionId has to be one that an answer to events named");
    let in_address = format!("/api/search?AppKey={}&Query=shoe&SessionId={session}", shop.key);
    assert_eq!(world.get(&in_address).await.status, 400);
}

async fn a_plugins_search_is_its_visitors(world: World) {
    let shop = shoes(&world, "one").await;
    kin(&world, &shop).await;
    let browser = start_visit(&world, &shop).await;
    let told = json!({"visitorId": browser, "events": [view_event("p18")]});
    world.ask_json(&shop, "/api/serverside", told).await;
    await_model(&world, 1).await;
    let search = json!({"query": "red shoe", "requiredAttributes": ["Id"]});
    let call = json!({"visitorId": browser, "search": search});
    let ids = |answer: Value| -> Vec<String> {
        let products = answer["search"]["products"].as_array().expect("products");
        products[..4].iter().map(|product| product["Id"].as_str().expect("an id").to_owned()).collect()
    };
    let mut own = ids(world.ask_json(&shop, "/api/serverside", call.clone()).await)[..2].to_vec();
    own.sort_unstable();
    assert_eq!(own, ["p18", "p20"]);
    // A page reads no history.
    let mut of_page = call;
    of_page["appId"] = shop.key.as_str().into();
    of_page["zones"] = json!(["HP-01"]);
    let of_page = world.post("/api/serverside", &of_page).await.json();
    assert_eq!(ids(of_page), ["p18", "p14", "p16", "p20"]);
}

/// Two shops; one has had more people. Without them the searches of both are the same.
async fn who_is_forgotten_lifts_nothing(world: World) {
    let shops = [shoes(&world, "one").await, shoes(&world, "two").await];
    let mut sessions = Vec::new();
    for (shop, account) in shops.iter().zip(1..) {
        all_look(&world, shop, &["a1", "a2"], &["p18", "p20"]).await;
        if account == 1 {
            all_look(&world, shop, &["b1", "b2", "b3", "b4"], &["p12", "p13", "p18"]).await;
        }
        all_look(&world, shop, &["a3"], &["p20", "p11"]).await;
        sessions.push(post_view(&world, shop, json!({"UserId": "me"}), "p18").await);
        await_model(&world, account).await;
    }
    let answers = async || {
        let mut answers = Vec::new();
        for (shop, session) in shops.iter().zip(&sessions) {
            let of_session =
                search_products(&world, shop, json!({"Explain": true, "SessionId": session})).await;
            let of_nobody = search_products(&world, shop, json!({"Explain": true})).await;
            answers.push([of_session["Items"].clone(), of_nobody["Items"].clone()]);
        }
        answers
    };
    let before = answers().await;
    assert!(before[0][0] != before[1][0] && before[0][1] != before[1][1]);
    for who in ["b1", "b2", "b3", "b4"] {
        world.forget(&shops[0], &format!("userid:{who}")).await;
    }
    world.run_all_jobs().await;
    let after = answers().await;
    assert_eq!(after[0], after[1]);
    assert_eq!(after[1], before[1]);
}

async fn a_search_waits_for_no_model(world: World) {
    let shop = shoes(&world, "one").await;
    kin(&world, &shop).await;
    assert_eq!(first(&world, &shop, json!({}), 2).await, ["p14", "p16"]);
    let (end, holding) = hold_model_overnight(&world).await;
    let begun = std::time::Instant::now();
    assert_eq!(first(&world, &shop, json!({}), 2).await, ["p10", "p11"]);
    assert!(begun.elapsed() < limits::MODEL_WAIT_DURATION, "{:?}", begun.elapsed());
    end.send(()).expect("it ends");
    holding.await.expect("it ended");
    while first(&world, &shop, json!({}), 2).await != ["p14", "p16"] {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
