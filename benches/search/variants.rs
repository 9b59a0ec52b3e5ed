//! The cost of variants: the same shop with 0, 8 and 100 variants a product, searched in one run; bytes of the index a
//! variant, and the time until a change of one variant's stock is seen.

use std::time::{Duration, Instant};

use lethe::search::document::{ShopTables, read_document};
use lethe::search::engine::SearchQuery;
use lethe::search::index::snapshot::IndexSnapshot;
use lethe::search::index::{DocumentChange, Index};
use lethe::search::pricing::BuyerContext;
use lethe::search::query::filters::Filters;
use lethe::search::statistics::StatisticsCounter;
use serde_json::{Value, json};

use super::catalogue::Catalogue;
use super::making::English;
use super::{HITS, folder, own_cpu_seconds, per_cpu_second, settle, stored_bytes};
use crate::client::Connection;
use crate::report::{Options, load, median, p50, p99};
use crate::server::{FeedServer, Server};

/// Products of the shop.
const PRODUCTS: u64 = 50_000;
/// Variants a product.
const SIZES: [usize; 3] = [0, 8, 100];
/// Changes of one variant's stock that are looked for.
const CHANGES: usize = 100;
/// Pause between two looks.
const LOOK: Duration = Duration::from_millis(2);

const COLOURS: [&str; 10] =
    ["Black", "White", "Red", "Blue", "Green", "Grey", "Brown", "Pink", "Yellow", "Orange"];
const MODEL_SIZES: [&str; 5] = ["S", "M", "L", "XL", "XXL"];
const FITS: [&str; 2] = ["Slim", "Regular"];

/// The options of a variant of a product: all differ.
fn options_of(number: u64, variant: usize) -> Value {
    let place = number as usize + variant;
    json!({"Shade": COLOURS[place % 10], "Fit": FITS[place / 10 % 2], "Measure": MODEL_SIZES[place / 20 % 5]})
}

/// The row of a product with so many variants; without any it has the options itself.
fn row(catalogue: &Catalogue, number: u64, variants: usize) -> String {
    let mut row: Value = serde_json::from_str(&catalogue.row(number)).expect("a row");
    if variants == 0 {
        row["Attributes"] = options_of(number, 0);
        return row.to_string();
    }
    let variant = |variant: usize| {
        json!({"Id": format!("{number}-{variant}"), "Sku": format!("V{number}-{variant}"),
               "Options": options_of(number, variant), "InStock": variant % 7 != 3,
               "Prices": [format!("{}.{:02} EUR", 10 + (number + variant as u64) % 90, variant)]})
    };
    row["Variants"] = (0..variants).map(variant).collect();
    row.to_string()
}

/// All measurements of variants.
pub async fn variants(options: &Options, catalogue: &Catalogue, english: &English) {
    let products = options.scaled(PRODUCTS);
    println!("\n== variants: {products} products, per second of CPU, median of {}", options.rounds);
    let folders = SIZES.map(|_| folder());
    let mut indices = Vec::new();
    let mut bytes = Vec::new();
    for (variants, folder) in SIZES.into_iter().zip(&folders) {
        let before = own_cpu_seconds();
        let (index, shown) = make_index(catalogue, english, (products, variants), folder.path());
        settle().await;
        let stored = stored_bytes(folder.path());
        println!(
            "  {variants} variants: {:.0} MB, made with {:.0} rows per CPU-second; load {}",
            stored as f64 / 1e6,
            products as f64 / (own_cpu_seconds() - before),
            load()
        );
        bytes.push((stored, shown));
        indices.push(index);
    }
    let plain = bytes[0].0;
    for (variants, (stored, shown)) in SIZES.into_iter().zip(&bytes).skip(1) {
        let each = (stored.saturating_sub(plain + shown)) as f64 / (products * variants as u64) as f64;
        println!(
            "  bytes of the index a variant, {variants} each, beside those that are shown: {each:.1} (target 60)"
        );
    }
    let snapshots: Vec<_> = indices.iter_mut().map(|index| index.reload().expect("a snapshot")).collect();
    let caller = BuyerContext { currency: Some(*b"EUR"), now: 1_750_000_000, ..BuyerContext::default() };
    for (name, filters, target) in [
        ("plain search", json!({}), "target 1.5 at 8"),
        (
            "three options",
            json!({"Attributes": {"Shade": ["Red", "Blue"], "Measure": ["M", "L"], "Fit": ["Slim"]}}),
            "target 2 at 8",
        ),
        (
            "three options, price and stock",
            json!({"Attributes": {"Shade": ["Red", "Blue"], "Measure": ["M", "L"], "Fit": ["Slim"]},
                   "Price": {"From": 20, "To": 70}, "InStock": true}),
            "no target",
        ),
    ] {
        let rates = snapshots.iter().map(|snapshot| rate(options, catalogue, snapshot, &caller, &filters));
        let rates: Vec<f64> = rates.collect();
        println!(
            "  {name}: {:.0}, {:.0} and {:.0} a second with 0, 8 and 100 variants: {:.2} and {:.2} times the cost ({target})",
            rates[0],
            rates[1],
            rates[2],
            rates[0] / rates[1],
            rates[0] / rates[2]
        );
    }
    drop((snapshots, indices));
    change_stock(options, catalogue, products).await;
}

/// An index of the shop, and the bytes of its variants that answers show.
fn make_index(
    catalogue: &Catalogue,
    english: &English,
    (products, variants): (u64, usize),
    folder: &std::path::Path,
) -> (Index, u64) {
    let tables = ShopTables::default();
    let read =
        |number| read_document(row(catalogue, number, variants).as_bytes(), &tables).expect("a product");
    let mut counter = StatisticsCounter::new(english.analyser.clone(), []);
    (0..products).for_each(|number| counter.add(&read(number)));
    let mut index = Index::create(folder, english.know(counter.finish())).expect("an index");
    let mut shown = 0;
    for number in 0..products {
        let document = read(number);
        shown += document.variants.iter().map(|variant| variant.display.len() as u64).sum::<u64>();
        index.write(DocumentChange::Put(&document)).expect("written");
    }
    index.commit("").expect("committed");
    // Merges that the commit began take segments away from this one: they have to end first.
    while index.merge_all().is_err() {
        std::thread::park_timeout(std::time::Duration::from_secs(1));
    }
    (index, shown)
}

fn rate(
    options: &Options,
    catalogue: &Catalogue,
    snapshot: &IndexSnapshot,
    caller: &BuyerContext,
    filters: &Value,
) -> f64 {
    let filters = Filters::parse(filters, snapshot.knowledge().columns()).expect("filters");
    let like = SearchQuery { filters, size: HITS, ..SearchQuery::default() };
    let asked = |query: &String| SearchQuery { query: query.clone(), ..like.clone() };
    let requests: Vec<_> = catalogue.queries.iter().map(asked).collect();
    let rounds = (0..options.rounds).map(|_| {
        per_cpu_second(&requests, options.length_or(3), &|request| {
            std::hint::black_box(snapshot.search(request, caller).expect("an answer"));
        })
    });
    median(rounds.collect())
}

/// Time from sending a delta that changes one variant's stock until a search shows it.
async fn change_stock(options: &Options, catalogue: &Catalogue, products: u64) {
    let folder = folder();
    let path = folder.path().join("feed.json");
    let rows: Vec<String> = (0..products).map(|number| row(catalogue, number, SIZES[1])).collect();
    std::fs::write(&path, format!("{{\"Products\":[{}]}}", rows.join(",\n"))).expect("written");
    let feed = FeedServer::start(&path).await;
    let server = Server::start(None).await;
    server.import(&feed.url).await;
    let keys = server.keys();
    server.searchable(&keys).await;
    let mut connection = Connection::open(server.address).await;
    let mut seen = Vec::new();
    for change in 0..options.scaled(CHANGES as u64) as usize {
        let number = change as u64 * 37 % products;
        let (access_key, secret_key) = &keys;
        let delta = json!({"AppKey": access_key, "SecretKey": secret_key, "SetVariants": [
            {"ProductId": catalogue_id(catalogue, number), "Id": format!("{number}-2"), "InStock": false}]});
        let delta = crate::client::post("/api/delta", delta.to_string().as_bytes());
        let search =
            server.request_as(&keys, "/api/search", json!({"Query": format!("V{number}-2"), "Size": 1}));
        let began = Instant::now();
        let (status, _) = connection.ask(&delta).await;
        assert!(status == 200 || status == 202, "{status}");
        loop {
            let (_, found) = connection.ask(&search).await;
            let found: Value = serde_json::from_slice(found).expect("an answer");
            if found["Items"][0]["Variant"]["InStock"] == false {
                break;
            }
            tokio::time::sleep(LOOK).await;
        }
        seen.push(began.elapsed());
    }
    println!(
        "  one variant's stock by a delta, seen by a search after p50 {:.1?} (target 50 ms), p99 {:.1?}; load {}",
        p50(&mut seen),
        p99(&mut seen),
        load()
    );
}

/// The id of a product of the shop.
fn catalogue_id(catalogue: &Catalogue, number: u64) -> String {
    let row: Value = serde_json::from_str(&catalogue.row(number)).expect("a row");
    row["Id"].as_str().expect("an id").to_owned()
}
