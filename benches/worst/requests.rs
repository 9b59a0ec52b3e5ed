//! Requests that are made to cost much, for each operation with a known one.

use serde_json::{Value, json};

use crate::besieged::WORDS;
use crate::client;
use crate::erasure::{forget, order_lines};
use crate::personal::Shop;
use crate::server::{Keys, Server};

/// Orders of the exported person.
const ORDERS: usize = 10_000;
/// Bytes that a delta may have, without its keys.
const DELTA_BYTES: usize = 255_000;
/// Rules and campaigns of a list: as many as there may be.
const RULES: usize = 5_000;
const CAMPAIGNS: usize = 500;
/// Deltas that are asked about.
const DELTAS: usize = 1_000;

/// Names in the requests, from a shop that has much of everything.
pub struct Worst {
    keys: Keys,
    ids: Vec<String>,
    feed_url: String,
    /// Tokens of deltas.
    deltas: Vec<Value>,
    /// The token of a feed that was checked and not published.
    feed: Value,
    /// The token of a delta with as many issues as are kept.
    faulty: Value,
    erasure: String,
    first_snapshot: Value,
    last_snapshot: Value,
}

impl Worst {
    /// Sends the data that the requests need.
    pub async fn prepare(server: &Server, shop: &Shop, feed_url: &str) -> Self {
        let mut deltas = Vec::new();
        for number in 0..DELTAS {
            let product = json!({"Id": shop.ids[number % shop.ids.len()], "Title": format!("oak {number}"),
                "Prices": ["5.00 GBP"]});
            deltas.push(server.ask("/api/delta", json!({"Products": [product]})).await["Token"].clone());
        }
        let rows: Vec<_> = (0..9_000).map(|_| json!({"Title": "t"})).collect();
        let faulty = server.ask("/api/delta", json!({"Products": rows})).await["Token"].clone();
        server.piece("/feed-create", "orders-1", &order_lines(0, ORDERS)).await;
        let token = server.piece("/feed-close", "orders-1", "").await.expect("a token");
        server.complete(&token).await;
        let (_, erasure) = forget(server, "u1").await;
        let other = format!("{feed_url}?other");
        server.import(&other).await;
        let head =
            server.head("/api/productfeed", json!({"url": format!("{feed_url}?dry"), "DryRun": true})).await;
        let feed = head.lines().find_map(|line| line.strip_prefix("x-feed-token: ")).expect("a token");
        let snapshots = server.ask("/api/snapshots", json!({})).await;
        let snapshots = snapshots["Snapshots"].as_array().cloned().unwrap_or_default();
        let number = |snapshot: Option<&Value>| snapshot.map(|one| one["Number"].clone()).unwrap_or_default();
        Self {
            keys: server.keys(),
            ids: shop.ids.to_vec(),
            feed_url: feed_url.to_owned(),
            deltas,
            feed: feed.into(),
            faulty,
            erasure,
            first_snapshot: number(snapshots.last()),
            last_snapshot: number(snapshots.first()),
        }
    }

    fn post(&self, path: &str, mut asked: Value) -> Vec<u8> {
        asked["AppKey"] = self.keys.0.as_str().into();
        asked["SecretKey"] = self.keys.1.as_str().into();
        client::post(path, asked.to_string().as_bytes())
    }

    /// A piece of an upload.
    fn form(&self, path: &str, piece: &str) -> Vec<u8> {
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.append_pair("accessKey", &self.keys.0).append_pair("secretKey", &self.keys.1);
        form.append_pair("feedName", "product-worst").append_pair("payLoad", piece);
        client::form(path, &form.finish())
    }
}

/// Requests of an operation that cost much. Others follow, made of the document of the interface.
pub fn worst_requests(worst: &Worst, method: &str, path: &str) -> Vec<Vec<u8>> {
    if method == "get" {
        return addresses(worst, path).iter().map(|address| client::get(address)).collect();
    }
    let asked = match path {
        "/feed-create" => {
            return vec![worst.form(path, &format!("{{\"Products\":[{}", " ".repeat(30_000_000)))];
        }
        "/feed-append" => return vec![worst.form(path, &" ".repeat(30_000_000))],
        "/feed-close" => return vec![worst.form(path, "]}")],
        "/api/delta" | "/api/productdelta" => deltas(worst),
        "/api/productfeed" => vec![json!({"url": worst.feed_url})],
        "/api/events" => events(worst),
        "/api/serverside" => calls(worst),
        "/api/search" | "/api/search/why" | "/api/autocomplete" | "/api/similar" => searches(worst, path),
        "/api/recommend" => recommendations(worst),
        path if path.starts_with("/api/rules") => rules(path),
        path if path.starts_with("/api/zones") => campaigns(worst, path),
        path if path.starts_with("/api/user/") => ["userid:u0", "email:user0@people.example"]
            .map(|identifier| json!({"Identifier": identifier}))
            .into(),
        _ => questions(worst, path),
    };
    asked.into_iter().map(|asked| worst.post(path, asked)).collect()
}

fn addresses(worst: &Worst, path: &str) -> Vec<String> {
    let key = &worst.keys.0;
    let words = WORDS.join("+");
    match path {
        "/api/search" => vec![
            format!("{path}?AppKey={key}&Query={words}&Size=250&Fields=*"),
            format!("{path}?AppKey={key}&Query=widest&Size=250&Fields=*"),
            format!("{path}?AppKey={key}&Size=250&Facets=Brand&Facets=Category&Facets=Price&Currency=GBP"),
        ],
        "/api/autocomplete" => vec![format!("{path}?AppKey={key}&Query=s&Size=20")],
        "/api/similar" => vec![format!("{path}?AppKey={key}&Id={}&Size=100", worst.ids[0])],
        "/api/track" => vec![format!("{path}?appid={key}&evt=product_view&id={}&visitorid=", worst.ids[0])],
        _ => vec![path.to_owned()],
    }
}

/// Deltas of as many rows, ids and memberships as fit.
fn deltas(worst: &Worst) -> Vec<Value> {
    let unknown: Vec<_> = (0..DELTA_BYTES / 9).map(|number| format!("u{number:05}")).collect();
    let again = vec!["u"; DELTA_BYTES / 4];
    let ids = |of: &str| (0..100).map(|number| format!("{of}-{number}")).collect::<Vec<_>>();
    let small: Vec<_> = (0..DELTA_BYTES / 12).map(|number| json!({ "Id": number })).collect();
    let children: Vec<_> =
        (0..1_000).map(|number| json!({"Id": number, "AssociatedSkus": vec!["c"; 50]})).collect();
    let people: Vec<_> =
        (0..6_000).map(|number| json!({"UserId": number, "Email": format!("{number}@p.example")})).collect();
    let known: Vec<_> = worst.ids.iter().take(DELTA_BYTES / 20).collect();
    vec![
        json!({"DeleteProducts": unknown}),
        json!({"DeleteProducts": again}),
        json!({"SetCategoryOnProducts": [{"CategoryId": ids("category"), "ProductIds": ids("product")}]}),
        json!({"Products": small}),
        json!({"Products": children}),
        json!({"Users": people}),
        json!({"DeleteProducts": known}),
        json!({"Products": [{"Id": "phones", "Title": "t", "Description": "+1-(1)".repeat(40_000)}]}),
    ]
}

fn events(worst: &Worst) -> Vec<Value> {
    let look = |number: usize| json!({"Name": "product_view", "Product": worst.ids[number], "UserId": format!("w{number}")});
    let lines: Vec<_> =
        worst.ids.iter().take(500).map(|id| json!({"Product": id, "Quantity": 1, "UnitPrice": 5})).collect();
    let order = |number: usize| json!({"Name": "order", "Order": format!("w-{number}"), "UserId": "w", "Items": lines});
    vec![
        json!({"Events": (0..200).map(look).collect::<Vec<_>>()}),
        json!({"Events": (0..8).map(order).collect::<Vec<_>>()}),
    ]
}

/// Calls of a plugin: zones of all pages, events, and a search.
fn calls(worst: &Worst) -> Vec<Value> {
    let pages = ["HP", "PP", "PL", "SR", "BP", "OC", "AC", "CP", "SP"];
    let zones = pages.iter().flat_map(|page| (1..=4).map(move |zone| format!("{page}-0{zone}")));
    let data = json!({"product_id": worst.ids[0], "category_id": "1"});
    let zones: Vec<_> = zones.map(|id| json!({"id": id, "data": data})).collect();
    let looks: Vec<_> =
        worst.ids.iter().take(50).map(|id| json!({"name": "product_view", "data": {"id": id}})).collect();
    let viewed: Vec<_> = worst.ids.iter().take(1_000).collect();
    vec![
        json!({"zones": vec![1; 1_000_000]}),
        json!({"zones": zones, "viewed": viewed, "events": looks, "fields": ["*"]}),
        json!({"search": {"query": WORDS.join(" "), "size": 250}, "fields": ["*"]}),
        json!({"search": {"query": "widest", "size": 250}, "fields": ["*"]}),
    ]
}

fn searches(worst: &Worst, path: &str) -> Vec<Value> {
    let id = &worst.ids[0];
    let facets = ["Brand", "Category", "Price", "InStock", "NewArrival", "OnOffer"];
    let long = "oak table lamp ".repeat(1_090);
    let values: Vec<_> = worst.ids.iter().take(200).collect();
    match path {
        "/api/autocomplete" => vec![json!({"Query": "s", "Size": 20}), json!({"Query": long, "Size": 20})],
        "/api/similar" => vec![json!({"Id": id, "Size": 100, "Currency": "GBP"})],
        _ => vec![
            json!({"Id": id, "Query": WORDS.join(" "), "Size": 250, "Explain": true}),
            json!({"Id": id, "Query": WORDS.join(" "), "Size": 50, "Explain": true, "Facets": facets, "Currency": "GBP"}),
            json!({"Id": id, "Query": "widest", "Size": 250, "Fields": ["*"], "Highlight": true}),
            json!({"Id": id, "Size": 250, "Facets": facets, "Sort": "title", "Currency": "GBP"}),
            json!({"Id": id, "Query": long, "Size": 250, "Fields": ["*"]}),
            json!({"Id": id, "Query": "oka tabel lmap wlanut", "Size": 250, "Filters": {"Brand": values}}),
        ],
    }
}

fn recommendations(worst: &Worst) -> Vec<Value> {
    let ids = |from: usize| worst.ids.iter().skip(from).take(1_000).collect::<Vec<_>>();
    let names = ["for_you", "also_viewed", "bought_together", "similar", "trending", "best_sellers"];
    let asked = |name: &&str| {
        json!({"Recommender": name, "Items": ids(0), "Exclude": ids(2_000), "Basket": ids(1_000), "Size": 100,
            "Diversity": {"Brand": 1}, "Fields": ["*"], "Product": worst.ids[0]})
    };
    names.iter().map(asked).collect()
}

fn rules(path: &str) -> Vec<Value> {
    let rule = |number: usize| {
        json!({"Id": format!("r{number}"), "Query": format!("oak {number}"), "Pin": [number.to_string()],
            "Boost": {"Brand": ["acme"], "By": 30}})
    };
    let all = |count: usize| (0..count).map(rule).collect::<Vec<_>>();
    match path {
        "/api/rules/set" | "/api/rules/preview" => vec![
            json!({"Rules": all(RULES), "Query": WORDS.join(" "), "Size": 250, "Fields": ["*"]}),
            json!({"Rules": all(RULES * 2), "Query": "widest", "Size": 250, "Fields": ["*"]}),
            json!({"Rules": all(50), "Query": "widest", "Size": 250, "Fields": ["*"]}),
        ],
        _ => vec![json!({})],
    }
}

fn campaigns(worst: &Worst, path: &str) -> Vec<Value> {
    let html = "<p>oak</p>".repeat(180);
    let campaign =
        |number: usize| json!({"Id": format!("c{number}"), "Zone": "HP-01", "Html": html, "Share": 1});
    let shown = |number: usize| {
        json!({"Id": format!("s{number}"), "Zone": "HP-01", "Share": 1,
            "ProductsShown": {"Recommender": "similar", "Size": 50, "Min": 50, "Filters": {"Brand": ["none"]}}})
    };
    match path {
        "/api/zones/set" | "/api/zones/preview" => vec![
            json!({"Zone": "HP-01", "Campaigns": (0..CAMPAIGNS).map(campaign).collect::<Vec<_>>()}),
            json!({"Zone": "HP-01", "Product": worst.ids[0], "Viewed": worst.ids.iter().take(1_000).collect::<Vec<_>>(),
                "Campaigns": (0..CAMPAIGNS).map(shown).collect::<Vec<_>>()}),
        ],
        _ => vec![json!({})],
    }
}

/// Questions about submissions, the live catalogue, and shoppers' events.
fn questions(worst: &Worst, path: &str) -> Vec<Value> {
    let text = "oak table lamp ".repeat(80);
    match path {
        "/api/deltastatus" | "/api/productdeltastatus" | "/api/productfeedstatus" => {
            vec![json!({"Tokens": worst.deltas})]
        }
        "/api/submissions" => {
            vec![json!({"Tokens": &worst.deltas[..50]}), json!({"Kind": "feed", "State": "failed"})]
        }
        "/api/deltas" => vec![json!({}), json!({"State": "failed"})],
        "/api/issues" => {
            vec![json!({"Token": worst.faulty}), json!({"Token": worst.faulty, "Format": "csv"})]
        }
        "/api/submission/events" => vec![json!({"Token": worst.deltas[0]})],
        "/api/feed/difference" | "/api/feed/publish" | "/api/feed/cancel" => {
            vec![json!({"Token": worst.feed})]
        }
        "/api/snapshots/compare" => {
            vec![json!({"From": worst.first_snapshot, "To": worst.last_snapshot, "Section": "Products"})]
        }
        "/api/snapshots/back" => vec![json!({"Number": worst.first_snapshot})],
        "/api/erasure" | "/api/erasure/certificate" => vec![json!({"Erasure": worst.erasure})],
        "/api/erasure/reference" => {
            // Five that differ: one that comes again is left out.
            let references = ["1", "2", "3", "4", "5"].map(|digit| digit.repeat(64)).join(",");
            vec![json!({"Erasure": worst.erasure, "Reference": references})]
        }
        "/api/product" | "/api/product/why" => ["wide-0", &worst.ids[0]].map(|id| json!({"Id": id})).into(),
        "/api/catalogue" => vec![json!({"Limit": 200}), json!({"Limit": 200, "From": "wid"})],
        "/api/quality" => vec![json!({"Rows": 1000, "Queries": vec![&text; 50]})],
        "/api/report" => ["zones", "search", "missed", "quality", "days"]
            .map(|kind| json!({"Report": kind, "From": "2026-01-01", "Until": "2026-12-31", "Size": 10_000}))
            .into(),
        "/api/plugin/feedback" => vec![json!({"Feedback": "f".repeat(60_000), "Platform": "p"})],
        _ => vec![json!({})],
    }
}
