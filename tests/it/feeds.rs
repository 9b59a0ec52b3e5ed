//! A feed by URL: fetched, checked, published whole or not at all.

use serde_json::json;

use crate::world::{World, on_both_engines};

on_both_engines! { a_feed_is_processing_then_complete_and_shown }

async fn a_feed_is_processing_then_complete_and_shown(world: World) {
    let shop = world.shop("one").await;
    world.complete(&shop, "/f", &json!({"Products": [{"Id": 1, "Title": "A"}]})).await;
    assert_eq!(world.title(&shop, "1").await, "A");
}
