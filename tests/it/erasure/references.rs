//! The shop's own references of its erasures.

use serde_json::{Value, json};

use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    an_erasure_is_found_by_the_reference_of_its_request
    a_reference_is_changed_and_cleared_and_is_in_no_evidence
    a_reference_that_names_a_person_is_refused_and_nothing_is_done
}

/// Asks to forget a person with a reference; gives the id of the erasure.
async fn forget(world: &World, shop: &Shop, identifier: &str, reference: &str) -> String {
    let asked = json!({"Identifier": identifier, "Reference": reference});
    let reply = world.ask(shop, "/api/user/forget", asked).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.header("x-erasure-id").to_owned()
}

/// The references of the erasures that a question finds, newest first.
async fn find(world: &World, shop: &Shop, asked: Value) -> Vec<Value> {
    let listed = world.ask_json(shop, "/api/erasures", asked).await;
    listed.as_array().expect("a list").iter().map(|one| one["Reference"].clone()).collect()
}

async fn set(world: &World, shop: &Shop, id: &str, reference: &str) -> Value {
    world.ask_json(shop, "/api/erasure/reference", json!({"Erasure": id, "Reference": reference})).await
}

async fn an_erasure_is_found_by_the_reference_of_its_request(world: World) {
    let shop = world.shop("one").await;
    let other = world.shop("other").await;
    let plain = world.ask(&shop, "/api/user/forget", json!({"Identifier": "userid:zoe"})).await;
    let first = forget(&world, &shop, "userid:ada", " DSR-2026-114 ").await;
    forget(&world, &shop, "userid:bea", "DSR-2026-115").await;
    forget(&world, &other, "userid:ada", "DSR-2026-116").await;
    let found = find(&world, &shop, json!({"Reference": "dsr-2026"})).await;
    assert_eq!(found, ["DSR-2026-115", "DSR-2026-114"]);
    assert_eq!(find(&world, &shop, json!({"Reference": "114"})).await, ["DSR-2026-114"]);
    assert_eq!(find(&world, &shop, json!({"Reference": "116"})).await, [""; 0], "another shop's");
    assert_eq!(find(&world, &shop, json!({"Reference": ""})).await.len(), 3);
    assert_eq!(find(&world, &shop, json!({"Reference": "dsr", "State": "verified"})).await, [""; 0]);
    // The same request again is the same erasure, which answers both cases.
    assert_eq!(forget(&world, &shop, "userid:ada", "Mail 7").await, first);
    assert_eq!(forget(&world, &shop, "userid:ada", "Mail 7").await, first);
    assert_eq!(find(&world, &shop, json!({"Reference": "mail"})).await, ["DSR-2026-114, Mail 7"]);
    world.run_all_jobs().await;
    let verified = find(&world, &shop, json!({"Reference": "dsr", "State": "verified"})).await;
    assert_eq!(verified, ["DSR-2026-115", "DSR-2026-114, Mail 7"]);
    // Without a reference the answer is what it was.
    let again = world.ask(&shop, "/api/user/forget", json!({"Identifier": "userid:zoe"})).await;
    assert_eq!((again.status, again.text), (plain.status, plain.text));
}

async fn a_reference_is_changed_and_cleared_and_is_in_no_evidence(world: World) {
    let shop = world.shop("one").await;
    let other = world.shop("other").await;
    let id = forget(&world, &shop, "userid:ada", "DSR-canary").await;
    world.run_all_jobs().await;
    let asked = json!({"Erasure": id});
    let certificate = world.ask(&shop, "/api/erasure/certificate", asked.clone()).await;
    assert!(certificate.status == 200 && !certificate.text.contains("canary"), "{}", certificate.text);
    let ledger = world.control_text("/control/ledger/export", json!({"Name": "one"})).await;
    assert!(!ledger.contains("canary"), "{ledger}");
    assert_eq!(set(&world, &shop, &id, "A-1,  B/2 , A-1").await["Reference"], "A-1, B/2");
    assert_eq!(world.ask_json(&shop, "/api/erasure", asked.clone()).await["Reference"], "A-1, B/2");
    assert_eq!(world.ask(&shop, "/api/erasure/certificate", asked.clone()).await.status, 200);
    let foreign = json!({"Erasure": id, "Reference": "C-3"});
    world.ask(&other, "/api/erasure/reference", foreign).await.expect_refusal(404);
    assert_eq!(set(&world, &shop, &id, " ").await["Reference"], Value::Null);
    assert_eq!(world.ask_json(&shop, "/api/erasure", asked).await["Reference"], Value::Null);
    assert_eq!(find(&world, &shop, json!({"Reference": "A-1"})).await, [""; 0]);
}

async fn a_reference_that_names_a_person_is_refused_and_nothing_is_done(world: World) {
    let shop = world.shop("one").await;
    let long = "canary".repeat(11);
    for (identifier, reference) in [
        ("ada.canary@shop.test", "ada.canary@shop.test"),
        ("ada.canary@shop.test", "DSR Ada.Canary"),
        ("userid:c-4711", "case C-4711"),
        ("userid:ada", "<canary>"),
        ("userid:ada", "DSR-1, DSR-2"),
        ("userid:ada", long.as_str()),
    ] {
        let asked = json!({"Identifier": identifier, "Reference": reference});
        let sentence = world.ask(&shop, "/api/user/forget", asked).await.expect_refusal(400);
        assert!(sentence.starts_with("Reference: "), "{sentence}");
        assert!(!sentence.to_lowercase().contains("canary"), "{sentence}");
    }
    assert_eq!(world.ask_json(&shop, "/api/erasures", json!({})).await, json!([]));
    let id = forget(&world, &shop, "userid:ada", "DSR-1").await;
    for reference in ["ada@shop.test", "a;b", "1,2,3,4,5,6"] {
        let asked = json!({"Erasure": id, "Reference": reference});
        let sentence = world.ask(&shop, "/api/erasure/reference", asked).await.expect_refusal(400);
        assert!(sentence.starts_with("Reference: "), "{sentence}");
    }
    assert_eq!(find(&world, &shop, json!({})).await, ["DSR-1"]);
}
