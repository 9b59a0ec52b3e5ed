//! Email fields with extra letters: they are read as the address that they mean, so that no forgotten person comes
//! back by them.

use lethe::jobs::Lane;
use serde_json::{Value, json};

use crate::support::feed_server::Answer;
use crate::support::residue::assert_nothing;
use crate::support::uploads;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    nobody_comes_back_by_signs_around_their_address
    an_address_with_signs_around_it_is_the_person_s
    an_id_that_is_a_word_of_ours_holds_up_no_erasure
    an_id_that_stands_in_what_is_nobodys_holds_up_no_erasure
}

const ADA: &str = "ada.canary@people.test";

/// Forms in which a field may hold the address.
const FIELDS: [&str; 19] = [
    "ada.canary@people.test;",
    "\"ada.canary@people.test\"",
    "'ada.canary@people.test'",
    "“ada.canary@people.test”",
    "ada.canary@people.test,ada.canary@people.test",
    "ADA.canary@people.test | ada.canary@people.test",
    "ada.canary@people.test\u{1}",
    "ada.can\u{0}ary@people.test",
    "ada.canary@people.test\r\n",
    "MAILTO://ada.canary@people.test",
    "E-Mail: ada.canary@people.test",
    "ada.canary\u{115f}@people.test",
    "ada\u{3164}.canary@people.test",
    "ada.canary\u{e0041}@people.test",
    "ada.canary=40people.test",
    "ada.canary\\x40people.test",
    "ada.canary @people.test",
    "ada.canary@\u{a0}people.test..",
    "ada.canary\u{200d}@people.test",
];

async fn subjects_after(world: &World, shop: &Shop, users: Vec<Value>, way: usize) -> u64 {
    let body = json!({"Users": users});
    match way {
        0 => drop(world.delta(shop, body).await),
        1 => {
            let url = world.feeds.serve("/users", [Answer::ok(body.to_string())]);
            world.feed(shop, &url).await;
        }
        _ => drop(uploads::send_feed(world, shop, "user-1", &[&body.to_string(), ""]).await),
    }
    world.run_all_jobs().await;
    world.subjects(shop).await
}

async fn nobody_comes_back_by_signs_around_their_address(world: World) {
    let shop = world.shop("one").await;
    world.forget(&shop, ADA).await;
    world.forget(&shop, "josé@people.test").await;
    world.run_all_jobs().await;
    let jose = json!({"UserId": "j", "Email": "José\u{200d}@people.test"});
    assert_eq!(subjects_after(&world, &shop, vec![jose], 0).await, 0, "a joiner in front of the sign");
    for way in 0..3 {
        let user = |(n, email): (usize, &&str)| json!({"UserId": format!("new-{way}-{n}"), "Email": email, "City": "Canaryville"});
        let users = FIELDS.iter().enumerate().map(user).collect();
        assert_eq!(subjects_after(&world, &shop, users, way).await, 0, "way {way}");
        let two = json!({"UserId": format!("two-{way}"), "Email": format!("bob@people.test, {ADA}")});
        assert_eq!(subjects_after(&world, &shop, vec![two], way).await, 0, "one of several, way {way}");
    }
    let mut file = "OrderID,UserId,Email,DateTime,ProdCode\n".to_owned();
    for (n, email) in
        ["ada.canary@people.test;", "'ada.canary@people.test'", "MAILTO://ada.canary@people.test"]
            .iter()
            .enumerate()
    {
        file += &format!("o-{n},,{email},2026-11-01 10:00:00,p\n");
    }
    file += &format!("o-3,7,bob@people.test;{ADA},2026-11-01 10:00:00,p\n");
    uploads::send_feed(&world, &shop, "orders-1", &[&file, ""]).await;
    world.run_all_jobs().await;
    assert_eq!(world.subjects(&shop).await, 0, "orders");
    assert_nothing(&world, &[ADA, "Canaryville"]).await;
}

async fn an_address_with_signs_around_it_is_the_person_s(world: World) {
    let shop = world.shop("one").await;
    for (n, email) in FIELDS.iter().enumerate() {
        world.apply_delta(&shop, json!({"Users": [{"UserId": n + 1, "Email": email}]})).await;
    }
    let held = world.ask_json(&shop, "/api/user/held", json!({"Identifier": ADA})).await;
    assert_eq!(held["Subjects"], FIELDS.len(), "{held}");
    world.forget(&shop, ADA).await;
    world.run_all_jobs().await;
    assert_eq!(world.subjects(&shop).await, 0);
    assert_nothing(&world, &["ada.canary"]).await;
}

async fn an_id_that_is_a_word_of_ours_holds_up_no_erasure(world: World) {
    let shop = world.shop("one").await;
    let body = json!({"Products": [{"Id": "1", "Title": "T"}]}).to_string();
    let url = world.feeds.serve("/f", [Answer::ok(body)]);
    world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    let host = url.split('/').nth(2).expect("a host").to_owned();
    for id in [
        "account_deletion",
        "upload_piece",
        "identifier_by_subject",
        "overwritten in place",
        &host,
        &shop.key,
    ] {
        assert_verified(&world, &shop, id).await;
    }
}

/// The person of this user id is forgotten, and nothing of theirs is found.
async fn assert_verified(world: &World, shop: &Shop, id: &str) {
    world.apply_delta(shop, json!({"Users": [{"UserId": id, "FirstName": "F"}]})).await;
    let asked = json!({"Identifier": format!("userid:{id}")});
    let reply = world.ask(shop, "/api/user/forget", asked).await;
    let erasure = reply.header("x-erasure-id").to_owned();
    world.run_jobs(Lane::ERASE).await;
    let shown = world.ask_json(shop, "/api/erasure", json!({"Erasure": erasure})).await;
    assert_eq!(shown["State"], "verified", "{id}: {}", shown["Fault"]);
}

async fn an_id_that_stands_in_what_is_nobodys_holds_up_no_erasure(world: World) {
    const NUMBER: &str = "7f3a9c1e5b8d2460";
    const CASE: &str = "4b8e1d7c90a25f63";
    let shop = world.shop("one").await;
    let campaign = "0192f0c4-77aa-7b3e-9d10-5c6e8f2a4b13";
    let campaigns = json!([{"Id": campaign, "Zone": "HP-01", "Html": format!("<p>{NUMBER}</p>")}]);
    let set = world.ask(&shop, "/api/zones/set", json!({"Campaigns": campaigns})).await;
    assert_eq!(set.status, 200, "{}", set.text);
    assert_verified(&world, &shop, "anna").await;
    let erasures = world.ask_json(&shop, "/api/erasures", json!({})).await;
    let erasure = erasures[0]["Erasure"].as_str().expect("an id").to_owned();
    let referred =
        world.ask(&shop, "/api/erasure/reference", json!({"Erasure": erasure, "Reference": CASE})).await;
    assert_eq!(referred.status, 200, "{}", referred.text);
    let certificate = world.ask_json(&shop, "/api/erasure/certificate", json!({"Erasure": erasure})).await;
    // All that is random in a certificate: its own id, and that of the ledger.
    let text = certificate.to_string();
    let words = text.split(|letter: char| !letter.is_ascii_hexdigit() && letter != '-');
    let random: std::collections::BTreeSet<_> = words.filter(|word| word.len() == 36).collect();
    assert!(random.len() >= 2, "{text}");
    for id in random.into_iter().chain([campaign, NUMBER, CASE]) {
        assert_verified(&world, &shop, id).await;
    }
}
