//! Texts that are made to be expensive: the cost of a feed with them, compared with the same texts without their
//! signs.

use std::path::Path;

use serde_json::{Value, json};

use crate::report::{Options, load, median};
use crate::server::{FeedServer, Server, scratch};

/// Bytes of one text.
const TEXT_BYTES: usize = 3_900_000;
/// Products of a feed of such texts.
const TEXTS: usize = 5;
/// Products of the feed in which every one holds an address.
const ROWS: usize = 40_000;

/// The repeated part of a text, and the same without a sign of an address.
const PARTS: [(&str, &str); 9] = [
    ("@", "a"),
    ("@.", "a."),
    ("a@b.", "aob."),
    ("a@b.cc ", "aob.cc "),
    ("&#64;", "xx64;"),
    ("&amp;", "xamp;"),
    ("%40", "x4a"),
    ("a%2540b.cc ", "ax25aab.cc "),
    ("＠", "中"),
];

/// CPU of the server for each, and how many times that of the same without.
pub async fn hostile(options: &Options) {
    println!(
        "\n== {TEXTS} texts of 4 MB full of signs, and {ROWS} rows with an address each (target: twice)"
    );
    let server = Server::start(None).await;
    for (part, plain) in PARTS {
        let cost = cost(&server, options, &texts(part)).await;
        let beside = self::cost(&server, options, &texts(plain)).await;
        told(part, cost, beside);
    }
    let cost = cost(&server, options, &rows("ada-N@shop.test")).await;
    let beside = self::cost(&server, options, &rows("ada-N shop.test")).await;
    told("an address in every row", cost, beside);
}

fn told(what: &str, cost: f64, beside: f64) {
    println!(
        "  {what:<24} {cost:.2} CPU-s, without {beside:.2}: {:.1} times, load {}",
        cost / beside,
        load()
    );
}

fn texts(part: &str) -> Value {
    let text = part.repeat(TEXT_BYTES / part.len());
    (0..TEXTS).map(|n| json!({"Id": n.to_string(), "Title": "t", "Description": text})).collect()
}

fn rows(contact: &str) -> Value {
    let row = |n: usize| {
        let contact = contact.replace('N', &n.to_string());
        let text = format!("Write to {contact} or call. {}", "A sentence about the product. ".repeat(8));
        let link = format!("https://shop.test/{n}");
        json!({"Id": n.to_string(), "Title": format!("Product {n}"), "Description": text, "Link": link})
    };
    (0..ROWS).map(row).collect()
}

/// CPU-seconds for a feed of these products, the median of the rounds.
async fn cost(server: &Server, options: &Options, products: &Value) -> f64 {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let mut costs = Vec::new();
    for round in 0..=options.rounds {
        let path = folder.path().join(format!("{round}.json"));
        let cpu = import(server, &path, products).await;
        // The first one warms up.
        if round > 0 {
            costs.push(cpu);
        }
    }
    median(costs)
}

async fn import(server: &Server, path: &Path, products: &Value) -> f64 {
    std::fs::write(path, json!({"Products": products}).to_string()).expect("a feed");
    let feed = FeedServer::start(path).await;
    let before = server.cpu_seconds();
    server.import(&feed.url).await;
    server.cpu_seconds() - before
}
