//! Everything at once that one shop, or nobody with a key, can do to the others, and what another shop sees of it.

use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::client;
use crate::erasure::{ended, forget, order_lines, store_people};
use crate::report::{Options, load, median, p99};
use crate::scenario::{delta, write_feed};
use crate::server::{FeedServer, Keys, Server, scratch};

/// Pieces of the upload that ends.
const PIECES: usize = 6_000;
/// Orders of the person who is forgotten.
const ORDERS: usize = 100_000;
/// Orders of the person whose data are exported again and again.
const ORDERS_EXPORTED: usize = 10_000;
/// Exports at once.
const EXPORTS: usize = 8;
/// Clients that drip, without a key.
const DRIPPERS: usize = 3;
/// Feeds that come slowly.
const SLOW_FEEDS: usize = 4;
/// Bytes a second of them.
const SLOW_BYTES: usize = 5_000;
/// Products of the feed of the shop that looks on.
const PRODUCTS: u64 = 20_000;
/// People of that shop.
const PEOPLE: u64 = 2_000;
/// Bytes of a row of telephone numbers.
const PHONE_BYTES: usize = 3_900_000;

/// What a shop that does nothing unusual sees.
struct Seen {
    accepts: Vec<Duration>,
    feeds: Vec<f64>,
    pieces: Vec<Duration>,
    keys: Vec<Duration>,
    /// The last erasure.
    last: String,
    resident_bytes: u64,
}

/// A shop alone, and beside shops and clients that do the worst they may.
pub async fn apart(options: &Options) {
    for (engine, postgres) in options.engines() {
        println!("\n== one shop beside hostile ones, {engine}");
        let server = Server::start(postgres).await;
        let folder = tempfile::tempdir_in(scratch()).expect("a folder");
        let path = folder.path().join("feed.json");
        write_feed(&path, PRODUCTS);
        let feed = FeedServer::start(&path).await;
        store_people(&server, PEOPLE).await;
        let hostile = prepare(&server).await;
        let mut alone = look(&server, &feed, options.length, 0).await;
        // Its own requests are not to wait for each other.
        ended(&server, &alone.last, "verified").await;
        let attack = attack(&server, &hostile, folder.path()).await;
        let mut beside = look(&server, &feed, options.length, 1).await;
        drop(attack);
        table(&mut alone, &mut beside);
    }
}

fn table(alone: &mut Seen, beside: &mut Seen) {
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

/// What the quiet shop sees for a while: deltas, feeds, an upload, and requests to forget.
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

/// What the hostile shops have ready.
struct Hostile {
    upload: Keys,
    orders: Keys,
    feeds: Keys,
    texts: Keys,
    deltas: Keys,
}

async fn prepare(server: &Server) -> Hostile {
    let began = Instant::now();
    let [upload, orders, feeds, texts, deltas] =
        ["upload", "orders", "feeds", "texts", "deltas"].map(|name| server.shop(name));
    server.piece_as(&upload, "/feed-create", "product-1", "{\"Products\":[").await;
    let append = server.form_as(&upload, "/feed-append", "product-1", &" ".repeat(1_000));
    client::each_once(server.address, vec![append; PIECES].into(), 8).await;
    for (user, count) in [(0, ORDERS), (1, ORDERS_EXPORTED)] {
        let name = format!("orders-{user}");
        server.piece_as(&orders, "/feed-create", &name, &order_lines(user, count)).await;
        let token = server.piece_as(&orders, "/feed-close", &name, "").await.expect("a token");
        server.complete_as(&orders, &token).await;
    }
    println!("  {PIECES} pieces and {ORDERS} orders sent in {:.0?}", began.elapsed());
    Hostile { upload, orders, feeds, texts, deltas }
}

/// Begins all of it; it ends when what is returned is dropped.
async fn attack(server: &Server, hostile: &Hostile, folder: &Path) -> JoinSet<()> {
    let mut attack = JoinSet::new();
    let address = server.address;
    for _ in 0..DRIPPERS {
        attack.spawn(drip(address));
    }
    let slow = slow_feeds(&mut attack).await;
    for number in 0..SLOW_FEEDS {
        let feed = json!({"url": format!("http://{slow}/{number}")});
        server.ask_as(&hostile.feeds, "/api/productfeed", feed).await;
    }
    let path = folder.join("phones.json");
    let phones =
        json!({"Products": [{"Id": "1", "Title": "t", "Description": "+1-(1)".repeat(PHONE_BYTES / 6)}]});
    std::fs::write(&path, phones.to_string()).expect("a feed");
    let phones = FeedServer::start(&path).await;
    let feed = server.request_as(&hostile.texts, "/api/productfeed", json!({"url": phones.url}));
    attack.spawn(again(address, feed, Duration::from_secs(1)));
    let ids = |of: &str| (0..100).map(|n| format!("{of}-of-the-hostile-shop-{n}")).collect::<Vec<_>>();
    let pairs =
        json!({"SetCategoryOnProducts": [{"CategoryId": ids("category"), "ProductIds": ids("product")}]});
    attack.spawn(again(
        address,
        server.request_as(&hostile.deltas, "/api/delta", pairs),
        Duration::from_millis(100),
    ));
    let export =
        server.request_as(&hostile.orders, "/api/user/export", json!({"Identifier": "user1@people.example"}));
    for _ in 0..EXPORTS {
        attack.spawn(again(address, export.clone(), Duration::ZERO));
    }
    server.ask_as(&hostile.orders, "/api/user/forget", json!({"Identifier": "user0@people.example"})).await;
    server.piece_as(&hostile.upload, "/feed-close", "product-1", "]}").await;
    attack
}

/// Sends a request again and again, whatever is answered.
async fn again(address: SocketAddr, request: Vec<u8>, pause: Duration) {
    loop {
        let _ = client::try_ask(address, &request).await;
        tokio::time::sleep(pause).await;
    }
}

/// Sends the largest body that needs no key, a little faster than it must.
async fn drip(address: SocketAddr) {
    let head = "POST /feed-append HTTP/1.1\r\nHost: bench\r\nContent-Type: application/x-www-form-urlencoded\r\n\
                Content-Length: 8388608\r\n\r\n";
    loop {
        let Ok(mut stream) = TcpStream::connect(address).await else { return };
        let mut sent =
            stream.write_all(head.as_bytes()).await.and(stream.write_all(&[b'x'; 8_000_000]).await);
        while sent.is_ok() {
            tokio::time::sleep(Duration::from_millis(500)).await;
            sent = stream.write_all(&[b'x'; 5_000]).await;
        }
    }
}

/// A web server whose feeds come slowly and do not end.
async fn slow_feeds(attack: &mut JoinSet<()>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    attack.spawn(async move {
        let mut open = JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            open.spawn(slow_feed(stream));
        }
    });
    address
}

async fn slow_feed(mut stream: TcpStream) {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n{\"Products\":[";
    let mut sent = stream.write_all(head.as_bytes()).await;
    while sent.is_ok() {
        tokio::time::sleep(Duration::from_secs(1)).await;
        sent = stream.write_all(&[b' '; SLOW_BYTES]).await;
    }
}
