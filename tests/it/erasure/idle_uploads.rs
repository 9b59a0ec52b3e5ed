//! Uploads that hold erasures up and to which nothing is added: all of them are given up together.

use std::time::Duration;

use lethe::jobs::Lane;
use serde_json::json;

use crate::support::uploads::post_piece;
use crate::support::world::{World, on_both_engines};

on_both_engines! {
    erasures_that_different_idle_uploads_hold_up_are_freed_together
}

async fn erasures_that_different_idle_uploads_hold_up_are_freed_together(world: World) {
    let shop = world.shop("one").await;
    let people = [("7", "ada-canary@shop.test", "user-1"), ("8", "bob-canary@shop.test", "user-2")];
    let users = people.map(|(id, email, _)| json!({"UserId": id, "Email": email}));
    world.apply_delta(&shop, json!({"Users": users})).await;
    let mut erasures = Vec::new();
    for (id, email, upload) in people {
        let begin = format!(r#"{{"Users":[{{"UserId":"{id}","Email":"{email}"}}"#);
        let begun = post_piece(&world, &shop, "/feed-create", upload, Some(begin.as_bytes())).await;
        assert_eq!(begun.status, 200, "{}", begun.text);
        let forgotten = world.ask(&shop, "/api/user/forget", json!({"Identifier": email})).await;
        erasures.push(forgotten.header("x-erasure-id").to_owned());
    }
    world.run_jobs(Lane::ERASE).await;
    world.clock.advance(Duration::from_secs(16 * 60));
    world.run_jobs(Lane::ERASE).await;
    world.run_jobs(Lane::FEED).await;
    let listed = world.ask_json(&shop, "/api/submissions", json!({})).await;
    let listed = listed.as_array().expect("submissions").iter();
    let reasons: Vec<_> = listed.filter_map(|submission| submission["Reason"].as_str()).collect();
    let idle = "an erasure had to wait for the upload, and nothing was added to it for 15 minutes";
    assert_eq!(reasons, [idle; 2]);
    // An erasure looks again after a while.
    world.clock.advance(Duration::from_secs(60));
    world.run_all_jobs().await;
    for id in &erasures {
        let ended = world.ask_json(&shop, "/api/erasure", json!({"Erasure": id})).await;
        assert_eq!(ended["State"], "verified", "{ended}");
    }
}
