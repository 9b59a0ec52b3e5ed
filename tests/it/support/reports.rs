//! Reports of a shop, and the pages that count in them.

use std::collections::BTreeMap;

use lethe::api::events::impressions;
use serde_json::{Value, json};

use crate::support::world::{Shop, World};

pub async fn fetch_report(world: &World, shop: &Shop, about: &str) -> Value {
    impressions::store_all(world.node()).await;
    world.ask_json(shop, "/api/report", json!({"Report": about})).await
}

/// The rows of a report, by subject: its people, count, clicks, orders and revenue.
pub fn rows_by_subject(report: &Value) -> BTreeMap<String, [f64; 5]> {
    let rows = report["Rows"].as_array().expect("rows").iter();
    let name = |row: &Value| {
        let names = ["Zone", "Recommender", "Campaign", "Query", "Measure"];
        names.iter().filter_map(|name| row[*name].as_str()).collect::<Vec<_>>().join("/")
    };
    let counts = ["People", "Count", "Clicks", "Orders", "Revenue"];
    rows.map(|row| (name(row), counts.map(|name| row[name].as_f64().unwrap_or_default()))).collect()
}

/// Sends a call of the shop's server about a visitor; returns the answer.
pub async fn call_server(world: &World, shop: &Shop, told: Value) -> Value {
    world.ask_json(shop, "/api/serverside", told).await
}

/// The zones of a page of the shop's server, as soon as they are there.
pub async fn await_page(world: &World, shop: &Shop, visitor: &str, asked: Value) -> Value {
    loop {
        let mut asked = asked.clone();
        asked["visitorId"] = visitor.into();
        let answer = world.ask_json(shop, "/api/serverside", asked).await;
        // The index of a new shop is being made.
        if answer.get("errors").is_none() {
            // A second goes by before they do anything else.
            impressions::store_all(world.node()).await;
            return answer;
        }
    }
}
