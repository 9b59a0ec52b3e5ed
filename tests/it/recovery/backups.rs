//! Backups, and the way back from them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lethe::args;
use lethe::erasure;
use lethe::ids::AccountId;
use lethe::keys::{KeyFault, Keys, LookupKeys, SlotNumber};
use lethe::ledger;
use lethe::maintenance::backup;
use lethe::people::subject::{SubjectFault, record_aad};
use lethe::recovery::bundle::RecoveryKey;
use lethe::recovery::journal::{JournalItem, JournalRecordKind, Record, TagEntry};
use lethe::recovery::restore::RestoreRequest;
use lethe::recovery::{Manifest, RecoveryFault};
use lethe::store::{Owner, SCHEMA_VERSION, Statement, StoreFault, Tx, read_copy};
use lethe_verify::{CheckedLedger, Checkpoint, Entry, check_growth, check_ledger, hex, read_checkpoint};
use serde_json::{Value, json};

use crate::support::backups::{
    back_up, lose_data, path_beside, restart_from_backup, restore, restore_with, run_restore,
    stop_and_restore,
};
use crate::support::postgres::Database;
use crate::support::world::{Shop, World, on_both_engines, statement};

on_both_engines! {
    a_restored_backup_is_the_shop_as_it_was
    a_backup_while_writes_go_on_is_one_state
    a_foreign_truncated_or_flipped_backup_is_refused_whole
    a_backup_of_the_earlier_format_is_refused_whole
    a_backup_goes_into_an_empty_folder_apart_from_the_data
    a_restore_goes_into_an_empty_folder_and_database
    a_backup_without_a_blob_is_not_made
    an_old_backup_opens_nobody_forgotten_since_and_brings_nobody_back
    a_ledger_is_followed_by_its_journal_after_a_crash_too
    a_restore_is_entered_in_every_ledger_with_what_is_its_own
    the_ledger_of_a_lost_account_comes_back_without_it
    a_copy_of_another_ledger_is_not_used
    an_older_copy_of_the_data_is_refused_before_any_key_is_destroyed
    a_crash_between_the_record_and_the_keys_leaves_the_counting_to_the_job
    an_erasure_of_many_rows_is_done_again_in_slices
    a_note_that_was_missed_once_is_caught_up_without_a_restart
    a_lost_journal_beside_an_old_backup_has_to_be_accepted
    a_damaged_journal_that_a_restore_went_on_with_is_told_in_the_ledger
    the_number_of_a_lost_account_is_not_given_again
    an_empty_mount_point_is_no_mirror
    a_store_that_has_seen_more_than_the_journal_is_not_started
    a_lost_key_folder_loses_people_and_nothing_else
    what_cannot_be_read_after_a_restore_ends_with_a_sentence
    an_erasure_waits_while_the_mirror_is_away
    all_who_are_lost_are_cleared_however_many
    a_restored_state_has_a_backup_as_old_as_the_one_it_came_from
    files_of_a_backup_stay_while_it_is_made
}

/// The same; the keys may leave a store on the other engine.
fn restore_elsewhere(world: &World, backup: &Path, change_engine: bool) -> Result<Manifest, RecoveryFault> {
    let journal = world.config.journal_mirror.clone();
    run_restore(
        world,
        RestoreRequest {
            backup: backup.to_path_buf(),
            recovery_key: None,
            journal,
            accept_gap: false,
            change_engine,
        },
    )
}

const RECORDS: Statement = statement(
    "records",
    "SELECT s.account_id, s.slot, r.subject_id, r.kind, r.n, r.sealed FROM record r \
     JOIN subject s ON s.id = r.subject_id ORDER BY r.subject_id, r.kind, r.n",
);

/// Records that could be opened, by subject, kind and number; and how many could not.
type Opened = (BTreeMap<String, Vec<u8>>, usize);

/// Records that the node's keys open, of all.
async fn open_records(world: &World) -> Opened {
    let keys = world.node().keys.clone();
    world.node().store.read(move |tx| open_records_with(tx, &keys)).await.expect("records")
}

fn open_records_with(tx: &mut Tx<'_>, keys: &Keys) -> Result<Opened, StoreFault> {
    let mut open = BTreeMap::new();
    let mut shut = 0;
    for row in tx.run(&RECORDS, args![])? {
        let subject = row.bytes("subject_id")?;
        let kind = row.text("kind")?;
        let n = row.int("n")?;
        let aad = record_aad(AccountId(row.int("account_id")?), &subject, kind, n);
        let sealer = keys.sealer(SlotNumber::from_row(row.int("slot")?).expect("a slot"));
        let sealed = row.blob("sealed")?;
        match sealer.and_then(|sealer| sealer.open(&aad, sealed)) {
            Ok(plain) => drop(open.insert(format!("{subject:?}/{kind}/{n}"), plain.to_vec())),
            Err(_) => shut += 1,
        }
    }
    Ok((open, shut))
}

/// The records that a thief opens with a backup and today's key folder, without a program that forgets.
async fn opened_by_hand(world: &World, backup: &Path) -> Opened {
    let mut keys = Keys::open(&world.config.key_dir);
    // Background work of the node may hold them for a moment.
    while matches!(keys, Err(KeyFault::InUse)) {
        tokio::time::sleep(Duration::from_millis(10)).await;
        keys = Keys::open(&world.config.key_dir);
    }
    let keys = keys.expect("keys");
    read_copy(&backup.join("lethe.db"), |tx| open_records_with(tx, &keys)).expect("the backup")
}

fn feed_of(count: u32) -> Value {
    let user = |n| json!({"UserId": format!("{n}"), "Email": email(n), "FirstName": format!("N{n}")});
    let users: Vec<Value> = (1..=count).map(user).collect();
    json!({"Products": [{"Id": "1", "Sku": "s", "Title": "A chair"}], "Users": users})
}

fn email(n: u32) -> String {
    format!("person-{n}@shop.test")
}

async fn with_people(world: &World, count: u32) -> Shop {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/feed", &feed_of(count)).await;
    shop
}

/// Every file below a folder with its content.
fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    if folder.exists() {
        crate::support::residue::visit_files(folder, &mut |path, bytes| {
            drop(files.insert(path.to_owned(), bytes.to_vec()))
        });
    }
    files
}

async fn a_restored_backup_is_the_shop_as_it_was(mut world: World) {
    let shop = with_people(&world, 30).await;
    world.apply_delta(&shop, json!({"Products": [{"Id": "2", "Title": "A table"}]})).await;
    let before = open_records(&world).await;
    assert_eq!((before.0.len(), before.1), (30, 0));
    let backup = back_up(&world, "backup").await;
    for file in content(&backup).keys() {
        let name = file.file_name().expect("a name").to_string_lossy();
        assert!(name != "slots.key" && name != "epoch.key", "{name}");
    }
    stop_and_restore(&mut world, &backup, "data-2").await;
    assert_eq!(world.title(&shop, "1").await, "A chair");
    assert_eq!(world.title(&shop, "2").await, "A table");
    assert_eq!(open_records(&world).await, before);
    // And it goes on from there, to another engine's file as well.
    world.apply_delta(&shop, json!({"Products": [{"Id": "3", "Title": "A bed"}]})).await;
    let second = back_up(&world, "backup-2").await;
    world.stop().await;
    world.config.data_dir = path_beside(&world, "data-3");
    world.config.store = if world.is_postgres() {
        "sqlite:".to_owned()
    } else {
        match Database::create() {
            Some(database) => world.database.insert(database).url(),
            None => return,
        }
    };
    let refused = restore(&world, &second).err().expect("the keys are those of the other store").to_string();
    assert!(refused.contains("--store") && refused.contains("--change-engine"), "{refused}");
    restore_elsewhere(&world, &second, true).map_err(|fault| fault.to_string()).expect("restored");
    world.restart().await;
    assert_eq!(world.count(&shop, "Products").await, 3);
    assert_eq!(open_records(&world).await, before);
}

#[test]
fn nobody_runs_on_a_restored_database_and_its_tables_are_known() {
    crate::support::world::on_postgres(a_restored_database);
}

async fn a_restored_database(mut world: World) {
    const CHECK: &str = "DO $$ BEGIN ASSERT (SELECT count(*) FROM node WHERE holder IS NULL) = 1;
        ASSERT (SELECT count(*) FROM pg_class WHERE relname = 'subject' AND reltuples = 1) = 1; END $$";
    with_people(&world, 1).await;
    let backup = back_up(&world, "backup").await;
    world.stop().await;
    lose_data(&mut world, "restored");
    restore(&world, &backup).map_err(|fault| fault.to_string()).expect("restored");
    crate::support::postgres::run_on(world.config.store.clone(), CHECK.to_owned());
}

async fn a_backup_while_writes_go_on_is_one_state(mut world: World) {
    let shop = with_people(&world, 300).await;
    let mut sent = Vec::new();
    let target = path_beside(&world, "backup");
    let node = world.node().clone();
    let to = target.clone();
    let making = tokio::spawn(async move { backup::make(&node, to, |_| ()).await });
    while !making.is_finished() || sent.len() < 20 {
        let n = sent.len();
        sent.push(
            world
                .delta(
                    &shop,
                    json!({"Products": [{"Id": "1", "Title": format!("T{n}")}, {"Id": format!("p{n}")}]}),
                )
                .await,
        );
        world.run_all_jobs().await;
    }
    making.await.expect("it ran").map_err(|fault| fault.to_string()).expect("a backup");
    stop_and_restore(&mut world, &target, "data-2").await;
    world.run_all_jobs().await;
    // Deltas up to one are there, and none after it.
    let mut there = 0;
    for n in 0..sent.len() {
        let is_there = world.item(&shop, "Products", &format!("p{n}")).await != Value::Null;
        assert!(!is_there || n == there, "delta {n} is there, {there} is not");
        there += usize::from(is_there);
    }
    let expected = if there == 0 { "A chair".to_owned() } else { format!("T{}", there - 1) };
    assert_eq!(world.title(&shop, "1").await, expected.as_str());
    assert_eq!(open_records(&world).await.0.len(), 300);
}

async fn a_foreign_truncated_or_flipped_backup_is_refused_whole(mut world: World) {
    with_people(&world, 5).await;
    let good = back_up(&world, "backup").await;
    world.stop().await;
    let keys_before = content(&world.config.key_dir);
    lose_data(&mut world, "data-2");
    let files: Vec<PathBuf> = content(&good).into_keys().collect();
    let refuse = |world: &World, what: &str| {
        let refused = restore(world, &good);
        assert!(matches!(refused, Err(RecoveryFault::Unusable(_))), "{what}");
        let left: Vec<_> = content(&world.config.data_dir).into_keys().collect();
        assert!(left.iter().all(|path| path.ends_with("lock")), "{what}: {left:?}");
    };
    // 200 flips, seeded, in every file at every kind of place.
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(random >> 33).expect("a number") % below
    };
    for n in 0..200 {
        let file = &files[n % files.len()];
        let whole = std::fs::read(file).expect("a file");
        let at = draw(whole.len());
        let bit = draw(8);
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << bit;
        std::fs::write(file, &flipped).expect("flipped");
        refuse(&world, &format!("bit {bit} of byte {at} of {} flipped", file.display()));
        std::fs::write(file, &whole).expect("mended");
    }
    for file in &files {
        let whole = std::fs::read(file).expect("a file");
        std::fs::write(file, &whole[..whole.len() - 1]).expect("cut");
        refuse(&world, &format!("{} cut off", file.display()));
        std::fs::remove_file(file).expect("removed");
        refuse(&world, &format!("{} missing", file.display()));
        std::fs::write(file, &whole).expect("mended");
    }
    assert!(content(&world.config.key_dir) == keys_before);
    // A folder with another set of keys.
    let foreign = path_beside(&world, "keys-2");
    let own = std::mem::replace(&mut world.config.key_dir, foreign);
    drop(Keys::open(&world.config.key_dir).expect("keys"));
    refuse(&world, "foreign");
    world.config.key_dir = own;
    restore(&world, &good).map_err(|fault| fault.to_string()).expect("the mended one is good");
}

/// The name of the newest migration in a backup.
fn newest_migration(backup: &Path) -> String {
    const NEWEST: &str = "SELECT name FROM refinery_schema_history ORDER BY version DESC LIMIT 1";
    let database = rusqlite::Connection::open(backup.join("lethe.db")).expect("the database of the backup");
    database.query_row(NEWEST, [], |row| row.get(0)).expect("its name")
}

/// Writes a version of the newest migration into a backup as the program that made it would have: sums and seal are
/// right.
fn with_schema(backup: &Path, (newest, version): (&str, i32), key_dir: &Path) {
    let path = backup.join("lethe.db");
    let database = rusqlite::Connection::open(&path).expect("the database of the backup");
    database
        .execute("UPDATE refinery_schema_history SET version = $1 WHERE name = $2", (version, newest))
        .expect("written");
    drop(database);
    let mut manifest = Manifest::load(backup).map_err(|fault| fault.to_string()).expect("a manifest");
    let sum = lethe::disk::sum(&path).expect("a sum");
    let file = manifest.files.get_mut("lethe.db").expect("the database");
    file.bytes = sum.bytes;
    file.sha256 = hex::encode(&sum.sha256);
    manifest.schema = version;
    let recognition = LookupKeys::load(key_dir).expect("readable").expect("keys");
    std::fs::write(backup.join("manifest.json"), manifest.into_sealed_bytes(&recognition)).expect("written");
}

async fn a_backup_of_the_earlier_format_is_refused_whole(mut world: World) {
    world.shop("one").await;
    let backup = back_up(&world, "backup").await;
    world.stop().await;
    lose_data(&mut world, "restored");
    let newest = newest_migration(&backup);
    for (version, is_newer) in [(1, false), (999, true)] {
        with_schema(&backup, (&newest, version), &world.config.key_dir);
        let Err(fault) = restore(&world, &backup) else {
            panic!("a backup of version {version} was restored")
        };
        let says_newer = matches!(fault, RecoveryFault::Store(StoreFault::NewerSchema { .. }));
        let says_other = matches!(fault, RecoveryFault::Store(StoreFault::OtherSchema { .. }));
        assert_eq!((says_newer, says_other), (is_newer, !is_newer), "{fault}");
        assert_eq!(lethe::node::StartFault::from(fault).exit_code(), 4);
        assert_eq!(lethe::disk::names(&world.config.data_dir).expect("a folder"), ["lock"]);
    }
    with_schema(&backup, (&newest, SCHEMA_VERSION), &world.config.key_dir);
    restore(&world, &backup).map_err(|fault| fault.to_string()).expect("restored");
}

async fn a_backup_goes_into_an_empty_folder_apart_from_the_data(world: World) {
    let refused = |target: PathBuf| async {
        let made = backup::make(world.node(), target, |_| ()).await;
        assert!(matches!(made, Err(RecoveryFault::Refused(_))));
    };
    refused(world.config.data_dir.join("backup")).await;
    refused(world.config.key_dir.join("a/b")).await;
    std::fs::create_dir(path_beside(&world, "full")).expect("a folder");
    std::fs::write(path_beside(&world, "full").join("x"), b"").expect("a file");
    refused(path_beside(&world, "full")).await;
    std::os::unix::fs::symlink(&world.config.data_dir, path_beside(&world, "link")).expect("a link");
    refused(path_beside(&world, "link").join("backup")).await;
    assert!(path_beside(&world, "full").join("x").exists());
}

async fn a_restore_goes_into_an_empty_folder_and_database(mut world: World) {
    let shop = with_people(&world, 2).await;
    let backup = back_up(&world, "backup").await;
    world.stop().await;
    assert!(matches!(restore(&world, &backup), Err(RecoveryFault::Refused(_))), "a data folder in use");
    if world.is_postgres() {
        world.config.data_dir = path_beside(&world, "data-2");
        assert!(matches!(restore(&world, &backup), Err(RecoveryFault::Refused(_))), "a database in use");
    }
    // A restore that broke off is repeated over its own remains.
    lose_data(&mut world, "data-3");
    std::fs::create_dir_all(world.config.data_dir.join("blobs/ab")).expect("a folder");
    for left in ["restoring", "lethe.db", "lethe.db-wal", "blobs/ab/x"] {
        std::fs::write(world.config.data_dir.join(left), b"half").expect("a file");
    }
    assert!(world.open_fault().await.to_string().contains("broken off"));
    restore(&world, &backup).map_err(|fault| fault.to_string()).expect("restored");
    world.restart().await;
    assert_eq!(world.title(&shop, "1").await, "A chair");
    assert!(!world.config.data_dir.join("blobs/ab/x").exists());
}

async fn a_backup_without_a_blob_is_not_made(world: World) {
    with_people(&world, 2).await;
    let blobs = content(&world.config.data_dir.join("blobs"));
    let (path, bytes) = blobs.iter().next().expect("a blob");
    for damaged in [None, Some(&bytes[1..])] {
        std::fs::remove_file(path).expect("removed");
        if let Some(damaged) = damaged {
            std::fs::write(path, damaged).expect("damaged");
        }
        let made = backup::make(world.node(), path_beside(&world, "backup"), |_| ()).await;
        let fault = made.err().map(|fault| fault.to_string()).unwrap_or_default();
        assert!(fault.contains("missing or damaged"), "{fault}");
        assert!(content(&path_beside(&world, "backup")).is_empty());
        std::fs::write(path, bytes).expect("mended");
    }
    back_up(&world, "backup").await;
}

async fn an_old_backup_opens_nobody_forgotten_since_and_brings_nobody_back(mut world: World) {
    let shop = with_people(&world, 120).await;
    let backup = back_up(&world, "backup").await;
    let (before, _) = open_records(&world).await;
    for n in 1..=84 {
        world.forget(&shop, &email(n)).await;
    }
    // An unknown person, forgotten all the same.
    world.forget(&shop, "stranger@shop.test").await;
    world.run_all_jobs().await;
    let (left, _) = open_records(&world).await;
    assert_eq!((before.len(), left.len()), (120, 36));
    let checkpoint = checkpoint(&world).await;
    world.stop().await;
    // With today's keys no record of a forgotten person opens in the backup, whatever program opens it.
    assert_eq!(opened_by_hand(&world, &backup).await, (left.clone(), 84));
    lose_data(&mut world, "data-2");
    restore(&world, &backup).map_err(|fault| fault.to_string()).expect("restored");
    world.restart().await;
    let replayed = world.node().recovered.replayed;
    assert!(replayed.records >= 84 && replayed.subjects == 84, "{replayed:?}");
    assert_eq!(open_records(&world).await, (left.clone(), 0));
    assert_eq!(world.subjects(&shop).await, 36);
    // An auditor's earlier checkpoint is the beginning of the ledger: every certificate and, after them, the restore.
    let grown = check_growth(&checkpoint, &growth(&world, checkpoint.size).await, None).expect("it grew");
    assert_eq!(grown.size, checkpoint.size + 1);
    // Nor do they come back by the next feed, or by a delta, under their user id.
    world.complete_feed(&shop, "/feed", &feed_of(120)).await;
    world.apply_delta(&shop, json!({"Users": [{"UserId": "7", "FirstName": "N7"}]})).await;
    assert_eq!(world.subjects(&shop).await, 36);
    assert_eq!(open_records(&world).await.0.len(), 36);
    world.restart().await;
    assert_eq!(world.node().recovered.replayed.records, 0, "once is enough");
}

/// The account of the first shop of a world.
const ONE: AccountId = AccountId(1);

async fn checkpoint(world: &World) -> Checkpoint {
    let keys = world.node().keys.clone();
    let now = world.clock.now();
    world.node().store.read(move |tx| ledger::checkpoint(tx, &keys, ONE, now)).await.expect("signed")
}

/// Growth for an auditor who kept a checkpoint of so many entries.
async fn growth(world: &World, size: u64) -> String {
    let keys = world.node().keys.clone();
    let now = world.clock.now();
    let growth = world.node().store.read(move |tx| ledger::growth(tx, &keys, ONE, size, now)).await;
    serde_json::to_string(&growth.expect("proved")).expect("JSON")
}

/// The state of a server that is killed after the last step of an erasure.
async fn a_ledger_is_followed_by_its_journal_after_a_crash_too(mut world: World) {
    let shop = with_people(&world, 2).await;
    world.forget(&shop, &email(1)).await;
    world.run_all_jobs().await;
    let day = lethe_verify::day(world.clock.now());
    let entry = move |ledger| Entry::Consent { ledger, consent: uuid::Uuid::new_v4(), day };
    let entry = move |tx: &mut Tx<'_>| ledger::append(tx, ONE, entry);
    world.node().store.write(ONE, entry).await.map_err(|fault: StoreFault| fault).expect("appended");
    assert_eq!(world.node().journal.entries(ONE), 2, "the genesis and the erasure");
    world.restart().await;
    assert_eq!((world.node().journal.entries(ONE), restores(&world).await.len()), (3, 0));
}

/// The ledger of an account as it is exported, checked, with its entries.
async fn export_ledger(world: &World, name: &str) -> (CheckedLedger, Vec<Value>) {
    let text = world.control_text("/control/ledger/export", json!({"Name": name})).await;
    let checked = check_ledger(text.as_bytes(), None, None).unwrap_or_else(|fault| panic!("{fault}: {text}"));
    let entries = text.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    (checked, entries.filter(|entry: &Value| entry["Kind"].is_string()).collect())
}

/// Three shops erase, one before the backup, one after it; one is closed by then.
async fn a_restore_is_entered_in_every_ledger_with_what_is_its_own(mut world: World) {
    let shops = [world.shop("one").await, world.shop("two").await, world.shop("closed").await];
    world.forget(&shops[0], "ada@shop.test").await;
    world.run_all_jobs().await;
    let deletion = |path: &str| format!("/control/account/deletion/{path}");
    world.ask(&shops[2], "/api/plugin/delete", json!({})).await;
    world.control(&deletion("confirm"), json!({"Name": "closed"})).await;
    let backup = back_up(&world, "backup").await;
    for n in 0..3 {
        world.forget(&shops[1], &format!("{n}@shop.test")).await;
    }
    world.forget(&shops[0], "bob@shop.test").await;
    world.run_all_jobs().await;
    let kept = export_ledger(&world, "two").await.0.checkpoint;
    stop_and_restore(&mut world, &backup, "data-2").await;
    let mut restores = Vec::new();
    for (name, erasures, replayed) in [("one", 2, 1), ("two", 3, 3), ("closed", 0, 0)] {
        let (checked, entries) = export_ledger(&world, name).await;
        assert_eq!((checked.erasures, checked.restores), (erasures, 1), "{name}");
        let last = entries.last().expect("an entry");
        assert_eq!((&last["Kind"], &last["Replayed"]), (&json!("restore"), &json!(replayed)), "{name}");
        restores.push(last["Restore"].as_str().expect("an id").to_owned());
    }
    restores.sort();
    restores.dedup();
    assert_eq!(restores.len(), 3, "nothing ties the ledger of one shop to that of another");
    let text = world.control_text("/control/ledger/export", json!({"Name": "two"})).await;
    check_ledger(text.as_bytes(), None, Some(&kept)).expect("what an auditor kept is its beginning");
    let entries = world.node().journal.ledgers().into_values().collect::<Vec<_>>();
    assert_eq!(entries, [4, 5, 2], "the journal has them all");
    world.restart().await;
    assert_eq!(export_ledger(&world, "two").await.0.restores, 1, "once");
}

/// An auditor has a checkpoint of an account that was made after the backup, and erased no one.
async fn the_ledger_of_a_lost_account_comes_back_without_it(mut world: World) {
    world.shop("one").await;
    let backup = back_up(&world, "backup").await;
    world.shop("lost").await;
    let kept = world.control("/control/ledger/checkpoint", json!({"Name": "lost"})).await.to_string();
    let kept = read_checkpoint(&kept).expect("a checkpoint");
    stop_and_restore(&mut world, &backup, "data-2").await;
    let told = world.control_answer("/control/ledger/checkpoint", json!({"Name": "lost"})).await;
    assert!(told.1.contains("no account has that name"), "{told:?}");
    world.shop("three").await;
    world.forget(&world.shop("four").await, "ada@shop.test").await;
    world.run_all_jobs().await;
    let asked = json!({"Name": kept.ledger, "Size": kept.size});
    let (_, grown) = world.control_answer("/control/ledger/growth", asked).await;
    let grown = check_growth(&kept, &grown, None).unwrap_or_else(|fault| panic!("{fault}: {grown}"));
    assert_eq!(grown.size, 2, "the genesis and the restore");
    let (three, _) = export_ledger(&world, "three").await;
    assert_eq!(three.checkpoint.size, 1, "no new account goes on with it");
}

/// A ledger that went on otherwise stays as it is.
async fn a_copy_of_another_ledger_is_not_used(mut world: World) {
    with_people(&world, 1).await;
    let before = checkpoint(&world).await;
    let others = (0..9).map(|number| JournalItem::Entry { account: 1, number, line: "another".to_owned() });
    let others = others.collect::<Vec<_>>();
    world.node().journal.give_entries_up(ONE);
    world.node().journal.append(&others).expect("recorded");
    world.restart().await;
    let told = growth(&world, before.size).await;
    assert_eq!(check_growth(&before, &told, None).expect("it grew").size, before.size);
    assert_eq!(world.node().journal.entries(ONE), before.size);
    world.restart().await;
    assert_eq!(world.node().recovered.replayed.records, 0);
}

const SUBJECT: Statement = statement("subject", "SELECT id FROM subject ORDER BY id LIMIT 1");

/// Puts records into the journal that the store does not know.
fn append_records(world: &World, account: i64, subjects: Vec<[u8; 16]>) {
    let id = *uuid::Uuid::new_v4().as_bytes();
    let tags = vec![TagEntry { tag: id, kind: 1, version: 1 }];
    let record = Record { kind: JournalRecordKind::Erasure, id, account, subjects, asked: None, tags, at: 0 };
    world.node().journal.append(&[JournalItem::Record(record)]).expect("recorded");
}

async fn subject(world: &World) -> [u8; 16] {
    let reading = world.node().store.read(|tx| tx.row(&SUBJECT, args![])?.expect("a person").bytes("id"));
    reading.await.map_err(|fault: StoreFault| fault).expect("an id")
}

const RESTORES: Statement =
    statement("restores", "SELECT entry FROM ledger WHERE entry LIKE '%estore%' ORDER BY n DESC");

/// Restores in the ledger, the newest first.
async fn restores(world: &World) -> Vec<String> {
    let reading = world.node().store.read(|tx| {
        let rows = tx.run(&RESTORES, args![])?;
        rows.iter().map(|row| row.text("entry").map(str::to_owned)).collect::<Result<Vec<_>, StoreFault>>()
    });
    reading.await.expect("the ledger")
}

async fn an_older_copy_of_the_data_is_refused_before_any_key_is_destroyed(mut world: World) {
    let shop = with_people(&world, 3).await;
    // A key that a newer state of the store names, for all that this one knows.
    let newer = world.node().keys.take_slot().expect("a key");
    let record = world.node().keys.sealer(newer).and_then(|sealer| sealer.seal(b"", b"x")).expect("sealed");
    append_records(&world, 1, vec![subject(&world).await]);
    append_records(&world, 77, vec![]);
    world.stop().await;
    let before = std::fs::read(world.config.key_dir.join("slots.key")).expect("the keys");
    let refused = world.open_fault().await.to_string();
    assert!(refused.contains("has 2 erasures") && refused.contains("`restored`"), "{refused}");
    assert!(std::fs::read(world.config.key_dir.join("slots.key")).expect("the keys") == before);
    std::fs::write(world.config.data_dir.join("restored"), b"").expect("meant");
    world.restart().await;
    let replayed = world.node().recovered.replayed;
    assert_eq!((replayed.records, replayed.subjects, replayed.tags, replayed.unknown_accounts), (2, 1, 1, 1));
    assert_eq!((world.subjects(&shop).await, open_records(&world).await.0.len()), (2, 2));
    let opened = world.node().keys.sealer(newer).and_then(|sealer| sealer.open(b"", &record));
    assert!(opened.is_err(), "swept, as the operator was told");
    assert_eq!(restores(&world).await.len(), 1);
    world.restart().await;
    assert_eq!(restores(&world).await.len(), 1);
}

const UNDONE: Statement = statement("undone", "UPDATE node SET journal_n = 0, journal_chain = NULL");

async fn a_crash_between_the_record_and_the_keys_leaves_the_counting_to_the_job(mut world: World) {
    let shop = with_people(&world, 1).await;
    world.forget(&shop, &email(1)).await;
    // The job until it was killed.
    let keys = world.node().keys.clone();
    let account = AccountId(1);
    let ran = world.node().store.write(Owner::STORE, move |tx| {
        let open = erasure::working(tx, account, 1)?.pop().expect("an erasure");
        let person = open.person(&keys, account)?;
        erasure::fence(tx, &keys, account, &open, (&person, 0)).map(|_| open.id)
    });
    let id = *ran.await.map_err(|fault: SubjectFault| fault).expect("an id").as_bytes();
    let subjects = vec![subject(&world).await];
    let tags = Vec::new();
    let record =
        Record { kind: JournalRecordKind::Erasure, id, account: 1, subjects, asked: None, tags, at: 0 };
    world.node().journal.append(&[JournalItem::Record(record)]).expect("recorded");
    world.restart().await;
    let replayed = world.node().recovered.replayed;
    assert_eq!((replayed.records, replayed.subjects), (1, 0), "its job does it");
    world.run_all_jobs().await;
    assert_eq!(world.subjects(&shop).await, 0);
    let removed = world.node().store.read(|tx| {
        let rows = tx.run(&REMOVED, args![])?;
        rows.iter()
            .map(|row| Ok((row.text("place")?.to_owned(), row.int("removed")?)))
            .collect::<Result<_, StoreFault>>()
    });
    let removed: BTreeMap<String, i64> = removed.await.expect("counts");
    assert_eq!((removed["keys"], removed["records"], removed["subjects"]), (1, 1, 1));
    assert!(restores(&world).await.is_empty(), "a crash is no restore");
}

const REMOVED: Statement = statement("removed", "SELECT place, removed FROM erasure_place");
const SHARED: Statement = statement(
    "shared",
    "INSERT INTO record (account_id, subject_id, kind, n, seq, sealed) SELECT account_id, subject_id, 'test', n + 1 + \
     (SELECT count(*) FROM record WHERE kind = 'test'), seq, sealed FROM record WHERE kind <> 'test'",
);

async fn an_erasure_of_many_rows_is_done_again_in_slices(mut world: World) {
    let shop = with_people(&world, 1).await;
    let filled = world
        .node()
        .store
        .write(Owner::STORE, |tx| (0..1200).try_for_each(|_| tx.exec(&SHARED, args![]).map(drop)));
    filled.await.map_err(|fault: StoreFault| fault).expect("1,200 more records");
    append_records(&world, 1, vec![subject(&world).await]);
    world.stop().await;
    std::fs::write(world.config.data_dir.join("restored"), b"").expect("meant");
    world.restart().await;
    assert_eq!(world.node().recovered.replayed.subjects, 1);
    assert_eq!((world.subjects(&shop).await, open_records(&world).await), (0, (BTreeMap::new(), 0)));
}

async fn a_note_that_was_missed_once_is_caught_up_without_a_restart(mut world: World) {
    let shop = with_people(&world, 3).await;
    world.forget(&shop, &email(1)).await;
    world.run_all_jobs().await;
    // Its record is there, its note is not.
    let undone = world.node().store.write(Owner::STORE, |tx| tx.exec(&UNDONE, args![]));
    undone.await.map_err(|fault: StoreFault| fault).expect("undone");
    world.forget(&shop, &email(2)).await;
    world.run_all_jobs().await;
    world.restart().await;
    assert_eq!(world.node().recovered.replayed.records, 0);
    // And a mere crash, after which all records are known here, leaves no entry.
    let undone = world.node().store.write(Owner::STORE, |tx| tx.exec(&UNDONE, args![]));
    undone.await.map_err(|fault: StoreFault| fault).expect("undone");
    world.restart().await;
    assert_eq!(world.node().recovered.replayed.records, 2);
    assert!(restores(&world).await.is_empty());
}

async fn a_lost_journal_beside_an_old_backup_has_to_be_accepted(mut world: World) {
    let shop = with_people(&world, 3).await;
    let key = RecoveryKey::random().expect("a key");
    key.adopt(&world.config.key_dir).expect("adopted");
    let text = key.reveal();
    let backup = back_up(&world, "backup").await;
    world.forget(&shop, &email(1)).await;
    world.run_all_jobs().await;
    world.stop().await;
    lose_data(&mut world, "data-2");
    world.config.key_dir = path_beside(&world, "keys-2");
    let again = || RecoveryKey::parse(&text).ok();
    let refused = restore_with(&world, &backup, again(), false);
    let sentence = refused.err().map(|fault| fault.to_string()).unwrap_or_default();
    assert!(sentence.contains("--accept-journal-gap") && sentence.contains("--journal"), "{sentence}");
    assert!(content(&world.config.data_dir).keys().all(|path| path.ends_with("lock")));
    restore_with(&world, &backup, again(), true).map_err(|fault| fault.to_string()).expect("restored");
    world.restart().await;
    assert!(world.node().recovered.replayed.gap_accepted);
    let said = restores(&world).await;
    assert!(said.len() == 1 && said[0].contains("true"), "{said:?}");
}

async fn a_damaged_journal_that_a_restore_went_on_with_is_told_in_the_ledger(mut world: World) {
    let shop = with_people(&world, 4).await;
    let backup = back_up(&world, "backup").await;
    let file = world.config.key_dir.join("journal.log");
    let mut ends = Vec::new();
    for n in 1..=2 {
        world.forget(&shop, &email(n)).await;
        world.run_all_jobs().await;
        ends.push(std::fs::read(&file).expect("the journal").len());
    }
    world.stop().await;
    let mut journal = std::fs::read(&file).expect("the journal");
    journal[ends[1] - 9] ^= 1;
    std::fs::write(&file, &journal).expect("damaged");
    lose_data(&mut world, "data-2");
    let refused = restore(&world, &backup).err().map(|fault| fault.to_string()).unwrap_or_default();
    assert!(refused.contains("damaged"), "{refused}");
    restore_with(&world, &backup, None, true).map_err(|fault| fault.to_string()).expect("restored");
    world.restart().await;
    let said = restores(&world).await;
    assert!(said.len() == 1 && said[0].contains("true"), "{said:?}");
    assert!(world.node().recovered.replayed.gap_accepted);
    // Once: the missing part stays missing, but the start after it finds a whole journal.
    world.restart().await;
    assert_eq!(restores(&world).await.len(), 1);
}

async fn the_number_of_a_lost_account_is_not_given_again(mut world: World) {
    world.shop("one").await;
    let backup = back_up(&world, "backup").await;
    let lost = world.shop("two").await;
    world.forget(&lost, "anna@shop.test").await;
    world.run_all_jobs().await;
    stop_and_restore(&mut world, &backup, "data-2").await;
    assert_eq!(world.node().recovered.replayed.unknown_accounts, 1);
    world.shop("three").await;
    let ids = world.node().store.read(|tx| {
        let rows = tx.run(&ACCOUNTS, args![])?;
        rows.iter().map(|row| row.int("id")).collect::<Result<Vec<_>, StoreFault>>()
    });
    assert_eq!(ids.await.expect("accounts"), [1, 3]);
}

const ACCOUNTS: Statement = statement("accounts", "SELECT id FROM account ORDER BY id");

async fn an_empty_mount_point_is_no_mirror(mut world: World) {
    let mirror = path_beside(&world, "mirror");
    std::fs::create_dir(&mirror).expect("a folder");
    world.config.journal_mirror = Some(mirror.clone());
    world.restart().await;
    world.stop().await;
    let away = path_beside(&world, "away");
    std::fs::rename(&mirror, &away).expect("unmounted");
    std::fs::create_dir(&mirror).expect("a mount point");
    let refused = world.open_fault().await.to_string();
    assert!(refused.contains("mounted") && refused.contains("journal.mirrored"), "{refused}");
    assert!(content(&mirror).is_empty());
    std::fs::remove_dir(&mirror).expect("removed");
    std::fs::rename(&away, &mirror).expect("mounted");
    world.restart().await;
}

async fn a_store_that_has_seen_more_than_the_journal_is_not_started(mut world: World) {
    let shop = with_people(&world, 3).await;
    let file = world.config.key_dir.join("journal.log");
    world.forget(&shop, &email(1)).await;
    world.run_all_jobs().await;
    let older = std::fs::read(&file).expect("the journal");
    world.forget(&shop, &email(2)).await;
    world.run_all_jobs().await;
    world.stop().await;
    let newer = std::fs::read(&file).expect("the journal");
    std::fs::write(&file, &older).expect("cut at a record");
    assert!(world.open_fault().await.to_string().contains("--accept-journal-gap"));
    std::fs::remove_file(&file).expect("lost");
    assert!(world.open_fault().await.to_string().contains("--accept-journal-gap"));
    let mut damaged = newer.clone();
    damaged[older.len() - 9] ^= 1;
    std::fs::write(&file, &damaged).expect("damaged");
    assert!(world.open_fault().await.to_string().contains("damaged"));
    std::fs::write(&file, &newer).expect("put back");
    world.restart().await;
    world.stop().await;
    std::fs::write(&file, &older).expect("cut at a record");
    world.config.accept_journal_gap = true;
    world.restart().await;
    assert!(world.node().recovered.replayed.gap_accepted);
    world.config.accept_journal_gap = false;
    world.restart().await;
    assert_eq!(world.subjects(&shop).await, 1);
}

async fn a_lost_key_folder_loses_people_and_nothing_else(mut world: World) {
    let mirror = path_beside(&world, "mirror");
    std::fs::create_dir(&mirror).expect("a folder");
    world.config.journal_mirror = Some(mirror.clone());
    world.restart().await;
    let shop = with_people(&world, 6).await;
    let key = RecoveryKey::random().expect("a key");
    key.adopt(&world.config.key_dir).expect("adopted");
    world.forget(&shop, &email(1)).await;
    world.run_all_jobs().await;
    let backup = back_up(&world, "backup").await;
    world.forget(&shop, &email(2)).await;
    world.run_all_jobs().await;
    world.stop().await;
    lose_data(&mut world, "data-2");
    world.config.key_dir = path_beside(&world, "keys-2");
    assert!(matches!(restore(&world, &backup), Err(RecoveryFault::Refused(_))), "without the key");
    let other = RecoveryKey::random().expect("a key");
    assert!(matches!(restore_with(&world, &backup, Some(other), false), Err(RecoveryFault::Refused(_))));
    let text = key.reveal();
    let typed = RecoveryKey::parse(&text).expect("the key");
    restore_with(&world, &backup, Some(typed), false).map_err(|fault| fault.to_string()).expect("restored");
    world.restart().await;
    let recovered = world.node().recovered;
    assert_eq!((recovered.replayed.subjects, recovered.lost), (1, 4));
    // Catalogue, account, secret.
    assert_eq!(world.title(&shop, "1").await, "A chair");
    assert_eq!(world.subjects(&shop).await, 0);
    assert!(mirror.join("recognition.bundle").exists());
    // The others come back with the next feed; people forgotten before or after the backup do not.
    world.complete_feed(&shop, "/feed", &feed_of(6)).await;
    assert_eq!(world.subjects(&shop).await, 4);
    assert_eq!(open_records(&world).await.0.len(), 4);
    world.restart().await;
    assert_eq!(open_records(&world).await.0.len(), 4);
}

/// More people than are looked at together.
async fn all_who_are_lost_are_cleared_however_many(mut world: World) {
    let shop = with_people(&world, 201).await;
    let key = RecoveryKey::random().expect("a key");
    key.adopt(&world.config.key_dir).expect("adopted");
    let backup = back_up(&world, "backup").await;
    restart_from_backup(&mut world, &backup, key, true).await;
    assert_eq!((world.node().recovered.lost, world.subjects(&shop).await), (201, 0));
}

async fn backup_finding(world: &World) -> Value {
    let doctor = world.control("/control/doctor", json!({})).await;
    let found = doctor.as_array().expect("findings").iter().find(|found| found["Check"] == "backup");
    found.expect("a line").clone()
}

async fn a_restored_state_has_a_backup_as_old_as_the_one_it_came_from(mut world: World) {
    with_people(&world, 1).await;
    let backup = back_up(&world, "backup").await;
    world.clock.advance(Duration::from_secs(9 * 24 * 3600));
    world.stop().await;
    lose_data(&mut world, "data-2");
    let manifest = restore(&world, &backup).map_err(|fault| fault.to_string()).expect("restored");
    world.restart().await;
    backup::note_restored(world.node(), &manifest).await.expect("noted");
    let found = backup_finding(&world).await;
    assert_eq!(found["Standing"], "Weak");
    assert_eq!(found["Sentence"], "The newest backup is 9 days old. Run `lethe backup FOLDER`.");
}

/// Between the copy of the database and that of the files so many feeds are published that no row names the first file.
async fn files_of_a_backup_stay_while_it_is_made(world: World) {
    let shop = with_people(&world, 1).await;
    let (copied, mut is_copied) = tokio::sync::mpsc::unbounded_channel();
    let (go_on, goes_on) = std::sync::mpsc::channel::<()>();
    let tell = move |progress: lethe::recovery::RecoveryProgress| {
        if progress.step == "checking the database" {
            copied.send(()).expect("it is waited for");
            goes_on.recv().expect("it goes on");
        }
    };
    let target = path_beside(&world, "backup");
    let making = backup::make(world.node(), target.clone(), tell);
    let meanwhile = async {
        is_copied.recv().await.expect("the database is copied");
        for n in 0..4 {
            let body = json!({"Products": [{"Id": "1", "Title": format!("Chair {n}")}]});
            world.complete_feed(&shop, &format!("/{n}"), &body).await;
        }
        world.node().note_files_left();
        world.node().sweep_blobs(Duration::ZERO).await.expect("the files are looked through");
        go_on.send(()).expect("the backup waits");
    };
    let (made, ()) = tokio::join!(making, meanwhile);
    made.map_err(|fault| fault.to_string()).expect("a backup");
}

async fn what_cannot_be_read_after_a_restore_ends_with_a_sentence(mut world: World) {
    let shop = with_people(&world, 2).await;
    let key = RecoveryKey::random().expect("a key");
    key.adopt(&world.config.key_dir).expect("adopted");
    let delta = world.delta(&shop, json!({"Users": [{"UserId": "1", "FirstName": "New"}]})).await;
    let plain = world.delta(&shop, json!({"Products": [{"Id": "2", "Title": "A table"}]})).await;
    let url = world.feeds.serve("/late", [crate::support::feed_server::Answer::ok(feed_of(1).to_string())]);
    let feed = world.feed(&shop, &url).await;
    world.forget(&shop, "2").await;
    let backup = back_up(&world, "backup").await;
    restart_from_backup(&mut world, &backup, key, true).await;
    world.run_all_jobs().await;
    let status = world.delta_status(&shop, &delta).await;
    assert!(status[0] == 2 && status[1].to_string().contains("send it again"), "{status}");
    assert_eq!(world.delta_status(&shop, &plain).await, json!([1, null]));
    let status = world.feed_status(&shop, &feed).await;
    assert!(status[0] == "Error" && status[1].to_string().contains("its key is lost"), "{status}");
    assert_eq!(world.title(&shop, "2").await, "A table");
}

async fn an_erasure_waits_while_the_mirror_is_away(mut world: World) {
    let mirror = path_beside(&world, "mirror");
    let away = path_beside(&world, "away");
    std::fs::create_dir(&mirror).expect("a folder");
    world.config.journal_mirror = Some(mirror.clone());
    world.restart().await;
    let shop = with_people(&world, 2).await;
    std::fs::rename(&mirror, &away).expect("taken away");
    world.forget(&shop, &email(1)).await;
    world.run_jobs(lethe::jobs::Lane::ERASE).await;
    assert_eq!(open_records(&world).await.0.len(), 2, "its key is not destroyed yet");
    std::fs::rename(&away, &mirror).expect("brought back");
    world.clock.advance(std::time::Duration::from_secs(120));
    world.run_all_jobs().await;
    assert_eq!(world.subjects(&shop).await, 1);
    let copy = |folder: &Path| std::fs::read(folder.join("journal.log")).expect("a journal");
    assert!(copy(&mirror) == copy(&world.config.key_dir));
}

#[test]
fn a_machine_that_goes_back_to_a_snapshot_forgets_again_what_its_mirror_has() {
    crate::support::world::on_sqlite(|mut world: World| async move {
        let mirror = path_beside(&world, "mirror");
        std::fs::create_dir(&mirror).expect("a folder");
        world.config.journal_mirror = Some(mirror);
        world.restart().await;
        let shop = with_people(&world, 10).await;
        world.stop().await;
        let snapshot = world.folders().map(|folder| (folder.clone(), content(&folder)));
        world.restart().await;
        for n in 1..=5 {
            world.forget(&shop, &email(n)).await;
        }
        world.run_all_jobs().await;
        let (left, _) = open_records(&world).await;
        world.stop().await;
        for (folder, files) in &snapshot {
            std::fs::remove_dir_all(folder).expect("removed");
            for (path, bytes) in files {
                std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
                std::fs::write(path, bytes).expect("put back");
            }
        }
        let closed = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        std::fs::set_permissions(&world.config.key_dir, closed).expect("closed");
        world.restart().await;
        assert_eq!(world.node().recovered.replayed.subjects, 5);
        assert_eq!(open_records(&world).await, (left, 0));
        world.complete_feed(&shop, "/feed", &feed_of(10)).await;
        assert_eq!(world.subjects(&shop).await, 5);
    });
}
