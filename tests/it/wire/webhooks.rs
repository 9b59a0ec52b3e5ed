//! A shop's own server is told about each end, signed, at least once, and delays no one.

mod edges;

use std::collections::BTreeSet;
use std::time::Duration;

use axum::http::StatusCode;
use lethe::admission::Tenant;
use lethe::ids::AccountId;
use lethe::limits;
use lethe::store::StoreFault;
use lethe::webhooks::{self, WebhookEvent};
use lethe::work;
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::support::feed_server::Answer;
use crate::support::webhook_receiver::{
    Got, Receiver, begin, deliver, fetch_webhook, set_webhook, signature, test, until,
};
use crate::support::world::{NOON, World, on_both_engines};

on_both_engines! {
    what_ended_is_told_signed_as_the_specification_says
    feeds_that_wait_for_one_fetch_are_told_in_one_message
    without_an_address_nothing_waits
    an_address_is_refused_as_that_of_a_feed_is
    a_secret_is_shown_once_and_changed_without_a_gap
    what_is_tried_again_has_the_same_id_and_body
    a_server_that_is_down_is_asked_more_and_more_seldom_and_given_up
    a_clock_that_was_ahead_holds_nothing_up
    a_mended_address_is_told_at_once_what_waits
    a_late_failure_at_an_old_address_puts_nothing_off
    a_dead_server_is_told_in_plain_words
    a_redirect_is_a_failure_wherever_it_leads
    an_address_that_is_gone_is_switched_off_until_it_is_set_anew
    a_message_arrives_also_after_a_crash_in_the_middle
    a_slow_server_delays_nobody_else
    nobody_tries_two_messages_of_an_account_at_once
    too_many_that_wait_go_the_oldest_first
    what_goes_on_is_told_once_or_once_a_day
    a_closed_account_is_told_nothing_any_more
    what_two_tell_at_once_is_marked_by_one_of_them
}

async fn what_ended_is_told_signed_as_the_specification_says(world: World) {
    let shop = world.shop("one").await;
    let receiver = Receiver::start().await;
    let secret = set_webhook(&world, &shop, &receiver.url).await.expect("a secret");
    let mut products: Vec<_> = (0..9).map(|n| json!({"Id": n.to_string(), "Title": "Shoe"})).collect();
    products.push(json!({"Title": "of no id"}));
    let url = world.feeds.serve("/feed", [Answer::ok(json!({ "Products": products }).to_string())]);
    let token = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    let gone = world.feeds.serve("/gone", [Answer::status(400)]);
    world.feed(&shop, &gone).await;
    world.run_all_jobs().await;
    let forgotten = world.ask(&shop, "/api/user/forget", json!({"Identifier": "canary@shop.test"})).await;
    assert_eq!(forgotten.status, 200);
    world.run_all_jobs().await;
    test(&world, &shop).await;
    deliver(&world).await;
    let got = receiver.got();
    let mut types = receiver.types();
    types.sort();
    assert_eq!(types, ["erasure.verified", "feed.ended", "feed.ended", "webhook.test"]);
    let of =
        |wanted: &str| got.iter().map(Got::json).filter(|told| told["type"] == wanted).collect::<Vec<_>>();
    let feeds = of("feed.ended");
    let complete = json!({"feed": token, "also": [], "kind": "url", "dry_run": false, "outcome": "Complete",
        "reason": null, "bad_rows": 1, "items": {"Products": 9}});
    assert!(feeds.iter().any(|told| told["data"] == complete), "{feeds:?}");
    let failed = feeds.iter().find(|told| told["data"]["outcome"] == "Error").expect("one failed");
    assert_eq!(failed["data"]["reason"], "the feed's server answered with status 400");
    let erasures = world.ask_json(&shop, "/api/erasures", json!({})).await;
    let verified = &of("erasure.verified")[0];
    assert_eq!(verified["data"]["erasure"], erasures[0]["Erasure"], "{erasures}");
    let ids: BTreeSet<_> = got.iter().map(|got| got.id.clone()).collect();
    assert_eq!(ids.len(), 4);
    for got in &got {
        assert_eq!(got.signature, signature(&secret, got));
        assert_eq!(got.at, world.clock.now() / 1000);
        let told = got.json();
        assert!(told["timestamp"].as_str().expect("a time").starts_with("2026-11-21T12:0"), "{told}");
        assert!(!got.body.contains("canary"), "{told}");
    }
    let shown = fetch_webhook(&world, &shop).await;
    let now = world.clock.now();
    assert_eq!(
        shown,
        json!({"Url": receiver.url, "SetAt": NOON, "On": true, "Waiting": 0, "DeliveredAt": now, "Fails": 0,
        "GivenUp": 0, "LeftOut": 0})
    );
    deliver(&world).await;
    assert_eq!(receiver.got().len(), 4);
}

async fn feeds_that_wait_for_one_fetch_are_told_in_one_message(world: World) {
    let shop = world.shop("one").await;
    let receiver = Receiver::start().await;
    set_webhook(&world, &shop, &receiver.url).await;
    let url = world
        .feeds
        .serve("/feed", [Answer::ok(r#"{"Products": [{"Id": "1", "Sku": "s", "Title": "Shoe"}]}"#)]);
    let first = world.feed(&shop, &url).await;
    let second = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    deliver(&world).await;
    let got = receiver.got();
    assert_eq!(got.len(), 1);
    let data = &got[0].json()["data"];
    assert_eq!((&data["feed"], &data["also"]), (&json!(second), &json!([first])));
    // A cancelled feed is reported too.
    let url = world.feeds.serve("/other", [Answer::ok("{}")]);
    let token = world.feed(&shop, &url).await;
    world.ask_json(&shop, "/api/feed/cancel", json!({ "Token": token })).await;
    world.run_all_jobs().await;
    deliver(&world).await;
    let data = &receiver.got()[1].json()["data"];
    assert_eq!((&data["feed"], &data["reason"]), (&json!(token), &json!("cancelled")));
}

async fn without_an_address_nothing_waits(world: World) {
    let shop = world.shop("one").await;
    world
        .complete_feed(&shop, "/feed", &json!({"Products": [{"Id": "1", "Sku": "s", "Title": "Shoe"}]}))
        .await;
    for path in ["/api/webhook", "/api/webhook/test", "/api/webhook/rotate", "/api/webhook/remove"] {
        world.ask(&shop, path, json!({})).await.expect_refusal(404);
    }
    let receiver = Receiver::start().await;
    set_webhook(&world, &shop, &receiver.url).await;
    deliver(&world).await;
    assert_eq!(receiver.got(), []);
    test(&world, &shop).await;
    let removed = world.ask_json(&shop, "/api/webhook/remove", json!({})).await;
    assert_eq!(removed, json!({"State": "removed"}));
    deliver(&world).await;
    assert_eq!(receiver.got(), []);
    world.ask(&shop, "/api/webhook", json!({})).await.expect_refusal(404);
}

async fn an_address_is_refused_as_that_of_a_feed_is(world: World) {
    let shop = world.shop("one").await;
    for url in [
        "http://10.0.0.1/",
        "http://[::ffff:10.0.0.1]/",
        "ftp://shop.test/",
        "https://a:b@shop.test/",
        "hook",
        "",
    ] {
        let of_feed = world.ask(&shop, "/api/productfeed", json!({ "url": url })).await.expect_refusal(400);
        let of_hook = world.ask(&shop, "/api/webhook/set", json!({ "Url": url })).await.expect_refusal(400);
        assert_eq!(of_feed.strip_prefix("url: "), of_hook.strip_prefix("Url: "), "{url}");
    }
    world.ask(&shop, "/api/webhook", json!({})).await.expect_refusal(404);
}

async fn a_secret_is_shown_once_and_changed_without_a_gap(world: World) {
    let shop = world.shop("one").await;
    let receiver = Receiver::start().await;
    let first = set_webhook(&world, &shop, &receiver.url).await.expect("a secret");
    // Another address has the same secret.
    assert_eq!(set_webhook(&world, &shop, &receiver.url).await, None);
    let shown = world.ask(&shop, "/api/webhook", json!({})).await.text;
    assert!(!shown.contains("whsec_"), "{shown}");
    let rotated = world.ask_json(&shop, "/api/webhook/rotate", json!({})).await;
    let second = rotated["Secret"].as_str().expect("a secret");
    let day = 24 * 3_600_000;
    assert_eq!(rotated["OldSecretUntil"], NOON + day);
    test(&world, &shop).await;
    deliver(&world).await;
    let got = receiver.got().remove(0);
    assert_eq!(got.signature, format!("{} {}", signature(second, &got), signature(&first, &got)));
    // Changed again before the receiver was: its old secret still counts.
    let third = world.ask_json(&shop, "/api/webhook/rotate", json!({})).await["Secret"].clone();
    let third = third.as_str().expect("a secret");
    test(&world, &shop).await;
    deliver(&world).await;
    let got = receiver.got().remove(1);
    assert_eq!(got.signature, format!("{} {}", signature(third, &got), signature(&first, &got)));
    world.clock.jump(day);
    test(&world, &shop).await;
    deliver(&world).await;
    let got = receiver.got().remove(2);
    assert_eq!(got.signature, signature(third, &got));
    if !world.is_postgres() {
        let files = ["lethe.db", "lethe.db-wal"].map(|name| world.config.data_dir.join(name));
        let bytes = files.map(|file| std::fs::read(file).unwrap_or_default()).concat();
        assert!(!bytes.windows(6).any(|some| some == b"canary" || some == b"whsec_"), "they are sealed");
    }
}

async fn what_is_tried_again_has_the_same_id_and_body(world: World) {
    let shop = world.shop("one").await;
    let receiver = Receiver::start().await;
    set_webhook(&world, &shop, &receiver.url).await;
    receiver.set_answer(StatusCode::INTERNAL_SERVER_ERROR);
    test(&world, &shop).await;
    deliver(&world).await;
    let failed = fetch_webhook(&world, &shop).await;
    assert_eq!((&failed["Waiting"], &failed["Fails"]), (&json!(1), &json!(1)));
    assert_eq!(failed["Failure"], "the server answered with status 500");
    world.clock.advance(Duration::from_secs(6));
    deliver(&world).await;
    let got = receiver.got();
    assert_eq!(got.len(), 2);
    assert_eq!((&got[0].id, &got[0].body), (&got[1].id, &got[1].body));
    assert_eq!(got[1].at, got[0].at + 6);
    let shown = fetch_webhook(&world, &shop).await;
    assert_eq!((&shown["Waiting"], &shown["Fails"], &shown["GivenUp"]), (&json!(0), &json!(0), &json!(0)));
}

async fn a_server_that_is_down_is_asked_more_and_more_seldom_and_given_up(world: World) {
    let shop = world.shop("one").await;
    let receiver = Receiver::start().await;
    set_webhook(&world, &shop, &receiver.url).await;
    receiver.answer_often(StatusCode::SERVICE_UNAVAILABLE, 1000);
    test(&world, &shop).await;
    test(&world, &shop).await;
    deliver(&world).await;
    deliver(&world).await;
    assert_eq!(receiver.got().len(), 1, "the second rests as well");
    for _ in 0..4 * 24 * 60 {
        world.clock.advance(Duration::from_secs(60));
        deliver(&world).await;
        if fetch_webhook(&world, &shop).await["Waiting"] == 0 {
            break;
        }
    }
    let hours = (world.clock.now() - NOON) / 3_600_000;
    assert!((75..90).contains(&hours), "given up after {hours} hours");
    assert_eq!(receiver.got().len(), 2 * 10);
    assert_eq!(fetch_webhook(&world, &shop).await["GivenUp"], 2);
}

async fn a_clock_that_was_ahead_holds_nothing_up(world: World) {
    let shop = world.shop("one").await;
    let receiver = Receiver::start().await;
    set_webhook(&world, &shop, &receiver.url).await;
    receiver.set_answer(StatusCode::INTERNAL_SERVER_ERROR);
    let ahead = 3 * 24 * 3_600_000;
    world.clock.jump(ahead);
    test(&world, &shop).await;
    deliver(&world).await;
    world.clock.jump(-ahead);
    deliver(&world).await;
    assert_eq!(receiver.got().len(), 2);
    assert_eq!(fetch_webhook(&world, &shop).await["Waiting"], 0);
}

async fn a_mended_address_is_told_at_once_what_waits(world: World) {
    let shop = world.shop("one").await;
    let [wrong, right] = [Receiver::start().await, Receiver::start().await];
    set_webhook(&world, &shop, &wrong.url).await;
    wrong.answer_often(StatusCode::NOT_FOUND, 9);
    test(&world, &shop).await;
    for pause in [6, 400, 60] {
        deliver(&world).await;
        world.clock.advance(Duration::from_secs(pause));
    }
    deliver(&world).await;
    assert_eq!(wrong.got().len(), 3, "it waits for half an hour");
    set_webhook(&world, &shop, &right.url).await;
    deliver(&world).await;
    assert_eq!((right.got().len(), &right.got()[0].id), (1, &wrong.got()[0].id));
}

async fn a_late_failure_at_an_old_address_puts_nothing_off(world: World) {
    let shop = world.shop("one").await;
    let [old, new] = [Receiver::start().await, Receiver::start().await];
    set_webhook(&world, &shop, &old.url).await;
    test(&world, &shop).await;
    // The first try is under way when the address is corrected, and fails after it.
    let now = world.clock.now();
    let write = async |is_end: bool, claimed: Option<webhooks::ClaimedMessage>| {
        let writing = world.node().store.write(AccountId(1), move |tx| match &claimed {
            Some(claimed) if is_end => {
                let outcome = webhooks::DeliveryOutcome::Failed("no answer".to_owned());
                webhooks::end(tx, AccountId(1), claimed, &outcome, now + 1).map(|_| None)
            }
            _ => webhooks::claim(tx, AccountId(1), now),
        });
        writing.await.map_err(|fault: StoreFault| fault).expect("the store answers")
    };
    let claimed = write(false, None).await;
    world.clock.advance(Duration::from_millis(1));
    set_webhook(&world, &shop, &new.url).await;
    assert!(write(true, claimed).await.is_none());
    let told = fetch_webhook(&world, &shop).await;
    assert_eq!((told.get("FailedAt"), &told["Waiting"]), (None, &json!(1)), "{told}");
    deliver(&world).await;
    assert_eq!((old.got().len(), new.got().len()), (0, 1));
}

async fn a_dead_server_is_told_in_plain_words(world: World) {
    let shop = world.shop("one").await;
    let free = TcpListener::bind("127.0.0.1:0").await.expect("a port").local_addr().expect("its address");
    set_webhook(&world, &shop, &format!("http://{free}/hook")).await;
    test(&world, &shop).await;
    deliver(&world).await;
    let failed = fetch_webhook(&world, &shop).await;
    assert_eq!((&failed["On"], &failed["Waiting"]), (&json!(true), &json!(1)));
    assert_eq!(failed["Failure"], "no connection to the server could be made");
    // A name is looked up at each try.
    set_webhook(&world, &shop, "http://nobody.invalid/hook").await;
    world.clock.advance(Duration::from_secs(6));
    deliver(&world).await;
    let failure = fetch_webhook(&world, &shop).await["Failure"].clone();
    assert_eq!(failure, "the name of the server could not be resolved");
}

async fn a_redirect_is_a_failure_wherever_it_leads(world: World) {
    let shop = world.shop("one").await;
    let receiver = Receiver::start().await;
    let inward = Receiver::start().await;
    set_webhook(&world, &shop, &receiver.url).await;
    test(&world, &shop).await;
    for status in [301, 302, 303, 307, 308] {
        let status = StatusCode::from_u16(status).expect("a status");
        receiver.set_answer((status, [("location", inward.url.clone())]));
        deliver(&world).await;
        let failure = fetch_webhook(&world, &shop).await["Failure"].to_string();
        assert!(failure.contains("a redirect is not followed"), "{failure}");
        world.clock.advance(Duration::from_secs(12 * 3600));
    }
    assert_eq!((receiver.got().len(), inward.got().len()), (5, 0));
}

async fn an_address_that_is_gone_is_switched_off_until_it_is_set_anew(world: World) {
    let shop = world.shop("one").await;
    let receiver = Receiver::start().await;
    set_webhook(&world, &shop, &receiver.url).await;
    receiver.set_answer(StatusCode::GONE);
    test(&world, &shop).await;
    test(&world, &shop).await;
    deliver(&world).await;
    let off = fetch_webhook(&world, &shop).await;
    assert_eq!((&off["On"], &off["Waiting"], &off["GivenUp"]), (&json!(false), &json!(0), &json!(2)));
    assert!(off["Off"].as_str().expect("a sentence").contains("410"), "{off}");
    world.ask(&shop, "/api/webhook/test", json!({})).await.expect_refusal(404);
    world.clock.advance(Duration::from_secs(24 * 3600));
    deliver(&world).await;
    assert_eq!(receiver.got().len(), 1);
    set_webhook(&world, &shop, &receiver.url).await;
    test(&world, &shop).await;
    deliver(&world).await;
    assert_eq!(receiver.got().len(), 2);
    assert_eq!(fetch_webhook(&world, &shop).await["On"], true);
}

async fn a_message_arrives_also_after_a_crash_in_the_middle(mut world: World) {
    let shop = world.shop("one").await;
    let receiver = Receiver::slow().await;
    set_webhook(&world, &shop, &receiver.url).await;
    test(&world, &shop).await;
    let stop = CancellationToken::new();
    let trying = begin(&world, &stop).await;
    until(|| receiver.got().len() == 1).await;
    // The server has it, and its answer does not come any more.
    stop.cancel();
    trying.wait().await;
    world.crash().await;
    receiver.gate.close();
    deliver(&world).await;
    assert_eq!(receiver.got().len(), 1, "the one that ended may be trying still");
    world.clock.advance(2 * limits::WEBHOOK_TRY_DURATION);
    deliver(&world).await;
    let got = receiver.got();
    assert_eq!(got.len(), 2);
    assert_eq!((&got[0].id, &got[0].body), (&got[1].id, &got[1].body));
    assert_eq!(fetch_webhook(&world, &shop).await["Waiting"], 0);
}

async fn a_slow_server_delays_nobody_else(world: World) {
    let one = world.shop("one").await;
    let two = world.shop("two").await;
    let slow = Receiver::slow().await;
    let quick = Receiver::start().await;
    set_webhook(&world, &one, &slow.url).await;
    set_webhook(&world, &two, &quick.url).await;
    for shop in [&one, &one, &one, &two, &two] {
        test(&world, shop).await;
    }
    let stop = CancellationToken::new();
    let trying = tokio::time::timeout(limits::WEBHOOK_TRY_DURATION / 2, begin(&world, &stop)).await;
    let trying = trying.expect("nobody waits for a slow server");
    until(|| quick.got().len() == 2 && slow.got().len() == 1).await;
    // It has one place, whatever waits for it, and nothing of the store.
    assert!(world.node().resources.webhooks.is_used_up_by(Tenant::Account(AccountId(1))));
    deliver(&world).await;
    assert_eq!(slow.got().len(), 1);
    world
        .complete_feed(&one, "/feed", &json!({"Products": [{"Id": "1", "Sku": "s", "Title": "Shoe"}]}))
        .await;
    slow.gate.close();
    trying.wait().await;
    deliver(&world).await;
    assert_eq!(slow.got().len(), 4);
}

async fn nobody_tries_two_messages_of_an_account_at_once(world: World) {
    let shop = world.shop("one").await;
    let receiver = Receiver::start().await;
    set_webhook(&world, &shop, &receiver.url).await;
    test(&world, &shop).await;
    test(&world, &shop).await;
    // As another node would.
    let now = world.clock.now();
    let claim = async || {
        let claiming =
            world.node().store.write(AccountId(1), move |tx| webhooks::claim(tx, AccountId(1), now));
        claiming.await.map_err(|fault: StoreFault| fault).expect("the store answers")
    };
    assert!(claim().await.is_some());
    assert!(claim().await.is_none());
    deliver(&world).await;
    assert_eq!(receiver.got(), []);
}

async fn too_many_that_wait_go_the_oldest_first(world: World) {
    let shop = world.shop("one").await;
    let receiver = Receiver::start().await;
    set_webhook(&world, &shop, &receiver.url).await;
    let telling = world.node().store.write(AccountId(1), move |tx| {
        (0..limits::WEBHOOK_MESSAGES + 3).try_for_each(|n| {
            let made_at = Some(n);
            webhooks::enqueue(tx, AccountId(1), &WebhookEvent::BackupOld { made_at }, NOON - 2000 + n)
        })
    });
    telling.await.map_err(|fault: StoreFault| fault).expect("told");
    let shown = fetch_webhook(&world, &shop).await;
    assert_eq!((&shown["Waiting"], &shown["LeftOut"]), (&json!(limits::WEBHOOK_MESSAGES), &json!(3)));
    deliver(&world).await;
    let got = receiver.got();
    assert_eq!(got.len(), limits::WEBHOOK_TURN_MESSAGES, "then others have their turn");
    assert_eq!(got[0].json()["data"]["made_at"], "1970-01-01T00:00:00.003Z", "the oldest that is left");
}

async fn what_goes_on_is_told_once_or_once_a_day(world: World) {
    let shop = world.shop("one").await;
    let receiver = Receiver::start().await;
    set_webhook(&world, &shop, &receiver.url).await;
    let notice = async || {
        work::webhooks::notice(world.node()).await.expect("the store answers");
        deliver(&world).await;
        let mut types = receiver.types();
        receiver.got.lock().expect("got").clear();
        types.sort();
        types
    };
    // No backup was ever made.
    assert_eq!(notice().await, ["backup.old"]);
    assert_eq!(notice().await, [""; 0]);
    // Two erasures that are not done.
    world.forget(&shop, "one@shop.test").await;
    world.clock.advance(Duration::from_secs(3600));
    world.forget(&shop, "two@shop.test").await;
    assert_eq!(notice().await, [""; 0]);
    let day = Duration::from_secs(24 * 3600);
    world.clock.advance(22 * day);
    world.clock.advance(Duration::from_secs(23 * 3600));
    assert_eq!(notice().await, ["backup.old"], "their day has not come");
    world.clock.advance(Duration::from_secs(30 * 60));
    assert_eq!(notice().await, ["erasure.due_soon"], "the one that is due first");
    world.clock.advance(day);
    assert_eq!(notice().await, ["backup.old", "erasure.due_soon"]);
    // Two that are due at once are told once each.
    world.forget(&shop, "three@shop.test").await;
    world.forget(&shop, "four@shop.test").await;
    world.clock.advance(23 * day);
    assert_eq!(notice().await, ["backup.old"]);
    world.clock.advance(2 * day);
    assert_eq!(notice().await, ["backup.old", "erasure.due_soon", "erasure.due_soon"]);
    world.clock.advance(day);
    assert_eq!(notice().await, ["backup.old"]);
    world
        .complete_feed(&shop, "/feed", &json!({"Products": [{"Id": "1", "Sku": "s", "Title": "Shoe"}]}))
        .await;
    deliver(&world).await;
    receiver.got.lock().expect("got").clear();
    world.control("/control/account/quota", json!({"Name": "one", "Quota": "100B"})).await;
    assert_eq!(notice().await, ["quota.near"]);
    assert_eq!(notice().await, [""; 0]);
    world.clock.advance(day);
    assert_eq!(notice().await, ["backup.old", "quota.near"]);
}

async fn a_closed_account_is_told_nothing_any_more(world: World) {
    let shop = world.shop("one").await;
    let receiver = Receiver::start().await;
    set_webhook(&world, &shop, &receiver.url).await;
    test(&world, &shop).await;
    let asked = world.ask(&shop, "/api/plugin/delete", json!({})).await;
    assert_eq!(asked.status, 200, "{}", asked.text);
    world.control("/control/account/deletion/confirm", json!({"Name": "one"})).await;
    deliver(&world).await;
    assert_eq!(receiver.got(), []);
    let found = world.node().store.read(|tx| webhooks::get(tx, AccountId(1))).await;
    assert!(found.map_err(|fault: StoreFault| fault).expect("the store answers").is_none());
    // The operator reaches it by its name; it is not to be told of anything again.
    let again = json!({"Account": "one", "Url": receiver.url});
    let (status, text) = world.control_answer("/api/webhook/set", again).await;
    assert_eq!(status, 409, "{text}");
}

/// A sender that read the marks before another one changed them does not mark the same again.
async fn what_two_tell_at_once_is_marked_by_one_of_them(world: World) {
    let shop = world.shop("one").await;
    let receiver = Receiver::start().await;
    set_webhook(&world, &shop, &receiver.url).await;
    let marking = world.node().store.write(AccountId(1), |tx| {
        let Some((account, before)) = webhooks::listening(tx)?.first().copied() else { return Ok(None) };
        let first = webhooks::mark(tx, account, before, webhooks::MessageMarks { backup_day: 7, ..before })?;
        let second = webhooks::mark(tx, account, before, webhooks::MessageMarks { backup_day: 5, ..before })?;
        let now = webhooks::listening(tx)?.first().map(|(_, marks)| marks.backup_day);
        Ok::<_, StoreFault>(Some((first, second, now)))
    });
    assert_eq!(marking.await.expect("the store answers"), Some((true, false, Some(7))));
}
