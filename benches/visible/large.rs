//! A feed of 250 MB: the cost of it and its index, the cost of the same feed again, and shoppers' waiting time while
//! another one comes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::{self, Run};
use crate::process;
use crate::report::{Options, load, p50, p99};
use crate::scenario::write_feed_of;
use crate::server::{FeedServer, Server, scratch};

/// Searches a second.
const SEARCHES: f64 = 100.0;

/// Words of the made-up shop: few products, some, and many.
const QUERIES: [&str; 10] = [
    "red oak stool",
    "walnut side table",
    "linen cushion",
    "brass desk lamp",
    "green glass vase",
    "wool blanket",
    "leather wallet",
    "teapot",
    "slate",
    "serving tray ash",
];

pub async fn large(options: &Options, engine: &str, postgres: Option<&str>) {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let feeds = [1, 2].map(|seed| {
        let path = folder.path().join(format!("{seed}.json"));
        (write_feed_of(&path, options.products, seed), path)
    });
    println!("\n== searches and a feed of {:.0} MB, {engine}", feeds[0].0 as f64 / 1e6);
    let first = FeedServer::start(&feeds[0].1).await;
    let second = FeedServer::start(&feeds[1].1).await;
    let server = Server::start(postgres).await;
    let measured = Measured { server: &server, products: options.products };
    measured.first(&first.url).await;
    measured.again(&first.url).await;
    let mut idle = {
        let stop = Arc::new(AtomicBool::new(false));
        let waiting = async {
            tokio::time::sleep(options.length_or(20)).await;
            stop.store(true, Ordering::Relaxed);
        };
        tokio::join!(measured.searches(stop.clone()), waiting).0
    };
    let mut beside = measured.while_changing(&second.url).await;
    let p99s = [&mut idle, &mut beside].map(|run| p99(&mut run.latencies));
    println!(
        "  {SEARCHES} searches a second: idle p50 {:.1?}, p99 {:.1?}; meanwhile p50 {:.1?}, p99 {:.1?}: {:.1} times (target 3), \
         refused {} of {}, load {}",
        p50(&mut idle.latencies),
        p99s[0],
        p50(&mut beside.latencies),
        p99s[1],
        p99s[1].as_secs_f64() / p99s[0].as_secs_f64(),
        beside.refused,
        beside.latencies.len(),
        load()
    );
}

struct Measured<'a> {
    server: &'a Server,
    products: u64,
}

impl Measured<'_> {
    /// A feed before anybody searches, and the first search, for which the index is made.
    async fn first(&self, url: &str) {
        let cpu = self.server.cpu_seconds();
        let seconds = self.server.import(url).await;
        let imported = self.server.cpu_seconds() - cpu;
        println!("  imported: {imported:.2} CPU-s, {seconds:.1} s, {}", self.memory());
        let began = Instant::now();
        self.server.searchable(&self.server.keys()).await;
        let seconds = began.elapsed().as_secs_f64();
        self.settle().await;
        let made = self.server.cpu_seconds() - cpu - imported;
        println!(
            "  its index: {made:.2} CPU-s, {:.0} rows per CPU-second (target 12,000), {seconds:.1} s, {}",
            self.products as f64 / made,
            self.memory()
        );
    }

    /// The same feed from another address: it is fetched and compared.
    async fn again(&self, url: &str) {
        let cpu = self.server.cpu_seconds();
        self.server.import(&url.replace("feed.json", "feed.json?again")).await;
        self.settle().await;
        let again = self.server.cpu_seconds() - cpu;
        println!("  the same feed again: {again:.2} CPU-s (target: no more than it took to import)");
    }

    async fn searches(&self, stop: Arc<AtomicBool>) -> Run {
        let request = |query| {
            let asked = json!({"Query": query, "Currency": "GBP", "Facets": ["Brand", "Price"]});
            self.server.request_as(&self.server.keys(), "/api/search", asked)
        };
        let requests = QUERIES.map(request);
        let make = move |turn: usize| requests[turn % requests.len()].clone();
        client::paced(self.server.address, SEARCHES, make, |_, _| {}, stop).await
    }

    /// Searches while another feed comes, until its products are found.
    async fn while_changing(&self, url: &str) -> Run {
        process::forget_peak(self.server.process());
        let keys = self.server.keys();
        let id = lethe::sample::product_id(1);
        let title = async || {
            let found = self.server.search_as(&keys, json!({"Query": id, "Size": 1})).await;
            found.expect("an index that is there")["Items"][0]["Title"].clone()
        };
        let before = title().await;
        let stop = Arc::new(AtomicBool::new(false));
        let cpu = self.server.cpu_seconds();
        let changing = async {
            let began = Instant::now();
            self.server.import(url).await;
            let complete = began.elapsed();
            while title().await == before {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            let found = began.elapsed();
            stop.store(true, Ordering::Relaxed);
            (complete, found)
        };
        let (run, (complete, found)) = tokio::join!(self.searches(stop.clone()), changing);
        self.settle().await;
        println!(
            "  another feed: Complete after {complete:.1?}, found after {found:.1?}, {:.2} CPU-s with searches and all that \
             followed, {}",
            self.server.cpu_seconds() - cpu,
            self.memory()
        );
        run
    }

    /// Waits until the server has nothing left to do.
    async fn settle(&self) {
        loop {
            let before = self.server.cpu_seconds();
            tokio::time::sleep(Duration::from_secs(1)).await;
            if self.server.cpu_seconds() - before < 0.1 {
                return;
            }
        }
    }

    fn memory(&self) -> String {
        format!(
            "peak {:.0} MB (target 400), now {:.0} MB, of which {:.0} MB are no file's",
            self.server.peak_bytes() as f64 / 1e6,
            self.server.resident_bytes() as f64 / 1e6,
            self.server.held_bytes() as f64 / 1e6
        )
    }
}
