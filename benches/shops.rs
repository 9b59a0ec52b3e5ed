//! Many searched shops on one node, and one shop's expensive searches next to another's.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{self, Connection};
use crate::process;
use crate::report::{Options, load, p50, p99};
use crate::server::{Keys, Server};
use crate::visible::import;

/// Shops, and the products of each.
const SHOPS: u64 = 1_000;
const PRODUCTS: u64 = 1_000;
/// Products of the shop whose searches are expensive.
const PRODUCTS_OF_LARGE: u64 = 50_000;
/// Connections over which it searches, and searches a second of the other shop.
const CONNECTIONS: usize = 64;
const SEARCHES: f64 = 100.0;
/// A search of as many words as allowed, each of them in many products.
const WORDS: &str = "red brown black white oak walnut steel linen brass glass stool shelf mirror mug rug lamp table frame \
                     small large table for the kitchen made by hand in one piece of wood ash cork wool";

pub async fn shops(options: &Options) {
    let count = usize::try_from(options.scaled(SHOPS)).expect("not so many");
    for (engine, postgres) in options.engines() {
        println!("\n== {count} shops of {PRODUCTS} products that are searched, {engine}");
        let server = Server::start(postgres).await;
        let shops = server.shops(count).await;
        let began = Instant::now();
        import(&server, &shops, PRODUCTS).await;
        println!("  imported in {:.0?}; {}", began.elapsed(), used(&server));
        for round in ["index made", "index opened again"] {
            let cpu = server.cpu_seconds();
            let mut waits = first_searches(&server, &shops).await;
            println!(
                "  first search of each, {round}: p50 {:.1?}, p99 {:.1?}, {:.1} ms of CPU each; {}",
                p50(&mut waits),
                p99(&mut waits),
                1000.0 * (server.cpu_seconds() - cpu) / count as f64,
                used(&server)
            );
        }
        let last = &shops[count.saturating_sub(lethe::limits::SEARCH_INDICES)..];
        let mut waits = first_searches(&server, last).await;
        println!("  a search of each that is open: p50 {:.1?}, p99 {:.1?}", p50(&mut waits), p99(&mut waits));
        beside(options, &server, &shops[count - 1]).await;
    }
}

/// One search in each shop, one after the other.
async fn first_searches(server: &Server, shops: &[Keys]) -> Vec<Duration> {
    let mut connection = Connection::open(server.address).await;
    let mut waits = Vec::with_capacity(shops.len());
    for shop in shops {
        let asked = json!({"Query": "oak stool", "Currency": "GBP", "Facets": ["Brand"]});
        let request = server.request_as(shop, "/api/search", asked);
        let began = Instant::now();
        let status = connection.ask(&request).await.0;
        waits.push(began.elapsed());
        assert_eq!(status, 200, "a small index is made in time");
    }
    waits
}

fn used(server: &Server) -> String {
    let [files, maps] = process::open_files(server.process());
    format!(
        "resident {:.0} MB, of which {:.0} MB are no file's; {files} files open, {maps} pieces mapped, {} threads, load {}",
        server.resident_bytes() as f64 / 1e6,
        server.held_bytes() as f64 / 1e6,
        process::threads(server.process()),
        load()
    )
}

/// Waiting time of a shop's searches alone, and next to a shop that searches as much as it may.
async fn beside(options: &Options, server: &Server, shop: &Keys) {
    let large = server.keys();
    import(server, std::slice::from_ref(&large), options.scaled(PRODUCTS_OF_LARGE)).await;
    server.searchable(&large).await;
    let mut alone = searches(server, shop, options.length).await;
    let expensive = client::post("/api/search", &server.signed(expensive()));
    let loading = client::load(server.address, &expensive, CONNECTIONS, options.length, 0);
    let (mut with, mut run) = tokio::join!(searches(server, shop, options.length), loading);
    let p99s = [p99(&mut alone), p99(&mut with)];
    println!(
        "  beside expensive searches of a shop of {} products over {CONNECTIONS} connections ({:.0}/s, p99 {:.0?}, refused {}): \
         {SEARCHES} searches a second of another: p99 {:.1?} alone, {:.1?} beside, {:.1} times; load {}",
        options.scaled(PRODUCTS_OF_LARGE),
        run.per_second,
        p99(&mut run.latencies),
        run.refused,
        p99s[0],
        p99s[1],
        p99s[1].as_secs_f64() / p99s[0].as_secs_f64(),
        load()
    );
}

async fn searches(server: &Server, shop: &Keys, length: Duration) -> Vec<Duration> {
    let asked = json!({"Query": "oak stool", "Currency": "GBP", "Facets": ["Brand"]});
    let request = server.request_as(shop, "/api/search", asked);
    let stop = Arc::new(AtomicBool::new(false));
    let stopping = stop.clone();
    let ending = async move {
        tokio::time::sleep(length).await;
        stopping.store(true, Ordering::Relaxed);
    };
    let asking = client::paced(server.address, SEARCHES, move |_| request.clone(), |_, _| {}, stop);
    tokio::join!(asking, ending).0.latencies
}

fn expensive() -> Value {
    json!({
        "Query": WORDS, "Currency": "GBP", "Size": 250, "Highlight": true, "Sort": "-Attributes.Weight",
        "Facets": ["Brand", "Price", "Attributes.Colour"]
    })
}
