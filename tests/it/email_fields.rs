//! Email fields with letters too many: they are read as the address they mean, so that nobody comes back by them.

use lethe::jobs::Lane;
use serde_json::{Value, json};

use crate::feed_server::Answer;
use crate::residue::assert_nothing;
use crate::uploads;
use crate::world::{Shop, World, on_both_engines};

on_both_engines! {
    nobody_comes_back_by_signs_around_their_address
    an_address_with_signs_around_it_is_the_person_s
    an_id_that_is_a_word_of_ours_holds_up_no_erasure
}

const ADA: &str = "ada.canary@people.test";

/// How a field may hold the address.
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
            let url = world.feeds.set("/users", [Answer::ok(body.to_string())]);
            world.feed(shop, &url).await;
        }
        _ => drop(uploads::send(world, shop, "user-1", &[&body.to_string(), ""]).await),
    }
    world.work_all().await;
    world.subjects(shop).await
}

async fn nobody_comes_back_by_signs_around_their_address(world: World) {
    let shop = world.shop("one").await;
    world.forget(&shop, ADA).await;
    world.forget(&shop, "josé@people.test").await;
    world.work_all().await;
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
    uploads::send(&world, &shop, "orders-1", &[&file, ""]).await;
    world.work_all().await;
    assert_eq!(world.subjects(&shop).await, 0, "orders");
    assert_nothing(&world, &[ADA, "Canaryville"]).await;
}

async fn an_address_with_signs_around_it_is_the_person_s(world: World) {
    let shop = world.shop("one").await;
    for (n, email) in FIELDS.iter().enumerate() {
        world.applied(&shop, json!({"Users": [{"UserId": n + 1, "Email": email}]})).await;
    }
    let held = world.ask_json(&shop, "/api/user/held", json!({"Identifier": ADA})).await;
    assert_eq!(held["Subjects"], FIELDS.len(), "{held}");
    world.forget(&shop, ADA).await;
    world.work_all().await;
    assert_eq!(world.subjects(&shop).await, 0);
    assert_nothing(&world, &["ada.canary"]).await;
}

async fn an_id_that_is_a_word_of_ours_holds_up_no_erasure(world: World) {
    let shop = world.shop("one").await;
    let body = json!({"Products": [{"Id": "1", "Title": "T"}]}).to_string();
    let url = world.feeds.set("/f", [Answer::ok(body)]);
    world.feed(&shop, &url).await;
    world.work_all().await;
    let host = url.split('/').nth(2).expect("a host").to_owned();
    for id in [
        "account_deletion",
        "upload_piece",
        "identifier_by_subject",
        "overwritten in place",
        &host,
        &shop.key,
    ] {
        world.applied(&shop, json!({"Users": [{"UserId": id, "FirstName": "F"}]})).await;
        let asked = json!({"Identifier": format!("userid:{id}")});
        let reply = world.ask(&shop, "/api/user/forget", asked).await;
        let erasure = reply.header("x-erasure-id").to_owned();
        world.work(Lane::ERASE).await;
        let shown = world.ask_json(&shop, "/api/erasure", json!({"Erasure": erasure})).await;
        assert_eq!(shown["State"], "verified", "{id}: {}", shown["Fault"]);
    }
}
