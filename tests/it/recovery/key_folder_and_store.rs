//! Keys and the store that they belong to: a store on another engine, or another copy, is refused with a sentence that
//! says the remedy, and no key is destroyed. Data lost all the same is reported.

use std::path::PathBuf;

use lethe::keys::StoreMark;
use lethe::node::StartFault;
use lethe::recovery::restore::{self, RestoreRequest};
use serde_json::json;

use crate::support::backups::{back_up, path_beside};
use crate::support::postgres::Database;
use crate::support::world::{Shop, World, copy_folder, on_both_engines};

on_both_engines! {
    the_copy_that_was_restored_from_is_refused_with_the_live_keys
    a_key_folder_that_comes_from_its_mirror_knows_its_store
    people_whose_slots_have_other_keys_are_counted_and_said_to_be_lost
    an_older_copy_of_the_key_folder_is_refused_and_the_newest_one_loses_nobody
    an_older_copy_of_the_keys_is_told_by_its_epoch_too
    an_older_key_folder_gets_what_it_lacks_from_its_mirror
    who_has_only_an_older_key_folder_goes_on_without_the_people_it_lacks
    a_start_that_broke_off_between_folder_and_store_is_followed_by_another
    a_damaged_mark_is_refused_and_its_folder_is_named
}

const EARLY: &str = "early@shop.test";
const LATE: &str = "late@shop.test";

async fn store_person(world: &World, shop: &Shop, email: &str) {
    world.apply_delta(shop, json!({"Users": [{"UserId": email, "Email": email}]})).await;
}

async fn profiles(world: &World, shop: &Shop, email: &str) -> usize {
    let export = world.ask_json(shop, "/api/user/export", json!({"Identifier": email})).await;
    export["Profiles"].as_array().expect("a list").len()
}

fn slots(world: &World) -> Vec<u8> {
    std::fs::read(world.config.key_dir.join("slots.key")).expect("the keys")
}

/// Reason for refusing a restore into the settings of the stopped world.
fn refuse_restore(world: &World, backup: &std::path::Path) -> String {
    let lock = lethe::node::FolderLock::acquire(&world.config.data_dir).expect("the folder is free");
    let backup = backup.to_path_buf();
    let asked =
        RestoreRequest { backup, recovery_key: None, journal: None, accept_gap: false, change_engine: false };
    // PostgreSQL's driver blocks on a runtime of its own.
    let run = || restore::restore_backup(&world.config, &lock, &asked, &mut |_| ()).map(drop);
    let ran = std::thread::scope(|scope| scope.spawn(run).join().expect("it ran"));
    ran.expect_err("it is refused").to_string()
}

#[test]
fn a_start_on_the_other_engine_names_store_and_destroys_nothing() {
    crate::support::world::on_postgres(|mut world: World| async move {
        let shop = world.shop("one").await;
        store_person(&world, &shop, EARLY).await;
        let backup = back_up(&world, "backup").await;
        store_person(&world, &shop, LATE).await;
        world.stop().await;
        let of_postgres = world.config.clone();
        let before = slots(&world);
        // Once without --store, in the same folders and in others.
        world.config.store = "sqlite:".to_owned();
        for data in [of_postgres.data_dir.clone(), path_beside(&world, "data-2")] {
            world.config.data_dir = data;
            let fault = world.open_fault().await;
            assert!(matches!(fault, StartFault::OtherEngine { .. }), "{fault}");
            let told = fault.to_string();
            assert!(told.contains("PostgreSQL") && told.contains("--store postgres://"), "{told}");
            assert!(!told.contains("restore") && fault.exit_code() == 2, "{told}");
            assert!(!world.config.data_dir.join("lethe.db").exists(), "nothing is made");
        }
        let told = refuse_restore(&world, &backup);
        assert!(told.contains("--store postgres://") && told.contains("--change-engine"), "{told}");
        assert!(slots(&world) == before, "no key is touched");
        world.config = of_postgres;
        world.restart().await;
        assert_eq!((profiles(&world, &shop, EARLY).await, profiles(&world, &shop, LATE).await), (1, 1));
    });
}

#[test]
fn a_start_on_postgresql_with_the_keys_of_a_file_is_refused_too() {
    crate::support::world::on_sqlite(|mut world: World| async move {
        let Some(database) = Database::create() else { return };
        let shop = world.shop("one").await;
        store_person(&world, &shop, EARLY).await;
        world.stop().await;
        let of_sqlite = world.config.clone();
        world.config.store = database.url();
        let fault = world.open_fault().await;
        assert!(matches!(fault, StartFault::OtherEngine { .. }), "{fault}");
        assert!(fault.to_string().contains("--store sqlite:"), "{fault}");
        world.config = of_sqlite;
        world.restart().await;
        assert_eq!(profiles(&world, &shop, EARLY).await, 1);
    });
}

async fn the_copy_that_was_restored_from_is_refused_with_the_live_keys(mut world: World) {
    let shop = world.shop("one").await;
    store_person(&world, &shop, EARLY).await;
    let backup = back_up(&world, "backup").await;
    store_person(&world, &shop, LATE).await;
    world.stop().await;
    let first = (world.config.clone(), world.database.take());
    world.config.data_dir = path_beside(&world, "data-2");
    if let Some(first) = &first.1 {
        let database = Database::create().expect("a database");
        world.config.store = database.url();
        assert_ne!(world.config.store, first.url());
        world.database = Some(database);
    }
    let lock = lethe::node::FolderLock::acquire(&world.config.data_dir).expect("the folder is free");
    let asked =
        RestoreRequest { backup, recovery_key: None, journal: None, accept_gap: false, change_engine: false };
    let config = world.config.clone();
    let run =
        || restore::restore_backup(&config, &lock, &asked, &mut |_| ()).map_err(|fault| fault.to_string());
    std::thread::scope(|scope| scope.spawn(run).join().expect("it ran")).expect("restored");
    drop(lock);
    world.restart().await;
    assert_eq!(profiles(&world, &shop, EARLY).await, 1);
    world.restart().await;
    world.stop().await;
    // The keys went on with the restored store: the first one lacks keys by now, and would destroy those of the other.
    let restored = (world.config.clone(), world.database.take());
    let before = slots(&world);
    (world.config, world.database) = first;
    let fault = world.open_fault().await;
    assert!(matches!(fault, StartFault::OtherCopy) && fault.exit_code() == 2, "{fault}");
    assert!(slots(&world) == before, "no key is touched");
    (world.config, world.database) = restored;
    world.restart().await;
    assert_eq!(profiles(&world, &shop, EARLY).await, 1);
}

/// Stores a person, keeps a mirror of the keys, and stops. Returns the shop and the mirror.
async fn stop_with_mirror(world: &mut World) -> (Shop, PathBuf) {
    let shop = world.shop("one").await;
    store_person(world, &shop, EARLY).await;
    let mirror = path_beside(world, "key-mirror");
    world.config.key_mirror = Some(mirror.clone());
    world.restart().await;
    world.stop().await;
    (shop, mirror)
}

async fn a_key_folder_that_comes_from_its_mirror_knows_its_store(mut world: World) {
    let (_, mirror) = stop_with_mirror(&mut world).await;
    let mark = StoreMark::load(&world.config.key_dir).expect("readable").expect("a mark");
    let engine = if world.is_postgres() { "postgres" } else { "sqlite" };
    assert_eq!((mark.engine.as_str(), mark.history), (engine, 0));
    std::fs::rename(&world.config.key_dir, path_beside(&world, "gone")).expect("it is lost");
    lethe::keys::Keys::restore(&world.config.key_dir, &mirror).expect("the mirror has it");
    assert_eq!(StoreMark::load(&world.config.key_dir).expect("readable"), Some(mark));
}

async fn people_whose_slots_have_other_keys_are_counted_and_said_to_be_lost(world: World) {
    let shop = world.shop("one").await;
    for email in [EARLY, LATE] {
        store_person(&world, &shop, email).await;
    }
    let told = async || {
        let doctor = world.control("/control/doctor", json!({})).await;
        let found =
            doctor.as_array().expect("findings").iter().find(|found| found["Check"] == "keys of people");
        found.expect("a line").clone()
    };
    assert_eq!(told().await["Standing"], "Good");
    // Each slot gets the key of the other's row: both are there, and neither opens anything.
    exchange_slots(&world).await;
    let lost = told().await;
    assert_eq!(lost["Standing"], "Act");
    assert!(lost["Sentence"].as_str().is_some_and(|told| told.starts_with("2 people are stored")), "{lost}");
    for path in ["/api/user/export", "/api/user/held"] {
        let said = world.ask(&shop, path, json!({"Identifier": EARLY})).await.expect_refusal(410);
        assert!(said.contains("lost") && said.contains("lethe forget"), "{path}: {said}");
    }
    world.forget(&shop, EARLY).await;
    world.run_all_jobs().await;
    let erasures = world.ask_json(&shop, "/api/erasures", json!({})).await;
    assert_eq!(erasures[0]["State"], "verified", "{erasures}");
    assert_eq!(world.subjects(&shop).await, 1);
    assert_eq!(told().await["Sentence"].as_str().map(|told| told.starts_with("1 people")), Some(true));
}

/// A copy of the key folder of the stopped world.
fn copy_keys(world: &World) -> std::path::PathBuf {
    let copy = path_beside(world, "older-keys");
    copy_folder(&world.config.key_dir, &copy);
    copy
}

/// Stores one person before a copy of the key folder is made and one after it, stops, and returns the copy.
async fn store_around_copy(world: &mut World, shop: &Shop) -> std::path::PathBuf {
    store_person(world, shop, EARLY).await;
    world.stop().await;
    let older = copy_keys(world);
    world.restart().await;
    store_person(world, shop, LATE).await;
    world.stop().await;
    older
}

/// Two nodes with a copy of the folder each, in turn on one store: the later one knows people that the other does not.
async fn an_older_copy_of_the_key_folder_is_refused_and_the_newest_one_loses_nobody(mut world: World) {
    let shop = world.shop("one").await;
    let older = store_around_copy(&mut world, &shop).await;
    let newest = std::mem::replace(&mut world.config.key_dir, older);
    let before = slots(&world);
    let fault = world.open_fault().await;
    assert!(matches!(fault, StartFault::OlderKeys) && fault.exit_code() == 2, "{fault}");
    let told = fault.to_string();
    assert!(told.contains("--key-dir") && told.contains("--key-mirror"), "{told}");
    assert!(slots(&world) == before, "no key is touched");
    world.config.key_dir = newest;
    world.restart().await;
    assert_eq!((profiles(&world, &shop, EARLY).await, profiles(&world, &shop, LATE).await), (1, 1));
}

/// The small file that counts the starts is the newest one, the keys are not.
async fn an_older_copy_of_the_keys_is_told_by_its_epoch_too(mut world: World) {
    let shop = world.shop("one").await;
    store_person(&world, &shop, EARLY).await;
    world.stop().await;
    let newest = world.config.key_dir.clone();
    let older = copy_keys(&world);
    world.restart().await;
    world.control("/control/key-epoch/rotate", json!({})).await;
    world.stop().await;
    std::fs::copy(newest.join("store"), older.join("store")).expect("copied");
    world.config.key_dir = older;
    let fault = world.open_fault().await;
    assert!(matches!(fault, StartFault::OlderKeys), "{fault}");
    world.config.key_dir = newest;
    world.restart().await;
    assert_eq!(profiles(&world, &shop, EARLY).await, 1);
}

async fn an_older_key_folder_gets_what_it_lacks_from_its_mirror(mut world: World) {
    let shop = world.shop("one").await;
    world.config.key_mirror = Some(path_beside(&world, "key-mirror"));
    world.restart().await;
    world.config.key_dir = store_around_copy(&mut world, &shop).await;
    world.restart().await;
    assert_eq!((profiles(&world, &shop, EARLY).await, profiles(&world, &shop, LATE).await), (1, 1));
}

async fn who_has_only_an_older_key_folder_goes_on_without_the_people_it_lacks(mut world: World) {
    let shop = world.shop("one").await;
    world.config.key_dir = store_around_copy(&mut world, &shop).await;
    std::fs::write(world.config.data_dir.join("restored"), b"").expect("marked");
    world.restart().await;
    assert_eq!((profiles(&world, &shop, EARLY).await, world.subjects(&shop).await), (1, 1));
    // From here on this folder is the newest one.
    world.restart().await;
    assert_eq!(profiles(&world, &shop, EARLY).await, 1);
}

/// The folder counts a start first: a folder ahead of the store is no older copy.
async fn a_start_that_broke_off_between_folder_and_store_is_followed_by_another(mut world: World) {
    let shop = world.shop("one").await;
    store_person(&world, &shop, EARLY).await;
    world.stop().await;
    let mark = StoreMark::load(&world.config.key_dir).expect("readable").expect("a mark");
    let ahead = StoreMark { starts: mark.starts + 1, ..mark };
    ahead.write(&world.config.key_dir, None).expect("written");
    world.restart().await;
    let found = StoreMark::load(&world.config.key_dir).expect("readable").expect("a mark");
    assert_eq!(found.starts, ahead.starts + 1);
    assert_eq!(profiles(&world, &shop, EARLY).await, 1);
}

/// A start that is refused is not counted either.
async fn a_damaged_mark_is_refused_and_its_folder_is_named(mut world: World) {
    let (shop, mirror) = stop_with_mirror(&mut world).await;
    let key_dir = world.config.key_dir.clone();
    let mark = StoreMark::load(&key_dir).expect("readable");
    let before = slots(&world);
    for (folder, told) in [
        (&key_dir, "the key folder: store is damaged"),
        (&mirror, "the key folder: the key mirror: store is damaged"),
    ] {
        let whole = std::fs::read(folder.join("store")).expect("a mark");
        std::fs::write(folder.join("store"), "engine").expect("damaged");
        let fault = world.open_fault().await;
        assert!(fault.to_string().starts_with(told) && fault.exit_code() == 2, "{fault}");
        assert!(slots(&world) == before, "no key is touched");
        std::fs::write(folder.join("store"), whole).expect("mended");
        assert_eq!(StoreMark::load(&key_dir).expect("readable"), mark);
    }
    world.restart().await;
    assert_eq!(profiles(&world, &shop, EARLY).await, 1);
}

async fn exchange_slots(world: &World) {
    use lethe::args;
    use lethe::store::{Owner, StoreFault};
    const SLOTS: lethe::store::Statement =
        crate::support::world::statement("slots", "SELECT slot FROM subject ORDER BY slot");
    const MOVE: lethe::store::Statement =
        crate::support::world::statement("move", "UPDATE subject SET slot = $2 WHERE slot = $1");
    let exchanged = world.node().store.write(Owner::STORE, |tx| {
        let slots = tx.run(&SLOTS, args![])?;
        let one = slots[0].int("slot")?;
        let other = slots[1].int("slot")?;
        for (from, to) in [(one, -1), (other, one), (-1, other)] {
            tx.exec(&MOVE, args![from, to])?;
        }
        Ok::<_, StoreFault>(())
    });
    exchanged.await.expect("exchanged");
}
