//! Ownership of an identifier: exactly the right records go, and every other row stays as it is, byte by byte.

mod family;
mod model;
mod random;
mod rows;

use std::collections::BTreeSet;

use lethe::limits;
use serde_json::{Value, json};

use crate::support::backups::{back_up, stop_and_restore};
use crate::support::uploads;
use crate::support::world::{World, on_both_engines};
use family::Family;
use rows::{contents, rows};

on_both_engines! {
    a_gift_order
    an_address_that_changed_hands
    two_user_ids_with_one_address
    guest_then_registered
    orders_only_shops_and_the_same_file_again
    guests_under_undefined
    a_kiosks_id
    a_poisoned_order
    a_user_id_that_is_an_address
    a_company_of_the_same_number
    profile_removed_and_orders_left
    links_after_a_profile_email_came
    an_order_of_somebody_with_a_profile_email
    placeholders_are_nobody
    a_repeated_request
    the_address_that_was_asked_for_is_shut_whoever_shares_it
    single_orders_go_again_after_a_restore
    a_scan_and_a_certificate_ask_the_same_question
    many_with_one_address_are_answered_at_once
    very_many_who_stay_are_counted_and_some_are_told
}

/// REVIEW A2: Bea typed Paul's address into a gift order.
async fn a_gift_order(world: World) {
    let family = Family::new(world).await;
    // With an address in her profile the order's is not kept.
    family.apply_profile("50", "bea@x.test", "bea").await;
    family.send_orders(&[["1", "50", "bea@x.test"], ["2", "50", "paul@x.test"], ["3", "50", ""]]).await;
    family.forget_exactly("paul@x.test", &[]).await;
    assert!(family.is_suppressed("paul@x.test").await);
    assert!(!family.is_suppressed("userid:50").await && !family.is_suppressed("bea@x.test").await);
    // Without one the order that came with it goes, and nothing else.
    family
        .send_orders(&[["4", "51", "cid@x.test"], ["5", "51", "ron@x.test"], ["6", "51", "cid@x.test"]])
        .await;
    assert_eq!(family.list_left("ron@x.test").await, ["left-rest 1: userid:51"]);
    family.forget_exactly("ron@x.test", &["order 5"]).await;
    assert!(!family.is_suppressed("userid:51").await && !family.is_suppressed("cid@x.test").await);
    family.send_orders(&[["7", "51", "ron@x.test"], ["8", "51", ""]]).await;
    family
        .assert_holds(&["profile bea", "order 1", "order 2", "order 3", "order 4", "order 6", "order 8"])
        .await;
    // Now it is the only one in the orders of a user id that never had one in a profile.
    family.forget_exactly("cid@x.test", &["order 4", "order 6", "order 8"]).await;
    assert!(family.is_suppressed("userid:51").await);
}

/// REVIEW A2: 62 had the address before, 63 has it now.
async fn an_address_that_changed_hands(world: World) {
    let family = Family::new(world).await;
    family.apply_profile("62", "old@x.test", "a").await;
    family.send_orders(&[["1", "62", "old@x.test"]]).await;
    family.apply_profile("62", "new@x.test", "b").await;
    family.apply_profile("63", "old@x.test", "c").await;
    assert_eq!(family.list_left("old@x.test").await, [""; 0]);
    family.forget_exactly("old@x.test", &["profile c"]).await;
    assert!(family.is_suppressed("userid:63").await && !family.is_suppressed("userid:62").await);
    family.assert_holds(&["profile b", "order 1"]).await;
    // No other person has the address now: it was his.
    family.apply_profile("64", "was@x.test", "d").await;
    family.apply_profile("64", "is@x.test", "e").await;
    family.send_orders(&[["2", "70", "was@x.test"], ["3", "70", "own@x.test"]]).await;
    assert_eq!(family.list_left("was@x.test").await, ["left-rest 1: userid:70"]);
    family.forget_exactly("was@x.test", &["profile e", "order 2"]).await;
    assert!(family.is_suppressed("is@x.test").await && family.is_suppressed("userid:64").await);
    // An order does not end a former address, and a guest under it owns it.
    family.apply_profile("65", "first@x.test", "f").await;
    family.apply_profile("65", "second@x.test", "g").await;
    family.send_orders(&[["4", "", "first@x.test"]]).await;
    assert_eq!(family.list_left("first@x.test").await, ["left-rest 1: userid:65"]);
    family.forget_exactly("first@x.test", &["order 4"]).await;
    family.forget_exactly("userid:65", &["profile g"]).await;
    family.assert_holds(&["profile b", "order 1", "order 3"]).await;
}

async fn two_user_ids_with_one_address(world: World) {
    let family = Family::new(world).await;
    for (user, mark) in [("1", "a"), ("2", "b"), ("3", "c"), ("4", "d")] {
        family.apply_profile(user, if user < "3" { "us@x.test" } else { "them@x.test" }, mark).await;
    }
    family.send_orders(&[["1", "1", ""], ["2", "2", "us@x.test"], ["3", "", "us@x.test"]]).await;
    assert_eq!(family.list_left("userid:1").await, ["left-guests 1: us@x.test", "left-users 1: us@x.test"]);
    family.forget_exactly("userid:1", &["profile a", "order 1"]).await;
    assert!(family.is_suppressed("userid:1").await && !family.is_suppressed("us@x.test").await);
    family.send_orders(&[["4", "2", ""], ["5", "", "us@x.test"]]).await;
    family.forget_exactly("us@x.test", &["profile b", "order 2", "order 3", "order 4", "order 5"]).await;
    assert!(family.is_suppressed("us@x.test").await && family.is_suppressed("userid:2").await);
    family.forget_exactly("them@x.test", &["profile c", "profile d"]).await;
    assert!(family.is_suppressed("userid:3").await && family.is_suppressed("userid:4").await);
}

async fn guest_then_registered(world: World) {
    let family = Family::new(world).await;
    family.send_orders(&[["1", "", "ada@x.test"], ["2", "", "bob@x.test"], ["3", "9", "bob@x.test"]]).await;
    family.apply_profile("7", "ada@x.test", "ada").await;
    family.send_orders(&[["4", "", "ada@x.test"], ["5", "7", "ada@x.test"]]).await;
    family.apply_profile("7", "new@x.test", "ada-2").await;
    family.send_orders(&[["6", "", "new@x.test"]]).await;
    family.forget_exactly("userid:7", &["profile ada-2", "order 1", "order 4", "order 5", "order 6"]).await;
    for shut in ["ada@x.test", "new@x.test", "userid:7"] {
        assert!(family.is_suppressed(shut).await, "{shut}");
    }
    // Under an address that only orders of a user id named the guest stays, and is told.
    assert_eq!(family.list_left("userid:9").await, ["left-guests 1: bob@x.test"]);
    family.forget_exactly("userid:9", &["order 3"]).await;
    assert!(!family.is_suppressed("bob@x.test").await);
    family.forget_exactly("bob@x.test", &["order 2"]).await;
}

async fn orders_only_shops_and_the_same_file_again(world: World) {
    let family = Family::new(world).await;
    let file = [
        ["1", "7", "ada@x.test"],
        ["2", "7", "ada@x.test"],
        ["3", "8", "bob@x.test"],
        ["4", "", "gus@x.test"],
        ["5", "8", "ada@x.test"],
    ];
    family.send_orders(&file).await;
    family.forget_exactly("ada@x.test", &["order 1", "order 2", "order 5"]).await;
    assert!(family.is_suppressed("userid:7").await && !family.is_suppressed("userid:8").await);
    let before = rows(&family.world, &family.shop).await;
    family.send_orders(&file).await;
    assert_eq!(rows(&family.world, &family.shop).await, before, "nothing comes back, nothing is doubled");
    family.assert_holds(&["order 3", "order 4"]).await;
}

/// REVIEW A2: a hundred guests under the user id `undefined` are a hundred people.
async fn guests_under_undefined(world: World) {
    let family = Family::new(world).await;
    let orders: Vec<_> = (0..100).map(|n| (format!("o{n}"), format!("g{n}@x.test"))).collect();
    let rows: Vec<[&str; 3]> =
        orders.iter().map(|(id, email)| [id.as_str(), "undefined", email.as_str()]).collect();
    family.send_orders(&rows).await;
    assert_eq!(family.world.subjects(&family.shop).await, 100);
    family.forget_exactly("g7@x.test", &["order o7"]).await;
    let asked = json!({"Identifier": "undefined"});
    family.world.ask(&family.shop, "/api/user/forget", asked).await.expect_refusal(400);
}

/// One user id for all who buy at the counter, each with an address of their own.
async fn a_kiosks_id(world: World) {
    let family = Family::new(world).await;
    let orders: Vec<_> = (0..40).map(|n| (format!("o{n}"), format!("c{}@x.test", n % 20))).collect();
    let rows: Vec<[&str; 3]> =
        orders.iter().map(|(id, email)| [id.as_str(), "kiosk", email.as_str()]).collect();
    family.send_orders(&rows).await;
    family.forget_exactly("c3@x.test", &["order o23", "order o3"]).await;
    assert!(family.is_suppressed("c3@x.test").await && !family.is_suppressed("userid:kiosk").await);
    assert_eq!(contents(&family.world, &family.shop).await.len(), 38);
    family.send_orders(&[["new", "kiosk", "c3@x.test"], ["next", "kiosk", "c4@x.test"]]).await;
    assert_eq!(contents(&family.world, &family.shop).await.len(), 39);
}

/// REVIEW A3: an order with another person's address takes over none of their data, and shuts no one out.
async fn a_poisoned_order(world: World) {
    let family = Family::new(world).await;
    family.send_orders(&[["1", "", "victim@x.test"], ["2", "", "victim@x.test"]]).await;
    family.send_orders(&[["3", "667", "victim@x.test"]]).await;
    let export = family.world.ask_json(&family.shop, "/api/user/export", json!({"Identifier": "667"})).await;
    assert_eq!(export["Orders"].as_array().map(Vec::len), Some(1), "{export}");
    family.forget_exactly("userid:667", &["order 3"]).await;
    assert!(!family.is_suppressed("victim@x.test").await);
    family.apply_profile("668", "mallory@x.test", "m").await;
    family
        .send_orders(&[
            ["4", "668", "victim@x.test"],
            ["5", "669", "mal@x.test"],
            ["6", "669", "victim@x.test"],
        ])
        .await;
    family.forget_exactly("mallory@x.test", &["profile m", "order 4"]).await;
    family.forget_exactly("mal@x.test", &["order 5"]).await;
    assert!(!family.is_suppressed("victim@x.test").await);
    family.send_orders(&[["7", "", "victim@x.test"]]).await;
    family.assert_holds(&["order 1", "order 2", "order 6", "order 7"]).await;
    // The guest owns the address, and so does the user id in whose orders it is now the only one.
    family.forget_exactly("victim@x.test", &["order 1", "order 2", "order 6", "order 7"]).await;
}

/// A shop whose user ids are addresses, and that sends orders only: each is its own, and a gift order takes no one
/// along.
async fn a_user_id_that_is_an_address(world: World) {
    let family = Family::new(world).await;
    family.send_orders(&[["1", "ada@x.test", "paul@x.test"], ["2", "ada@x.test", ""]]).await;
    family.send_orders(&[["3", "bob@x.test", "bob@x.test"], ["4", "", "bob@x.test"]]).await;
    assert_eq!(family.list_left("paul@x.test").await, ["left-rest 1: userid:ada@x.test"]);
    family.forget_exactly("paul@x.test", &["order 1"]).await;
    assert!(!family.is_suppressed("userid:ada@x.test").await && !family.is_suppressed("ada@x.test").await);
    family.send_orders(&[["5", "ada@x.test", ""]]).await;
    family.forget_exactly("ada@x.test", &["order 2", "order 5"]).await;
    assert!(family.is_suppressed("userid:ada@x.test").await);
    family.forget_exactly("userid:bob@x.test", &["order 3", "order 4"]).await;
}

/// REVIEW A4: user 4711 and company 4711.
async fn a_company_of_the_same_number(world: World) {
    let family = Family::new(world).await;
    let file =
        "OrderID,AccountId,UserId,Email,DateTime,ProdCode\n1,4711,,,2026-11-01,p\n2,c,,,2026-11-01,p\n";
    uploads::send_feed(&family.world, &family.shop, "orders-1", &[file, ""]).await;
    family.apply_profile("4711", "ada@x.test", "ada").await;
    assert_eq!(family.list_left("4711").await, ["left-readings 1: accid:4711"]);
    let erasure = family.forget_exactly("4711", &["profile ada"]).await;
    for _ in 0..2 {
        assert_eq!(family.forget_exactly("4711", &[]).await, erasure);
    }
    assert_eq!(family.forget_exactly("userid:4711", &[]).await, erasure);
    family.assert_holds(&["order 1", "order 2"]).await;
    let company = family.forget_exactly("accid:4711", &["order 1"]).await;
    assert_ne!(company, erasure);
    // A reading before the one that was taken, known by now, is another erasure.
    let one = family.forget_exactly("c", &["order 2"]).await;
    assert_eq!(family.forget_exactly("c", &[]).await, one);
    family.apply_profile("c", "", "cid").await;
    assert_ne!(family.forget_exactly("c", &["profile cid"]).await, one);
}

async fn profile_removed_and_orders_left(world: World) {
    let family = Family::new(world).await;
    family.apply_profile("7", "ada@x.test", "ada").await;
    family.send_orders(&[["1", "7", ""], ["2", "8", "ada@x.test"], ["3", "8", "bob@x.test"]]).await;
    family.world.apply_delta(&family.shop, json!({"DeleteUsers": ["7"]})).await;
    family.assert_holds(&["order 1", "order 2", "order 3"]).await;
    // It is still the address of the newest profile that 7 had.
    family.send_orders(&[["4", "7", "gift@x.test"]]).await;
    family.forget_exactly("gift@x.test", &[]).await;
    family.forget_exactly("ada@x.test", &["order 1", "order 2", "order 4"]).await;
    assert!(family.is_suppressed("userid:7").await && !family.is_suppressed("userid:8").await);
    // Until another user id's profile has it.
    family.apply_profile("10", "eve@x.test", "eve").await;
    family.send_orders(&[["5", "10", ""]]).await;
    family.world.apply_delta(&family.shop, json!({"DeleteUsers": ["10"]})).await;
    family.apply_profile("11", "eve@x.test", "eva").await;
    family.forget_exactly("eve@x.test", &["profile eva"]).await;
    assert!(family.is_suppressed("userid:11").await && !family.is_suppressed("userid:10").await);
}

async fn links_after_a_profile_email_came(world: World) {
    let family = Family::new(world).await;
    family.send_orders(&[["1", "7", "typed@x.test"], ["2", "7", "other@x.test"]]).await;
    family.apply_profile("7", "ada@x.test", "ada").await;
    for asked in ["typed@x.test", "other@x.test"] {
        family.forget_exactly(asked, &[]).await;
    }
    // Also when the newest profile has none any more: it had one.
    family.apply_profile("7", "", "ada-2").await;
    family.send_orders(&[["3", "7", "third@x.test"]]).await;
    family.forget_exactly("third@x.test", &["order 3"]).await;
    family.assert_holds(&["profile ada-2", "order 1", "order 2"]).await;
    family.forget_exactly("ada@x.test", &["profile ada-2", "order 1", "order 2"]).await;
}

async fn an_order_of_somebody_with_a_profile_email(world: World) {
    let family = Family::new(world).await;
    family.apply_profile("7", "ada@x.test", "ada").await;
    family.send_orders(&[["1", "7", "gone@x.test"]]).await;
    let export = family.world.ask_json(&family.shop, "/api/user/export", json!({"Identifier": "7"})).await;
    assert!(!export.to_string().contains("gone@"), "{export}");
    family.forget_exactly("gone@x.test", &[]).await;
    // Kept, without the address. With a user id without a profile the order is dropped, and shuts no one out.
    family.send_orders(&[["2", "7", "gone@x.test"], ["3", "8", "gone@x.test"], ["4", "8", ""]]).await;
    family.assert_holds(&["profile ada", "order 1", "order 2", "order 4"]).await;
    assert!(!family.is_suppressed("userid:8").await);
    // A profile shuts its user id out, but none that an earlier profile gave another address.
    for user in ["9", "8", "7"] {
        family.apply_profile(user, "gone@x.test", "late").await;
    }
    assert!(family.is_suppressed("userid:9").await && family.is_suppressed("userid:8").await);
    assert!(!family.is_suppressed("userid:7").await);
    family.assert_holds(&["profile ada", "order 1", "order 2", "order 4"]).await;
}

async fn placeholders_are_nobody(world: World) {
    let family = Family::new(world).await;
    const NOBODY: [&str; 21] = [
        "0",
        "",
        "null",
        "-1",
        "00",
        "guest",
        "anonymous",
        "undefined",
        "none",
        "nil",
        "nan",
        "n/a",
        "unknown",
        "false",
        "[object Object]",
        "GUEST",
        "Undefined",
        "ｎｕｌｌ",
        "NaN",
        "(null)",
        "N/A",
    ];
    let emails: Vec<String> = (0..NOBODY.len()).map(|n| format!("g{n}@x.test")).collect();
    let numbers: Vec<String> = (0..NOBODY.len()).map(|n| format!("o{n}")).collect();
    let rows: Vec<[&str; 3]> =
        (0..NOBODY.len()).map(|n| [numbers[n].as_str(), NOBODY[n], emails[n].as_str()]).collect();
    family.send_orders(&rows).await;
    assert_eq!(family.world.subjects(&family.shop).await, NOBODY.len() as u64);
    let users: Vec<Value> = NOBODY.iter().map(|id| json!({"UserId": id, "Email": "all@x.test"})).collect();
    family.world.delta(&family.shop, json!({"Users": users, "Products": [{"Id": 1}]})).await;
    family.world.run_all_jobs().await;
    assert_eq!(family.world.subjects(&family.shop).await, NOBODY.len() as u64);
    family.forget_exactly("g0@x.test", &["order o0"]).await;
}

async fn a_repeated_request(world: World) {
    let family = Family::new(world).await;
    family.apply_profile("7", "ada@x.test", "ada").await;
    family.apply_profile("8", "bob@x.test", "bob").await;
    family.send_orders(&[["1", "9", "ada@x.test"], ["2", "9", "nine@x.test"]]).await;
    let first = family.forget_exactly("ada@x.test", &["profile ada", "order 1"]).await;
    assert_eq!(family.forget_exactly("  ADA@x.test ", &[]).await, first);
    // Another person's erasure that shuts the same address takes nothing over.
    family.apply_profile("8", "new@x.test", "bob").await;
    let other = family.forget_exactly("userid:8", &["profile bob"]).await;
    assert_ne!(other, first);
    assert_eq!(family.forget_exactly("bob@x.test", &[]).await, other);
    assert_eq!(family.forget_exactly("ada@x.test", &[]).await, first);
    // Data stored since needs another erasure: the person came back.
    family.world.ask_json(&family.shop, "/api/user/return", json!({"Identifier": "ada@x.test"})).await;
    family.send_orders(&[["3", "", "ada@x.test"]]).await;
    let file = "OrderID,UserId,Email,DateTime,ProdCode\n4,,ada@x.test,2026-11-22 10:00:00,p\n";
    uploads::send_feed(&family.world, &family.shop, "orders-1", &[file, ""]).await;
    family.world.run_all_jobs().await;
    assert_ne!(family.forget_exactly("ada@x.test", &["order 4"]).await, first);
}

async fn the_address_that_was_asked_for_is_shut_whoever_shares_it(world: World) {
    let family = Family::new(world).await;
    family
        .send_orders(&[
            ["1", "7", "a@x.test"],
            ["2", "7", "b@x.test"],
            ["3", "8", "a@x.test"],
            ["4", "8", "c@x.test"],
        ])
        .await;
    assert_eq!(family.list_left("a@x.test").await, ["left-rest 2: userid:7 userid:8"]);
    family.forget_exactly("a@x.test", &["order 1", "order 3"]).await;
    assert!(family.is_suppressed("a@x.test").await);
    for user in ["userid:7", "userid:8"] {
        let export =
            family.world.ask_json(&family.shop, "/api/user/export", json!({"Identifier": user})).await;
        assert!(!export.to_string().contains("a@x.test"), "the link is gone: {export}");
    }
}

async fn single_orders_go_again_after_a_restore(world: World) {
    let mut family = Family::new(world).await;
    family.send_orders(&[["1", "7", "ron@x.test"], ["2", "7", "own@x.test"], ["3", "", "gus@x.test"]]).await;
    let backup = back_up(&family.world, "backup").await;
    family.send_orders(&[["4", "7", "ron@x.test"]]).await;
    family.forget_exactly("ron@x.test", &["order 1", "order 4"]).await;
    stop_and_restore(&mut family.world, &backup, "restored").await;
    family.assert_holds(&["order 2", "order 3"]).await;
    assert!(family.is_suppressed("ron@x.test").await);
    family.world.run_all_jobs().await;
    let held =
        family.world.ask_json(&family.shop, "/api/user/held", json!({"Identifier": "ron@x.test"})).await;
    assert_eq!((&held["Known"], &held["FoundAnywhere"]), (&json!(false), &json!(false)), "{held}");
    family.send_orders(&[["5", "7", "own@x.test"]]).await;
    family.assert_holds(&["order 2", "order 3", "order 5"]).await;
}

/// REVIEW A8: a scan of that address finds exactly the data that a certificate says were left.
async fn a_scan_and_a_certificate_ask_the_same_question(world: World) {
    let family = Family::new(world).await;
    family.apply_profile("7", "was@x.test", "a").await;
    family.apply_profile("7", "is@x.test", "b").await;
    family.send_orders(&[["1", "9", "was@x.test"], ["2", "9", "nine@x.test"], ["3", "", "was@x.test"]]).await;
    let scan = async |asked: &str| {
        let found = family.world.ask_json(&family.shop, "/api/user/scan", json!({"Identifier": asked})).await;
        found["FoundAnywhere"] == true
    };
    let erasure = family.forget_exactly("userid:7", &["profile b", "order 3"]).await;
    let body =
        family.world.ask_json(&family.shop, "/api/erasure/certificate", json!({"Erasure": erasure})).await;
    let kept = body["Body"]["Kept"].as_array().expect("what is kept").clone();
    let left = kept.iter().find(|kept| kept["Name"] == "left-users").expect("it is told");
    assert_eq!(left["Count"], 1);
    assert!(!scan("userid:7").await && !scan("is@x.test").await);
    assert!(scan("was@x.test").await, "as it was told");
    family.forget_exactly("was@x.test", &["order 1"]).await;
    assert!(!scan("was@x.test").await);
    family.assert_holds(&["order 2"]).await;
}

async fn many_with_one_address_are_answered_at_once(world: World) {
    let family = Family::new(world).await;
    let users: Vec<Value> = (0..300)
        .map(|n| json!({"UserId": format!("u{n}"), "Email": "shop@x.test", "FirstName": format!("m{n}")}))
        .collect();
    family.world.apply_delta(&family.shop, json!({"Users": users})).await;
    family.apply_profile("u240", "own@x.test", "m240").await;
    family.apply_profile("u240", "shop@x.test", "m240").await;
    family.send_orders(&[["1", "", "own@x.test"]]).await;
    family.world.forget(&family.shop, "shop@x.test").await;
    // None of them is stored from the answer on.
    assert!(
        family.world.subjects(&family.shop).await <= 1,
        "but the guest, who is found when its work begins"
    );
    family.apply_profile("u250", "other@x.test", "again").await;
    family.world.run_all_jobs().await;
    family.assert_holds(&[]).await;
    assert!(family.is_suppressed("own@x.test").await && family.is_suppressed("userid:u250").await);
}

async fn very_many_who_stay_are_counted_and_some_are_told(world: World) {
    const USERS: usize = limits::FORGET_LEFT_TOLD + 5;
    let family = Family::new(world).await;
    let texts =
        (0..USERS).map(|n| [format!("a{n}"), format!("b{n}"), format!("u{n}"), format!("own{n}@x.test")]);
    let texts: Vec<_> = texts.collect();
    let orders = texts.iter().flat_map(|[shared, own, user, email]| {
        [[shared.as_str(), user, "shared@x.test"], [own.as_str(), user, email]]
    });
    family.send_orders(&orders.collect::<Vec<_>>()).await;
    let left = family.list_left("shared@x.test").await;
    let requests =
        left[0].strip_prefix(&format!("left-rest {USERS}: ")).unwrap_or_else(|| panic!("{left:?}"));
    let requests: BTreeSet<_> = requests.split(' ').collect();
    assert_eq!((left.len(), requests.len()), (1, limits::FORGET_LEFT_TOLD), "{left:?}");
    assert!(requests.iter().all(|request| request.starts_with("userid:u")), "{requests:?}");
    let gone: Vec<_> = texts.iter().map(|[shared, ..]| format!("order {shared}")).collect();
    let erasure =
        family.forget_exactly("shared@x.test", &gone.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let certificate = json!({"Erasure": erasure});
    let certificate = family.world.ask_json(&family.shop, "/api/erasure/certificate", certificate).await;
    let kept = certificate["Body"]["Kept"].as_array().expect("what is kept").iter();
    let mut rest = kept.filter(|kept| kept["Name"] == "left-rest");
    assert_eq!(rest.next().map(|kept| kept["Count"].clone()), Some(json!(USERS)), "{certificate}");
}
