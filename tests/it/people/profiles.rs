//! People: sealed at rest, forgotten on request, and not let in again by any door.

use std::sync::Arc;

use lethe::ids::AccountId;
use lethe::ids::identifier::Identifier;
use lethe::jobs::{self, Lane};
use lethe::limits;
use lethe::people::suppression_gate;
use lethe::store::StoreFault;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::support::feed_server::Answer;
use crate::support::residue::{assert_nothing, find_texts};
use crate::support::steps;
use crate::support::uploads;
use crate::support::world::{Shop, World, on_both_engines, statement};

on_both_engines! {
    nothing_personal_is_readable_on_disk_at_any_stage
    a_person_is_forgotten_by_every_kind_of_identifier
    another_spelling_of_an_email_is_the_same_person
    a_forgotten_person_comes_back_by_no_door
    an_identifier_linked_to_a_forgotten_person_is_shut_too
    an_unknown_identifier_is_shut_all_the_same
    a_repeated_forget_opens_no_second_erasure
    colleagues_and_strangers_stay_byte_for_byte
    another_shop_keeps_its_own_record_of_the_same_person
    a_person_in_a_feed_that_runs_while_they_are_forgotten_stays_out
    a_person_in_a_delta_that_waits_while_they_are_forgotten_stays_out
    a_forgotten_email_under_a_new_user_id_shuts_that_id_too
    a_user_that_a_delta_removed_is_not_brought_back_by_an_older_feed
    a_person_whose_key_was_lost_is_stored_anew
    a_forget_survives_a_restart_before_its_work
    a_forgets_own_traces_are_gone_when_it_is_done
    an_email_in_any_shape_is_the_same_person
    an_email_that_is_none_is_not_kept
    what_is_stored_of_others_holds_no_forgotten_address
    a_text_of_very_many_forgotten_addresses_keeps_none_of_them
}

const ADA: [&str; 4] = ["ada-canary@shop.test", "u-canary-4711", "Adacanarylovelace", "Canarystreet"];

fn ada() -> Value {
    json!({"UserId": ADA[1], "Email": ADA[0], "FirstName": ADA[2], "City": ADA[3]})
}

async fn open_erasures(world: &World) -> i64 {
    let count = world.node().store.read(|tx| {
        tx.row(&lethe::sql::erasure_count_open, lethe::args![0])?.map_or(Ok(-1), |row| row.int("counted"))
    });
    count.await.map_err(|fault: lethe::store::StoreFault| fault).expect("a count")
}

async fn nothing_personal_is_readable_on_disk_at_any_stage(mut world: World) {
    let shop = world.shop("one").await;
    world.delta(&shop, json!({"Users": [ada()]})).await;
    assert_nothing(&world, &ADA).await;
    world.run_all_jobs().await;
    assert_nothing(&world, &ADA).await;
    let gate = Arc::new(Semaphore::new(0));
    let padding = "x".repeat(900_000);
    let body = format!(r#"{{"Users":[{}],"Brands":[{{"Id":1,"DisplayName":"{padding}"}}]}}"#, ada());
    let url = world.feeds.serve("/people", [Answer::ok(body).gated_by(&gate)]);
    let token = world.feed(&shop, &url).await;
    assert_nothing(&world, &ADA).await;
    let node = world.node().clone();
    let running = tokio::spawn(async move {
        lethe::work::run_due(&node, Lane::FETCH, &tokio_util::sync::CancellationToken::new()).await
    });
    let here = async || {
        let listed = world.ask_json(&shop, "/api/submissions", json!({"Token": token})).await;
        listed[0]["Progress"]["Bytes"].as_i64()
    };
    while here().await < Some(300_000) {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_nothing(&world, &ADA).await;
    gate.add_permits(1);
    running.await.expect("it ran").expect("a feed");
    assert_nothing(&world, &ADA).await;
    world.forget(&shop, ADA[0]).await;
    assert_nothing(&world, &ADA).await;
    world.run_all_jobs().await;
    assert_nothing(&world, &ADA).await;
    world.delta(&shop, json!({"Users": [ada()]})).await;
    world.run_all_jobs().await;
    assert_nothing(&world, &ADA).await;
    world.restart().await;
    assert_nothing(&world, &ADA).await;
    // The search itself can find something.
    world.apply_delta(&shop, json!({"Products": [{"Id": "p-canary-9"}]})).await;
    assert!(!find_texts(&world, &["p-canary-9"]).await.is_empty());
}

async fn a_person_is_forgotten_by_every_kind_of_identifier(world: World) {
    let shop = world.shop("one").await;
    for (n, identifier) in ["ada@shop.test", "7", "userid:7", " USERID:7 "].into_iter().enumerate() {
        let shop = if n == 0 { shop.clone() } else { world.shop(&format!("shop-{n}")).await };
        let users = json!([{"UserId": 7, "Email": "ada@shop.test"}, {"UserId": 8, "Email": "bob@shop.test"}]);
        world.apply_delta(&shop, json!({"Users": users})).await;
        world.forget(&shop, identifier).await;
        world.run_all_jobs().await;
        assert_eq!(world.subjects(&shop).await, 1, "{identifier}");
        assert_eq!(open_erasures(&world).await, 0);
        world.apply_delta(&shop, json!({"Users": users})).await;
        assert_eq!(world.subjects(&shop).await, 1, "{identifier} came back");
    }
}

async fn another_spelling_of_an_email_is_the_same_person(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Users": [{"UserId": "7", "Email": "Ada.L@Bücher.test"}]})).await;
    world.forget(&shop, "  ADA.l@XN--BCHER-KVA.test. ").await;
    world.run_all_jobs().await;
    assert_eq!(world.subjects(&shop).await, 0);
    for (n, email) in
        ["ada.l@bücher.test", "ＡＤＡ.L@bücher.test", "Ada.L@BÜCHER.TEST"].into_iter().enumerate()
    {
        world.apply_delta(&shop, json!({"Users": [{"UserId": format!("new{n}"), "Email": email}]})).await;
        assert_eq!(world.subjects(&shop).await, 0, "{email}");
    }
}

async fn a_forgotten_person_comes_back_by_no_door(world: World) {
    let shop = world.shop("one").await;
    let users = json!([ada(), {"UserId": "8"}]);
    world.apply_delta(&shop, json!({"Users": users})).await;
    world.forget(&shop, ADA[0]).await;
    // The doors are shut from the answer on, before any work is done.
    let token = world.delta(&shop, json!({"Users": users, "Products": [{"Id": "1", "Title": "A"}]})).await;
    world.run_jobs(Lane::DELTA).await;
    assert_eq!(world.delta_status(&shop, &token).await, json!([1, null]));
    assert_eq!((world.subjects(&shop).await, world.title(&shop, "1").await), (1, json!("A")));
    world.run_all_jobs().await;
    world.complete_feed(&shop, "/users", &json!({"Users": users, "Brands": [{"Id": 1}]})).await;
    assert_eq!((world.subjects(&shop).await, world.count(&shop, "Brands").await), (1, 1));
    world.complete_feed(&shop, "/only-ada", &json!({"Users": [ada()]})).await;
    assert_eq!(world.subjects(&shop).await, 1);
}

async fn an_identifier_linked_to_a_forgotten_person_is_shut_too(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Users": [{"UserId": "7", "Email": "old@shop.test"}]})).await;
    world.apply_delta(&shop, json!({"Users": [{"UserId": "7", "Email": "new@shop.test"}]})).await;
    world.forget(&shop, "userid:7").await;
    world.run_all_jobs().await;
    for email in ["old@shop.test", "new@shop.test"] {
        world.apply_delta(&shop, json!({"Users": [{"UserId": format!("x{email}"), "Email": email}]})).await;
    }
    assert_eq!(world.subjects(&shop).await, 0);
}

async fn an_unknown_identifier_is_shut_all_the_same(world: World) {
    let shop = world.shop("one").await;
    for identifier in ["nobody@shop.test", "4711"] {
        world.forget(&shop, identifier).await;
    }
    assert_eq!(open_erasures(&world).await, 2, "that nothing is held is proven too");
    world.run_all_jobs().await;
    assert_eq!(open_erasures(&world).await, 0);
    let users = json!([{"UserId": "4711"}, {"UserId": "1", "Email": "nobody@shop.test"}, {"UserId": "2"}]);
    world.apply_delta(&shop, json!({"Users": users})).await;
    assert_eq!(world.subjects(&shop).await, 1);
}

async fn a_repeated_forget_opens_no_second_erasure(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Users": [ada()]})).await;
    world.forget(&shop, ADA[0]).await;
    world.forget(&shop, ADA[0]).await;
    world.forget(&shop, ADA[1]).await;
    assert_eq!(open_erasures(&world).await, 1);
    world.run_all_jobs().await;
    world.forget(&shop, ADA[0]).await;
    assert_eq!(open_erasures(&world).await, 0);
}

/// Every sealed byte and every key of everybody but the given number of subjects.
async fn list_stored(world: &World) -> Vec<String> {
    let rows = world.node().store.read(|tx| {
        const ALL: lethe::store::Statement = statement("all", "SELECT r.subject_id, r.sealed, i.tag, i.sealed AS name FROM record r JOIN identifier i ON i.subject_id = r.subject_id");
        let rows = tx.run(&ALL, lethe::args![])?;
        rows.iter()
            .map(|row| Ok(format!("{:?} {:?} {:?} {:?}", row.blob("subject_id")?, row.blob("sealed")?, row.blob("tag")?, row.blob("name")?)))
            .collect::<Result<Vec<_>, lethe::store::StoreFault>>()
    });
    let mut rows = rows.await.expect("rows");
    rows.sort();
    rows
}

async fn colleagues_and_strangers_stay_byte_for_byte(world: World) {
    let shop = world.shop("one").await;
    let bob = json!({"UserId": "bob", "Email": "bob@acme.test", "GroupId": "acme", "City": "Ghent"});
    world.apply_delta(&shop, json!({"Users": [bob, {"UserId": "cid"}]})).await;
    let before = list_stored(&world).await;
    assert_eq!(before.len(), 3);
    world
        .apply_delta(
            &shop,
            json!({"Users": [{"UserId": "ada", "Email": "ada@acme.test", "GroupId": "acme"}]}),
        )
        .await;
    world.forget(&shop, "ada@acme.test").await;
    world.run_all_jobs().await;
    assert_eq!(list_stored(&world).await, before);
    world.apply_delta(&shop, json!({"Users": [bob]})).await;
    assert_eq!(world.subjects(&shop).await, 2);
}

async fn another_shop_keeps_its_own_record_of_the_same_person(world: World) {
    let one = world.shop("one").await;
    let other = world.shop("other").await;
    for shop in [&one, &other] {
        world.apply_delta(shop, json!({"Users": [ada()]})).await;
    }
    world.forget(&one, ADA[0]).await;
    world.run_all_jobs().await;
    assert_eq!((world.subjects(&one).await, world.subjects(&other).await), (0, 1));
    world.apply_delta(&other, json!({"Users": [ada()]})).await;
    assert_eq!((world.subjects(&one).await, world.subjects(&other).await), (0, 1));
}

/// Submits a feed about Ada that stops in its middle, runs it, and gives the task and the gate.
async fn start_feed(world: &World, shop: &Shop) -> (tokio::task::JoinHandle<()>, Arc<Semaphore>, String) {
    let gate = Arc::new(Semaphore::new(0));
    let mut users = vec![ada()];
    users.extend((0..5000).map(|n| json!({"UserId": format!("user-{n}"), "FirstName": "x".repeat(200)})));
    let body = json!({"Users": users}).to_string();
    let url = world.feeds.serve("/running", [Answer::ok(body).gated_by(&gate)]);
    let token = world.feed(shop, &url).await;
    let node = world.node().clone();
    let running = tokio::spawn(async move {
        let stop = tokio_util::sync::CancellationToken::new();
        assert!(lethe::work::run_due(&node, Lane::FETCH, &stop).await.expect("a feed"));
    });
    (running, gate, token)
}

/// Number of payloads that are noted to hold people.
async fn count_noted_payloads(world: &World) -> i64 {
    let noted = world.node().store.read(|tx| {
        tx.row(&lethe::sql::payload_count_people, lethe::args![1, i64::MAX])?
            .map_or(Ok(0), |row| row.int("counted"))
    });
    noted.await.map_err(|fault: lethe::store::StoreFault| fault).expect("a count")
}

async fn a_person_in_a_feed_that_runs_while_they_are_forgotten_stays_out(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Users": [{"UserId": ADA[1]}]})).await;
    let mut users = vec![ada()];
    users.extend((0..5000).map(|n| json!({"UserId": format!("user-{n}"), "FirstName": "x".repeat(200)})));
    let url = world.feeds.serve("/running", [Answer::ok(json!({"Users": users}).to_string())]);
    let feed = world.feed(&shop, &url).await;
    let node = world.node().clone();
    let lease = jobs::claim(&node.store, Lane::FETCH, "a test", node.clock.now(), None).await;
    let lease = Arc::new(lease.expect("a claim").expect("its job"));
    let mut held = steps::hold_writer(&world.node().store).await;
    let mut running = Box::pin(lethe::work::feed::run(&node, &lease));
    // Until the first rows are spooled, sealed.
    while count_noted_payloads(&world).await == 0 {
        assert!(held.drive_until_waiting(1, &mut running).await.is_none(), "it ended");
        held.commit_waiting().await;
    }
    drop(held);
    world.forget(&shop, ADA[1]).await;
    world.run_jobs(Lane::ERASE).await;
    assert_eq!(open_erasures(&world).await, 1, "the running feed may hold the person: the erasure waits");
    running.await.expect("it ran");
    assert_eq!(world.feed_status(&shop, &feed).await, json!(["Complete", null]));
    assert_eq!(world.subjects(&shop).await, 5000);
    world.clock.advance(std::time::Duration::from_secs(1));
    world.run_all_jobs().await;
    assert_eq!(open_erasures(&world).await, 0);
    assert_eq!(world.subjects(&shop).await, 5000);
}

async fn a_person_in_a_delta_that_waits_while_they_are_forgotten_stays_out(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Users": [{"UserId": ADA[1]}]})).await;
    let token = world.delta(&shop, json!({"Users": [ada(), {"UserId": "8"}]})).await;
    let asked = world.ask(&shop, "/api/user/forget", json!({"Identifier": ADA[1]})).await;
    let id = asked.header("x-erasure-id").to_owned();
    world.run_jobs(Lane::ERASE).await;
    let erasure = world.ask_json(&shop, "/api/erasure", json!({"Erasure": id})).await;
    assert_eq!(erasure["State"], "shredded", "the waiting delta may hold the person");
    world.run_all_jobs().await;
    assert_eq!(world.delta_status(&shop, &token).await, json!([1, null]));
    assert_eq!((world.subjects(&shop).await, open_erasures(&world).await), (1, 0));
}

async fn a_forgotten_email_under_a_new_user_id_shuts_that_id_too(world: World) {
    let shop = world.shop("one").await;
    world.forget(&shop, "ada@shop.test").await;
    world.apply_delta(&shop, json!({"Users": [{"UserId": "new-7", "Email": "ada@shop.test"}]})).await;
    world.apply_delta(&shop, json!({"Users": [{"UserId": "new-7"}]})).await;
    assert_eq!(world.subjects(&shop).await, 0);
}

async fn removals(world: &World) -> i64 {
    const REMOVALS: lethe::store::Statement =
        statement("removals", "SELECT count(*) AS counted FROM user_removal");
    let count = world
        .node()
        .store
        .read(|tx| tx.row(&REMOVALS, lethe::args![])?.map_or(Ok(-1), |row| row.int("counted")));
    count.await.map_err(|fault: lethe::store::StoreFault| fault).expect("a count")
}

async fn a_user_that_a_delta_removed_is_not_brought_back_by_an_older_feed(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"DeleteUsers": ["elsewhere"]})).await;
    assert_eq!(removals(&world).await, 0, "no feed is open, so there is nothing to remember");
    let (running, gate, feed) = start_feed(&world, &shop).await;
    // Ada, who stands only in the feed, and two others: one comes back and one is forgotten.
    world.delta(&shop, json!({"DeleteUsers": [ADA[1], "user-1", "user-2"]})).await;
    world.delta(&shop, json!({"Users": [{"UserId": "user-1"}]})).await;
    world.run_jobs(Lane::DELTA).await;
    assert_eq!(removals(&world).await, 3);
    world.forget(&shop, "userid:user-2").await;
    assert_eq!(removals(&world).await, 2, "a forgotten person is remembered nowhere else");
    gate.add_permits(1);
    running.await.expect("it ran");
    assert_eq!(world.feed_status(&shop, &feed).await, json!(["Complete", null]));
    assert_eq!(world.subjects(&shop).await, 4999);
    assert_eq!(removals(&world).await, 0, "no open feed can bring them back any more");
    world.complete_feed(&shop, "/later", &json!({"Users": [ada()]})).await;
    assert_eq!(world.subjects(&shop).await, 5000, "a feed submitted later does");
}

async fn a_person_whose_key_was_lost_is_stored_anew(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Users": [ada(), {"UserId": "8"}]})).await;
    let slots = world.node().store.read(|tx| {
        tx.run(&lethe::sql::slot_used, lethe::args![])?
            .iter()
            .map(|row| row.int("slot"))
            .collect::<Result<Vec<_>, _>>()
    });
    let slots = slots.await.map_err(|fault: lethe::store::StoreFault| fault).expect("slots");
    let slots: Vec<_> = slots.into_iter().filter_map(lethe::keys::SlotNumber::from_row).collect();
    assert_eq!(slots.len(), 2);
    world.node().keys.destroy(&slots).expect("destroyed");
    world.apply_delta(&shop, json!({"Users": [ada()], "Products": [{"Id": 1, "Title": "A"}]})).await;
    assert_eq!((world.subjects(&shop).await, world.title(&shop, "1").await), (2, json!("A")));
    // The new key opens the records stored now: the identifiers of the person can be read, and are all forgotten.
    world.forget(&shop, ADA[1]).await;
    world.run_all_jobs().await;
    world.apply_delta(&shop, json!({"Users": [{"UserId": "other", "Email": ADA[0]}]})).await;
    assert_eq!(world.subjects(&shop).await, 1);
}

async fn a_forget_survives_a_restart_before_its_work(mut world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Users": [ada()]})).await;
    world.forget(&shop, ADA[0]).await;
    world.restart().await;
    assert_eq!(world.subjects(&shop).await, 0);
    world.run_all_jobs().await;
    assert_eq!(open_erasures(&world).await, 0);
    assert_eq!(list_stored(&world).await, Vec::<String>::new());
    world.apply_delta(&shop, json!({"Users": [ada()]})).await;
    assert_eq!(world.subjects(&shop).await, 0);
}

async fn a_forgets_own_traces_are_gone_when_it_is_done(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Users": [ada()]})).await;
    world.forget(&shop, ADA[0]).await;
    world.run_all_jobs().await;
    const LEFT: lethe::store::Statement = statement(
        "left",
        "SELECT (SELECT count(*) FROM subject) + (SELECT count(*) FROM record) + (SELECT count(*) FROM identifier) + (SELECT count(*) FROM job) + (SELECT count(*) FROM erasure WHERE sealed IS NOT NULL OR slot IS NOT NULL) AS counted",
    );
    let left =
        world.node().store.read(|tx| tx.row(&LEFT, lethe::args![])?.map_or(Ok(-1), |row| row.int("counted")));
    assert_eq!(left.await.map_err(|fault: lethe::store::StoreFault| fault).expect("a count"), 0);
}

async fn an_email_in_any_shape_is_the_same_person(world: World) {
    let shop = world.shop("one").await;
    let email = ADA[0];
    let shapes = [
        format!("<{email}>"),
        format!("Ada L <{email}>"),
        format!("{email} (Ada L)"),
        format!("MAILTO:{email}?subject=x"),
        format!("\u{200b}{email}\u{200b}"),
        email.replace('@', "%40"),
        email.replace('@', "&#64;"),
        email.replace("ada-canary", "\"ada-canary\""),
    ];
    let users = |shapes: &[String]| -> Vec<Value> {
        let shapes = (1..).zip(shapes);
        shapes.map(|(n, shape): (u32, _)| json!({"UserId": format!("n{n}"), "Email": shape})).collect()
    };
    let mut all = users(&shapes);
    // A user id that is an address is the person's.
    all.push(json!({"UserId": email}));
    world.apply_delta(&shop, json!({"Users": all})).await;
    assert_eq!(world.subjects(&shop).await, all.len() as u64);
    world.forget(&shop, email).await;
    world.run_all_jobs().await;
    assert_eq!((world.subjects(&shop).await, open_erasures(&world).await), (0, 0));
    let mut again: Vec<_> = all.clone();
    again.iter_mut().take(shapes.len()).for_each(|user| {
        user["UserId"] = json!(format!("again-{}", user["UserId"].as_str().expect("text")));
    });
    again.push(json!({"UserId": format!("crm:{email}")}));
    world.apply_delta(&shop, json!({"Users": again})).await;
    assert_eq!(world.subjects(&shop).await, 0);
    world.complete_feed(&shop, "/people", &json!({"Users": again, "Brands": [{"Id": 1}]})).await;
    assert_eq!(world.subjects(&shop).await, 0);
}

async fn an_email_that_is_none_is_not_kept(world: World) {
    let shop = world.shop("one").await;
    let emails = ["ada@shop.test;bob@shop.test", "@shop.test", "ada at shop"];
    let users =
        (1..).zip(emails).map(|(n, email)| json!({"UserId": format!("n{n}"), "Email": email, "City": "Ulm"}));
    let users: Vec<_> = users.collect();
    let token = world.delta(&shop, json!({"Users": users})).await;
    world.run_all_jobs().await;
    assert_eq!(world.delta_status(&shop, &token).await, json!([1, null]));
    let issues = world.ask_json(&shop, "/api/issues", json!({"Token": token})).await;
    let issues = issues["Issues"].as_array().expect("issues").clone();
    assert_eq!(issues.len(), emails.len());
    assert!(issues.iter().all(|issue| issue["Code"] == "email_malformed" && issue["Field"] == "Email"));
    for n in 1..=emails.len() {
        let id = format!("n{n}");
        let export = world.ask_json(&shop, "/api/user/export", json!({"Identifier": id})).await;
        assert_eq!(export["Profiles"], json!([{"UserId": id, "City": "Ulm"}]), "{export}");
    }
}

async fn what_is_stored_of_others_holds_no_forgotten_address(world: World) {
    let shop = world.shop("one").await;
    let email = ADA[0];
    world.forget(&shop, email).await;
    world.run_all_jobs().await;
    let bob = |id: &str| {
        let note = format!("See {}, bob@shop.test", email.replace('@', "%40"));
        json!({"UserId": id, "Email": "bob@shop.test", "City": email, "Attributes": {"AltEmail": note, email: 1}})
    };
    world.apply_delta(&shop, json!({"Users": [bob("delta")]})).await;
    world.complete_feed(&shop, "/people", &json!({"Users": [bob("feed")]})).await;
    let body = json!({"Users": [bob("upload")]}).to_string();
    let token = uploads::send_feed(&world, &shop, "user-all", &[&body[..40], &body[40..]]).await;
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
    for id in ["delta", "feed", "upload"] {
        let export =
            world.ask_json(&shop, "/api/user/export", json!({"Identifier": format!("userid:{id}")})).await;
        let attributes = json!({"AltEmail": "See ***, bob@shop.test"});
        let kept = json!({"UserId": id, "Email": "bob@shop.test", "City": "***", "Attributes": attributes});
        assert_eq!(export["Profiles"], json!([kept]));
    }
    let orders = [
        format!("1/{email},buyer,,{email}"),
        format!("{email},buyer,,p1"),
        format!("{email}/2,buyer,,p1"),
        format!("o4,crm:{email},,p1"),
        format!("o5,,<{email}>,p1"),
    ];
    let rows = orders.map(|row| row + ",2026-11-20 09:00:00");
    let csv = format!("OrderId,UserId,Email,ProdCode,DateTimeStamp\n{}\n", rows.join("\n"));
    let before = world.subjects(&shop).await;
    uploads::send_feed(&world, &shop, "orders-all", &[&csv[..40], &csv[40..]]).await;
    world.run_all_jobs().await;
    let export = world.ask_json(&shop, "/api/user/export", json!({"Identifier": "userid:buyer"})).await;
    assert_eq!(export["Orders"].as_array().map(Vec::len), Some(3), "{export}");
    assert!(!export.to_string().contains(email), "{export}");
    assert_eq!(world.subjects(&shop).await, before + 1, "the others are kept out");
}

/// More than are asked for in one unit of work.
async fn a_text_of_very_many_forgotten_addresses_keeps_none_of_them(world: World) {
    let shop = world.shop("one").await;
    let emails: Vec<_> = (0..=limits::UNIT_ROWS).map(|number| format!("u{number}@people.test")).collect();
    let keys = world.node().keys.clone();
    let forgotten = emails.clone();
    let now = world.clock.now();
    let shutting = world.node().store.write(AccountId(1), move |tx| {
        for email in &forgotten {
            let id = Identifier::email(email).expect("an address");
            suppression_gate::suppress(tx, &keys, AccountId(1), &id, 1, now)?;
        }
        Ok::<_, StoreFault>(())
    });
    shutting.await.expect("shut");
    let attributes = json!({"Friends": format!("{}, bob@shop.test", emails.join(", "))});
    world.apply_delta(&shop, json!({"Users": [{"UserId": "bob", "Attributes": attributes}]})).await;
    let export = world.ask_json(&shop, "/api/user/export", json!({"Identifier": "userid:bob"})).await;
    let kept = export["Profiles"][0]["Attributes"]["Friends"].as_str().expect("a text");
    assert!(kept.ends_with("***, bob@shop.test") && !kept.contains("people.test"), "{kept}");
}
