//! Unknown names of members: the operations that refuse a misspelt one, and their answer.

use std::collections::BTreeSet;

use serde_json::json;

use crate::support::openapi::{list_body_members, list_operations};
use crate::support::paths::{
    ERASURE_PATHS, PERSON_PATHS, PLUGIN_PATHS, SEARCH_PATHS, SUBMISSION_PATHS, WEBHOOK_PATHS,
};
use crate::support::world::{Reply, Shop, World, on_both_engines};

on_both_engines! {
    a_misspelt_name_is_refused_with_the_one_that_is_meant
    what_is_personal_or_secret_stands_in_no_address
    a_number_too_large_or_what_is_nested_too_deep_is_told
}

/// Operations that refuse a misspelt name.
const HINTS: [&[&str]; 2] = [
    &SEARCH_PATHS,
    &[
        "/api/erasure/reference",
        "/api/rules",
        "/api/rules/set",
        "/api/rules/undo",
        "/api/rules/preview",
        "/api/rules/history",
        "/api/zones",
        "/api/zones/set",
        "/api/zones/undo",
        "/api/zones/preview",
        "/api/zones/history",
    ],
];

/// Operations that pass over whatever they do not know: clients that were written for others send more.
const TOLERANT: [&[&str]; 7] = [
    &PERSON_PATHS,
    &SUBMISSION_PATHS,
    &ERASURE_PATHS,
    &WEBHOOK_PATHS,
    &PLUGIN_PATHS,
    &[
        "/api/productfeed",
        "/api/delta",
        "/api/productdelta",
        "/api/events",
        "/api/serverside",
        "/api/track",
        "/api/product",
        "/api/product/why",
        "/api/catalogue",
        "/api/account",
    ],
    &NO_MEMBERS,
];

/// Operations without members of their own: they take a file, or nothing, or are closed.
const NO_MEMBERS: [&str; 9] = [
    "/",
    "/health",
    "/ready",
    "/metrics",
    "/feed-create",
    "/feed-append",
    "/feed-close",
    "/api/plugin/signuprequest",
    "/api/plugin/signupstatus",
];

/// Names of the credentials and of the shopper.
const OF_ALL: [&str; 10] = [
    "AccessKey",
    "AppKey",
    "AppId",
    "SecretKey",
    "Secret",
    "UserToken",
    "AccountId",
    "GroupId",
    "SessionId",
    "VisitorId",
];

fn is_of_all(name: &str) -> bool {
    OF_ALL.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Sentence about a name that is like a known one.
fn hint(name: &str, meant: &str) -> String {
    format!("{name} is not a member of this request; did you mean {meant}?")
}

/// Names of one edit, or the plural, of a name.
fn misspelt(name: &str) -> Vec<String> {
    let plural = name.strip_suffix('s').map_or_else(|| format!("{name}s"), str::to_owned);
    let (first, rest) = name.split_at(2);
    let doubled = format!("{first}{}{rest}", &first[1..]);
    let mut all = vec![plural];
    all.extend((name.len() >= 4).then_some(doubled));
    all
}

async fn ask_with(world: &World, shop: &Shop, path: &str, name: &str) -> Reply {
    let body = json!({"AppKey": shop.key, "SecretKey": shop.secret, name: 1});
    world.post(path, &body).await
}

#[test]
fn every_operation_gives_hints_or_is_tolerant() {
    let documented: BTreeSet<_> = list_operations().map(|(_, path, _)| path).collect();
    let listed: Vec<_> = HINTS.iter().chain(&TOLERANT).copied().flatten().copied().collect();
    for path in &documented {
        let times = listed.iter().filter(|listed| *listed == path).count();
        assert_eq!(times, 1, "{path} has to be in one list: it gives hints, or is tolerant");
    }
    assert_eq!(listed.len(), documented.len(), "an operation is listed that is not there");
}

async fn a_misspelt_name_is_refused_with_the_one_that_is_meant(world: World) {
    let shop = world.shop("one").await;
    for (_, path, operation) in list_operations().filter(|(method, ..)| *method == "post") {
        let Some(members) = list_body_members(operation) else { continue };
        let gives_hints = HINTS.iter().any(|paths| paths.contains(&path));
        let shows_secret = members.iter().any(|name| is_of_all(name));
        let own = members.iter().filter(|name| !is_of_all(name));
        for (name, sent) in own.flat_map(|name| misspelt(name).into_iter().map(move |sent| (name, sent))) {
            if gives_hints {
                let sentence = ask_with(&world, &shop, path, &sent).await.expect_refusal(400);
                assert_eq!(sentence, hint(&sent, name), "{path}");
            }
        }
        if gives_hints {
            let sentence = ask_with(&world, &shop, path, "Secrets").await.expect_refusal(400);
            assert_eq!(sentence, hint("Secrets", "Secret"), "{path}");
        }
        let passed = if gives_hints { "utm_source" } else { "Filter" };
        if shows_secret && path != "/api/plugin/delete" {
            let reply = ask_with(&world, &shop, path, passed).await;
            let is_refused = reply.status == 400 && reply.text.contains("did you mean");
            assert!(!is_refused, "{path}: {}", reply.text);
        }
    }
    // In an address too; what other programs add to addresses is passed over.
    for (path, query, name, meant) in [
        ("/api/search", "q=shoe", "q", "Query"),
        ("/api/search", "filter=1", "filter", "Filters"),
        ("/api/search", "Query=a&Sizes=2", "Sizes", "Size"),
        ("/api/autocomplete", "Quer=a", "Quer", "Query"),
        ("/api/similar", "Id=1&Curency=EUR", "Curency", "Currency"),
    ] {
        let reply = world.get(&format!("{path}?AppKey={}&{query}", shop.key)).await;
        assert_eq!(reply.expect_refusal(400), hint(name, meant), "{path}");
    }
    let others = "utm_source=mail&_=17&gclid=x&fbclid=y";
    for path in ["/api/search", "/api/autocomplete", "/api/similar"] {
        let reply = world.get(&format!("{path}?AppKey={}&Query=a&Id=1&{others}", shop.key)).await;
        assert_ne!(reply.status, 400, "{}", reply.text);
    }
    // A caller without keys learns nothing of names.
    let reply = world.post("/api/search", &json!({"AppKey": "nobody", "Filter": 1})).await;
    assert!(!reply.expect_refusal(403).contains("did you mean"));
}

async fn what_is_personal_or_secret_stands_in_no_address(world: World) {
    let shop = world.shop("one").await;
    let names =
        ["SecretKey", "Secret", "UserToken", "UserId", "AccountId", "GroupId", "VisitorId", "SessionId"];
    for path in ["/api/search", "/api/autocomplete", "/api/similar"] {
        for name in names {
            for spelt in [name.to_owned(), name.to_lowercase(), name.to_uppercase()] {
                let reply =
                    world.get(&format!("{path}?AppKey={}&Query=a&Id=1&{spelt}=canary", shop.key)).await;
                let expected =
                    format!("{name} is not taken in an address, which logs keep: send it with POST");
                assert_eq!(reply.expect_refusal(400), expected, "{path} {spelt}");
            }
        }
    }
}

async fn a_number_too_large_or_what_is_nested_too_deep_is_told(world: World) {
    let shop = crate::support::events::open_shop(&world, 1).await;
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for (path, name) in [
        ("/api/search", "Filters"),
        ("/api/recommend", "Filters"),
        ("/api/recommend", "Diversity"),
        ("/api/rules/set", "Rules"),
        ("/api/rules/preview", "Rules"),
        ("/api/zones/set", "Campaigns"),
        ("/api/zones/preview", "Campaigns"),
    ] {
        for value in ["[1e400]", "[{\"Priority\":-1e999}]", &deep] {
            let keys = format!("\"AppKey\":\"{}\",\"SecretKey\":\"{}\"", shop.key, shop.secret);
            let body = format!("{{{keys},\"Zone\":\"HP-01\",\"{name}\":{value}}}")
                .replace("\"Zone\":\"HP-01\",", zone(path));
            let sentence = world.post_bytes(path, body).await.expect_refusal(400);
            assert!(sentence.starts_with(&format!("{name} holds a number beyond")), "{path}: {sentence}");
        }
    }
    // Any other member is read as it is.
    let body = format!("{{\"AppKey\":\"{}\",\"Query\":\"a\",\"other\":1e400,\"more\":{deep}}}", shop.key);
    assert_ne!(world.post_bytes("/api/search", body).await.status, 500);
}

fn zone(path: &str) -> &'static str {
    if path == "/api/zones/preview" { "\"Zone\":\"HP-01\"," } else { "" }
}
