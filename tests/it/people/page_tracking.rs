//! Calls of pages, which show the access key alone.

use std::time::{Duration, Instant};

use lethe::limits;
use serde_json::{Value, json};

use crate::support::events::{count_events, open_shop};
use crate::support::plugin::{list_event_products, send_events, start_visit, view_event};
use crate::support::world::{Reply, Shop, World, on_both_engines};

on_both_engines! {
    a_page_tells_of_the_visitors_that_were_issued_here_alone
    what_a_page_claims_changes_nobody
    nothing_tells_a_page_who_was_forgotten
    what_a_page_tells_is_answered_at_the_end_of_a_step
    pages_bring_so_many_new_visitors_of_an_address
    each_event_of_a_page_counts_as_a_call
    the_pages_of_a_shop_tell_so_many_events
    a_page_that_the_shop_names_may_read_the_answer
}

async fn track_page(world: &World, key: &str, rest: &str) -> Reply {
    world.send(world.request("GET", &format!("/api/track?appid={key}&{rest}"))).await
}

/// Sends a page's call about a browser; returns the answer.
async fn track(world: &World, shop: &Shop, browser: &str, rest: &str) -> Value {
    let reply = track_page(world, &shop.key, &format!("visitorid={browser}&{rest}")).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()
}

async fn a_page_tells_of_the_visitors_that_were_issued_here_alone(world: World) {
    let shop = open_shop(&world, 3).await;
    let other = world.shop("two").await;
    let first = track(&world, &shop, "", "evt=product_view&id=p1").await;
    let browser = first["visitorId"].as_str().expect("a number").to_owned();
    assert_eq!((browser.len(), count_events(&world).await), (64, 0));
    let answer = track(&world, &shop, &browser, "evt=product_view&id=no-1&sessionid=s-1").await;
    assert_eq!(answer, json!({"visitorId": browser, "sessionId": "s-1", "zones": {}}));
    track(&world, &shop, &browser, "evt=set_basket&id1=p2&qty1=1&id2=v3&qty2=2").await;
    // Without the secret the other address is the same.
    let page =
        json!({"appId": shop.key, "secretKey": "", "visitorId": browser, "events": [view_event("p3")]});
    assert_eq!(world.post("/api/serverside", &page).await.status, 200);
    let own = format!("visitor:{browser}");
    assert_eq!(
        list_event_products(&world, &shop, &own).await,
        [json!("p1"), json!(["p2", "p3"]), json!("p3")]
    );
    let of_other = start_visit(&world, &other).await;
    let changed = format!("{}0", &browser[..63]);
    let changed = if changed == browser { format!("{}1", &browser[..63]) } else { changed };
    for unknown in ["shop-number-5f2b8c1e", &of_other, &changed, &browser[..32], "ü"] {
        let answer = track(&world, &shop, unknown, "evt=product_view&id=p1").await;
        assert_eq!((&answer["visitorId"], answer.get("errors")), (&json!(unknown), None));
    }
    assert_eq!(count_events(&world).await, 3);
    // If the shop's call with the secret says who is logged in, the page's events are theirs.
    send_events(&world, &shop, &browser, json!([{"name": "customer_details", "data": {"userid": "anna"}}]))
        .await;
    track(&world, &shop, &browser, "evt=product_view&id=p2").await;
    assert_eq!(list_event_products(&world, &shop, "userid:anna").await, [json!("p2")]);
    assert_eq!(
        track_page(&world, "nobody", "evt=page_view").await.json()["errors"].as_array().map(Vec::len),
        Some(1)
    );
    assert_eq!(track_page(&world, &shop.key, "evt=page_view&EVT=other").await.status, 400);
}

async fn what_a_page_claims_changes_nobody(world: World) {
    let shop = open_shop(&world, 2).await;
    // Counting begins with the first request.
    world.get("/metrics").await;
    let browser = start_visit(&world, &shop).await;
    let order = "evt=order_track&orderid=o-1&userid=anna&productcount=1&id1=p1&qty1=1";
    for claim in ["evt=customer_details&userid=anna&email=anna@canary.test", order, "evt=customer_logout"] {
        let answer = track(&world, &shop, &browser, claim).await;
        assert!(answer.get("errors").is_none(), "{answer}");
    }
    assert_eq!((count_events(&world).await, world.subjects(&shop).await), (0, 0));
    // They are counted, whoever's number comes with them.
    track(&world, &shop, "number-of-nobody", order).await;
    let counted = world.get("/metrics").await.text;
    assert!(counted.contains("lethe_events_total{outcome=\"claimed\"} 4"), "{counted}");
    track(&world, &shop, &browser, "evt=product_view&id=p1").await;
    assert_eq!(list_event_products(&world, &shop, &format!("visitor:{browser}")).await, [json!("p1")]);
    // An unproven log-out ends no log-in.
    send_events(&world, &shop, &browser, json!([{"name": "customer_details", "data": {"userid": "berta"}}]))
        .await;
    track(&world, &shop, &browser, "evt=customer_logout").await;
    track(&world, &shop, &browser, "evt=product_view&id=p2").await;
    assert_eq!(list_event_products(&world, &shop, "userid:berta").await, [json!("p2")]);
}

async fn nothing_tells_a_page_who_was_forgotten(world: World) {
    let shop = open_shop(&world, 2).await;
    let [known, forgotten] = [start_visit(&world, &shop).await, start_visit(&world, &shop).await];
    world.forget(&shop, &format!("visitor:{forgotten}")).await;
    world.forget(&shop, "userid:anna").await;
    world.run_all_jobs().await;
    for rest in ["evt=product_view&id=p1", "evt=product_view&id=gone", "evt=customer_details&userid=anna"] {
        let mut answers = Vec::new();
        for browser in [&known, &forgotten] {
            for session in ["sessionid=s-1", "sessionid="] {
                let mut answer = track(&world, &shop, browser, &format!("{rest}&{session}")).await;
                assert_eq!(answer["visitorId"], browser.as_str());
                answer["visitorId"] = Value::Null;
                answers.push(answer);
            }
        }
        assert_eq!(answers[0], answers[2], "{rest}");
        let again = track(&world, &shop, &known, rest).await;
        assert_ne!(answers[1]["sessionId"], again["sessionId"], "a session that says nothing");
    }
    assert!(count_events(&world).await > 0);
}

async fn what_a_page_tells_is_answered_at_the_end_of_a_step(world: World) {
    let shop = open_shop(&world, 1).await;
    let [known, forgotten] = [start_visit(&world, &shop).await, start_visit(&world, &shop).await];
    world.forget(&shop, &format!("visitor:{forgotten}")).await;
    world.run_all_jobs().await;
    for browser in [known, forgotten] {
        let began = Instant::now();
        track(&world, &shop, &browser, "evt=product_view&id=p1").await;
        assert!(began.elapsed() >= limits::PAGE_ANSWER_STEP_DURATION);
    }
}

async fn pages_bring_so_many_new_visitors_of_an_address(world: World) {
    let shop = open_shop(&world, 1).await;
    let most = limits::NEW_VISITORS_OF_CLIENT_PER_MINUTE;
    let mut left_out = 0;
    let mut last = String::new();
    for _ in 0..most + 2 {
        last = start_visit(&world, &shop).await;
        let answer = track(&world, &shop, &last, "evt=product_view&id=p1").await;
        left_out += usize::from(answer.get("errors").is_some());
    }
    assert_eq!((count_events(&world).await, left_out), (most, 2));
    // The shop itself has more, and so has the page a little later.
    send_events(&world, &shop, &last, json!([view_event("p1")])).await;
    world.clock.advance(Duration::from_secs(6));
    let next = start_visit(&world, &shop).await;
    track(&world, &shop, &next, "evt=product_view&id=p1").await;
    assert_eq!(count_events(&world).await, most + 2);
}

async fn a_page_that_the_shop_names_may_read_the_answer(world: World) {
    let shop = open_shop(&world, 1).await;
    let set = json!({"Name": shop.name, "Origins": ["https://shop.test"]});
    world.control("/control/account/search", set).await;
    for (origin, allowed) in [("https://shop.test", "https://shop.test"), ("https://other.test", "")] {
        let path = format!("/api/track?appid={}&evt=page_view", shop.key);
        let reply = world.send(world.request("GET", &path).header("origin", origin)).await;
        assert_eq!((reply.status, reply.header("access-control-allow-origin")), (200, allowed));
    }
    for path in ["/api/track", "/api/serverside"] {
        let asked = world.send(world.request("OPTIONS", path).header("origin", "https://shop.test")).await;
        assert_eq!((asked.status, asked.header("access-control-allow-origin")), (204, "*"));
    }
    let refused = track_page(&world, "nobody", "evt=page_view").await;
    assert_eq!((refused.status, refused.header("access-control-allow-origin")), (403, "*"));
}

async fn each_event_of_a_page_counts_as_a_call(world: World) {
    let shop = open_shop(&world, 1).await;
    let browser = start_visit(&world, &shop).await;
    let call = |count: usize| json!({"appId": shop.key, "visitorId": browser, "events": vec![view_event("p1"); count]});
    let answer = world.post("/api/serverside", &call(limits::SERVERSIDE_EVENTS_OF_PAGE + 2)).await.json();
    assert_eq!(count_events(&world).await, limits::SERVERSIDE_EVENTS_OF_PAGE as i64, "{answer}");
    assert_eq!(answer["errors"], json!(["only the first 5 events of a page's call are taken"]));
    // A burst of 600 is taken of an address, and 60 more each second.
    let mut calls = 1;
    while world.post("/api/serverside", &call(5)).await.status == 200 {
        calls += 1;
    }
    assert!((115..=300).contains(&calls), "{calls} calls of five events");
}

async fn the_pages_of_a_shop_tell_so_many_events(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Products": [{"Id": "1", "Title": "A"}]})).await;
    let browser = start_visit(&world, &shop).await;
    let left = world.node().resources.told_by_pages.clone();
    let now = world.node().clock.now();
    while left.try_take(lethe::ids::AccountId(1), now) {}
    let told = track(&world, &shop, &browser, "evt=product_view&id=1").await;
    assert_eq!(told["errors"], json!(["events were left out: the pages of the shop told too many"]));
    // The shop's server goes on, and so do pages of others; a second later there are some again.
    let event = json!({"Name": "product_view", "Product": "1", "UserId": "7"});
    assert_eq!(world.ask_json(&shop, "/api/events", json!({"Events": [event]})).await["Accepted"], 1);
    assert!(left.try_take(lethe::ids::AccountId(2), now));
    world.clock.advance(Duration::from_secs(1));
    let told = track(&world, &shop, &browser, "evt=product_view&id=1").await;
    assert_eq!(told.get("errors"), None);
}
