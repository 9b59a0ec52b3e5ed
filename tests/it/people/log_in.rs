//! Log-ins from plugins: the owner of events in a browser, until the log-out, and their erasure.

use std::time::Duration;

use lethe::work::retention;
use serde_json::{Value, json};

use crate::people::events::{shop_of, stored, viewed};
use crate::people::serverside::{events_of, export, send_events, view, visitor};
use crate::support::residue::assert_nothing;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    what_is_done_after_a_log_in_is_the_persons
    a_log_out_and_another_log_in_end_a_log_in
    who_is_forgotten_leaves_what_others_did_in_the_same_browser
    a_browser_that_is_forgotten_takes_nobody_along
    where_somebody_forgotten_logs_in_nothing_is_stored_until_the_log_out
    who_is_forgotten_while_logged_in_leaves_nothing_behind_until_the_log_out
    a_log_out_opens_no_door_that_an_erasure_shut
    an_order_that_names_nobody_is_of_who_is_logged_in
    a_call_with_everything_in_it_is_stored_in_its_order
    who_only_logged_in_goes_on_their_day
    a_log_in_is_readable_nowhere_on_the_disk
}

pub fn log_in(user: &str) -> Value {
    json!({"name": "customer_details", "data": {"userid": user, "email": format!("{user}@canary.test"), "firstname": "Canaria"}})
}

pub fn log_out() -> Value {
    json!({"name": "customer_logout", "data": []})
}

fn order(number: &str) -> Value {
    json!({"name": "order_track", "data": {"orderid": number, "productcount": 1, "id1": "p1", "qty1": "1"}})
}

/// Sends events of a browser; none may be left out.
pub async fn done(world: &World, shop: &Shop, browser: &str, events: &[Value]) -> String {
    let answer = send_events(world, shop, browser, json!(events)).await;
    assert!(answer.get("errors").is_none(), "{answer}");
    answer["sessionId"].as_str().expect("a session").to_owned()
}

/// The products of a person's events.
pub async fn export_of(world: &World, shop: &Shop, identifier: &str) -> String {
    let products = events_of(world, shop, identifier).await;
    products.iter().map(|product| product.as_str().unwrap_or("basket")).collect::<Vec<_>>().join(" ")
}

/// Data that a request would leave, with the requests that would erase it too.
async fn left(world: &World, shop: &Shop, identifier: &str) -> Vec<String> {
    let held = world.ask_json(shop, "/api/user/held", json!({"Identifier": identifier})).await;
    let left = held["Left"].as_array().expect("a list").iter();
    let left = left.map(|left| format!("{} {} {}", left["Name"], left["Count"], left["Requests"]));
    left.map(|left| left.replace('"', "")).collect()
}

async fn visitor_ids(world: &World, shop: &Shop, identifier: &str) -> usize {
    let export = export(world, shop, identifier).await;
    let identifiers = export["Identifiers"].as_array().expect("a list").iter();
    identifiers.filter(|identifier| identifier["Kind"] == "VisitorId").count()
}

async fn what_is_done_after_a_log_in_is_the_persons(world: World) {
    let shop = shop_of(&world, 4).await;
    let browser = visitor(&world, &shop).await;
    let before = done(&world, &shop, &browser, &[view("p1")]).await;
    let after = done(&world, &shop, &browser, &[log_in("anna"), view("p2")]).await;
    assert_ne!(before, after, "a session ends where its subject changes");
    assert_eq!(done(&world, &shop, &browser, &[view("p3")]).await, after);
    viewed(&world, &shop, json!({"VisitorId": browser}), "p4").await;
    let own = format!("visitor:{browser}");
    assert_eq!(export_of(&world, &shop, "userid:anna").await, "p2 p3 p4");
    assert_eq!(export_of(&world, &shop, &own).await, "p1");
    assert_eq!(visitor_ids(&world, &shop, "userid:anna").await, 1);
    // In a browser that was new just now too, and by an address alone.
    done(&world, &shop, "", &[log_in("anna"), view("p1")]).await;
    let guest = json!({"name": "customer_details", "data": {"email": "berta@canary.test"}});
    done(&world, &shop, "", &[view("p4"), guest, view("p2")]).await;
    assert_eq!(export_of(&world, &shop, "userid:anna").await, "p2 p3 p4 p1");
    assert_eq!(export_of(&world, &shop, "berta@canary.test").await, "p2");
    // A person's events are kept longer than a visitor's.
    world.clock.advance(Duration::from_secs(31 * 24 * 3600));
    retention::end(world.node()).await.expect("it goes");
    assert_eq!(stored(&world).await, 5);
    assert_eq!(export_of(&world, &shop, &own).await, "");
}

async fn a_log_out_and_another_log_in_end_a_log_in(world: World) {
    let shop = shop_of(&world, 4).await;
    let browser = visitor(&world, &shop).await;
    done(&world, &shop, &browser, &[log_in("anna"), view("p1")]).await;
    done(&world, &shop, &browser, &[log_in("berta"), view("p2")]).await;
    done(&world, &shop, &browser, &[log_out(), view("p3")]).await;
    done(&world, &shop, &browser, &[view("p4")]).await;
    assert_eq!(export_of(&world, &shop, "userid:anna").await, "p1");
    assert_eq!(export_of(&world, &shop, "userid:berta").await, "p2");
    assert_eq!(export_of(&world, &shop, &format!("visitor:{browser}")).await, "p3 p4");
    assert_eq!(visitor_ids(&world, &shop, "userid:berta").await, 0);
}

async fn who_is_forgotten_leaves_what_others_did_in_the_same_browser(world: World) {
    let shop = shop_of(&world, 4).await;
    let browser = visitor(&world, &shop).await;
    done(&world, &shop, &browser, &[view("p1"), log_in("anna"), view("p2"), log_in("berta"), view("p3")])
        .await;
    let own = format!("visitor:{browser}");
    assert_eq!(left(&world, &shop, "userid:anna").await, [""; 0], "she is logged in nowhere");
    assert_eq!(left(&world, &shop, "userid:berta").await, [format!("left-browser 1 [{own}]")]);
    world.forget(&shop, "userid:anna").await;
    world.work_all().await;
    assert_eq!((export_of(&world, &shop, "userid:anna").await, stored(&world).await), (String::new(), 2));
    done(&world, &shop, &browser, &[view("p4")]).await;
    assert_eq!(export_of(&world, &shop, "userid:berta").await, "p3 p4", "she is logged in still");
    world.forget(&shop, "userid:berta").await;
    world.work_all().await;
    assert_eq!((export_of(&world, &shop, &own).await, stored(&world).await), ("p1".to_owned(), 1));
    let erasures = world.ask_json(&shop, "/api/erasures", json!({})).await;
    let asked = json!({"Erasure": erasures[0]["Erasure"]});
    let certificate = world.ask_json(&shop, "/api/erasure/certificate", asked).await.to_string();
    assert!(certificate.contains("left-browser") && !certificate.contains(&browser), "{certificate}");
    world.forget(&shop, &own).await;
    world.work_all().await;
    assert_eq!((stored(&world).await, world.subjects(&shop).await), (0, 0));
}

async fn a_browser_that_is_forgotten_takes_nobody_along(world: World) {
    let shop = shop_of(&world, 4).await;
    let browser = visitor(&world, &shop).await;
    done(&world, &shop, &browser, &[view("p1"), log_in("anna"), view("p2")]).await;
    let own = format!("visitor:{browser}");
    assert_eq!(left(&world, &shop, &own).await, ["left-browser 1 [userid:anna]"]);
    assert_eq!(export_of(&world, &shop, &own).await, "p1", "an export shows what a forget erases");
    world.forget(&shop, &own).await;
    // From the answer on nothing comes with the number alone.
    done(&world, &shop, &browser, &[view("p3")]).await;
    world.work_all().await;
    done(&world, &shop, &browser, &[view("p3")]).await;
    assert_eq!(export_of(&world, &shop, "userid:anna").await, "p2");
    assert_eq!((stored(&world).await, visitor_ids(&world, &shop, "userid:anna").await), (1, 0));
    assert_eq!(left(&world, &shop, "userid:anna").await, [""; 0]);
}

async fn where_somebody_forgotten_logs_in_nothing_is_stored_until_the_log_out(world: World) {
    let shop = shop_of(&world, 4).await;
    world.forget(&shop, "userid:anna").await;
    world.work_all().await;
    let browser = visitor(&world, &shop).await;
    let session = done(&world, &shop, &browser, &[log_in("anna"), view("p1"), order("o-1")]).await;
    done(&world, &shop, &browser, &[view("p2"), log_in("anna"), view("p2")]).await;
    assert_eq!((stored(&world).await, world.subjects(&shop).await, session.len()), (0, 0, 36));
    done(&world, &shop, "", &[log_in("anna"), view("p1")]).await;
    assert_eq!(stored(&world).await, 0, "nor in a browser that was new just now");
    done(&world, &shop, &browser, &[log_out(), view("p3")]).await;
    assert_eq!(export_of(&world, &shop, &format!("visitor:{browser}")).await, "p3");
    done(&world, &shop, &browser, &[log_in("anna"), view("p4")]).await;
    done(&world, &shop, &browser, &[log_in("berta"), view("p4")]).await;
    assert_eq!((export_of(&world, &shop, "userid:berta").await, stored(&world).await), ("p4".to_owned(), 2));
    // A person who comes back logs in again.
    world.ask_json(&shop, "/api/user/return", json!({"Identifier": "userid:anna"})).await;
    done(&world, &shop, &browser, &[log_in("anna"), view("p1")]).await;
    assert_eq!(export_of(&world, &shop, "userid:anna").await, "p1");
}

async fn who_is_forgotten_while_logged_in_leaves_nothing_behind_until_the_log_out(world: World) {
    let shop = shop_of(&world, 4).await;
    let browser = visitor(&world, &shop).await;
    done(&world, &shop, &browser, &[log_in("anna"), view("p1")]).await;
    world.forget(&shop, "userid:anna").await;
    done(&world, &shop, &browser, &[view("p2")]).await;
    world.work_all().await;
    done(&world, &shop, &browser, &[view("p3")]).await;
    assert_eq!((stored(&world).await, world.subjects(&shop).await), (0, 0));
    done(&world, &shop, &browser, &[log_out(), view("p4")]).await;
    assert_eq!(export_of(&world, &shop, &format!("visitor:{browser}")).await, "p4");
}

async fn a_log_out_opens_no_door_that_an_erasure_shut(world: World) {
    let shop = shop_of(&world, 2).await;
    let browser = visitor(&world, &shop).await;
    world.forget(&shop, &format!("visitor:{browser}")).await;
    world.work_all().await;
    done(&world, &shop, &browser, &[log_out(), view("p1")]).await;
    done(&world, &shop, &browser, &[log_in("anna"), view("p1"), log_out(), view("p2")]).await;
    assert_eq!((stored(&world).await, world.subjects(&shop).await), (0, 0));
    // Nor one that a forgotten person shut first.
    world.forget(&shop, "userid:anna").await;
    world.work_all().await;
    let other = visitor(&world, &shop).await;
    done(&world, &shop, &other, &[log_in("anna")]).await;
    world.forget(&shop, &format!("visitor:{other}")).await;
    world.work_all().await;
    done(&world, &shop, &other, &[log_out(), view("p1")]).await;
    done(&world, &shop, &other, &[view("p2")]).await;
    assert_eq!(stored(&world).await, 0);
}

async fn an_order_that_names_nobody_is_of_who_is_logged_in(world: World) {
    let shop = shop_of(&world, 2).await;
    let browser = visitor(&world, &shop).await;
    done(&world, &shop, &browser, &[log_in("anna"), order("o-1")]).await;
    let guest = json!({"name": "customer_details", "data": {"email": "berta@canary.test"}});
    done(&world, &shop, &browser, &[guest]).await;
    done(&world, &shop, &browser, &[order("o-2")]).await;
    let mut by_phone = order("o-3");
    by_phone["name"] = "moto_order_track".into();
    let mut of_anna = order("o-4");
    of_anna["data"]["userid"] = "anna".into();
    let answer =
        send_events(&world, &shop, &browser, json!([by_phone, of_anna, log_out(), order("o-5")])).await;
    let nobody = "an order was left out: it names nobody by accid, userid or email, and nobody is logged in";
    assert_eq!(answer["errors"], json!([format!("{nobody} (2 times)")]));
    for (who, numbers) in [("userid:anna", vec!["o-1", "o-4"]), ("berta@canary.test", vec!["o-2"])] {
        let export = export(&world, &shop, who).await;
        let orders = export["Orders"].as_array().expect("orders").iter();
        let mut found: Vec<_> = orders.filter_map(|order| order["Order"].as_str()).collect();
        found.sort_unstable();
        assert_eq!(found, numbers, "{who}");
    }
}

async fn a_call_with_everything_in_it_is_stored_in_its_order(world: World) {
    let shop = shop_of(&world, 4).await;
    let browser = visitor(&world, &shop).await;
    let basket = json!({"name": "set_basket", "data": [{"id": "p3", "qty": 1, "unitprice": "5.00"}]});
    let page = json!({"name": "page_view", "data": {"page_type": "product_page", "product_id": "p1"}});
    let events = [
        page,
        view("p1"),
        log_in("anna"),
        basket,
        order("o-1"),
        log_out(),
        view("p2"),
        log_in("berta"),
        view("p4"),
    ];
    done(&world, &shop, &browser, &events).await;
    assert_eq!(export_of(&world, &shop, &format!("visitor:{browser}")).await, "p1 p2");
    assert_eq!(export_of(&world, &shop, "userid:anna").await, "basket");
    assert_eq!(export_of(&world, &shop, "userid:berta").await, "p4");
    assert_eq!(export(&world, &shop, "userid:anna").await["Orders"].as_array().map(Vec::len), Some(1));
}

async fn who_only_logged_in_goes_on_their_day(world: World) {
    let shop = shop_of(&world, 1).await;
    let browser = visitor(&world, &shop).await;
    done(&world, &shop, &browser, &[log_in("anna")]).await;
    let export = export(&world, &shop, "userid:anna").await;
    assert_eq!(export["LogIns"], json!([{"At": world.clock.now()}]));
    for (days, subjects) in [(394, 1), (1, 0)] {
        world.clock.advance(Duration::from_secs(days * 24 * 3600));
        retention::end(world.node()).await.expect("it goes");
        assert_eq!(world.subjects(&shop).await, subjects, "{days}");
    }
    done(&world, &shop, &browser, &[view("p1")]).await;
    assert_eq!(export_of(&world, &shop, &format!("visitor:{browser}")).await, "p1");
}

async fn a_log_in_is_readable_nowhere_on_the_disk(mut world: World) {
    let shop = shop_of(&world, 1).await;
    let browser = visitor(&world, &shop).await;
    done(
        &world,
        &shop,
        &browser,
        &[view("p1"), log_in("u-canary-4711"), view("p1"), order("order-canary-77")],
    )
    .await;
    let canaries = [browser.as_str(), "u-canary-4711", "canary.test", "Canaria", "order-canary-77"];
    assert_nothing(&world, &canaries).await;
    world.restart().await;
    assert_nothing(&world, &canaries).await;
}
