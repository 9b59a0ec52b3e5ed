//! Log-ins from plugins: the owner of events in a browser, until the log-out, and their erasure.

use std::time::Duration;

use lethe::work::retention;
use serde_json::{Value, json};

use crate::support::events::{count_events, open_shop, post_view};
use crate::support::log_ins::{describe_events, log_in_event, log_out_event, send_accepted_events};
use crate::support::plugin::{export_person, send_events, start_visit, view_event};
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

fn order(number: &str) -> Value {
    json!({"name": "order_track", "data": {"orderid": number, "productcount": 1, "id1": "p1", "qty1": "1"}})
}

/// Data that a request would leave, with the requests that would erase it too.
async fn list_left(world: &World, shop: &Shop, identifier: &str) -> Vec<String> {
    let held = world.ask_json(shop, "/api/user/held", json!({"Identifier": identifier})).await;
    let left = held["Left"].as_array().expect("a list").iter();
    let left = left.map(|left| format!("{} {} {}", left["Name"], left["Count"], left["Requests"]));
    left.map(|left| left.replace('"', "")).collect()
}

async fn visitor_ids(world: &World, shop: &Shop, identifier: &str) -> usize {
    let export = export_person(world, shop, identifier).await;
    let identifiers = export["Identifiers"].as_array().expect("a list").iter();
    identifiers.filter(|identifier| identifier["Kind"] == "VisitorId").count()
}

async fn what_is_done_after_a_log_in_is_the_persons(world: World) {
    let shop = open_shop(&world, 4).await;
    let browser = start_visit(&world, &shop).await;
    let before = send_accepted_events(&world, &shop, &browser, &[view_event("p1")]).await;
    let after =
        send_accepted_events(&world, &shop, &browser, &[log_in_event("anna"), view_event("p2")]).await;
    assert_ne!(before, after, "a session ends where its subject changes");
    assert_eq!(send_accepted_events(&world, &shop, &browser, &[view_event("p3")]).await, after);
    post_view(&world, &shop, json!({"VisitorId": browser}), "p4").await;
    let own = format!("visitor:{browser}");
    assert_eq!(describe_events(&world, &shop, "userid:anna").await, "p2 p3 p4");
    assert_eq!(describe_events(&world, &shop, &own).await, "p1");
    assert_eq!(visitor_ids(&world, &shop, "userid:anna").await, 1);
    // In a browser that was new just now too, and by an address alone.
    send_accepted_events(&world, &shop, "", &[log_in_event("anna"), view_event("p1")]).await;
    let guest = json!({"name": "customer_details", "data": {"email": "berta@canary.test"}});
    send_accepted_events(&world, &shop, "", &[view_event("p4"), guest, view_event("p2")]).await;
    assert_eq!(describe_events(&world, &shop, "userid:anna").await, "p2 p3 p4 p1");
    assert_eq!(describe_events(&world, &shop, "berta@canary.test").await, "p2");
    // A person's events are kept longer than a visitor's.
    world.clock.advance(Duration::from_secs(31 * 24 * 3600));
    retention::end(world.node()).await.expect("it goes");
    assert_eq!(count_events(&world).await, 5);
    assert_eq!(describe_events(&world, &shop, &own).await, "");
}

async fn a_log_out_and_another_log_in_end_a_log_in(world: World) {
    let shop = open_shop(&world, 4).await;
    let browser = start_visit(&world, &shop).await;
    send_accepted_events(&world, &shop, &browser, &[log_in_event("anna"), view_event("p1")]).await;
    send_accepted_events(&world, &shop, &browser, &[log_in_event("berta"), view_event("p2")]).await;
    send_accepted_events(&world, &shop, &browser, &[log_out_event(), view_event("p3")]).await;
    send_accepted_events(&world, &shop, &browser, &[view_event("p4")]).await;
    assert_eq!(describe_events(&world, &shop, "userid:anna").await, "p1");
    assert_eq!(describe_events(&world, &shop, "userid:berta").await, "p2");
    assert_eq!(describe_events(&world, &shop, &format!("visitor:{browser}")).await, "p3 p4");
    assert_eq!(visitor_ids(&world, &shop, "userid:berta").await, 0);
}

async fn who_is_forgotten_leaves_what_others_did_in_the_same_browser(world: World) {
    let shop = open_shop(&world, 4).await;
    let browser = start_visit(&world, &shop).await;
    send_accepted_events(
        &world,
        &shop,
        &browser,
        &[view_event("p1"), log_in_event("anna"), view_event("p2"), log_in_event("berta"), view_event("p3")],
    )
    .await;
    let own = format!("visitor:{browser}");
    assert_eq!(list_left(&world, &shop, "userid:anna").await, [""; 0], "she is logged in nowhere");
    assert_eq!(list_left(&world, &shop, "userid:berta").await, [format!("left-browser 1 [{own}]")]);
    world.forget(&shop, "userid:anna").await;
    world.run_all_jobs().await;
    assert_eq!(
        (describe_events(&world, &shop, "userid:anna").await, count_events(&world).await),
        (String::new(), 2)
    );
    send_accepted_events(&world, &shop, &browser, &[view_event("p4")]).await;
    assert_eq!(describe_events(&world, &shop, "userid:berta").await, "p3 p4", "she is logged in still");
    world.forget(&shop, "userid:berta").await;
    world.run_all_jobs().await;
    assert_eq!(
        (describe_events(&world, &shop, &own).await, count_events(&world).await),
        ("p1".to_owned(), 1)
    );
    let erasures = world.ask_json(&shop, "/api/erasures", json!({})).await;
    let asked = json!({"Erasure": erasures[0]["Erasure"]});
    let certificate = world.ask_json(&shop, "/api/erasure/certificate", asked).await.to_string();
    assert!(certificate.contains("left-browser") && !certificate.contains(&browser), "{certificate}");
    world.forget(&shop, &own).await;
    world.run_all_jobs().await;
    assert_eq!((count_events(&world).await, world.subjects(&shop).await), (0, 0));
}

async fn a_browser_that_is_forgotten_takes_nobody_along(world: World) {
    let shop = open_shop(&world, 4).await;
    let browser = start_visit(&world, &shop).await;
    send_accepted_events(
        &world,
        &shop,
        &browser,
        &[view_event("p1"), log_in_event("anna"), view_event("p2")],
    )
    .await;
    let own = format!("visitor:{browser}");
    assert_eq!(list_left(&world, &shop, &own).await, ["left-browser 1 [userid:anna]"]);
    assert_eq!(describe_events(&world, &shop, &own).await, "p1", "an export shows what a forget erases");
    world.forget(&shop, &own).await;
    // From the answer on nothing comes with the number alone.
    send_accepted_events(&world, &shop, &browser, &[view_event("p3")]).await;
    world.run_all_jobs().await;
    send_accepted_events(&world, &shop, &browser, &[view_event("p3")]).await;
    assert_eq!(describe_events(&world, &shop, "userid:anna").await, "p2");
    assert_eq!((count_events(&world).await, visitor_ids(&world, &shop, "userid:anna").await), (1, 0));
    assert_eq!(list_left(&world, &shop, "userid:anna").await, [""; 0]);
}

async fn where_somebody_forgotten_logs_in_nothing_is_stored_until_the_log_out(world: World) {
    let shop = open_shop(&world, 4).await;
    world.forget(&shop, "userid:anna").await;
    world.run_all_jobs().await;
    let browser = start_visit(&world, &shop).await;
    let session = send_accepted_events(
        &world,
        &shop,
        &browser,
        &[log_in_event("anna"), view_event("p1"), order("o-1")],
    )
    .await;
    send_accepted_events(
        &world,
        &shop,
        &browser,
        &[view_event("p2"), log_in_event("anna"), view_event("p2")],
    )
    .await;
    assert_eq!((count_events(&world).await, world.subjects(&shop).await, session.len()), (0, 0, 36));
    send_accepted_events(&world, &shop, "", &[log_in_event("anna"), view_event("p1")]).await;
    assert_eq!(count_events(&world).await, 0, "nor in a browser that was new just now");
    send_accepted_events(&world, &shop, &browser, &[log_out_event(), view_event("p3")]).await;
    assert_eq!(describe_events(&world, &shop, &format!("visitor:{browser}")).await, "p3");
    send_accepted_events(&world, &shop, &browser, &[log_in_event("anna"), view_event("p4")]).await;
    send_accepted_events(&world, &shop, &browser, &[log_in_event("berta"), view_event("p4")]).await;
    assert_eq!(
        (describe_events(&world, &shop, "userid:berta").await, count_events(&world).await),
        ("p4".to_owned(), 2)
    );
    // A person who comes back logs in again.
    world.ask_json(&shop, "/api/user/return", json!({"Identifier": "userid:anna"})).await;
    send_accepted_events(&world, &shop, &browser, &[log_in_event("anna"), view_event("p1")]).await;
    assert_eq!(describe_events(&world, &shop, "userid:anna").await, "p1");
}

async fn who_is_forgotten_while_logged_in_leaves_nothing_behind_until_the_log_out(world: World) {
    let shop = open_shop(&world, 4).await;
    let browser = start_visit(&world, &shop).await;
    send_accepted_events(&world, &shop, &browser, &[log_in_event("anna"), view_event("p1")]).await;
    world.forget(&shop, "userid:anna").await;
    send_accepted_events(&world, &shop, &browser, &[view_event("p2")]).await;
    world.run_all_jobs().await;
    send_accepted_events(&world, &shop, &browser, &[view_event("p3")]).await;
    assert_eq!((count_events(&world).await, world.subjects(&shop).await), (0, 0));
    send_accepted_events(&world, &shop, &browser, &[log_out_event(), view_event("p4")]).await;
    assert_eq!(describe_events(&world, &shop, &format!("visitor:{browser}")).await, "p4");
}

async fn a_log_out_opens_no_door_that_an_erasure_shut(world: World) {
    let shop = open_shop(&world, 2).await;
    let browser = start_visit(&world, &shop).await;
    world.forget(&shop, &format!("visitor:{browser}")).await;
    world.run_all_jobs().await;
    send_accepted_events(&world, &shop, &browser, &[log_out_event(), view_event("p1")]).await;
    send_accepted_events(
        &world,
        &shop,
        &browser,
        &[log_in_event("anna"), view_event("p1"), log_out_event(), view_event("p2")],
    )
    .await;
    assert_eq!((count_events(&world).await, world.subjects(&shop).await), (0, 0));
    // Nor one that a forgotten person shut first.
    world.forget(&shop, "userid:anna").await;
    world.run_all_jobs().await;
    let other = start_visit(&world, &shop).await;
    send_accepted_events(&world, &shop, &other, &[log_in_event("anna")]).await;
    world.forget(&shop, &format!("visitor:{other}")).await;
    world.run_all_jobs().await;
    send_accepted_events(&world, &shop, &other, &[log_out_event(), view_event("p1")]).await;
    send_accepted_events(&world, &shop, &other, &[view_event("p2")]).await;
    assert_eq!(count_events(&world).await, 0);
}

async fn an_order_that_names_nobody_is_of_who_is_logged_in(world: World) {
    let shop = open_shop(&world, 2).await;
    let browser = start_visit(&world, &shop).await;
    send_accepted_events(&world, &shop, &browser, &[log_in_event("anna"), order("o-1")]).await;
    let guest = json!({"name": "customer_details", "data": {"email": "berta@canary.test"}});
    send_accepted_events(&world, &shop, &browser, &[guest]).await;
    send_accepted_events(&world, &shop, &browser, &[order("o-2")]).await;
    let mut by_phone = order("o-3");
    by_phone["name"] = "moto_order_track".into();
    let mut of_anna = order("o-4");
    of_anna["data"]["userid"] = "anna".into();
    let answer =
        send_events(&world, &shop, &browser, json!([by_phone, of_anna, log_out_event(), order("o-5")])).await;
    let nobody = "an order was left out: it names nobody by accid, userid or email, and nobody is logged in";
    assert_eq!(answer["errors"], json!([format!("{nobody} (2 times)")]));
    for (who, numbers) in [("userid:anna", vec!["o-1", "o-4"]), ("berta@canary.test", vec!["o-2"])] {
        let export = export_person(&world, &shop, who).await;
        let orders = export["Orders"].as_array().expect("orders").iter();
        let mut found: Vec<_> = orders.filter_map(|order| order["Order"].as_str()).collect();
        found.sort_unstable();
        assert_eq!(found, numbers, "{who}");
    }
}

async fn a_call_with_everything_in_it_is_stored_in_its_order(world: World) {
    let shop = open_shop(&world, 4).await;
    let browser = start_visit(&world, &shop).await;
    let basket = json!({"name": "set_basket", "data": [{"id": "p3", "qty": 1, "unitprice": "5.00"}]});
    let page = json!({"name": "page_view", "data": {"page_type": "product_page", "product_id": "p1"}});
    let events = [
        page,
        view_event("p1"),
        log_in_event("anna"),
        basket,
        order("o-1"),
        log_out_event(),
        view_event("p2"),
        log_in_event("berta"),
        view_event("p4"),
    ];
    send_accepted_events(&world, &shop, &browser, &events).await;
    assert_eq!(describe_events(&world, &shop, &format!("visitor:{browser}")).await, "p1 p2");
    assert_eq!(describe_events(&world, &shop, "userid:anna").await, "basket");
    assert_eq!(describe_events(&world, &shop, "userid:berta").await, "p4");
    assert_eq!(export_person(&world, &shop, "userid:anna").await["Orders"].as_array().map(Vec::len), Some(1));
}

async fn who_only_logged_in_goes_on_their_day(world: World) {
    let shop = open_shop(&world, 1).await;
    let browser = start_visit(&world, &shop).await;
    send_accepted_events(&world, &shop, &browser, &[log_in_event("anna")]).await;
    let export = export_person(&world, &shop, "userid:anna").await;
    assert_eq!(export["LogIns"], json!([{"At": world.clock.now()}]));
    for (days, subjects) in [(394, 1), (1, 0)] {
        world.clock.advance(Duration::from_secs(days * 24 * 3600));
        retention::end(world.node()).await.expect("it goes");
        assert_eq!(world.subjects(&shop).await, subjects, "{days}");
    }
    send_accepted_events(&world, &shop, &browser, &[view_event("p1")]).await;
    assert_eq!(describe_events(&world, &shop, &format!("visitor:{browser}")).await, "p1");
}

async fn a_log_in_is_readable_nowhere_on_the_disk(mut world: World) {
    let shop = open_shop(&world, 1).await;
    let browser = start_visit(&world, &shop).await;
    send_accepted_events(
        &world,
        &shop,
        &browser,
        &[view_event("p1"), log_in_event("u-canary-4711"), view_event("p1"), order("order-canary-77")],
    )
    .await;
    let canaries = [browser.as_str(), "u-canary-4711", "canary.test", "Canaria", "order-canary-77"];
    assert_nothing(&world, &canaries).await;
    world.restart().await;
    assert_nothing(&world, &canaries).await;
}
