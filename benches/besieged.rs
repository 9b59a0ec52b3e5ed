//! Attack of one client with the access keys of two shops on a third shop: the worst requests that a key alone allows,
//! over 40 connections of one address.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;
use tokio::task::JoinSet;

use crate::client::{self, Connection};
use crate::personal::{Shop, ids_of};
use crate::process;
use crate::report::{Options, load, median, p50, p99};
use crate::scenario::write_feed_of;
use crate::server::{FeedServer, Keys, Server, scratch};

/// Connections of the client.
const CONNECTIONS: usize = 40;
/// Connections of the client for bodies of 2 MB.
const LONG_CONNECTIONS: usize = 4;
/// Products of each of the two shops, without the wide ones, and views of their shoppers.
const PRODUCTS: u64 = 30_000;
const EVENTS: u64 = 100_000;
/// Products of 800 kB of each.
const WIDE: usize = 20;
/// Products of the third shop.
const OTHER_PRODUCTS: u64 = 5_000;
/// Last numbers of the addresses of the client and of the third shop's shopper.
const CLIENT: u8 = 66;
const SHOPPER: u8 = 77;
/// Pause between two requests of the shopper: fewer than an address may send.
const PACE: Duration = Duration::from_millis(25);
/// Bytes that a slow reader takes at a time, and its pause: a little more than the least rate.
const SIP_BYTES: usize = 1024;
const SIP_DURATION: Duration = Duration::from_millis(100);
/// Words that many products of the sample have in their titles.
pub const WORDS: [&str; 10] =
    ["red", "brown", "black", "white", "oak", "walnut", "steel", "linen", "table", "lamp"];

/// A kind of request that the client sends.
#[derive(Clone, Copy, PartialEq)]
enum Siege {
    Synonyms,
    Facets,
    LongZones,
    ManyZones,
    Recommendations,
    Completions,
    Looks,
    SlowReaders,
}

/// The kinds with their names; `None` is all at once.
const ALL: [(&str, Option<Siege>); 9] = [
    ("searches with 65 kB of synonyms", Some(Siege::Synonyms)),
    ("searches with facets, sorted", Some(Siege::Facets)),
    ("2 MB of zones", Some(Siege::LongZones)),
    ("36 zones with all fields", Some(Siege::ManyZones)),
    ("recommendations", Some(Siege::Recommendations)),
    ("completions", Some(Siege::Completions)),
    ("looks at products (track)", Some(Siege::Looks)),
    ("hits of 800 kB, read slowly", Some(Siege::SlowReaders)),
    ("all of these at once", None),
];

/// Keys and products of a shop that the client uses.
struct Arms {
    keys: Keys,
    ids: Arc<[String]>,
}

/// Measures the third shop alone, and during each kind of request.
pub async fn besieged(options: &Options) {
    println!(
        "\n== a shop's searches while {CONNECTIONS} connections of one address use two other shops' keys"
    );
    let server = Arc::new(Server::start(None).await);
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let mut arms = Vec::new();
    for name in ["one", "two"] {
        arms.push(arm(&server, folder.path(), name, options).await);
    }
    let other = server.shop("other");
    fill(&server, &folder.path().join("other.json"), &other, OTHER_PRODUCTS, 0).await;
    let calm = look_on(&server, &other, options.length).await;
    let mut seen: Vec<_> = ALL.iter().map(|_| Vec::new()).collect();
    for _ in 0..options.rounds {
        for ((_, siege), seen) in ALL.iter().zip(&mut seen) {
            let alone = look_on(&server, &other, options.length / 2).await;
            seen.push((alone, besiege(&server, *siege, &arms, &other, options.length).await));
        }
    }
    println!(
        "  {} MB of memory are no file's before it; medians of {} rounds; load {}",
        calm.held_bytes >> 20,
        options.rounds,
        load()
    );
    println!(
        "| beside | searches alone, p50 / p99 ms | beside, p50 / p99 ms | 503 of | /health p50 / p99 ms | memory, MB more | answered and refused a second |"
    );
    println!("|---|---|---|---|---|---|---|");
    for ((name, _), mut rounds) in ALL.iter().zip(seen) {
        row(name, &mut rounds, calm.held_bytes);
    }
}

/// Makes a shop whose access key the client uses: products, wide ones, synonyms and views.
async fn arm(server: &Server, folder: &Path, name: &str, options: &Options) -> Arms {
    let keys = server.shop(name);
    fill(server, &folder.join("feed.json"), &keys, options.scaled(PRODUCTS), WIDE).await;
    set_synonyms(server, folder, name);
    let shop = Shop { ids: ids_of(server, &keys).await.into(), keys };
    shop.store(server, options.scaled(EVENTS), 50, &|number, people, at| {
        shop.event(number, people, Some(at))
    })
    .await;
    server.searchable(&shop.keys).await;
    Arms { keys: shop.keys, ids: shop.ids }
}

async fn fill(server: &Server, path: &Path, shop: &Keys, products: u64, wide: usize) {
    write_feed_of(path, products, products);
    widen(path, wide);
    let feed = FeedServer::start(path).await;
    server.import_as(shop, &feed.url).await;
    server.searchable(shop).await;
}

/// Adds products of 800 kB to a feed.
pub fn widen(path: &Path, wide: usize) {
    let text = std::fs::read_to_string(path).expect("the feed");
    let mut feed: Value = serde_json::from_str(&text).expect("a feed");
    let row = |number: usize| {
        json!({"Id": format!("wide-{number}"), "Sku": format!("wide-{number}"), "Title": format!("Widest {number}"),
            "Prices": ["1.00 EUR", "1.00 GBP"], "Description": "wide ".repeat(160_000)})
    };
    feed["Products"].as_array_mut().expect("products").extend((0..wide).map(row));
    std::fs::write(path, feed.to_string()).expect("the feed");
}

/// Words of the sample's titles, each with as many synonyms as fit into a list.
pub fn set_synonyms(server: &Server, folder: &Path, name: &str) {
    let mut lines = String::new();
    for word in WORDS {
        for part in 0..4 {
            let phrases = (0..8).map(|n| format!("{} {}", WORDS[(n + part) % 10], WORDS[(n * 3 + 1) % 10]));
            lines += &format!("{word} => {}\n", phrases.collect::<Vec<_>>().join(", "));
        }
    }
    let path = folder.join("synonyms.txt");
    std::fs::write(&path, lines).expect("synonyms");
    let set = std::process::Command::new(process::program())
        .args(["account", "search", name, "--synonyms"])
        .arg(&path)
        .arg("--data-dir")
        .arg(server.folder().join("data"))
        .output()
        .expect("lethe account search");
    assert!(set.status.success(), "{}", String::from_utf8_lossy(&set.stderr));
}

/// Measures the third shop while the client sends requests.
async fn besiege(
    server: &Arc<Server>,
    siege: Option<Siege>,
    arms: &[Arms],
    other: &Keys,
    length: Duration,
) -> Seen {
    let answers = Arc::new([const { AtomicU64::new(0) }; 2]);
    let mut all = JoinSet::new();
    // More of these wait for the memory of bodies.
    let connections = if siege == Some(Siege::LongZones) { LONG_CONNECTIONS } else { CONNECTIONS };
    for number in 0..connections {
        let arm = &arms[number % arms.len()];
        let each = ALL[number / arms.len() % (ALL.len() - 1)].1;
        let siege = siege.or(each).expect("one of them");
        let request = request_of(siege, arm, number);
        if siege == Siege::SlowReaders {
            all.spawn(read_slowly(server.address, request));
        } else {
            all.spawn(ask_again(server.address, request, answers.clone()));
        }
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    let before = [&answers[0], &answers[1]].map(|answers| answers.load(Ordering::Relaxed));
    let mut seen = look_on(server, other, length).await;
    for (number, count) in answers.iter().enumerate() {
        let answered = count.load(Ordering::Relaxed) - before[number];
        seen.answers_per_second[number] = answered as f64 / length.as_secs_f64();
    }
    all.shutdown().await;
    // Let the last requests end.
    tokio::time::sleep(Duration::from_secs(1)).await;
    seen
}

fn request_of(siege: Siege, arm: &Arms, number: usize) -> Vec<u8> {
    let keys = &arm.keys;
    match siege {
        Siege::Synonyms => with_key(keys, "/api/search", json!({"Query": WORDS.join(" "), "Size": 250})),
        Siege::Facets => {
            let facets = ["Brand", "Category", "Price", "InStock", "NewArrival", "OnOffer"];
            with_key(
                keys,
                "/api/search",
                json!({"Facets": facets, "Size": 250, "Sort": "title", "Currency": "GBP"}),
            )
        }
        Siege::LongZones => with_key(keys, "/api/serverside", json!({"zones": vec![1; 1_000_000]})),
        Siege::ManyZones => {
            let pages = ["HP", "PP", "PL", "SR", "BP", "OC", "AC", "CP", "SP"];
            let zones = pages.iter().flat_map(|page| (1..=4).map(move |zone| format!("{page}-0{zone}")));
            let data = json!({"product_id": arm.ids[number], "category_id": "1"});
            let zones: Vec<_> = zones.map(|id| json!({"id": id, "data": data})).collect();
            let viewed: Vec<_> = arm.ids.iter().take(100).collect();
            with_key(keys, "/api/serverside", json!({"zones": zones, "viewed": viewed, "fields": ["*"]}))
        }
        Siege::Recommendations => {
            let items: Vec<_> = arm.ids.iter().skip(number * 500).take(1_000).collect();
            with_key(
                keys,
                "/api/recommend",
                json!({"Items": items, "Size": 100, "Diversity": {"Brand": 1}, "Fields": ["*"]}),
            )
        }
        Siege::Completions => with_key(keys, "/api/autocomplete", json!({"Query": "s", "Size": 20})),
        Siege::Looks => client::get(&format!(
            "/api/track?appid={}&evt=product_view&id={}&visitorid=",
            keys.0, arm.ids[number]
        )),
        Siege::SlowReaders => {
            with_key(keys, "/api/search", json!({"Query": "widest", "Size": 250, "Fields": ["*"]}))
        }
    }
}

fn with_key((key, _): &Keys, path: &str, mut asked: Value) -> Vec<u8> {
    asked["AppKey"] = key.as_str().into();
    client::post(path, asked.to_string().as_bytes())
}

/// Asks again and again, whatever is answered.
async fn ask_again(address: SocketAddr, request: Vec<u8>, answers: Arc<[AtomicU64; 2]>) {
    loop {
        let mut connection = Connection::open_from(address, CLIENT).await;
        while let Some(status) = connection.try_ask(&request).await {
            answers[usize::from(status != 200)].fetch_add(1, Ordering::Relaxed);
        }
        // The server ended the connection before it had read the request.
        answers[1].fetch_add(1, Ordering::Relaxed);
    }
}

async fn read_slowly(address: SocketAddr, request: Vec<u8>) {
    loop {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind(SocketAddr::from(([127, 0, 0, CLIENT], 0))).expect("an address of this machine");
        // A reader that takes little leaves the rest with the server, and not in buffers of the system.
        socket.set_recv_buffer_size(4096).expect("a small buffer");
        let Ok(mut stream) = socket.connect(address).await else { continue };
        if stream.write_all(&request).await.is_err() {
            continue;
        }
        let mut sip = [0; SIP_BYTES];
        while stream.read(&mut sip).await.is_ok_and(|read| read > 0) {
            tokio::time::sleep(SIP_DURATION).await;
        }
    }
}

/// Measurements of the third shop over a time.
#[derive(Default)]
struct Seen {
    searches: Vec<Duration>,
    /// Searches that were not answered 200.
    refused: usize,
    health: Vec<Duration>,
    /// Peak of the memory that maps no file.
    held_bytes: u64,
    /// Answers and refusals that the client got.
    answers_per_second: [f64; 2],
}

/// Measures from a thread of its own, which does not wait for the client.
async fn look_on(server: &Arc<Server>, shop: &Keys, length: Duration) -> Seen {
    let address = server.address;
    let search = with_key(shop, "/api/search", json!({"Query": "oak table", "Facets": ["Brand"]}));
    let server = server.clone();
    let looking = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let ends = Instant::now() + length;
            let searching = ask_at_pace(address, &search, ends);
            let health = client::get("/health");
            let living = ask_at_pace(address, &health, ends);
            let ((searches, refused), (health, _), held_bytes) =
                tokio::join!(searching, living, measure_peak(&server, ends));
            Seen { searches, refused, health, held_bytes, ..Seen::default() }
        })
    };
    tokio::task::spawn_blocking(looking).await.expect("it looks on")
}

/// Asks 40 times a second; gives the latencies, and the number of answers that were not 200.
async fn ask_at_pace(address: SocketAddr, request: &[u8], ends: Instant) -> (Vec<Duration>, usize) {
    let mut connection = Connection::open_from(address, SHOPPER).await;
    let mut pace = tokio::time::interval(PACE);
    pace.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut took = Vec::new();
    let mut refused = 0;
    while Instant::now() < ends {
        pace.tick().await;
        let began = Instant::now();
        refused += usize::from(connection.ask(request).await.0 != 200);
        took.push(began.elapsed());
    }
    (took, refused)
}

/// Peak of the memory that maps no file, in bytes.
async fn measure_peak(server: &Server, ends: Instant) -> u64 {
    let mut most = 0;
    while Instant::now() < ends {
        most = most.max(server.held_bytes());
        tokio::time::sleep(PACE).await;
    }
    most
}

fn row(name: &str, rounds: &mut [(Seen, Seen)], calm_bytes: u64) {
    let mut millis = |of: fn(&mut (Seen, Seen)) -> Duration| {
        median(rounds.iter_mut().map(|seen| 1_000.0 * of(seen).as_secs_f64()).collect())
    };
    let alone = [millis(|seen| p50(&mut seen.0.searches)), millis(|seen| p99(&mut seen.0.searches))];
    let beside = [millis(|seen| p50(&mut seen.1.searches)), millis(|seen| p99(&mut seen.1.searches))];
    let health = [millis(|seen| p50(&mut seen.1.health)), millis(|seen| p99(&mut seen.1.health))];
    let pair = |[p50, p99]: [f64; 2]| format!("{p50:.1} / {p99:.1}");
    let refused: usize = rounds.iter().map(|seen| seen.1.refused).sum();
    let searches: usize = rounds.iter().map(|seen| seen.1.searches.len()).sum();
    let held = rounds.iter().map(|seen| seen.1.held_bytes).max().unwrap_or_default();
    let answers = [0, 1].map(|which| {
        format!("{:.0}", median(rounds.iter().map(|seen| seen.1.answers_per_second[which]).collect()))
    });
    println!(
        "| {name} | {} | {} | {refused} of {searches} | {} | {} | {} |",
        pair(alone),
        pair(beside),
        pair(health),
        held.saturating_sub(calm_bytes) >> 20,
        answers.join(" and ")
    );
}
