//! More than is read at once, and the second try: of recovery, and of what the doctor says.

use std::time::Duration;

use lethe::args;
use lethe::ids::AccountId;
use lethe::ledger;
use lethe::maintenance::{backup, doctor};
use lethe::recovery::bundle::RecoveryKey;
use lethe::recovery::{Manifest, RecoveryFault};
use lethe::store::{Owner, Statement, StoreFault, Tx};
use lethe_verify::{Entry, check_ledger};
use serde_json::json;

use crate::support::backups::{back_up, lose_data, path_beside, restore, stop_and_restore};
use crate::support::key_slots::damage_keys;
use crate::support::world::{Shop, World, on_both_engines, on_sqlite, statement};

on_both_engines! {
    a_ledger_of_many_entries_is_followed_and_given_back_whole
    however_many_are_unreadable_all_are_counted
    a_gap_that_a_broken_off_restore_accepted_is_told_by_the_next_one
    a_sealed_manifest_that_is_not_of_its_files_is_refused
    keys_that_live_in_their_mirror_are_not_lost
    the_doctor_finds_a_backup_old_after_a_week_and_an_erasure_late_after_its_day
    the_doctor_finds_what_the_journal_and_the_recovery_key_lack
    a_backup_that_was_not_made_is_no_backup
    a_backup_is_not_made_where_a_file_is
}

/// The account of the first shop of a world.
const ONE: AccountId = AccountId(1);

async fn with_people(world: &World, count: usize) -> Shop {
    let shop = world.shop("one").await;
    let user = |n| json!({"UserId": format!("{n}"), "Email": format!("person-{n}@shop.test")});
    world.apply_delta(&shop, json!({"Users": (1..=count).map(user).collect::<Vec<_>>()})).await;
    shop
}

async fn finding(world: &World, check: &str) -> (String, String) {
    let doctor = world.control("/control/doctor", json!({})).await;
    let found = doctor.as_array().expect("findings").iter().find(|found| found["Check"] == check);
    let text = |name: &str| found.expect("a line")[name].as_str().expect("a text").to_owned();
    (text("Standing"), text("Sentence"))
}

async fn ledger_size(world: &World) -> u64 {
    let text = world.control_text("/control/ledger/export", json!({"Name": "one"})).await;
    check_ledger(text.as_bytes(), None, None).unwrap_or_else(|fault| panic!("{fault}")).checkpoint.size
}

/// More entries than are copied together, in both directions.
async fn a_ledger_of_many_entries_is_followed_and_given_back_whole(mut world: World) {
    const MANY: u64 = 1100;
    world.shop("one").await;
    let backup = back_up(&world, "backup").await;
    let day = lethe_verify::day(world.clock.now());
    let appending = move |tx: &mut Tx<'_>| {
        for _ in 0..MANY {
            ledger::append(tx, ONE, |ledger| Entry::Consent { ledger, consent: uuid::Uuid::new_v4(), day })?;
        }
        Ok::<_, StoreFault>(())
    };
    world.node().store.write(ONE, appending).await.expect("appended");
    world.restart().await;
    assert_eq!((world.node().journal.entries(ONE), ledger_size(&world).await), (MANY + 1, MANY + 1));
    stop_and_restore(&mut world, &backup, "data-2").await;
    let entries = MANY + 2;
    assert_eq!(ledger_size(&world).await, entries, "the genesis and the restore with them");
    assert_eq!(world.node().journal.entries(ONE), entries);
}

/// More people than are looked at together.
async fn however_many_are_unreadable_all_are_counted(mut world: World) {
    with_people(&world, 203).await;
    world.stop().await;
    damage_keys(&world);
    world.restart().await;
    assert_eq!(world.node().unreadable, 203);
    let (standing, sentence) = finding(&world, "keys of people").await;
    assert!(standing == "Act" && sentence.contains(" (one: 203): "), "{sentence}");
}

async fn a_gap_that_a_broken_off_restore_accepted_is_told_by_the_next_one(mut world: World) {
    with_people(&world, 1).await;
    let backup = back_up(&world, "backup").await;
    for (number, content, is_told) in [(2, "", false), (3, "a gap", true)] {
        world.stop().await;
        lose_data(&mut world, &format!("data-{number}"));
        std::fs::create_dir(&world.config.data_dir).expect("a folder");
        std::fs::write(world.config.data_dir.join("restoring"), content).expect("the mark");
        restore(&world, &backup).map_err(|fault| fault.to_string()).expect("restored");
        world.restart().await;
        assert_eq!(world.node().recovered.replayed.gap_accepted, is_told, "{content}");
    }
}

async fn a_sealed_manifest_that_is_not_of_its_files_is_refused(mut world: World) {
    let shop = with_people(&world, 1).await;
    let products = json!({"Products": [{"Id": "1", "Title": "A chair"}]});
    world.complete_feed(&shop, "/f", &products).await;
    let good = back_up(&world, "backup").await;
    let sealed = Manifest::load(&good).map_err(|fault| fault.to_string()).expect("a manifest");
    world.stop().await;
    lose_data(&mut world, "data-2");
    let recognition = lethe::keys::LookupKeys::load(&world.config.key_dir).expect("readable").expect("keys");
    let blob = sealed.blobs().next().expect("a catalogue file").0.to_owned();
    type Change<'c> = (&'c str, Box<dyn Fn(&mut Manifest) + 'c>);
    let changes: [Change<'_>; 5] = [
        ("rows", Box::new(|made| *made.rows.entry("subject".to_owned()).or_default() += 1)),
        ("a table", Box::new(|made| made.rows.retain(|name, _| name != "subject"))),
        ("a schema", Box::new(|made| made.schema -= 1)),
        (
            "a file elsewhere",
            Box::new(|made| drop(made.files.insert("../x".to_owned(), made.files[&blob].clone()))),
        ),
        ("a file that a row names", Box::new(|made| drop(made.files.remove(&blob)))),
    ];
    for (what, change) in &changes {
        let mut made = sealed.clone();
        change(&mut made);
        std::fs::write(good.join("manifest.json"), made.into_sealed_bytes(&recognition)).expect("written");
        let refused = restore(&world, &good);
        assert!(matches!(refused, Err(RecoveryFault::Unusable(_))), "{what}");
    }
    std::fs::write(good.join("manifest.json"), sealed.into_sealed_bytes(&recognition)).expect("written");
    restore(&world, &good).map_err(|fault| fault.to_string()).expect("the mended one is good");
}

async fn keys_that_live_in_their_mirror_are_not_lost(mut world: World) {
    world.config.key_mirror = Some(path_beside(&world, "key-mirror"));
    world.restart().await;
    let shop = with_people(&world, 3).await;
    let backup = back_up(&world, "backup").await;
    world.stop().await;
    std::fs::rename(&world.config.key_dir, path_beside(&world, "gone")).expect("it is lost");
    lose_data(&mut world, "data-2");
    // The journal was in the key folder: that it is lost is said.
    let refused = restore(&world, &backup).err().map(|fault| fault.to_string()).unwrap_or_default();
    assert!(refused.contains("--accept-journal-gap"), "{refused}");
    let restored = crate::support::backups::restore_with(&world, &backup, None, true);
    restored.map_err(|fault| fault.to_string()).expect("restored");
    world.restart().await;
    assert_eq!((world.node().recovered.lost, world.subjects(&shop).await), (0, 3));
    assert_eq!(finding(&world, "keys of people").await.0, "Good");
}

async fn the_doctor_finds_a_backup_old_after_a_week_and_an_erasure_late_after_its_day(world: World) {
    let shop = world.shop("one").await;
    assert_eq!(finding(&world, "backup").await.0, "Act");
    back_up(&world, "backup").await;
    world.clock.advance(doctor::BACKUP_DURATION);
    assert_eq!(finding(&world, "backup").await.0, "Good", "to the week");
    world.clock.advance(Duration::from_millis(1));
    let (standing, sentence) = finding(&world, "backup").await;
    assert!(standing == "Weak" && sentence.starts_with("The newest backup is 7 days old"), "{sentence}");
    assert_eq!(finding(&world, "erasures").await.0, "Good");
    world.forget(&shop, "person-1@shop.test").await;
    let (standing, sentence) = finding(&world, "erasures").await;
    assert!(standing == "Good" && sentence.starts_with("1 are going on"), "{sentence}");
    world.clock.advance(Duration::from_secs(40 * 24 * 3600));
    let (standing, sentence) = finding(&world, "erasures").await;
    assert!(standing == "Act" && sentence.starts_with("1 are overdue and 0 failed"), "{sentence}");
}

async fn the_doctor_finds_what_the_journal_and_the_recovery_key_lack(mut world: World) {
    assert_eq!(finding(&world, "recovery key").await.0, "Act");
    RecoveryKey::random().expect("a key").adopt(&world.config.key_dir).expect("adopted");
    assert_eq!(finding(&world, "recovery key").await.0, "Good");
    std::fs::write(world.config.key_dir.join("recovery.pub"), "no key\n").expect("damaged");
    let (standing, sentence) = finding(&world, "recovery key").await;
    assert!(
        standing == "Act" && sentence.contains("recovery.pub in the key folder is damaged"),
        "{sentence}"
    );
    std::fs::remove_file(world.config.key_dir.join("recovery.pub")).expect("it goes");
    assert_eq!(finding(&world, "journal of erasures").await.0, "Weak");
    let mirror = path_beside(&world, "mirror");
    std::fs::create_dir(&mirror).expect("a folder");
    world.config.journal_mirror = Some(mirror.clone());
    world.restart().await;
    assert_eq!(finding(&world, "journal of erasures").await.0, "Good");
    for folder in [&mirror, &world.config.key_dir] {
        let file = folder.join("journal.log");
        let whole = std::fs::read(&file).expect("a journal");
        std::fs::write(&file, [whole.as_slice(), b"x"].concat()).expect("changed");
        let (standing, sentence) = finding(&world, "journal of erasures").await;
        assert!(standing == "Act" && sentence.contains("is not what was written"), "{sentence}");
        std::fs::write(&file, whole).expect("mended");
    }
    assert_eq!(finding(&world, "journal of erasures").await.0, "Good");
}

async fn a_backup_that_was_not_made_is_no_backup(world: World) {
    let full = path_beside(&world, "full");
    std::fs::create_dir(&full).expect("a folder");
    std::fs::write(full.join("x"), b"").expect("a file");
    assert!(backup::make(world.node(), full, |_| ()).await.is_err());
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/f", &json!({"Products": [{"Id": "1", "Title": "A chair"}]})).await;
    let blobs = world.config.data_dir.join("blobs");
    let away = path_beside(&world, "away");
    std::fs::rename(&blobs, &away).expect("taken away");
    let target = path_beside(&world, "backup");
    assert!(backup::make(world.node(), target.clone(), |_| ()).await.is_err());
    assert!(!target.join("manifest.json").exists());
    std::fs::rename(&away, &blobs).expect("brought back");
    assert_eq!(finding(&world, "backup").await.1, "No backup was made yet. Run `lethe backup FOLDER`.");
    let at = world.clock.now();
    let made = backup::make(world.node(), target, |_| ()).await.map_err(|fault| fault.to_string());
    let summary = backup::summary(&made.expect("a backup"));
    assert_eq!((&summary["Bundle"], &summary["Rows"]["account"]), (&json!(false), &json!(1)));
    let noted = world.node().store.read(doctor::backup_at).await;
    assert_eq!(noted.map_err(|fault: StoreFault| fault).expect("a time"), Some(at));
}

/// The doctor and the notices go by the recorded time.
#[test]
fn a_backup_whose_time_cannot_be_recorded_is_a_fault() {
    const REFUSE: Statement = statement(
        "refuse",
        "CREATE TRIGGER refuse BEFORE UPDATE OF backup_at ON node BEGIN SELECT RAISE(ABORT, 'planted'); END",
    );
    on_sqlite(async |world: World| {
        let planted = world.node().store.write(Owner::STORE, |tx| tx.exec(&REFUSE, args![]));
        planted.await.map_err(|fault: StoreFault| fault).expect("the trigger");
        let target = path_beside(&world, "backup");
        let fault = backup::make(world.node(), target.clone(), |_| ()).await.err().expect("it is said");
        assert!(matches!(fault, RecoveryFault::Store(_)), "{fault}");
        assert!(target.join("manifest.json").exists(), "the backup is whole");
        assert_eq!(finding(&world, "backup").await.1, "No backup was made yet. Run `lethe backup FOLDER`.");
    });
}

#[test]
fn keys_inside_the_data_are_told() {
    on_sqlite(async |mut world: World| {
        assert_eq!(finding(&world, "keys apart from data").await.0, "Good");
        world.stop().await;
        world.config.data_dir = path_beside(&world, "other");
        world.config.key_dir = world.config.data_dir.join("keys");
        world.restart().await;
        let (standing, sentence) = finding(&world, "keys apart from data").await;
        assert!(standing == "Act" && sentence.contains("--key-dir"), "{sentence}");
    });
}

async fn a_backup_is_not_made_where_a_file_is(world: World) {
    let target = path_beside(&world, "file");
    std::fs::write(&target, b"of the operator").expect("a file");
    let made = backup::make(world.node(), target.clone(), |_| ()).await;
    let said = made.err().expect("a fault").to_string();
    assert!(said.starts_with("the target cannot be read: "), "{said}");
    assert_eq!(std::fs::read(&target).expect("a file"), b"of the operator");
}
