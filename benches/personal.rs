//! Recommendations through a server: the cost of an event, a recommendation, a start, and the forgetting of a person.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client;
use crate::erasure::{ended, forget};
use crate::process;
use crate::report::{Options, load, p50, p99, percentile};
use crate::scenario::write_feed;
use crate::server::{FeedServer, Keys, Server, scratch};

/// Products of the shop, and the history of its shoppers.
const PRODUCTS: u64 = 215_000;
const EVENTS: u64 = 5_000_000;
/// Events of a person, on average.
const EVENTS_OF_PERSON: u64 = 20;
/// Events of the person with the most.
const MANY: u64 = 10_000;
/// Events sent together.
const BATCH: u64 = 200;
const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;

/// Everything of recommendations that a server does, on each engine.
pub async fn personal(options: &Options) {
    for (engine, postgres) in options.engines() {
        let events = options.scaled(EVENTS);
        println!("\n== recommendations of {events} events, {engine}");
        let mut server = Server::start(postgres).await;
        let products = options.scaled(PRODUCTS).max(1_000);
        let ids = import(&server, products).await;
        let shop = Shop { keys: server.keys(), ids: ids.into() };
        server.searchable(&shop.keys).await;
        let bytes = server.stored_bytes();
        shop.store(&server, events, 50, &|number, people, at| shop.event(number, people, Some(at))).await;
        shop.store_many(&server).await;
        let each = (server.stored_bytes() - bytes) as f64 / events as f64;
        println!("  {each:.0} bytes of the disk an event, load {}", load());
        shop.started(&mut server, events).await;
        shop.recommended(&server, options).await;
        shop.zoned(&server, options).await;
        shop.accepted(&server, options).await;
        shop.forgotten(&server, options).await;
    }
}

/// A shop whose shoppers look at products.
pub struct Shop {
    pub keys: Keys,
    pub ids: Arc<[String]>,
}

/// Imports a made-up catalogue; gives the ids of its products.
pub async fn import(server: &Server, products: u64) -> Vec<String> {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let path = folder.path().join("feed.json");
    write_feed(&path, products);
    let feed = FeedServer::start(&path).await;
    server.import(&feed.url).await;
    ids_of(server, &server.keys()).await
}

/// The ids of a shop's products.
pub async fn ids_of(server: &Server, keys: &Keys) -> Vec<String> {
    let mut ids = Vec::new();
    let mut from = Value::Null;
    loop {
        let mut asked = json!({"Limit": 200});
        if from.is_string() {
            asked["From"] = from;
        }
        let page = server.ask_as(keys, "/api/catalogue", asked).await;
        let items = page["Items"].as_array().expect("items");
        ids.extend(items.iter().map(|item| item["Id"].as_str().expect("an id").to_owned()));
        from = page["Next"].clone();
        if from.is_null() {
            return ids;
        }
    }
}

/// A number that only looks random: the same in every run.
pub fn scattered(number: u64) -> u64 {
    let mixed = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 24
}

impl Shop {
    /// A product: few are looked at often. Those of one session are near each other.
    fn product(&self, session: u64, click: u64) -> &str {
        let share = (scattered(session) % 1_000_000) as f64 / 1e6;
        let first = (self.ids.len() as f64 * share * share * share) as u64;
        let place = first + scattered(session * 31 + click) % 20;
        &self.ids[place as usize % self.ids.len()]
    }

    /// The `number`th event of a history: sessions of five clicks.
    pub fn event(&self, number: u64, people: u64, at: Option<i64>) -> Value {
        let session = number / 5;
        let person = scattered(session * 7) % people;
        let product = self.product(session, number % 5);
        json!({"Name": "product_view", "Product": product, "UserId": format!("u{person}"), "At": at})
    }

    fn request(&self, server: &Server, path: &str, asked: Value) -> Vec<u8> {
        server.request_as(&self.keys, path, asked)
    }

    /// Stores a history of the last `days`: `make` gives its `number`th event, of one of the people, at a moment.
    pub async fn store(
        &self,
        server: &Server,
        events: u64,
        days: u64,
        make: &dyn Fn(u64, u64, i64) -> Value,
    ) {
        let people = (events / EVENTS_OF_PERSON).max(100);
        let begin = lethe::clock::Clock::system().now() - days as i64 * DAY_MILLIS;
        let began = Instant::now();
        let before = server.cpu_seconds();
        let batches = events.div_ceil(BATCH);
        let lanes = (0..8_u64).map(|lane| async move {
            let mut connection = client::Connection::open(server.address).await;
            for batch in (lane..batches).step_by(8) {
                let numbers = batch * BATCH..((batch + 1) * BATCH).min(events);
                let at = |number: u64| {
                    begin + (number * days / events) as i64 * DAY_MILLIS + (number % 40_000) as i64 * 1000
                };
                let all: Vec<_> = numbers.map(|number| make(number, people, at(number))).collect();
                let request = self.request(server, "/api/events", json!({"Events": all}));
                // More lanes than turns may have to ask again.
                while connection.ask(&request).await.0 == 503 {}
            }
        });
        futures_util::future::join_all(lanes).await;
        let cpu = server.cpu_seconds() - before;
        println!(
            "  {events} events of {people} people, {BATCH} at a time: {:.0} microseconds of CPU each, {:.0?}",
            1e6 * cpu / events as f64,
            began.elapsed()
        );
    }

    /// Stores the events of the person with the most.
    async fn store_many(&self, server: &Server) {
        for batch in 0..MANY / BATCH {
            let all: Vec<_> = (0..BATCH)
                .map(|number| {
                    let mut event = self.event(batch * BATCH + number, 1, None);
                    event["UserId"] = "many".into();
                    event
                })
                .collect();
            server.ask_as(&self.keys, "/api/events", json!({"Events": all})).await;
        }
    }

    /// Starts the server again and asks until the model is whole.
    async fn started(&self, server: &mut Server, events: u64) {
        let resident = server.resident_bytes();
        server.restart().await;
        server.searchable(&self.keys).await;
        let before = server.cpu_seconds();
        let began = Instant::now();
        let ask = json!({"Recommender": "most_viewed", "Size": 1});
        loop {
            let found = server.ask_as(&self.keys, "/api/recommend", ask.clone()).await;
            if found["Items"][0]["Reason"]["Code"] == "most_viewed" {
                break;
            }
        }
        println!(
            "  a start with them: {:.1} CPU-seconds (target 40 for 5 million), {:.1?}; {} MB resident, before the first model {} \
             MB: {:.0} bytes an event",
            server.cpu_seconds() - before,
            began.elapsed(),
            server.resident_bytes() >> 20,
            resident >> 20,
            (server.resident_bytes() as f64) / events as f64
        );
    }

    fn question(&self, number: u64) -> Value {
        let session = scattered(number * 13);
        let clicks: Vec<_> = (0..1 + number % 4).map(|click| self.product(session, click)).collect();
        json!({"Items": clicks, "Size": 20})
    }

    /// Zones of product pages, as plugins ask for them.
    async fn zoned(&self, server: &Server, options: &Options) {
        let question = |number: u64| {
            let data = json!({"product_id": self.product(scattered(number * 17), 0)});
            json!({"visitorId": format!("zone-visitor-{number}"), "zones": [{"id": "PP-01", "data": data}]})
        };
        let asked: Arc<[Vec<u8>]> =
            (0..2_000).map(|number| self.request(server, "/api/serverside", question(number))).collect();
        client::each_once(server.address, asked.clone(), 4).await;
        let mut costs = Vec::new();
        for _ in 0..options.rounds {
            let before = server.cpu_seconds();
            let run = client::load_each(server.address, asked.clone(), 4, options.length, 0).await;
            costs.push(1e6 * (server.cpu_seconds() - before) / run.latencies.len() as f64);
            assert_eq!(run.refused, 0);
        }
        println!(
            "  a zone of 12 products, HTTP included: {:.0} microseconds of CPU (target 350), load {}",
            crate::report::median(costs),
            load()
        );
    }

    /// Recommendations in sequence, and 3,000 a second together with 2,000 events a second.
    async fn recommended(&self, server: &Server, options: &Options) {
        let asked = (0..2_000).map(|number| self.request(server, "/api/recommend", self.question(number)));
        let asked: Arc<[Vec<u8>]> = asked.collect();
        client::each_once(server.address, asked.clone(), 4).await;
        let mut costs = Vec::new();
        for _ in 0..options.rounds {
            let before = server.cpu_seconds();
            let run = client::load_each(server.address, asked.clone(), 4, options.length, 0).await;
            costs.push(1e6 * (server.cpu_seconds() - before) / run.latencies.len() as f64);
            assert_eq!(run.refused, 0);
        }
        println!(
            "  a recommendation of 20, HTTP included: {:.0} microseconds of CPU (target 300), load {}",
            crate::report::median(costs),
            load()
        );
        let stop = Arc::new(AtomicBool::new(false));
        let events = self.paced_events(server, 2_000.0, &stop);
        let recommending = {
            let asked = asked.clone();
            let make = move |turn: usize| asked[turn % asked.len()].clone();
            tokio::spawn(client::paced(server.address, 3_000.0, make, |_, _| {}, stop.clone()))
        };
        tokio::time::sleep(options.length_or(20)).await;
        stop.store(true, Ordering::Relaxed);
        let mut run = recommending.await.expect("it ran");
        let mut sent = events.await.expect("it ran");
        println!(
            "  3,000 a second beside 2,000 events a second: {:.0}/s, p50 {:.1?}, p90 {:.1?} (target 7 ms), p99 {:.1?}, refused {}; \
             events {:.0}/s, p99 {:.1?}, refused {}; load {}",
            run.per_second,
            p50(&mut run.latencies),
            percentile(&mut run.latencies, 90),
            p99(&mut run.latencies),
            run.refused,
            sent.per_second,
            p99(&mut sent.latencies),
            sent.refused,
            load()
        );
    }

    fn paced_events(
        &self,
        server: &Server,
        per_second: f64,
        stop: &Arc<AtomicBool>,
    ) -> tokio::task::JoinHandle<client::Run> {
        let requests: Vec<_> = (0..20_000)
            .map(|number| {
                let event = self.event(number * 5, 50_000, None);
                self.request(server, "/api/events", json!({"Events": [event]}))
            })
            .collect();
        let make = move |turn: usize| requests[turn % requests.len()].clone();
        tokio::spawn(client::paced(server.address, per_second, make, |_, _| {}, stop.clone()))
    }

    /// Events one by one and in batches of 50, and how soon one is seen.
    async fn accepted(&self, server: &Server, options: &Options) {
        for batch in [1, 50_u64] {
            let requests = (0..20_000 / batch).map(|place| {
                let all: Vec<_> =
                    (0..batch).map(|one| self.event((place * batch + one) * 5, 50_000, None)).collect();
                self.request(server, "/api/events", json!({"Events": all}))
            });
            let requests: Arc<[Vec<u8>]> = requests.collect();
            let mut costs = Vec::new();
            for _ in 0..options.rounds {
                let before = server.cpu_seconds();
                let run = client::load_each(server.address, requests.clone(), 64, options.length, 0).await;
                assert_eq!(run.refused, 0);
                let events = run.latencies.len() as f64 * batch as f64;
                costs.push(1e6 * (server.cpu_seconds() - before) / events);
            }
            let target = if batch == 1 { 80 } else { 45 };
            println!(
                "  an event accepted, {batch} at a time: {:.0} microseconds of CPU (target {target}), load {}",
                crate::report::median(costs),
                load()
            );
        }
        let mut seen = Vec::new();
        for turn in 0..50 {
            let product = &self.ids[turn * 7 % self.ids.len()];
            let event = json!({"Name": "product_view", "Product": product, "VisitorId": format!("seen-{turn}-4a5b6c7d8e")});
            let began = Instant::now();
            let taken = server.ask_as(&self.keys, "/api/events", json!({"Events": [event, event]})).await;
            let session = taken["Events"][0]["SessionId"].clone();
            let ask = json!({"SessionId": session, "Recommender": "default", "Size": 1});
            while server.ask_as(&self.keys, "/api/recommend", ask.clone()).await["Items"][0]["Reason"]["Product"]
                != product.as_str()
            {
                assert!(began.elapsed() < Duration::from_secs(20), "it is never seen");
            }
            seen.push(began.elapsed());
        }
        println!(
            "  seen in a recommendation after p50 {:.0?}, p99 {:.0?} (target 1 s)",
            p50(&mut seen),
            p99(&mut seen)
        );
    }

    /// Erasure of a person with many events, and of a thousand people in sequence.
    async fn forgotten(&self, server: &Server, options: &Options) {
        let (_, id) = forget(server, "userid:many").await;
        let took = ended(server, &id, "unlearned").await;
        println!("  somebody with {MANY} events unlearned after {took:.2?} (target 1 s)");
        let began = Instant::now();
        let before = server.cpu_seconds();
        let people = options.people.min(1_000);
        let mut last = id;
        for person in 0..people {
            last = forget(server, &format!("userid:u{person}")).await.1;
            ended(server, &last, "unlearned").await;
        }
        let unlearned = began.elapsed();
        let cpu = server.cpu_seconds() - before;
        ended(server, &last, "verified").await;
        println!(
            "  {people} people one after the other, each looked at every 10 ms: unlearned after {unlearned:.1?} (target 60 s) and \
             {cpu:.1} CPU-seconds, certified after {:.1?} and {:.1} CPU-seconds, load {}",
            began.elapsed(),
            server.cpu_seconds() - before,
            load()
        );
        let resident = process::memory(server.process(), "VmRSS").unwrap_or_default();
        println!("  {} MB resident at the end", resident >> 20);
    }
}
