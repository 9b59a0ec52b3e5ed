//! The scenarios: durable accepts, status questions, and a large feed.

use std::io::Write;
use std::time::Duration;

use serde_json::json;

use crate::report::{Options, load, median, p99};
use crate::server::{FeedServer, Server, scratch};
use crate::{bare, client, process};

/// Requests under way at a time.
pub const CONNECTIONS: usize = 64;

/// A delta as a shop sends one: one product.
pub fn delta() -> serde_json::Value {
    json!({"Products": [{
        "Id": "SKU-104711", "Sku": "SKU-104711", "Title": "Walnut side table with brass feet",
        "Description": "A small table for a large armchair. Oiled walnut, 45 cm high, delivered in one piece.",
        "Link": "//shop.example/walnut-side-table", "Image": "//shop.example/i/104711.jpg",
        "Categories": ["12", "47"], "Prices": ["129.00 EUR", "119.00 GBP"], "InStock": "true"
    }]})
}

/// `/api/delta` compared with a bare group-commit loop with as many in flight.
pub async fn accept(options: &Options) {
    println!("\n== durable accepts of /api/delta, {CONNECTIONS} connections");
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let mut ours = Vec::new();
    let mut loops = Vec::new();
    for round in 0..options.rounds {
        let body = delta().to_string();
        let round_folder = folder.path().join(round.to_string());
        std::fs::create_dir(&round_folder).expect("a folder");
        let bare = bare::group_commit(&round_folder, body.as_bytes(), CONNECTIONS, options.length).await;
        let server = Server::start(None).await;
        let mut run = deltas(&server, options.length).await;
        println!(
            "  round {round}: lethe {:>8.0}/s (p99 {:?}, refused {}), bare loop {bare:>8.0}/s, load {}",
            run.per_second,
            p99(&mut run.latencies),
            run.refused,
            load()
        );
        ours.push(run.per_second);
        loops.push(bare);
    }
    let ours = median(ours);
    let loops = median(loops);
    println!(
        "  median: lethe {ours:.0}/s, bare loop {loops:.0}/s: {:.0} % (target 50 %, and 2,000/s)",
        100.0 * ours / loops
    );
    if let Some(url) = &options.postgres {
        let server = Server::start(Some(url)).await;
        let mut run = deltas(&server, options.length).await;
        println!(
            "  PostgreSQL: {:.0}/s, p99 {:?}, refused {}",
            run.per_second,
            p99(&mut run.latencies),
            run.refused
        );
    }
}

async fn deltas(server: &Server, length: Duration) -> client::Run {
    let request = client::post("/api/delta", &server.signed(delta()));
    client::load(server.address, &request, CONNECTIONS, length, 0).await
}

/// `/api/deltastatus` with ten tokens compared with a bare echo of the same body.
pub async fn status(options: &Options) {
    for (engine, postgres) in options.engines() {
        println!("\n== /api/deltastatus with 10 tokens, {CONNECTIONS} connections, {engine}");
        status_of(&Server::start(postgres).await, options).await;
    }
}

async fn status_of(server: &Server, options: &Options) {
    let mut tokens = Vec::new();
    for _ in 0..10 {
        tokens.push(server.ask("/api/delta", delta()).await["Token"].clone());
    }
    let body = server.signed(json!({"Tokens": tokens}));
    let echo = bare::echo().await;
    let mut ours = Vec::new();
    let mut echoes = Vec::new();
    for round in 0..options.rounds {
        let request = client::post("/echo", &body);
        let bare = client::load(echo, &request, CONNECTIONS, options.length, 0).await;
        let request = client::post("/api/deltastatus", &body);
        let mut run = client::load(server.address, &request, CONNECTIONS, options.length, 0).await;
        println!(
            "  round {round}: lethe {:>8.0}/s (p99 {:?}, refused {}), echo {:>8.0}/s, load {}",
            run.per_second,
            p99(&mut run.latencies),
            run.refused,
            bare.per_second,
            load()
        );
        ours.push(run.per_second);
        echoes.push(bare.per_second);
    }
    let ours = median(ours);
    let echoes = median(echoes);
    println!("  median: lethe {ours:.0}/s, echo {echoes:.0}/s: {:.0} % (target 40 %)", 100.0 * ours / echoes);
}

/// A large feed: rows and bytes per CPU-second, peak memory; again unchanged; and accepts meanwhile.
pub async fn import(options: &Options) {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let path = folder.path().join("feed.json");
    let bytes = write_feed(&path, options.products);
    let feed = FeedServer::start(&path).await;
    for (engine, postgres) in options.engines() {
        println!("\n== import of {} products, {:.0} MB, {engine}", options.products, bytes as f64 / 1e6);
        import_on(postgres, &feed, bytes, options).await;
    }
}

async fn import_on(postgres: Option<&str>, feed: &FeedServer, bytes: u64, options: &Options) {
    let mut rates = Vec::new();
    for round in 0..options.rounds {
        let server = Server::start(postgres).await;
        let before = server.cpu_seconds();
        let seconds = server.import(&feed.url).await;
        let cpu = server.cpu_seconds() - before;
        let rate = options.products as f64 / cpu;
        println!(
            "  round {round}: {rate:>8.0} rows and {:.0} MB per CPU-second, {cpu:.2} CPU-s, {seconds:.1} s, peak {:.0} MB, load {}",
            bytes as f64 / 1e6 / cpu,
            server.peak_bytes() as f64 / 1e6,
            load()
        );
        rates.push(rate);
        if round == 0 {
            again(&server, feed, options).await;
        }
    }
    println!("  median: {:.0} rows per CPU-second (target 150,000)", median(rates));
}

/// The same feed again: unchanged by its ETag; with a delta in between the product returns; and deltas are
/// accepted while a changed one imports.
async fn again(server: &Server, feed: &FeedServer, options: &Options) {
    let before = server.cpu_seconds();
    let seconds = server.import(&feed.url).await;
    println!(
        "  unchanged (ETag): {:.2} CPU-s, {seconds:.2} s, sent {} times",
        server.cpu_seconds() - before,
        feed.sent.load(std::sync::atomic::Ordering::Relaxed)
    );
    let first = server.ask("/api/catalogue", json!({"Limit": 1})).await;
    let product = &first["Items"][0];
    let id = product["Id"].as_str().expect("an id").to_owned();
    server.ask("/api/delta", json!({"Products": [{"Id": id, "Title": "changed by a delta"}]})).await;
    while server.ask("/api/product", json!({"Id": id})).await["Item"]["Title"] != "changed by a delta" {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    server.import(&feed.url).await;
    let after = server.ask("/api/product", json!({"Id": id})).await;
    println!(
        "  a delta in between, then the same feed: the product is the feed's again: {}",
        after["Item"] == product["Item"]
    );
    let other = feed.url.replace("feed.json", "feed.json?other");
    let importing = server.import(&other);
    let loading = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        deltas(server, options.length.min(Duration::from_secs(3))).await
    };
    let (_, mut run) = tokio::join!(importing, loading);
    println!(
        "  /api/delta while the feed imports: {:.0}/s, p99 {:?}, refused {} (target 2,000/s, 100 ms)",
        run.per_second,
        p99(&mut run.latencies),
        run.refused
    );
}

/// Writes the feed of a made-up shop; gives its bytes.
pub fn write_feed(path: &std::path::Path, products: u64) -> u64 {
    write_feed_of(path, products, 1)
}

/// The same of another shop, whose products have the same ids.
pub fn write_feed_of(path: &std::path::Path, products: u64, seed: u64) -> u64 {
    let made = std::process::Command::new(process::program())
        .args(["sample", "--products", &products.to_string(), "--seed", &seed.to_string(), "--output"])
        .arg(path)
        .status();
    assert!(made.expect("lethe sample").success());
    std::io::stdout().flush().expect("flushed");
    std::fs::metadata(path).expect("the feed").len()
}
