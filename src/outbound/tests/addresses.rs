//! No spelling of a private address is ever connected to: as submitted, by name, or by redirect.

use std::sync::Arc;

use super::scripted::{Answer, Script, Server, fetch, found, lasting, ok, transient, trusting};
use crate::outbound::{AddressPolicy, FeedUrl, FeedUrlRefusal, FetchLimits, Outbound};

/// Hosts that lead to the machine itself, its neighbours, or the cloud's metadata.
const DANGEROUS_HOSTS: [&str; 62] = [
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "127.0.0.1.",
    "127.255.255.254",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0X7F.0.0.1",
    "0177.0.0.1",
    "017700000001",
    "①②⑦.⓪.⓪.①",
    "１２７.０.０.１",
    "127。0。0。1",
    "%31%32%37.0.0.1",
    "0",
    "0x0",
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "012.0.0.1",
    "100.64.0.1",
    "100.127.255.255",
    "169.254.169.254",
    "169.254.170.2",
    "0xa9fea9fe",
    "2852039166",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "3232235521",
    "192.0.0.170",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "168.63.129.16",
    "[::]",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::ffff:169.254.169.254]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::7f00:1]",
    "[100::1]",
    "[2001::7f00:1]",
    "[2001:db8::1]",
    "[2002:7f00:1::]",
    "[3ffe::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "[ff02::1]",
];

/// A forbidden server, and a policy whose ports would allow it.
async fn canary() -> (Server, AddressPolicy) {
    let server = Server::new(|_| ok("", b"{}")).await;
    let ports = vec![80, 443, server.address.port()];
    (server, AddressPolicy { ports, ..AddressPolicy::default() })
}

#[tokio::test]
async fn every_spelling_of_a_dangerous_address_is_refused_at_submission() {
    let (canary, policy) = canary().await;
    for host in DANGEROUS_HOSTS {
        let url = format!("http://{host}:{}/", canary.address.port());
        assert_eq!(FeedUrl::parse(&url, &policy).err(), Some(FeedUrlRefusal::Address), "{host}");
    }
}

/// As after a change of the policy, or a URL that came into the store by another door.
#[tokio::test]
async fn a_dangerous_address_that_passed_submission_is_refused_before_connecting() {
    let (canary, policy) = canary().await;
    let lax = AddressPolicy {
        allow: vec!["0.0.0.0/0".parse().unwrap(), "::/0".parse().unwrap()],
        ..policy.clone()
    };
    let door = Outbound::new(policy, Arc::new(Script::default()), FetchLimits::default());
    for host in DANGEROUS_HOSTS {
        let url = FeedUrl::parse(&format!("http://{host}:{}/", canary.address.port()), &lax).ok().unwrap();
        let reason = lasting(door.fetch_feed(&url, &Default::default()).await);
        assert_eq!(reason, "the feed's server has an address or port that is not allowed", "{host}");
    }
    assert!(canary.requests().is_empty());
}

#[tokio::test]
async fn a_redirect_to_a_dangerous_address_is_refused_before_connecting() {
    let (canary, policy) = canary().await;
    let port = canary.address.port();
    let redirecting = Server::on("127.0.0.2", move |request| {
        let number: usize = request.split(['/', '-']).nth(1).and_then(|text| text.parse().ok()).unwrap();
        let host = DANGEROUS_HOSTS[number];
        found(&format!("http://{host}:{port}/"))
    })
    .await;
    let policy = AddressPolicy { ports: policy.ports, ..trusting("127.0.0.2/32") };
    let door = Outbound::new(policy, Arc::new(Script::default()), FetchLimits::default());
    for (number, host) in DANGEROUS_HOSTS.iter().enumerate() {
        let reason = lasting(fetch(&door, &redirecting.url(&number.to_string())).await);
        assert_eq!(reason, "the feed is redirected to a URL that is not allowed", "{host}");
    }
    assert!(canary.requests().is_empty());
}

#[tokio::test]
async fn a_name_is_refused_when_any_of_its_addresses_is() {
    let (canary, policy) = canary().await;
    for answer in [
        &["127.0.0.1"][..],
        &["::1"],
        &["::ffff:127.0.0.1"],
        &["169.254.169.254"],
        &["10.0.0.1"],
        &["93.184.215.14", "127.0.0.1"],
        &["127.0.0.1", "93.184.215.14"],
        &["93.184.215.14", "fd00::1"],
    ] {
        let door = Outbound::new(policy.clone(), Script::new(&[answer]), FetchLimits::default());
        let url = format!("http://shop.test:{}/", canary.address.port());
        lasting(fetch(&door, &url).await);
    }
    assert!(canary.requests().is_empty());
}

/// Only the second address listens.
#[tokio::test]
async fn a_name_with_several_permitted_addresses_is_reached_at_the_one_that_answers() {
    let server = Server::on("127.0.0.2", |_| ok("", b"{}")).await;
    let resolver = Script::new(&[&["127.0.0.3", "127.0.0.2"]]);
    let door = Outbound::new(trusting("127.0.0.0/8"), resolver.clone(), FetchLimits::default());
    let url = format!("http://shop.test:{}/", server.address.port());
    assert_eq!(fetch(&door, &url).await.unwrap(), b"{}");
    assert_eq!((resolver.asked().len(), server.requests().len()), (1, 1));
}

#[tokio::test]
async fn a_redirect_to_a_name_with_a_private_address_is_refused() {
    let canary = Server::new(|_| ok("", b"{}")).await;
    let port = canary.address.port();
    let redirecting =
        Server::on("127.0.0.2", move |_| found(&format!("http://inner.shop.test:{port}/"))).await;
    let resolver = Script::new(&[&["127.0.0.1"]]);
    let door = Outbound::new(trusting("127.0.0.2/32"), resolver.clone(), FetchLimits::default());
    lasting(fetch(&door, &redirecting.url("feed")).await);
    assert_eq!(resolver.asked(), ["inner.shop.test"]);
    assert!(canary.requests().is_empty());
}

#[tokio::test]
async fn a_name_that_changes_its_address_is_looked_up_once_and_reached_where_it_was_checked() {
    let canary = Server::on("127.0.0.1", |_| ok("", b"stolen")).await;
    let port = canary.address.port();
    let shop = tokio::net::TcpListener::bind(("127.0.0.2", port)).await.unwrap();
    let resolver = Script::new(&[&["127.0.0.2"], &["127.0.0.1"]]);
    let door = Outbound::new(trusting("127.0.0.2/32"), resolver.clone(), FetchLimits::default());
    let url = format!("http://shop.test:{port}/");
    tokio::spawn(answer_once(shop));
    assert_eq!(fetch(&door, &url).await.unwrap(), b"{}");
    assert_eq!(resolver.asked().len(), 1);
    assert!(canary.requests().is_empty());
}

async fn answer_once(listener: tokio::net::TcpListener) -> std::io::Result<()> {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let (mut stream, _) = listener.accept().await?;
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") && stream.read_buf(&mut head).await? > 0 {}
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}").await
}

#[tokio::test]
async fn every_hop_of_a_redirect_looks_its_name_up_once() {
    let server =
        Server::new(
            |request| if request.starts_with("GET /first") { found("/second") } else { ok("", b"{}") },
        )
        .await;
    let resolver = Script::new(&[&["127.0.0.1"]]);
    let door = Outbound::new(trusting("127.0.0.1/32"), resolver.clone(), FetchLimits::default());
    let url = format!("http://shop.test:{}/first", server.address.port());
    assert_eq!(fetch(&door, &url).await.unwrap(), b"{}");
    assert_eq!(resolver.asked(), ["shop.test", "shop.test"]);
}

#[tokio::test]
async fn a_trusted_network_is_reached_by_literal_and_in_its_ipv6_spelling() {
    let server = Server::new(|_| ok("", b"{}")).await;
    let door = Outbound::new(trusting("127.0.0.0/8"), Arc::new(Script::default()), FetchLimits::default());
    let port = server.address.port();
    for host in ["127.0.0.1", "2130706433", "[::ffff:127.0.0.1]"] {
        assert_eq!(fetch(&door, &format!("http://{host}:{port}/")).await.unwrap(), b"{}", "{host}");
    }
}

#[tokio::test]
async fn a_name_that_cannot_be_resolved_may_heal() {
    let reason = "the name of the feed's server could not be resolved";
    let unknown =
        Outbound::new(AddressPolicy::default(), Arc::new(Script::default()), FetchLimits::default());
    assert_eq!(transient(fetch(&unknown, "https://shop.test/").await), reason);
    let empty = Outbound::new(AddressPolicy::default(), Script::new(&[&[]]), FetchLimits::default());
    assert_eq!(transient(fetch(&empty, "https://shop.test/").await), reason);
}

#[tokio::test]
async fn a_server_that_refuses_or_breaks_connections_may_heal() {
    let server = Server::new(|_| Answer::Bytes(Vec::new())).await;
    transient(fetch(&super::scripted::door(), &server.url("feed")).await);
    let gone = server.url("feed");
    drop(server);
    tokio::task::yield_now().await;
    let reason = transient(fetch(&super::scripted::door(), &gone).await);
    assert_eq!(reason, "no connection to the feed's server could be made");
}
