//! Uploads that hold erasures up: those to which nothing is added are given up together, and what an erasure does while
//! it waits can fail.

use std::time::Duration;

use lethe::jobs::Lane;
use serde_json::json;

use crate::support::uploads::post_piece;
use crate::support::world::{World, on_both_engines};

on_both_engines! {
    erasures_that_different_idle_uploads_hold_up_are_freed_together
    an_erasure_that_waits_says_that_the_ledger_could_not_be_copied
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

async fn an_erasure_that_waits_says_that_the_ledger_could_not_be_copied(world: World) {
    let shop = world.shop("one").await;
    let begin = br#"{"Users":[{"UserId":"7"}"#.as_slice();
    let begun = post_piece(&world, &shop, "/feed-create", "user-1", Some(begin)).await;
    assert_eq!(begun.status, 200, "{}", begun.text);
    let forgotten = world.ask(&shop, "/api/user/forget", json!({"Identifier": "userid:7"})).await;
    let id = forgotten.header("x-erasure-id").to_owned();
    let erasure = async || world.ask_json(&shop, "/api/erasure", json!({"Erasure": id})).await;
    // Nothing is proved yet: only the copy for the journal reads the ledger.
    world.rename("ledger", "ledger_away").await;
    world.run_jobs(Lane::ERASE).await;
    world.rename("ledger_away", "ledger").await;
    let failed = erasure().await;
    assert_eq!(failed["State"], "shredded", "{failed}");
    assert!(failed["Fault"].is_string(), "{failed}");
    world.clock.advance(Duration::from_secs(16 * 60));
    world.run_all_jobs().await;
    world.clock.advance(Duration::from_secs(60));
    world.run_all_jobs().await;
    let ended = erasure().await;
    assert_eq!((&ended["State"], &ended["Fault"]), (&json!("verified"), &json!(null)), "{ended}");
}
