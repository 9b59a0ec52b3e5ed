//! Sign-ups and erasures in turn, by every way in which people come, and then a search of every byte of every file:
//! the identifiers and names of 200 people, whole and in pieces, in every encoding, in compressed members and file
//! names. Texts of products also name each person, in every spelling and by every door: none of these addresses
//! enters.
//!
//! `LETHE_TEST_CHURN` sets how many people come and go (300); three seeds decide in which order.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use lethe::args;
use lethe::ids::AccountId;
use lethe::jobs::Lane;
use lethe::limits;
use lethe::recommend::model::Model;
use lethe::recommend::model_diff::compare_models;
use lethe::store::{Owner, Statement, StoreFault};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::support::feed_server::Answer;
use crate::support::repetitions::read_wanted_rounds;
use crate::support::spellings::{PIECE, ResidueSearch, SPELLINGS, encodings_of_piece, hex, random_letters};
use crate::support::uploads;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    residue_churn_seed_1
    residue_churn_seed_2
    residue_churn_seed_3
}

/// People whose bytes are looked for.
const CANARIES: usize = 200;
/// People who are there at the same time, so that those who go lie between those who stay.
const ROOM: usize = 60;
/// Orders of a person whom every index and every statistic of the database sees again and again.
const HOT_ORDERS: usize = 50;

async fn residue_churn_seed_1(world: World) {
    churn(world, 1).await;
}

async fn residue_churn_seed_2(world: World) {
    churn(world, 2).await;
}

async fn residue_churn_seed_3(world: World) {
    churn(world, 3).await;
}

/// A person, with bytes that stand nowhere else.
struct Person {
    email: String,
    user: String,
    name: String,
}

impl Person {
    fn new(seed: u64, number: usize) -> Self {
        Self {
            email: format!("{}@shop.test", random_letters(seed, "email", number)),
            user: random_letters(seed, "user", number),
            name: random_letters(seed, "name", number),
        }
    }

    /// The person's texts that the test looks for.
    fn texts(&self) -> [&str; 3] {
        [&self.email, &self.user, &self.name]
    }
}

async fn churn(world: World, seed: u64) {
    let count = read_wanted_rounds();
    let people: Vec<_> = (0..count).map(|number| Person::new(seed, number)).collect();
    let shop = world.shop("one").await;
    post_many_orders(&world, &shop, &people[0]).await;
    let mut there: Vec<usize> = Vec::new();
    let mut forgotten = 0;
    let mut looked = 0;
    for (number, person) in people.iter().enumerate() {
        if number == count / 2 {
            analyse(&world).await;
        }
        sign_up(&world, &shop, person, number).await;
        mention(&world, &shop, person, number).await;
        there.push(number);
        if there.len() > ROOM {
            let at = usize::from(Sha256::digest(format!("{seed} who {number}"))[0]) % there.len();
            let gone = &people[there.swap_remove(at)];
            world.forget(&shop, if number % 2 == 0 { &gone.email } else { &gone.user }).await;
            forgotten += 1;
        }
        // Some work waits, so that jobs of several people lie between each other.
        if number % 5 == 4 {
            work_through(&world).await;
            looked += post_views(&world, &shop, there.iter().map(|number| &people[*number])).await;
        }
    }
    work_through(&world).await;
    assert_eq!(world.subjects(&shop).await, there.len() as u64);
    let states = world.ask_json(&shop, "/api/erasures", json!({})).await;
    assert!(
        states.as_array().is_some_and(|all| all.iter().all(|one| one["State"] == "verified")),
        "{states}"
    );
    assert!(forgotten > count / 2, "{forgotten} of {count} were forgotten");
    assert!(looked > count as u64, "{looked} events were taken");
    let compare = |live: &Model, anew: &Model| (compare_models(live, anew, usize::MAX), live.people());
    let models = world.node().derived.models();
    let ((found, known), _) = models.compare_with_rebuilt(AccountId(1), compare).await.expect("a model");
    assert!(found.is_same() && known <= there.len(), "{found:?}, {known} people are known");
    // People who are there are sealed; people who left are gone: no byte of either is readable.
    analyse(&world).await;
    let sought = people.iter().step_by((count / CANARIES).max(1)).take(CANARIES);
    let search = ResidueSearch::new(sought.flat_map(Person::texts));
    let roots = roots(&world).await;
    let found = tokio::task::spawn_blocking(move || search.count_by_file(&roots)).await.expect("the search");
    assert_eq!(found, BTreeMap::new());
}

/// The person that the test looks for first places far more orders than any other.
async fn post_many_orders(world: &World, shop: &Shop, Person { email, user, name }: &Person) {
    let mut file = "OrderID,UserId,Email,DateTime,ProdCode\n".to_owned();
    for n in 0..HOT_ORDERS {
        file += &format!("{name}-hot-{n},{user},{email},2026-11-01 10:00:00,p\n");
    }
    uploads::send_feed(world, shop, "orders-hot", &[&file, ""]).await;
    work_through(world).await;
}

/// Lets the database gather its statistics, which copy frequent values out of the rows, and outlive these. SQLite's
/// are part of its file, so the test has to look nowhere else.
async fn analyse(world: &World) {
    const ANALYSED: [Statement; 2] = [
        Statement::new("optimize", "PRAGMA optimize", "ANALYZE"),
        Statement::new("analyze", "ANALYZE", "ANALYZE"),
    ];
    let analysed = world.node().store.write(Owner::STORE, |tx| {
        ANALYSED.iter().try_for_each(|statement| tx.exec(statement, args![]).map(drop))
    });
    analysed.await.map_err(|fault: StoreFault| fault).expect("statistics");
}

/// By a delta, a feed by URL, a user upload and an order file in turn.
async fn sign_up(world: &World, shop: &Shop, person: &Person, number: usize) {
    let Person { email, user, name } = person;
    let row = json!({"UserId": user, "Email": email, "FirstName": name, "City": name});
    match number % 4 {
        0 => drop(world.delta(shop, json!({"Users": [row]})).await),
        1 => {
            let body = json!({"Users": [row]}).to_string();
            let url = world.feeds.serve(&format!("/{number}"), [Answer::ok(body)]);
            world.feed(shop, &url).await;
        }
        2 => {
            let first = format!("{{\"Version\":2,\"Users\":[{row}");
            uploads::send_feed(world, shop, &format!("user-{}", number % 3), &[&first, "]}"]).await;
        }
        _ => {
            let file = format!(
                "OrderID,UserId,Email,DateTime,ProdCode\n{name}-{number},{user},{email},2026-11-01 10:00:00,p\n"
            );
            uploads::send_feed(world, shop, &format!("orders-{}", number % 3), &[&file, ""]).await;
        }
    }
}

/// People who are there look at all that the shop shows, in a browser whose number is their name. Gives how many events
/// were taken.
async fn post_views(world: &World, shop: &Shop, people: impl Iterator<Item = &Person>) -> u64 {
    let event = |Person { email, user, name }: &Person, product: usize| json!({"Name": "product_view", "Product": product, "UserId": user, "Email": email, "VisitorId": name});
    let events: Vec<_> = people.flat_map(|person| (0..7).map(|product| event(person, product))).collect();
    let mut accepted = 0;
    for some in events.chunks(limits::EVENTS_OF_REQUEST) {
        let answer = world.ask_json(shop, "/api/events", json!({"Events": some})).await;
        accepted += answer["Accepted"].as_u64().expect("a number");
    }
    let recommended = world.ask_json(shop, "/api/recommend", json!({"Recommender": "most_viewed"})).await;
    assert!(recommended["Items"].is_array());
    accepted
}

/// The person's address in the texts of a product, by a delta, a feed by URL and an upload in turn.
async fn mention(world: &World, shop: &Shop, person: &Person, number: usize) {
    let local = person.email.split('@').next().unwrap_or_default();
    let text = SPELLINGS[number % SPELLINGS.len()].replace('§', local);
    let mut row = json!({"Id": number % 7, "Title": text, "_index": text, "Own": {"deep": [text]}});
    // In a URL `=40` is a value.
    if !text.contains("=40") {
        row["Link"] = format!("https://shop.test/?by={text}").into();
    }
    row[text.as_str()] = "a name".into();
    let body = json!({"Products": [row], "Brands": [{"Id": "b", "Description": text}]});
    match number % 3 {
        0 => {
            world.delta(shop, json!({"Products": body["Products"]})).await;
            // While it waits; each spelling once.
            if number < 3 * SPELLINGS.len() {
                let search = ResidueSearch::new([local].into_iter());
                let roots = roots(world).await;
                let found = tokio::task::spawn_blocking(move || search.count_by_file(&roots));
                assert_eq!(found.await.expect("the search"), BTreeMap::new(), "{text}");
            }
        }
        1 => {
            let url = world.feeds.serve(&format!("/products/{number}"), [Answer::ok(body.to_string())]);
            world.feed(shop, &url).await;
        }
        _ => {
            uploads::send_feed(world, shop, "product-all", &[&body.to_string(), ""]).await;
        }
    }
}

/// Runs due work, and looks again after anything that an erasure waits for.
async fn work_through(world: &World) {
    for _ in 0..4 {
        world.run_all_jobs().await;
        world.clock.advance(std::time::Duration::from_secs(2));
    }
    assert_eq!(world.run_jobs(Lane::ERASE).await, 0);
}

/// The folders in which bytes of the store can be: on PostgreSQL those of its database, its log of changes and its
/// protocol too, after it has looked at everything and written everything out.
async fn roots(world: &World) -> Vec<PathBuf> {
    let mut roots = world.folders().to_vec();
    if let Some(database) = &world.database {
        let url = database.url();
        let folders = tokio::task::spawn_blocking(move || {
            let mut client = ::postgres::Client::connect(&url, ::postgres::NoTls).expect("a connection");
            client.batch_execute("ANALYZE; CHECKPOINT").expect("it is written out");
            let query = "SELECT current_setting('data_directory'), oid::text FROM pg_database WHERE datname = current_database()";
            let row = client.query_one(query, &[]).expect("its folder");
            let (folder, oid): (String, String) = (row.get(0), row.get(1));
            ["base/OID", "pg_wal", "pg_stat", "pg_stat_tmp", "log", "../server.log"]
                .map(|part| Path::new(&folder).join(part.replace("OID", &oid)))
        });
        let folders = folders.await.expect("the folders");
        assert!(std::fs::read_dir(&folders[0]).is_ok(), "the tests run as somebody who may read {folders:?}");
        roots.extend(folders.into_iter().filter(|folder| folder.exists()));
    }
    roots
}

#[test]
fn the_search_finds_a_piece_in_every_encoding_and_in_compressed_members() {
    let text = random_letters(0, "somebody", 0);
    let search = ResidueSearch::new([text.as_str()].into_iter());
    let piece = &text[5..5 + PIECE];
    let zipped = |bytes: &[u8]| {
        let mut gzip = flate2::read::GzEncoder::new(bytes, flate2::Compression::default());
        let mut out = b"before".to_vec();
        gzip.read_to_end(&mut out).expect("gzip");
        out
    };
    let mut files: Vec<(&str, Vec<u8>)> = vec![
        ("as it is", piece.as_bytes().to_vec()),
        ("SHA-256", Sha256::digest(&text).to_vec()),
        ("SHA-256, hexadecimal", hex(&Sha256::digest(&text)).into_bytes()),
        ("gzip", zipped(piece.repeat(9).as_bytes())),
        ("zstd", zstd::encode_all(piece.repeat(9).as_bytes(), 3).expect("zstd")),
        (piece, Vec::new()),
    ];
    files.extend(encodings_of_piece(piece.as_bytes()).into_iter().map(|(bytes, encoding)| (encoding, bytes)));
    for (what, bytes) in files {
        let folder = tempfile::tempdir().expect("a folder");
        for other in 0..5 {
            std::fs::write(folder.path().join(other.to_string()), "nobody").expect("a file");
        }
        std::fs::write(folder.path().join(what), [b"xx", &bytes[..], b"yy"].concat()).expect("a file");
        let found = search.count_by_file(&[folder.path().to_owned()]);
        assert!(!found.is_empty(), "{what}");
        std::fs::remove_file(folder.path().join(what)).expect("it goes");
        assert!(search.count_by_file(&[folder.path().to_owned()]).is_empty());
    }
}
