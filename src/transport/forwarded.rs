//! Requests that a reverse proxy passes on: they come from the client's address, not from the proxy's. Its connections
//! are those of many clients.

use std::net::{IpAddr, SocketAddr};

use axum::extract::Request;
use axum::http::HeaderMap;

use super::peer::Peer;
use super::peer::who_is;
use crate::admission::Tenant;
use crate::config::Config;
use crate::node::Node;

/// Notes the client's address in a request that came over proxies which the operator trusts.
pub fn note_client(node: &Node, request: &mut Request) {
    if let Some(Peer::Address(sender)) = request.extensions().get().copied() {
        note_unnamed(node, sender, request.headers());
        let client = client_of(&node.config, sender, request.headers());
        request.extensions_mut().insert(Peer::Address(client));
    }
}

/// Notes a forwarded request whose sender the operator did not name as a proxy. Most likely it is one, and all its
/// clients count as one.
fn note_unnamed(node: &Node, sender: IpAddr, headers: &HeaderMap) {
    let names = [node.config.forwarded_header.as_str(), "x-forwarded-for", "forwarded"];
    let is_forwarded = names.iter().any(|name| headers.contains_key(*name));
    let is_unnamed = is_forwarded && !is_proxy(&node.config, sender);
    if is_unnamed && node.resources.unnamed_proxy.record_request(node.clock.now()) {
        tracing::warn!(
            "a request that was forwarded came from an address that is not in trusted_proxies: `lethe doctor` says more"
        );
    }
}

/// The address from which a request came to the first trusted proxy. Each proxy appends the address of its sender on
/// the right. Everything to the left of an untrusted sender is only that sender's word, and is not read. Nor is
/// anything to the left of an invalid address.
fn client_of(config: &Config, sender: IpAddr, headers: &HeaderMap) -> IpAddr {
    let mut client = sender;
    for line in headers.get_all(&config.forwarded_header).iter().rev() {
        for entry in line.as_bytes().rsplit(|byte| *byte == b',') {
            if !is_proxy(config, client) {
                return client;
            }
            match address(entry) {
                Some(address) => client = address,
                None => return client,
            }
        }
    }
    client
}

/// Tenant whose share a connection takes from; `None` over the control socket. The listener sees the proxy's address
/// only, so that proxies which the operator trusts have no client's share.
pub fn who_connects(config: &Config, peer: Peer) -> Option<Tenant> {
    match peer {
        Peer::Operator => None,
        Peer::Address(address) if is_proxy(config, address) => Some(Tenant::Proxies),
        Peer::Address(_) => Some(who_is(peer)),
    }
}

fn is_proxy(config: &Config, address: IpAddr) -> bool {
    config.trusted_proxies.iter().any(|network| network.contains(&address))
}

/// An address, with or without a port.
fn address(entry: &[u8]) -> Option<IpAddr> {
    let text = str::from_utf8(entry).ok()?.trim();
    let address = text.parse().or_else(|_| text.parse::<SocketAddr>().map(|address| address.ip()));
    address.ok().map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn config() -> Config {
        let mut config = Config::local("data".into(), "keys".into());
        config.trusted_proxies = ["10.0.0.0/8", "fd00::/8"].map(|network| network.parse().unwrap()).to_vec();
        config
    }

    /// The client of a request that comes from `sender` with these lines of the header.
    fn client(sender: &str, lines: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append("x-forwarded-for", HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        client_of(&config(), sender.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn a_connection_is_of_its_network_of_the_proxies_or_of_the_operator() {
        let who = |sender: &str| who_connects(&config(), Peer::Address(sender.parse().unwrap()));
        let client = |address: &str| Some(Tenant::Client(address.parse().unwrap()));
        assert_eq!(who("203.0.113.7"), client("203.0.113.7"));
        assert_eq!(who("2001:db8:0:7:1::2"), client("2001:db8:0:7::"));
        assert_eq!(who("10.1.2.3"), Some(Tenant::Proxies));
        assert_eq!(who("fd00::1"), Some(Tenant::Proxies));
        assert_eq!(who_connects(&config(), Peer::Operator), None);
    }

    #[test]
    fn the_first_address_from_the_right_that_is_no_proxys_counts() {
        for (lines, expected) in [
            (&["203.0.113.7"] as &[&str], "203.0.113.7"),
            (&["198.51.100.1, 203.0.113.7"], "203.0.113.7"),
            (&["198.51.100.1", "203.0.113.7,10.2.0.1"], "203.0.113.7"),
            (&["203.0.113.7", "10.2.0.1", "10.3.0.1"], "203.0.113.7"),
            (&["203.0.113.7:4711"], "203.0.113.7"),
            (&["[2001:db8::7]:4711 , fd00::1"], "2001:db8::7"),
            (&["::ffff:203.0.113.7"], "203.0.113.7"),
            // All are proxies: the farthest one.
            (&["10.9.0.1, 10.2.0.1"], "10.9.0.1"),
            // An invalid address ends the reading.
            (&["203.0.113.7, unknown"], "10.1.0.1"),
            (&["203.0.113.7, unknown, 10.2.0.1"], "10.2.0.1"),
            (&["unknown, 203.0.113.7"], "203.0.113.7"),
            (&["203.0.113.7,"], "10.1.0.1"),
            (&[""], "10.1.0.1"),
            (&["ä, 203.0.113.7", "bücher"], "10.1.0.1"),
            (&[], "10.1.0.1"),
        ] {
            assert_eq!(client("10.1.0.1", lines), expected, "{lines:?}");
        }
        assert_eq!(client("203.0.113.9", &["203.0.113.7"]), "203.0.113.9");
    }
}
