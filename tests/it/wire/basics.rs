//! The interface on the wire: names, credentials, refusals, limits.

use lethe::store::StoreFault;
use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::world::{METRICS_TOKEN, Reply, Shop, World, on_both_engines};

on_both_engines! {
    the_four_operations_answer_as_documented
    every_name_of_a_credential_is_understood
    a_name_given_twice_is_refused_unless_the_values_are_equal
    a_missing_or_mistyped_field_is_named_and_never_quoted
    a_body_that_is_not_one_json_object_is_refused
    a_wrong_method_type_or_address_is_told_what_is_right
    a_body_that_is_too_large_is_refused_also_when_only_announced
    tokens_are_answered_one_by_one_in_their_order
    a_thousand_tokens_are_answered_and_one_more_is_refused
    an_expired_token_is_as_unknown_as_a_foreign_one
    wrong_credentials_of_every_kind_get_one_and_the_same_answer
    a_bad_value_is_told_only_to_who_has_the_keys
    an_identifier_nobody_can_have_is_refused_without_being_quoted
    a_feed_address_that_is_never_fetched_is_refused_at_once
    no_value_of_a_request_is_in_any_refusal
    whatever_bytes_are_sent_no_answer_is_a_fault
    whatever_form_is_sent_no_answer_is_a_fault_or_quotes_it
    readiness_and_metrics_are_told_to_the_operator
    the_document_is_sent_once_to_who_keeps_it
    a_head_that_says_what_is_not_understood_is_refused
    a_field_that_stands_twice_is_named
    a_byte_order_mark_before_the_object_is_no_fault
    where_no_secret_is_needed_none_is_spoken_of
    several_submissions_are_shown_by_their_tokens
}

const OPERATIONS: [&str; 17] = [
    "/api/user/forget",
    "/api/deltastatus",
    "/api/productfeed",
    "/api/productfeedstatus",
    "/api/delta",
    "/api/productdelta",
    "/api/productdeltastatus",
    "/api/product",
    "/api/product/why",
    "/api/catalogue",
    "/api/issues",
    "/api/submission/events",
    "/api/plugin/validate-account",
    "/api/plugin/dashboard",
    "/api/plugin/feedback",
    "/api/plugin/delete",
    "/api/next-steps/complete",
];

/// Operations whose body of [`body_for`] asks for a missing thing.
const UNKNOWN: [&str; 4] = ["/api/product", "/api/product/why", "/api/issues", "/api/submission/events"];

const ACCEPTED: &str = "The request was submitted successfully";
const TOKEN: &str = "6f9619ff-8b86-4011-b42d-00c04fc964ff";

/// A body that every operation takes, except for the credentials.
fn body_for(path: &str) -> Value {
    match path {
        "/api/user/forget" => json!({"Identifier": "ada@shop.test"}),
        "/api/productfeed" => json!({"url": "http://127.0.0.1:9/feed.json"}),
        "/api/delta" | "/api/productdelta" => json!({"Products": []}),
        "/api/product" | "/api/product/why" => json!({"Id": "1"}),
        "/api/catalogue" => json!({}),
        "/api/issues" | "/api/submission/events" => json!({"Token": TOKEN}),
        _ => json!({"Tokens": [TOKEN]}),
    }
}

async fn the_four_operations_answer_as_documented(world: World) {
    let shop = world.shop("one").await;
    let feed =
        world.feeds.serve("/f", [crate::support::feed_server::Answer::ok(r#"{"Products":[{"Id":"1"}]}"#)]);
    let forget = json!({"AccessKey": shop.key, "SecretKey": shop.secret, "Identifier": "ada@shop.test"});
    let submit = json!({"appKey": shop.key, "secretKey": shop.secret, "url": feed});
    for (path, body) in [("/api/user/forget", &forget), ("/api/productfeed", &submit)] {
        let reply = world.post(path, body).await;
        assert_eq!((reply.status, reply.text.as_str()), (200, ACCEPTED));
        assert_eq!(reply.header("content-type"), "text/plain; charset=utf-8");
        let request = world.request("POST", path).header("content-type", "application/json; charset=utf-8");
        let request = request.header("accept", "application/json").body(body.to_string());
        let reply = world.send(request).await;
        assert_eq!((reply.status, reply.json()), (200, ACCEPTED.into()));
        assert_eq!(reply.header("content-type"), "application/json");
    }
    let token = world.feed(&shop, &feed).await;
    let question = json!({"AppKey": shop.key, "Tokens": [token]});
    let reply = world.post("/api/productfeedstatus", &question).await;
    assert_eq!(reply.json(), json!([{"Token": token, "Status": "Processing"}]));
    world.run_all_jobs().await;
    let reply = world.post("/api/productfeedstatus", &question).await;
    assert_eq!(reply.json(), json!([{"Token": token, "Status": "Complete"}]));
    let delta =
        json!({"AppKey": shop.key, "Secret": shop.secret, "Products": [{"Id": "2"}], "DeleteProducts": []});
    let reply = world.post("/api/delta", &delta).await;
    assert_eq!((reply.status, reply.json().as_object().expect("an object").len()), (200, 1));
    let token = reply.json()["Token"].as_str().expect("a token").to_owned();
    assert!(uuid::Uuid::parse_str(&token).is_ok());
    let question = json!({"AppKey": shop.key, "SecretKey": shop.secret, "Tokens": [token]});
    for path in ["/api/deltastatus", "/api/productdeltastatus"] {
        let reply = world.post(path, &question).await;
        assert_eq!((reply.status, reply.json()), (200, json!([{"Token": token, "Status": 0}])));
        assert_eq!(reply.header("content-type"), "application/json");
    }
    world.run_all_jobs().await;
    let reply = world.post("/api/deltastatus", &question).await;
    assert_eq!(reply.json(), json!([{"Token": token, "Status": 1}]));
}

async fn every_name_of_a_credential_is_understood(world: World) {
    let shop = world.shop("one").await;
    for path in OPERATIONS {
        for key in ["AccessKey", "AppKey", "appKey", "accessKey", "appkey", "appId", "appid", "ACCESSKEY"] {
            for secret in ["SecretKey", "secretKey", "Secret", "secret"] {
                let mut body = body_for(path);
                body[key] = shop.key.as_str().into();
                body[secret] = shop.secret.as_str().into();
                let status = world.post(path, &body).await.status;
                let fine = if UNKNOWN.contains(&path) { 404 } else { 200 };
                assert_eq!(status, fine, "{path} {key} {secret}");
            }
        }
    }
}

async fn a_name_given_twice_is_refused_unless_the_values_are_equal(world: World) {
    let Shop { key, secret, .. } = world.shop("one").await;
    let ask = async |fields: &str| {
        let body = format!(r#"{{"SecretKey":"{secret}","Tokens":[],{fields}}}"#);
        world.post_bytes("/api/deltastatus", body).await
    };
    assert_eq!(ask(&format!(r#""AppKey":"{key}","AccessKey":"{key}""#)).await.status, 200);
    assert_eq!(ask(&format!(r#""AppKey":"{key}","tokens":[ ]"#)).await.status, 200);
    for fields in [
        format!(r#""AppKey":"{key}","AccessKey":"other""#),
        format!(r#""AppKey":"{key}","AppKey":"{key}""#),
        format!(r#""AppKey":"{key}","tokens":["x"]"#),
        format!(r#""AppKey":"{key}","secret":"other""#),
    ] {
        ask(&fields).await.expect_refusal(400);
    }
    let delta = format!(r#"{{"AppKey":"{key}","SecretKey":"{secret}","Products":[],"products":[]}}"#);
    world.post_bytes("/api/delta", delta).await.expect_refusal(400);
}

async fn a_missing_or_mistyped_field_is_named_and_never_quoted(world: World) {
    let shop = world.shop("one").await;
    for (path, field) in [
        ("/api/user/forget", "Identifier"),
        ("/api/productfeed", "url"),
        ("/api/deltastatus", "Tokens"),
        ("/api/productfeedstatus", "Tokens"),
    ] {
        for wrong in [json!(4242), json!({"a": "canary"}), json!(["canary", 7]), json!(true), json!(null)] {
            let mut body = body_for(path);
            body[field] = wrong;
            let sentence = world.ask(&shop, path, body).await.expect_refusal(400);
            assert!(sentence.contains(field), "{sentence}");
            assert!(!sentence.contains("canary") && !sentence.contains("4242"), "{sentence}");
        }
        let sentence = world.ask(&shop, path, json!({})).await.expect_refusal(400);
        assert!(sentence.contains(field) && sentence.contains("missing"), "{sentence}");
        let mut body = body_for(path);
        body["SecretKey"] = shop.secret.as_str().into();
        world.post(path, &body).await.expect_refusal(400);
        body["AppKey"] = json!(7);
        world.post(path, &body).await.expect_refusal(400);
    }
    for wrong in [json!(7), json!("text"), json!(true)] {
        world.ask(&shop, "/api/delta", json!({"Products": wrong})).await.expect_refusal(400);
    }
    world.ask(&shop, "/api/delta", json!({"Categories": []})).await.expect_refusal(400);
}

async fn a_body_that_is_not_one_json_object_is_refused(world: World) {
    let deep = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
    let deep_field = format!(r#"{{"AppKey":{deep}}}"#);
    let many: Vec<_> = (0..65).map(|n| format!(r#""f{n}":1"#)).collect();
    let many = format!("{{{}}}", many.join(","));
    let told = world.post_bytes("/api/delta", many.clone()).await.expect_refusal(400);
    assert!(told.contains("more than 64 fields"), "{told}");
    for body in [
        b"".to_vec(),
        b"null".to_vec(),
        b"[]".to_vec(),
        b"7".to_vec(),
        b"{".to_vec(),
        b"{}{}".to_vec(),
        b"{} x".to_vec(),
        b"{'AppKey':1}".to_vec(),
        b"{\"AppKey\":1,}".to_vec(),
        b"{\"AppKey\":\"\xff\"}".to_vec(),
        b"{\"AppKey\":\"\\ud800\"}".to_vec(),
        b"{\"\\ud800\":1}".to_vec(),
        b"{\"AppKey\":\"\\u0000\",\"Identifier\":\"x\",\"url\":\"x\",\"Tokens\":[],\"Id\":\"x\"}".to_vec(),
        b"{\"AppKey\":1e400}".to_vec(),
        b"AppKey=1&SecretKey=2".to_vec(),
        deep.into_bytes(),
        deep_field.into_bytes(),
        many.into_bytes(),
    ] {
        for path in OPERATIONS {
            world.post_bytes(path, body.clone()).await.expect_refusal(400);
        }
    }
}

async fn a_wrong_method_type_or_address_is_told_what_is_right(world: World) {
    for path in OPERATIONS {
        for method in ["GET", "PUT", "DELETE", "PATCH"] {
            let reply = world.send(world.request(method, path)).await;
            reply.expect_refusal(405);
            assert_eq!(reply.header("allow"), "POST");
        }
        for content_type in ["application/x-www-form-urlencoded", "text/plain", "text/json", ""] {
            let request = world.request("POST", path).header("content-type", content_type).body("a=1");
            world.send(request).await.expect_refusal(415);
        }
        world.send(world.request("POST", path).body("{}")).await.expect_refusal(415);
    }
    let reply = world.send(world.request("PUT", "/health")).await;
    reply.expect_refusal(405);
    assert_eq!(reply.header("allow"), "GET,HEAD");
    for path in ["/api", "/api/user/forget/x", "/control/account/list", "/control/key/rotate"] {
        world.post(path, &json!({})).await.expect_refusal(404);
        world.get(path).await.expect_refusal(404);
    }
}

async fn a_body_that_is_too_large_is_refused_also_when_only_announced(world: World) {
    let shop = world.shop("one").await;
    let sized = |bytes: usize| {
        let start = format!(r#"{{"AppKey":"{}","SecretKey":"{}","x":""#, shop.key, shop.secret);
        format!("{start}{}\"}}", "a".repeat(bytes - start.len() - 2))
    };
    assert_eq!(world.post_bytes("/api/delta", sized(256_000)).await.status, 200);
    world.post_bytes("/api/delta", sized(256_001)).await.expect_refusal(413);
    // The rest is not read, so the connection says that it ends; a request after it would be lost.
    let large = world.post_bytes("/api/delta", sized(1_000_000)).await;
    large.expect_refusal(413);
    assert_eq!(large.header("connection"), "close");
    assert_eq!(world.post_bytes("/api/delta", sized(1_000)).await.status, 200);
    world.post_bytes("/api/user/forget", sized(70_000)).await.expect_refusal(413);
    // In pieces, without saying how many bytes there are.
    let pieces = tokio_util::io::ReaderStream::new(std::io::Cursor::new(sized(256_001)));
    world.post_bytes("/api/delta", reqwest::Body::wrap_stream(pieces)).await.expect_refusal(413);
    let address = world.url("").replace("http://", "");
    let mut stream = tokio::net::TcpStream::connect(address).await.expect("a connection");
    let head = "POST /api/delta HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
                Content-Length: 99999999999\r\n\r\n{";
    stream.write_all(head.as_bytes()).await.expect("sent");
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).await.expect("an answer before the body");
    assert_eq!(&answer, b"HTTP/1.1 413");
}

/// Answer to these bytes.
async fn raw(world: &World, request: &[u8]) -> String {
    let address = world.url("").replace("http://", "");
    let mut stream = tokio::net::TcpStream::connect(address).await.expect("a connection");
    stream.write_all(request).await.expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("an answer");
    String::from_utf8_lossy(&answer).into_owned()
}

async fn tokens_are_answered_one_by_one_in_their_order(world: World) {
    let one = world.shop("one").await;
    let other = world.shop("other").await;
    let a = world.delta(&one, json!({})).await;
    let b = world.delta(&one, json!({})).await;
    let foreign = world.delta(&other, json!({})).await;
    world.run_all_jobs().await;
    let shouted = a.to_uppercase();
    let tokens = [&b, &a, &foreign, &shouted, "no guid", "", TOKEN, &a, &a.replace('-', "")];
    let answer = world.ask_json(&one, "/api/deltastatus", json!({"Tokens": tokens})).await;
    let items = answer.as_array().expect("items");
    let echoed: Vec<_> = items.iter().map(|item| item["Token"].as_str().expect("a token")).collect();
    assert_eq!(echoed, tokens);
    let statuses: Vec<_> = items.iter().map(|item| item["Status"].as_i64().expect("a status")).collect();
    assert_eq!(statuses, [1, 1, 2, 1, 2, 2, 2, 1, 2]);
    let reasons: BTreeSet<_> = items.iter().map(|item| item["Reason"].to_string()).collect();
    assert_eq!(reasons.len(), 2, "one sentence for unknown, foreign and malformed: {reasons:?}");
    // A delta's token means nothing to the question about feeds.
    let feeds =
        world.post("/api/productfeedstatus", &json!({"AppKey": one.key, "Tokens": tokens})).await.json();
    for (item, token) in feeds.as_array().expect("items").iter().zip(tokens) {
        assert_eq!(*item, json!({"Token": token, "Status": "Error", "Error": "The token is not known"}));
    }
    let none = world.ask_json(&one, "/api/deltastatus", json!({"Tokens": []})).await;
    assert_eq!(none, json!([]));
}

async fn a_thousand_tokens_are_answered_and_one_more_is_refused(world: World) {
    let shop = world.shop("one").await;
    let known = world.delta(&shop, json!({})).await;
    world.run_all_jobs().await;
    let mut tokens: Vec<_> = (0..999).map(|_| uuid::Uuid::new_v4().to_string()).collect();
    tokens.push(known.clone());
    let answer = world.ask_json(&shop, "/api/deltastatus", json!({"Tokens": tokens})).await;
    assert_eq!(answer.as_array().map(Vec::len), Some(1000));
    assert_eq!(answer[999], json!({"Token": known, "Status": 1}));
    tokens.push(known);
    world.ask(&shop, "/api/deltastatus", json!({"Tokens": tokens})).await.expect_refusal(400);
    world.ask(&shop, "/api/productfeedstatus", json!({"Tokens": tokens})).await.expect_refusal(400);
}

async fn an_expired_token_is_as_unknown_as_a_foreign_one(world: World) {
    let shop = world.shop("one").await;
    let token = world.delta(&shop, json!({"Products": [{}]})).await;
    world.run_all_jobs().await;
    world.clock.advance(std::time::Duration::from_secs(30 * 24 * 3600 + 1));
    let now = world.clock.now();
    let store = &world.node().store;
    let expired = store.read(move |tx| lethe::submissions::list_expired(tx, now)).await.expect("expired");
    let [(account, seq)] = expired[..] else { panic!("{expired:?}") };
    let removed = store.write(account, move |tx| lethe::submissions::expire(tx, account, &[seq])).await;
    removed.map_err(|fault: StoreFault| fault).expect("removed");
    assert_eq!(world.delta_status(&shop, &token).await, json!([2, "The token is not known"]));
    world.ask(&shop, "/api/issues", json!({"Token": token})).await.expect_refusal(404);
}

/// All of an answer that a client can tell apart.
fn summarize_reply(reply: &Reply) -> (u16, String, Vec<(String, usize)>) {
    let mut headers: Vec<_> =
        reply.headers.iter().map(|(name, value)| (name.to_string(), value.len())).collect();
    headers.sort();
    (reply.status, reply.text.clone(), headers)
}

async fn wrong_credentials_of_every_kind_get_one_and_the_same_answer(world: World) {
    let one = world.shop("one").await;
    let other = world.shop("other").await;
    world.control("/control/key/revoke", json!({"Name": "other", "Number": 1})).await;
    let long = "x".repeat(10_000);
    let pairs = [
        (one.key.as_str(), "wrong"),
        (one.key.as_str(), ""),
        (one.key.as_str(), long.as_str()),
        (one.key.as_str(), other.secret.as_str()),
        (other.key.as_str(), one.secret.as_str()),
        (other.key.as_str(), other.secret.as_str()),
        ("nobody-has-this-key", one.secret.as_str()),
        ("", ""),
        (long.as_str(), one.secret.as_str()),
    ];
    let mut answers = BTreeSet::new();
    for path in ["/api/user/forget", "/api/deltastatus", "/api/productfeed", "/api/delta"] {
        for (key, secret) in pairs {
            let mut body = body_for(path);
            body["AppKey"] = key.into();
            body["SecretKey"] = secret.into();
            let reply = world.post(path, &body).await;
            reply.expect_refusal(403);
            answers.insert(summarize_reply(&reply));
        }
    }
    assert_eq!(answers.len(), 1, "{answers:?}");
}

async fn where_no_secret_is_needed_none_is_spoken_of(world: World) {
    let shop = world.shop("one").await;
    let long = "x".repeat(10_000);
    let mut answers = BTreeSet::new();
    for path in ["/api/productfeedstatus", "/api/productdeltastatus", "/api/next-steps/complete"] {
        for key in ["nobody-has-this-key", "", long.as_str()] {
            let reply = world.post(path, &json!({"AppKey": key, "Tokens": []})).await;
            let sentence = reply.expect_refusal(403);
            assert!(
                sentence.contains("access key is not known") && sentence.contains("no secret"),
                "{sentence}"
            );
            answers.insert(summarize_reply(&reply));
        }
        assert_eq!(world.post(path, &json!({"AppKey": shop.key, "Tokens": []})).await.status, 200, "{path}");
    }
    assert_eq!(answers.len(), 1, "{answers:?}");
}

async fn a_field_that_stands_twice_is_named(world: World) {
    let shop = world.shop("one").await;
    let ask = async |name: &str| {
        let body = format!(r#"{{"AppKey":"{}","{name}":1,"{name}":2}}"#, shop.key);
        world.post_bytes("/api/delta", body).await.expect_refusal(400)
    };
    assert_eq!(ask("Products").await, "The body of the request has the field Products twice");
    let long = ask(&"x".repeat(1000)).await;
    assert_eq!(long, format!("The body of the request has the field {}… twice", "x".repeat(40)));
    // The name commands nothing, and may be about a person.
    assert_eq!(ask("a\\u001b[2J\u{202e}").await, "The body of the request has the field a·[2J· twice");
    assert_eq!(ask("ada@shop.test").await, "The body of the request has a field twice");
    let form = |body: &str| {
        let request = world.request("POST", "/feed-create");
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        world.send(request.body(body.to_owned()))
    };
    let told = form("feedName=product-1&feedName=product-2").await.expect_refusal(400);
    assert!(told.contains("the field feedName twice"), "{told}");
    let told = form("payLoad=a&canary=1&canary=2").await.expect_refusal(400);
    assert!(told.contains("twice") && !told.contains("canary"), "{told}");
}

async fn a_byte_order_mark_before_the_object_is_no_fault(world: World) {
    let shop = world.shop("one").await;
    let body = json!({"AppKey": shop.key, "SecretKey": shop.secret, "Products": []}).to_string();
    assert_eq!(world.post_bytes("/api/delta", format!("\u{feff}{body}")).await.status, 200);
    // A large body, whose keys are looked for before it is whole.
    let large = body.replace("[]", &format!("[{{\"Id\":\"1\",\"Title\":\"{}\"}}]", "x".repeat(100_000)));
    assert_eq!(world.post_bytes("/api/delta", format!("\u{feff}{large}")).await.status, 200);
    for no_object in [format!("\u{feff}\u{feff}{body}"), "\u{feff}".to_owned(), format!(" \u{feff}{body}")] {
        world.post_bytes("/api/delta", no_object).await.expect_refusal(400);
    }
}

async fn several_submissions_are_shown_by_their_tokens(world: World) {
    let one = world.shop("one").await;
    let other = world.shop("other").await;
    let a = world.delta(&one, json!({})).await;
    let b = world.delta(&one, json!({})).await;
    let foreign = world.delta(&other, json!({})).await;
    let tokens = [b.as_str(), "no guid", &foreign, TOKEN, &a.to_uppercase()];
    let shown = world.ask_json(&one, "/api/submissions", json!({"Tokens": tokens})).await;
    let shown: Vec<_> = shown.as_array().expect("items").iter().map(|item| item["Token"].clone()).collect();
    assert_eq!(shown, [b.as_str(), a.as_str()]);
    assert_eq!(world.ask_json(&one, "/api/submissions", json!({"Tokens": []})).await, json!([]));
    let all = world.ask_json(&one, "/api/submissions", json!({"Tokens": null})).await;
    assert_eq!(all.as_array().map(Vec::len), Some(2));
    for wrong in [json!(7), json!([7]), json!(vec!["x"; 51])] {
        let told = world.ask(&one, "/api/submissions", json!({"Tokens": wrong})).await.expect_refusal(400);
        assert!(told.contains("Tokens"), "{told}");
    }
}

async fn a_bad_value_is_told_only_to_who_has_the_keys(world: World) {
    let shop = world.shop("one").await;
    let other = world.shop("other").await;
    let stranger = Shop { secret: other.secret.clone(), ..shop.clone() };
    let tokens = vec!["x"; 1001];
    for (path, values) in [
        ("/api/deltastatus", json!({"Tokens": tokens})),
        ("/api/submissions", json!({"Token": "x"})),
        ("/api/issues", json!({"Token": "x", "From": "y"})),
        ("/api/product", json!({"Id": "x", "Section": "Users"})),
        ("/api/catalogue", json!({"Section": "Users"})),
        ("/api/catalogue", json!({"Limit": 201})),
        ("/api/productfeed", json!({"url": "x"})),
        ("/api/user/forget", json!({"Identifier": "@"})),
        ("/api/user/held", json!({"Identifier": 7})),
        ("/api/delta", json!({"Products": 7})),
        ("/api/productfeed", json!({"url": "https://feeds.test/a.json", "Token": 7})),
        ("/api/product", json!({"Id": 7})),
        ("/api/product/why", json!({"Id": 7})),
        ("/api/feed/publish", json!({"Token": 7})),
        ("/api/feed/cancel", json!({"Token": 7})),
        ("/api/feed/difference", json!({"Token": 7})),
        ("/api/snapshots", json!({"Section": 7})),
        ("/api/snapshots/compare", json!({"From": "x"})),
        ("/api/snapshots/back", json!({"Number": "x"})),
        ("/api/erasures", json!({"Before": "x"})),
        ("/api/erasure", json!({"Erasure": 7})),
    ] {
        let told = world.ask(&stranger, path, values.clone()).await.expect_refusal(403);
        assert!(told.contains("key"), "{path}: {told}");
        if path != "/api/submissions" {
            world.ask(&shop, path, values).await.expect_refusal(400);
        }
    }
    let question = json!({"AppKey": "nobody-has-this-key", "Tokens": tokens});
    world.post("/api/productfeedstatus", &question).await.expect_refusal(403);
}

async fn an_identifier_nobody_can_have_is_refused_without_being_quoted(world: World) {
    let shop = world.shop("one").await;
    let long = format!("canary{}", "x".repeat(10_000));
    for identifier in [
        long.as_str(),
        "",
        "  ",
        "0",
        "-1",
        "null",
        "guest",
        "canary\u{0}",
        "can\nary",
        "@canary",
        "canary@",
        "userid:",
        "userid:0",
        "accid:\u{7}canary",
    ] {
        let sentence =
            world.ask(&shop, "/api/user/forget", json!({"Identifier": identifier})).await.expect_refusal(400);
        assert!(!sentence.contains("canary"), "{sentence}");
        assert!(sentence.contains("dentifier"), "{sentence}");
    }
    assert_eq!(
        world
            .node()
            .store
            .read(|tx| tx.row(&crate::support::world::SUPPRESSED, lethe::args![1]))
            .await
            .expect("a count")
            .expect("a row")
            .int("counted")
            .expect("a number"),
        0
    );
}

async fn a_feed_address_that_is_never_fetched_is_refused_at_once(world: World) {
    let shop = world.shop("one").await;
    for url in [
        "feed.json",
        "//host.test/f",
        "ftp://host.test/canary",
        "file:///canary",
        "javascript:canary",
        "http://canary:canary@host.test/",
        "http://10.0.0.1/canary",
        "http://169.254.169.254/canary",
        "http://[::1]/canary",
        "http://[fe80::1]/canary",
        "http://192.168.0.1/canary",
        "http://93.184.216.34:22/canary",
        "http://host.test/\ncanary",
        "",
    ] {
        let sentence = world.ask(&shop, "/api/productfeed", json!({"url": url})).await.expect_refusal(400);
        assert!(!sentence.contains("canary"), "{sentence}");
    }
    let long = format!("http://host.test/{}", "a".repeat(3000));
    world.ask(&shop, "/api/productfeed", json!({"url": long})).await.expect_refusal(400);
}

async fn no_value_of_a_request_is_in_any_refusal(world: World) {
    let shop = world.shop("one").await;
    let values = [json!("canary"), json!(["canary"]), json!({"canary": "canary"}), json!("canary@x.test")];
    let names = [
        "AppKey",
        "SecretKey",
        "Tokens",
        "Token",
        "Identifier",
        "url",
        "Products",
        "Users",
        "From",
        "Limit",
        "Section",
        "Id",
    ];
    for path in OPERATIONS {
        for name in names {
            for value in &values {
                let mut body = body_for(path);
                body["AppKey"] = shop.key.as_str().into();
                body["SecretKey"] = shop.secret.as_str().into();
                body[name] = value.clone();
                let reply = world.post(path, &body).await;
                assert!(reply.status < 500, "{path} {name}: {}", reply.text);
                if reply.status != 200 {
                    assert!(!reply.text.contains("canary"), "{path} {name}: {}", reply.text);
                }
            }
        }
    }
}

async fn whatever_bytes_are_sent_no_answer_is_a_fault(world: World) {
    let shop = world.shop("one").await;
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 1,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let edit = (any::<prop::sample::Index>(), any::<u8>(), 0..3_u8);
    let edits = prop::collection::vec(edit, 0..4);
    let arbitrary = prop::collection::vec(any::<u8>(), 0..200);
    let awkward = prop::sample::select(vec![
        "\\u0000",
        "\\ud800",
        "1e400",
        "[[[[",
        "{\"Id\":null}",
        "\"",
        "-",
        "\u{feff}",
        "NaN",
        ",,",
        "\\",
    ]);
    let strategy = (0..OPERATIONS.len(), prop::option::weighted(0.2, arbitrary), edits, awkward);
    for case in 0..300 {
        let tree = strategy.new_tree(&mut runner).expect("a case");
        let (operation, arbitrary, edits, awkward) = tree.current();
        let path = OPERATIONS[operation];
        let mut body = body_for(path);
        body["AppKey"] = shop.key.as_str().into();
        body["SecretKey"] = shop.secret.as_str().into();
        if path.ends_with("delta") {
            body["Users"] = json!([{"UserId": "7", "Email": "a@b.test"}]);
            body["DeleteProducts"] = json!([1, "x", null]);
            body["SetCategoryOnProducts"] = json!([{"CategoryId": "1", "ProductIds": [1]}]);
            body["AccountPrices"] = json!([{"AccountId": "a", "Id": "1", "Prices": ["1 GBP"]}]);
        }
        let mut bytes = arbitrary.unwrap_or_else(|| body.to_string().into_bytes());
        for (place, byte, what) in edits {
            if bytes.is_empty() {
                break;
            }
            let at = place.index(bytes.len());
            match what {
                0 => bytes[at] = byte,
                1 => drop(bytes.remove(at)),
                _ => drop(bytes.splice(at..at, awkward.bytes())),
            }
        }
        let reply = world.post_bytes(path, bytes.clone()).await;
        assert!(reply.status < 500, "case {case} {path}: {}", String::from_utf8_lossy(&bytes));
        if reply.status != 200 {
            reply.expect_refusal(reply.status);
        }
    }
    world.run_all_jobs().await;
    // Accepted rows are done, not stuck after a row that cannot be stored.
    world.apply_delta(&shop, json!({"Products": [{"Id": "last", "Title": "Last"}]})).await;
}

/// An arbitrary form of an upload: fields of awkward values, and bytes that were changed on their way.
fn a_form(shop: &Shop) -> impl Strategy<Value = (usize, Vec<u8>)> + use<> {
    let keys = format!("accessKey={}&secretKey={}", shop.key, shop.secret);
    let name =
        prop::sample::select(vec!["product-1", "user-canary", "canary", "", "%00canary", "product-%ff", "%"]);
    let payload =
        prop::sample::select(vec!["", "canary", "%7B%22canary%22%3A", "%5B%5B%5B", "%1f%8b", "%zz", "+&="]);
    let extra =
        prop::sample::select(vec!["", "&feedName=canary", "&SECRETKEY=canary", "&canary", "&&=&", "&a=%"]);
    let edits = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3);
    (0..3_usize, name, payload, extra, edits).prop_map(move |(operation, name, payload, extra, edits)| {
        let mut form = format!("{keys}&feedName={name}&payLoad={payload}{extra}").into_bytes();
        for (place, byte) in edits {
            let at = place.index(form.len());
            form[at] = byte;
        }
        (operation, form)
    })
}

async fn whatever_form_is_sent_no_answer_is_a_fault_or_quotes_it(world: World) {
    let shop = world.shop("one").await;
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let strategy = a_form(&shop);
    for case in 0..300 {
        let (operation, form) = strategy.new_tree(&mut runner).expect("a case").current();
        let path = ["/feed-create", "/feed-append", "/feed-close"][operation];
        let request = world.request("POST", path).header("content-type", "application/x-www-form-urlencoded");
        let reply = world.send(request.body(form.clone())).await;
        let sent = String::from_utf8_lossy(&form);
        assert!(reply.status < 500, "case {case} {path}: {sent}");
        if reply.status != 200 {
            reply.expect_refusal(reply.status);
            assert!(!reply.text.contains("canary"), "case {case} {path}: {sent}: {}", reply.text);
        }
    }
    world.run_all_jobs().await;
    world.apply_delta(&shop, json!({"Products": [{"Id": "last", "Title": "Last"}]})).await;
}

async fn readiness_and_metrics_are_told_to_the_operator(world: World) {
    let shop = world.shop("secret-shop-name").await;
    world.delta(&shop, json!({})).await;
    assert_eq!(world.get("/health").await.text, "OK");
    let ready = world.get("/ready").await;
    assert_eq!((ready.status, &ready.json()["Ready"]), (200, &json!(true)));
    let metrics = world.get("/metrics").await;
    assert_eq!(metrics.status, 200);
    assert!(metrics.text.contains("lethe_waiting{kind=\"delta\"} 1"), "{}", metrics.text);
    world.run_all_jobs().await;
    let later = world.get("/metrics").await;
    assert!(later.text.contains("lethe_waiting{kind=\"delta\"} 0"), "{}", later.text);
    assert!(metrics.text.contains("lethe_share_all{of=\"request_memory\"}"), "{}", metrics.text);
    for text in [&ready.text, &metrics.text] {
        assert!(!text.contains(&shop.key), "{text}");
    }
    assert!(later.text.contains("lethe_subjects{account=\"secret-shop-name\"} 0"), "{}", later.text);
    // Anybody else learns whether it is ready, and nothing of how much there is.
    let ready = world.send(world.request("GET", "/ready")).await;
    assert_eq!((ready.status, ready.text.as_str()), (200, ""));
    let metrics = world.send(world.request("GET", "/metrics")).await;
    assert_eq!(metrics.status, 401);
    for path in ["/ready", "/metrics"] {
        for wrong in ["wrong", "", &METRICS_TOKEN[1..]] {
            let reply = world.send(world.request("GET", path).bearer_auth(wrong)).await;
            assert_eq!(reply.status, 401, "{path} {wrong}: {}", reply.text);
            assert!(!reply.text.contains(&shop.name));
        }
    }
    assert_eq!(world.subjects(&shop).await, 0);
}

async fn the_document_is_sent_once_to_who_keeps_it(world: World) {
    let first = world.get("/openapi.json").await;
    let tag = first.headers["etag"].to_str().expect("a tag").to_owned();
    assert!(first.json()["paths"]["/api/delta"].is_object());
    let asking = |known: String| world.request("GET", "/openapi.json").header("if-none-match", known);
    let again = world.send(asking(format!("\"other\", {tag}"))).await;
    assert_eq!((again.status, again.text.as_str()), (304, ""));
    assert_eq!(again.headers["etag"], tag.as_str());
    assert_eq!(world.send(asking("\"other\"".to_owned())).await.text, first.text);
}

async fn a_head_that_says_what_is_not_understood_is_refused(world: World) {
    let shop = world.shop("one").await;
    let body = json!({"AccessKey": shop.key, "SecretKey": shop.secret, "Products": []}).to_string();
    let length = format!("Content-Length: {}", body.len());
    let chunk = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    for (heads, body, status) in [
        (vec!["Host: l", &length], &body, 200),
        (vec!["Host: l", "Transfer-Encoding: chunked"], &chunk, 200),
        (vec!["Host: l", &length, "Content-Encoding: identity"], &body, 200),
        (vec![length.as_str()], &body, 400),
        (vec!["Host: l", "Host: l", &length], &body, 400),
        (vec!["Host: l", "Transfer-Encoding: gzip, chunked"], &chunk, 400),
        (vec!["Host: l", &length, "Content-Encoding: gzip"], &body, 415),
    ] {
        let heads = heads.join("\r\n");
        let request = format!(
            "POST /api/delta HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json\r\n{heads}\r\n\r\n{body}"
        );
        let answer = raw(&world, request.as_bytes()).await;
        let first = answer.lines().next().unwrap_or_default();
        assert!(first.starts_with(&format!("HTTP/1.1 {status}")), "{heads}: {answer}");
    }
}

#[test]
fn the_document_lists_exactly_the_routes() {
    let document = serde_json::to_value(lethe::api::documented::openapi()).expect("a document");
    let listed: BTreeSet<_> = document["paths"].as_object().expect("paths").keys().cloned().collect();
    let declared: BTreeSet<_> = crate::support::sources::sources()
        .into_iter()
        .filter(|(name, _)| name.starts_with("api/"))
        .flat_map(|(_, text)| {
            let paths = text.match_indices("#[utoipa::path(").map(|(at, _)| {
                let rest = &text[at..];
                let path = rest.split("path = \"").nth(1).expect("a path");
                path.split('"').next().expect("its end").to_owned()
            });
            paths.collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(listed, declared, "every operation with a description is routed, and nothing else");
    for path in OPERATIONS.iter().filter(|path| **path != "/api/productdelta") {
        assert!(listed.contains(*path), "{path}");
    }
    assert!(listed.iter().all(|path| !path.starts_with("/control")));
}
