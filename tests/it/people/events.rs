//! Shoppers' events: sealed under the person's key, in sessions, forgotten with the person.

use std::time::Duration;

use lethe::limits;
use serde_json::{Value, json};

use crate::support::events::{count_events, open_shop, post_events, post_view};
use crate::support::residue::{assert_nothing, find_texts};
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    events_stand_in_the_export_of_who_did_it_by_session
    what_a_shopper_did_is_readable_nowhere_on_the_disk
    an_event_that_cannot_be_is_left_out_with_the_reason
    a_member_of_another_kind_or_given_twice_leaves_its_event_out
    what_a_forgotten_person_did_goes_and_nothing_more_is_kept
    what_a_visitor_did_is_no_persons
    a_session_ends_where_nothing_is_done_for_long
    a_request_with_events_that_cannot_be_is_refused
    what_is_kept_for_a_time_goes_on_its_day
    what_many_events_name_is_known_to_the_last
}

async fn events_of(world: &World, shop: &Shop, identifier: &str) -> Vec<Value> {
    let export = world.ask_json(shop, "/api/user/export", json!({"Identifier": identifier})).await;
    export["Events"].as_array().cloned().unwrap_or_default()
}

async fn events_stand_in_the_export_of_who_did_it_by_session(world: World) {
    let shop = open_shop(&world, 3).await;
    let now = world.clock.now();
    let first = post_view(&world, &shop, json!({"UserId": "anna"}), "p1").await;
    let other = post_view(&world, &shop, json!({"UserId": "berta"}), "p2").await;
    // By its article number, a variant, and a number as a shop's program writes it.
    let second = post_view(&world, &shop, json!({"UserId": "anna", "At": now - 5}), "no-2").await;
    let third = post_view(&world, &shop, json!({"UserId": "anna", "Email": "anna@shop.test"}), "v3").await;
    assert_eq!((&first, &first), (&second, &third));
    assert_ne!(first, other);
    let event =
        |at: i64, product| json!({"Event": "product_view", "At": at, "Session": first, "Product": product});
    let mut expected = [event(now, "p1"), event(now - 5, "p2"), event(world.clock.now(), "p3")];
    expected[2]["Variant"] = "v3".into();
    assert_eq!(events_of(&world, &shop, "userid:anna").await, expected);
    assert_eq!(events_of(&world, &shop, "berta").await.len(), 1);
    assert!(
        events_of(&world, &shop, "anna@shop.test").await.is_empty(),
        "an email beside a user id is not kept"
    );
    // A sender of the address alone is a guest.
    post_view(&world, &shop, json!({"Email": "Anna@shop.test"}), "p1").await;
    assert_eq!(events_of(&world, &shop, "anna@shop.test").await.len(), 1);
    assert_eq!(events_of(&world, &shop, "anna").await.len(), 3);
}

async fn what_a_shopper_did_is_readable_nowhere_on_the_disk(mut world: World) {
    let shop = open_shop(&world, 1).await;
    let who =
        json!({"UserId": "u-canary-4711", "Email": "ada-canary@shop.test", "VisitorId": "visitor-canary-77"});
    let session = post_view(&world, &shop, who, "p1").await;
    let visitor = post_view(&world, &shop, json!({"VisitorId": "visitor-canary-78"}), "p1").await;
    let hidden = |session: &str| session.replace('-', "");
    let sessions = [hidden(&session), hidden(&visitor)];
    let mut canaries = vec!["u-canary-4711", "ada-canary@shop.test", "visitor-canary", "product_view"];
    canaries.extend(sessions.iter().map(String::as_str));
    assert_nothing(&world, &canaries).await;
    world.restart().await;
    assert_nothing(&world, &canaries).await;
    // The search itself can find something.
    assert!(
        !find_texts(&world, &["Thing 1"]).await.is_empty() || !find_texts(&world, &["no-1"]).await.is_empty()
    );
}

async fn an_event_that_cannot_be_is_left_out_with_the_reason(world: World) {
    let shop = open_shop(&world, 2).await;
    let now = world.clock.now();
    let of = |name: &str, value: Value| {
        let mut event = json!({"Name": "product_view", "Product": "p1", "UserId": "anna"});
        event[name] = value;
        event
    };
    let day = 24 * 60 * 60 * 1000_i64;
    let nobody = json!({"Name": "product_view", "Product": "p1", "UserId": "null", "Email": ""});
    let events = [
        of("Name", json!("product_view")),
        of("Name", json!("page_view")),
        of("Product", json!("p9")),
        of("Product", json!({"Id": 1})),
        of("Product", Value::Null),
        of("At", json!(now + 3_600_000)),
        of("At", json!(now - 400 * day)),
        of("At", json!("yesterday")),
        of("UserId", json!("x".repeat(300))),
        of("Email", json!("anna")),
        nobody,
        json!([1]),
        json!({"Name": "product_view", "Product": "p1", "VisitorId": "abc", "At": now - 31 * day}),
        of("At", json!(now - 394 * day)),
    ];
    let answer = world.ask_json(&shop, "/api/events", json!({"Events": events})).await;
    assert_eq!(answer["Accepted"], 2, "{answer:#}");
    let taken = answer["Events"].as_array().expect("a list");
    let reasons: Vec<_> = taken.iter().map(|taken| taken["LeftOut"].as_str().unwrap_or("taken")).collect();
    let long_ago = "At is so long ago that the event would not be kept";
    let expected = [
        "taken",
        "Name has to be product_view, set_basket, order, search, item_click or zones_seen; others are not taken",
        "The shop shows no product of that Id or Sku, nor of a variant",
        "Product has to be a string",
        "Product is missing",
        "At is in the future: it is in milliseconds since 1970",
        long_ago,
        "At has to be a whole number",
        "UserId: the identifier is longer than 254 bytes",
        "Email: the identifier is no e-mail address: it needs something on both sides of an `@`",
        "It names nobody: UserId, Email, AccountId or VisitorId is needed",
        "An event has to be an object",
        long_ago,
        "taken",
    ];
    assert_eq!(reasons, expected);
    assert_eq!(count_events(&world).await, 2);
}

/// A value of a kind that no member has.
fn of_no_kind() -> Value {
    json!({"a": [1]})
}

/// An object with a member of another kind, and with the member twice.
fn spoil(object: &Value, member: &str) -> [Value; 2] {
    let [mut wrong, mut twice] = [object.clone(), object.clone()];
    wrong[member] = of_no_kind();
    twice[member] = json!(1);
    twice[member.to_lowercase()] = of_no_kind();
    [wrong, twice]
}

async fn a_member_of_another_kind_or_given_twice_leaves_its_event_out(world: World) {
    let shop = open_shop(&world, 1).await;
    let item = json!({"Product": "p1", "Quantity": 1, "UnitPrice": 2});
    // One event of every name.
    let of = |name: &str| {
        json!({"Name": name, "UserId": "anna", "Product": "p1", "Order": "1", "Items": [item],
            "Query": "lamp", "Found": 1, "RefId": "z.HP-01.for_you."})
    };
    let no = json!({"Consent": false, "VisitorId": "5f2b8c1e77aa41d2"});
    let text = |member: &str| format!("{member} has to be a string");
    let number = |member: &str| format!("{member} has to be a whole number");
    let list = || "Items has to be a list of products".to_owned();
    let consent = "Consent has to be true or false: nothing of it is stored".to_owned();
    let mut rows = vec![
        (of("product_view"), "Consent", consent),
        (of("product_view"), "At", number("At")),
        (of("set_basket"), "Items", list()),
        (of("order"), "Items", list()),
        (of("order"), "Order", text("Order")),
        (of("search"), "Query", text("Query")),
        (of("search"), "Found", number("Found")),
        (of("item_click"), "Product", text("Product")),
        (of("item_click"), "RefId", text("RefId")),
        (no, "VisitorId", text("VisitorId")),
    ];
    for member in ["Name", "Product", "UserId", "Email", "AccountId", "VisitorId"] {
        rows.push((of("product_view"), member, text(member)));
    }
    let twice = |member: &str| format!("{member} is given twice, with different values");
    let mut events = Vec::new();
    let mut expected = Vec::new();
    for (event, member, reason) in rows {
        events.extend(spoil(&event, member));
        expected.extend([reason, twice(member)]);
    }
    // Another kind than true and false is false.
    for (name, member) in [("order", "Cancelled"), ("search", "Corrected")] {
        let [_, given_twice] = spoil(&of(name), member);
        events.push(given_twice);
        expected.push(twice(member));
    }
    let amount = |member: &str| format!("{member} is no amount that can be");
    for name in ["set_basket", "order"] {
        let reasons = [
            ("Product", text("Product")),
            ("Quantity", amount("Quantity")),
            ("UnitPrice", amount("UnitPrice")),
        ];
        for (member, reason) in reasons {
            for (item, reason) in spoil(&item, member).into_iter().zip([reason, twice(member)]) {
                let mut event = of(name);
                event["Items"] = json!(["p1", item]);
                events.push(event);
                expected.push(reason);
            }
        }
    }
    let taken = post_events(&world, &shop, &events).await;
    let reasons: Vec<_> = taken.iter().map(|taken| taken["LeftOut"].as_str().unwrap_or("taken")).collect();
    assert_eq!(reasons, expected);
    assert_eq!(count_events(&world).await, 0);
    // As they were before, they are taken.
    let names = ["product_view", "set_basket", "order", "search", "item_click"];
    let taken = post_events(&world, &shop, &names.map(of)).await;
    assert!(taken.iter().all(|taken| taken.get("LeftOut").is_none()), "{taken:?}");
}

async fn what_a_forgotten_person_did_goes_and_nothing_more_is_kept(world: World) {
    let shop = open_shop(&world, 2).await;
    for product in ["p1", "p2", "p1"] {
        post_view(&world, &shop, json!({"UserId": "anna"}), product).await;
        post_view(&world, &shop, json!({"UserId": "berta"}), product).await;
    }
    world.forget(&shop, "userid:anna").await;
    // From the answer on nothing is kept, and the sender is not told.
    post_view(&world, &shop, json!({"UserId": "anna"}), "p1").await;
    assert_eq!(count_events(&world).await, 6);
    world.run_all_jobs().await;
    assert_eq!(count_events(&world).await, 3);
    post_view(&world, &shop, json!({"UserId": "anna"}), "p1").await;
    assert_eq!(count_events(&world).await, 3);
    assert_eq!(events_of(&world, &shop, "berta").await.len(), 3);
    // A person who comes back starts again: their earlier events are not kept again.
    let before = world.clock.now() - 1;
    world.ask_json(&shop, "/api/user/return", json!({"Identifier": "userid:anna"})).await;
    post_view(&world, &shop, json!({"UserId": "anna", "At": before - 1000}), "p1").await;
    assert_eq!(count_events(&world).await, 3);
    post_view(&world, &shop, json!({"UserId": "anna"}), "p1").await;
    assert_eq!(count_events(&world).await, 4);
}

async fn what_a_visitor_did_is_no_persons(world: World) {
    let shop = open_shop(&world, 2).await;
    let visitor = "5f2b8c1e77aa41d2";
    let alone = post_view(&world, &shop, json!({"VisitorId": visitor}), "p1").await;
    let known = post_view(&world, &shop, json!({"VisitorId": visitor, "UserId": "anna"}), "p2").await;
    assert_ne!(alone, known, "a session ends where its subject changes");
    assert_eq!(events_of(&world, &shop, &format!("visitor:{visitor}")).await.len(), 1);
    assert_eq!(events_of(&world, &shop, "userid:anna").await.len(), 1);
    world.forget(&shop, "userid:anna").await;
    world.run_all_jobs().await;
    assert_eq!(count_events(&world).await, 1, "a device is shared: what was done before stays");
    post_view(&world, &shop, json!({"VisitorId": visitor}), "p1").await;
    assert_eq!(count_events(&world).await, 2);
    world.forget(&shop, &format!("visitor:{visitor}")).await;
    world.run_all_jobs().await;
    post_view(&world, &shop, json!({"VisitorId": visitor}), "p1").await;
    // A company is shared: it is no way back.
    post_view(&world, &shop, json!({"VisitorId": visitor, "AccountId": "acme"}), "p1").await;
    assert_eq!(count_events(&world).await, 0);
    let one =
        post_view(&world, &shop, json!({"VisitorId": "77aa41d25f2b8c1e", "AccountId": "acme"}), "p1").await;
    let other =
        post_view(&world, &shop, json!({"VisitorId": "8c1e77aa41d25f2b", "AccountId": "acme"}), "p1").await;
    assert_ne!(one, other, "colleagues are not one person");
}

async fn a_session_ends_where_nothing_is_done_for_long(world: World) {
    let shop = open_shop(&world, 2).await;
    let first = post_view(&world, &shop, json!({"UserId": "anna"}), "p1").await;
    world.clock.advance(limits::SESSION_PAUSE_DURATION);
    let same = post_view(&world, &shop, json!({"UserId": "anna"}), "p2").await;
    world.clock.advance(limits::SESSION_PAUSE_DURATION + Duration::from_millis(1));
    let next = post_view(&world, &shop, json!({"UserId": "anna"}), "p1").await;
    assert_eq!(first, same);
    assert_ne!(first, next);
    // In one request too.
    let now = world.clock.now();
    let event = |at: i64| json!({"Name": "product_view", "Product": "p1", "UserId": "berta", "At": at});
    let taken =
        post_events(&world, &shop, &[event(now - 7_200_000), event(now - 7_100_000), event(now)]).await;
    assert_eq!(taken[0], taken[1]);
    assert_ne!(taken[1], taken[2]);
}

async fn what_is_kept_for_a_time_goes_on_its_day(world: World) {
    let shop = open_shop(&world, 2).await;
    let visitor = || json!({"VisitorId": "5f2b8c1e77aa41d2"});
    world.apply_delta(&shop, json!({"Users": [{"UserId": "berta"}]})).await;
    // A session goes as a whole, on the day of its first event.
    world.clock.advance(Duration::from_secs(11 * 3600 + 50 * 60));
    for who in [visitor(), json!({"UserId": "anna"}), json!({"UserId": "berta"})] {
        post_view(&world, &shop, who.clone(), "p1").await;
        world.clock.advance(Duration::from_secs(60));
        post_view(&world, &shop, who, "p2").await;
    }
    world.clock.advance(Duration::from_secs(600));
    let same =
        [post_view(&world, &shop, visitor(), "p1").await, post_view(&world, &shop, visitor(), "p1").await];
    assert_eq!(same[0], same[1]);
    let slots = world.node().keys.living().expect("the keys");
    let ended = async |days: u64| {
        world.clock.advance(Duration::from_secs(days * 24 * 3600));
        lethe::work::retention::end(world.node()).await.expect("it goes");
        (count_events(&world).await, world.subjects(&shop).await)
    };
    assert_eq!(ended(28).await, (8, 3), "the first day counts");
    assert_eq!(ended(1).await, (4, 2), "a visitor of whom nothing is left goes with the last event");
    assert_eq!(world.node().keys.living().expect("the keys"), slots - 1);
    assert_eq!(ended(364).await, (4, 2));
    assert_eq!(ended(1).await, (0, 1), "who has a profile stays");
    post_view(&world, &shop, visitor(), "p1").await;
    assert_eq!(count_events(&world).await, 1);
}

async fn a_request_with_events_that_cannot_be_is_refused(world: World) {
    let shop = open_shop(&world, 1).await;
    for (events, sentence) in [
        (Value::Null, "Events has to be a list of objects"),
        (json!({}), "Events has to be a list of objects"),
        (
            json!(vec![0; limits::EVENTS_OF_REQUEST + 1]),
            "Events has up to 200 events: send the rest after them",
        ),
    ] {
        let reply = world.ask(&shop, "/api/events", json!({"Events": events})).await;
        assert_eq!(reply.expect_refusal(400), sentence);
    }
    let reply = world.ask(&shop, "/api/events", json!({})).await;
    assert_eq!(reply.expect_refusal(400), "Events is missing");
    let wrong = json!({"AppKey": shop.key, "SecretKey": "no-secret", "Events": []});
    let reply = world.post("/api/events", &wrong).await;
    assert_eq!(reply.status, 403, "{}", reply.text);
    assert!(post_events(&world, &shop, &[]).await.is_empty());
}

async fn what_many_events_name_is_known_to_the_last(world: World) {
    let shop = open_shop(&world, 1).await;
    // Ids are looked up in their order, some at a time.
    let gone: Vec<_> = (0..limits::UNIT_ROWS).map(|number| format!("gone-{number}")).collect();
    let basket = json!({"Name": "set_basket", "UserId": "anna", "Items": gone});
    let view = json!({"Name": "product_view", "UserId": "anna", "Product": "p1"});
    let taken = post_events(&world, &shop, &[basket, view]).await;
    assert!(taken[1]["SessionId"].is_string(), "{taken:?}");
}
