//! Compression of answers: only those that hold nothing of a person are compressed.

use std::io::Read;

use flate2::read::GzDecoder;
use lethe::limits;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use crate::support::events::{open_shop, post_view};
use crate::support::openapi::list_operations;
use crate::support::plugin::start_visit;
use crate::support::world::{Shop, World, on_both_engines, plain_client};

on_both_engines! {
    what_pages_ask_is_compressed_when_it_is_large
    nothing_that_names_somebody_is_compressed
    every_route_is_compressed_or_is_not
    the_script_has_a_tag_of_each_form
}

/// Operations that pages use without saying who they are. The answers of every other operation are not compressed.
const PACKED: [&str; 4] = ["/api/search", "/api/autocomplete", "/api/similar", "/api/recommend"];

/// Sends a request of a client that reads gzip; gives the head and the bytes of the answer.
async fn send_for_gzip(request: reqwest::RequestBuilder) -> (HeaderMap, Vec<u8>) {
    let answer = request.header("accept-encoding", "gzip, br").send().await.expect("an answer");
    let headers = answer.headers().clone();
    (headers, answer.bytes().await.expect("bytes").to_vec())
}

async fn post_packed(world: &World, path: &str, body: &Value) -> (HeaderMap, Vec<u8>) {
    let request = world.request("POST", path).header("content-type", "application/json");
    send_for_gzip(request.body(body.to_string())).await
}

fn is_packed(headers: &HeaderMap) -> bool {
    headers.get("content-encoding").is_some_and(|coding| coding == "gzip")
}

fn varies(headers: &HeaderMap) -> Vec<&str> {
    headers.get_all("vary").iter().filter_map(|line| line.to_str().ok()).collect()
}

fn unpack_json(bytes: &[u8]) -> Value {
    let mut text = String::new();
    GzDecoder::new(bytes).read_to_string(&mut text).expect("gzip");
    serde_json::from_str(&text).expect("JSON")
}

/// A shop whose index is there, and a body for each operation that pages ask.
async fn shop(world: &World) -> (Shop, Value) {
    let shop = open_shop(world, 40).await;
    world.ask(&shop, "/api/recommend", json!({})).await;
    let body = json!({"AppKey": shop.key, "Query": "thing", "Id": "p1"});
    assert_eq!(world.post("/api/similar", &json!({"AppKey": shop.key, "Id": "p1"})).await.status, 200);
    (shop, body)
}

async fn what_pages_ask_is_compressed_when_it_is_large(world: World) {
    let (_, body) = shop(&world).await;
    let mut large = 0;
    for path in PACKED {
        let mut plain = world.post(path, &body).await;
        let (headers, bytes) = post_packed(&world, path, &body).await;
        let is_large = plain.text.len() >= limits::PACKED_ANSWER_MIN_BYTES;
        assert_eq!(is_packed(&headers), is_large, "{path}: {}", plain.text.len());
        // A cache has to keep the two apart, also where it holds the other one.
        for varied in [varies(&plain.headers), varies(&headers)] {
            assert_eq!(varied, ["accept-encoding", "origin"], "{path}");
        }
        if is_large {
            large += 1;
            assert!(bytes.len() * 2 < plain.text.len(), "{path}");
            let mut answer = unpack_json(&bytes);
            answer["TookMicros"] = plain.json()["TookMicros"].clone();
            plain.text = answer.to_string();
            assert_eq!(world.post(path, &body).await.json()["Items"], plain.json()["Items"], "{path}");
        }
    }
    assert!(large >= 2, "{large} of them are large");
    let mut small = body;
    small["Size"] = 1.into();
    assert!(!is_packed(&post_packed(&world, "/api/search", &small).await.0), "it would weigh more");
}

async fn nothing_that_names_somebody_is_compressed(world: World) {
    let (shop, body) = shop(&world).await;
    let session = post_view(&world, &shop, json!({"UserId": "anna"}), "p2").await;
    for (name, value) in [
        ("SecretKey", shop.secret.as_str()),
        ("Secret", &shop.secret),
        ("secretkey", &shop.secret),
        ("UserToken", "no.token"),
        ("SessionId", &session),
        ("sessionid", &session),
        ("AccountId", "a-1"),
        ("GroupId", "8"),
        ("UserId", "anna"),
        ("VisitorId", "a-visitor"),
    ] {
        for path in PACKED {
            let mut named = body.clone();
            named[name] = value.into();
            let (headers, _) = post_packed(&world, path, &named).await;
            assert!(!is_packed(&headers), "{path} with {name}");
        }
    }
    // The answer to a page's events holds the number of the browser.
    let number = start_visit(&world, &shop).await;
    let page = json!({"appId": shop.key, "visitorId": number, "zones": ["HP-01", "HP-02"], "search": {"query": "thing"}});
    let (headers, bytes) = post_packed(&world, "/api/serverside", &page).await;
    assert!(bytes.len() > limits::PACKED_ANSWER_MIN_BYTES && !is_packed(&headers));
    assert!(!varies(&headers).contains(&"accept-encoding"));
}

async fn every_route_is_compressed_or_is_not(world: World) {
    let (shop, body) = shop(&world).await;
    let mut keys = body.clone();
    keys["SecretKey"] = shop.secret.as_str().into();
    for (method, path, _) in list_operations() {
        // The keys are needed for the others.
        if path == "/api/plugin/delete" {
            continue;
        }
        let may_be = PACKED.contains(&path);
        let (headers, bytes) = if method == "get" {
            let query =
                format!("AppKey={}&appid={}&evt=page_view&Query=thing&Id=p1&Size=20", shop.key, shop.key);
            send_for_gzip(world.request("GET", &format!("{path}?{query}"))).await
        } else {
            post_packed(&world, path, if may_be { &body } else { &keys }).await
        };
        let is_small = bytes.len() < limits::PACKED_ANSWER_MIN_BYTES;
        assert!(
            if may_be { is_packed(&headers) || is_small } else { !is_packed(&headers) },
            "{method} {path}"
        );
    }
    let page =
        ["/docs", "/docs/style.css", "/openapi.json", "/docs/errors", "/docs/errors/busy", "/docs/issues"];
    for path in page {
        assert!(!is_packed(&send_for_gzip(world.request("GET", path)).await.0), "{path}");
    }
    let script = format!("/{}/cs.js", shop.key);
    assert!(is_packed(&send_for_gzip(world.request("GET", &script)).await.0));
    // The operator's view.
    let console = plain_client();
    for path in ["/", "/sign-in", "/files/console.css"] {
        assert!(!is_packed(&send_for_gzip(console.get(world.page(path))).await.0), "{path}");
    }
}

async fn the_script_has_a_tag_of_each_form(world: World) {
    let shop = open_shop(&world, 1).await;
    let path = format!("/{}/cs.js", shop.key);
    let of = async |accepted: &str, known: &str| {
        let request = world.request("GET", &path).header("accept-encoding", accepted);
        let answer = request.header("if-none-match", known).send().await.expect("an answer");
        let tag = answer.headers()["etag"].to_str().expect("a tag").to_owned();
        (answer.status().as_u16(), tag)
    };
    let (_, plain) = of("identity", "none").await;
    let (_, packed) = of("gzip", "none").await;
    assert_ne!(plain, packed, "they are other bytes");
    assert_eq!(of("gzip", &packed).await, (304, packed.clone()));
    assert_eq!(of("gzip", &format!("W/{packed}")).await.0, 304);
    assert_eq!(of("identity", &plain).await, (304, plain.clone()));
    assert_eq!(of("identity", &packed).await.0, 200);
    assert_eq!(of("gzip;q=0", &plain).await.0, 304);
}
