//! Answers to pages, which have no secret: the same whoever is known, unknown or forgotten, and nothing that a person
//! did elsewhere.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

use axum::body::Body;
use axum::http::Request;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use http_body_util::BodyExt;
use lethe::api::events::impressions;
use lethe::ids::AccountId;
use lethe::keys::secret::SecretKey;
use lethe::keys::user_token::TokenKey;
use lethe::transport::peer::Peer;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::support::events::{open_shop, post_events};
use crate::support::log_ins::log_in_event;
use crate::support::plugin::{list_event_products, send_events, start_visit, view_event};
use crate::support::recommendations;
use crate::support::repetitions::read_wanted_samples;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    a_page_learns_nothing_of_who_is_logged_in
    what_a_page_tells_during_a_log_in_moves_nothing_of_others
    known_unknown_and_forgotten_people_are_answered_alike
}

async fn catch_up(world: &World) {
    impressions::store_all(world.node()).await;
    world.node().derived.catch_up(AccountId(1)).await;
}

/// People look at p1, p2 and p3, one after the other; and at p4 some.
async fn post_views(world: &World, shop: &Shop) {
    let look = |who: usize, product: &str| json!({"Name": "product_view", "Product": product, "UserId": format!("other-{who}")});
    let mut events: Vec<_> =
        (0..6).flat_map(|who| ["p1", "p2", "p3"].map(|product| look(who, product))).collect();
    events.extend([look(7, "p1"), look(7, "p4")]);
    post_events(world, shop, &events).await;
}

/// Content of zones on the page of p1, for a page in the browser with this number, or in none.
async fn zones(world: &World, shop: &Shop, browser: Option<&str>) -> Value {
    let zones = ["PP-01", "PP-02", "HP-01"]
        .map(|zone| json!({"id": zone, "data": {"page_type": "product_page", "product_id": "p1"}}));
    let mut asked = json!({"appId": shop.key, "zones": zones});
    asked["visitorId"] = browser.into();
    for _ in 0..1000 {
        let answer = world.post("/api/serverside", &asked).await.json();
        match answer["errors"][0].as_str() {
            None => return answer["zones"].clone(),
            Some(why) => assert!(why.contains("not ready"), "{why}"),
        }
    }
    panic!("the products are never ready");
}

async fn a_page_learns_nothing_of_who_is_logged_in(world: World) {
    let shop = open_shop(&world, 9).await;
    post_views(&world, &shop).await;
    let browser = start_visit(&world, &shop).await;
    send_events(&world, &shop, &browser, json!([log_in_event("anna")])).await;
    // On another device.
    let look = |product: &str| json!({"Name": "product_view", "Product": product, "UserId": "anna"});
    post_events(&world, &shop, &["p1", "p8", "p9", "p8", "p9"].map(look)).await;
    catch_up(&world).await;
    let anybody = zones(&world, &shop, None).await;
    assert_eq!(zones(&world, &shop, Some(&browser)).await, anybody, "what she did elsewhere");
    world.forget(&shop, "userid:anna").await;
    world.run_all_jobs().await;
    let anybody = zones(&world, &shop, None).await;
    assert_eq!(zones(&world, &shop, Some(&browser)).await, anybody, "forgotten");
    // Events that the browser itself sent without a log-in are excluded from the statistics.
    let other = start_visit(&world, &shop).await;
    send_events(&world, &shop, &other, json!([view_event("p1"), view_event("p7"), log_in_event("berta")]))
        .await;
    catch_up(&world).await;
    let first = |zones: &Value| zones["PP-01"]["items"][0]["Id"].clone();
    assert_ne!(first(&zones(&world, &shop, Some(&other)).await), "p7");
}

/// Recommendations for p5, after a page sent three views in a browser.
async fn recommend_after_views(world: &World, shop: &Shop, browser: &str) -> Vec<String> {
    for _ in 0..3 {
        let page = json!({"appId": shop.key, "visitorId": browser, "events": [view_event("p5"), view_event("p6")],
            "search": {"query": "thing"}});
        assert_eq!(world.post("/api/serverside", &page).await.status, 200);
    }
    catch_up(world).await;
    recommendations::describe_recommended(world, shop, json!({"Items": ["p5"], "Size": 3})).await
}

async fn what_a_page_tells_during_a_log_in_moves_nothing_of_others(world: World) {
    let shop = open_shop(&world, 9).await;
    post_views(&world, &shop).await;
    catch_up(&world).await;
    let before =
        recommendations::describe_recommended(&world, &shop, json!({"Items": ["p5"], "Size": 3})).await;
    world.forget(&shop, "userid:ada").await;
    world.run_all_jobs().await;
    for user in ["berta", "ada"] {
        let browser = start_visit(&world, &shop).await;
        send_events(&world, &shop, &browser, json!([log_in_event(user)])).await;
        assert_eq!(recommend_after_views(&world, &shop, &browser).await, before, "{user} is logged in");
    }
    // It is hers all the same, and the shop's server reads it.
    assert_eq!(list_event_products(&world, &shop, "userid:berta").await[..2], [json!("p5"), json!("p6")]);
    let browser = start_visit(&world, &shop).await;
    send_events(&world, &shop, &browser, json!([log_in_event("berta")])).await;
    let own = json!({"visitorId": browser, "zones": ["AC-03"]});
    let zones = crate::support::zones::await_zones(&world, &shop, own).await;
    let ids: Vec<_> =
        zones["AC-03"]["items"].as_array().into_iter().flatten().map(|item| &item["Id"]).collect();
    assert_eq!(ids, ["p6", "p5"]);
    // Without a log-in they count in the statistics.
    let nobodys = start_visit(&world, &shop).await;
    assert_ne!(recommend_after_views(&world, &shop, &nobodys).await, before);
}

/// Requests that a page can send, each with a claim about a person: without the secret all are answered alike for
/// known, unknown and forgotten people.
const OPERATIONS: [(&str, &str); 24] = [
    ("/api/search", r#"{"Query": "thing"}"#),
    ("/api/search", r#"{"Query": "ada"}"#),
    ("/api/autocomplete", r#"{"Query": "th"}"#),
    ("/api/similar", r#"{"Id": "p1"}"#),
    ("/api/recommend", r#"{"Items": ["p1"]}"#),
    ("/api/recommend", r#"{"Recommender": "for_you"}"#),
    ("/api/recommend", r#"{"Recommender": "also_viewed", "Product": "p1"}"#),
    ("/api/recommend", r#"{"Recommender": "recently_viewed"}"#),
    ("/api/recommend", r#"{"Recommender": "buy_again"}"#),
    ("/api/recommend", r#"{"Recommender": "trending", "ExcludeBought": true}"#),
    (
        "/api/serverside",
        r#"{"zones": ["HP-01", "PP-01", "PP-02", "AC-03"], "events": [{"name": "page_view", "data": []}]}"#,
    ),
    ("/api/serverside", r#"{"search": {"query": "thing"}}"#),
    (
        "/api/serverside",
        r#"{"events": [{"name": "product_view", "data": {"id": "p5"}}], "zones": ["PP-01"]}"#,
    ),
    (
        "/api/serverside",
        r#"{"events": [{"name": "set_basket", "data": [{"id": "p6"}]}], "zones": ["SB-01"]}"#,
    ),
    (
        "/api/serverside",
        r#"{"events": [{"name": "customer_details", "data": {"userid": "WHO", "email": "WHO@people.test"}}]}"#,
    ),
    (
        "/api/serverside",
        r#"{"events": [{"name": "order_track", "data": {"orderid": "WHO", "userid": "WHO", "productcount": 1, "id1": "p1", "qty1": 1}}]}"#,
    ),
    ("/api/serverside", r#"{"events": [{"name": "customer_logout", "data": []}]}"#),
    ("/api/track", "evt=product_view&id=p4"),
    ("/api/track", "evt=customer_details&userid=WHO"),
    ("/api/user/held", r#"{"Identifier": "WHO"}"#),
    ("/api/user/forget", r#"{"Identifier": "WHO@people.test"}"#),
    ("/api/user/suppression", r#"{"Identifier": "WHO"}"#),
    ("/api/events", r#"{"Events": [{"Name": "product_view", "Product": "p1", "UserId": "WHO"}]}"#),
    ("/api/serverside", r#"{"events": [{"name": "accept_cookies", "data": false}]}"#),
];

/// Credentials of a page besides the access key. With each the answers are equal, also with a token: it opens the
/// prices of its account and group, and no history.
const CREDENTIALS: [&str; 4] = ["nothing", "its claim", "the number of the browser", "a token"];

fn token(world: &World, shop: &Shop, user: &str) -> String {
    let said = json!({"AccessKey": shop.key, "UserId": user, "Exp": world.clock.now() / 1000 + 1800});
    let said = BASE64_URL_SAFE_NO_PAD.encode(said.to_string());
    let key = TokenKey::from_secret(&SecretKey::parse(&shop.secret).expect("a secret")).expect("a key");
    format!("{said}.{}", BASE64_URL_SAFE_NO_PAD.encode(key.sign(said.as_bytes())))
}

/// Asks as a page with a client address of its own, so that limits for an address do not count. Returns status and
/// body without the number and the user.
async fn ask_as_page(
    world: &World,
    shop: &Shop,
    (path, said): (&str, &str),
    credential: &str,
    (who, browser, number): (&str, &str, u32),
) -> String {
    let said = said.replace("WHO", who);
    let has_number = credential == "the number of the browser";
    let browser_or_none = if has_number { browser } else { "" };
    let request = if path == "/api/track" {
        let query = format!("{path}?appid={}&visitorid={browser_or_none}&sessionid=s&{said}", shop.key);
        Request::get(query).body(Body::empty())
    } else {
        let mut body: Value = serde_json::from_str(&said).expect("JSON");
        body["accessKey"] = shop.key.as_str().into();
        if path == "/api/serverside" {
            body["sessionId"] = "s".into();
            body["visitorId"] = browser_or_none.into();
        }
        if credential == "its claim" {
            body["UserId"] = who.into();
        }
        if credential == "a token" {
            body["UserToken"] = token(world, shop, who).into();
        }
        Request::post(path).header("content-type", "application/json").body(Body::from(body.to_string()))
    };
    let mut request = request.expect("a request");
    request.extensions_mut().insert(Peer::Address(IpAddr::V4(Ipv4Addr::from(0x0a00_0000 + number))));
    let answer = lethe::api::routes::public(world.node().clone()).oneshot(request).await.expect("an answer");
    let status = answer.status();
    let body = answer.into_body().collect().await.expect("a body").to_bytes();
    let mut body = String::from_utf8_lossy(&body).into_owned();
    // A number that is issued now belongs to no one.
    if let Some(at) = body.find("\"visitorId\":\"") {
        let begin = at + "\"visitorId\":\"".len();
        let end = begin + body[begin..].find('"').expect("an end");
        assert!(!has_number || body[begin..end] == *browser);
        body.replace_range(begin..end, "V");
    }
    format!("{status} {}", body.replace(who, "WHO"))
}

async fn known_unknown_and_forgotten_people_are_answered_alike(world: World) {
    let shop = open_shop(&world, 9).await;
    post_views(&world, &shop).await;
    let mut people = Vec::new();
    for sample in 0..read_wanted_samples() {
        for kind in ["known", "unknown", "forgotten"] {
            let who = format!("{kind}-{sample}");
            if kind != "unknown" {
                let look = |product| json!({"Name": "product_view", "Product": product, "UserId": who});
                post_events(&world, &shop, &["p1", "p8", "p9"].map(look)).await;
            }
            let browser = start_visit(&world, &shop).await;
            // Some are forgotten before they log in, and some after.
            let is_before = sample % 2 == 0;
            if kind == "forgotten" && is_before {
                world.forget(&shop, &format!("userid:{who}")).await;
                world.run_all_jobs().await;
            }
            send_events(&world, &shop, &browser, json!([log_in_event(&who)])).await;
            if kind == "forgotten" && !is_before {
                world.forget(&shop, &format!("userid:{who}")).await;
            }
            people.push((kind, who, browser));
        }
    }
    world.run_all_jobs().await;
    catch_up(&world).await;
    zones(&world, &shop, None).await;
    let mut number = 0;
    let mut answers: BTreeMap<(usize, &str), BTreeMap<String, Vec<&str>>> = BTreeMap::new();
    for (operation, asked_for) in OPERATIONS.iter().enumerate() {
        for credential in CREDENTIALS {
            for (kind, who, browser) in &people {
                number += 1;
                let answer = ask_as_page(&world, &shop, *asked_for, credential, (who, browser, number)).await;
                answers.entry((operation, credential)).or_default().entry(answer).or_default().push(kind);
            }
            catch_up(&world).await;
        }
    }
    for ((operation, credential), answers) in &answers {
        let told = OPERATIONS[*operation];
        assert_eq!(answers.len(), 1, "{told:?} with {credential}: {answers:#?}");
    }
    assert_eq!(answers.len(), OPERATIONS.len() * CREDENTIALS.len());
}
