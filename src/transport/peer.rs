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
