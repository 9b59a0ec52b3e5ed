//! Every operation of a shop with a request, in a shop that has something of everything.

use std::time::Duration;

use serde_json::{Value, json};

use super::feed_server::Answer;
use super::world::{Reply, Shop, World};

/// Lists of rules and campaigns change once a second.
pub const PAUSE: Duration = Duration::from_secs(2);

/// A token or id that stands for nothing.
const NONE: &str = "00000000-0000-0000-0000-000000000000";

/// An operation and the statuses with which it ends.
pub struct Row {
    pub path: &'static str,
    pub asked: Value,
    /// In a shop that has something of everything.
    pub filled: u16,
    /// The same once more.
    pub again: u16,
    /// In a shop that has nothing.
    pub empty: u16,
}

impl Row {
    const fn new(path: &'static str, asked: Value, [filled, again, empty]: [u16; 3]) -> Self {
        Self { path, asked, filled, again, empty }
    }
}

/// Names of what a shop holds, for the requests.
#[derive(Default)]
pub struct Held {
    delta: String,
    feed: String,
    /// A feed that was checked, and waits for a decision.
    checked: String,
    erasure: String,
}

/// A row for each operation that needs nothing but a request, in the order in which they are asked.
pub fn list_rows(held: &Held) -> Vec<Row> {
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
        Row::new(
            "/api/erasure/reference",
            json!({"Erasure": erasure, "Reference": "DSR-1"}),
            [200, 200, 404],
        ),
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
pub async fn fill(world: &World, shop: &Shop) -> Held {
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
    set_lists(world, shop).await;
    Held {
        delta,
        feed,
        checked: checked.header("x-feed-token").to_owned(),
        erasure: erased.header("x-erasure-id").to_owned(),
    }
}

/// Sets three versions of rules and of campaigns.
pub async fn set_lists(world: &World, shop: &Shop) {
    for version in 1..=3 {
        world.clock.advance(PAUSE);
        let rules = json!({"Rules": [{"Id": format!("r{version}"), "Query": "lamp", "Pin": ["2"]}]});
        world.ask_json(shop, "/api/rules/set", rules).await;
        let campaigns =
            json!({"Campaigns": [{"Id": format!("c{version}"), "Zone": "HP-01", "Html": "<p>oak</p>"}]});
        world.ask_json(shop, "/api/zones/set", campaigns).await;
    }
}

/// Asks what a row asks, a while after the request before.
pub async fn ask(world: &World, shop: &Shop, row: &Row) -> Reply {
    world.clock.advance(PAUSE);
    world.ask(shop, row.path, row.asked.clone()).await
}
