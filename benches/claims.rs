//! Timing attack on suppression: a page makes the same calls about a forgotten and a known person in turn. Can it tell
//! them apart?

use std::time::Duration;

use serde_json::json;

use crate::client::{self, Connection};
use crate::erasure::{ended, forget};
use crate::personal::scattered;
use crate::report::{Options, load, p50};
use crate::scenario::write_feed;
use crate::server::{FeedServer, Server, scratch};

/// Calls about each of the two.
const SAMPLES: usize = 500;
const PRODUCTS: u64 = 1_000;
const FORGOTTEN: &str = "u-the-one";
const KNOWN: &str = "u-another";

/// Share of pairs in which the call about the forgotten person took longer: a half says nothing.
pub async fn claims(options: &Options) {
    for (engine, postgres) in options.engines() {
        println!("\n== {SAMPLES} calls of a page about a forgotten and about a known person each, {engine}");
        let server = Server::start(postgres).await;
        let folder = tempfile::tempdir_in(scratch()).expect("a folder");
        let path = folder.path().join("feed.json");
        write_feed(&path, PRODUCTS);
        let feed = FeedServer::start(&path).await;
        server.import(&feed.url).await;
        server.searchable(&server.keys()).await;
        let page = server.ask("/api/catalogue", json!({"Limit": 1})).await;
        let product = page["Items"][0]["Id"].as_str().expect("an id").to_owned();
        let browsers =
            [logged_in(&server, FORGOTTEN, &product).await, logged_in(&server, KNOWN, &product).await];
        let (_, id) = forget(&server, &format!("userid:{FORGOTTEN}")).await;
        ended(&server, &id, "verified").await;
        let key = server.keys().0;
        let call = |rest: &str| client::get(&format!("/api/track?appid={key}&{rest}"));
        let stranger = issued(&server).await;
        let claim = |user: &str| call(&format!("evt=customer_details&userid={user}&visitorid={stranger}"));
        told(&server, "a log-in that a page claims", [claim(FORGOTTEN), claim(KNOWN)]).await;
        let order = |user: &str| {
            call(&format!(
                "evt=order_track&orderid=o-1&userid={user}&productcount=1&id1={product}&qty1=1&visitorid={stranger}"
            ))
        };
        told(&server, "an order that a page claims", [order(FORGOTTEN), order(KNOWN)]).await;
        let look = |browser: &String| call(&format!("evt=product_view&id={product}&visitorid={browser}"));
        told(
            &server,
            "a look in the browser where they are logged in",
            [look(&browsers[0]), look(&browsers[1])],
        )
        .await;
        let asks = |asked: serde_json::Value| {
            browsers.clone().map(|browser| {
                let mut body = asked.clone();
                body["appId"] = key.as_str().into();
                body["visitorId"] = browser.into();
                client::post("/api/serverside", body.to_string().as_bytes())
            })
        };
        told(&server, "zones in the browser where they are logged in", asks(json!({"zones": ["HP-01"]})))
            .await;
        let search = json!({"search": {"query": "the"}});
        told(&server, "a search in the browser where they are logged in", asks(search)).await;
    }
}

async fn issued(server: &Server) -> String {
    let answer = server.ask("/api/serverside", json!({"events": []})).await;
    answer["visitorId"].as_str().expect("a number").to_owned()
}

/// A browser with a logged-in user who looked at something.
async fn logged_in(server: &Server, user: &str, product: &str) -> String {
    let browser = issued(server).await;
    let log_in = json!({"name": "customer_details", "data": {"userid": user}});
    let look = json!({"name": "product_view", "data": {"id": product}});
    server.ask("/api/serverside", json!({"visitorId": browser, "events": [log_in, look]})).await;
    browser
}

async fn told(server: &Server, what: &str, calls: [Vec<u8>; 2]) {
    let mut connection = Connection::open(server.address).await;
    let mut took: [Vec<Duration>; 2] = Default::default();
    // An address may make sixty calls a second, and zones and searches count in addition to their call; the first ones
    // warm up.
    let mut pace = tokio::time::interval(Duration::from_millis(40));
    // In an order that says nothing: what one call leaves to be done is done while a later one is answered.
    let mut order: Vec<_> = (0..2 * (SAMPLES + 20)).collect();
    order.sort_by_key(|call| scattered(*call as u64));
    for (turn, call) in order.into_iter().enumerate() {
        pace.tick().await;
        let which = call % 2;
        let began = std::time::Instant::now();
        let (status, _) = connection.ask(&calls[which]).await;
        assert_eq!(status, 200);
        if turn >= 40 {
            took[which].push(began.elapsed());
        }
    }
    let longer = took[0].iter().flat_map(|one| took[1].iter().map(move |other| one.cmp(other)));
    let longer: f64 = longer.map(|order| 0.5 * (1 + order as i8) as f64).sum();
    let share = longer / (took[0].len() * took[1].len()) as f64;
    // Two standard deviations of the share when both are the same (Mann and Whitney 1947).
    let count = SAMPLES as f64;
    let band = 2.0 * ((2.0 * count + 1.0) / (12.0 * count * count)).sqrt();
    let [mut forgotten, mut known] = took;
    println!(
        "  {what}: the forgotten one's takes longer in {:.1} of 100 pairs (50 ± {:.1} by chance); p50 {:.0?} and {:.0?}, load {}",
        100.0 * share,
        100.0 * band,
        p50(&mut forgotten),
        p50(&mut known),
        load()
    );
}
