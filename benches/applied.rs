//! Applying waiting deltas, with the projections of the catalogue loaded: each status is final only when they show it.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use lethe::accept;
use lethe::config::Config;
use lethe::ids::{AccountId, SubmissionToken};
use lethe::jobs::Lane;
use lethe::node::Node;
use lethe::store::{Owner, StoreFault};
use lethe::submissions::SubmissionPayload;
use tokio_util::sync::CancellationToken;

use crate::report::{Options, load, median};
use crate::server::{fresh_database, scratch};

/// Deltas that wait, of one product each, and products that they change in turn.
const DELTAS: usize = 50_000;
const ITEMS: usize = 20_000;

/// Deltas a second, on the embedded store and, where there is one, on PostgreSQL.
pub async fn applied(options: &Options) {
    println!("\n== applying {DELTAS} deltas that wait, with and without the list of the account loaded");
    engine(options, "SQLite", None).await;
    if let Some(url) = &options.postgres {
        engine(options, "PostgreSQL", Some(url)).await;
    }
}

async fn engine(options: &Options, name: &str, postgres: Option<&str>) {
    let mut alone = Vec::new();
    let mut followed = Vec::new();
    for _ in 0..options.rounds {
        alone.push(round(postgres, false).await);
        followed.push(round(postgres, true).await);
    }
    println!(
        "  median, {name}: {:.0}/s with the list loaded (target 10,000), {:.0}/s without, load {}",
        median(followed),
        median(alone),
        load()
    );
}

async fn round(postgres: Option<&str>, is_loaded: bool) -> f64 {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let node = open(folder.path(), postgres).await;
    let account = account(&node).await;
    // The products are there before, in the list too.
    for first in (0..ITEMS).step_by(500) {
        let products: Vec<String> = (first..first + 500).map(|item| product(item, 0)).collect();
        send(&node, account, vec![format!("{{\"Products\":[{}]}}", products.join(","))]).await;
    }
    work(&node).await;
    if is_loaded {
        let listed = node
            .derived
            .listing()
            .with_list(account, |list| list.items(lethe::feeds::section::Section::Products, None).count());
        assert_eq!(listed.await.expect("a list"), ITEMS);
    }
    for first in (0..DELTAS).step_by(250) {
        let deltas =
            (first..first + 250).map(|n| format!("{{\"Products\":[{}]}}", product(n % ITEMS, n + 1)));
        send(&node, account, deltas.collect()).await;
    }
    let began = Instant::now();
    work(&node).await;
    DELTAS as f64 / began.elapsed().as_secs_f64()
}

fn product(item: usize, version: usize) -> String {
    format!(
        "{{\"Id\":\"item-{item}\",\"Title\":\"version {version} of a product with a title of its own\",\"Link\":\"/p/{item}\",\
         \"Image\":\"/i/{item}.jpg\",\"Prices\":[\"{}.00 GBP\"]}}",
        version % 100
    )
}

async fn open(folder: &Path, postgres: Option<&str>) -> Arc<Node> {
    let store = match postgres {
        Some(url) => fresh_database(url).await,
        None => "sqlite:".to_owned(),
    };
    let config = Config { store, ..Config::local(folder.join("data"), folder.join("keys")) };
    Node::open(config).await.expect("the node")
}

async fn account(node: &Arc<Node>) -> AccountId {
    let keys = node.keys.clone();
    let now = node.clock.now();
    let made = node
        .store
        .write(Owner::STORE, move |tx| accept::account::create(tx, &keys, "bench", Some("GBP"), now))
        .await;
    made.expect("an account").0.id
}

async fn send(node: &Arc<Node>, account: AccountId, deltas: Vec<String>) {
    let now = node.clock.now();
    let sent = node.store.write(Owner::STORE, move |tx| {
        for delta in &deltas {
            let payload = SubmissionPayload::Plain(delta.as_bytes());
            accept::delta::accept(tx, account, SubmissionToken::issue(now), payload, None, now)?;
        }
        Ok::<_, StoreFault>(())
    });
    sent.await.expect("accepted");
}

async fn work(node: &Arc<Node>) {
    let stop = CancellationToken::new();
    while lethe::work::run_due(node, Lane::DELTA, &stop).await.expect("a job") {}
}
