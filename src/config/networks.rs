//! The settings about networks: where feeds may come from, and which reverse proxies are believed.

use std::net::IpAddr;

use hyper::header::{self, HeaderName};
use ipnet::IpNet;

use super::fault::{ConfigFault, split};

/// The header that nearly every proxy writes.
pub(super) const FORWARDED_HEADER: HeaderName = HeaderName::from_static("x-forwarded-for");

/// A list of networks, and of single addresses.
pub(super) fn parse(name: &'static str, list: &str) -> Result<Vec<IpNet>, ConfigFault> {
    let network = |item: &str| item.parse().or_else(|_| item.parse::<IpAddr>().map(IpNet::from));
    let problem = "networks or addresses such as 10.1.0.0/16 or 192.168.7.4 are expected";
    let networks = split(list).map(network).collect::<Result<_, _>>();
    networks.map_err(|_| ConfigFault::Malformed { name, problem })
}

/// The networks of the reverse proxies. Where everybody is one, everybody could say who they are.
pub(super) fn proxies(list: &str) -> Result<Vec<IpNet>, ConfigFault> {
    let name = "trusted_proxies";
    let networks = parse(name, list)?;
    if networks.iter().any(|network| network.prefix_len() == 0) {
        Err(ConfigFault::Malformed {
            name,
            problem: "a network of all addresses is not expected; name those of the proxies",
        })
    } else {
        Ok(networks)
    }
}

/// The header in which proxies name the client.
pub(super) fn header(text: &str) -> Result<HeaderName, ConfigFault> {
    let malformed = |problem| ConfigFault::Malformed { name: "forwarded_header", problem };
    match text.parse::<HeaderName>() {
        Ok(header) if header == header::FORWARDED => Err(malformed(
            "Forwarded is not read here; let the proxy write X-Forwarded-For, or another list of addresses",
        )),
        Ok(header) => Ok(header),
        Err(_) => Err(malformed("the name of a header such as X-Forwarded-For is expected")),
    }
}
