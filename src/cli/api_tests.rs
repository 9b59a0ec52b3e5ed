//! Addresses of servers, bodies of requests, and what answers.

use serde_json::json;

use super::*;

#[test]
fn an_address_of_a_server_is_told_from_what_is_none() {
    for (text, url) in [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("https://lethe.example/shop/", "https://lethe.example/shop"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
    ] {
        assert_eq!(server_url(text).ok().as_deref(), Some(url), "{text}");
    }
    for (text, why) in [
        ("127.0.0.1:8080", "(127.0.0.1:8080) does not begin with http"),
        ("localhost:8080", "(localhost:8080) does not begin with http"),
        ("ftp://lethe.example", "does not begin with http"),
        ("http://", "is not the address of a server"),
        ("http://lethe.example:99999", "is not the address of a server"),
        ("http://ann:canary@lethe.example", "LETHE_URL holds a user name"),
        ("http://lethe.example/?x", "`?` or `#`"),
        ("\u{1b}[2J", "(·[2J)"),
    ] {
        let fault = server_url(text).err().map(|fault| fault.to_string()).unwrap_or_default();
        assert!(fault.contains(why) && fault.contains("Set LETHE_URL"), "{text}: {fault}");
        assert!(!fault.contains("canary"), "{fault}");
    }
}

#[test]
fn what_answers_is_lethe_unless_it_leads_elsewhere_or_shows_a_page_or_gives_no_reason() {
    let redirect = "a redirect, which is not followed because the keys go with every request";
    for (status, answer, what) in [
        (200, json!({}), None),
        (200, json!("OK"), None),
        (200, json!(" \n<html>"), Some("a web page")),
        (299, json!([]), None),
        (302, json!("<html>"), Some(redirect)),
        (400, json!({"Error": "x"}), None),
        (400, json!({"Error": 7}), Some("without a sentence")),
        (404, json!("<html>"), Some("a web page")),
        (503, json!("busy"), Some("without a sentence")),
    ] {
        let status = StatusCode::from_u16(status).expect("a status");
        let reply = Reply { status, answer, feed_token: None, erasure_id: None };
        assert_eq!(foreign(&reply), what, "{status} {}", reply.answer);
    }
}

#[test]
fn the_text_of_a_body_is_kept_as_it_is() {
    let owner = owner("a");
    assert_eq!(with_members(&owner, "{}"), r#"{"Account":"a"}"#);
    assert_eq!(with_members(&owner, " { \"x\":1e400 }\n"), "{\"Account\":\"a\", \"x\":1e400 }\n");
}
