//! Feeds in which ids come again.

use serde_json::json;

use crate::support::feed_server::Answer;
use crate::support::world::{World, on_both_engines};

on_both_engines! {
    a_feed_in_which_ids_come_again_and_again_is_held
}

async fn a_feed_in_which_ids_come_again_and_again_is_held(world: World) {
    let shop = world.shop("one").await;
    let feed = |ids: usize| {
        let product = |row: usize| json!({"Id": row % ids, "Title": "Lamp", "Prices": ["1 GBP"]});
        json!({"Products": (0..40).map(product).collect::<Vec<_>>()})
    };
    world.complete_feed(&shop, "/two", &feed(38)).await;
    let url = world.feeds.serve("/many", [Answer::ok(feed(37).to_string())]);
    let token = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    let status = world.feed_status(&shop, &token).await;
    let sentence = status[1].as_str().expect("a sentence");
    assert!(
        sentence.starts_with("3 of 40 rows of Products have an id that comes again later, and 5 % is"),
        "{status}"
    );
    assert_eq!(world.count(&shop, "Products").await, 38, "what was shown stays");
    let again = world.ask(&shop, "/api/feed/publish", json!({"Token": token})).await;
    assert!(again.expect_refusal(409).contains("comes again later"));
    let anyway = world.ask(&shop, "/api/feed/publish", json!({"Token": token, "Anyway": true})).await;
    assert_eq!(anyway.status, 200, "{}", anyway.text);
    world.run_all_jobs().await;
    assert_eq!(world.count(&shop, "Products").await, 37);
}
