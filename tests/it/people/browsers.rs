//! Browsers with a user who is, or was, logged in: nothing is passed on from one person to another, and a browser is
//! forgotten by itself.

use std::time::Duration;

use lethe::args;
use lethe::limits;
use lethe::store::{Owner, Statement, StoreFault};
use lethe::work::retention;
use serde_json::{Value, json};

use crate::support::backups::{back_up, stop_and_restore};
use crate::support::events::{count_events, open_shop, post_events};
use crate::support::log_ins::{describe_events, log_in_event, log_out_event, send_accepted_events};
use crate::support::plugin::{start_visit, view_event};
use crate::support::world::{World, on_both_engines, statement};

on_both_engines! {
    what_is_told_late_is_nobodys_who_is_logged_in_now
    who_logs_in_everywhere_is_logged_in_in_some_browsers
    behind_a_restore_nobody_is_logged_in
    of_hundreds_who_are_forgotten_together_every_browser_is_shut
    a_browser_that_is_shut_until_a_log_out_is_forgotten_by_itself
    what_is_told_late_of_a_log_in_is_nobodys
    a_log_in_without_a_log_out_ends_by_itself
    who_is_said_to_be_logged_in_again_was_it_all_the_time
    who_was_logged_in_before_log_ins_were_noted_stays_logged_in
}

/// Statements that leave the store as an earlier version did.
const NO_TIMES: [Statement; 2] = [
    statement("no_times", "DELETE FROM browser_past"),
    statement("noted_now", "UPDATE node SET browsers_since = 1795262400000"),
];

/// A shop with prices of groups names the logged-in user with each page.
async fn who_is_said_to_be_logged_in_again_was_it_all_the_time(world: World) {
    let shop = open_shop(&world, 4).await;
    world.forget(&shop, "userid:ada").await;
    world.run_all_jobs().await;
    let hour = Duration::from_secs(3600);
    for user in ["anna", "ada"] {
        let browser = start_visit(&world, &shop).await;
        world.clock.advance(hour);
        send_accepted_events(&world, &shop, &browser, &[log_in_event(user)]).await;
        world.clock.advance(hour);
        send_accepted_events(&world, &shop, &browser, &[log_in_event(user)]).await;
        world.clock.advance(hour);
        let now = world.clock.now();
        let event = |product: &str, ago: i64| json!({"Name": "product_view", "Product": product, "VisitorId": browser, "At": now - ago});
        // Between the two pages, and after the second.
        post_events(&world, &shop, &[event("p1", 5_400_000), event("p2", 1_800_000)]).await;
        let (own, visitor) = if user == "ada" { ("", "") } else { ("p1 p2", "") };
        assert_eq!(describe_events(&world, &shop, &format!("userid:{user}")).await, own, "{user}");
        assert_eq!(describe_events(&world, &shop, &format!("visitor:{browser}")).await, visitor, "{user}");
    }
}

async fn who_was_logged_in_before_log_ins_were_noted_stays_logged_in(world: World) {
    let shop = open_shop(&world, 4).await;
    world.forget(&shop, "userid:ada").await;
    world.run_all_jobs().await;
    let [annas, adas] = [start_visit(&world, &shop).await, start_visit(&world, &shop).await];
    send_accepted_events(&world, &shop, &annas, &[log_in_event("anna")]).await;
    send_accepted_events(&world, &shop, &adas, &[log_in_event("ada")]).await;
    for statement in &NO_TIMES {
        let done = world.node().store.write(Owner::STORE, move |tx| tx.exec(statement, args![])).await;
        done.map_err(|fault: StoreFault| fault).expect("as an earlier version left it");
    }
    // It lasts as long as any log-in; later events there are a visitor's.
    for (days, own, visitors) in [(0, "p1", ""), (29, "p1 p1", ""), (2, "p1 p1", "p1")] {
        world.clock.advance(Duration::from_secs(days * 24 * 3600));
        for browser in [&annas, &adas] {
            send_accepted_events(&world, &shop, browser, &[view_event("p1")]).await;
            assert_eq!(
                describe_events(&world, &shop, &format!("visitor:{browser}")).await,
                visitors,
                "{days}"
            );
        }
        assert_eq!(describe_events(&world, &shop, "userid:anna").await, own, "{days}");
    }
}

async fn what_is_told_late_is_nobodys_who_is_logged_in_now(world: World) {
    let shop = open_shop(&world, 4).await;
    let browser = start_visit(&world, &shop).await;
    send_accepted_events(&world, &shop, &browser, &[log_in_event("anna"), view_event("p1"), log_out_event()])
        .await;
    world.clock.advance(Duration::from_secs(3600));
    send_accepted_events(&world, &shop, &browser, &[log_in_event("berta")]).await;
    let now = world.clock.now();
    let event = |product: &str, ago: i64| json!({"Name": "product_view", "Product": product, "VisitorId": browser, "At": now - ago});
    post_events(&world, &shop, &[event("p2", 3_500_000), event("p3", 61_000), event("p4", 30_000)]).await;
    assert_eq!(describe_events(&world, &shop, "userid:berta").await, "p4");
    assert_eq!(describe_events(&world, &shop, &format!("visitor:{browser}")).await, "p2 p3");
    assert_eq!(describe_events(&world, &shop, "userid:anna").await, "p1");
}

/// A plugin with a queue sends the events of a log-in when it is over.
async fn what_is_told_late_of_a_log_in_is_nobodys(world: World) {
    let shop = open_shop(&world, 4).await;
    world.forget(&shop, "userid:ada").await;
    world.run_all_jobs().await;
    for user in ["ada", "anna"] {
        let browser = start_visit(&world, &shop).await;
        let own = format!("visitor:{browser}");
        let hour = Duration::from_secs(3600);
        world.clock.advance(hour);
        send_accepted_events(&world, &shop, &browser, &[log_in_event(user)]).await;
        world.clock.advance(hour);
        let now = world.clock.now();
        let event = |product: &str, ago: i64| json!({"Name": "product_view", "Product": product, "VisitorId": browser, "At": now - ago});
        // The log-in lasts: the first event comes before it, and the second in it.
        post_events(&world, &shop, &[event("p1", 3_700_000), event("p2", 1_000_000)]).await;
        send_accepted_events(&world, &shop, &browser, &[log_out_event()]).await;
        world.clock.advance(hour);
        let now = world.clock.now();
        let event = |product: &str, ago: i64| json!({"Name": "product_view", "Product": product, "VisitorId": browser, "At": now - ago});
        // Events from before, during, and after it.
        post_events(&world, &shop, &[event("p3", 7_300_000), event("p2", 4_000_000), event("p4", 3_000_000)])
            .await;
        assert_eq!(describe_events(&world, &shop, &own).await, "p1 p3 p4", "{user}");
    }
    assert_eq!(describe_events(&world, &shop, "userid:anna").await, "p2");
}

async fn a_log_in_without_a_log_out_ends_by_itself(world: World) {
    let shop = open_shop(&world, 4).await;
    world.forget(&shop, "userid:ada").await;
    world.run_all_jobs().await;
    let mut browsers = Vec::new();
    for user in ["ada", "anna"] {
        let browser = start_visit(&world, &shop).await;
        send_accepted_events(&world, &shop, &browser, &[log_in_event(user)]).await;
        browsers.push(browser);
    }
    // A day later the data of visitors, which are kept for 30 days, are gone too.
    for (days, expected) in [(29, ""), (2, "p1"), (1, "p1 p1"), (40, "p1")] {
        world.clock.advance(Duration::from_secs(days * 24 * 3600));
        retention::end(world.node()).await.expect("it goes");
        for browser in &browsers {
            send_accepted_events(&world, &shop, browser, &[view_event("p1")]).await;
            assert_eq!(
                describe_events(&world, &shop, &format!("visitor:{browser}")).await,
                expected,
                "{days}"
            );
        }
    }
    assert_eq!(describe_events(&world, &shop, "userid:anna").await, "p1");
}

async fn who_logs_in_everywhere_is_logged_in_in_some_browsers(world: World) {
    let shop = open_shop(&world, 1).await;
    let most = limits::LOGGED_IN_BROWSERS as usize;
    for _ in 0..most + 20 {
        send_accepted_events(&world, &shop, "", &[log_in_event("anna")]).await;
    }
    let browser = start_visit(&world, &shop).await;
    send_accepted_events(&world, &shop, &browser, &[log_in_event("anna"), view_event("p1")]).await;
    let export = world.ask_json(&shop, "/api/user/export", json!({"Identifier": "userid:anna"})).await;
    let identifiers = export["Identifiers"].as_array().expect("a list");
    let browsers: Vec<_> = identifiers.iter().filter(|one| one["Kind"] == "VisitorId").collect();
    assert_eq!(browsers.len(), most);
    assert!(browsers.iter().any(|one| one["Value"] == browser.as_str()), "the newest is among them");
    assert_eq!(describe_events(&world, &shop, "userid:anna").await, "p1");
    world.forget(&shop, "userid:anna").await;
    world.run_all_jobs().await;
    send_accepted_events(&world, &shop, &browser, &[view_event("p1")]).await;
    assert_eq!((count_events(&world).await, world.subjects(&shop).await), (0, 0));
}

async fn behind_a_restore_nobody_is_logged_in(mut world: World) {
    let shop = open_shop(&world, 2).await;
    let browser = start_visit(&world, &shop).await;
    send_accepted_events(&world, &shop, &browser, &[log_in_event("anna"), view_event("p1")]).await;
    let backup = back_up(&world, "backup").await;
    send_accepted_events(&world, &shop, &browser, &[log_out_event()]).await;
    stop_and_restore(&mut world, &backup, "data-2").await;
    send_accepted_events(&world, &shop, &browser, &[view_event("p2")]).await;
    assert_eq!(describe_events(&world, &shop, "userid:anna").await, "p1");
    assert_eq!(describe_events(&world, &shop, &format!("visitor:{browser}")).await, "p2");
}

/// An address that stands in hundreds of profiles: more than a request opens.
async fn of_hundreds_who_are_forgotten_together_every_browser_is_shut(world: World) {
    let shop = open_shop(&world, 2).await;
    let people = limits::FORGET_OPENED + 20;
    let user = |n: usize| json!({"UserId": format!("u{n}"), "Email": "office@canary.test"});
    world.apply_delta(&shop, json!({"Users": (0..people).map(user).collect::<Vec<Value>>()})).await;
    let mut browsers = Vec::new();
    for n in 0..people {
        let browser = start_visit(&world, &shop).await;
        let known = json!({"name": "customer_details", "data": {"userid": format!("u{n}")}});
        send_accepted_events(&world, &shop, &browser, &[known]).await;
        browsers.push(browser);
    }
    world.forget(&shop, "office@canary.test").await;
    world.run_all_jobs().await;
    for browser in &browsers {
        send_accepted_events(&world, &shop, browser, &[view_event("p1")]).await;
    }
    assert_eq!((count_events(&world).await, world.subjects(&shop).await), (0, 0));
}

async fn a_browser_that_is_shut_until_a_log_out_is_forgotten_by_itself(world: World) {
    let shop = open_shop(&world, 2).await;
    let browser = start_visit(&world, &shop).await;
    send_accepted_events(&world, &shop, &browser, &[log_in_event("anna")]).await;
    let person = world.ask(&shop, "/api/user/forget", json!({"Identifier": "userid:anna"})).await;
    world.run_all_jobs().await;
    let own = json!({"Identifier": format!("visitor:{browser}")});
    let suppression = world.ask_json(&shop, "/api/user/suppression", own.clone()).await;
    assert_eq!(suppression["Suppressed"], false, "the number itself was not forgotten");
    assert_eq!(world.ask_json(&shop, "/api/user/return", own.clone()).await["Returned"], false);
    let browsers = world.ask(&shop, "/api/user/forget", own.clone()).await;
    assert_ne!(person.header("x-erasure-id"), browsers.header("x-erasure-id"), "an erasure of its own");
    world.run_all_jobs().await;
    send_accepted_events(&world, &shop, &browser, &[log_out_event(), view_event("p1")]).await;
    assert_eq!(count_events(&world).await, 0, "a log-out does not open it");
    assert_eq!(world.ask_json(&shop, "/api/user/return", own).await["Returned"], true);
    send_accepted_events(&world, &shop, &browser, &[view_event("p1")]).await;
    assert_eq!(count_events(&world).await, 1);
}
