//! Time until a search on a real server shows a change: after a delta, at several rates; and searches while a large
//! feed imports.

mod following;
mod large;

use serde_json::Value;

use crate::report::{Options, load, p50, p99};
use crate::scenario::write_feed;
use crate::server::{FeedServer, Keys, Server, scratch};
use following::Following;

/// Products of a shop that is changed by deltas, and of each of many.
const PRODUCTS: u64 = 20_000;
const PRODUCTS_EACH: u64 = 1_000;
/// Accounts that are changed in turn.
const ACCOUNTS: usize = 100;
/// Shops whose feeds are under way at once.
pub const IMPORTS: usize = 8;

/// Everything between the catalogue and its search, on each engine.
pub async fn visible(options: &Options) {
    for (engine, postgres) in options.engines() {
        println!("\n== from a delta to a search that finds it, {engine}");
        one(options, postgres).await;
        many(options, postgres).await;
    }
    for (engine, postgres) in options.engines() {
        large::large(options, engine, postgres).await;
    }
}

/// 100 and then 2,000 deltas a second in one account.
async fn one(options: &Options, postgres: Option<&str>) {
    let server = Server::start(postgres).await;
    let products = options.scaled(PRODUCTS);
    let shops = [server.keys()];
    import(&server, &shops, products).await;
    server.searchable(&shops[0]).await;
    for (run, per_second) in [100, 2_000].into_iter().enumerate() {
        let following = Following { shops: shops.to_vec(), products, run, per_second };
        tell(&server, "one account", following, options).await;
    }
}

/// 100 deltas a second over 100 accounts, all searched.
async fn many(options: &Options, postgres: Option<&str>) {
    let server = Server::start(postgres).await;
    let products = options.scaled(PRODUCTS_EACH);
    let shops = server.shops(ACCOUNTS).await;
    import(&server, &shops, products).await;
    for shop in &shops {
        server.searchable(shop).await;
    }
    let name = format!("{ACCOUNTS} accounts");
    tell(&server, &name, Following { shops, products, run: 0, per_second: 100 }, options).await;
}

async fn tell(server: &Server, name: &str, following: Following, options: &Options) {
    let per_second = following.per_second;
    let products = following.products;
    let before = server.cpu_seconds();
    let mut seen = following.run(server, options.length_or(20)).await;
    let cpu = server.cpu_seconds() - before;
    let sent = seen.accepted.latencies.len();
    println!(
        "  {per_second} deltas a second, {name} of {products} products: visible after p50 {:.0?} (target 50 ms), p99 {:.0?} \
         (target 200 ms), {} looked at; accepted {:.0}/s, p99 {:.1?}, refused {}; all visible {:.0?} after the last; {:.0} \
         microseconds of CPU each, load {}",
        p50(&mut seen.visible),
        p99(&mut seen.visible),
        seen.visible.len(),
        seen.accepted.per_second,
        p99(&mut seen.accepted.latencies),
        seen.accepted.refused,
        seen.behind,
        1e6 * cpu / sent as f64,
        load()
    );
}

/// Imports a made-up catalogue into each of these shops, some at once.
pub async fn import(server: &Server, shops: &[Keys], products: u64) {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let path = folder.path().join("feed.json");
    write_feed(&path, products);
    let feed = FeedServer::start(&path).await;
    let lanes = (0..IMPORTS).map(|first| {
        let url = &feed.url;
        async move {
            for shop in shops.iter().skip(first).step_by(IMPORTS) {
                server.import_as(shop, url).await;
            }
        }
    });
    futures_util::future::join_all(lanes).await;
}

/// Number of products that a search found.
pub fn total(answer: &[u8]) -> u64 {
    let answer: Value = serde_json::from_slice(answer).expect("an answer");
    answer["TotalRelaxed"].as_u64().expect("a total")
}
