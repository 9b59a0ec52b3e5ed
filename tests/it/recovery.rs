//! Backups, and the way back from them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lethe::args;
use lethe::ids::AccountId;
use lethe::keys::SlotNumber;
use lethe::node::FolderLock;
use lethe::recovery::restore::{self, Asked};
use lethe::recovery::{Manifest, RecoveryFault, backup};
use lethe::store::{Statement, StoreFault};
use lethe::subjects::subject::record_aad;
use serde_json::{Value, json};

use crate::postgres::Database;
use crate::world::{Shop, World, both, on_both_engines};

on_both_engines! {
    a_restored_backup_is_the_shop_as_it_was
    a_backup_while_writes_go_on_is_one_state
    a_foreign_truncated_or_flipped_backup_is_refused_whole
    a_backup_goes_into_an_empty_folder_apart_from_the_data
    a_restore_goes_into_an_empty_folder_and_database
    a_backup_without_a_blob_is_not_made
}

/// A folder beside the world's.
fn beside(world: &World, name: &str) -> PathBuf {
    world.config.data_dir.with_file_name(name)
}

async fn backed_up(world: &World, name: &str) -> PathBuf {
    let target = beside(world, name);
    backup::make(world.node(), target.clone(), |_| ())
        .await
        .map_err(|fault| fault.to_string())
        .expect("a backup");
    target
}

/// Gives the stopped world a data folder and a database that nothing was stored in.
fn lose_data(world: &mut World, name: &str) {
    world.config.data_dir = beside(world, name);
    if world.is_postgres() {
        let database = Database::create().expect("a database");
        world.config.store = database.url();
        world.database = Some(database);
    }
}

fn restored(world: &World, backup: &Path) -> Result<Manifest, RecoveryFault> {
    let lock = FolderLock::take(&world.config.data_dir).expect("the folder is free");
    let asked = Asked { backup: backup.to_path_buf() };
    // PostgreSQL's driver blocks on a runtime of its own.
    std::thread::scope(|scope| {
        scope.spawn(|| restore::run(&world.config, &lock, &asked, &mut |_| ())).join().expect("it ran")
    })
}

async fn stopped_and_restored(world: &mut World, backup: &Path, name: &str) {
    world.stop().await;
    lose_data(world, name);
    restored(world, backup).map_err(|fault| fault.to_string()).expect("restored");
    world.restart().await;
}

const RECORDS: Statement = both(
    "records",
    "SELECT s.account_id, s.slot, r.subject_id, r.kind, r.n, r.sealed FROM record r \
     JOIN subject s ON s.id = r.subject_id ORDER BY r.subject_id, r.kind, r.n",
);

/// What the keys open of all records, by subject, kind and number; and how many they do not.
async fn opened(world: &World) -> (BTreeMap<String, Vec<u8>>, usize) {
    let keys = world.node().keys.clone();
    let reading = world.node().store.read(move |tx| {
        let (mut open, mut shut) = (BTreeMap::new(), 0);
        for row in tx.run(&RECORDS, args![])? {
            let (subject, kind, n) = (row.bytes(2)?, row.text(3)?, row.int(4)?);
            let aad = record_aad(AccountId(row.int(0)?), &subject, kind, n);
            let sealer = keys.sealer(SlotNumber::from_row(row.int(1)?).expect("a slot"));
            let sealed = row.blob(5)?;
            match sealer.and_then(|sealer| sealer.open(&aad, sealed)) {
                Ok(plain) => drop(open.insert(format!("{subject:?}/{kind}/{n}"), plain.to_vec())),
                Err(_) => shut += 1,
            }
        }
        Ok::<_, StoreFault>((open, shut))
    });
    reading.await.expect("records")
}

async fn with_people(world: &World, count: u32) -> Shop {
    let shop = world.shop("one").await;
    let users: Vec<Value> = (1..=count)
        .map(|n| json!({"UserId": n.to_string(), "Email": format!("person-{n}@shop.test"), "FirstName": format!("N{n}")}))
        .collect();
    let feed = json!({"Products": [{"Id": "1", "Sku": "s", "Title": "A chair"}], "Users": users});
    world.complete(&shop, "/feed", &feed).await;
    shop
}

/// Every file below a folder with its content.
fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    if folder.exists() {
        crate::residue::visit(folder, &mut |path, bytes| drop(files.insert(path.to_owned(), bytes.to_vec())));
    }
    files
}

async fn a_restored_backup_is_the_shop_as_it_was(mut world: World) {
    let shop = with_people(&world, 30).await;
    world.applied(&shop, json!({"Products": [{"Id": "2", "Title": "A table"}]})).await;
    let before = opened(&world).await;
    assert_eq!((before.0.len(), before.1), (30, 0));
    let backup = backed_up(&world, "backup").await;
    for file in content(&backup).keys() {
        let name = file.file_name().expect("a name").to_string_lossy();
        assert!(name != "slots.key" && name != "epoch.key", "{name}");
    }
    stopped_and_restored(&mut world, &backup, "data-2").await;
    assert_eq!(world.title(&shop, "1").await, "A chair");
    assert_eq!(world.title(&shop, "2").await, "A table");
    assert_eq!(opened(&world).await, before);
    // And it goes on from there, to another engine's file as well.
    world.applied(&shop, json!({"Products": [{"Id": "3", "Title": "A bed"}]})).await;
    let second = backed_up(&world, "backup-2").await;
    world.stop().await;
    world.config.data_dir = beside(&world, "data-3");
    world.config.store = match world.is_postgres() {
        true => "sqlite:".to_owned(),
        false => match Database::create() {
            Some(database) => world.database.insert(database).url(),
            None => return,
        },
    };
    restored(&world, &second).map_err(|fault| fault.to_string()).expect("restored");
    world.restart().await;
    assert_eq!(world.count(&shop, "Products").await, 3);
    assert_eq!(opened(&world).await, before);
}

async fn a_backup_while_writes_go_on_is_one_state(mut world: World) {
    let shop = with_people(&world, 300).await;
    let mut sent = Vec::new();
    let target = beside(&world, "backup");
    let (node, to) = (world.node().clone(), target.clone());
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
        world.work_all().await;
    }
    making.await.expect("it ran").map_err(|fault| fault.to_string()).expect("a backup");
    stopped_and_restored(&mut world, &target, "data-2").await;
    world.work_all().await;
    // Deltas up to one are there, and none after it.
    let mut there = 0;
    for n in 0..sent.len() {
        let is_there = world.item(&shop, "Products", &format!("p{n}")).await != Value::Null;
        assert!(!is_there || n == there, "delta {n} is there, {there} is not");
        there += usize::from(is_there);
    }
    let expected = if there == 0 { "A chair".to_owned() } else { format!("T{}", there - 1) };
    assert_eq!(world.title(&shop, "1").await, expected.as_str());
    assert_eq!(opened(&world).await.0.len(), 300);
}

async fn a_foreign_truncated_or_flipped_backup_is_refused_whole(mut world: World) {
    with_people(&world, 5).await;
    let good = backed_up(&world, "backup").await;
    world.stop().await;
    let keys_before = content(&world.config.key_dir);
    lose_data(&mut world, "data-2");
    let files: Vec<PathBuf> = content(&good).into_keys().collect();
    let refuse = |world: &World, what: &str| {
        let refused = restored(world, &good);
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
        let (at, bit) = (draw(whole.len()), draw(8));
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
    // Of another set of keys.
    let foreign = beside(&world, "keys-2");
    let own = std::mem::replace(&mut world.config.key_dir, foreign);
    drop(lethe::keys::Keys::open(&world.config.key_dir).expect("keys"));
    refuse(&world, "foreign");
    world.config.key_dir = own;
    restored(&world, &good).map_err(|fault| fault.to_string()).expect("the mended one is good");
}

async fn a_backup_goes_into_an_empty_folder_apart_from_the_data(world: World) {
    let refused = |target: PathBuf| async {
        let made = backup::make(world.node(), target, |_| ()).await;
        assert!(matches!(made, Err(RecoveryFault::Refused(_))));
    };
    refused(world.config.data_dir.join("backup")).await;
    refused(world.config.key_dir.join("a/b")).await;
    std::fs::create_dir(beside(&world, "full")).expect("a folder");
    std::fs::write(beside(&world, "full").join("x"), b"").expect("a file");
    refused(beside(&world, "full")).await;
    std::os::unix::fs::symlink(&world.config.data_dir, beside(&world, "link")).expect("a link");
    refused(beside(&world, "link").join("backup")).await;
    assert!(beside(&world, "full").join("x").exists());
}

async fn a_restore_goes_into_an_empty_folder_and_database(mut world: World) {
    let shop = with_people(&world, 2).await;
    let backup = backed_up(&world, "backup").await;
    world.stop().await;
    assert!(matches!(restored(&world, &backup), Err(RecoveryFault::Refused(_))), "a data folder in use");
    if world.is_postgres() {
        world.config.data_dir = beside(&world, "data-2");
        assert!(matches!(restored(&world, &backup), Err(RecoveryFault::Refused(_))), "a database in use");
    }
    // One that broke off is repeated over what it left.
    lose_data(&mut world, "data-3");
    std::fs::create_dir_all(world.config.data_dir.join("blobs/ab")).expect("a folder");
    for left in ["restoring", "lethe.db", "lethe.db-wal", "blobs/ab/x"] {
        std::fs::write(world.config.data_dir.join(left), b"half").expect("a file");
    }
    assert!(world.open_fault().await.to_string().contains("broken off"));
    restored(&world, &backup).map_err(|fault| fault.to_string()).expect("restored");
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
        let made = backup::make(world.node(), beside(&world, "backup"), |_| ()).await;
        let fault = made.err().map(|fault| fault.to_string()).unwrap_or_default();
        assert!(fault.contains("missing or damaged"), "{fault}");
        assert!(content(&beside(&world, "backup")).is_empty());
        std::fs::write(path, bytes).expect("mended");
    }
    backed_up(&world, "backup").await;
}
