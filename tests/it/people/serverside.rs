//! Calls of shop plugins about shoppers, from their server.

use lethe::limits;
use serde_json::{Value, json};

use crate::support::events::{count_events, open_shop};
use crate::support::plugin::{export_person, list_event_products, send_events, start_visit, view_event};
use crate::support::residue::assert_nothing;
use crate::support::world::{Reply, World, on_both_engines};

on_both_engines! {
    what_a_plugin_tells_of_a_visitor_is_stored_as_theirs
    every_refusal_has_a_list_of_errors
    what_cannot_be_stored_is_left_out_with_a_reason
    an_order_is_its_customers
    who_is_forgotten_is_answered_like_everybody
}

async fn what_a_plugin_tells_of_a_visitor_is_stored_as_theirs(world: World) {
    let shop = open_shop(&world, 3).await;
    let first =
        send_events(&world, &shop, "", json!([{"name": "page_view", "data": []}, view_event("p1")])).await;
    let visitor = first["visitorId"].as_str().expect("a number");
    let keys: Vec<_> = first.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["visitorId", "sessionId", "zones"], "{first}");
    assert_eq!((visitor.len(), &first["zones"]["HP-01"]["type"]), (64, &json!("recommender-product")));
    assert_eq!(count_events(&world).await, 0, "a number that may never come back");
    let basket = json!([{"id": "no-2", "qty": "2", "unitprice": "9.90"}, {"id": "v3"}, {"id": "gone"}]);
    let events = json!([view_event("no-1"), {"name": "set_basket", "data": basket}]);
    let second = send_events(&world, &shop, visitor, events).await;
    assert_eq!(second["visitorId"], visitor);
    let export = export_person(&world, &shop, &format!("visitor:{visitor}")).await;
    assert_eq!(export["Events"][0]["Session"], second["sessionId"]);
    let products = list_event_products(&world, &shop, &format!("visitor:{visitor}")).await;
    assert_eq!(products, [json!("p1"), json!(["p2", "p3"])]);
    // An empty number is not known; a number that the shop made up is kept.
    assert_eq!(
        send_events(&world, &shop, "shop-number-5f2b8c1e", json!([view_event("p1")])).await["visitorId"],
        "shop-number-5f2b8c1e"
    );
    assert_eq!(count_events(&world).await, 3);
    let page = json!({"sessionId": "s-1", "visitorId": visitor});
    let session = world.ask_json(&shop, "/api/serverside", page).await["sessionId"].clone();
    assert_eq!(session, "s-1", "nothing was stored: the session is the one that was sent");
    assert_nothing(&world, &[visitor, "canary.test", "canary-agent", "198.51.100.77", "shop-number-5f2b"])
        .await;
}

/// Returns true if a refusal is one that plugins can read.
fn assert_listed(reply: &Reply, status: u16) {
    let body = reply.json();
    assert_eq!((reply.status, &body["errors"]), (status, &json!([body["Error"]])), "{}", reply.text);
    assert_eq!(reply.header("content-type"), "application/json");
    assert!(body["Error"].is_string());
}

async fn every_refusal_has_a_list_of_errors(world: World) {
    let shop = open_shop(&world, 1).await;
    const PATH: &str = "/api/serverside";
    let wrong = json!({"appId": shop.key, "secretKey": "ls_wrong"});
    assert_listed(&world.post(PATH, &wrong).await, 403);
    assert_listed(&world.post(PATH, &json!({"appId": "nobody", "secretKey": shop.secret})).await, 403);
    assert_listed(&world.post(PATH, &json!({"secretKey": shop.secret})).await, 400);
    assert_listed(&world.post(PATH, &json!([])).await, 400);
    for body in ["", "canary", "{\"appId\":", "\"x\"", "{\"appId\":\"a\",\"appId\":\"b\"}"] {
        assert_listed(&world.post_bytes(PATH, body).await, 400);
    }
    let form = world.request("POST", PATH).header("content-type", "text/plain").body("canary");
    assert_listed(&world.send(form).await, 415);
    let large = format!("{{\"appId\":\"{}\"}}", "x".repeat(limits::SERVERSIDE_BODY_BYTES));
    assert_listed(&world.post_bytes(PATH, large).await, 413);
    let twice = json!({"visitorId": "one", "VISITORID": "two"});
    assert_listed(&world.ask(&shop, PATH, twice).await, 400);
}

async fn what_cannot_be_stored_is_left_out_with_a_reason(world: World) {
    let shop = open_shop(&world, 1).await;
    let visitor = start_visit(&world, &shop).await;
    let events = json!([view_event("gone"), view_event("p1"), {"name": "set_basket", "data": [{"id": "gone"}]},
        {"name": "set_basket", "data": []}, {"name": "product_rate", "data": {"id": "p1", "rating": 5}},
        {"name": "dance", "data": []}, {"name": "order_track", "data": {"orderid": "1", "id1": "p1", "qty1": "1"}}]);
    let answer = send_events(&world, &shop, &visitor, events).await;
    let errors: Vec<_> =
        answer["errors"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    let begins = |begin: &str| errors.iter().any(|error| error.starts_with(begin));
    assert!(errors.len() == 4 && begins("event 6: left out: name has to be"), "{errors:?}");
    // A rating is nothing that went wrong.
    for name in ["product_view", "set_basket"] {
        assert!(begins(&format!("a {name} was left out")), "{name}: {errors:?}");
    }
    assert!(begins("an order was left out: it names nobody"), "{errors:?}");
    assert_eq!(count_events(&world).await, 2);
}

async fn an_order_is_its_customers(world: World) {
    let shop = open_shop(&world, 2).await;
    let order = |name: &str, number: &str, who: &str| {
        json!({"name": name, "data": {"orderid": number, "userid": who, "email": "ada@canary.test", "productcount": 2,
            "id1": "no-1", "qty1": "2", "unitprice1": "5.00", "id2": "p2", "qty2": 1}})
    };
    let visitor = start_visit(&world, &shop).await;
    let answer =
        send_events(&world, &shop, &visitor, json!([order("order_track", "order-canary-1", "anna")])).await;
    assert!(answer.get("errors").is_none(), "{answer}");
    // As an administrator's program sends it: without a browser.
    let moto = json!({"events": [order("moto_order_track", "order-canary-2", "anna")], "zones": [],
        "currentUrl": "magento-admin", "userAgent": "x", "ip": ""});
    world.ask_json(&shop, "/api/serverside", moto.clone()).await;
    world.ask_json(&shop, "/api/serverside", moto).await;
    let export = export_person(&world, &shop, "userid:anna").await;
    let orders = export["Orders"].as_array().expect("orders");
    assert_eq!(orders.len(), 2, "each once");
    let line = json!({"Product": "no-1", "Quantity": "2", "UnitPrice": "5.00"});
    assert_eq!((&orders[0]["Order"], &orders[0]["Lines"][0]), (&json!("order-canary-1"), &line));
    let other =
        send_events(&world, &shop, &visitor, json!([order("order_track", "order-canary-1", "berta")])).await;
    let known =
        send_events(&world, &shop, &visitor, json!([order("order_track", "order-canary-1", "anna")])).await;
    assert_eq!(other["errors"], known["errors"], "the number is taken: {other}");
    assert_nothing(&world, &["order-canary-1", "ada@canary.test"]).await;
}

async fn who_is_forgotten_is_answered_like_everybody(world: World) {
    let shop = open_shop(&world, 1).await;
    let visitor = start_visit(&world, &shop).await;
    send_events(&world, &shop, &visitor, json!([view_event("p1")])).await;
    world.forget(&shop, &format!("visitor:{visitor}")).await;
    world.forget(&shop, "userid:anna").await;
    let order =
        json!({"name": "order_track", "data": {"orderid": "1", "userid": "anna", "id1": "p1", "qty1": 1}});
    let answer = send_events(&world, &shop, &visitor, json!([view_event("p1"), order])).await;
    world.run_all_jobs().await;
    let keys: Vec<_> = answer.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["visitorId", "sessionId", "zones"], "{answer}");
    assert_eq!((&answer["visitorId"], count_events(&world).await), (&json!(visitor), 0));
    assert_eq!(export_person(&world, &shop, "userid:anna").await["Orders"], json!([]));
}
