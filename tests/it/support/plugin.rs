//! Calls of a shop's plugin from its server, and the events of a person.

use serde_json::{Value, json};

use crate::support::world::{Shop, World};

/// A call of a plugin from the shop's server: gives the answer.
pub async fn send_events(world: &World, shop: &Shop, visitor: &str, events: Value) -> Value {
    let page = json!({"events": events, "zones": [{"id": "HP-01"}], "visitorId": visitor, "sessionId": "",
        "referer": "", "currentUrl": "https://canary.test/page", "userAgent": "canary-agent", "ip": "198.51.100.77"});
    world.ask_json(shop, "/api/serverside", page).await
}

/// A returning visitor: returns their number.
pub async fn start_visit(world: &World, shop: &Shop) -> String {
    let first = send_events(world, shop, "", json!([{"name": "page_view", "data": []}])).await;
    first["visitorId"].as_str().expect("a number").to_owned()
}

pub fn view_event(product: &str) -> Value {
    json!({"name": "product_view", "data": {"id": product}})
}

pub async fn export_person(world: &World, shop: &Shop, identifier: &str) -> Value {
    world.ask_json(shop, "/api/user/export", json!({"Identifier": identifier})).await
}

/// The products of a person's events, in order, a basket as its list.
pub async fn list_event_products(world: &World, shop: &Shop, identifier: &str) -> Vec<Value> {
    let export = export_person(world, shop, identifier).await;
    let events = export["Events"].as_array().cloned().unwrap_or_default();
    let products =
        |event: &Value| event.get("Product").or_else(|| event.get("Products")).cloned().unwrap_or_default();
    events.iter().map(products).collect()
}
