//! Addresses from which a feed may never come, in every spelling: a listening server on this machine gets no
//! connection.

use super::server::{Home, Keys, Server};
use super::web::Web;

/// Every spelling of an address that is not the public internet's. `%` stands for the canary's port.
const FORBIDDEN: &[&str] = &[
    "127.0.0.1:%",
    "127.1:%",
    "127.0.1:%",
    "2130706433:%",
    "0x7f000001:%",
    "0x7f.1:%",
    "0177.0.0.1:%",
    "017700000001:%",
    "127.0.0.1.:%",
    "①②⑦.⓪.⓪.①:%",
    "127。0。0。1:%",
    "0:%",
    "0.0.0.0:%",
    "127.255.255.254:%",
    "[::1]:%",
    "[::]:%",
    "[0:0:0:0:0:0:0:1]:%",
    "[::ffff:127.0.0.1]:%",
    "[::ffff:7f00:1]:%",
    "[::127.0.0.1]:%",
    "[64:ff9b::127.0.0.1]:%",
    "[64:ff9b::7f00:1]:%",
    "[64:ff9b:1::7f00:1]:%",
    "[2002:7f00:1::]:%",
    "[2001:0:7f00:1::]:%",
    "[fe80::1]:%",
    "[fc00::1]:%",
    "[fd00:ec2::254]:%",
    "[ff02::1]:%",
    "[2001:db8::1]:%",
    "10.0.0.1",
    "10.255.255.255",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "169.254.170.2",
    "168.63.129.16",
    "192.0.0.192",
    "198.18.0.1",
    "192.0.2.1",
    "198.51.100.1",
    "203.0.113.1",
    "192.88.99.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "2852039166",
    "0xa9fea9fe",
];

/// URLs that are wrong for another reason; `%` as above.
const MALFORMED: &[&str] = &[
    "file:///etc/passwd",
    "ftp://127.0.0.1:%/",
    "gopher://127.0.0.1:%/",
    "//127.0.0.1:%/",
    "/feed.json",
    "http://",
    "http://user:pass@shop.example/",
    "http://shop.example:22/",
    "http://shop.example@127.0.0.1:%/",
    "http://127.0.0.1:%\\@shop.example/",
    "http://127.0.0.1:%#@shop.example/",
];

#[test]
fn no_spelling_of_a_private_address_is_ever_asked() {
    let folder = tempfile::tempdir().unwrap();
    let v4 = Web::canary(([127, 0, 0, 1], 0).into());
    let port = v4.address.port();
    let v6 = std::net::TcpListener::bind(("::1", port))
        .ok()
        .map(drop)
        .map(|()| Web::canary(([0, 0, 0, 0, 0, 0, 0, 1], port).into()));
    let mut home = Home::new(folder.path());
    home.flags = vec!["--feed-ports".to_owned(), format!("80,443,8080,8443,{port}")];
    let server = home.start();
    let keys = home.account("shop").unwrap();
    let spelt = FORBIDDEN.iter().map(|host| format!("http://{host}/feed.json"));
    for url in spelt.chain(MALFORMED.iter().map(|url| (*url).to_owned())) {
        let url = url.replace('%', &port.to_string());
        let answer = submit_refused(&server, &keys, &url);
        assert_eq!(answer, 400, "{url}");
    }
    // Names are judged by the addresses that they resolve to.
    let token = server.submit(&keys, &format!("http://localhost:{port}/feed.json")).unwrap();
    let error = server.feed_end(&keys, &token).unwrap_err();
    assert_eq!(error, "the feed's server has an address or port that is not allowed");
    assert_eq!(v4.visits() + v6.map_or(0, |v6| v6.visits()), 0, "a canary was asked");
}

fn submit_refused(server: &Server, keys: &Keys, url: &str) -> u16 {
    match server.submit(keys, url) {
        Err(answer) => answer.status,
        Ok(_) => 200,
    }
}
