//! Usual titles of zones, which claim no more than their products bear out, and the order of their products.

use serde_json::{Value, json};

use crate::support::events::{open_shop, post_events};
use crate::support::world::{World, on_both_engines};
use crate::support::zones::{await_zones, set_campaigns};

on_both_engines! {
    a_title_claims_nothing_that_nobody_did
    a_title_about_others_stands_over_products_that_others_viewed
    products_in_stock_come_first_in_a_zone
}

const CLAIMS: [&str; 5] = [
    "Others also looked at",
    "Often bought together",
    "Others also bought",
    "Popular right now",
    "Best sellers",
];

fn ids(zone: &Value) -> Vec<&str> {
    let items = zone["items"].as_array().into_iter().flatten();
    items.map(|item| item["Id"].as_str().expect("an id")).collect()
}

/// A zone of the page of a product; nobody looks at it.
fn of_product(zone: &str, product: &str) -> Value {
    json!({"id": zone, "data": {"product_id": product, "page_type": "product_page"}})
}

fn titles(zones: &Value) -> Vec<&str> {
    let zones = zones.as_object().into_iter().flatten();
    zones.map(|(_, zone)| zone["title"].as_str().expect("a title")).collect()
}

async fn a_title_claims_nothing_that_nobody_did(world: World) {
    let shop = open_shop(&world, 60).await;
    let of_page = ["PP-01", "PP-02", "PP-03"].map(|zone| of_product(zone, "p1"));
    let product = json!({ "zones": of_page });
    let home = json!({"zones": ["HP-01", "HP-02", "HP-03", "HP-04"]});
    for page in [product, home] {
        let zones = await_zones(&world, &shop, page).await;
        let mut named = titles(&zones);
        assert!(named.len() >= 3 && !named.iter().any(|title| CLAIMS.contains(title)), "{named:?}");
        let count = named.len();
        named.sort_unstable();
        named.dedup();
        assert_eq!(named.len(), count, "two zones of a page have one title: {named:?}");
    }
    // The shop's own title is the shop's to answer for.
    let own = json!([{"Id": "own", "Zone": "HP-02", "Title": "Loved", "ProductsShown": {"Recommender": "trending"}}]);
    set_campaigns(&world, &shop, own).await;
    let zones = await_zones(&world, &shop, json!({"zones": ["HP-02"]})).await;
    assert_eq!((&zones["HP-02"]["title"], ids(&zones["HP-02"]).len()), (&json!("Loved"), 12));
    world.control("/control/account/search", json!({"Name": "one", "Language": "de"})).await;
    let zones = await_zones(&world, &shop, json!({"zones": ["HP-02", "HP-03"]})).await;
    assert_eq!(zones["HP-03"]["title"], "Neu bei uns");
}

async fn a_title_about_others_stands_over_products_that_others_viewed(world: World) {
    let shop = open_shop(&world, 30).await;
    let viewed = ["p7", "p8", "p9", "p10", "p11"];
    let views = (0..10).flat_map(|number| viewed.map(|id| (number, id)));
    let event = |(number, id): (usize, &str)| json!({"Name": "product_view", "Product": id, "UserId": format!("a{number}")});
    post_events(&world, &shop, &views.map(event).collect::<Vec<_>>()).await;
    let page = json!({"zones": [of_product("PP-01", "p7")]});
    let mut zone = Value::Null;
    // The model has it within a second.
    for _ in 0..100 {
        zone = await_zones(&world, &shop, page.clone()).await["PP-01"].clone();
        if zone["title"] == CLAIMS[0] {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(zone["title"], CLAIMS[0], "{zone}");
    let mut shown = ids(&zone);
    shown.sort_unstable();
    assert_eq!(shown, ["p10", "p11", "p8", "p9"], "no other product fills the row");
}

async fn products_in_stock_come_first_in_a_zone(world: World) {
    let shop = world.shop("one").await;
    let product = |number: usize| {
        json!({"Id": format!("p{number}"), "Sku": format!("no-{number}"), "Title": format!("Thing {number}"),
            "Prices": ["5.00 GBP"], "InStock": number.is_multiple_of(2)})
    };
    world.complete_feed(&shop, "/shop", &json!({"Products": (1..=8).map(product).collect::<Vec<_>>()})).await;
    let shown = |zone: &Value| -> Vec<bool> {
        let items = zone["items"].as_array().into_iter().flatten();
        items.map(|item| item["InStock"].as_bool().expect("a bool")).collect()
    };
    let zones = await_zones(&world, &shop, json!({"zones": ["HP-04"]})).await;
    assert_eq!(shown(&zones["HP-04"]), [true, true, true, true, false, false, false, false]);
    // A history stays as it was.
    let viewed = json!({"viewed": ["p2", "p3", "p4", "p5", "p6"], "zones": ["PP-04"]});
    let zones = await_zones(&world, &shop, viewed).await;
    assert_eq!(ids(&zones["PP-04"]), ["p6", "p5", "p4", "p3", "p2"]);
}
