//! Cost of each operation's worst request: the largest answer, processor time and memory. Every operation of the
//! interface is tried, also a new one: with lists of every kind in each of its fields.

mod requests;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use self::requests::{Worst, worst_requests};
use crate::besieged::{set_synonyms, widen};
use crate::client::{self, Answered};
use crate::personal::{Shop, ids_of};
use crate::process;
use crate::report::{Options, load};
use crate::reporting;
use crate::scenario::write_feed;
use crate::server::{FeedServer, Server, scratch};

/// Times that each request is sent. The least cost counts: first reads and the server's own work are not the request's.
const TIMES: usize = 2;
/// Processor time from which on a request is sent once.
const LONG_MILLIS: f64 = 1_000.0;
/// Sizes of bodies that are tried, from the largest down, until one is not too large.
const BODY_BYTES: [usize; 4] = [2 << 20, 1 << 20, 250_000, 64_000];
/// Products of the shop, those of 800 kB, and events of its shoppers.
const PRODUCTS: u64 = 20_000;
const WIDE: usize = 20;
const EVENTS: u64 = 200_000;
/// Operations that change the live catalogue: they come last.
const CHANGING: [&str; 5] =
    ["/api/delta", "/api/feed/publish", "/api/productdelta", "/api/productfeed", "/api/snapshots/back"];
/// Work after an answer counts as over when the server took less than a fiftieth of a processor for so long.
const REST_DURATION: Duration = Duration::from_millis(200);
const REST_SECONDS: f64 = 0.004;
/// The longest wait for that.
const REST_TOTAL_DURATION: Duration = Duration::from_secs(120);

/// Greatest cost of an operation so far.
#[derive(Default)]
struct Most {
    answer_bytes: usize,
    cpu_millis: f64,
    memory_bytes: u64,
}

/// Prints the table of `docs/reference.md`.
pub async fn worst(options: &Options) {
    println!("\n== the worst that each operation can be asked, load {}", load());
    let server = Server::start(None).await;
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let worst = prepare(&server, folder.path(), options.products.min(PRODUCTS)).await;
    rest(&server).await;
    let document = client::ask(server.address, &client::get("/openapi.json")).await.2;
    let document: Value = serde_json::from_slice(&document).expect("a document");
    let paths = document["paths"].as_object().expect("paths").iter();
    let mut operations: Vec<_> = paths
        .flat_map(|(path, all)| all.as_object().expect("operations").iter().map(move |of| (path, of)))
        .collect();
    operations.sort_by_key(|(path, _)| CHANGING.contains(&path.as_str()));
    let mut rows = BTreeMap::new();
    for (path, (method, operation)) in operations {
        let mut most = Most::default();
        for request in worst_requests(&worst, method, path) {
            most.take(&server, &request).await;
        }
        if method == "post" {
            flood(&server, path, &document, operation, &mut most).await;
        }
        rows.insert((path, method.to_uppercase()), most);
    }
    println!("| operation | answer, bytes | processor, ms | memory, MB |");
    println!("|---|---|---|---|");
    for ((path, method), most) in rows {
        print_row(&method, path, &most);
    }
}

/// Fills the shop.
async fn prepare(server: &Server, folder: &Path, products: u64) -> Worst {
    let path = folder.join("feed.json");
    write_feed(&path, products);
    widen(&path, WIDE);
    let feed = FeedServer::start(&path).await;
    server.import(&feed.url).await;
    let shop = Shop { keys: server.keys(), ids: ids_of(server, &server.keys()).await.into() };
    shop.store(server, EVENTS, 50, &|number, people, at| reporting::event(&shop, number, people, at)).await;
    set_synonyms(server, folder, "bench");
    server.searchable(&shop.keys).await;
    Worst::prepare(server, &shop, &feed.url).await
}

fn print_row(method: &str, path: &str, most: &Most) {
    let megabytes = most.memory_bytes as f64 / 1e6;
    println!(
        "| `{method} {path}` | {} | {:.0} | {megabytes:.0} |",
        grouped(most.answer_bytes),
        most.cpu_millis
    );
}

/// A number with commas between its thousands.
fn grouped(number: usize) -> String {
    match number / 1_000 {
        0 => number.to_string(),
        thousands => format!("{},{:03}", grouped(thousands), number % 1_000),
    }
}

/// Tries lists of all kinds, as long as they may be, in each field that is no plain text.
async fn flood(server: &Server, path: &str, document: &Value, operation: &Value, most: &mut Most) {
    let schema = resolved(document, &operation["requestBody"]["content"]["application/json"]["schema"]);
    let properties = schema["properties"].as_object().cloned().unwrap_or_default();
    let plain: Map<_, _> = properties
        .iter()
        .filter_map(|(name, property)| {
            let greatest = property["maximum"].as_u64().map(Value::from);
            let value = greatest.unwrap_or_else(|| property["example"].clone());
            (!value.is_null()).then(|| (name.clone(), value))
        })
        .collect();
    most.take(server, &signed(server, path, plain.clone())).await;
    // The largest accepted size is the same for all.
    let mut sizes = BODY_BYTES.into_iter().peekable();
    for (name, _) in properties.iter().filter(|(_, property)| property["type"] != "string") {
        for element in [json!(1), json!("x"), json!({}), json!([])] {
            let length = element.to_string().len() + 1;
            while let Some(bytes) = sizes.peek() {
                let mut asked = plain.clone();
                asked.insert(name.clone(), vec![element.clone(); (bytes - 2_000) / length].into());
                if most.take(server, &signed(server, path, asked)).await != 413 {
                    break;
                }
                sizes.next();
            }
        }
    }
}

fn signed(server: &Server, path: &str, asked: Map<String, Value>) -> Vec<u8> {
    server.request_as(&server.keys(), path, asked.into())
}

/// A schema, wherever it stands.
fn resolved<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
    match schema["$ref"].as_str().and_then(|path| path.strip_prefix('#')) {
        Some(path) => document.pointer(path).unwrap_or(&Value::Null),
        None => schema,
    }
}

impl Most {
    /// Sends a request and records its cost, if that is higher; returns the status of the answer.
    async fn take(&mut self, server: &Server, request: &[u8]) -> u16 {
        let mut least = (f64::MAX, u64::MAX);
        for time in 1.. {
            process::forget_peak(server.process());
            let before = (process::cpu_nanoseconds(server.process()), server.resident_bytes());
            let Answered { status, bytes } = client::ask_once(server.address, request).await;
            let is_refused = !matches!(status, 200..300);
            if !is_refused {
                rest(server).await;
            }
            let spent = process::nanoseconds_since(&before.0, server.process()) as f64 / 1e6;
            least = (least.0.min(spent), least.1.min(server.peak_bytes().saturating_sub(before.1)));
            self.answer_bytes = self.answer_bytes.max(bytes);
            if is_refused || time == TIMES || spent > LONG_MILLIS {
                self.cpu_millis = self.cpu_millis.max(least.0);
                self.memory_bytes = self.memory_bytes.max(least.1);
                return status;
            }
        }
        unreachable!("it is sent so many times")
    }
}

/// Waits until the server has done the remaining work of a request.
async fn rest(server: &Server) {
    let began = Instant::now();
    loop {
        let before = process::cpu_nanoseconds(server.process());
        tokio::time::sleep(REST_DURATION).await;
        let spent = process::nanoseconds_since(&before, server.process()) as f64 / 1e9;
        if spent < REST_SECONDS || began.elapsed() > REST_TOTAL_DURATION {
            return;
        }
    }
}
