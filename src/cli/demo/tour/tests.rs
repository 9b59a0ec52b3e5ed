//! The tour ends where a server shows something else than it should.

use std::collections::{HashMap, VecDeque};
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::{StatusCode, Uri};
use tokio::net::TcpListener;

use super::*;
use crate::cli::api::Network;
use crate::cli::demo::narrator::TourVerbosity;
use crate::cli::table::cell;
use crate::sample::SampleShop;

/// Answers by path, in their order; the last one again and again.
type TourAnswers = HashMap<&'static str, VecDeque<Value>>;

fn status(status: impl Into<Value>) -> Value {
    let status: Value = status.into();
    json!([{"Status": status}])
}

fn product(title: &str, price: &str) -> Value {
    json!({"Item": {"Title": title, "Prices": [price]}})
}

fn people(counts: [u64; 4]) -> Vec<Value> {
    let line = |count| format!("lethe_subjects{{account=\"demo-shop\"}} {count}\n");
    counts.map(|count| Value::from(line(count))).to_vec()
}

fn zone(name: &str, titles: &[&str]) -> Value {
    let items: Vec<_> = titles.iter().map(|title| json!({"Title": title})).collect();
    json!({"zones": {name: {"items": items}}})
}

fn issues(codes: &[&str]) -> Value {
    let counts: Vec<_> = codes.iter().map(|code| json!({"Code": code})).collect();
    json!({"Counts": counts})
}

/// Answers to the batches of the history.
fn events() -> Vec<Value> {
    let most = limits::EVENTS_OF_REQUEST as u64;
    let batches = HISTORY_EVENTS.div_ceil(most);
    let sent = |batch: u64| (HISTORY_EVENTS - batch * most).min(most);
    (0..batches).map(|batch| json!({"Accepted": sent(batch)})).collect()
}

fn search_answer(searched: &str, total: u64, titles: &[&str]) -> Value {
    let items: Vec<_> = titles.iter().map(|title| json!({"Title": title})).collect();
    json!({"Total": total, "TotalRelaxed": total, "Query": {"Searched": searched}, "Items": items})
}

/// The answers of a server with which all is well.
fn good_answers() -> TourAnswers {
    let shopping = vec![
        json!({"visitorId": "v"}),
        zone("PP-01", &["a"]),
        zone("PP-01", &["b"]),
        zone("PP-01", &["c"]),
        zone("AC-03", &["x", "y", "z"]),
        json!({"zones": {}}),
    ];
    let answers = [
        ("/api/productfeed", vec![json!("OK")]),
        ("/api/productfeedstatus", vec![status("Processing"), status("Complete")]),
        ("/api/catalogue", vec![json!({"Counts": {"Products": 10}})]),
        ("/api/issues", vec![issues(EXPECTED_ISSUES)]),
        ("/api/events", events()),
        ("/api/search", vec![search_answer(FOUND, 3, &["Blue Oak Chair"])]),
        (
            "/api/product",
            vec![product("A", "9.00 GBP"), product("B", "1.99 GBP"), json!({"Error": "unknown"})],
        ),
        ("/api/delta", vec![json!({"Token": "d"})]),
        ("/api/deltastatus", vec![status(1)]),
        ("/metrics", people([10, 9, 9, 10])),
        ("/api/user/forget", vec![json!("OK")]),
        ("/api/serverside", shopping),
    ];
    HashMap::from(answers.map(|(path, answers)| (path, VecDeque::from(answers))))
}

/// Serves the answers; returns the address.
async fn serve(answers: TourAnswers) -> String {
    let answers = Arc::new(Mutex::new(answers));
    let next = move |uri: Uri| {
        let mut all = answers.lock().expect("answers");
        let left = all.get_mut(uri.path()).expect("a known path");
        let answer = if left.len() > 1 { left.pop_front() } else { left.front().cloned() };
        let answer = answer.expect("an answer");
        let status = if answer["Error"].is_null() { StatusCode::OK } else { StatusCode::NOT_FOUND };
        std::future::ready((status, [("x-feed-token", "f")], cell(&answer)))
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(axum::serve(listener, Router::new().fallback(next)).into_future());
    url
}

/// Walks the tour; returns the number of its steps, or the sentence of its failure.
async fn walk(answers: TourAnswers) -> Result<usize, String> {
    let url = serve(answers).await;
    let shop = SampleShop { products: 10, people: 5, ..SampleShop::default() };
    let shop = ShopServer::start(&shop).await.expect("a shop");
    let network = Network::new(&url, "key".to_owned(), "secret".to_owned()).expect("an address");
    let narrator = Narrator::new(TourVerbosity::Nothing, &url);
    let api = Api::Network(network);
    let ended = Tour { api, url: &url, metrics_token: "token", shop: &shop, narrator }.walk().await;
    shop.stop().await;
    ended.map(|narrator| narrator.into_steps().len()).map_err(|fault| fault.to_string())
}

#[tokio::test]
async fn a_server_that_shows_something_else_ends_the_tour() {
    assert_eq!(walk(good_answers()).await, Ok(8));
    let first = json!({"visitorId": "v"});
    for (path, answers, sentence) in [
        ("/api/productfeedstatus", vec![status("Complete")], "the feed is in work"),
        ("/api/productfeedstatus", vec![status("Processing"), status("Error")], "the feed is published"),
        ("/api/catalogue", vec![json!({"Counts": {"Products": 9}})], "every good product is there"),
        ("/api/issues", vec![issues(&EXPECTED_ISSUES[1..])], "every deliberate mistake is found"),
        (
            "/api/productfeedstatus",
            vec![status("Processing"), status("Complete"), status("Error")],
            "the feed is published",
        ),
        ("/api/events", vec![json!({"Accepted": 0})], "all that shoppers did is taken"),
        ("/api/search", vec![search_answer("blue chiar", 3, &["a"])], "the typing error is corrected"),
        ("/api/search", vec![search_answer(FOUND, 3, &[])], "the typing error is corrected"),
        ("/api/product", vec![product("A", "1.99 GBP")], "the product is replaced"),
        ("/api/product", vec![product("A", "9.00 GBP"), product("B", "9.00 GBP")], "the product is replaced"),
        (
            "/api/product",
            vec![product("A", "9.00 GBP"), product("B", "1.99 GBP")],
            "the other product is gone",
        ),
        ("/api/deltastatus", vec![status(2)], "the delta is applied"),
        ("/metrics", people([10, 7, 7, 8]), "one person is gone"),
        ("/metrics", people([10, 11, 11, 12]), "one person is gone"),
        ("/metrics", people([10, 9, 9, 9]), "the new person is stored"),
        ("/metrics", people([10, 9, 9, 11]), "the new person is stored"),
        ("/metrics", vec![json!("lethe_subjects{account=\"another\"} 7\n")], "do not count people"),
        ("/api/serverside", vec![first.clone(), zone("PP-01", &["a"])], "each product has recommendations"),
        ("/api/serverside", vec![first.clone(), zone("PP-01", &[])], "each product has recommendations"),
    ] {
        let mut others = good_answers();
        others.insert(path, answers.into());
        let ended = walk(others).await;
        assert!(ended.as_ref().is_err_and(|told| told.contains(sentence)), "{sentence}: {ended:?}");
    }
}
