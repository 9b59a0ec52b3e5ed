//! Status of a job that waits for another try: the last fault, the next try and the tries left, to its shop and in the
//! log.

use std::time::Duration;

use lethe::jobs::Lane;
use lethe::store::Statement;
use serde_json::{Value, json};

use crate::support::feed_server::Answer;
use crate::support::refusals::{plant_refusal, remove_refusal};
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    a_feed_that_waits_for_its_next_try_says_why_everywhere
    a_failed_try_is_one_line_of_the_log_without_the_address
    what_the_server_itself_failed_on_says_so_too
    the_pauses_between_failed_tries_double
    a_feed_whose_issues_cannot_be_counted_is_tried_again
}

const FAULT: &str = "the feed's server answered with status 503";

async fn progress(world: &World, shop: &Shop, token: &str) -> Value {
    let listed = world.ask_json(shop, "/api/submissions", json!({"Token": token})).await;
    listed[0]["Progress"].clone()
}

async fn a_feed_that_waits_for_its_next_try_says_why_everywhere(mut world: World) {
    let shop = world.shop("one").await;
    let good = json!({"Products": [{"Id": 1, "Title": "A"}]}).to_string();
    let url = world.feeds.serve("/f", [Answer::status(503), Answer::status(404), Answer::ok(good)]);
    let token = world.feed(&shop, &url).await;
    assert_eq!(progress(&world, &shop, &token).await["Fault"], Value::Null, "nothing failed yet");
    world.run_jobs(Lane::FETCH).await;
    let waits = progress(&world, &shop, &token).await;
    assert_eq!((&waits["Phase"], &waits["Fault"]), (&"waiting to fetch again".into(), &FAULT.into()));
    let pause = waits["NextTryAt"].as_i64().expect("a time") - world.clock.now();
    assert!((3000..=7000).contains(&pause), "{pause} ms");
    let tries = waits["TriesLeft"].as_i64().expect("a number");
    assert!((40..80).contains(&tries), "{tries} tries fit into a day");
    let mut events = crate::support::event_stream::EventStream::open_stream(&world, &shop, &token).await;
    let (_, told) = events.next().await.expect("an event");
    assert_eq!(told["Progress"], waits, "the stream tells the same");
    drop(events);
    world.restart().await;
    assert_eq!(progress(&world, &shop, &token).await, waits, "also after a restart");
    // A later submission of the same URL fetches for both, and both say how that went.
    let later = world.feed(&shop, &url).await;
    assert_eq!(progress(&world, &shop, &token).await["Fault"], Value::Null, "its fetch was not tried yet");
    world.run_jobs(Lane::FETCH).await;
    for token in [&token, &later] {
        let waits = progress(&world, &shop, token).await;
        assert_eq!(waits["Fault"], "the feed's server answered with status 404");
    }
    world.clock.advance(Duration::from_secs(12 * 3600));
    world.feeds.serve("/f", [Answer::status(503), Answer::ok("{\"Products\": [{\"Id\": 1}]}")]);
    world.run_jobs(Lane::FETCH).await;
    let half = progress(&world, &shop, &later).await["TriesLeft"].as_i64().expect("a number");
    assert!((15..40).contains(&half), "{half} tries fit into half a day");
    world.clock.advance(Duration::from_secs(3600));
    world.run_all_jobs().await;
    assert_eq!(progress(&world, &shop, &later).await, Value::Null);
    assert_eq!(world.feed_status(&shop, &later).await, json!(["Complete", null]));
}

/// The warnings that say that a try failed.
fn warnings() -> Vec<String> {
    let logged = crate::support::log_traces::read_log();
    let lines = logged.lines().filter(|line| line.contains("a try failed"));
    lines.map(str::to_owned).collect()
}

async fn a_failed_try_is_one_line_of_the_log_without_the_address(world: World) {
    let shop = world.shop("one").await;
    let url =
        world.feeds.serve("/private-place", [Answer::status(503), Answer::status(503), Answer::status(410)]);
    let token = world.feed(&shop, &url).await;
    for failed in 1..=3 {
        world.run_jobs(Lane::FETCH).await;
        let said = warnings();
        assert_eq!(said.len(), failed, "{said:?}");
        let line = said.last().expect("a line");
        for told in ["WARN", "account=1", "seq=1", "the feed's server answered with status"] {
            assert!(line.contains(told), "{line}");
        }
        for hidden in ["private-place", "127.0.0.1", "http://"] {
            assert!(!line.contains(hidden), "{line}");
        }
        world.clock.advance(Duration::from_secs(3600));
    }
    assert_eq!(world.feed_status(&shop, &token).await[0], "Error");
}

async fn what_the_server_itself_failed_on_says_so_too(world: World) {
    let shop = world.shop("one").await;
    world.rename("record", "record_away").await;
    let people = json!({"Users": [{"UserId": "7"}]});
    let delta = world.delta(&shop, people.clone()).await;
    let url = world.feeds.serve("/f", [Answer::ok(people.to_string())]);
    let feed = world.feed(&shop, &url).await;
    for tried in 1..lethe::limits::JOB_TRIES {
        world.run_jobs(Lane::DELTA).await;
        world.run_jobs(Lane::FETCH).await;
        for token in [&delta, &feed] {
            let waits = progress(&world, &shop, token).await;
            assert_eq!(waits["Fault"], "the server failed on this; the fault was logged", "{waits}");
            assert_eq!(waits["TriesLeft"], lethe::limits::JOB_TRIES - tried);
            assert!(waits["NextTryAt"].as_i64() > Some(world.clock.now()));
        }
        world.clock.advance(Duration::from_secs(61));
    }
    world.rename("record_away", "record").await;
    world.run_all_jobs().await;
    assert_eq!(world.delta_status(&shop, &delta).await, json!([1, null]));
    assert_eq!(world.feed_status(&shop, &feed).await, json!(["Complete", null]));
}

async fn the_pauses_between_failed_tries_double(world: World) {
    let shop = world.shop("one").await;
    world.rename("record", "record_away").await;
    let token = world.delta(&shop, json!({"Users": [{"UserId": "7"}]})).await;
    for mean in [250, 500, 1000, 2000] {
        world.run_jobs(Lane::DELTA).await;
        let waits = progress(&world, &shop, &token).await;
        let pause = waits["NextTryAt"].as_i64().expect("a time") - world.clock.now();
        assert!((mean * 3 / 4..=mean * 5 / 4).contains(&pause), "{pause} ms, not about {mean}");
        let before = Duration::from_millis(pause.unsigned_abs() - 1);
        world.clock.advance(before);
        assert_eq!(world.run_jobs(Lane::DELTA).await, 0, "not before its time");
        world.clock.advance(Duration::from_millis(1));
    }
    world.rename("record_away", "record").await;
    world.run_all_jobs().await;
    assert_eq!(world.delta_status(&shop, &token).await, json!([1, null]));
}

async fn a_feed_whose_issues_cannot_be_counted_is_tried_again(world: World) {
    const REFUSE: Statement = Statement::new(
        "refuse_counts",
        "CREATE TRIGGER refused BEFORE INSERT ON issue_count BEGIN SELECT RAISE(ABORT, 'planted'); END",
        "CREATE TRIGGER refused BEFORE INSERT ON issue_count FOR EACH ROW EXECUTE FUNCTION refuse()",
    );
    let shop = world.shop("one").await;
    let mut products: Vec<_> = (0..50).map(|n| json!({"Id": n, "Title": "A"})).collect();
    products.push(json!({"Title": "without an id"}));
    let feed = json!({"Products": products}).to_string();
    let url = world.feeds.serve("/f", [Answer::ok(feed.clone()), Answer::ok(feed)]);
    plant_refusal(&world, &REFUSE).await;
    let token = world.feed(&shop, &url).await;
    world.run_jobs(Lane::FETCH).await;
    let waits = progress(&world, &shop, &token).await;
    assert_eq!(waits["Fault"], "the server failed on this; the fault was logged", "{waits}");
    remove_refusal(&world).await;
    world.run_all_jobs().await;
    let asked = json!({"Token": token, "Code": "id_missing"});
    let found = world.ask_json(&shop, "/api/issues", asked).await;
    assert_eq!(
        (&found["Counts"][0]["Count"], &found["Issues"][0]["Row"]),
        (&json!(1), &json!(51)),
        "{found}"
    );
}
