//! Edges of webhooks: settings that change under a try, the second secret, turns, notices to several shops, and feeds
//! that end in other ways than a fetch.

use std::time::Duration;

use axum::http::StatusCode;
use lethe::ids::AccountId;
use lethe::store::{Owner, StoreFault};
use lethe::webhooks::{self, ClaimedMessage, DeliveryEffect, DeliveryOutcome};
use lethe::{args, limits, sql, work};
use serde_json::{Value, json};

use crate::support::feed_server::Answer;
use crate::support::uploads;
use crate::support::webhook_receiver::{
    Receiver, begin, deliver, fetch_webhook, set_webhook, signature, test, until,
};
use crate::support::world::{NOON, World, on_both_engines, statement};

on_both_engines! {
    a_late_answer_at_an_old_address_says_nothing_of_the_new_one
    an_address_set_anew_begins_the_tries_of_a_message_again_until_it_is_too_old
    a_webhook_that_was_removed_leaves_nothing_to_the_next_one
    a_secret_counts_for_a_day_after_the_change_that_replaced_it
    an_address_that_other_keys_sealed_is_not_shown_and_can_be_set_anew
    who_waited_longest_is_tried_first_and_a_try_is_over_after_twice_its_time
    a_server_that_fails_again_rests_twice_as_long_for_all_its_messages
    a_slow_receiver_has_its_place_for_one_message
    an_old_backup_is_told_to_every_shop_once_a_day
    a_message_about_a_feed_says_how_it_came_and_what_it_shows
    feeds_whose_window_closes_are_told_before_the_one_that_they_wait_for
}

const DAY: i64 = 24 * 3_600_000;

async fn claim(world: &World, account: AccountId, now: i64) -> Option<ClaimedMessage> {
    let claiming = world.node().store.write(account, move |tx| webhooks::claim(tx, account, now));
    claiming.await.map_err(|fault: StoreFault| fault).expect("the store answers")
}

async fn end(
    world: &World,
    account: AccountId,
    claimed: ClaimedMessage,
    outcome: DeliveryOutcome,
    now: i64,
) -> DeliveryEffect {
    let store = &world.node().store;
    let ending = store.write(account, move |tx| webhooks::end(tx, account, &claimed, &outcome, now));
    ending.await.map_err(|fault: StoreFault| fault).expect("the store answers")
}

/// The accounts with a message to be tried, in their order.
async fn list_due(world: &World, now: i64) -> Vec<i64> {
    let due = world.node().store.read(move |tx| webhooks::due(tx, now)).await;
    let due = due.map_err(|fault: StoreFault| fault).expect("the store answers");
    due.iter().map(|account| account.0).collect()
}

async fn a_late_answer_at_an_old_address_says_nothing_of_the_new_one(world: World) {
    let shop = world.shop("one").await;
    let [old, new] = [Receiver::start().await, Receiver::start().await];
    for (outcome, waiting) in [(DeliveryOutcome::Delivered, 0), (DeliveryOutcome::Gone, 1)] {
        set_webhook(&world, &shop, &old.url).await;
        test(&world, &shop).await;
        let now = world.clock.now();
        let claimed = claim(&world, AccountId(1), now).await.expect("a message");
        world.clock.jump(1);
        set_webhook(&world, &shop, &new.url).await;
        end(&world, AccountId(1), claimed, outcome, now + 1).await;
        let told = fetch_webhook(&world, &shop).await;
        assert_eq!((&told["On"], &told["Waiting"]), (&json!(true), &json!(waiting)), "{told}");
        assert_eq!((told.get("DeliveredAt"), told.get("FailedAt")), (None, None), "{told}");
    }
    deliver(&world).await;
    assert_eq!((old.got().len(), new.got().len()), (0, 1));
}

async fn an_address_set_anew_begins_the_tries_of_a_message_again_until_it_is_too_old(world: World) {
    let shop = world.shop("one").await;
    let [wrong, right] = [Receiver::start().await, Receiver::start().await];
    set_webhook(&world, &shop, &wrong.url).await;
    wrong.answer_often(StatusCode::NOT_FOUND, 9);
    right.answer_often(StatusCode::SERVICE_UNAVAILABLE, 9);
    world.get("/metrics").await;
    test(&world, &shop).await;
    let made_at = world.clock.now();
    for pause in [6, 400, 0] {
        deliver(&world).await;
        world.clock.advance(Duration::from_secs(pause));
    }
    assert_eq!(fetch_webhook(&world, &shop).await["Fails"], 3);
    // A new address has no past; its first pauses are short again.
    set_webhook(&world, &shop, &right.url).await;
    let told = fetch_webhook(&world, &shop).await;
    assert_eq!(
        (&told["Fails"], told.get("FailedAt"), told.get("Failure")),
        (&json!(0), None, None),
        "{told}"
    );
    deliver(&world).await;
    world.clock.advance(Duration::from_secs(6));
    deliver(&world).await;
    assert_eq!((wrong.got().len(), right.got().len()), (3, 2));
    // Setting it each day keeps no message for ever.
    let kept = i64::try_from(limits::WEBHOOK_KEPT_DURATION.as_millis()).expect("days");
    for (age, waiting) in [(kept, 1), (kept + 1, 0)] {
        world.clock.jump(made_at + age - world.clock.now());
        set_webhook(&world, &shop, &right.url).await;
        deliver(&world).await;
        let told = fetch_webhook(&world, &shop).await;
        assert_eq!((&told["Waiting"], &told["GivenUp"]), (&json!(waiting), &json!(1 - waiting)), "{told}");
    }
    let counted = world.get("/metrics").await.text;
    for (outcome, times) in [("again", 6), ("given_up", 1)] {
        let line = format!("lethe_webhooks_total{{outcome=\"{outcome}\"}} {times}");
        assert!(counted.lines().any(|counted| counted == line), "{line}");
    }
}

async fn a_webhook_that_was_removed_leaves_nothing_to_the_next_one(world: World) {
    let shop = world.shop("one").await;
    let other = world.shop("two").await;
    let receiver = Receiver::start().await;
    let first = set_webhook(&world, &shop, &receiver.url).await.expect("a secret");
    set_webhook(&world, &other, &receiver.url).await;
    test(&world, &shop).await;
    test(&world, &other).await;
    world.ask_json(&shop, "/api/webhook/remove", json!({})).await;
    let second = set_webhook(&world, &shop, &receiver.url).await.expect("another secret");
    assert_ne!(first, second);
    let waiting = [fetch_webhook(&world, &shop).await, fetch_webhook(&world, &other).await];
    assert_eq!(waiting.map(|told| told["Waiting"].clone()), [0, 1]);
}

async fn a_secret_counts_for_a_day_after_the_change_that_replaced_it(world: World) {
    let shop = world.shop("one").await;
    let receiver = Receiver::start().await;
    set_webhook(&world, &shop, &receiver.url).await;
    let rotate = async || world.ask_json(&shop, "/api/webhook/rotate", json!({})).await;
    let second = rotate().await["Secret"].as_str().expect("a secret").to_owned();
    world.clock.jump(DAY - 1);
    assert_eq!(fetch_webhook(&world, &shop).await["OldSecretUntil"], NOON + DAY);
    world.clock.jump(1);
    assert_eq!(fetch_webhook(&world, &shop).await.get("OldSecretUntil"), None);
    let rotated = rotate().await;
    assert_eq!(rotated["OldSecretUntil"], NOON + 2 * DAY);
    test(&world, &shop).await;
    deliver(&world).await;
    let got = receiver.got().remove(0);
    let third = rotated["Secret"].as_str().expect("a secret");
    assert_eq!(got.signature, format!("{} {}", signature(third, &got), signature(&second, &got)));
}

async fn an_address_that_other_keys_sealed_is_not_shown_and_can_be_set_anew(world: World) {
    const SEALED: [u8; 60] = [7; 60];
    let shop = world.shop("one").await;
    let url = "https://hooks.example/lethe";
    set_webhook(&world, &shop, url).await;
    let sealing = statement("other_keys", "UPDATE webhook SET address = $1");
    let store = &world.node().store;
    let changing = store.write(AccountId(1), move |tx| tx.exec(&sealing, args![SEALED.as_slice()]));
    changing.await.map_err(|fault: StoreFault| fault).expect("the store answers");
    world.ask(&shop, "/api/webhook", json!({})).await.expect_refusal(503);
    set_webhook(&world, &shop, url).await;
    assert_eq!(fetch_webhook(&world, &shop).await["Url"], url);
}

async fn who_waited_longest_is_tried_first_and_a_try_is_over_after_twice_its_time(world: World) {
    let receiver = Receiver::start().await;
    for name in ["one", "two", "three"] {
        let shop = world.shop(name).await;
        set_webhook(&world, &shop, &receiver.url).await;
        test(&world, &shop).await;
        test(&world, &shop).await;
    }
    let now = world.clock.now();
    assert_eq!(list_due(&world, now).await, [1, 2, 3]);
    let claimed = claim(&world, AccountId(1), now).await.expect("a message");
    assert_eq!(list_due(&world, now).await, [2, 3]);
    let ended = end(&world, AccountId(1), claimed, DeliveryOutcome::Delivered, now).await;
    assert_eq!(ended, DeliveryEffect::Delivered);
    assert_eq!(list_due(&world, now).await, [2, 3, 1]);
    // A try that never ends, as in a node that was killed.
    assert!(claim(&world, AccountId(2), now).await.is_some());
    let over = now + 2 * i64::try_from(limits::WEBHOOK_TRY_DURATION.as_millis()).expect("seconds");
    assert!(claim(&world, AccountId(2), over - 1).await.is_none());
    assert_eq!(list_due(&world, over - 1).await, [3, 1]);
    assert_eq!(list_due(&world, over).await, [3, 1, 2]);
    assert!(claim(&world, AccountId(2), over).await.is_some());
}

async fn a_server_that_fails_again_rests_twice_as_long_for_all_its_messages(world: World) {
    let shop = world.shop("one").await;
    let receiver = Receiver::start().await;
    set_webhook(&world, &shop, &receiver.url).await;
    for _ in 0..4 {
        test(&world, &shop).await;
    }
    let mut now = world.clock.now();
    for rest in [0, 5_000, 10_000, 20_000] {
        assert!(rest == 0 || claim(&world, AccountId(1), now + rest - 1).await.is_none(), "{rest}");
        now += rest;
        let claimed = claim(&world, AccountId(1), now).await.expect("a message");
        let failed = DeliveryOutcome::Failed("no answer".to_owned());
        assert_eq!(end(&world, AccountId(1), claimed, failed, now).await, DeliveryEffect::Again);
    }
}

async fn a_slow_receiver_has_its_place_for_one_message(world: World) {
    let shop = world.shop("one").await;
    let slow = Receiver::slow().await;
    set_webhook(&world, &shop, &slow.url).await;
    test(&world, &shop).await;
    test(&world, &shop).await;
    let trying = begin(&world, &tokio_util::sync::CancellationToken::new()).await;
    until(|| slow.got().len() == 1).await;
    tokio::time::sleep(Duration::from_millis(2_050)).await;
    slow.gate.close();
    trying.wait().await;
    assert_eq!(slow.got().len(), 1, "its turn took too long for another");
    deliver(&world).await;
    assert_eq!(slow.got().len(), 2);
}

async fn an_old_backup_is_told_to_every_shop_once_a_day(world: World) {
    let receivers = [Receiver::start().await, Receiver::start().await];
    for (name, receiver) in ["one", "two"].into_iter().zip(&receivers) {
        set_webhook(&world, &world.shop(name).await, &receiver.url).await;
    }
    let made_at = world.clock.now();
    let store = &world.node().store;
    let making = store.write(Owner::STORE, move |tx| tx.exec(&sql::node_backed_up, args![made_at]));
    making.await.map_err(|fault: StoreFault| fault).expect("it is noted");
    let counts = async || {
        let notice = async || work::webhooks::notice(world.node()).await.expect("the store answers");
        // As several nodes would, at once.
        tokio::join!(notice(), notice(), notice());
        deliver(&world).await;
        receivers.each_ref().map(|receiver| receiver.got().len())
    };
    world.clock.jump(7 * DAY);
    assert_eq!(counts().await, [0, 0], "it is a week old");
    world.clock.jump(1);
    assert_eq!(counts().await, [1, 1]);
    for receiver in &receivers {
        let told = receiver.got()[0].json();
        assert_eq!(
            (&told["type"], &told["data"]["made_at"]),
            (&json!("backup.old"), &json!("2026-11-21T12:00:00Z"))
        );
    }
    for day in 2..6 {
        world.clock.jump(DAY);
        assert_eq!(counts().await, [day, day]);
    }
}

async fn a_message_about_a_feed_says_how_it_came_and_what_it_shows(world: World) {
    let shop = world.shop("one").await;
    let receiver = Receiver::start().await;
    world.complete_feed(&shop, "/brands", &json!({"Brands": [{"Id": "b", "DisplayName": "B"}]})).await;
    set_webhook(&world, &shop, &receiver.url).await;
    let told = async || {
        world.run_all_jobs().await;
        deliver(&world).await;
        let told = receiver.got().last().expect("a message").json()["data"].clone();
        json!([told["kind"], told["dry_run"], told["outcome"], told["bad_rows"], told["items"]])
    };
    let feed = |ids: &[i64]| {
        json!({"Products": ids.iter().map(|id| json!({"Id": id, "Title": "Shoe"})).collect::<Vec<_>>()})
            .to_string()
    };
    let url = world.feeds.serve("/products", [Answer::ok(feed(&[1, 2]))]);
    let dry = world.ask(&shop, "/api/productfeed", json!({"url": url, "DryRun": true})).await;
    assert_eq!(told().await, json!(["url", true, "Complete", 0, {}]));
    let held = dry.header("x-feed-token");
    assert_eq!(world.ask(&shop, "/api/feed/publish", json!({"Token": held})).await.status, 200);
    assert_eq!(told().await, json!(["republish", false, "Complete", 0, {"Products": 2}]));
    uploads::send_feed(&world, &shop, "product-1", &[&feed(&[1, 2, 3])[..5], &feed(&[1, 2, 3])[5..]]).await;
    assert_eq!(told().await, json!(["upload", false, "Complete", 0, {"Products": 3}]));
    assert_eq!(receiver.got().len(), 3);
}

async fn feeds_whose_window_closes_are_told_before_the_one_that_they_wait_for(world: World) {
    let shop = world.shop("one").await;
    let receiver = Receiver::start().await;
    set_webhook(&world, &shop, &receiver.url).await;
    let url = world.feeds.serve("/f", [Answer::status(503)]);
    let mut tokens = Vec::new();
    for hours in [0, 0, 20] {
        world.clock.advance(Duration::from_secs(hours * 3600));
        tokens.push(world.feed(&shop, &url).await);
        world.run_all_jobs().await;
    }
    deliver(&world).await;
    assert_eq!(receiver.got(), []);
    world.clock.advance(Duration::from_secs(5 * 3600));
    world.run_all_jobs().await;
    world.feeds.serve("/f", [Answer::ok(json!({"Products": [{"Id": 1}]}).to_string())]);
    world.clock.advance(Duration::from_secs(3600));
    world.run_all_jobs().await;
    deliver(&world).await;
    let told: Vec<Value> = receiver.got().iter().map(|got| got.json()["data"].clone()).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    let [closed, ended] = [&told[0], &told[1]];
    let why = closed["reason"].as_str().expect("a reason");
    assert!(why.contains("for 24 hours") && closed["outcome"] == "Error", "{closed}");
    assert_eq!((&closed["feed"], &closed["also"]), (&json!(tokens[0]), &json!([tokens[1]])));
    assert_eq!(
        (&ended["feed"], &ended["also"], &ended["outcome"]),
        (&json!(tokens[2]), &json!([]), &json!("Complete"))
    );
}
