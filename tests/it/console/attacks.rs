//! Attacks that a hostile review of the console found, and the defences.

use std::time::Duration;

use lethe::limits;
use serde_json::{Value, json};

use crate::support::backups::{back_up, stop_and_restore};
use crate::support::console::{Browser, PASSWORD, link_path};
use crate::support::events::open_shop;
use crate::support::world::{World, on_both_engines, plain_client};

on_both_engines! {
    after_a_restore_nobody_signs_in_with_an_old_password
    many_addresses_lock_nobody_out_who_signed_in_before
    who_never_signed_in_waits_until_a_turn_is_free
    who_works_for_a_shop_is_told_nothing_of_the_files_of_all
    an_overdue_erasure_is_found_behind_hundreds_of_others
    a_part_ends_with_the_session_of_who_follows_it
    many_follow_a_part_and_it_is_looked_at_once
    no_line_of_acts_is_passed_over
    what_stands_beside_the_cookie_does_no_harm
    an_owner_without_a_password_is_no_owner_who_lets_others_in
    what_was_refused_is_a_line_too
    a_closed_shop_is_on_no_page
    an_answer_that_is_not_there_is_said_to_be_gone
    so_many_typed_products_are_looked_up
}

async fn after_a_restore_nobody_signs_in_with_an_old_password(mut world: World) {
    world.shop("shop").await;
    Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    Browser::sign_in_as(&world, "Leaver", "owner", &[]).await;
    let backup = back_up(&world, "backup").await;
    world.control("/control/operator/remove", json!({"Name": "Leaver"})).await;
    stop_and_restore(&mut world, &backup, "data-2").await;
    for name in ["Owner", "Leaver"] {
        assert_eq!(Browser::new(&world).sign_in(name, PASSWORD).await.status, 401, "{name}");
    }
    let renewed = world.control("/control/operator/reset", json!({"Name": "Owner"})).await;
    let mut browser = Browser::new(&world);
    assert_eq!(browser.follow_link(&link_path(&renewed["Link"])).await.status, 303);
    assert_eq!(browser.sign_in("Owner", PASSWORD).await.status, 303);
}

async fn many_addresses_lock_nobody_out_who_signed_in_before(world: World) {
    let mut owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    // Both turns are taken, as by ever new addresses.
    let turns = world.node().resources.sign_ins.clone();
    let taken = |last: u8| {
        turns.acquire(lethe::admission::Tenant::Client([10, 0, 0, last].into()), 1, Duration::ZERO)
    };
    let held = [taken(1).await.expect("a turn"), taken(2).await.expect("a turn")];
    assert_eq!(owner.sign_in("Owner", PASSWORD).await.status, 303);
    drop(held);
}

async fn who_never_signed_in_waits_until_a_turn_is_free(world: World) {
    let turns = world.node().resources.sign_ins.clone();
    let taken = |last: u8| {
        turns.acquire(lethe::admission::Tenant::Client([10, 0, 0, last].into()), 1, Duration::ZERO)
    };
    let held = [taken(1).await.expect("a turn"), taken(2).await.expect("a turn")];
    let mut stranger = Browser::new(&world);
    let freeing = async {
        let begun = async {
            while turns.gauge().waiting == 0 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(limits::SIGN_IN_WAIT_DURATION, begun).await.expect("the stranger waits");
        drop(held);
    };
    let (refused, ()) = tokio::join!(stranger.sign_in("Nobody", PASSWORD), freeing);
    assert_eq!(refused.status, 401);
}

async fn who_works_for_a_shop_is_told_nothing_of_the_files_of_all(world: World) {
    let shop = world.shop("shop").await;
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let officer = Browser::sign_in_as(&world, "Officer", "privacy-officer", &[&shop]).await;
    let looked = async |browser: &Browser<'_>| {
        let page = browser.find(&shop, "userid:canary-7").await;
        browser.page(&browser.post_form(&format!("{page}/look"), &[]).await).await
    };
    assert!(looked(&owner).await.contains("<td>files"));
    let told = looked(&officer).await;
    assert!(told.contains("nothing found") && !told.contains("<td>files"), "{told}");
}

async fn an_overdue_erasure_is_found_behind_hundreds_of_others(world: World) {
    let shop = world.shop("shop").await;
    let forget = async |number: usize| {
        let asked = json!({"Identifier": format!("userid:canary-{number}")});
        world.ask(&shop, "/api/user/forget", asked).await.header("x-erasure-id").to_owned()
    };
    let late = forget(0).await;
    world.clock.advance(Duration::from_secs(40 * 24 * 60 * 60));
    for number in 1..=120 {
        forget(number).await;
    }
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let overdue = viewer.page("/shops/shop/erasures?state=overdue").await;
    assert!(overdue.contains(&late), "{overdue}");
    assert!(viewer.page("/shops/shop").await.contains("1 overdue"));
    let all = viewer.page("/shops/shop/erasures").await;
    assert!(!all.contains(&late) && all.contains("before="), "{all}");
}

async fn a_part_ends_with_the_session_of_who_follows_it(world: World) {
    let shop = world.shop("shop").await;
    let asked = json!({"Identifier": "userid:canary-1"});
    let erasure = world.ask(&shop, "/api/user/forget", asked).await.header("x-erasure-id").to_owned();
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let followed = viewer.ask("GET", &format!("/shops/shop/erasures/{erasure}/live")).send().await;
    let mut followed = followed.expect("an answer");
    assert_eq!(followed.headers()["x-accel-buffering"], "no");
    let first = followed.chunk().await.expect("a text").expect("a part");
    assert!(String::from_utf8_lossy(&first).contains("It continues"), "{first:?}");
    world.control("/control/operator/set", json!({"Name": "Viewer", "State": "disabled"})).await;
    let rest = tokio::time::timeout(Duration::from_secs(20), followed.text()).await;
    let rest = rest.expect("it ends").expect("a text");
    assert!(!rest.contains("event: end"), "{rest}");
}

async fn many_follow_a_part_and_it_is_looked_at_once(world: World) {
    let shop = world.shop("shop").await;
    let asked = json!({"Identifier": "userid:canary-1"});
    let erasure = world.ask(&shop, "/api/user/forget", asked).await.header("x-erasure-id").to_owned();
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let mut followed = Vec::new();
    for _ in 0..limits::EVENT_STREAMS_OF_ACCOUNT + 4 {
        let stream = viewer.ask("GET", &format!("/shops/shop/erasures/{erasure}/live")).send().await;
        let stream = stream.expect("an answer");
        assert_eq!(stream.status(), 200);
        followed.push(stream);
    }
    for stream in &mut followed {
        let first = stream.chunk().await.expect("a stream").expect("a part");
        assert!(String::from_utf8_lossy(&first).contains("It continues"), "{first:?}");
    }
    world.run_all_jobs().await;
    for stream in followed {
        let rest = tokio::time::timeout(Duration::from_secs(20), stream.text()).await;
        let rest = rest.expect("it ends").expect("a text");
        assert!(rest.contains("verified") && rest.contains("event: end\ndata: end\n"), "{rest}");
    }
}

async fn no_line_of_acts_is_passed_over(world: World) {
    let shop = world.shop("shop").await;
    let officer = Browser::sign_in_as(&world, "Officer", "privacy-officer", &[&shop]).await;
    // The clock of the test stands: all lines are of one moment.
    for number in 0..120 {
        officer.find(&shop, &format!("userid:canary-{number}")).await;
    }
    let mut lines = Vec::new();
    let mut question = json!({});
    loop {
        let page = world.control("/control/operator/acts", question).await;
        let page = page.as_array().cloned().unwrap_or_default();
        let Some(last) = page.last() else { break };
        question = json!({"Before": last["At"], "Behind": last["Line"]});
        lines.extend(page);
    }
    let looks = lines.iter().filter(|line| line["Act"] == "person-looked-at").count();
    assert_eq!(looks, 120);
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    assert!(owner.page("/acts").await.contains("&amp;behind="));
}

async fn what_stands_beside_the_cookie_does_no_harm(world: World) {
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let both = [b"x=\xe4; ".as_slice(), owner.cookie.as_bytes()].concat();
    let asked = plain_client().get(world.page("/places"));
    let answer = asked.header("cookie", reqwest::header::HeaderValue::from_bytes(&both).expect("a header"));
    assert!(answer.send().await.expect("an answer").text().await.expect("a text").contains("operator_act"));
    // Nor does a tab in where to go lead elsewhere.
    let mut browser = Browser::new(&world);
    for to in ["/%09/evil.example", "/%0A", "/%5Cevil.example"] {
        let form = [("name", "Owner"), ("password", PASSWORD)];
        let signed = browser.send(&format!("/sign-in?to={to}"), &form).await;
        assert_eq!((signed.status, signed.header("location")), (303, "/"), "{to}");
    }
    assert_eq!(browser.sign_in("Owner", &"x".repeat(5000)).await.status, 413);
}

async fn an_owner_without_a_password_is_no_owner_who_lets_others_in(world: World) {
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    world.control("/control/operator/add", json!({"Name": "Pending"})).await;
    let listed = world.control("/control/operator/list", json!({})).await;
    let number = |name: &str| {
        let one = listed.as_array().into_iter().flatten().find(|one| one["Name"] == name);
        one.expect("it is listed")["Number"].as_str().expect("a number").to_owned()
    };
    let refused = owner.send_form(&format!("/operators/{}", number("Owner")), &[("do", "remove")]).await;
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert_eq!(
        owner.send_form(&format!("/operators/{}", number("Pending")), &[("do", "remove")]).await.status,
        303
    );
}

async fn what_was_refused_is_a_line_too(world: World) {
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    world.shop("shop").await;
    let refused = owner.send_form("/operators", &[("name", "X"), ("role", "viewer")]).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    let acts = world.control("/control/operator/acts", json!({})).await;
    let done: Vec<_> = acts.as_array().into_iter().flatten().filter_map(|act| act["Act"].as_str()).collect();
    for line in ["operator-added", "operator-added, refused", "signed-in", "password-chosen"] {
        assert!(done.contains(&line), "{done:?}");
    }
    assert_eq!(acts[0]["About"], Value::Null);
}

async fn a_closed_shop_is_on_no_page(world: World) {
    let shop = world.shop("shop").await;
    world.shop("other").await;
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    assert_eq!(world.ask(&shop, "/api/plugin/delete", json!({})).await.status, 200);
    world.control("/control/account/deletion/confirm", json!({"Name": "shop"})).await;
    for (browser, status) in [(&owner, 404), (&viewer, 403)] {
        assert_eq!(browser.get("/shops/shop").await.status, status);
        assert!(!browser.page("/").await.contains("/shops/shop"));
    }
    assert!(owner.page("/").await.contains("/shops/other"));
}

async fn an_answer_that_is_not_there_is_said_to_be_gone(world: World) {
    let shop = world.shop("shop").await;
    let asked = json!({"Identifier": "userid:canary-1"});
    let erasure = world.ask(&shop, "/api/user/forget", asked).await.header("x-erasure-id").to_owned();
    let officer = Browser::sign_in_as(&world, "Officer", "privacy-officer", &[&shop]).await;
    let page = format!("/shops/shop/erasures/{erasure}");
    officer.page(&page).await;
    let gone = officer.get(&format!("{page}?answer={}", uuid::Uuid::new_v4())).await;
    let garbled = officer.get(&format!("{page}?answer=canary")).await;
    assert_eq!(gone.status, garbled.status);
    assert!((400..500).contains(&garbled.status), "{}", garbled.status);
}

async fn so_many_typed_products_are_looked_up(world: World) {
    let shop = open_shop(&world, 1).await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let page =
        |known: usize| format!("/shops/one/recommendations?product=p1&items={}gone", "p1,".repeat(known));
    let refused = viewer.get(&page(limits::TYPED_PRODUCTS - 1)).await;
    assert!((400..500).contains(&refused.status), "{}", refused.status);
    viewer.page(&page(limits::TYPED_PRODUCTS)).await;
}
