//! Owner of the turn that work takes.

use std::net::IpAddr;

use crate::ids::AccountId;
use crate::transport::peer::{Peer, peer_address};

/// Owner of the turn that work takes: the shop, and within the shop the client.
#[derive(Clone, Copy)]
pub struct TurnOf {
    pub(super) account: AccountId,
    pub(super) address: Option<IpAddr>,
}

impl TurnOf {
    /// Owner of the turn for a request that this sender makes to a shop.
    pub fn new(account: AccountId, peer: Peer) -> Self {
        Self { account, address: peer_address(peer) }
    }

    /// The shop.
    pub const fn account(self) -> AccountId {
        self.account
    }

    /// The client address, if it came from one.
    pub const fn address(self) -> Option<IpAddr> {
        self.address
    }
}
