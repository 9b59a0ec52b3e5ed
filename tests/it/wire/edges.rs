//! The edges of every operation of a shop, as a table: asked again, with nothing there, two at once, refused, and with
//! a store that fails and is mended.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::feed_server::Answer;
use crate::support::openapi;
use crate::support::tables::rename_tables;
use crate::support::world::{Reply, Shop, World, on_sqlite};

/// Lists of rules and campaigns change once a second.
const PAUSE: Duration = Duration::from_secs(2);

/// A token or id that stands for nothing.
const NONE: &str = "00000000-0000-0000-0000-000000000000";

/// An operation and the statuses with which it ends.
struct Row {
    path: &'static str,
    asked: Value,
    /// In a shop that has something of everything.
    filled: u16,
    /// The same once more.
    again: u16,
    /// In a shop that has nothing.
    empty: u16,
}

impl Row {
    const fn new(path: &'static str, asked: Value, [filled, again, empty]: [u16; 3]) -> Self {
        Self { path, asked, filled, again, empty }
    }
}

/// Names of what a shop holds, for the requests.
struct Held {
    delta: String,
    feed: String,
    /// A feed that was checked, and waits for a decision.
    checked: String,
    erasure: String,
}

/// Operations without a row, and where their edges are tested instead.
const OTHERS: [(&str, &str); 16] = [
    ("/", "wire::root_page"),
    ("/api/plugin/add-store", "wire::plugin"),
    ("/api/plugin/dashboard", "wire::plugin"),
    ("/api/plugin/delete", "wire::plugin"),
    ("/api/plugin/feedback", "wire::plugin"),
    ("/api/plugin/signuprequest", "wire::plugin"),
    ("/api/plugin/signupstatus", "wire::plugin"),
    ("/api/plugin/validate-account", "wire::plugin"),
    ("/api/next-steps/complete", "wire::plugin"),
    ("/api/track", "people::page_tracking"),
    ("/feed-append", "feeds::uploads"),
    ("/feed-close", "feeds::uploads"),
    ("/feed-create", "feeds::uploads"),
    ("/health", "wire::monitoring"),
    ("/metrics", "wire::monitoring"),
    ("/ready", "wire::monitoring"),
];

/// Operations that need an access key alone.
const WITHOUT_SECRET: [&str; 2] = ["/api/productdeltastatus", "/api/productfeedstatus"];

fn rows(held: &Held) -> Vec<Row> {
    let Held { delta, feed, checked, erasure } = held;
    let rule = json!({"Rules": [{"Id": "r", "Query": "lamp", "Pin": ["1"]}]});
    let campaign = json!({"Campaigns": [{"Id": "c", "Zone": "HP-01", "Html": "<p>oak</p>"}]});
    let person = json!({"Identifier": "ada"});
    let order =
        json!({"Name": "order", "Order": "77", "UserId": "bea", "Items": [{"Product": "1", "Quantity": 1}]});
    vec![
        Row::new("/api/account", json!({}), [200, 200, 200]),
        Row::new("/api/autocomplete", json!({"Query": "la"}), [200, 200, 200]),
        Row::new("/api/catalogue", json!({}), [200, 200, 200]),
        Row::new("/api/delta", json!({"DeleteProducts": ["9"]}), [200, 200, 200]),
        Row::new("/api/deltas", json!({}), [200, 200, 200]),
        Row::new("/api/deltastatus", json!({"Tokens": [delta, NONE]}), [200, 200, 200]),
        Row::new("/api/erasure", json!({"Erasure": erasure}), [200, 200, 404]),
        Row::new("/api/erasure/certificate", json!({"Erasure": erasure}), [200, 200, 404]),
        Row::new("/api/erasures", json!({}), [200, 200, 200]),
        Row::new("/api/erasures/count", json!({}), [200, 200, 200]),
        Row::new("/api/events", json!({"Events": [order]}), [200, 200, 200]),
        Row::new("/api/feed/difference", json!({"Token": checked}), [200, 200, 404]),
        Row::new("/api/feed/cancel", json!({"Token": feed}), [200, 200, 404]),
        Row::new("/api/feed/publish", json!({"Token": checked}), [200, 200, 404]),
        Row::new("/api/issues", json!({"Token": feed}), [200, 200, 404]),
        Row::new("/api/product", json!({"Id": "1"}), [200, 200, 404]),
        Row::new("/api/product/why", json!({"Id": "1"}), [200, 200, 404]),
        Row::new("/api/productdelta", json!({"DeleteProducts": ["9"]}), [200, 200, 200]),
        Row::new("/api/productdeltastatus", json!({"Tokens": [delta]}), [200, 200, 200]),
        Row::new("/api/productfeed", json!({"url": "https://shop.example/feed"}), [200, 200, 200]),
        Row::new("/api/productfeedstatus", json!({"Tokens": [feed]}), [200, 200, 200]),
        Row::new("/api/quality", json!({}), [200, 200, 200]),
        Row::new("/api/recommend", json!({"Recommender": "new_arrivals"}), [200, 200, 200]),
        Row::new("/api/refused", json!({}), [200, 200, 200]),
        Row::new("/api/report", json!({"Report": "days"}), [200, 200, 200]),
        Row::new("/api/rules", json!({}), [200, 200, 200]),
        Row::new("/api/rules/history", json!({}), [200, 200, 200]),
        Row::new("/api/rules/preview", json!({"Query": "lamp", "Rules": []}), [200, 200, 200]),
        Row::new("/api/rules/set", rule, [200, 200, 200]),
        Row::new("/api/rules/undo", json!({}), [200, 200, 200]),
        Row::new("/api/search", json!({"Query": "lamp"}), [200, 200, 200]),
        Row::new("/api/search/why", json!({"Query": "lamp", "Id": "1"}), [200, 200, 200]),
        Row::new("/api/serverside", json!({"zones": []}), [200, 200, 200]),
        Row::new("/api/similar", json!({"Id": "1"}), [200, 200, 404]),
        Row::new("/api/snapshots", json!({}), [200, 200, 200]),
        Row::new("/api/snapshots/back", json!({"Number": 999}), [404, 404, 404]),
        Row::new("/api/snapshots/compare", json!({"From": 998, "To": 999}), [404, 404, 404]),
        Row::new("/api/submission/events", json!({"Token": delta}), [200, 200, 404]),
        Row::new("/api/submissions", json!({}), [200, 200, 200]),
        Row::new("/api/user/export", person.clone(), [200, 200, 200]),
        Row::new("/api/user/held", person.clone(), [200, 200, 200]),
        Row::new("/api/user/scan", person.clone(), [200, 200, 200]),
        Row::new("/api/user/forget", person.clone(), [200, 200, 200]),
        Row::new("/api/user/suppression", person.clone(), [200, 200, 200]),
        Row::new("/api/user/return", person, [409, 409, 409]),
        Row::new("/api/webhook/set", json!({"Url": "https://hooks.example/lethe"}), [200, 200, 200]),
        Row::new("/api/webhook", json!({}), [200, 200, 200]),
        Row::new("/api/webhook/rotate", json!({}), [200, 200, 200]),
        Row::new("/api/webhook/test", json!({}), [200, 200, 200]),
        Row::new("/api/webhook/remove", json!({}), [200, 404, 200]),
        Row::new("/api/zones", json!({}), [200, 200, 200]),
        Row::new("/api/zones/history", json!({}), [200, 200, 200]),
        Row::new("/api/zones/preview", json!({"Zone": "HP-01"}), [200, 200, 200]),
        Row::new("/api/zones/set", campaign, [200, 200, 200]),
        Row::new("/api/zones/undo", json!({}), [200, 200, 200]),
    ]
}

/// Fills a shop: products, people, a checked feed, an erasure, rules and campaigns.
async fn fill(world: &World, shop: &Shop) -> Held {
    let product = |id: usize| {
        let price = format!("{id}.00 GBP");
        json!({"Id": id.to_string(), "Title": format!("lamp {id}"), "Prices": [price]})
    };
    let products: Vec<_> = (1..=9).map(product).collect();
    let users = json!([{"UserId": "ada", "Email": "ada@shop.example"}, {"UserId": "bea"}, {"UserId": "cy"}]);
    let body = json!({"Products": products, "Users": users}).to_string();
    let url = world.feeds.serve("/edges", [Answer::ok(body.clone())]);
    let feed = world.feed(shop, &url).await;
    world.run_all_jobs().await;
    let delta = world.delta(shop, json!({"Products": [product(1)]})).await;
    let again = world.feeds.serve("/edges-checked", [Answer::ok(body)]);
    let checked = world.ask(shop, "/api/productfeed", json!({"url": again, "DryRun": true})).await;
    let erased = world.ask(shop, "/api/user/forget", json!({"Identifier": "cy"})).await;
    world.run_all_jobs().await;
    for version in 1..=3 {
        world.clock.advance(PAUSE);
        let rules = json!({"Rules": [{"Id": format!("r{version}"), "Query": "lamp", "Pin": ["2"]}]});
        world.ask_json(shop, "/api/rules/set", rules).await;
        let campaigns =
            json!({"Campaigns": [{"Id": format!("c{version}"), "Zone": "HP-01", "Html": "<p>oak</p>"}]});
        world.ask_json(shop, "/api/zones/set", campaigns).await;
    }
    Held {
        delta,
        feed,
        checked: checked.header("x-feed-token").to_owned(),
        erasure: erased.header("x-erasure-id").to_owned(),
    }
}

#[test]
fn every_operation_has_a_row_of_edges_or_says_where_they_are_tested() {
    let held =
        Held { delta: String::new(), feed: String::new(), checked: String::new(), erasure: String::new() };
    let rows = rows(&held);
    let told: BTreeSet<_> = rows.iter().map(|row| row.path).chain(OTHERS.map(|(path, _)| path)).collect();
    let known: BTreeSet<_> = openapi::list_operations().map(|(_, path, _)| path).collect();
    assert_eq!(told, known);
    assert_eq!(told.len(), rows.len() + OTHERS.len(), "an operation stands there twice");
}

/// Asks what a row asks, a while after the request before.
async fn ask(world: &World, shop: &Shop, row: &Row) -> Reply {
    world.clock.advance(PAUSE);
    world.ask(shop, row.path, row.asked.clone()).await
}

/// Notes an answer that is none of those that are expected.
fn note_other(others: &mut Vec<String>, row: &Row, reply: &Reply, expected: &[u16]) {
    if !expected.contains(&reply.status) {
        let text: String = reply.text.chars().take(200).collect();
        others.push(format!("{}: {} and none of {expected:?}: {text}", row.path, reply.status));
    }
}

#[test]
fn every_operation_ends_as_its_row_says_again_and_where_nothing_is() {
    on_sqlite(async |world| {
        let filled = world.shop("filled").await;
        let held = fill(&world, &filled).await;
        let empty = world.shop("empty").await;
        let mut others = Vec::new();
        for row in rows(&held) {
            for (shop, expected) in [(&filled, row.filled), (&filled, row.again), (&empty, row.empty)] {
                note_other(&mut others, &row, &ask(&world, shop, &row).await, &[expected]);
            }
        }
        assert_eq!(others, [""; 0], "in a full shop, again, in an empty one");
    });
}

#[test]
fn every_operation_answers_two_who_ask_at_once() {
    on_sqlite(async |world| {
        let shop = world.shop("one").await;
        let mut others = Vec::new();
        for row in rows(&fill(&world, &shop).await) {
            let (one, other) = tokio::join!(ask(&world, &shop, &row), ask(&world, &shop, &row));
            for reply in [one, other] {
                note_other(&mut others, &row, &reply, &[row.filled, row.again, 409, 429]);
            }
        }
        assert_eq!(others, [""; 0]);
    });
}

#[test]
fn every_operation_refuses_a_wrong_secret() {
    on_sqlite(async |world| {
        let shop = world.shop("one").await;
        let held = fill(&world, &shop).await;
        let other = world.shop("other").await;
        let thief = Shop { secret: other.secret, ..shop };
        let mut others = Vec::new();
        for row in rows(&held) {
            let expected = if WITHOUT_SECRET.contains(&row.path) { row.filled } else { 403 };
            note_other(&mut others, &row, &ask(&world, &thief, &row).await, &[expected]);
        }
        assert_eq!(others, [""; 0]);
    });
}

#[test]
fn every_operation_says_that_the_store_fails_and_goes_on_when_it_is_mended() {
    on_sqlite(async |world| {
        let shop = world.shop("one").await;
        let rows = rows(&fill(&world, &shop).await);
        let mut others = Vec::new();
        rename_tables(&world, ("", "_away"), |_| true);
        for row in &rows {
            note_other(&mut others, row, &ask(&world, &shop, row).await, &[500, 503]);
        }
        rename_tables(&world, ("_away", ""), |_| true);
        for row in rows {
            note_other(&mut others, &row, &ask(&world, &shop, &row).await, &[row.filled, row.again]);
        }
        assert_eq!(others, [""; 0]);
    });
}
