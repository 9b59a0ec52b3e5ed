//! Shops with products, and their events over `/api/events`.

use lethe::args;
use lethe::store::{Statement, StoreFault};
use serde_json::{Value, json};

use crate::support::world::{Shop, World, statement};

/// A shop that shows products `p1`, `p2`, …, `p1` with an article number and a variant.
pub async fn open_shop(world: &World, products: usize) -> Shop {
    let shop = world.shop("one").await;
    let product = |n: usize| {
        json!({"Id": format!("p{n}"), "Sku": format!("no-{n}"), "Title": format!("Thing {n}"),
        "AssociatedIds": [format!("v{n}")], "Prices": ["5.00 GBP"]})
    };
    let products: Vec<_> = (1..=products).map(product).collect();
    world.complete_feed(&shop, "/shop", &json!({"Products": products})).await;
    shop
}

/// Sends events; gives what became of each.
pub async fn post_events(world: &World, shop: &Shop, events: &[Value]) -> Vec<Value> {
    let answer = world.ask_json(shop, "/api/events", json!({"Events": events})).await;
    answer["Events"].as_array().expect("a list").clone()
}

/// A shopper looks at a product: returns the session.
pub async fn post_view(world: &World, shop: &Shop, who: Value, product: &str) -> String {
    let mut event = who;
    event["Name"] = "product_view".into();
    event["Product"] = product.into();
    let taken = post_events(world, shop, &[event]).await;
    taken[0]["SessionId"].as_str().unwrap_or_else(|| panic!("{taken:?}")).to_owned()
}

/// Number of stored events.
pub async fn count_events(world: &World) -> i64 {
    const EVENTS: Statement =
        statement("events", "SELECT count(*) AS counted FROM record WHERE kind = 'event'");
    let row = world.node().store.read(|tx| tx.row(&EVENTS, args![])).await;
    row.map_err(|fault: StoreFault| fault).expect("a row").expect("a row").int("counted").expect("a count")
}
