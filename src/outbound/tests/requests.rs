//! The request as a server sees it, and the meaning of answers without a feed.

use std::process::Command;
use std::time::Duration;

use super::scripted::{Server, door, fetch, lasting, ok, status, transient};
use crate::outbound::{FaultKind, FeedUrl, Fetched, Validators};

const PROXY_CHILD: &str = "LETHE_TEST_PROXY_CHILD";

#[tokio::test]
async fn a_request_says_who_asks_and_nothing_else() {
    let server = Server::new(|_| ok("", b"{}")).await;
    fetch(&door(), &server.url("feed")).await.unwrap();
    let request = server.requests().remove(0);
    let mut lines: Vec<_> = request.trim_end().lines().skip(1).collect();
    lines.sort_unstable();
    let host = format!("host: {}", server.address);
    let agent = format!("user-agent: lethe/{}", env!("CARGO_PKG_VERSION"));
    assert_eq!(lines, ["accept-encoding: gzip, zstd, identity", "accept: */*", &host, &agent]);
}

#[tokio::test]
async fn known_validators_make_the_request_conditional_and_304_is_unmodified() {
    let server = Server::new(|request| {
        if request.contains("if-none-match: \"v1\"") {
            status("304 Not Modified", "")
        } else {
            ok("ETag: \"v1\"\r\nLast-Modified: Sat, 21 Nov 2026 12:00:00 GMT\r\n", b"{}")
        }
    })
    .await;
    let door = door();
    let url = FeedUrl::parse(&server.url("feed"), door.policy()).ok().unwrap();
    let Ok(Fetched::Body(body)) = door.fetch_feed(&url, &Validators::default()).await else {
        panic!("no body")
    };
    assert_eq!(body.validators.etag.as_deref(), Some("\"v1\""));
    assert!(matches!(door.fetch_feed(&url, &body.validators).await, Ok(Fetched::NotModified)));
    assert!(server.requests()[1].contains("if-modified-since: Sat, 21 Nov 2026 12:00:00 GMT"));
}

#[tokio::test]
async fn a_304_that_was_not_asked_for_is_a_fault() {
    let server = Server::new(|_| status("304 Not Modified", "")).await;
    let reason = lasting(fetch(&door(), &server.url("feed")).await);
    assert_eq!(reason, "the feed's server answered with status 304");
}

#[tokio::test]
async fn statuses_without_a_feed_are_told_apart_by_whether_they_may_heal() {
    for line in ["500 A", "503 A", "403 CANARY", "404 A", "408 A", "425 A", "429 A"] {
        let server = Server::new(move |_| status(line, "X: CANARY\r\n")).await;
        transient(fetch(&door(), &server.url("feed")).await);
    }
    for line in ["201 A", "204 A", "206 A", "400 A", "401 CANARY", "410 A", "416 A"] {
        let server = Server::new(move |_| status(line, "X: CANARY\r\n")).await;
        lasting(fetch(&door(), &server.url("feed")).await);
    }
}

#[tokio::test]
async fn the_wish_to_be_left_alone_is_passed_on() {
    let server = Server::new(|_| status("429 Slow down", "Retry-After: 7\r\n")).await;
    let fault = fetch(&door(), &server.url("feed")).await.err().unwrap();
    assert_eq!(fault.kind, FaultKind::Transient { retry_after: Some(Duration::from_secs(7)) });
}

/// The environment of a process cannot be changed safely while it runs, so a child of this very test has it.
#[tokio::test]
async fn a_proxy_in_the_environment_is_ignored() {
    if let Ok(url) = std::env::var(PROXY_CHILD) {
        assert_eq!(fetch(&door(), &url).await.unwrap(), b"{}");
        return;
    }
    let shop = Server::new(|_| ok("", b"{}")).await;
    let proxy = Server::new(|_| ok("", b"stolen")).await;
    let name = concat!(module_path!(), "::a_proxy_in_the_environment_is_ignored");
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", name.split_once("::").unwrap().1]).env(PROXY_CHILD, shop.url("feed"));
    for variable in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        child.env(variable, format!("http://{}", proxy.address));
    }
    child.env_remove("NO_PROXY").env_remove("no_proxy").env_remove("REQUEST_METHOD");
    let output = tokio::task::spawn_blocking(move || child.output()).await.unwrap().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!((shop.requests().len(), proxy.requests().len()), (1, 0));
}
