//! The edges of every kind of jobs, as a table: nothing to do, cancelled before it begins, a store that fails in the
//! middle, and late.

use std::collections::BTreeSet;
use std::time::Duration;

use lethe::jobs::Lane;
use lethe::work::{self, KINDS};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::feed_server::Answer;
use crate::support::tables::{list_tables, rename_tables};
use crate::support::uploads;
use crate::support::world::{Shop, World, on_both_engines, on_sqlite};

on_both_engines! {
    no_kind_of_jobs_has_anything_to_do_in_a_shop_without_submissions
    every_kind_of_jobs_that_waited_for_a_week_is_done
    every_kind_of_jobs_that_is_cancelled_is_done_later
}

/// A kind of jobs, with a submission of a shop that waits for one.
struct Row {
    lane: Lane,
    /// The operation that tells its state, and the token or id there.
    status: (&'static str, &'static str),
}

/// Every kind.
const ROWS: [Row; 4] = [
    Row { lane: Lane::DELTA, status: ("/api/deltastatus", "Tokens") },
    Row { lane: Lane::FETCH, status: ("/api/productfeedstatus", "Tokens") },
    Row { lane: Lane::FEED, status: ("/api/productfeedstatus", "Tokens") },
    Row { lane: Lane::ERASE, status: ("/api/erasure", "Erasure") },
];

/// Tables that jobs of all kinds wait in and are told by: those that fail hold what a job works on.
const FAILING: [&str; 8] =
    ["base", "change", "payload", "shown", "subject", "identifier", "erasure_step", "upload_piece"];

/// Has a shop submit what makes a job of each kind; gives the token or id of each row.
async fn submit(world: &World, shop: &Shop) -> Vec<String> {
    let body = json!({"Products": [{"Id": "1", "Title": "lamp"}], "Users": [{"UserId": "ada"}]}).to_string();
    let url = world.feeds.serve("/edges-of-jobs", vec![Answer::ok(body.clone()); 9]);
    let mut tokens = Vec::new();
    for row in &ROWS {
        tokens.push(match row.lane {
            Lane::DELTA => world.delta(shop, json!({"Products": [{"Id": "2", "Title": "sofa"}]})).await,
            Lane::FETCH => world.feed(shop, &url).await,
            Lane::FEED => uploads::send_feed(world, shop, "product-edges", &[&body, ""]).await,
            Lane::ERASE => {
                let reply = world.ask(shop, "/api/user/forget", json!({"Identifier": "ada"})).await;
                reply.header("x-erasure-id").to_owned()
            }
            other => panic!("how a job of {other:?} is made has to be said"),
        });
    }
    tokens
}

/// True while the submission of a row is open.
async fn is_open(world: &World, shop: &Shop, row: &Row, token: &str) -> bool {
    let (path, member) = row.status;
    let asked = if member == "Tokens" { json!({member: [token]}) } else { json!({member: token}) };
    let told = world.ask_json(shop, path, asked).await;
    match row.lane {
        Lane::ERASE => told["State"] == "accepted",
        Lane::DELTA => told[0]["Status"] == 0,
        _ => told[0]["Status"] == "Pending" || told[0]["Status"] == "Processing",
    }
}

async fn assert_all(world: &World, shop: &Shop, tokens: &[String], is_expected_open: bool) {
    for (row, token) in ROWS.iter().zip(tokens) {
        let open = is_open(world, shop, row, token).await;
        assert_eq!(open, is_expected_open, "{:?}", row.lane);
    }
}

/// Runs each due job of all kinds once, whatever becomes of it; gives how many ran.
async fn run_once(world: &World, stop: &CancellationToken) -> usize {
    let mut ran = 0;
    for kind in KINDS {
        while ran < 100 && work::run_due(world.node(), kind.lane, stop).await.unwrap_or(false) {
            ran += 1;
        }
    }
    ran
}

#[test]
fn every_kind_of_jobs_has_a_row_of_edges() {
    let told: BTreeSet<_> = ROWS.iter().map(|row| row.lane.as_str()).collect();
    let known: BTreeSet<_> = KINDS.iter().map(|kind| kind.lane.as_str()).collect();
    assert_eq!(told, known);
}

async fn no_kind_of_jobs_has_anything_to_do_in_a_shop_without_submissions(world: World) {
    world.shop("one").await;
    for days in [0, 1, 30] {
        world.clock.advance(Duration::from_secs(days * 86_400));
        assert_eq!(run_once(&world, &CancellationToken::new()).await, 0, "after {days} days");
    }
}

async fn every_kind_of_jobs_that_waited_for_a_week_is_done(world: World) {
    let shop = world.shop("one").await;
    let tokens = submit(&world, &shop).await;
    assert_all(&world, &shop, &tokens, true).await;
    world.clock.advance(Duration::from_secs(7 * 86_400));
    world.run_all_jobs().await;
    assert_all(&world, &shop, &tokens, false).await;
}

async fn every_kind_of_jobs_that_is_cancelled_is_done_later(world: World) {
    let shop = world.shop("one").await;
    let tokens = submit(&world, &shop).await;
    let stop = CancellationToken::new();
    stop.cancel();
    let kind = |lane| KINDS.iter().find(|kind| kind.lane == lane).expect("a kind");
    for row in ROWS.iter().filter(|row| kind(row.lane).is_interruptible) {
        assert!(work::run_due(world.node(), row.lane, &stop).await.expect("a claim"), "{:?}", row.lane);
    }
    assert_all(&world, &shop, &tokens, true).await;
    world.run_all_jobs().await;
    assert_all(&world, &shop, &tokens, false).await;
}

#[test]
fn every_kind_of_jobs_outlasts_a_store_that_fails() {
    on_sqlite(async |world| {
        let shop = world.shop("one").await;
        let tokens = submit(&world, &shop).await;
        rename_tables(&world, ("", "_away"), |name| FAILING.contains(&name));
        let ran = run_once(&world, &CancellationToken::new()).await;
        assert!(ran >= ROWS.len(), "each was tried: {ran}");
        rename_tables(&world, ("_away", ""), |name| name.ends_with("_away"));
        assert_all(&world, &shop, &tokens, true).await;
        for _ in 0..10 {
            world.clock.advance(Duration::from_secs(3_600));
            world.run_all_jobs().await;
        }
        assert_all(&world, &shop, &tokens, false).await;
        let told = world.ask_json(&shop, "/api/productfeedstatus", json!({"Tokens": tokens[1..3]})).await;
        let statuses = [&told[0]["Status"], &told[1]["Status"]];
        assert_eq!(statuses, [&Value::from("Complete"), &Value::from("Complete")], "{told}");
    });
}

/// Reads all that a shop shows, holds of the person who asked to be forgotten, and says of its submissions.
async fn read_outcome(world: &World, shop: &Shop, tokens: &[String]) -> Value {
    let shown = world.ask_json(shop, "/api/catalogue", json!({})).await;
    let items: Vec<_> = shown["Items"].as_array().into_iter().flatten().map(|item| &item["Item"]).collect();
    let held = world.ask_json(shop, "/api/user/held", json!({"Identifier": "ada"})).await;
    let feeds = world.ask_json(shop, "/api/productfeedstatus", json!({"Tokens": tokens[1..3]})).await;
    let delta = world.ask_json(shop, "/api/deltastatus", json!({"Tokens": tokens[..1]})).await;
    let erasure = world.ask_json(shop, "/api/erasure", json!({"Erasure": tokens[3]})).await;
    let feeds: Vec<_> = feeds.as_array().into_iter().flatten().map(|feed| &feed["Status"]).collect();
    json!([items, held["Known"], feeds, delta[0]["Status"], erasure["State"]])
}

#[test]
fn what_jobs_do_is_the_same_after_a_fault_of_any_table() {
    on_sqlite(async |world| {
        let shop = world.shop("undisturbed").await;
        let tokens = submit(&world, &shop).await;
        world.run_all_jobs().await;
        let expected = read_outcome(&world, &shop, &tokens).await;
        assert_eq!(expected[2], json!(["Complete", "Complete"]), "{expected}");
        for (number, table) in list_tables(&world).into_iter().enumerate() {
            let shop = world.shop(&format!("shop-{number}")).await;
            let tokens = submit(&world, &shop).await;
            rename_tables(&world, ("", "_away"), |name| name == table);
            run_once(&world, &CancellationToken::new()).await;
            rename_tables(&world, ("_away", ""), |name| name.ends_with("_away"));
            for _ in 0..10 {
                world.clock.advance(Duration::from_secs(3_600));
                world.run_all_jobs().await;
            }
            assert_eq!(read_outcome(&world, &shop, &tokens).await, expected, "{table}");
        }
    });
}
