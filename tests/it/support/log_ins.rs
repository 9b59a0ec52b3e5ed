//! Log-ins and log-outs of a browser, and the events sent with them.

use serde_json::{Value, json};

use crate::support::plugin::{list_event_products, send_events};
use crate::support::world::{Shop, World};

pub fn log_in_event(user: &str) -> Value {
    json!({"name": "customer_details", "data": {"userid": user, "email": format!("{user}@canary.test"), "firstname": "Canaria"}})
}

pub fn log_out_event() -> Value {
    json!({"name": "customer_logout", "data": []})
}

/// Sends events of a browser; none may be left out.
pub async fn send_accepted_events(world: &World, shop: &Shop, browser: &str, events: &[Value]) -> String {
    let answer = send_events(world, shop, browser, json!(events)).await;
    assert!(answer.get("errors").is_none(), "{answer}");
    answer["sessionId"].as_str().expect("a session").to_owned()
}

/// The products of a person's events.
pub async fn describe_events(world: &World, shop: &Shop, identifier: &str) -> String {
    let products = list_event_products(world, shop, identifier).await;
    products.iter().map(|product| product.as_str().unwrap_or("basket")).collect::<Vec<_>>().join(" ")
}
