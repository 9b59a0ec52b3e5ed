//! Looks for a text in every byte that a node has written, in every encoding that a program might choose.

use std::fs;
use std::path::Path;
use std::time::Duration;

use lethe::args;
use lethe::jobs::Lane;
use lethe::store::{Statement, StoreFault};
use serde_json::json;

use crate::support::world::{World, on_both_engines, statement};

on_both_engines! {
    a_file_that_is_only_named_like_a_catalogue_is_residue
}

/// The spellings of a text that are looked for.
pub fn spellings(text: &str) -> Vec<Vec<u8>> {
    let bytes = text.as_bytes();
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut all = vec![
        bytes.to_vec(),
        text.to_uppercase().into_bytes(),
        text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        hex.to_uppercase().into_bytes(),
        hex.into_bytes(),
        text.replace('@', "%40").into_bytes(),
    ];
    all.extend((0..3).flat_map(|shift| base64_inside(bytes, shift)));
    all
}

/// The text in base64 at any offset: without the characters that its neighbours share.
pub fn base64_inside(bytes: &[u8], shift: usize) -> [Vec<u8>; 2] {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut padded = vec![0; shift];
    padded.extend_from_slice(bytes);
    let whole = padded.len() / 3 * 3;
    let text: Vec<u8> = padded[..whole]
        .chunks(3)
        .flat_map(|three| {
            let bits = u32::from(three[0]) << 16 | u32::from(three[1]) << 8 | u32::from(three[2]);
            [18, 12, 6, 0].map(|at| LETTERS[(bits >> at & 63) as usize])
        })
        .skip(if shift == 0 { 0 } else { 4 })
        .collect();
    let url = text
        .iter()
        .map(|letter| match letter {
            b'+' => b'-',
            b'/' => b'_',
            other => *other,
        })
        .collect();
    [text, url]
}

/// Fails when one of the texts is in a file below the data or key folder, in a file's name, or, on PostgreSQL,
/// in a row.
pub async fn assert_nothing(world: &World, texts: &[&str]) {
    let found = find_texts(world, texts).await;
    assert!(found.is_empty(), "found: {found:?}");
}

/// The keys under which is sealed what waits, as they stand in the key file.
pub async fn payload_keys(world: &World) -> Vec<Vec<u8>> {
    const SLOTS: Statement =
        statement("slots", "SELECT slot FROM payload WHERE slot IS NOT NULL ORDER BY seq");
    let slots =
        world.node().store.read(|tx| tx.run(&SLOTS, args![])?.iter().map(|row| row.int("slot")).collect());
    let slots: Vec<i64> = slots.await.map_err(|fault: StoreFault| fault).expect("slots");
    let file = fs::read(world.config.key_dir.join("slots.key")).expect("the key file");
    // A block of 64 bytes each, after that of the header; the key stands between a version and a checksum.
    let key_of = |slot: i64| {
        let at = 64 * (usize::try_from(slot).expect("a slot") + 1);
        file[at + 12..at + 60].to_vec()
    };
    slots.into_iter().map(key_of).collect()
}

/// Fails when any trace is left of the payloads sealed under these keys: a key, a row, a file.
pub async fn assert_payloads_gone(world: &World, keys: &[Vec<u8>]) {
    const LEFT: Statement = statement("left", "SELECT count(*) AS counted FROM payload");
    let left = world.node().store.read(|tx| tx.row(&LEFT, args![])?.map_or(Ok(-1), |row| row.int("counted")));
    assert_eq!(left.await.map_err(|fault: StoreFault| fault).expect("a count"), 0, "payloads are left");
    let file = fs::read(world.config.key_dir.join("slots.key")).expect("the key file");
    assert!(keys.iter().all(|key| !contains_bytes(&file, key)), "a key is left");
    assert_eq!(world.node().blobs.list().expect("the folder").count(), 0, "files are left");
}

/// Places of the texts.
pub async fn find_texts(world: &World, texts: &[&str]) -> Vec<String> {
    let wanted: Vec<_> = texts.iter().flat_map(|text| spellings(text)).collect();
    let mut found = Vec::new();
    visit_all_bytes(world, &mut |name, bytes| {
        if wanted.iter().any(|text| contains_bytes(bytes, text) || contains_bytes(name.as_bytes(), text)) {
            found.push(name.to_owned());
        }
    })
    .await;
    found
}

/// Shows every file below the data and the key folder and, on PostgreSQL, every row.
pub async fn visit_all_bytes(world: &World, see: &mut dyn FnMut(&str, &[u8])) {
    for folder in world.folders() {
        visit_files(&folder, &mut |path, bytes| see(&path.to_string_lossy(), bytes));
    }
    if let Some(database) = &world.database {
        let url = database.url();
        let rows = tokio::task::spawn_blocking(move || dump(&url)).await.expect("the dump");
        rows.iter().for_each(|(table, row)| see(table, row));
    }
}

pub fn contains_bytes(bytes: &[u8], text: &[u8]) -> bool {
    memchr::memmem::find(bytes, text).is_some()
}

/// Every file below a folder with its bytes.
pub fn visit_files(folder: &Path, see: &mut dyn FnMut(&Path, &[u8])) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            visit_files(&path, see);
        } else {
            // A file may go while we look: the node runs.
            see(&path, &fs::read(&path).unwrap_or_default());
        }
    }
}

/// Every row of every table, as text and with its bytes in hexadecimal digits as they are.
fn dump(url: &str) -> Vec<(String, Vec<u8>)> {
    let mut client = ::postgres::Client::connect(url, ::postgres::NoTls).expect("a connection");
    let tables =
        client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'", &[]).expect("tables");
    let mut rows = Vec::new();
    for table in tables {
        let table: String = table.get(0);
        let columns = "SELECT column_name FROM information_schema.columns WHERE table_name = $1 AND data_type = 'bytea'";
        let blobs: Vec<String> =
            client.query(columns, &[&table]).expect("columns").iter().map(|row| row.get(0)).collect();
        for row in client.query(&format!("SELECT row_to_json(t)::text FROM {table} t"), &[]).expect("rows") {
            rows.push((table.clone(), row.get::<_, String>(0).into_bytes()));
        }
        for column in blobs {
            let text = format!("SELECT {column} FROM {table} WHERE {column} IS NOT NULL");
            for row in client.query(&text, &[]).expect("rows") {
                rows.push((format!("{table}.{column}"), row.get(0)));
            }
        }
    }
    rows
}

/// The catalogue of a shop is the shop's, in its file and nowhere else.
async fn a_file_that_is_only_named_like_a_catalogue_is_residue(world: World) {
    const EMAIL: &str = "ada-canary@shop.test";
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/f", &json!({"Products": [{"Id": "1"}]})).await;
    world.apply_delta(&shop, json!({"Users": [{"UserId": "7", "Email": EMAIL}]})).await;
    let name = world.node().blobs.list().expect("files").next().expect("a file").expect("its name");
    let folder = world.config.data_dir.join("copy");
    let file = folder.join(name.to_string());
    let of_her_name = folder.join(EMAIL);
    fs::create_dir_all(&of_her_name).expect("a folder");
    fs::write(&file, EMAIL).expect("a file");
    let reply = world.ask(&shop, "/api/user/forget", json!({"Identifier": EMAIL})).await;
    let asked = json!({"Erasure": reply.header("x-erasure-id")});
    for left in [2, 1] {
        world.run_jobs(Lane::ERASE).await;
        let open = world.ask_json(&shop, "/api/erasure", asked.clone()).await;
        let files = open["Places"].as_array().expect("places").iter().find(|place| place["Name"] == "files");
        assert_eq!(
            (&open["State"], &files.expect("files")["Left"]),
            (&json!(world.unprovable_state()), &json!(left))
        );
        let removed = if left == 2 { fs::remove_dir(&of_her_name) } else { fs::remove_file(&file) };
        removed.expect("it was there");
        world.clock.advance(Duration::from_secs(120));
    }
    world.run_all_jobs().await;
    assert_eq!(world.ask_json(&shop, "/api/erasure", asked).await["State"], "verified");
}

#[test]
fn the_search_finds_a_text_in_every_encoding() {
    let text = "canary-a@shop.test";
    for shift in 0..3 {
        let mut row = vec![b'x'; shift];
        row.extend_from_slice(text.as_bytes());
        row.extend_from_slice(b"xyz");
        let encoded = &base64_inside(&row[..row.len() / 3 * 3], 0)[0];
        assert!(spellings(text).iter().any(|wanted| contains_bytes(encoded, wanted)), "base64 at {shift}");
    }
    let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
    assert!(spellings(text).iter().any(|wanted| contains_bytes(hex.as_bytes(), wanted)));
}
