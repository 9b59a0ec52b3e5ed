//! Hosts by which the console may be reached.

use std::net::SocketAddr;

/// The names by which the console may be asked for: another site whose name leads to this machine gets nothing
/// (DNS rebinding).
pub(crate) struct Hosts {
    /// All of them.
    all: Vec<String>,
    /// Names from the settings.
    pub(super) named: Vec<String>,
}

impl Hosts {
    pub fn new(address: SocketAddr, named: &[String]) -> Self {
        let own = match address.ip() {
            ip if ip.is_unspecified() => None,
            std::net::IpAddr::V4(ip) => Some(ip.to_string()),
            std::net::IpAddr::V6(ip) => Some(format!("[{ip}]")),
        };
        let usual = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
        let all = usual.into_iter().chain(own).chain(named.iter().cloned()).collect();
        Self { all, named: named.to_vec() }
    }

    pub(super) fn has(&self, host: &str) -> bool {
        let name = without_port(host);
        self.all.contains(&name)
    }
}

/// A host without its port, in small letters.
pub(super) fn without_port(host: &str) -> String {
    let end = if host.starts_with('[') { host.find(']').map(|at| at + 1) } else { host.find(':') };
    host[..end.unwrap_or(host.len())].to_lowercase()
}
