//! Zones of a page, and the campaigns in them.

use lethe::limits;
use serde_json::{Value, json};

use crate::support::world::{Shop, World};

pub const LEFT_OUT: &str = "the zones were left out: the shop's products are not ready, or busy";

/// A call of the shop's server for the zones of a page.
pub async fn await_zones(world: &World, shop: &Shop, mut asked: Value) -> Value {
    asked["currentUrl"] = "https://canary.test/page".into();
    loop {
        let answer = world.ask_json(shop, "/api/serverside", asked.clone()).await;
        match answer["errors"][0].as_str() {
            None => return answer["zones"].clone(),
            // The index of a new shop is being made.
            Some(LEFT_OUT) => {}
            Some(other) => panic!("{other}"),
        }
    }
}

/// Sets campaigns; the clock goes on, as they change once in a while.
pub async fn set_campaigns(world: &World, shop: &Shop, campaigns: Value) -> Value {
    world.clock.advance(limits::SEARCH_RULES_DURATION);
    world.ask_json(shop, "/api/zones/set", json!({ "Campaigns": campaigns })).await
}
