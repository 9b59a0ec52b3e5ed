//! Consent that is withdrawn: nothing more is stored, and a visitor's events are destroyed.

use std::time::Duration;

use lethe::args;
use lethe::ids::AccountId;
use lethe::keys::SlotNumber;
use lethe::limits;
use lethe::recommend::model::Model;
use lethe::store::{Statement, StoreFault};
use lethe::work::retention;
use serde_json::{Value, json};

use crate::support::events::{count_events, open_shop, post_events, post_view};
use crate::support::plugin::{start_visit, view_event};
use crate::support::recommendations::describe_recommended;
use crate::support::residue::assert_nothing;
use crate::support::world::{Shop, World, on_both_engines, statement};

on_both_engines! {
    who_withdraws_consent_is_nowhere_any_more
    without_consent_nothing_is_stored_and_persons_stay
    who_never_consented_is_not_stored_late
    what_is_no_clear_consent_is_none
    a_model_is_compared_while_somebody_withdraws
    a_page_withdraws_consent_of_its_visitor
    what_was_done_before_a_withdrawal_makes_no_visitor_anew
    very_many_who_withdraw_all_lose_their_keys_at_once
}

const NO_CONSENT: &str = "Consent is false: nothing of it is stored";

fn without_consent(who: &str, id: &str) -> Value {
    json!({"Name": "product_view", "Product": "p1", who: id, "Consent": false})
}

async fn what_was_done_before_a_withdrawal_makes_no_visitor_anew(world: World) {
    let shop = open_shop(&world, 1).await;
    let browser = start_visit(&world, &shop).await;
    post_view(&world, &shop, json!({"VisitorId": browser}), "p1").await;
    world.clock.advance(Duration::from_secs(600));
    post_events(&world, &shop, &[without_consent("VisitorId", &browser)]).await;
    world.clock.advance(Duration::from_secs(600));
    let late = json!({"Name": "product_view", "Product": "p1", "VisitorId": browser, "At": world.clock.now() - 700_000});
    post_events(&world, &shop, &[late]).await;
    retention::end(world.node()).await.expect("it goes");
    assert_eq!(count_events(&world).await, 0);
    // They may consent to present events.
    post_view(&world, &shop, json!({"VisitorId": browser}), "p1").await;
    assert_eq!(count_events(&world).await, 1);
}

/// The "no" of a new browser may come before its earlier events.
async fn who_never_consented_is_not_stored_late(world: World) {
    let shop = open_shop(&world, 1).await;
    post_events(&world, &shop, &[without_consent("VisitorId", "visitor-canary-1")]).await;
    world.clock.advance(Duration::from_secs(600));
    let at = world.clock.now() - 700_000;
    let late = json!({"Name": "product_view", "Product": "p1", "VisitorId": "visitor-canary-1", "At": at});
    post_events(&world, &shop, &[late]).await;
    assert_eq!(count_events(&world).await, 0);
}

async fn subjects(world: &World) -> Vec<SlotNumber> {
    const SLOTS: Statement = statement("slots", "SELECT slot FROM subject");
    let rows = world.node().store.read(|tx| tx.run(&SLOTS, args![])).await;
    let rows = rows.map_err(|fault: StoreFault| fault).expect("slots");
    rows.iter().filter_map(|row| SlotNumber::from_row(row.int("slot").expect("a slot"))).collect()
}

async fn export(world: &World, shop: &Shop, identifier: &str) -> Value {
    world.ask_json(shop, "/api/user/export", json!({"Identifier": identifier})).await
}

async fn most_viewed(world: &World, shop: &Shop) -> Vec<String> {
    world.node().derived.catch_up(AccountId(1)).await;
    let all = describe_recommended(world, shop, json!({"Recommender": "most_viewed", "Size": 4})).await;
    all.into_iter().filter(|one| one.ends_with("most_viewed")).collect()
}

async fn who_withdraws_consent_is_nowhere_any_more(mut world: World) {
    let shop = open_shop(&world, 4).await;
    post_view(&world, &shop, json!({"UserId": "anna"}), "p1").await;
    for product in ["p2", "p3"] {
        post_view(&world, &shop, json!({"VisitorId": "visitor-canary-1"}), product).await;
    }
    post_view(&world, &shop, json!({"VisitorId": "visitor-canary-2"}), "p4").await;
    let most = ["p1", "p2", "p3", "p4"].map(|id| format!("{id} most_viewed"));
    assert_eq!(most_viewed(&world, &shop).await, most);
    let living = world.node().keys.living().expect("keys");
    let taken =
        post_events(&world, &shop, &[json!({"VisitorId": "visitor-canary-1", "Consent": false})]).await;
    assert_eq!(taken, [json!({"LeftOut": NO_CONSENT})]);
    // At once nothing leads to it, and no model has it.
    assert_eq!(export(&world, &shop, "visitor:visitor-canary-1").await["Events"], json!([]));
    let left = ["p1", "p4"].map(|id| format!("{id} most_viewed"));
    assert_eq!(most_viewed(&world, &shop).await, left);
    let verified = world.control("/control/model/verify", json!({"Name": shop.name})).await;
    assert_eq!((&verified[0]["SameBytes"], &verified[0]["People"]), (&json!(true), &json!(2)), "{verified}");
    retention::end(world.node()).await.expect("it ends");
    assert_eq!((count_events(&world).await, subjects(&world).await.len()), (2, 2));
    assert_eq!(world.node().keys.living().expect("keys"), living - 1);
    assert_nothing(&world, &["visitor-canary"]).await;
    world.restart().await;
    assert_eq!(most_viewed(&world, &shop).await, left);
    // A new person, who consents again.
    post_view(&world, &shop, json!({"VisitorId": "visitor-canary-1"}), "p2").await;
    let events = export(&world, &shop, "visitor:visitor-canary-1").await;
    assert_eq!(events["Events"].as_array().map(Vec::len), Some(1));
}

async fn without_consent_nothing_is_stored_and_persons_stay(world: World) {
    let shop = open_shop(&world, 4).await;
    post_view(&world, &shop, json!({"UserId": "anna"}), "p1").await;
    let order = json!({"Name": "order", "Order": "o-1", "UserId": "anna", "Items": ["p1"], "Consent": false});
    let events = [
        without_consent("UserId", "anna"),
        without_consent("Email", "anna@shop.test"),
        without_consent("VisitorId", "visitor-1"),
        order,
        json!({"Name": "product_view", "Product": "p1", "UserId": "anna", "Consent": true}),
        json!({"Consent": false}),
    ];
    let answer = world.ask_json(&shop, "/api/events", json!({"Events": events})).await;
    let no = json!({"LeftOut": NO_CONSENT});
    assert_eq!(answer["Accepted"], 1, "{answer}");
    assert_eq!(answer["Events"].as_array().expect("a list")[..4], [no.clone(), no.clone(), no.clone(), no]);
    assert!(answer["Events"][5]["LeftOut"].as_str().is_some_and(|why| why.starts_with("It names nobody")));
    assert_eq!((count_events(&world).await, world.subjects(&shop).await), (2, 1));
    // In the order sent: an event after the withdrawal belongs to a new person.
    let view = |product: &str| json!({"Name": "product_view", "Product": product, "VisitorId": "visitor-2"});
    post_events(&world, &shop, &[view("p1"), without_consent("VisitorId", "visitor-2"), view("p2")]).await;
    let export = export(&world, &shop, "visitor:visitor-2").await;
    let products: Vec<_> =
        export["Events"].as_array().expect("a list").iter().map(|one| &one["Product"]).collect();
    assert_eq!(products, ["p2"]);
    retention::end(world.node()).await.expect("it ends");
    assert_eq!((count_events(&world).await, world.subjects(&shop).await), (3, 2));
}

async fn what_is_no_clear_consent_is_none(world: World) {
    let shop = open_shop(&world, 1).await;
    let event = |consent: Value| json!({"Name": "product_view", "Product": "p1", "VisitorId": "visitor-1", "Consent": consent});
    for unclear in [json!("False"), json!("no"), json!(""), Value::Null, json!(0.0), json!(2), json!([])] {
        let taken = post_events(&world, &shop, &[event(unclear.clone())]).await;
        let why = taken[0]["LeftOut"].as_str().unwrap_or_default();
        assert!(why.starts_with("Consent"), "{unclear}: {taken:?}");
    }
    assert_eq!(count_events(&world).await, 0);
    for clear in [json!(true), json!("true"), json!(1)] {
        assert!(post_events(&world, &shop, &[event(clear)]).await[0]["SessionId"].is_string());
    }
    for withdrawn in [json!("false"), json!(0)] {
        assert_eq!(post_events(&world, &shop, &[event(withdrawn)]).await, [json!({"LeftOut": NO_CONSENT})]);
    }
}

/// A long hold on the model makes no one else wait, and a difference is told apart from a fault.
async fn a_model_is_compared_while_somebody_withdraws(world: World) {
    let shop = open_shop(&world, 2).await;
    post_view(&world, &shop, json!({"VisitorId": "visitor-1"}), "p1").await;
    most_viewed(&world, &shop).await;
    let models = world.node().derived.models().clone();
    let (began, begun) = tokio::sync::oneshot::channel();
    let (end, ended) = std::sync::mpsc::channel::<()>();
    let runtime = tokio::runtime::Handle::current();
    let comparing = tokio::task::spawn_blocking(move || {
        let compare = move |_: &Model, _: &Model| {
            began.send(()).expect("somebody waits for it");
            ended.recv().expect("it is said when");
        };
        runtime.block_on(models.compare_with_rebuilt(AccountId(1), compare)).expect("a model").1
    });
    begun.await.expect("it is held");
    let withdrawn = json!({"VisitorId": "visitor-1", "Consent": false});
    let withdrawing = world.ask_json(&shop, "/api/events", json!({"Events": [withdrawn]}));
    let others = async {
        while subjects(&world).await.len() == 1 && is_led(&world, &shop).await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        // The one who withdraws waits for the model, and holds no turn meanwhile.
        let events = vec![
            json!({"Name": "product_view", "Product": "p1", "UserId": "anna"});
            limits::EVENTS_OF_REQUEST
        ];
        let told: Value = world.ask_json(&shop, "/api/events", json!({"Events": events})).await;
        assert_eq!(told["Accepted"], limits::EVENTS_OF_REQUEST);
        end.send(()).expect("it waits");
        comparing.await.expect("it ends")
    };
    let (_, is_left) = tokio::join!(withdrawing, others);
    assert!(is_left, "somebody waited to leave it");
}

async fn is_led(world: &World, shop: &Shop) -> bool {
    export(world, shop, "visitor:visitor-1").await["Events"] != json!([])
}

async fn a_page_withdraws_consent_of_its_visitor(world: World) {
    let shop = open_shop(&world, 4).await;
    let [browser, other] = [start_visit(&world, &shop).await, start_visit(&world, &shop).await];
    let page =
        |visitor: &str, events: Value| json!({"appId": shop.key, "visitorId": visitor, "events": events});
    for browser in [&browser, &other] {
        assert_eq!(
            world.post("/api/serverside", &page(browser, json!([view_event("p1")]))).await.status,
            200
        );
    }
    let said = |data: Value| json!([{"name": "accept_cookies", "data": data}, view_event("p2")]);
    for unclear in [json!(true), json!("no"), json!([]), Value::Null] {
        world.post("/api/serverside", &page(&browser, said(unclear))).await;
    }
    assert_eq!(count_events(&world).await, 6);
    // A client without a number that was issued here ends no one's data.
    world.post("/api/serverside", &page(&browser[..63], said(json!(false)))).await;
    assert_eq!(count_events(&world).await, 6);
    let answer = world.post("/api/serverside", &page(&browser, said(json!(false)))).await.json();
    assert!(answer.get("errors").is_none(), "{answer}");
    assert_eq!(export(&world, &shop, &format!("visitor:{browser}")).await["Events"], json!([]));
    retention::end(world.node()).await.expect("it ends");
    assert_eq!((count_events(&world).await, subjects(&world).await.len()), (1, 1));
}

/// More than one page of people: an erasure that is settled meanwhile finds none of their keys.
async fn very_many_who_withdraw_all_lose_their_keys_at_once(world: World) {
    let shop = open_shop(&world, 1).await;
    let all: Vec<_> = (0..=limits::UNIT_ROWS).map(|number| format!("5f2b8c1e77aa{number:04}")).collect();
    for has_consent in [true, false] {
        let event = |id: &String| json!({"Name": "product_view", "Product": "p1", "VisitorId": id, "Consent": has_consent});
        for some in all.chunks(limits::EVENTS_OF_REQUEST) {
            post_events(&world, &shop, &some.iter().map(event).collect::<Vec<_>>()).await;
        }
    }
    let slots = subjects(&world).await;
    let keys = &world.node().keys;
    let count_keys = || slots.iter().filter(|slot| keys.sealer(**slot).is_ok()).count();
    assert_eq!((slots.len(), count_keys()), (all.len(), all.len()));
    retention::end_withdrawn(world.node()).await.expect("they go");
    assert_eq!(count_keys(), 0);
    retention::end(world.node()).await.expect("the rows go");
    assert_eq!((count_events(&world).await, subjects(&world).await.len()), (0, 0));
}
