//! Redirects that are followed, and what later hops learn.

use super::scripted::{SECRET, Server, door, fetch, found, lasting, ok, status};
use crate::outbound::{FeedUrl, Fetched, Validators};

/// Redirects `/n-…` to `/n-1-…` and answers `/0-…`.
async fn countdown() -> Server {
    Server::new(|request| {
        let hops: usize = request.split(['/', '-']).nth(1).and_then(|text| text.parse().ok()).unwrap();
        match hops {
            0 => ok("", b"{}"),
            _ => found(&format!("{}-{SECRET}", hops - 1)),
        }
    })
    .await
}

#[tokio::test]
async fn five_relative_redirects_are_followed_and_the_sixth_is_not() {
    let server = countdown().await;
    assert_eq!(fetch(&door(), &server.url("5")).await.unwrap(), b"{}");
    assert_eq!(server.requests().len(), 6);
    let reason = lasting(fetch(&door(), &server.url("6")).await);
    assert_eq!(reason, "the feed is redirected more than 5 times");
    assert_eq!(server.requests().len(), 12);
}

#[tokio::test]
async fn all_five_redirect_statuses_are_followed_and_no_other() {
    for line in ["301 A", "302 A", "303 A", "307 A", "308 A"] {
        let server = Server::new(move |request| {
            if request.starts_with("GET /end") { ok("", b"{}") } else { status(line, "Location: /end\r\n") }
        })
        .await;
        assert_eq!(fetch(&door(), &server.url("feed")).await.unwrap(), b"{}", "{line}");
    }
    for line in ["300 A", "305 A", "306 A"] {
        let server = Server::new(move |_| status(line, "Location: /end\r\n")).await;
        lasting(fetch(&door(), &server.url("feed")).await);
        assert_eq!(server.requests().len(), 1, "{line}");
    }
}

#[tokio::test]
async fn a_circle_is_noticed_at_its_first_repetition() {
    let server =
        Server::new(|request| found(if request.starts_with("GET /a") { "/b" } else { "/a#again" })).await;
    let reason = lasting(fetch(&door(), &format!("http://{}/a", server.address)).await);
    assert_eq!(reason, "the feed is redirected in a circle");
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_redirect_without_a_usable_target_is_refused() {
    let server = Server::new(|_| status("302 Found", "")).await;
    assert_eq!(lasting(fetch(&door(), &server.url("feed")).await), "the feed is redirected to nowhere");
    for target in ["ftp://shop.test/", "http://user:CANARY@127.0.0.1/", "file:///etc/passwd", "http://"] {
        let server = Server::new(move |_| found(target)).await;
        let reason = lasting(fetch(&door(), &server.url("feed")).await);
        assert_eq!(reason, "the feed is redirected to a URL that is not allowed", "{target}");
    }
}

#[tokio::test]
async fn a_redirect_tells_the_next_server_nothing_about_the_first() {
    let last = Server::new(|_| ok("ETag: \"other\"\r\n", b"{}")).await;
    let target = format!("http://{}/plain", last.address);
    let first = Server::new(move |_| {
        status("302 Found", &format!("Location: {target}\r\nSet-Cookie: session={SECRET}\r\n"))
    })
    .await;
    let door = door();
    let url = FeedUrl::parse(&first.url("feed"), door.policy()).ok().unwrap();
    let known = Validators { etag: Some("\"CANARY\"".to_owned()), last_modified: Some(SECRET.to_owned()) };
    let Ok(Fetched::Body(body)) = door.fetch_feed(&url, &known).await else { panic!("no body") };
    assert!(body.validators == Validators::default());
    let request = last.requests()[0].to_lowercase();
    for header in
        ["referer", "authorization", "cookie", "if-none-match", "if-modified-since", "origin", "canary"]
    {
        assert!(!request.contains(header), "{header} in {request}");
    }
    assert!(first.requests()[0].contains("\"CANARY\""));
}

#[tokio::test]
async fn from_https_only_https_is_followed() {
    let door = door();
    let secure = FeedUrl::parse("https://127.0.0.1:8443/feed", door.policy()).ok().unwrap();
    let plain = FeedUrl::parse("http://127.0.0.1:8080/feed", door.policy()).ok().unwrap();
    let refusal = lasting(door.next_hop(Some("http://127.0.0.1:8443/feed"), std::slice::from_ref(&secure)));
    assert_eq!(refusal, "the feed is redirected from https to http");
    assert!(door.next_hop(Some("//127.0.0.1/feed"), &[secure]).ok().unwrap().is_https());
    assert!(
        door.next_hop(Some("https://127.0.0.1/feed"), std::slice::from_ref(&plain)).ok().unwrap().is_https()
    );
    // Nor back to http where the way began with it.
    let secure = FeedUrl::parse("https://127.0.0.1:8443/feed", door.policy()).ok().unwrap();
    let refusal = lasting(door.next_hop(Some("http://127.0.0.1:8080/other"), &[plain, secure]));
    assert_eq!(refusal, "the feed is redirected from https to http");
}
