//! Every column and every file that may hold anything is on the map, with the work of an erasure there.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use lethe::args;
use lethe::erasure::places::{IN_BACKUPS, OF_SHOPS, PLACES};
use lethe::jobs::Lane;
use lethe::maintenance::backup;
use lethe::recovery::bundle::RecoveryKey;
use lethe::store::{Owner, Statement, StoreFault};
use lethe::work;
use serde_json::json;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::support::columns::list_columns;
use crate::support::feed_server::Answer;
use crate::support::world::{World, on_both_engines, on_sqlite, statement};

on_both_engines! {
    what_needs_a_key_or_a_file_is_named_by_a_place_or_a_sweep
}

const WORDS: [&str; 5] = ["erase", "sealed", "keyed-hash", "kept", "not-personal"];

/// The map: place → word.
fn map() -> BTreeMap<String, String> {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/data-map.txt")).expect("the map");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let mut words = line.split_whitespace();
            let place = words.next().expect("a place");
            let word = words.next().expect("a word");
            assert!(WORDS.contains(&word), "{line}");
            assert!(words.next().is_some(), "no reason: {line}");
            (place.to_owned(), word.to_owned())
        })
        .collect()
}

#[test]
fn every_column_is_on_the_map() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("lethe.db");
    drop(lethe::store::Store::open(&lethe::store::StoreOptions::Sqlite(file.clone())).expect("SQLite opens"));
    let columns: BTreeSet<_> = crate::support::columns::read_sqlite_columns(&file)
        .into_iter()
        .map(|column| column.split(' ').next().unwrap_or_default().to_owned())
        .collect();
    let mapped: BTreeSet<_> = map().into_keys().filter(|place| !place.contains('/')).collect();
    assert_eq!(mapped, columns);
}

/// Tasks of an erasure: everything on the map that is about people.
#[test]
fn every_place_on_the_map_is_in_the_register() {
    let map = map();
    let table = |place: &str| place.split('.').next().unwrap_or_default().to_owned();
    let in_register = |line: &str, held: &str| match held.strip_suffix(".*") {
        Some(all) => table(line) == all,
        None => line == held,
    };
    for (line, word) in &map {
        let places = PLACES.iter().filter(|place| place.holds.iter().any(|held| in_register(line, held)));
        let names: Vec<_> = places.map(|place| place.name).collect();
        let is_theirs = [OF_SHOPS, IN_BACKUPS].concat().contains(&line.as_str());
        let expected = usize::from(word != "not-personal" && !is_theirs);
        assert_eq!(names.len(), expected, "{line} ({word}) is in the places {names:?}");
    }
    for held in PLACES.iter().flat_map(|place| place.holds).chain(OF_SHOPS).chain(IN_BACKUPS) {
        assert!(map.keys().any(|line| in_register(line, held)), "{held} is not on the map");
    }
}

/// Returns true if a statement that gathers the needed keys and files reads this column of this table.
fn reads(statement: &Statement, table: &str, column: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    [statement.sqlite(), statement.postgres()].iter().all(|text| {
        text.split("SELECT ").any(|part| {
            let words: Vec<&str> = part.split(|c| !is_word(c)).filter(|word| !word.is_empty()).collect();
            let from = words.iter().position(|word| *word == "FROM");
            from.is_some_and(|from| words[..from].contains(&column) && words.get(from + 1) == Some(&table))
        })
    })
}

/// The unnamed columns that hold the place of a key, the name of a file or something sealed. No sweep names them, so
/// their key or file would be swept away; no place does, so an erasure would leave them.
fn list_unnamed(columns: &[(String, String)]) -> Vec<String> {
    let is_in_place = |table: &str, column: &str| {
        let all = format!("{table}.*");
        let one = format!("{table}.{column}");
        let mut held = PLACES.iter().flat_map(|place| place.holds);
        held.any(|held| *held == all || *held == one)
    };
    let is_named = |(table, column): &&(String, String)| {
        let sweeps: &[&Statement] = match column.as_str() {
            slot if slot.ends_with("slot") => &[&lethe::sql::slot_used, &lethe::sql::slot_last],
            blob if blob.ends_with("blob") => &[&lethe::sql::blob_needed],
            sealed if sealed.ends_with("sealed") => return is_in_place(table, column),
            _ => return true,
        };
        sweeps.iter().all(|sweep| reads(sweep, table, column))
    };
    columns
        .iter()
        .filter(|column| !is_named(column))
        .map(|(table, column)| format!("{table}.{column}"))
        .collect()
}

async fn what_needs_a_key_or_a_file_is_named_by_a_place_or_a_sweep(world: World) {
    let before = list_columns(&world).await;
    assert!(before.contains(&("subject".to_owned(), "slot".to_owned())), "{before:?}");
    assert_eq!(list_unnamed(&before), [""; 0]);
    // Whoever adds one has to name it.
    const ADDED: [Statement; 4] = [
        statement("a slot", "ALTER TABLE account ADD COLUMN slot INTEGER"),
        statement("a file", "ALTER TABLE submission ADD COLUMN report_blob TEXT"),
        statement("something sealed", "ALTER TABLE upload ADD COLUMN sealed TEXT"),
        statement("a table", "CREATE TABLE banner (slot INTEGER, blob TEXT, sealed TEXT, n INTEGER)"),
    ];
    for statement in ADDED {
        let added =
            world.node().store.write(Owner::STORE, move |tx| tx.exec(&statement, args![]).map(drop)).await;
        added.map_err(|fault: StoreFault| fault).expect("it is added");
    }
    let added = [
        "account.slot",
        "banner.blob",
        "banner.sealed",
        "banner.slot",
        "submission.report_blob",
        "upload.sealed",
    ];
    assert_eq!(list_unnamed(&list_columns(&world).await), added);
}

#[test]
fn every_file_is_on_the_map() {
    on_sqlite(every_file);
}

/// A node with everything that a node can have: mirrors, a recovery key, a feed and an upload that are on their way, an
/// order file, an erasure, a backup.
async fn every_file(mut world: World) {
    let beside = |name: &str| world.config.data_dir.with_file_name(name);
    let mirror = beside("mirror");
    let journal = beside("journal-mirror");
    let backup = beside("backup");
    for folder in [&mirror, &journal] {
        std::fs::create_dir(folder).expect("a folder");
        std::fs::set_permissions(folder, PermissionsExt::from_mode(0o700)).expect("closed");
    }
    world.config.key_mirror = Some(mirror.clone());
    world.config.journal_mirror = Some(journal.clone());
    RecoveryKey::random().and_then(|key| key.adopt(&world.config.key_dir)).expect("a recovery key");
    world.restart().await;
    let shop = world.shop("one").await;
    let people: Vec<_> =
        (0..2000).map(|n| json!({"UserId": format!("u{n}"), "City": "x".repeat(80)})).collect();
    let feed = json!({"Products": [{"Id": "1", "Sku": "s", "Title": "Chair"}], "Users": people});
    world.complete_feed(&shop, "/f", &feed).await;
    world.ask_json(&shop, "/api/search", json!({"Query": "chair"})).await;
    let order = "OrderId,UserId,DateTime,ProdCode\no-1,u7,2026-11-01 10:00:00,1\n";
    crate::support::uploads::send_feed(&world, &shop, "orders-1", &[order, ""]).await;
    world.run_all_jobs().await;
    crate::support::uploads::post_piece(&world, &shop, "/feed-create", "product-1", Some(b"{\"Products\":["))
        .await;
    let gate = Arc::new(Semaphore::new(0));
    let later = json!({"Users": people, "Products": [{"Id": "2", "Sku": "t"}]}).to_string();
    world.feed(&shop, &world.feeds.serve("/slow", [Answer::ok(later).gated_by(&gate)])).await;
    let node = world.node().clone();
    let import =
        tokio::spawn(async move { work::run_due(&node, Lane::FETCH, &CancellationToken::new()).await });
    world.delta(&shop, json!({"Users": [{"UserId": "8"}]})).await;
    world.forget(&shop, "u7").await;
    while world.feeds.requests_of("/slow").is_empty() {
        tokio::task::yield_now().await;
    }
    let made = backup::make(world.node(), backup.clone(), |_| ()).await;
    made.map_err(|fault| fault.to_string()).expect("a backup");
    let [data, keys] = world.folders();
    let folders =
        [(data, "data"), (keys, "keys"), (mirror, "mirror"), (journal, "journal-mirror"), (backup, "backup")];
    let seen = places_of(&folders);
    gate.add_permits(1);
    import.await.expect("it ran").expect("a feed");
    world.clock.advance(Duration::from_secs(3600));
    world.run_all_jobs().await;
    let seen: BTreeSet<_> = seen.union(&places_of(&folders)).cloned().collect();
    let mapped: BTreeSet<_> = map().into_keys().filter(|place| place.contains('/')).collect();
    let unknown: Vec<_> = seen.difference(&mapped).collect();
    assert!(unknown.is_empty(), "not on the map: {unknown:?}");
    // Files that a node has only for moments, or next to a shell.
    const AT_TIMES: [&str; 4] = ["data/control.sock", "data/restoring", "data/restored", "keys/restoring"];
    let missed: Vec<_> =
        mapped.difference(&seen).filter(|place| !AT_TIMES.contains(&place.as_str())).collect();
    assert!(missed.is_empty(), "on the map and nowhere else: {missed:?}");
}

/// The files below the folders by kind: `data/blobs/*` for each catalogue file. Only their names: opening the database
/// a second time would let go of its locks.
fn places_of(folders: &[(PathBuf, &str)]) -> BTreeSet<String> {
    let mut places = BTreeSet::new();
    for (folder, name) in folders {
        let mut open = vec![folder.clone()];
        while let Some(path) = open.pop() {
            if path.is_dir() {
                let inside = std::fs::read_dir(&path).expect("a folder");
                open.extend(inside.map(|entry| entry.expect("an entry").path()));
                continue;
            }
            let below = path.strip_prefix(folder).expect("below").to_string_lossy().into_owned();
            places.insert(match below.split_once('/') {
                Some((first, _)) => format!("{name}/{first}/*"),
                None => format!("{name}/{below}"),
            });
        }
    }
    places
}
