//! Requests with ever new visitors, from a few addresses: their use of slots, memory, disk, and of another shop's
//! time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{self, Connection};
use crate::report::{Options, load, p50, p99};
use crate::scenario::write_feed;
use crate::server::{FeedServer, Keys, Server, scratch};

/// Requests of each flood.
const REQUESTS: u64 = 1_000_000;
/// Addresses that it comes from, and connections of each.
const ADDRESSES: u8 = 4;
const CONNECTIONS: u64 = 16;
const PRODUCTS: u64 = 1_000;

/// Origin of the numbers that are sent.
#[derive(Clone, Copy)]
enum Flood {
    /// A page sends invented numbers.
    Invented,
    /// A page has a number issued for each request, and comes back with it.
    Issued,
    /// A client with the shop's secret.
    WithSecret,
}

/// Each flood, while another shop gets requests all the time.
pub async fn flood(options: &Options) {
    for (engine, postgres) in options.engines() {
        let requests = options.scaled(REQUESTS);
        println!("\n== {requests} requests with ever new visitors from {ADDRESSES} addresses, {engine}");
        let server = Arc::new(Server::start(postgres).await);
        let folder = tempfile::tempdir_in(scratch()).expect("a folder");
        let path = folder.path().join("feed.json");
        write_feed(&path, PRODUCTS);
        let feed = FeedServer::start(&path).await;
        let other = server.shop("other");
        for keys in [server.keys(), other.clone()] {
            server.import_as(&keys, &feed.url).await;
            server.searchable(&keys).await;
        }
        let product = a_product(&server).await;
        let other = Other { keys: other, product: product.clone() };
        other.asked(&server, Duration::from_secs(1)).await;
        let mut calm = other.asked(&server, options.length).await;
        println!(
            "  the other shop alone: an event and a recommendation p50 {:.1?}, p99 {:.1?}, load {}",
            p50(&mut calm),
            p99(&mut calm),
            load()
        );
        for (name, flood) in [
            ("invented by a page", Flood::Invented),
            ("issued to a page", Flood::Issued),
            ("with the secret", Flood::WithSecret),
        ] {
            flooded(&server, &other, &product, (name, flood), requests).await;
        }
    }
}

async fn a_product(server: &Server) -> String {
    let page = server.ask("/api/catalogue", json!({"Limit": 1})).await;
    page["Items"][0]["Id"].as_str().expect("an id").to_owned()
}

/// Another client, and whether it notices.
struct Other {
    keys: Keys,
    product: String,
}

impl Other {
    /// Tells an event and asks for recommendations, 20 times a second; gives what both took together.
    async fn asked(&self, server: &Server, length: Duration) -> Vec<Duration> {
        let stop = Arc::new(AtomicBool::new(false));
        let asking = self.until(server, &stop);
        let ending = async {
            tokio::time::sleep(length).await;
            stop.store(true, Ordering::Relaxed);
        };
        tokio::join!(asking, ending).0
    }

    async fn until(&self, server: &Server, stop: &AtomicBool) -> Vec<Duration> {
        let event = json!({"Name": "product_view", "Product": self.product, "UserId": "anna"});
        let event = server.request_as(&self.keys, "/api/events", json!({"Events": [event]}));
        let ask =
            server.request_as(&self.keys, "/api/recommend", json!({"Items": [self.product], "Size": 8}));
        let mut connection = Connection::open_from(server.address, 200).await;
        let mut took = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            let began = Instant::now();
            for request in [&event, &ask] {
                let (status, body) = connection.ask(request).await;
                assert_eq!(status, 200, "{}", String::from_utf8_lossy(body));
            }
            took.push(began.elapsed());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        took
    }
}

/// Key slots, resident memory and bytes of the disk.
fn held(server: &Server) -> [u64; 3] {
    let slots =
        std::fs::metadata(server.folder().join("data/keys/slots.key")).map_or(0, |file| file.len() / 64);
    [slots, server.resident_bytes(), server.stored_bytes()]
}

async fn flooded(
    server: &Arc<Server>,
    other: &Other,
    product: &str,
    (name, flood): (&str, Flood),
    requests: u64,
) {
    let before = held(server);
    let cpu = server.cpu_seconds();
    let began = Instant::now();
    let counted: [Arc<AtomicU64>; 3] = Default::default();
    let stop = Arc::new(AtomicBool::new(false));
    let lanes = u64::from(ADDRESSES) * CONNECTIONS;
    let tasks: Vec<_> = (0..lanes)
        .map(|lane| {
            let server = server.clone();
            let product = product.to_owned();
            let counted = counted.clone();
            tokio::spawn(async move {
                let numbers = (lane..requests).step_by(lanes as usize);
                let mut lane = Lane::open(&server, (lane % u64::from(ADDRESSES)) as u8, product).await;
                for number in numbers {
                    let outcome = lane.send(&server, flood, number).await;
                    counted[outcome].fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    let asking = other.until(server, &stop);
    let ending = async {
        for task in tasks {
            task.await.expect("a lane ends");
        }
        stop.store(true, Ordering::Relaxed);
    };
    let (mut took, ()) = tokio::join!(asking, ending);
    let seconds = began.elapsed().as_secs_f64();
    let cpu = server.cpu_seconds() - cpu;
    let after = held(server);
    let grown = |number: usize| after[number] as i64 - before[number] as i64;
    let [answered, left_out, refused] = counted.map(|count| count.load(Ordering::Relaxed));
    println!(
        "  {name}: {:.0}/s, {:.0} microseconds of CPU each; {answered} answered, {left_out} told to come later, {refused} refused; {:+} slots, \
         {:+} MB resident, {:+} MB of disk; the other shop p50 {:.1?}, p99 {:.1?}, load {}",
        requests as f64 / seconds,
        1e6 * cpu / requests as f64,
        grown(0),
        grown(1) >> 20,
        grown(2) >> 20,
        p50(&mut took),
        p99(&mut took),
        load()
    );
}

/// One connection of a flood.
struct Lane {
    connection: Connection,
    product: String,
    keys: Keys,
}

const ANSWERED: usize = 0;
const LEFT_OUT: usize = 1;
const REFUSED: usize = 2;

impl Lane {
    async fn open(server: &Server, address: u8, product: String) -> Self {
        Self {
            connection: Connection::open_from(server.address, 10 + address).await,
            product,
            keys: server.keys(),
        }
    }

    /// Sends a request of a new person; returns its outcome.
    async fn send(&mut self, server: &Server, flood: Flood, number: u64) -> usize {
        let invented =
            format!("{:032x}{number:032x}", u128::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let visitor = match flood {
            Flood::Invented | Flood::WithSecret => invented,
            Flood::Issued => match self.issued().await {
                Some(visitor) => visitor,
                None => return REFUSED,
            },
        };
        let request = match flood {
            Flood::WithSecret => {
                let event = json!({"Name": "product_view", "Product": self.product, "VisitorId": visitor});
                server.request_as(&self.keys, "/api/events", json!({"Events": [event]}))
            }
            _ => self.track(&format!("&id={}&visitorid={visitor}", self.product)),
        };
        let (status, body) = self.connection.ask(&request).await;
        let answer: Value = serde_json::from_slice(body).unwrap_or_default();
        match status {
            200 if answer["Accepted"] == 0 || answer.get("errors").is_some() => LEFT_OUT,
            200 => ANSWERED,
            _ => REFUSED,
        }
    }

    /// A number that the server gives to a page that has none.
    async fn issued(&mut self) -> Option<String> {
        let request = self.track("");
        let (status, body) = self.connection.ask(&request).await;
        let answer: Value = serde_json::from_slice(body).unwrap_or_default();
        (status == 200).then(|| answer["visitorId"].as_str().map(str::to_owned))?
    }

    fn track(&self, rest: &str) -> Vec<u8> {
        let path = format!("/api/track?appid={}&evt=product_view{rest}", self.keys.0);
        client::get(&path)
    }
}
