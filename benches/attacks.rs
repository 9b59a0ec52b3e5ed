//! Attacks by one shop, or by a client without a key, and their cost to the others. Each attack comes from a shop of
//! its own that does nothing else.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::client;
use crate::erasure::order_lines;
use crate::server::{FeedServer, Keys, Server};

/// Clients that drip, without a key.
const DRIPPERS: usize = 3;
/// Clients that ask for the OpenAPI document without a pause, without a key.
const READERS: usize = 8;
/// Feeds that come slowly.
const SLOW_FEEDS: usize = 4;
/// Bytes a second from slow clients.
const SLOW_BYTES: usize = 5_000;
/// Feeds of wide rows, compressed twice.
const WIDE_FEEDS: usize = 4;
/// Rows of such a feed.
const WIDE_ROWS: usize = 20;
/// Keys of a wide row: nearly as many as it may have.
const KEYS: usize = 65_000;
/// Pieces of the upload that ends.
const PIECES: usize = 6_000;
/// Orders of the forgotten person.
const ORDERS: usize = 100_000;
/// Orders of the person whose data are exported again and again.
const ORDERS_EXPORTED: usize = 10_000;
/// Exports at once.
const EXPORTS: usize = 8;
/// URLs of a feed that is sent again and again.
const URLS: usize = 600;
/// Bytes of a row of telephone numbers.
const PHONE_BYTES: usize = 3_900_000;

/// Something that is done to a server.
#[derive(Clone, Copy, PartialEq)]
pub enum Attack {
    Drippers,
    Documents,
    SlowFeeds,
    UploadEnds,
    Memberships,
    Phones,
    WideFeeds,
    Forget,
    Exports,
}

impl Attack {
    pub const ALL: [Self; 9] = [
        Self::Drippers,
        Self::Documents,
        Self::SlowFeeds,
        Self::UploadEnds,
        Self::Memberships,
        Self::Phones,
        Self::WideFeeds,
        Self::Forget,
        Self::Exports,
    ];

    /// For the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Drippers => "bodies that drip, no key",
            Self::Documents => "/openapi.json, no key",
            Self::SlowFeeds => "slow feeds",
            Self::UploadEnds => "an upload of 6,000 pieces",
            Self::Memberships => "deltas of memberships",
            Self::Phones => "4 MB of telephone signs",
            Self::WideFeeds => "four feeds of wide rows",
            Self::Forget => "100,000 orders forgotten",
            Self::Exports => "eight exports",
        }
    }

    /// Sends the data that it needs; returns the attacking shop.
    pub async fn prepare(self, server: &Server) -> Keys {
        let shop = server.shop(&format!("attack-{}", self as usize));
        match self {
            Self::UploadEnds => {
                server.piece_as(&shop, "/feed-create", "product-1", "{\"Products\":[").await;
                let append = server.form_as(&shop, "/feed-append", "product-1", &" ".repeat(1_000));
                client::each_once(server.address, vec![append; PIECES].into(), 8).await;
            }
            Self::Forget => store_orders(server, &shop, ORDERS).await,
            Self::Exports => store_orders(server, &shop, ORDERS_EXPORTED).await,
            _ => {}
        }
        shop
    }

    /// Begins; what goes on ends with `all`.
    pub async fn begin(self, server: &Server, shop: &Keys, folder: &Path, all: &mut JoinSet<()>) {
        let address = server.address;
        match self {
            Self::Drippers => (0..DRIPPERS).for_each(|_| drop(all.spawn(drip(address)))),
            Self::Documents => {
                let request = b"GET /openapi.json HTTP/1.1\r\nHost: bench\r\n\r\n".to_vec();
                (0..READERS)
                    .for_each(|_| drop(all.spawn(again(address, vec![request.clone()], Duration::ZERO))));
            }
            Self::SlowFeeds => {
                let slow = slow_feeds(all).await;
                for number in 0..SLOW_FEEDS {
                    let feed = json!({"url": format!("http://{slow}/{number}")});
                    server.ask_as(shop, "/api/productfeed", feed).await;
                }
            }
            Self::UploadEnds => drop(server.piece_as(shop, "/feed-close", "product-1", "]}").await),
            Self::Memberships => {
                let request = server.request_as(shop, "/api/delta", memberships());
                all.spawn(again(address, vec![request], Duration::from_millis(100)));
            }
            Self::Phones => {
                let row = json!({"Id": "1", "Title": "t", "Description": "+1-(1)".repeat(PHONE_BYTES / 6)});
                let bytes = json!({"Products": [row]}).to_string().into_bytes();
                feed_again(server, shop, &folder.join("phones.json"), &bytes, all).await;
            }
            Self::WideFeeds => {
                let bytes = wide_feed();
                for number in 0..WIDE_FEEDS {
                    let shop = server.shop(&format!("wide-{number}"));
                    feed_again(server, &shop, &folder.join(format!("wide-{number}.json")), &bytes, all).await;
                }
            }
            Self::Forget => {
                let person = json!({"Identifier": "user0@people.example"});
                server.ask_as(shop, "/api/user/forget", person).await;
            }
            Self::Exports => {
                let person = json!({"Identifier": "user0@people.example"});
                let request = server.request_as(shop, "/api/user/export", person);
                (0..EXPORTS)
                    .for_each(|_| drop(all.spawn(again(address, vec![request.clone()], Duration::ZERO))));
            }
        }
    }
}

/// Orders of one person.
async fn store_orders(server: &Server, shop: &Keys, count: usize) {
    server.piece_as(shop, "/feed-create", "orders-1", &order_lines(0, count)).await;
    let token = server.piece_as(shop, "/feed-close", "orders-1", "").await.expect("a token");
    server.complete_as(shop, &token).await;
}

/// A delta of 10,000 memberships, the most that one may make.
fn memberships() -> Value {
    let ids = |of: &str| (0..100).map(|n| format!("{of}-of-the-hostile-shop-{n}")).collect::<Vec<_>>();
    json!({"SetCategoryOnProducts": [{"CategoryId": ids("category"), "ProductIds": ids("product")}]})
}

/// A feed of rows of as many keys as fit into one, compressed twice.
fn wide_feed() -> Vec<u8> {
    let keys = (0..KEYS).map(|n| format!("\"k{n}\":1")).collect::<Vec<_>>().join(",");
    let rows =
        (0..WIDE_ROWS).map(|n| format!("{{\"Id\":\"{n}\",\"Title\":\"t\",{keys}}}")).collect::<Vec<_>>();
    let feed = format!("{{\"Products\":[{}]}}", rows.join(","));
    let once = zstd::encode_all(feed.as_bytes(), 1).expect("compressed");
    zstd::encode_all(once.as_slice(), 1).expect("compressed")
}

/// Sends a feed each second, of another URL, so that it is never the same as before.
async fn feed_again(server: &Server, shop: &Keys, path: &Path, bytes: &[u8], all: &mut JoinSet<()>) {
    std::fs::write(path, bytes).expect("a feed");
    let feed = FeedServer::start(path).await;
    let urls = (0..URLS).map(|number| json!({"url": format!("{}?{number}", feed.url)}));
    let requests = urls.map(|url| server.request_as(shop, "/api/productfeed", url)).collect();
    all.spawn(again(server.address, requests, Duration::from_secs(1)));
}

/// Sends requests again and again, whatever is answered.
async fn again(address: SocketAddr, requests: Vec<Vec<u8>>, pause: Duration) {
    for request in requests.iter().cycle() {
        let _ = client::try_ask(address, request).await;
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
