//! All attacks at once by a shop or by clients without a key, and their effect on another shop.

use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::attacks::Attack;
use crate::erasure::{ended, forget, store_people};
use crate::report::{Options, load, median, p99};
use crate::scenario::{delta, write_feed};
use crate::server::{FeedServer, Server, scratch};

/// Products of the feed of the shop that looks on.
const PRODUCTS: u64 = 20_000;
/// People of that shop.
const PEOPLE: u64 = 2_000;
/// Observations of a shop that does nothing unusual.
struct Seen {
    accepts: Vec<Duration>,
    feeds: Vec<f64>,
    pieces: Vec<Duration>,
    keys: Vec<Duration>,
    /// The last erasure.
    last: String,
    resident_bytes: u64,
}

/// A shop alone, and next to shops and clients that do the worst they may, all at once. Each attack comes from one
/// shop, or from clients without a key.
pub async fn apart(options: &Options) {
    let attacks: Vec<_> = Attack::ALL.into_iter().filter(|attack| *attack != Attack::WideFeeds).collect();
    for (engine, postgres) in options.engines() {
        println!("\n== one shop beside hostile ones, {engine}");
        table(&mut beside(options, postgres, &attacks).await);
    }
}

/// The same next to each attack alone.
pub async fn attacks(options: &Options) {
    for (engine, postgres) in options.engines() {
        println!("\n== one shop beside one hostile one, {engine}");
        println!("  beside                     accept p99     piece p99      keys p99       feed   resident");
        for attack in Attack::ALL {
            line(attack, &mut beside(options, postgres, &[attack]).await);
        }
    }
}

/// Observations of the shop alone, and then under the attacks.
async fn beside(options: &Options, postgres: Option<&str>, attacks: &[Attack]) -> [Seen; 2] {
    let server = Server::start(postgres).await;
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let path = folder.path().join("feed.json");
    write_feed(&path, PRODUCTS);
    let feed = FeedServer::start(&path).await;
    store_people(&server, PEOPLE).await;
    let mut shops = Vec::new();
    for attack in attacks {
        shops.push(attack.prepare(&server).await);
    }
    let alone = look(&server, &feed, options.length, 0).await;
    // Its own requests are not to wait for each other.
    ended(&server, &alone.last, "verified").await;
    let mut all = JoinSet::new();
    for (attack, shop) in attacks.iter().zip(&shops) {
        attack.begin(&server, shop, folder.path(), &mut all).await;
    }
    [alone, look(&server, &feed, options.length, 1).await]
}

fn line(attack: Attack, seen: &mut [Seen; 2]) {
    let name = attack.name();
    let [accepts, pieces, keys] = [0, 1, 2].map(|which| {
        let of =
            |seen: &mut Seen| p99([&mut seen.accepts, &mut seen.pieces, &mut seen.keys][which]).as_millis();
        let [alone, beside] = seen.each_mut().map(of);
        format!("{alone} -> {beside} ms")
    });
    let feeds = seen.each_ref().map(|seen| median(seen.feeds.clone()));
    let megabytes = seen.each_ref().map(|seen| seen.resident_bytes >> 20);
    println!(
        "  {name:<25} {accepts:>14} {pieces:>14} {keys:>14} {:>6.1}x {:>4} -> {} MB",
        feeds[1] / feeds[0],
        megabytes[0],
        megabytes[1]
    );
}

fn table([alone, beside]: &mut [Seen; 2]) {
    let p99s = |seen: &mut Seen| [&mut seen.accepts, &mut seen.pieces, &mut seen.keys].map(|all| p99(all));
    let [accepts, pieces, keys] = p99s(alone);
    let [accepts_beside, pieces_beside, keys_beside] = p99s(beside);
    println!(
        "  {} deltas accepted: p99 {accepts:?}, beside {accepts_beside:?} (target 100 ms)",
        beside.accepts.len()
    );
    println!(
        "  {} pieces of an upload: p99 {pieces:?}, beside {pieces_beside:?} (target 1 s)",
        beside.pieces.len()
    );
    println!(
        "  keys of {} people destroyed: {keys:?}, beside {keys_beside:?} (target 1 s)",
        beside.keys.len()
    );
    let feeds = [median(alone.feeds.clone()), median(beside.feeds.clone())];
    println!(
        "  a feed of {PRODUCTS} products: {:.2} s, beside {:.2} s, {:.1} times (target 2)",
        feeds[0],
        feeds[1],
        feeds[1] / feeds[0]
    );
    let megabytes = [alone, beside].map(|seen| seen.resident_bytes >> 20);
    println!("  resident {} MB, beside {} MB (target 300), load {}", megabytes[0], megabytes[1], load());
}

/// Observations of the quiet shop for a while: deltas, feeds, an upload, and requests to forget.
async fn look(server: &Server, feed: &FeedServer, length: Duration, round: u64) -> Seen {
    let ends = Instant::now() + length;
    let name = format!("product-{round}");
    let (accepts, feeds, pieces, (keys, last), resident_bytes) = tokio::join!(
        accepts(server, ends),
        feeds(server, feed, ends, round),
        pieces(server, &name, ends),
        keys(server, ends, round),
        resident(server, ends)
    );
    Seen { accepts, feeds, pieces, keys, last, resident_bytes }
}

async fn accepts(server: &Server, ends: Instant) -> Vec<Duration> {
    let mut ticks = tokio::time::interval(Duration::from_millis(10));
    let mut accepts = Vec::new();
    while Instant::now() < ends {
        ticks.tick().await;
        let began = Instant::now();
        server.ask("/api/delta", delta()).await;
        accepts.push(began.elapsed());
    }
    accepts
}

async fn feeds(server: &Server, feed: &FeedServer, ends: Instant, round: u64) -> Vec<f64> {
    let mut feeds = Vec::new();
    while Instant::now() < ends {
        let url = feed.url.replace("feed.json", &format!("feed.json?{round}-{}", feeds.len()));
        feeds.push(server.import(&url).await);
    }
    feeds
}

async fn pieces(server: &Server, name: &str, ends: Instant) -> Vec<Duration> {
    let mut ticks = tokio::time::interval(Duration::from_millis(100));
    let mut pieces = Vec::new();
    server.piece("/feed-create", name, "{\"Products\":[").await;
    let piece = " ".repeat(100_000);
    while Instant::now() < ends {
        ticks.tick().await;
        let began = Instant::now();
        server.piece("/feed-append", name, &piece).await;
        pieces.push(began.elapsed());
    }
    server.piece("/feed-close", name, "]}").await;
    pieces
}

async fn keys(server: &Server, ends: Instant, round: u64) -> (Vec<Duration>, String) {
    let mut keys = Vec::new();
    let mut last = String::new();
    let mut ticks = tokio::time::interval(Duration::from_secs(1));
    while Instant::now() < ends {
        ticks.tick().await;
        let person = round * PEOPLE / 2 + keys.len() as u64;
        last = forget(server, &format!("user{person}@people.example")).await.1;
        keys.push(ended(server, &last, "shredded").await);
    }
    (keys, last)
}

async fn resident(server: &Server, ends: Instant) -> u64 {
    let mut most = 0;
    while Instant::now() < ends {
        most = most.max(server.resident_bytes());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    most
}
