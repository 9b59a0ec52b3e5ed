//! Addresses from which a feed may be fetched: public ones on web ports, and those that the operator trusts.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

use crate::limits;

/// IPv4 networks that are not the public internet (IANA special-purpose registry, multicast and reserved space),
/// and one public address that Azure answers from inside every machine.
const SPECIAL_V4: [Ipv4Net; 15] = [
    v4(0, 0, 0, 0, 8),
    v4(10, 0, 0, 0, 8),
    v4(100, 64, 0, 0, 10),
    v4(127, 0, 0, 0, 8),
    v4(169, 254, 0, 0, 16),
    v4(172, 16, 0, 0, 12),
    v4(192, 0, 0, 0, 24),
    v4(192, 0, 2, 0, 24),
    v4(192, 88, 99, 0, 24),
    v4(192, 168, 0, 0, 16),
    v4(198, 18, 0, 0, 15),
    v4(198, 51, 100, 0, 24),
    v4(203, 0, 113, 0, 24),
    v4(224, 0, 0, 0, 3),
    v4(168, 63, 129, 16, 32),
];

/// The only IPv6 space handed out for the public internet; mapped, NAT64 and local addresses all lie outside.
const GLOBAL_V6: Ipv6Net = v6(0x2000, 0, 3);

/// Networks inside [`GLOBAL_V6`] that are not public: protocol assignments with Teredo, documentation (two),
/// 6to4 (carries an IPv4 address), 6bone.
const SPECIAL_V6: [Ipv6Net; 5] =
    [v6(0x2001, 0, 23), v6(0x2001, 0xdb8, 32), v6(0x2002, 0, 16), v6(0x3fff, 0, 20), v6(0x3ffe, 0, 16)];

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6(first: u16, second: u16, prefix: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(first, second, 0, 0, 0, 0, 0, 0), prefix)
}

/// The operator's rule for addresses of feeds.
#[derive(Clone)]
pub struct AddressPolicy {
    /// Networks trusted on every port although they may be private (`--feed-allow`).
    pub allow: Vec<IpNet>,
    /// Ports allowed on public addresses (`--feed-ports`).
    pub ports: Vec<u16>,
}

impl Default for AddressPolicy {
    /// Trusts no private network; web ports only.
    fn default() -> Self {
        Self { allow: Vec::new(), ports: limits::FEED_PORTS.to_vec() }
    }
}

impl AddressPolicy {
    /// Trusts every network: for a person who fetches from their own machine, and names the addresses themselves.
    #[must_use]
    pub fn trust_all() -> Self {
        let v4 = IpNet::V4(v4(0, 0, 0, 0, 0));
        Self { allow: vec![v4, IpNet::V6(v6(0, 0, 0))], ports: Vec::new() }
    }

    /// Returns true if a feed may be fetched from this address and port.
    #[must_use]
    pub fn permits(&self, address: SocketAddr) -> bool {
        self.trusts(address.ip()) || (self.ports.contains(&address.port()) && is_public(address.ip()))
    }

    /// Returns true if the operator trusts the network of this address, whatever the port.
    pub(super) fn trusts(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.allow.iter().any(|network| network.contains(&address))
    }
}

/// Returns true if an address belongs to the public internet. An IPv4 address written as IPv6 is judged as IPv4.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => !SPECIAL_V4.iter().any(|network| network.contains(&v4)),
        IpAddr::V6(v6) => GLOBAL_V6.contains(&v6) && !SPECIAL_V6.iter().any(|network| network.contains(&v6)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    #[test]
    fn every_special_network_is_refused_at_both_ends() {
        let policy = AddressPolicy::default();
        for network in SPECIAL_V4.map(IpNet::V4).into_iter().chain(SPECIAL_V6.map(IpNet::V6)) {
            for end in [network.network(), network.broadcast()] {
                assert!(!policy.permits(SocketAddr::new(end, 443)), "{end}");
            }
        }
    }

    #[test]
    fn the_neighbours_of_special_networks_are_public() {
        let policy = AddressPolicy::default();
        for address in [
            "1.0.0.0",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "168.63.129.15",
            "168.63.129.17",
        ] {
            assert!(policy.permits(at(&format!("{address}:443"))), "{address}");
        }
        for address in ["2001:200::1", "2a00:1450:4001::1", "2000::1", "3ffd:ffff::1", "2003::1"] {
            assert!(policy.permits(at(&format!("[{address}]:443"))), "{address}");
        }
    }

    #[test]
    fn ipv6_spellings_of_ipv4_and_local_networks_are_refused() {
        let policy = AddressPolicy::default();
        for address in [
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "100::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "4000::1",
        ] {
            assert!(!policy.permits(at(&format!("[{address}]:443"))), "{address}");
        }
    }

    #[test]
    fn a_public_address_is_permitted_on_web_ports_only() {
        let policy = AddressPolicy::default();
        for port in [80, 443, 8080, 8443] {
            assert!(policy.permits(at(&format!("93.184.215.14:{port}"))));
            assert!(policy.permits(at(&format!("[::ffff:93.184.215.14]:{port}"))));
        }
        for port in [0, 22, 25, 6379, 8081] {
            assert!(!policy.permits(at(&format!("93.184.215.14:{port}"))));
        }
    }

    #[test]
    fn a_trusted_network_is_permitted_on_every_port_in_both_spellings() {
        let allow = vec!["127.0.0.0/8".parse().unwrap()];
        let policy = AddressPolicy { allow, ..AddressPolicy::default() };
        assert!(policy.permits(at("127.0.0.1:9")));
        assert!(policy.permits(at("[::ffff:127.0.0.1]:9")));
        assert!(!policy.permits(at("[::1]:443")));
        assert!(!policy.permits(at("10.0.0.1:443")));
    }

    #[test]
    fn trusting_all_of_ipv6_trusts_no_ipv4_address_in_disguise() {
        let policy = AddressPolicy { allow: vec!["::/0".parse().unwrap()], ..AddressPolicy::default() };
        assert!(policy.permits(at("[::1]:9")));
        assert!(!policy.permits(at("[::ffff:127.0.0.1]:443")));
    }

    #[test]
    fn trusting_all_networks_trusts_the_first_and_the_last_address_on_every_port() {
        let policy = AddressPolicy::trust_all();
        for address in ["0.0.0.0", "255.255.255.255", "[::]", "[ffff:ffff::ffff]", "[::ffff:127.0.0.1]"] {
            for port in [0, 9, 443, 65_535] {
                assert!(policy.permits(at(&format!("{address}:{port}"))), "{address}:{port}");
            }
        }
    }
}
