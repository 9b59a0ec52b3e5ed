//! The register of places keeps its word: every erasure counts its own, every kind of record is exported, models are
//! counted, and an erased person is gone from every table.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::time::Duration;

use lethe::args;
use lethe::erasure::places::{PLACES, PlaceTreatment};
use lethe::jobs::Lane;
use lethe::keys::SlotNumber;
use lethe::people::record_kind;
use lethe::people::rows;
use lethe::store::{Owner, Statement, StoreFault};
use serde_json::{Value, json};

use crate::support::columns::list_columns;
use crate::support::subjects::{KnowingModel, list_subject_ids, read_rows};
use crate::support::world::{Shop, World, on_both_engines, statement};

on_both_engines! {
    erasures_back_to_back_count_what_was_each_persons_own
    every_record_is_in_the_export_under_its_kind
    a_model_that_knows_somebody_is_counted_and_holds_their_erasure_up
    a_person_whose_key_is_lost_leaves_no_row_in_any_table
    somebody_is_left_while_one_table_of_the_register_says_so
    every_table_with_rows_of_a_subject_is_in_the_register
}

async fn execute(world: &World, text: &'static str) {
    let statement = statement("a plant", text);
    let done = world.node().store.write(Owner::STORE, move |tx| tx.exec(&statement, args![]).map(drop)).await;
    done.map_err(|fault: StoreFault| fault).unwrap_or_else(|fault| panic!("{text}: {fault}"));
}

async fn orders(world: &World, shop: &Shop, user: &str, count: usize) {
    let rows = (0..count).map(|n| format!("{user}-{n},{user},2026-11-01 10:00:00,p1"));
    let file = format!("OrderId,UserId,DateTime,ProdCode\n{}\n", rows.collect::<Vec<_>>().join("\n"));
    crate::support::uploads::send_feed(world, shop, "orders-1", &[&file, ""]).await;
    world.run_all_jobs().await;
}

/// Asks to forget a person; returns the id of the erasure.
async fn forget_person(world: &World, shop: &Shop, identifier: &str) -> String {
    let reply = world.ask(shop, "/api/user/forget", json!({"Identifier": identifier})).await;
    reply.header("x-erasure-id").to_owned()
}

async fn erasure(world: &World, shop: &Shop, id: &str) -> Value {
    world.ask_json(shop, "/api/erasure", json!({"Erasure": id})).await
}

/// `place: count` of the places where the count is not 0.
fn counts(of: &Value, field: &str) -> Vec<String> {
    let places = of["Places"].as_array().expect("places");
    let counted = places.iter().filter(|place| place[field].as_i64().is_some_and(|count| count != 0));
    counted.map(|place| format!("{}: {}", place["Name"].as_str().expect("a name"), place[field])).collect()
}

async fn fetch_certificate(world: &World, shop: &Shop, id: &str) -> Value {
    world.ask_json(shop, "/api/erasure/certificate", json!({"Erasure": id})).await["Body"].clone()
}

async fn erasures_back_to_back_count_what_was_each_persons_own(world: World) {
    const ORDERS: [(&str, usize); 3] = [("anna", 7), ("berta", 3), ("clara", 5)];
    let shop = world.shop("one").await;
    let people = ORDERS.map(|(user, _)| json!({"UserId": user, "Email": format!("{user}@shop.test")}));
    world.apply_delta(&shop, json!({"Users": people})).await;
    for (user, count) in ORDERS {
        orders(&world, &shop, user, count).await;
    }
    let mut ids = Vec::new();
    for (user, _) in ORDERS {
        ids.push(forget_person(&world, &shop, user).await);
    }
    world.run_all_jobs().await;
    for ((user, count), id) in ORDERS.into_iter().zip(&ids) {
        let own = [
            "keys: 1".to_owned(),
            format!("records: {}", count + 1),
            format!("order-numbers: {count}"),
            "identifiers: 2".to_owned(),
            "subjects: 1".to_owned(),
        ];
        assert_eq!(counts(&fetch_certificate(&world, &shop, id).await, "Removed"), own, "{user}");
    }
}

async fn every_record_is_in_the_export_under_its_kind(world: World) {
    const KINDS: Statement = statement("kinds", "SELECT kind, count(*) AS counted FROM record GROUP BY kind");
    let shop = world.shop("one").await;
    let log_in = json!([{"name": "customer_details", "data": {"userid": "anna"}}]);
    crate::support::plugin::send_events(&world, &shop, "", log_in).await;
    world.apply_delta(&shop, json!({"Users": [{"UserId": "anna", "City": "London"}]})).await;
    orders(&world, &shop, "anna", 3).await;
    world.apply_delta(&shop, json!({"Products": [{"Id": "p1"}]})).await;
    crate::support::events::post_view(&world, &shop, json!({"UserId": "anna"}), "p1").await;
    let stored: BTreeMap<String, i64> = read_rows(&world, KINDS)
        .await
        .iter()
        .map(|row| (row.text("kind").expect("a kind").to_owned(), row.int("counted").expect("a count")))
        .collect();
    let known: BTreeSet<_> = record_kind::KINDS.iter().map(|kind| kind.name().to_owned()).collect();
    assert_eq!(stored.keys().cloned().collect::<BTreeSet<_>>(), known, "each kind of the table is tried");
    let export = world.ask_json(&shop, "/api/user/export", json!({"Identifier": "anna"})).await;
    for kind in &record_kind::KINDS {
        let entries = export[kind.list()].as_array().map_or(0, Vec::len);
        assert_eq!(i64::try_from(entries).ok(), stored.get(kind.name()).copied(), "{}", kind.name());
    }
}

async fn a_model_that_knows_somebody_is_counted_and_holds_their_erasure_up(world: World) {
    let shop = world.shop("one").await;
    let model = KnowingModel::install(&world);
    world
        .apply_delta(&shop, json!({"Users": [{"UserId": "anna"}, {"UserId": "berta"}, {"UserId": "clara"}]}))
        .await;
    model.set_people(list_subject_ids(&world).await);
    let held = world.ask_json(&shop, "/api/user/held", json!({"Identifier": "anna"})).await;
    assert!(counts(&held, "Found").contains(&"models: 1".to_owned()), "{held}");
    let id = forget_person(&world, &shop, "anna").await;
    world.run_all_jobs().await;
    let certificate = fetch_certificate(&world, &shop, &id).await;
    assert!(counts(&certificate, "Removed").contains(&"models: 1".to_owned()), "{certificate}");
    assert_eq!(model.known.lock().expect("nobody panicked").len(), 2, "the others are known");

    model.keeps.store(true, Ordering::SeqCst);
    let id = forget_person(&world, &shop, "berta").await;
    world.run_jobs(Lane::ERASE).await;
    let open = erasure(&world, &shop, &id).await;
    let told = "something of a forgotten person was found in: models";
    assert_eq!((&open["State"], &open["Fault"]), (&json!("deleted"), &json!(told)));
    assert_eq!(counts(&open, "Left"), ["models: 1"]);
    world.ask(&shop, "/api/erasure/certificate", json!({"Erasure": id})).await.expect_refusal(409);
    model.keeps.store(false, Ordering::SeqCst);
    world.clock.advance(Duration::from_secs(120));
    world.run_all_jobs().await;
    let certificate = fetch_certificate(&world, &shop, &id).await;
    assert!(counts(&certificate, "Removed").contains(&"models: 1".to_owned()), "{certificate}");
    assert_eq!(counts(&certificate, "Left"), [""; 0]);
}

/// The tables whose rows name a subject.
async fn tables_of_subjects(world: &World) -> BTreeSet<String> {
    let columns = list_columns(world).await.into_iter().filter(|(_, column)| column == "subject_id");
    columns.map(|(table, _)| table).chain(["subject".to_owned()]).collect()
}

async fn every_table_with_rows_of_a_subject_is_in_the_register(world: World) {
    let tables = rows::ALL.map(|rows| rows.table);
    assert_eq!(
        tables.map(str::to_owned).into_iter().collect::<BTreeSet<_>>(),
        tables_of_subjects(&world).await
    );
    let deleted = PLACES.iter().filter_map(|place| match place.fate {
        PlaceTreatment::Deleted(rows, _) => Some(rows.table),
        _ => None,
    });
    assert_eq!(deleted.collect::<Vec<_>>(), tables, "in the order in which they are deleted");
    assert_eq!(tables.last(), Some(&"subject"), "it says whose the others are");
}

async fn a_person_whose_key_is_lost_leaves_no_row_in_any_table(world: World) {
    let shop = world.shop("one").await;
    let anna = json!({"Users": [{"UserId": "anna", "Email": "anna@shop.test"}]});
    world.apply_delta(&shop, anna.clone()).await;
    orders(&world, &shop, "anna", 2).await;
    let lost = list_subject_ids(&world).await;
    let slots = read_rows(&world, statement("slots", "SELECT slot FROM subject")).await;
    let slots: Vec<_> =
        slots.iter().filter_map(|row| SlotNumber::from_row(row.int("slot").expect("a slot"))).collect();
    world.node().keys.destroy(&slots).expect("destroyed");
    world.apply_delta(&shop, anna).await;
    assert_eq!(list_subject_ids(&world).await.len(), 1);
    for table in tables_of_subjects(&world).await {
        let column = if table == "subject" { "id" } else { "subject_id" };
        let text = format!("SELECT DISTINCT {column} AS id FROM {table}").leak();
        for row in read_rows(&world, statement("whose", text)).await {
            assert_ne!(row.bytes("id").expect("an id"), lost[0], "{table}");
        }
    }
}

async fn somebody_is_left_while_one_table_of_the_register_says_so(world: World) {
    let shop = world.shop("one").await;
    let users = ["anna", "berta", "clara"];
    world.apply_delta(&shop, json!({"Users": users.map(|user| json!({"UserId": user}))})).await;
    orders(&world, &shop, "anna", 1).await;
    execute(&world, "DELETE FROM record WHERE kind = 'order'").await;
    orders(&world, &shop, "berta", 1).await;
    execute(
        &world,
        "DELETE FROM order_known WHERE subject_id IN (SELECT subject_id FROM record WHERE kind = 'order')",
    )
    .await;
    world.apply_delta(&shop, json!({"DeleteUsers": users})).await;
    assert_eq!(world.subjects(&shop).await, 2, "those of whom something is left");
}
