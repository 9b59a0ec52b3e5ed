//! Jobs: leased, fenced, bounded, fair between accounts.

use std::sync::Arc;
use std::time::Duration;

use lethe::args;
use lethe::ids::AccountId;
use lethe::jobs::{self, Lane, LeaseWatch};
use lethe::store::{Owner, Statement, StoreFault};
use lethe::work::WorkFault;
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::support::feed_server::Answer;
use crate::support::residue::{assert_nothing, assert_payloads_gone, payload_keys};
use crate::support::world::{Shop, World, on_both_engines, statement};

const ADA: [&str; 3] = ["u-canary-4711-xyz", "ada-canary@shop.test", "Adacanarylovelace"];

on_both_engines! {
    a_job_is_held_by_one_holder_at_a_time
    a_holder_that_lost_its_lease_changes_nothing_more
    a_lease_that_beats_is_left_alone_and_a_still_one_is_freed
    a_holder_stops_when_its_lease_was_taken_from_it
    a_job_that_has_ended_itself_may_still_tidy_up
    a_reason_to_run_that_comes_meanwhile_is_not_lost
    accounts_take_turns
    who_waits_longest_is_not_overtaken_for_ever
    the_due_job_is_the_first_of_an_index_however_many_there_are
    feeds_of_one_moment_are_taken_up_in_the_order_they_came
    who_takes_a_job_knows_whether_another_waits
    a_feed_whose_key_is_lost_is_given_up_at_once
    what_is_given_up_leaves_nothing_of_a_person
    a_delta_that_fails_takes_no_other_with_it
    what_ends_the_process_each_time_is_given_up_and_the_next_goes_on
    an_erasure_waits_behind_no_import
}

async fn claim(world: &World, lane: Lane) -> Option<jobs::Lease> {
    jobs::claim(&world.node().store, lane, "a test", world.clock.now(), None).await.expect("a claim")
}

async fn is_held(world: &World, lease: &jobs::Lease) -> bool {
    match lease.write(&world.node().store, |_| Ok::<_, WorkFault>(())).await {
        Ok(()) => true,
        Err(WorkFault::LeaseLost) => false,
        Err(fault) => panic!("{fault}"),
    }
}

async fn a_job_is_held_by_one_holder_at_a_time(world: World) {
    let shop = world.shop("one").await;
    world.delta(&shop, json!({})).await;
    let first = claim(&world, Lane::DELTA).await.expect("a job");
    assert!(claim(&world, Lane::DELTA).await.is_none());
    assert!(claim(&world, Lane::FETCH).await.is_none());
    assert!(is_held(&world, &first).await);
    assert_eq!(world.run_jobs(Lane::DELTA).await, 0);
}

async fn a_holder_that_lost_its_lease_changes_nothing_more(world: World) {
    let shop = world.shop("one").await;
    let token = world.delta(&shop, json!({"Products": [{"Id": "1"}]})).await;
    let late = Arc::new(claim(&world, Lane::DELTA).await.expect("a job"));
    world
        .node()
        .store
        .write(Owner::STORE, |tx| tx.exec(&lethe::sql::job_void_all, args![]))
        .await
        .expect("freed");
    let next = claim(&world, Lane::DELTA).await.expect("taken over");
    assert!(next.number != late.number && !is_held(&world, &late).await && is_held(&world, &next).await);
    let ended = lethe::work::delta::run(world.node(), &late).await;
    assert!(matches!(ended, Err(WorkFault::LeaseLost)));
    let given_up = lethe::work::delta::give_up(world.node(), &late, "too late").await;
    assert!(matches!(given_up, Err(WorkFault::LeaseLost)));
    let store = &world.node().store;
    let again = jobs::RetryState { at: 0, attempts: 0, phase: "waiting", setback: None };
    jobs::release(store, &late, again).await.expect("an answer");
    assert!(is_held(&world, &next).await, "nor does it free the job of the next one");
    assert_eq!(world.delta_status(&shop, &token).await, json!([0, null]));
    assert_eq!(world.count(&shop, "Products").await, 0);
    assert!(lethe::work::delta::run(world.node(), &next).await.is_ok());
    assert_eq!(world.delta_status(&shop, &token).await, json!([1, null]));
    // Nor does a late holder of a feed publish it.
    let url =
        world.feeds.serve("/f", [Answer::ok(r#"{"Products":[{"Id":"feed"}],"Users":[{"UserId":"7"}]}"#)]);
    let feed = world.feed(&shop, &url).await;
    let late = Arc::new(claim(&world, Lane::FETCH).await.expect("a job"));
    world
        .node()
        .store
        .write(Owner::STORE, |tx| tx.exec(&lethe::sql::job_void_all, args![]))
        .await
        .expect("freed");
    assert!(lethe::work::feed::run(world.node(), &late).await.is_err());
    let given_up = lethe::work::feed::give_up(world.node(), &late, "too late").await;
    assert!(matches!(given_up, Err(WorkFault::LeaseLost)));
    assert_eq!(world.feed_status(&shop, &feed).await, json!(["Processing", null]));
    assert_eq!((world.count(&shop, "Products").await, world.subjects(&shop).await), (1, 0));
}

async fn a_lease_that_beats_is_left_alone_and_a_still_one_is_freed(world: World) {
    let shop = world.shop("one").await;
    world.delta(&shop, json!({})).await;
    let lease = claim(&world, Lane::DELTA).await.expect("a job");
    let mut watch = LeaseWatch::default();
    let length = Duration::from_secs(3600);
    let store = &world.node().store;
    assert_eq!(watch.free_expired(store, length).await.expect("a look"), 0);
    assert_eq!(
        watch.free_expired(store, length).await.expect("a look"),
        0,
        "seen for less than the lease's length"
    );
    let number = lease.number;
    let beat = store.write(Owner::STORE, move |tx| {
        tx.exec(&lethe::sql::job_beat, args![1, "delta", 0, number, "running", 0, 0, None::<i64>, 0])
    });
    assert_eq!(beat.await.expect("a beat"), 1);
    assert_eq!(watch.free_expired(store, Duration::ZERO).await.expect("a look"), 0, "it beat since");
    assert!(is_held(&world, &lease).await);
    assert_eq!(watch.free_expired(store, Duration::ZERO).await.expect("a look"), 1, "the same beat");
    assert!(!is_held(&world, &lease).await);
    world.run_all_jobs().await;
}

/// An import that is being fetched: what lets the rest of its feed through, and the job.
async fn start_import(world: &World, shop: &Shop) -> (Arc<Semaphore>, JoinHandle<Result<bool, StoreFault>>) {
    let gate = Arc::new(Semaphore::new(0));
    let url = world.feeds.serve("/slow", [Answer::ok(r#"{"Products":[{"Id":"1"}]}"#).gated_by(&gate)]);
    world.feed(shop, &url).await;
    let node = world.node().clone();
    let import =
        tokio::spawn(
            async move { lethe::work::run_due(&node, Lane::FETCH, &CancellationToken::new()).await },
        );
    while world.feeds.requests_of("/slow").is_empty() {
        tokio::task::yield_now().await;
    }
    (gate, import)
}

async fn a_holder_stops_when_its_lease_was_taken_from_it(world: World) {
    let shop = world.shop("one").await;
    let (gate, import) = start_import(&world, &shop).await;
    world
        .node()
        .store
        .write(Owner::STORE, |tx| tx.exec(&lethe::sql::job_void_all, args![]))
        .await
        .expect("freed");
    let next = claim(&world, Lane::FETCH).await.expect("taken over");
    // It waits for the rest of its feed still, and would for minutes.
    let stopped = tokio::time::timeout(10 * jobs::PROGRESS_DURATION, import).await;
    assert!(stopped.expect("its next beat tells it").expect("it ran").expect("its end"));
    assert!(is_held(&world, &next).await, "whoever works on it now is left alone");
    gate.add_permits(1);
}

async fn a_job_that_has_ended_itself_may_still_tidy_up(world: World) {
    let shop = world.shop("one").await;
    world.delta(&shop, json!({})).await;
    let lease = claim(&world, Lane::DELTA).await.expect("a job");
    let ended = lease.write_last(&world.node().store, |_| Ok::<_, WorkFault>(Some(()))).await;
    assert!(ended.is_ok_and(|ended| ended.is_some()));
    assert!(!is_held(&world, &lease).await, "nobody holds what has ended");
    let one_beat = jobs::PROGRESS_DURATION + Duration::from_millis(500);
    let kept = tokio::time::timeout(one_beat, lease.run_heartbeat(&world.node().store)).await;
    assert!(kept.is_err(), "the beat that finds no job any more must not stop what is left to do");
}

async fn a_reason_to_run_that_comes_meanwhile_is_not_lost(world: World) {
    let shop = world.shop("one").await;
    world.delta(&shop, json!({})).await;
    let lease = claim(&world, Lane::DELTA).await.expect("a job");
    let now = world.clock.now();
    // As on an engine whose transactions see what others commit: the new reason comes after the question for it.
    let ended = lease.write_last(&world.node().store, move |tx| {
        jobs::wake(tx, Lane::DELTA, AccountId(1), 0, now)?;
        Ok::<_, WorkFault>(Some(()))
    });
    assert!(ended.await.is_ok_and(|ended| ended.is_some()));
    assert!(!is_held(&world, &lease).await, "it was given back");
    let next = claim(&world, Lane::DELTA).await.expect("it runs again at once");
    assert!(lethe::work::delta::run(world.node(), &next).await.is_ok());
    assert!(claim(&world, Lane::DELTA).await.is_none(), "and ends when nothing came");
}

async fn accounts_take_turns(world: World) {
    let busy = world.shop("busy").await;
    let calm = world.shop("calm").await;
    for n in 0..6 {
        let url = world.feeds.serve(&format!("/{n}"), [Answer::ok(r#"{"Products":[{"Id":"1"}]}"#)]);
        world.feed(&busy, &url).await;
    }
    world.clock.advance(Duration::from_secs(1));
    let url = world.feeds.serve("/calm", [Answer::ok(r#"{"Products":[{"Id":"1"}]}"#)]);
    world.feed(&calm, &url).await;
    let accounts: Vec<_> = [
        claim(&world, Lane::FETCH).await,
        claim(&world, Lane::FETCH).await,
        claim(&world, Lane::FETCH).await,
    ]
    .into_iter()
    .map(|lease| lease.expect("a job").account.0)
    .collect();
    assert_eq!(accounts, [1, 2, 1], "the second worker serves the shop of which nothing runs");
}

/// Newcomers come first only until it is the turn of those that wait.
async fn who_waits_longest_is_not_overtaken_for_ever(world: World) {
    let busy = world.shop("busy").await;
    let calm = world.shop("calm").await;
    let feed = async |shop: &Shop, path: String| {
        let url = world.feeds.serve(&path, [Answer::ok(r#"{"Products":[{"Id":"1"}]}"#)]);
        world.feed(shop, &url).await;
    };
    for n in 0..6 {
        feed(&busy, format!("/busy-{n}")).await;
    }
    let mut served = [0, 0, 0];
    let mut last = 2;
    for n in 0..10 {
        world.clock.advance(Duration::from_secs(1));
        // The calm one sends its next when its last has ended.
        if last == 2 {
            feed(&calm, format!("/calm-{n}")).await;
        }
        let lease = claim(&world, Lane::FETCH).await.expect("a job");
        last = usize::try_from(lease.account.0).expect("a number");
        served[last] += 1;
        let ended = lease.write_last(&world.node().store, |_| Ok::<_, WorkFault>(Some(()))).await;
        assert!(ended.is_ok_and(|ended| ended.is_some()));
    }
    assert_eq!(served, [0, 5, 5], "each has every second turn");
}

async fn the_due_job_is_the_first_of_an_index_however_many_there_are(world: World) {
    world.shop("one").await;
    let store = &world.node().store;
    let now = world.clock.now();
    for first in (0..5000).step_by(500) {
        let waking = store.write(AccountId(1), move |tx| {
            (first..first + 500).try_for_each(|n| jobs::wake(tx, Lane::FETCH, AccountId(1), n + 1, now))
        });
        waking.await.map_err(|fault: StoreFault| fault).expect("woken");
    }
    let text = lethe::sql::job_due.postgres();
    let explain = |before: &str| &*Box::leak(format!("{before} {text}").into_boxed_str());
    let sqlite = explain("EXPLAIN QUERY PLAN");
    let postgres = explain("EXPLAIN");
    let plan = store.write(Owner::STORE, move |tx| {
        tx.exec(&statement("analyse", "ANALYZE job"), args![])?;
        let rows =
            tx.run(&Statement::new("explain", sqlite, postgres), args!["fetch", now, now + 1, ",7,8,"])?;
        rows.iter()
            .map(|row| row.text("detail").or_else(|_| row.text("QUERY PLAN")).map(str::to_owned))
            .collect()
    });
    let plan: Vec<String> = plan.await.map_err(|fault: StoreFault| fault).expect("a plan");
    assert!(plan.iter().any(|step| step.contains("job_waiting")), "{plan:?}");
    assert!(!plan.iter().any(|step| step.contains("Sort") || step.contains("TEMP B-TREE")), "{plan:?}");
}

/// As after a restart, too: all that were broken off are due at once.
async fn feeds_of_one_moment_are_taken_up_in_the_order_they_came(world: World) {
    let shop = world.shop("one").await;
    for n in 0..11 {
        let url = world.feeds.serve(&format!("/{n}"), [Answer::ok(r#"{"Products":[{"Id":"1"}]}"#)]);
        world.feed(&shop, &url).await;
    }
    let mut seqs = Vec::new();
    while let Some(lease) = claim(&world, Lane::FETCH).await {
        seqs.push(lease.seq);
    }
    assert_eq!(seqs.len(), 11);
    assert!(seqs.is_sorted(), "{seqs:?}");
}

async fn who_takes_a_job_knows_whether_another_waits(world: World) {
    let shop = world.shop("one").await;
    for n in 0..3 {
        let url = world.feeds.serve(&format!("/{n}"), [Answer::ok(r#"{"Products":[{"Id":"1"}]}"#)]);
        world.feed(&shop, &url).await;
    }
    let mut alone = Vec::new();
    while let Some(lease) = claim(&world, Lane::FETCH).await {
        alone.push(lease.is_alone);
    }
    assert_eq!(alone, [false, false, true]);
}

async fn a_feed_whose_key_is_lost_is_given_up_at_once(world: World) {
    let shop = world.shop("one").await;
    let url = world.feeds.serve("/f", [Answer::ok(r#"{"Products":[{"Id":"1"}]}"#)]);
    let token = world.feed(&shop, &url).await;
    let slot = world.node().store.read(|tx| {
        tx.row(&lethe::sql::payload_get, args![1, 1])?.map_or(Ok(None), |row| row.opt_int("slot"))
    });
    let slot = slot.await.map_err(|fault: StoreFault| fault).expect("a row").expect("a slot");
    let slot = lethe::keys::SlotNumber::from_row(slot).expect("a slot");
    world.node().keys.destroy(&[slot]).expect("destroyed");
    world.run_jobs(Lane::FETCH).await;
    let status = world.feed_status(&shop, &token).await;
    assert_eq!(status[0], "Error", "{status}");
    assert!(claim(&world, Lane::FETCH).await.is_none());
}

/// Sealed, spooled, half stored: whatever their state before the last try.
async fn what_is_given_up_leaves_nothing_of_a_person(world: World) {
    let shop = world.shop("one").await;
    let people = json!({"Users": [{"UserId": ADA[0], "Email": ADA[1], "FirstName": ADA[2]}]});
    // A fault of ours, each time a person would be stored.
    world.rename("record", "record_away").await;
    let delta = world.delta(&shop, people.clone()).await;
    let url = world.feeds.serve("/f", [Answer::ok(people.to_string())]);
    let feed = world.feed(&shop, &url).await;
    let text = people.to_string();
    let (front, back) = text.split_at(30);
    let upload = crate::support::uploads::send_feed(&world, &shop, "user-1", &[front, back]).await;
    let line = format!("{},{},2026-11-01 10:00:00,p1", ADA[0], ADA[1]);
    let file = format!("OrderId,UserId,Email,DateTime,ProdCode\no-1,{line}\n");
    let orders = crate::support::uploads::send_feed(&world, &shop, "orders-1", &[&file, ""]).await;
    let keys = payload_keys(&world).await;
    assert_eq!(keys.len(), 4);
    for _ in 0..2 * lethe::limits::JOB_TRIES {
        world.run_all_jobs().await;
        assert_nothing(&world, &ADA).await;
        world.clock.advance(Duration::from_secs(61));
    }
    world.rename("record_away", "record").await;
    let given_up = "the server failed on this again and again; the fault was logged";
    assert_eq!(world.delta_status(&shop, &delta).await, json!([2, given_up]));
    for token in [feed, upload, orders] {
        assert_eq!(world.feed_status(&shop, &token).await, json!(["Error", given_up]));
    }
    assert_eq!(world.subjects(&shop).await, 0);
    world.node().sweep_blobs(Duration::ZERO).await.expect("a look at the files");
    assert_payloads_gone(&world, &keys).await;
    assert_nothing(&world, &ADA).await;
    world.apply_delta(&shop, people).await;
    assert_eq!(world.subjects(&shop).await, 1, "what is sent afterwards is stored");
}

async fn a_delta_that_fails_takes_no_other_with_it(world: World) {
    let shop = world.shop("one").await;
    world.rename("record", "record_away").await;
    let before = world.delta(&shop, json!({"Products": [{"Id": "1"}]})).await;
    let failing = world.delta(&shop, json!({"Users": [{"UserId": "7"}]})).await;
    let behind = world.delta(&shop, json!({"Products": [{"Id": "2"}]})).await;
    world.run_jobs(Lane::DELTA).await;
    let mut statuses = Vec::new();
    for token in [&before, &failing, &behind] {
        statuses.push(world.delta_status(&shop, token).await[0].clone());
    }
    assert_eq!(statuses, [1, 0, 0], "the one before it is applied, and those behind it keep their order");
    for _ in 0..lethe::limits::JOB_TRIES {
        world.clock.advance(Duration::from_secs(61));
        world.run_jobs(Lane::DELTA).await;
    }
    assert_eq!(world.delta_status(&shop, &failing).await[0], 2);
    assert_eq!(world.delta_status(&shop, &behind).await, json!([1, null]));
    assert_eq!(world.count(&shop, "Products").await, 2);
    world.rename("record_away", "record").await;
}

async fn what_ends_the_process_each_time_is_given_up_and_the_next_goes_on(world: World) {
    let shop = world.shop("one").await;
    let people = json!({"Users": [{"UserId": ADA[0], "Email": ADA[1], "FirstName": ADA[2]}]});
    let url = world.feeds.serve("/f?canary-of-the-address", [Answer::ok(people.to_string())]);
    let feed = world.feed(&shop, &url).await;
    let upload =
        crate::support::uploads::send_feed(&world, &shop, "user-1", &[&people.to_string(), ""]).await;
    let deltas = [world.delta(&shop, people).await, world.delta(&shop, json!({})).await];
    let keys = payload_keys(&world).await;
    assert_eq!(keys.len(), 3);
    // A process that dies in the middle leaves a claim that no one ends.
    for _ in 0..lethe::limits::JOB_CLAIMS {
        for lane in [Lane::FETCH, Lane::FEED, Lane::DELTA] {
            claim(&world, lane).await.expect("a job");
        }
        let voided = world.node().store.write(Owner::STORE, |tx| tx.exec(&lethe::sql::job_void_all, args![]));
        voided.await.map_err(|fault: StoreFault| fault).expect("a restart");
    }
    world.run_all_jobs().await;
    for token in [feed, upload] {
        assert_eq!(world.feed_status(&shop, &token).await[0], "Error");
    }
    assert_eq!(world.delta_status(&shop, &deltas[0]).await[0], 2, "the first one is blamed");
    assert_eq!(world.delta_status(&shop, &deltas[1]).await, json!([1, null]));
    assert_eq!(world.subjects(&shop).await, 0);
    world.node().sweep_blobs(Duration::ZERO).await.expect("a look at the files");
    assert_payloads_gone(&world, &keys).await;
    assert_nothing(&world, &[&ADA[..], &["canary-of-the-address"]].concat()).await;
}

async fn an_erasure_waits_behind_no_import(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Users": [{"UserId": "7"}]})).await;
    let (gate, import) = start_import(&world, &shop).await;
    world.forget(&shop, "7").await;
    assert_eq!(world.run_jobs(Lane::ERASE).await, 1);
    let open = world.node().store.read(|tx| {
        tx.row(&lethe::sql::erasure_count_open, args![0])?.map_or(Ok(-1), |row| row.int("counted"))
    });
    assert_eq!(open.await.map_err(|fault: StoreFault| fault).expect("a count"), 0);
    gate.add_permits(1);
    import.await.expect("it ran").expect("a feed");
}
