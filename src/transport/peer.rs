//! The sender of a request, as the listener noted it, and the tenant whose share the request takes from.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use axum::http::Request;

use crate::admission::{SharedResources, Tenant};

/// Sender of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// A client on the network.
    Address(IpAddr),
    /// The operator, over the control socket in the data folder.
    Operator,
}

/// Sender of a request, as the listener noted it.
pub(crate) fn peer_of<B>(request: &Request<B>) -> Peer {
    let unknown = Peer::Address(Ipv4Addr::UNSPECIFIED.into());
    request.extensions().get::<Peer>().copied().unwrap_or(unknown)
}

/// Tenant whose share a request takes from before its account is known.
pub(crate) fn who_is(peer: Peer) -> Tenant {
    match peer {
        Peer::Address(address) => Tenant::Client(prefix(address)),
        Peer::Operator => Tenant::Operator,
    }
}

/// The client address of a request; none of the operator.
pub(crate) fn peer_address(peer: Peer) -> Option<IpAddr> {
    match peer {
        Peer::Address(address) => Some(prefix(address)),
        Peer::Operator => None,
    }
}

/// Shares that this request's node hands out.
pub(crate) fn resources_of<B>(request: &Request<B>) -> Arc<SharedResources> {
    request.extensions().get::<Arc<SharedResources>>().cloned().unwrap_or_default()
}

/// One IPv4 address, or the /64 that one IPv6 customer has.
pub fn prefix(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => {
            let kept = u128::from(v6) & !u128::from(u64::MAX);
            IpAddr::V6(kept.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_of_the_network_of_its_address_or_of_the_operator() {
        let of = |address: &str| address.parse::<IpAddr>().expect("an address");
        for (address, network) in
            [("203.0.113.7", "203.0.113.7"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"), ("::1", "::")]
        {
            let peer = Peer::Address(of(address));
            assert_eq!(who_is(peer), Tenant::Client(of(network)));
            assert_eq!(peer_address(peer), Some(of(network)));
        }
        assert_eq!((who_is(Peer::Operator), peer_address(Peer::Operator)), (Tenant::Operator, None));
    }

    #[test]
    fn what_the_listener_did_not_note_is_of_no_address_and_of_shares_of_its_own() {
        let mut request = Request::new(());
        assert_eq!(peer_of(&request), Peer::Address(Ipv4Addr::UNSPECIFIED.into()));
        assert!(!Arc::ptr_eq(&resources_of(&request), &resources_of(&request)));
        let shares = Arc::<SharedResources>::default();
        request.extensions_mut().insert(Peer::Operator);
        request.extensions_mut().insert(shares.clone());
        assert_eq!(peer_of(&request), Peer::Operator);
        assert!(Arc::ptr_eq(&resources_of(&request), &shares));
    }
}
