//! Every column and every file that may hold anything is on the map, with what an erasure does to it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::feed_server::Answer;
use crate::world::{World, on_sqlite};

const WORDS: [&str; 4] = ["erase", "sealed", "keyed-hash", "not-personal"];

/// The map: place → word.
fn map() -> BTreeMap<String, String> {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/data-map.txt")).expect("the map");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let mut words = line.split_whitespace();
            let (place, word) = (words.next().expect("a place"), words.next().expect("a word"));
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
    let columns: BTreeSet<_> = crate::every_store::sqlite_columns(&file)
        .into_iter()
        .map(|column| column.split(' ').next().unwrap_or_default().to_owned())
        .collect();
    let mapped: BTreeSet<_> = map().into_keys().filter(|place| !place.contains('/')).collect();
    assert_eq!(mapped, columns);
}

/// What an erasure has to do something about: everything on the map that is about people.
#[test]
fn every_place_on_the_map_is_in_the_register() {
    use lethe::erase::places::{OF_SHOPS, PLACES};
    let map = map();
    let table = |place: &str| place.split('.').next().unwrap_or_default().to_owned();
    let in_register = |line: &str, held: &str| match held.strip_suffix(".*") {
        Some(all) => table(line) == all,
        None => line == held,
    };
    for (line, word) in &map {
        let places = PLACES.iter().filter(|place| place.holds.iter().any(|held| in_register(line, held)));
        let names: Vec<_> = places.map(|place| place.name).collect();
        let expected = usize::from(word != "not-personal" && !OF_SHOPS.contains(&line.as_str()));
        assert_eq!(names.len(), expected, "{line} ({word}) is in the places {names:?}");
    }
    for held in PLACES.iter().flat_map(|place| place.holds).chain(OF_SHOPS) {
        assert!(map.keys().any(|line| in_register(line, held)), "{held} is not on the map");
    }
}

#[test]
fn every_file_is_on_the_map() {
    on_sqlite(every_file);
}

/// A file by what it is: `data/blobs/*` for each catalogue file.
async fn every_file(world: World) {
    let shop = world.shop("one").await;
    let feed = json!({"Products": [{"Id": "1", "Sku": "s"}], "Users": [{"UserId": "7"}]});
    let url = world.feeds.set("/f", [Answer::ok(feed.to_string())]);
    world.feed(&shop, &url).await;
    world.work_all().await;
    world.forget(&shop, "7").await;
    world.work_all().await;
    let mapped: BTreeSet<_> = map().into_keys().filter(|place| place.contains('/')).collect();
    let mut unknown = Vec::new();
    for (folder, name) in world.folders().iter().zip(["data", "keys"]) {
        crate::residue::visit(folder, &mut |path, _| {
            let below = path.strip_prefix(folder).expect("below").to_string_lossy().into_owned();
            let place = match below.split_once('/') {
                Some((first, _)) => format!("{name}/{first}/*"),
                None => format!("{name}/{below}"),
            };
            if !mapped.contains(&place) {
                unknown.push(place);
            }
        });
    }
    assert!(unknown.is_empty(), "not on the map: {unknown:?}");
}
