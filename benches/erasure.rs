//! Erasure of one person with many records from a large store, together with a hundred others, and the time of its
//! proof.

use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::report::{Options, load, p99};
use crate::server::{FeedServer, Server, scratch};

/// Orders of the person with the most.
const ORDERS: usize = 10_000;
/// Other people who are forgotten at the same time.
const OTHERS: usize = 100;
/// Incompressible bytes in every profile.
const NOTES_BYTES: usize = 3_600;
/// People in one feed: about a gigabyte.
const FEED_PEOPLE: usize = 250_000;

/// One person with 10,000 orders among `--people` (a million make a store of about 5 GB).
pub async fn erasure(options: &Options) {
    for (engine, postgres) in options.engines() {
        println!(
            "\n== forgetting one person with {ORDERS} orders, and {OTHERS} others, among {} people, {engine}",
            options.people
        );
        let server = Server::start(postgres).await;
        store_people(&server, options.people).await;
        orders(&server).await;
        println!("  the data folder has {:.2} GB", server.stored_bytes() as f64 / 1e9);
        forgotten(&server).await;
    }
}

async fn forgotten(server: &Server) {
    let heavy = forget(server, "user0@people.example").await.1;
    let mut accepts = Vec::new();
    let mut unknown = Vec::new();
    let mut ids = vec![heavy];
    for n in 1..=OTHERS {
        let (took, id) = forget(server, &format!("user{n}@people.example")).await;
        accepts.push(took);
        ids.push(id);
        // And unknown people: the same answer in the same time.
        unknown.push(forget(server, &format!("nobody{n}@people.example")).await.0);
    }
    let p99s = (p99(&mut accepts), p99(&mut unknown));
    println!(
        "  accepted: known p50 {:?} p99 {:?}, unknown p50 {:?} p99 {:?} (target p99 50 ms, and the same for both)",
        accepts[OTHERS / 2],
        p99s.0,
        unknown[OTHERS / 2],
        p99s.1
    );
    let deleted = ended(server, &ids[0], "deleted").await;
    let verified = ended(server, &ids[0], "verified").await;
    println!(
        "  {ORDERS} orders erased after {deleted:.1?} (target 10 s), verified after {verified:.1?} (target 60 s)"
    );
    let mut last = Duration::ZERO;
    for id in &ids[1..] {
        last = last.max(ended(server, id, "verified").await);
    }
    println!(
        "  all verified after {last:.1?}; {:.1} CPU-seconds in all, peak {} MB, load {}",
        server.cpu_seconds(),
        server.peak_bytes() >> 20,
        load()
    );
    let shown = server.ask("/api/erasure", json!({"Erasure": ids[0]})).await;
    let removed: Vec<String> = shown["Places"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|place| place["Removed"] != 0)
        .map(|place| format!("{} {}", place["Removed"], place["Name"].as_str().unwrap_or_default()))
        .collect();
    println!("  removed: {}", removed.join(", "));
}

/// Has a server store this many people of about 5 KB.
pub async fn store_people(server: &Server, people: u64) {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let path = folder.path().join("users.json");
    let began = Instant::now();
    for from in (0..people).step_by(FEED_PEOPLE) {
        write_users(&path, from..people.min(from + FEED_PEOPLE as u64));
        let feed = FeedServer::start(&path).await;
        server.import(&feed.url).await;
    }
    println!("  stored in {:.0?}, load {}", began.elapsed(), load());
}

/// A feed of people, each with a text of random letters.
fn write_users(path: &Path, people: Range<u64>) {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).expect("a feed"));
    let mut state = 0x9e37_79b9_7f4a_7c15_u64 ^ people.start;
    let mut notes = vec![0; NOTES_BYTES];
    file.write_all(b"{\"Users\":[").expect("room");
    let first = people.start;
    for n in people {
        for letter in &mut notes {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            *letter = b'a' + ((state >> 40) % 26) as u8;
        }
        let comma = if n == first { "" } else { "," };
        let text = String::from_utf8_lossy(&notes);
        write!(
            file,
            "{comma}{{\"UserId\":\"u{n}\",\"Email\":\"user{n}@people.example\",\"Notes\":\"{text}\"}}"
        )
        .expect("room");
    }
    file.write_all(b"]}").expect("room");
    file.flush().expect("room");
}

async fn orders(server: &Server) {
    server.piece("/feed-create", "orders-1", &order_lines(0, ORDERS)).await;
    let token = server.piece("/feed-close", "orders-1", "").await.expect("a token");
    server.complete(&token).await;
}

/// A file of orders of one person.
pub fn order_lines(user: usize, count: usize) -> String {
    let today = jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M:%S").to_string();
    let mut file = "OrderId,UserId,Email,DateTimeStamp,ProdCode,Quantity,UnityPrice,LinePrice".to_owned();
    for n in 0..count {
        file.push_str(&format!(
            "\nO-{user}-{n},u{user},user{user}@people.example,{today},P-{n},1.0000,1.00,1.00"
        ));
    }
    file
}

/// Forgets a person; returns the time of the answer and the id of the erasure.
pub async fn forget(server: &Server, identifier: &str) -> (Duration, String) {
    let began = Instant::now();
    let head = server.head("/api/user/forget", json!({"Identifier": identifier})).await;
    let took = began.elapsed();
    let id = head.lines().find_map(|line| line.strip_prefix("x-erasure-id: ")).expect("an id");
    (took, id.to_owned())
}

/// Time that an erasure took to a step.
pub async fn ended(server: &Server, id: &str, step: &str) -> Duration {
    let began = Instant::now();
    loop {
        let shown = server.ask("/api/erasure", json!({"Erasure": id})).await;
        let at = |state: &str| {
            let steps = shown["Steps"].as_array().into_iter().flatten();
            steps.filter(|step| step["State"] == state).find_map(|step| step["At"].as_i64())
        };
        if let (Some(asked), Some(ended)) = (at("accepted"), at(step)) {
            return Duration::from_millis((ended - asked).unsigned_abs());
        }
        assert!(shown["Fault"] == Value::Null, "{shown}");
        assert!(began.elapsed() < Duration::from_secs(600), "{shown}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
