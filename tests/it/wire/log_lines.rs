//! The log of the server's work: one line an event, numbers and known words alone.

use serde_json::{Value, json};

use crate::support::feed_server::Answer;
use crate::support::log_traces;
use crate::support::program::Program;
use crate::support::sources;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    what_a_shop_does_is_one_line_each_and_nothing_of_what_it_sent
    what_the_operator_does_is_one_line_each
}

/// The lines of successes since the process began, without time and module, and with `ms=…`.
fn collect_lines() -> Vec<String> {
    let logged = log_traces::read_log();
    let lines = logged.lines().filter_map(|line| line.split_once(" INFO lethe::"));
    lines.filter_map(|(_, line)| line.split_once(": ")).map(|(_, line)| without_duration(line)).collect()
}

fn without_duration(line: &str) -> String {
    match line.rsplit_once(" ms=") {
        Some((line, ms)) if ms.bytes().all(|byte| byte.is_ascii_digit()) => format!("{line} ms=…"),
        _ => line.to_owned(),
    }
}

/// The log lines after those that were there before.
fn told_since(before: &[String]) -> Vec<String> {
    collect_lines().split_off(before.len())
}

const CSV: &str = "OrderId,UserId,Email,DateTimeStamp,ProdCode,Quantity,UnityPrice,LinePrice\n\
    o-1,customer-4711,ada@shop.example,2026-11-21 09:00:00,P1,2.0000,12.5000,25.0000";

/// Twenty products, one without an id, and a person.
fn feed() -> Value {
    let mut products: Vec<_> = (1..20).map(|id| json!({"Id": id, "Title": "A secret chair"})).collect();
    products.push(json!({"Title": "A secret table"}));
    json!({"Products": products, "Users": [{"UserId": "customer-4711", "Email": "ada@shop.example"}]})
}

async fn dry_run(world: &World, shop: &Shop, url: &str) {
    let reply = world.ask(shop, "/api/productfeed", json!({"url": url, "DryRun": true})).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    world.run_all_jobs().await;
}

/// Asks to forget a person; gives the id of the erasure.
async fn forget_person(world: &World, shop: &Shop, identifier: &str) -> String {
    let reply = world.ask(shop, "/api/user/forget", json!({"Identifier": identifier})).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.header("x-erasure-id").to_owned()
}

async fn what_a_shop_does_is_one_line_each_and_nothing_of_what_it_sent(world: World) {
    let shop = world.shop("a-name-of-a-shop").await;
    let before = collect_lines();
    let good = || Answer::ok(feed().to_string());
    let url = world.feeds.serve("/private-place", [good(), good(), Answer::status(410)]);
    let complete = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &complete).await, json!(["Complete", null]));
    world.apply_delta(&shop, json!({"Products": [{"Id": 1, "Title": "B"}]})).await;
    dry_run(&world, &shop, &url).await;
    let failed = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &failed).await[0], "Error");
    let cancelled = world.feed(&shop, &url).await;
    world.ask_json(&shop, "/api/feed/cancel", json!({"Token": cancelled})).await;
    world.ask_json(&shop, "/api/feed/cancel", json!({"Token": cancelled})).await;
    crate::support::uploads::send_feed(&world, &shop, "orders-private", &[CSV, ""]).await;
    world.run_all_jobs().await;
    let erasure = forget_person(&world, &shop, "ada@shop.example").await;
    assert_eq!(
        forget_person(&world, &shop, "ada@shop.example").await,
        erasure,
        "asked again, it is the same"
    );
    world.run_all_jobs().await;
    assert_eq!(
        told_since(&before),
        [
            "a feed was published account=1 seq=1 kind=\"url\" rows=21 bad_rows=1 ms=…",
            "a dry run of a feed ended account=1 seq=3 kind=\"url\" rows=21 bad_rows=1 ms=…",
            "a feed failed account=1 seq=4 kind=\"url\" rows=0 bad_rows=0 ms=…",
            "a feed was cancelled account=1 seq=5",
            "a feed was stored account=1 seq=6 kind=\"upload\" rows=1 bad_rows=0 ms=…",
            format!("an erasure was asked for account=1 erasure={erasure}").as_str(),
            format!("an erasure was verified account=1 seq=8 erasure={erasure} ms=…").as_str(),
        ]
    );
    let logged = log_traces::read_log();
    for hidden in
        ["private", "127.0.0.1", "http://", "secret chair", &shop.name, &shop.key, &shop.secret, &complete]
    {
        assert!(!logged.contains(hidden), "{hidden}");
    }
}

async fn what_the_operator_does_is_one_line_each(world: World) {
    let before = collect_lines();
    let shop = world.shop("a-name-of-a-shop").await;
    let ask = async |path: &str, mut body: Value| {
        body["Name"] = shop.name.as_str().into();
        world.control(path, body).await
    };
    ask("/control/account/guard", json!({"Percent": 70})).await;
    ask("/control/account/quota", json!({"Quota": "1 GiB"})).await;
    ask("/control/account/search", json!({"Origins": ["https://private.example"]})).await;
    ask("/control/account/search/renew", json!({})).await;
    ask("/control/account/set", json!({"Contact": "ada@shop.example", "DisplayName": "Quintessa"})).await;
    ask("/control/key/rotate", json!({"Hours": 2})).await;
    ask("/control/key/revoke", json!({"Number": 2})).await;
    for decision in ["dismiss", "confirm"] {
        assert_eq!(world.ask(&shop, "/api/plugin/delete", json!({})).await.status, 200);
        ask(&format!("/control/account/deletion/{decision}"), json!({})).await;
    }
    let target = world.config.data_dir.with_file_name("private-backup");
    world.control_text("/control/backup", json!({"Target": target.display().to_string()})).await;
    let mut told = told_since(&before);
    told.retain(|line| !line.starts_with("a plugin asked for"));
    let backup = told.pop().unwrap_or_default();
    assert_eq!(
        told,
        [
            "an account was created account=1",
            "the removal guard of an account was set account=1 percent=70",
            "the quota of an account was set account=1 quota_bytes=1073741824",
            "the search of an account was set account=1",
            "a search index was made anew account=1 products=0",
            "what a shop says of itself was set account=1",
            "a secret of an account was made account=1 hours=2",
            "a secret of an account was revoked account=1 number=2",
            "the deletion of an account was dismissed account=1",
            "an account was closed account=1",
        ]
    );
    assert!(backup.starts_with("a backup was made files=") && backup.ends_with(" ms=…"), "{backup}");
    let logged = log_traces::read_log();
    for hidden in ["private", "Quintessa", &shop.secret] {
        assert!(!logged.contains(hidden), "{hidden}");
    }
}

#[test]
fn a_start_and_a_stop_are_one_line_each() {
    let mut program = Program::new();
    let served = program.serve();
    program.account("one");
    assert_eq!(served.terminated().0.code(), Some(0));
    let (ended, log) = program.serve().terminated();
    assert_eq!(ended.code(), Some(0));
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let lines: Vec<_> = lines.filter(|line| line["target"] == "lethe::cli::serve").collect();
    let said: Vec<_> = lines.iter().map(|line| (&line["level"], &line["message"])).collect();
    let info = json!("INFO");
    let console = json!("the console listens: lethe operator add NAME adds who may sign in");
    let ends = ["the server started", "the server stopped"].map(|said| json!(said));
    assert_eq!(said, [(&info, &console), (&info, &ends[0]), (&info, &ends[1])]);
    let started = &lines[1];
    assert_eq!(
        [&started["version"], &started["engine"], &started["accounts"]],
        [&json!(env!("CARGO_PKG_VERSION")), &json!("sqlite"), &json!(1)]
    );
}

#[test]
fn every_event_of_the_log_stands_in_the_manual() {
    let manual = include_str!("../../../docs/operating.md");
    let mut missing = Vec::new();
    for (name, text) in sources::sources() {
        for call in text.split("tracing::info!(").skip(1) {
            let end = ["\")", "\"\n"].iter().filter_map(|end| call.find(end)).min().expect("it ends");
            let sentence = call[..end].rsplit('"').next().unwrap_or_default();
            assert!(!sentence.is_empty(), "{name}: {call}");
            // The sentences of feeds that ended are constants.
            if sentence != "{became}" && !manual.contains(&format!("`{sentence}`")) {
                missing.push(format!("{name}: {sentence}"));
            }
        }
        if name.ends_with("feed/ended.rs") {
            let sentences = text.lines().filter(|line| line.starts_with("pub(crate) const "));
            let sentences = sentences.filter_map(|line| line.rsplit('"').nth(1));
            missing.extend(sentences.filter(|one| !manual.contains(&format!("`{one}`"))).map(str::to_owned));
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}
