//! Reports on shoppers' searches, clicks and orders, counted by a server.

use std::time::Instant;

use lethe::reports::attribution::AttributionSource;
use lethe::reports::query;
use serde_json::{Value, json};

use crate::personal::{Shop, import, scattered};
use crate::report::{Options, load, median};
use crate::server::Server;

/// Products of the shop, and the history of its shoppers.
const PRODUCTS: u64 = 20_000;
const EVENTS: u64 = 5_000_000;
/// Different searches.
const SEARCHES: u64 = 5_000;
/// One in so many sessions ends with an order.
const SESSIONS_OF_ORDER: u64 = 10;

/// Cost of a report, on each engine.
pub async fn reporting(options: &Options) {
    for (engine, postgres) in options.engines() {
        let events = options.scaled(EVENTS);
        println!("\n== reports of {events} events, {engine}");
        let server = Server::start(postgres).await;
        let ids = import(&server, options.scaled(PRODUCTS).max(1_000)).await;
        let shop = Shop { keys: server.keys(), ids: ids.into() };
        shop.store(&server, events, 50, &|number, people, at| event(&shop, number, people, at)).await;
        for (kind, days) in [("zones", 28), ("search", 28), ("quality", 28), ("search", 60)] {
            report(&server, options, (kind, days), events).await;
        }
    }
}

/// The `number`th event: in each session of five a search, a click on a hit, two looks, and a click in a zone or an
/// order.
pub fn event(shop: &Shop, number: u64, people: u64, at: i64) -> Value {
    let session = number / 5;
    let mut event = shop.event(number, people, Some(at));
    let place = scattered(session * 3) % SEARCHES;
    let searched = format!("search {}", place * place / SEARCHES);
    match number % 5 {
        0 => {
            event["Name"] = "search".into();
            event["Query"] = searched.into();
            event["Found"] = (session % 50).into();
        }
        1 => {
            event["Name"] = "item_click".into();
            event["RefId"] = AttributionSource::Search(query::mark(&searched)).to_string().into();
        }
        4 if session.is_multiple_of(SESSIONS_OF_ORDER) => {
            event["Name"] = "order".into();
            event["Order"] = format!("order-{session}").into();
            event["Items"] = json!([{"Product": event["Product"], "Quantity": 1, "UnitPrice": 5}]);
        }
        4 => {
            let source = AttributionSource::Zone {
                zone: format!("HP-0{}", 1 + session % 4),
                recommender: "for_you".to_owned(),
                campaign: String::new(),
            };
            event["Name"] = "item_click".into();
            event["RefId"] = source.to_string().into();
        }
        _ => {}
    }
    event
}

/// Time of one report.
async fn report(server: &Server, options: &Options, (kind, days): (&str, i64), events: u64) {
    let now = jiff::Timestamp::from_millisecond(lethe::clock::Clock::system().now()).expect("a moment");
    let today = now.to_zoned(jiff::tz::TimeZone::UTC).date();
    let first = today.saturating_sub(jiff::Span::new().days(days - 1));
    let mut costs = Vec::new();
    let mut times = Vec::new();
    let mut rows = 0;
    for _ in 0..options.rounds {
        let asked = json!({"Report": kind, "From": first.to_string(), "Until": today.to_string()});
        let before = server.cpu_seconds();
        let began = Instant::now();
        let told = server.ask("/api/report", asked).await;
        times.push(began.elapsed().as_secs_f64());
        costs.push(server.cpu_seconds() - before);
        rows = told["Rows"].as_array().expect("rows").len();
    }
    let cpu = median(costs);
    println!(
        "  {kind} of {days} days: {:.1} s, {cpu:.1} CPU-seconds, {:.1} microseconds of CPU an event of the history, {rows} rows; \
         {} MB at the most, load {}",
        median(times),
        1e6 * cpu / events as f64,
        server.peak_bytes() >> 20,
        load()
    );
}
