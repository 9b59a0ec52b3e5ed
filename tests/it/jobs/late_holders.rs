//! Holders of a job that come too late: whoever lost its lease between two of its writes writes nothing more.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;

use lethe::args;
use lethe::jobs::{self, End, JobKey, Lane, Lease};
use lethe::sql;
use lethe::store::{Owner, Statement, StoreFault, Tx};
use lethe::work::WorkFault;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::support::feed_server::Answer;
use crate::support::steps;
use crate::support::world::{Shop, World, on_both_engines, statement};

on_both_engines! {
    a_late_holder_of_a_delta_writes_nothing
    a_late_holder_of_a_feed_writes_nothing
    a_late_holder_of_a_feed_that_fails_does_not_end_it
    a_late_holder_of_a_feed_that_is_held_or_unchanged_writes_nothing
    a_late_holder_of_an_order_file_writes_nothing
    a_late_holder_of_an_erasure_writes_nothing
    a_late_holder_does_not_free_the_job_of_the_next
    a_late_holder_of_a_job_that_ended_and_came_back_holds_nothing
}

const TABLES: Statement = Statement::new(
    "tables",
    "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name",
    "SELECT tablename::text AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename",
);

const NUMBER: Statement =
    statement("number", "SELECT lease FROM job WHERE lane = $1 AND seq = $2 AND holder = 'the next holder'");

type Rows = BTreeMap<String, Vec<String>>;

/// Every row of every table, but of the one in which the node says that it lives.
fn all_rows(tx: &mut Tx<'_>) -> Result<Rows, StoreFault> {
    let mut rows = Rows::new();
    for table in tx.run(&TABLES, args![])?.iter().map(|row| row.text("name").map(str::to_owned)) {
        let table = table?;
        if table != "node" && !table.starts_with("sqlite_") {
            let rows_of = rows_of(&table, &columns(tx, &table)?);
            let text = tx.run(&rows_of, args![])?;
            let text = text.iter().map(|row| row.text("contents").map(str::to_owned));
            rows.insert(table, text.collect::<Result<_, _>>()?);
        }
    }
    Ok(rows)
}

/// The columns of a table of the embedded store.
fn columns(tx: &mut Tx<'_>, table: &str) -> Result<String, StoreFault> {
    const COLUMNS: Statement = Statement::new(
        "columns",
        "SELECT group_concat('quote(' || name || ')', ' || '','' || ') AS columns FROM pragma_table_info($1)",
        "SELECT $1::text AS columns",
    );
    Ok(tx.row(&COLUMNS, args![table])?.expect("a row").text("columns")?.to_owned())
}

fn rows_of(table: &str, columns: &str) -> Statement {
    let sqlite = format!("SELECT {columns} AS contents FROM {table} ORDER BY 1");
    let postgres = format!("SELECT t::text AS contents FROM {table} AS t ORDER BY 1");
    Statement::new(String::leak(table.to_owned()), String::leak(sqlite), String::leak(postgres))
}

/// Runs a job under a lease.
async fn run(world: &World, lane: Lane, lease: &Arc<Lease>) {
    let node = world.node();
    // However it ends: the outcome of a late holder does not matter.
    let _ended = if lane == Lane::DELTA {
        lethe::work::delta::run(node, lease).await
    } else if [Lane::FETCH, Lane::FEED].contains(&lane) {
        match lethe::work::feed::run(node, lease).await {
            Ok(End::GiveUp { why }) => {
                lethe::work::feed::give_up(node, lease, &why).await.map(|()| End::Done)
            }
            ended => ended,
        }
    } else {
        lethe::work::erasure::run(node, lease).await
    };
}

/// Takes the lease of a job from whoever has it and gives it to the next holder, whose number comes back; `None` when
/// the job has ended.
fn take_over(tx: &mut Tx<'_>, key: JobKey) -> Result<Option<i64>, StoreFault> {
    let JobKey { account, lane, seq } = key;
    tx.exec(&sql::job_void_all, args![])?;
    let row = args![account.0, lane.as_str(), seq, "the next holder", 7, i64::MAX, i64::MAX];
    tx.row(&sql::job_claim, row)?;
    tx.row(&NUMBER, args![lane.as_str(), seq])?.map(|row| row.int("lease")).transpose()
}

/// Has a job submitted for each of its writes, and takes its lease away in front of that write: nothing changes any
/// more until the late holder has ended. The next one then does the job, and `check` looks at how it has ended.
async fn each_write_of_a_late_holder(
    world: &World,
    lane: Lane,
    submit: impl AsyncFn(usize) -> String,
    check: impl AsyncFn(String),
) {
    for allowed in 0.. {
        let token = submit(allowed).await;
        let lease = jobs::claim(&world.node().store, lane, "a test", world.clock.now(), None).await;
        let lease = Arc::new(lease.expect("a claim").expect("a job"));
        let has_ended = is_late_after(world, lane, &lease, allowed).await;
        let voided = world.node().store.write(Owner::STORE, |tx| tx.exec(&sql::job_void_all, args![]));
        voided.await.map_err(|fault: StoreFault| fault).expect("a restart");
        world.run_all_jobs().await;
        check(token).await;
        if has_ended {
            assert!(allowed >= 1, "{lane:?}: only {allowed} writes were met");
            return;
        }
    }
}

/// Runs a job and takes its lease away after so many writes: before the next one, which is on its way already and was
/// sent while the lease was held. True: the job had ended before.
async fn is_late_after(world: &World, lane: Lane, lease: &Arc<Lease>, allowed: usize) -> bool {
    let mut held = steps::hold_writer(&world.node().store).await;
    let mut late = pin!(run(world, lane, lease));
    for _ in 0..allowed {
        if held.drive_until_waiting(1, &mut late).await.is_some() {
            return true;
        }
        held.commit_waiting().await;
    }
    let key = lease.key();
    let taking = world.node().store.write(steps::SHOP, move |tx| Ok((take_over(tx, key)?, all_rows(tx)?)));
    let mut taking = pin!(taking);
    assert!(held.drive_until_waiting(1, &mut taking).await.is_none());
    if held.drive_until_waiting(2, &mut late).await.is_some() {
        return true;
    }
    held.release_one_writer();
    let (next, before): (_, Rows) = taking.await.map_err(|fault: StoreFault| fault).expect("taken over");
    late.await;
    if next.is_none() {
        return true;
    }
    let after = world.node().store.read(all_rows).await.expect("rows");
    for (table, rows) in before {
        assert_eq!(rows, after[&table], "{lane:?}, after {allowed} writes: {table}");
    }
    false
}

async fn a_late_holder_of_a_delta_writes_nothing(world: World) {
    let shop = world.shop("one").await;
    let submit = async |n: usize| {
        let products: Vec<Value> = (0..600).map(|id| json!({"Id": format!("{n}-{id}")})).collect();
        let users = json!([{"UserId": format!("u-{n}"), "Email": format!("person-{n}@shop.test")}]);
        world.delta(&shop, json!({"Products": products, "Users": users})).await
    };
    each_write_of_a_late_holder(&world, Lane::DELTA, submit, async |token| {
        assert_eq!(world.delta_status(&shop, &token).await, json!([1, null]));
    })
    .await;
}

/// A feed with a person and, now and then, a row that is wrong.
fn feed_of(n: usize) -> Value {
    json!({"Products": [{"Id": "1", "Title": format!("{n}")}],
           "Users": [{"UserId": format!("u-{n}"), "Email": format!("person-{n}@shop.test")}]})
}

async fn feed_of_answers(
    world: &World,
    shop: &Shop,
    n: usize,
    answers: impl IntoIterator<Item = Answer>,
) -> String {
    let url = world.feeds.serve(&format!("/{n}"), answers);
    world.feed(shop, &url).await
}

async fn a_late_holder_of_a_feed_writes_nothing(world: World) {
    let shop = world.shop("one").await;
    let submit = async |n| feed_of_answers(&world, &shop, n, [Answer::ok(feed_of(n).to_string())]).await;
    each_write_of_a_late_holder(&world, Lane::FETCH, submit, async |token| {
        assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
    })
    .await;
}

async fn a_late_holder_of_a_feed_that_fails_does_not_end_it(world: World) {
    let shop = world.shop("one").await;
    for answer in [Answer::status(410), Answer::ok(r#"{"Products":[{"Id":"1"},{"Id":""},{"Id":""}]}"#)] {
        let submit = async |n| feed_of_answers(&world, &shop, n, [answer.clone()]).await;
        each_write_of_a_late_holder(&world, Lane::FETCH, submit, async |token| {
            assert_eq!(world.feed_status(&shop, &token).await[0], "Error");
        })
        .await;
    }
}

async fn a_late_holder_of_a_feed_that_is_held_or_unchanged_writes_nothing(world: World) {
    let shop = world.shop("one").await;
    let submit = async |n| {
        let url = world.feeds.serve(&format!("/{n}"), [Answer::ok(r#"{"Products":[{"Id":"1"}]}"#)]);
        let reply = world.ask(&shop, "/api/productfeed", json!({"url": url, "DryRun": true})).await;
        reply.header("x-feed-token").to_owned()
    };
    each_write_of_a_late_holder(&world, Lane::FETCH, submit, async |token| {
        assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
    })
    .await;
    let whole = Answer::ok(r#"{"Products":[{"Id":"1"}]}"#).header("ETag", "\"v1\"");
    let url = world.feeds.serve("/same", [whole, Answer::status(304)]);
    world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    each_write_of_a_late_holder(
        &world,
        Lane::FETCH,
        async |_| world.feed(&shop, &url).await,
        async |token| {
            assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
        },
    )
    .await;
}

async fn a_late_holder_of_an_order_file_writes_nothing(world: World) {
    let shop = world.shop("one").await;
    let submit = async |n| {
        let file = format!(
            "OrderId,UserId,Email,DateTime,ProdCode\no-{n},u-{n},person-{n}@shop.test,2026-11-01 10:00:00,p1\n"
        );
        crate::support::uploads::send_feed(&world, &shop, "orders-1", &[&file, ""]).await
    };
    each_write_of_a_late_holder(&world, Lane::FEED, submit, async |token| {
        assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
    })
    .await;
}

async fn a_late_holder_of_an_erasure_writes_nothing(world: World) {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/catalogue", &json!({"Products": [{"Id": "1"}]})).await;
    let submit = async |n: usize| {
        let email = format!("person-{n}@shop.test");
        world.apply_delta(&shop, json!({"Users": [{"UserId": format!("u-{n}"), "Email": email}]})).await;
        let reply = world.ask(&shop, "/api/user/forget", json!({"Identifier": email})).await;
        reply.header("x-erasure-id").to_owned()
    };
    each_write_of_a_late_holder(&world, Lane::ERASE, submit, async |erasure| {
        let shown = world.ask_json(&shop, "/api/erasure", json!({"Erasure": erasure})).await;
        assert_eq!(shown["State"], "verified", "{shown}");
    })
    .await;
}

async fn a_late_holder_does_not_free_the_job_of_the_next(world: World) {
    let shop = world.shop("one").await;
    let web = Arc::new(Semaphore::new(0));
    let url = world.feeds.serve("/slow", [Answer::ok(r#"{"Products":[{"Id":"1"}]}"#).gated_by(&web)]);
    world.feed(&shop, &url).await;
    let stop = CancellationToken::new();
    let node = world.node().clone();
    let stopped = stop.clone();
    let late = tokio::spawn(async move { lethe::work::run_due(&node, Lane::FETCH, &stopped).await });
    while world.feeds.requests_of("/slow").is_empty() {
        tokio::task::yield_now().await;
    }
    // Its lease is taken over, and before it learns of that its server stops: it gives its job back.
    let held = steps::hold_writer(&world.node().store).await;
    let key = JobKey { account: steps::SHOP, lane: Lane::FETCH, seq: 1 };
    let taking = world.node().store.write(steps::SHOP, move |tx| take_over(tx, key));
    let mut taking = pin!(taking);
    assert!(held.drive_until_waiting(1, &mut taking).await.is_none());
    stop.cancel();
    let giving_back = std::future::pending::<()>();
    assert!(held.drive_until_waiting(2, &mut pin!(giving_back)).await.is_none());
    drop(held);
    let next = taking.await.map_err(|fault: StoreFault| fault).expect("taken over").expect("its number");
    assert!(late.await.expect("it ran").expect("its end"));
    let number = world
        .node()
        .store
        .read(move |tx| tx.row(&NUMBER, args!["fetch", 1])?.map(|row| row.int("lease")).transpose());
    assert_eq!(number.await.map_err(|fault: StoreFault| fault).expect("an answer"), Some(next));
    web.add_permits(1);
}

async fn a_late_holder_of_a_job_that_ended_and_came_back_holds_nothing(world: World) {
    let shop = world.shop("one").await;
    let mut leases = Vec::new();
    for n in 0..3 {
        let token = world.delta(&shop, json!({"Products": [{"Id": format!("{n}")}]})).await;
        let lease = jobs::claim(&world.node().store, Lane::DELTA, "a test", world.clock.now(), None).await;
        leases.push(Arc::new(lease.expect("a claim").expect("a job")));
        let late = lethe::work::delta::run(world.node(), &leases[0]);
        if n > 0 {
            assert!(matches!(late.await, Err(WorkFault::LeaseLost)), "turn {n}");
            assert_eq!(world.delta_status(&shop, &token).await, json!([0, null]), "turn {n}");
        }
        // The next holder ends the job, so that a new one of the same name begins.
        let voided = world.node().store.write(Owner::STORE, |tx| tx.exec(&sql::job_void_all, args![]));
        voided.await.map_err(|fault: StoreFault| fault).expect("a restart");
        world.run_all_jobs().await;
        assert_eq!(world.delta_status(&shop, &token).await, json!([1, null]), "turn {n}");
    }
    leases.sort_by_key(|lease| lease.number);
    leases.dedup_by_key(|lease| lease.number);
    assert_eq!(leases.len(), 3, "each claim has a number of its own");
}
