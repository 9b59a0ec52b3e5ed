//! The same queries through a real server: what HTTP, keys and JSON add to a search.

use std::time::Duration;

use serde_json::{Value, json};

use super::catalogue::Catalogue;
use super::{HITS, folder};
use crate::client;
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
}

async fn measure(options: &Options, server: &Server, name: &str, path: &str, bodies: Vec<Value>) {
    let requests: Vec<_> = bodies.into_iter().map(|body| client::post(path, &server.signed(body))).collect();
    let requests: std::sync::Arc<[Vec<u8>]> = requests.into();
    let mut rates = Vec::new();
    let mut slowest = Vec::new();
    let mut refused = 0;
    for _ in 0..options.rounds {
        let before = server.cpu_seconds();
        let length = options.length.min(Duration::from_secs(5));
        let mut run = client::load_each(server.address, requests.clone(), CONNECTIONS, length, 0).await;
        rates.push(run.latencies.len() as f64 / (server.cpu_seconds() - before));
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
