//! Accepted and refused forms of a submitted URL.

use super::scripted::trusting;
use crate::outbound::{AddressPolicy, FeedUrl, FeedUrlRefusal};

fn refusal(text: &str) -> Option<FeedUrlRefusal> {
    FeedUrl::parse(text, &AddressPolicy::default()).err()
}

#[test]
fn an_ordinary_url_is_accepted_and_kept_as_it_is() {
    for text in [
        "https://shop.example/feed.json?token=a%20b",
        "http://shop.example:8080/",
        "https://93.184.215.14/feed.json.gz",
        "https://[2a00:1450:4001:82a::200e]:8443/feed",
    ] {
        let url = FeedUrl::parse(text, &AddressPolicy::default()).ok().unwrap();
        assert_eq!(url.expose(), text);
    }
}

#[test]
fn a_fragment_and_surrounding_spaces_are_dropped() {
    let url = FeedUrl::parse(" https://shop.example/f#part ", &AddressPolicy::default()).ok().unwrap();
    assert_eq!(url.expose(), "https://shop.example/f");
}

#[test]
fn what_is_shown_of_a_url_is_its_host_only() {
    let url =
        FeedUrl::parse("https://shop.example:8443/a/b?token=1", &AddressPolicy::default()).ok().unwrap();
    assert_eq!(url.to_string(), "https://shop.example/…");
}

#[test]
fn a_url_that_breaks_a_rule_is_refused_with_that_rule() {
    use FeedUrlRefusal::{ControlCharacter, EmptyHost, Malformed, Relative, Scheme, UserInfo};
    for (text, rule) in [
        ("", Relative),
        ("feed.json", Relative),
        ("/feed.json", Relative),
        ("//shop.example/feed.json", Relative),
        ("ftp://shop.example/feed.json", Scheme),
        ("file:///etc/passwd", Scheme),
        ("gopher://shop.example/", Scheme),
        ("data:application/json,{}", Scheme),
        ("https://user@shop.example/", UserInfo),
        ("https://user:word@shop.example/", UserInfo),
        ("https://:word@shop.example/", UserInfo),
        ("https://", EmptyHost),
        ("https://?feed", EmptyHost),
        ("https://shop.example:99999/", Malformed),
        ("https://[::1/", Malformed),
        ("https://300.1.1.1/", Malformed),
        ("https://shop example/", Malformed),
        ("https://shop.example/a\tb", ControlCharacter),
        ("https://shop.example/\r\nHost: other", ControlCharacter),
        ("https://shop.example/\u{0}", ControlCharacter),
        ("https://shop.example/\u{85}", ControlCharacter),
    ] {
        assert_eq!(refusal(text), Some(rule), "{text}");
    }
}

#[test]
fn a_url_is_too_long_as_sent_or_once_percent_encoded() {
    let path = |letter: &str, count| format!("https://shop.example/{}", letter.repeat(count));
    assert_eq!(refusal(&path("a", 2048 - 21)), None);
    assert_eq!(refusal(&path("a", 2048 - 20)), Some(FeedUrlRefusal::TooLong));
    assert_eq!(refusal(&path("ü", 500)), Some(FeedUrlRefusal::TooLong));
}

#[test]
fn an_unusual_port_is_refused_and_the_allowed_ones_are_named() {
    let port = refusal("https://shop.example:8081/").unwrap();
    assert_eq!(port.to_string(), "the URL's port is not allowed: use one of 80, 443, 8080, 8443");
    assert_eq!(refusal("http://93.184.215.14:22/"), Some(port));
}

#[test]
fn with_a_trusted_network_a_name_may_have_any_port_but_a_public_address_may_not() {
    let policy = trusting("10.1.0.0/16");
    let refusal = |text| FeedUrl::parse(text, &policy).err();
    assert_eq!(refusal("http://shop.local:9000/"), None);
    assert_eq!(refusal("http://10.1.2.3:9000/"), None);
    assert_eq!(refusal("http://[::ffff:10.1.2.3]:9000/"), None);
    assert_eq!(refusal("http://10.2.2.3/"), Some(FeedUrlRefusal::Address));
    assert!(matches!(refusal("http://93.184.215.14:9000/"), Some(FeedUrlRefusal::Port { .. })));
}

#[test]
fn no_refusal_quotes_the_url() {
    for text in [
        "CANARY",
        "CANARY://h",
        "http://CANARY:1/",
        "http://CANARY@h/",
        "http://[CANARY",
        "http://127.0.0.1/CANARY",
    ] {
        let refusal = refusal(text).unwrap();
        assert!(!format!("{refusal} {refusal:?}").to_uppercase().contains("CANARY"), "{refusal}");
    }
}
