//! The same queries through a real server: what HTTP, keys and JSON add to a search.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::catalogue::Catalogue;
use super::{HITS, folder};
use crate::client;
use crate::personal::scattered;
use crate::report::{Options, load, median, p99};
use crate::server::{FeedServer, Server};

/// Searches under way: as many as one account may have computed at once.
const CONNECTIONS: usize = 4;

/// Queries per second of the server's CPU.
pub async fn served(options: &Options, catalogue: &Catalogue, products: u64) {
    println!("\n== the same through a server with {products} products, {CONNECTIONS} connections");
    let folder = folder();
    let path = folder.path().join("feed.json");
    catalogue.write_feed(&path, products);
    let feed = FeedServer::start(&path).await;
    let server = Server::start(None).await;
    let before = server.cpu_seconds();
    server.import(&feed.url).await;
    let imported = server.cpu_seconds() - before;
    let found = server.searchable(&server.keys()).await;
    assert_eq!(found["Total"], products, "all products are found");
    let made = server.cpu_seconds() - before - imported;
    println!(
        "  imported with {:.0} rows per CPU-second, indexed with {:.0} (target 12,000)",
        products as f64 / imported,
        products as f64 / made
    );
    let query = |query: &String| json!({"Query": query, "Size": HITS, "Currency": "EUR"});
    let facets = |query: &String| json!({"Query": query, "Size": HITS, "Currency": "EUR", "Facets": ["Brand", "Category", "Price"]});
    let prefix = |prefix: &String| json!({"Query": prefix});
    let prefixes = catalogue.prefixes();
    let queries = &catalogue.queries;
    measure(options, &server, "plain", "/api/search", queries.iter().map(query).collect()).await;
    measure(options, &server, "with three facets", "/api/search", queries.iter().map(facets).collect()).await;
    measure(options, &server, "completion", "/api/autocomplete", prefixes.iter().map(prefix).collect()).await;
    liking(options, &server, catalogue, products.min(catalogue.products())).await;
}

/// Sessions that look at products before the measurement of popularity, each at four.
const SESSIONS: u64 = 25_000;

/// Cost of popularity in a search: that of all shoppers, and that of the searching session. They look at the first
/// `products` of the catalogue.
async fn liking(options: &Options, server: &Server, catalogue: &Catalogue, products: u64) {
    let sessions = options.scaled(SESSIONS).max(1_000);
    let session = look_around(server, catalogue, (products, sessions)).await;
    let queries = &catalogue.queries;
    let requests = |more: Value| -> Arc<[Vec<u8>]> {
        let asked = |query: &String| {
            let mut asked = json!({"Query": query, "Size": HITS, "Currency": "EUR", "Popularity": false});
            more.as_object().into_iter().flatten().for_each(|(name, value)| asked[name] = value.clone());
            client::post("/api/search", &server.signed(asked))
        };
        queries.iter().map(asked).collect()
    };
    let asked = [
        requests(json!({"Personal": false})),
        requests(json!({"Popularity": true, "Personal": false})),
        requests(json!({"Popularity": true, "SessionId": session})),
    ];
    let mut micros = [const { Vec::new() }; 3];
    for _ in 0..options.rounds {
        // One after the other in each round, so that what else the machine does is in all.
        for (requests, micros) in asked.iter().zip(&mut micros) {
            micros.push(1e6 / per_cpu_second(options, server, requests.clone()).await.0);
        }
    }
    let [plain, popular, personal] = micros.map(median);
    for (name, cost) in [("by many", popular), ("by many and its session", personal)] {
        println!(
            "  with what is liked {name}: {cost:.0} microseconds of CPU a query beside {plain:.0} without, {:+.0} or {:.2} \
             times; {} events, load {}",
            cost - plain,
            cost / plain,
            4 * sessions,
            load()
        );
    }
}

/// Shoppers look at products; returns a session that goes on, once everything counts in searches.
async fn look_around(server: &Server, catalogue: &Catalogue, (products, sessions): (u64, u64)) -> Value {
    const BATCH: u64 = 50;
    let product = |session: u64, look: u64| {
        // The last one looks at a popular product: something is recommended for it.
        let first = if session + 1 == sessions { 0 } else { scattered(session) % products };
        catalogue.id((first * first / products + look * 7) % products)
    };
    let mut last = Value::Null;
    for begin in (0..sessions).step_by(BATCH as usize) {
        let numbers = (begin..(begin + BATCH).min(sessions))
            .flat_map(|session| (0..4).map(move |look| (session, look)));
        let event = |(session, look)| json!({"Name": "product_view", "Product": product(session, look), "UserId": format!("u{session}")});
        let events: Vec<_> = numbers.map(event).collect();
        let taken = server.ask("/api/events", json!({"Events": events})).await;
        last = taken["Events"].as_array().and_then(|all| all.last()).expect("events")["SessionId"].clone();
    }
    let asked = json!({"SessionId": last, "Recommender": "default", "Size": 1});
    let newest = product(sessions - 1, 3);
    let began = Instant::now();
    while server.ask("/api/recommend", asked.clone()).await["Items"][0]["Reason"]["Product"] != newest {
        assert!(began.elapsed() < Duration::from_secs(60), "it is never recommended for");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    last
}

/// Answers to these requests per second of the server's CPU.
async fn per_cpu_second(options: &Options, server: &Server, requests: Arc<[Vec<u8>]>) -> (f64, client::Run) {
    let before = server.cpu_seconds();
    let length = options.length.min(Duration::from_secs(5));
    let run = client::load_each(server.address, requests, CONNECTIONS, length, 0).await;
    (run.latencies.len() as f64 / (server.cpu_seconds() - before), run)
}

async fn measure(options: &Options, server: &Server, name: &str, path: &str, bodies: Vec<Value>) {
    let requests: Vec<_> = bodies.into_iter().map(|body| client::post(path, &server.signed(body))).collect();
    let requests: Arc<[Vec<u8>]> = requests.into();
    let mut rates = Vec::new();
    let mut slowest = Vec::new();
    let mut refused = 0;
    for _ in 0..options.rounds {
        let (rate, mut run) = per_cpu_second(options, server, requests.clone()).await;
        rates.push(rate);
        slowest.push(p99(&mut run.latencies).as_secs_f64());
        refused += run.refused;
    }
    println!(
        "  {name}: {:.0} per CPU-second of the server, p99 {:.1} ms, refused {refused}, load {}",
        median(rates),
        1000.0 * median(slowest),
        load()
    );
}
