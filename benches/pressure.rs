//! Effect of one client's pressure on others: ten times the rated load, and a backlog of another client's deltas.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client;
use crate::report::{Options, load, median, p99};
use crate::scenario::{delta, write_feed};
use crate::server::{FeedServer, Server, scratch};

/// Connections of a client that does not know when to stop: ten times those of the other scenarios.
const CONNECTIONS: usize = 640;

/// Ten times the connections, all sending deltas, while another shop asks for statuses and forgets people.
pub async fn overload(options: &Options) {
    println!("\n== {CONNECTIONS} connections send deltas; another shop asks and forgets meanwhile");
    let server = Server::start(None).await;
    let other = server.shop("other");
    let request = client::post("/api/delta", &server.signed(delta()));
    let before = (server.resident_bytes(), calm(&server, &other).await);
    let flood = client::load(server.address, &request, CONNECTIONS, options.length, 0);
    let asking = async {
        let ends = Instant::now() + options.length;
        let mut answers = Vec::new();
        while Instant::now() < ends {
            answers.push(forget_and_ask(&server, &other).await);
        }
        answers
    };
    let (mut run, mut answers) = tokio::join!(flood, asking);
    let peak = server.resident_bytes();
    let stopped = Instant::now();
    while calm(&server, &other).await > before.1 * 3 + Duration::from_millis(5) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    println!(
        "  flood {:.0}/s accepted, {} refused, p99 {:?}; the other shop: {} forgets and questions, p99 {:?} (target 100 ms)",
        run.per_second,
        run.refused,
        p99(&mut run.latencies),
        answers.len(),
        p99(&mut answers)
    );
    println!(
        "  resident {:.0} MB before, {:.0} MB at the end; as calm as before after {:?} (target 5 s), load {}",
        before.0 as f64 / 1e6,
        peak as f64 / 1e6,
        stopped.elapsed(),
        load()
    );
}

async fn forget_and_ask(server: &Server, shop: &(String, String)) -> Duration {
    let began = Instant::now();
    let forget =
        server.ask_as(shop, "/api/user/forget", json!({"Identifier": "someone@people.example"})).await;
    assert_eq!(forget, Value::Null, "the answer is a plain sentence");
    let unknown = "0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55";
    server.ask_as(shop, "/api/deltastatus", json!({"Tokens": [unknown]})).await;
    began.elapsed()
}

async fn calm(server: &Server, shop: &(String, String)) -> Duration {
    let mut answers = Vec::new();
    for _ in 0..20 {
        answers.push(forget_and_ask(server, shop).await);
    }
    p99(&mut answers)
}

/// A shop's feed alone, and after a backlog of another shop's deltas.
pub async fn fairness(options: &Options) {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let path = folder.path().join("feed.json");
    let products = options.products.min(100_000);
    let bytes = write_feed(&path, products);
    println!("\n== a feed of {:.0} MB beside another shop's deltas", bytes as f64 / 1e6);
    let feed = FeedServer::start(&path).await;
    let mut alone = Vec::new();
    let mut beside = Vec::new();
    for round in 0..options.rounds {
        let server = Server::start(None).await;
        let other = server.shop("other");
        let url = |n: usize| feed.url.replace("feed.json", &format!("feed.json?{round}{n}"));
        alone.push(server.import_as(&other, &url(0)).await);
        let request = client::post("/api/delta", &server.signed(delta()));
        let flood = client::load(server.address, &request, 64, options.length, 0);
        let importing = async {
            tokio::time::sleep(options.length / 4).await;
            server.import_as(&other, &url(1)).await
        };
        let (run, seconds) = tokio::join!(flood, importing);
        println!(
            "  round {round}: alone {:.2} s, beside {:.0} deltas/s {seconds:.2} s, load {}",
            alone[round],
            run.per_second,
            load()
        );
        beside.push(seconds);
    }
    let alone = median(alone);
    let beside = median(beside);
    println!("  median: {:.1} times as long (target 2)", beside / alone);
}
