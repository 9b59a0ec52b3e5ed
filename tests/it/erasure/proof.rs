//! Obstacles to the verification of an erasure: anything in any place of the register, bytes between the rows of the
//! database, an upload that goes on. Once the obstacle is gone, the erasure ends.

use std::sync::Arc;
use std::time::Duration;

use lethe::args;
use lethe::erasure::places::{MODELS, PAYLOADS, PLACES};
use lethe::evidence::EvidenceFault;
use lethe::evidence::person_scan::{self, ProgressCallback};
use lethe::ids::identifier::Identifier;
use lethe::jobs::Lane;
use lethe::people::person::Person;
use lethe::store::{Owner, StoreFault};
use serde_json::{Value, json};

use crate::support::residue::{find_texts, spellings, visit_files};
use crate::support::subjects::{KnowingModel, list_subject_ids};
use crate::support::tables::rename_tables;
use crate::support::uploads::post_piece;
use crate::support::world::{Shop, World, on_both_engines, on_sqlite, statement};

on_both_engines! {
    nothing_is_verified_while_one_place_holds_something
    an_upload_that_goes_on_holds_an_erasure_up_for_a_day_and_no_longer
}

/// Something of a person in a place.
struct Plant {
    place: &'static str,
    /// Number counted there; 0 where the erasure notices that the place was not looked at.
    left: i64,
    /// Puts it there.
    put: &'static [&'static str],
    take: &'static [&'static str],
}

/// The rows of a person before the erasure are kept in extra tables.
const KEEP: [&str; 8] = [
    "DELETE FROM kept_subject",
    "INSERT INTO kept_subject SELECT * FROM subject WHERE id IN \
     (SELECT subject_id FROM identifier GROUP BY subject_id HAVING count(*) > 1)",
    "DELETE FROM kept_record",
    "INSERT INTO kept_record SELECT * FROM record WHERE subject_id IN (SELECT id FROM kept_subject)",
    "DELETE FROM kept_order_known",
    "INSERT INTO kept_order_known SELECT * FROM order_known",
    "DELETE FROM kept_identifier",
    "INSERT INTO kept_identifier SELECT * FROM identifier WHERE subject_id IN (SELECT id FROM kept_subject)",
];
const TABLES: [&str; 4] = [
    "CREATE TABLE kept_subject AS SELECT * FROM subject WHERE 1 = 0",
    "CREATE TABLE kept_record AS SELECT * FROM record WHERE 1 = 0",
    "CREATE TABLE kept_order_known AS SELECT * FROM order_known WHERE 1 = 0",
    "CREATE TABLE kept_identifier AS SELECT * FROM identifier WHERE 1 = 0",
];

const PLANTS: [Plant; 9] = [
    Plant {
        place: "keys",
        left: 0,
        put: &["UPDATE erasure_place SET found = NULL WHERE place = 'keys'"],
        take: &["UPDATE erasure_place SET found = 0 WHERE place = 'keys'"],
    },
    Plant {
        place: "payloads",
        left: 1,
        put: &[
            "INSERT INTO payload (account_id, seq, slot, may_hold_people) SELECT account_id, min(seq), 0, 1 FROM submission GROUP BY account_id",
        ],
        take: &["DELETE FROM payload"],
    },
    Plant {
        place: "records",
        left: 2,
        put: &["INSERT INTO record SELECT * FROM kept_record"],
        take: &["DELETE FROM record WHERE subject_id IN (SELECT id FROM kept_subject)"],
    },
    Plant {
        place: "order-numbers",
        left: 1,
        put: &["INSERT INTO order_known SELECT * FROM kept_order_known"],
        take: &["DELETE FROM order_known"],
    },
    Plant {
        place: "identifiers",
        left: 2,
        put: &["INSERT INTO identifier SELECT * FROM kept_identifier"],
        take: &["DELETE FROM identifier WHERE tag IN (SELECT tag FROM kept_identifier)"],
    },
    // They lead to another person than the erased ones.
    Plant {
        place: "identifiers",
        left: 1,
        put: &[
            "UPDATE kept_identifier SET subject_id = (SELECT id FROM subject)",
            "INSERT INTO identifier SELECT * FROM kept_identifier",
        ],
        take: &["DELETE FROM identifier WHERE tag IN (SELECT tag FROM kept_identifier)"],
    },
    Plant {
        place: "subjects",
        left: 1,
        put: &["INSERT INTO subject SELECT * FROM kept_subject"],
        take: &["DELETE FROM subject WHERE id IN (SELECT id FROM kept_subject)"],
    },
    Plant {
        place: "removals",
        left: 1,
        // A removal names a user id, which is the kind 2.
        put: &["INSERT INTO user_removal SELECT account_id, tag, 1 FROM kept_identifier WHERE kind = 2"],
        take: &["DELETE FROM user_removal"],
    },
    // A model of the test knows them.
    Plant { place: "models", left: 1, put: &[], take: &[] },
];

async fn execute(world: &World, text: &'static str) {
    let statement = statement("a plant", text);
    let done = world.node().store.write(Owner::STORE, move |tx| tx.exec(&statement, args![]));
    done.await.map_err(|fault: StoreFault| fault).unwrap_or_else(|fault| panic!("{text}: {fault}"));
}

async fn forget_person(world: &World, shop: &Shop, identifier: &str) -> String {
    let reply = world.ask(shop, "/api/user/forget", json!({"Identifier": identifier})).await;
    reply.header("x-erasure-id").to_owned()
}

async fn erasure(world: &World, shop: &Shop, id: &str) -> Value {
    world.ask_json(shop, "/api/erasure", json!({"Erasure": id})).await
}

/// `place: count` of the places in which something is left.
fn list_left(erasure: &Value) -> Vec<String> {
    let places = erasure["Places"].as_array().expect("places").iter();
    let left = places.filter(|place| place["Left"].as_i64().is_some_and(|left| left > 0));
    left.map(|place| format!("{}: {}", place["Name"].as_str().expect("a name"), place["Left"])).collect()
}

/// Long after a fault, when it is tried again.
async fn try_again(world: &World) {
    world.clock.advance(Duration::from_secs(120));
    world.run_jobs(Lane::ERASE).await;
}

async fn nothing_is_verified_while_one_place_holds_something(world: World) {
    // The files hold each erasure up at first; the request goes in the step that verifies it.
    let planted = PLANTS.iter().map(|plant| plant.place).chain(["request", "files"]);
    let planted: std::collections::BTreeSet<_> = planted.collect();
    let all = PLACES.iter().filter(|place| !place.is_kept()).map(|place| place.name);
    assert_eq!(planted, all.collect(), "every place of the register is tried");
    // Room for a full disk would be read by every scan.
    let _ = std::fs::remove_file(world.config.data_dir.join("ballast"));
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Users": [{"UserId": "somebody-else"}]})).await;
    for table in TABLES {
        execute(&world, table).await;
    }
    let model = KnowingModel::install(&world);
    for (number, plant) in PLANTS.iter().enumerate() {
        hold_up(&world, &shop, number, plant, &model).await;
    }
    assert_eq!(world.subjects(&shop).await, 1, "somebody else is still there");
}

/// A person is erased up to the proof, which a file holds up; then only the plant holds it up; then nothing.
async fn hold_up(world: &World, shop: &Shop, number: usize, plant: &Plant, model: &KnowingModel) {
    let user = format!("u-canary-{number}-4711");
    let email = format!("ada-canary-{number}@shop.test");
    let person = json!({"UserId": user, "Email": email, "FirstName": "Adacanary"});
    world.apply_delta(shop, json!({"Users": [person]})).await;
    let order =
        format!("OrderId,UserId,Email,DateTime,ProdCode\no-{number},{user},{email},2026-11-01 10:00:00,1\n");
    crate::support::uploads::send_feed(world, shop, "orders-1", &[&order, ""]).await;
    world.run_all_jobs().await;
    for text in KEEP {
        execute(world, text).await;
    }
    let people = list_subject_ids(world).await;
    let file = world.config.data_dir.join("left-behind");
    std::fs::write(&file, &email).expect("a file");
    let id = forget_person(world, shop, &email).await;
    world.run_jobs(Lane::ERASE).await;
    assert_alarm(world, shop, &id, "files, an unexpected file", &["files: 1".to_owned()]).await;
    std::fs::remove_file(&file).expect("it was there");
    for text in plant.put {
        execute(world, text).await;
    }
    if plant.place == MODELS {
        model.set_people(people);
    }
    let expected = (plant.left > 0).then(|| format!("{}: {}", plant.place, plant.left));
    for _ in 0..2 {
        try_again(world).await;
        // A place that was not looked at ends the proof before anything is counted.
        let counted = expected.clone().unwrap_or_else(|| "files: 1".to_owned());
        match plant.place {
            PAYLOADS => assert_waits(world, shop, &id).await,
            place => assert_alarm(world, shop, &id, place, &[counted]).await,
        }
    }
    for text in plant.take {
        execute(world, text).await;
    }
    model.set_people(Vec::new());
    // Once more where its bytes lie between the rows: the database is not rewritten at each fault.
    for _ in 0..2 {
        try_again(world).await;
    }
    let done = erasure(world, shop, &id).await;
    assert_eq!(
        (&done["State"], list_left(&done)),
        (&json!("verified"), vec![]),
        "{}: {}",
        plant.place,
        done["Fault"]
    );
    assert!(world.get("/metrics").await.text.contains("lethe_erasures_failing 0"));
}

/// A payload that came before the request is waited for: it is no fault.
async fn assert_waits(world: &World, shop: &Shop, id: &str) {
    let open = erasure(world, shop, id).await;
    assert_eq!(
        (&open["State"], &open["Fault"], &open["VerifiedAt"]),
        (&json!(world.unprovable_state()), &Value::Null, &Value::Null)
    );
    assert!(open["WaitsFor"].as_str().is_some_and(|what| what.starts_with("payloads")), "{open}");
    world.ask(shop, "/api/erasure/certificate", json!({"Erasure": id})).await.expect_refusal(409);
}

async fn assert_alarm(world: &World, shop: &Shop, id: &str, places: &str, counted: &[String]) {
    let open = erasure(world, shop, id).await;
    let told = format!("something of a forgotten person was found in: {places}");
    assert_eq!((&open["State"], &open["Fault"]), (&json!(world.unprovable_state()), &json!(told)));
    assert_eq!((&open["VerifiedAt"], list_left(&open)), (&Value::Null, counted.to_vec()), "{places}");
    assert!(world.get("/metrics").await.text.contains("lethe_erasures_failing 1"), "{places}");
    world.ask(shop, "/api/erasure/certificate", json!({"Erasure": id})).await.expect_refusal(409);
}

const ADA: &str = "ada-canary-between-rows@shop.test";

/// A deleted row of a delta lies between the rows of the database, as an older program may have left it.
async fn left_between_the_rows(world: &mut World) -> Shop {
    let shop = world.shop("one").await;
    let product = |id: &str| json!({"Id": id, "Title": "Chair"});
    let products = [product("1"), product(ADA), product("3")];
    world.apply_delta(&shop, json!({"Products": products})).await;
    world.stop().await;
    let sqlite =
        rusqlite::Connection::open(world.config.data_dir.join("lethe.db")).expect("nobody has it open");
    sqlite.pragma_update(None, "secure_delete", false).expect("a setting");
    sqlite
        .execute_batch("DELETE FROM change WHERE item LIKE 'ada%'; PRAGMA wal_checkpoint(TRUNCATE)")
        .expect("deleted");
    sqlite.close().expect("closed");
    assert!(stands_in_the_database(world), "the address lies between the rows");
    world.restart().await;
    shop
}

/// For a stopped world: closing the file would let go of the locks of a running one.
fn stands_in_the_database(world: &World) -> bool {
    let mut stands = false;
    visit_files(&world.config.data_dir, &mut |_, bytes| {
        stands |= spellings(ADA).iter().any(|text| crate::support::residue::contains_bytes(bytes, text));
    });
    stands
}

#[test]
fn what_lies_between_the_rows_of_the_database_is_gone_before_an_erasure_is_verified() {
    on_sqlite(async |mut world| {
        let shop = left_between_the_rows(&mut world).await;
        let id = forget_person(&world, &shop, ADA).await;
        assert_eq!(world.run_jobs(Lane::ERASE).await, 1);
        let done = erasure(&world, &shop, &id).await;
        assert_eq!((&done["State"], &done["Faults"]), (&json!("verified"), &json!(0)), "{}", done["Fault"]);
        assert_eq!(world.title(&shop, "1").await, "Chair");
        world.stop().await;
        assert!(!stands_in_the_database(&world));
    });
}

/// The earlier faults may have had any cause.
#[test]
fn an_erasure_that_failed_before_clears_what_lies_between_the_rows_too() {
    on_sqlite(async |mut world| {
        let shop = left_between_the_rows(&mut world).await;
        let id = forget_person(&world, &shop, ADA).await;
        execute(&world, "UPDATE erasure SET faults = 3").await;
        world.run_jobs(Lane::ERASE).await;
        for _ in 0..3 {
            try_again(&world).await;
        }
        let done = erasure(&world, &shop, &id).await;
        assert_eq!((&done["State"], &done["Fault"]), (&json!("verified"), &Value::Null));
        world.stop().await;
        assert!(!stands_in_the_database(&world));
    });
}

/// Tables that a search in the files reads, to tell what it found from what belongs to nobody.
const READ_BY_SEARCHES: [&str; 19] = [
    "account",
    "account_about",
    "change",
    "change_child",
    "difference_example",
    "erasure",
    "feed_source",
    "held_snapshot",
    "job",
    "ledger",
    "node",
    "operator_act",
    "row_issue",
    "search_settings",
    "shop_list",
    "snapshot",
    "submission",
    "upload_piece",
    "webhook_message",
];

#[test]
fn a_search_that_cannot_read_a_table_proves_nothing() {
    on_sqlite(async |world| {
        let shop = world.shop("one").await;
        let _ = std::fs::remove_file(world.config.data_dir.join("ballast"));
        world.apply_delta(&shop, json!({"Products": [{"Id": ADA, "Title": "Chair"}]})).await;
        let person = Person::unknown(Identifier::email(ADA).expect("an address"));
        let go_on: ProgressCallback = Arc::new(|_| Ok(()));
        let search = async || {
            let residue = person_scan::in_files(world.node(), &[&person], &go_on).await;
            residue.map(|residue| residue.scan_of(0).found)
        };
        assert_eq!(search().await.ok(), Some(0), "it is the id of a product");
        for table in READ_BY_SEARCHES {
            rename_tables(&world, ("", "_away"), |name| name == table);
            assert!(matches!(search().await, Err(EvidenceFault::Store(_))), "{table}");
            rename_tables(&world, ("_away", ""), |name| name.ends_with("_away"));
        }
        assert_eq!(search().await.ok(), Some(0));
    });
}

const TEN_MINUTES: Duration = Duration::from_secs(600);

async fn an_upload_that_goes_on_holds_an_erasure_up_for_a_day_and_no_longer(world: World) {
    let shop = world.shop("one").await;
    let ada = "ada-canary@shop.test";
    world.apply_delta(&shop, json!({"Users": [{"UserId": "7", "Email": ada}]})).await;
    let begin = format!(r#"{{"Users":[{{"UserId":"7","Email":"{ada}"}}"#);
    assert_eq!(post_piece(&world, &shop, "/feed-create", "user-1", Some(begin.as_bytes())).await.status, 200);
    let id = forget_person(&world, &shop, ada).await;
    for _ in 0..24 * 6 {
        world.run_jobs(Lane::ERASE).await;
        let waiting = erasure(&world, &shop, &id).await;
        assert_eq!(
            (&waiting["State"], &waiting["WaitsFor"], &waiting["Fault"]),
            (
                &json!("shredded"),
                &json!("payloads that were accepted earlier and may hold the person"),
                &Value::Null
            )
        );
        world.clock.advance(TEN_MINUTES);
        let reply = post_piece(&world, &shop, "/feed-append", "user-1", Some(b",{\"UserId\":\"8\"}")).await;
        assert_eq!(reply.status, 200);
    }
    world.clock.advance(Duration::from_secs(1));
    world.run_all_jobs().await;
    assert_eq!(erasure(&world, &shop, &id).await["State"], "verified");
    let refused = post_piece(&world, &shop, "/feed-append", "user-1", Some(b"]}")).await.expect_refusal(409);
    assert!(refused.contains("/feed-create"), "{refused}");
    let listed = world.ask_json(&shop, "/api/submissions", json!({})).await;
    assert_eq!(listed[0]["Reason"], "an erasure had to wait for the upload for 24 hours");
    assert_eq!(world.subjects(&shop).await, 0);
    assert_eq!(find_texts(&world, &[ada]).await, [""; 0]);
}
