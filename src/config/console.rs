//! The settings of the console.

use std::net::{Ipv4Addr, SocketAddr};

use super::fault::{ConfigFault, split};

/// Address at which the console listens, and names by which browsers reach it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleConfig {
    /// The address; `None`: it does not listen.
    pub address: Option<SocketAddr>,
    /// True if that was set: then a server that cannot listen there does not start.
    pub is_set: bool,
    /// Names in addition to the address.
    pub hosts: Vec<String>,
}

impl ConsoleConfig {
    /// A console on a free port of this machine.
    pub(super) const fn local() -> Self {
        let address = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
        Self { address: Some(address), is_set: false, hosts: Vec::new() }
    }

    pub(super) fn check(at: &str, hosts: &str, listen: SocketAddr) -> Result<Self, ConfigFault> {
        let hosts: Vec<_> = split(hosts).map(str::to_lowercase).collect();
        // With a port, a path or a scheme none would ever be that of a request.
        let is_name = |host: &String| host.chars().all(|sign| sign.is_alphanumeric() || "-._".contains(sign));
        if !hosts.iter().all(is_name) {
            let problem = "names without a port, such as console.shop.example, are expected";
            return Err(ConfigFault::Malformed { name: "console_hosts", problem });
        }
        let address = match at.trim() {
            "" => Some(behind(listen)),
            "off" => None,
            address => Some(address.parse().map_err(|_| ConfigFault::Malformed {
                name: "console_listen",
                problem: "an address and port such as 127.0.0.1:8081, or off, is expected",
            })?),
        };
        Ok(Self { address, is_set: !at.trim().is_empty(), hosts })
    }

    pub(super) fn display_address(&self) -> String {
        self.address.map_or_else(|| "off".to_owned(), |address| address.to_string())
    }
}

/// This machine alone, on the next port; on a free port if there is no next one.
fn behind(listen: SocketAddr) -> SocketAddr {
    let port = if listen.port() == 0 { 0 } else { listen.port().wrapping_add(1) };
    (Ipv4Addr::LOCALHOST, port).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_setting_it_is_on_this_machine_alone() {
        let of = |at, listen: &str| ConsoleConfig::check(at, "", listen.parse().expect("an address"));
        let at = |at, listen| of(at, listen).expect("it can be set").display_address();
        assert_eq!(at("", "0.0.0.0:8080"), "127.0.0.1:8081");
        assert_eq!(at("", "127.0.0.1:0"), "127.0.0.1:0");
        assert_eq!(at("", "127.0.0.1:65535"), "127.0.0.1:0");
        assert_eq!(at("off", "127.0.0.1:8080"), "off");
        assert_eq!(at("10.0.0.1:9000", "127.0.0.1:8080"), "10.0.0.1:9000");
        assert!(of("everywhere", "127.0.0.1:8080").is_err());
        let named = |hosts| ConsoleConfig::check("", hosts, "127.0.0.1:1".parse().expect("an address"));
        assert_eq!(named("Console.shop.example, b").expect("names").hosts, ["console.shop.example", "b"]);
        assert!(named("https://console.shop.example").is_err());
        assert!(named("console.shop.example:443").is_err());
    }
}
