//! Accounts and clients that hold permits of a quantity or wait for them, and their client addresses.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;

use tokio::sync::oneshot;

use super::tenant_semaphore::Permit;

/// A request that waits for its part.
pub(super) struct PermitRequest {
    /// Client address that it came from, if that counts.
    pub(super) address: Option<IpAddr>,
    /// Amount that it needs.
    pub(super) amount: usize,
    /// Its place in the order in which all came.
    pub(super) came: u64,
    /// Takes the share to the waiting request.
    pub(super) granted: oneshot::Sender<Permit>,
}

/// An account, or a client without a known account, that holds some of a quantity or waits for it.
#[derive(Default)]
pub(super) struct Holder {
    /// Amount that it holds.
    pub(super) held: usize,
    /// Count of the clock at its last grant; 0 if it got none since it came.
    pub(super) served: u64,
    /// Requests that wait, in the order in which they came.
    waiting: Vec<PermitRequest>,
    /// The same of each client address, and of clients without a known one.
    clients: HashMap<Option<IpAddr>, ClientUsage>,
}

#[derive(Default)]
struct ClientUsage {
    held: usize,
    served: u64,
}

impl Holder {
    /// Returns true if one of its requests waits.
    pub(super) fn waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Counts its requests that still wait.
    pub(super) fn count_waiting(&self) -> usize {
        self.waiting.iter().filter(|waiting| !waiting.granted.is_closed()).count()
    }

    /// Place of its oldest waiting request in the order in which all came.
    pub(super) fn oldest(&self) -> u64 {
        self.waiting.first().map_or(u64::MAX, |waiting| waiting.came)
    }

    /// Returns true if it holds nothing and waits for nothing.
    pub(super) fn is_idle(&self) -> bool {
        self.held == 0 && self.waiting.is_empty()
    }

    /// Removes the requests that wait no longer; false when the holder can be removed too.
    pub(super) fn forget_gone(&mut self) -> bool {
        self.waiting.retain(|waiting| !waiting.granted.is_closed());
        let Self { waiting, clients, .. } = self;
        let known: HashSet<_> = waiting.iter().map(|waiting| waiting.address).collect();
        clients.retain(|address, client| client.held > 0 || known.contains(address));
        !self.is_idle()
    }

    /// Adds a request that waits. When `most` wait, the newest one of the address with the most waiting requests gives
    /// up its place. If that is the address of the new one, the new one gets no place, and the answer is false.
    pub(super) fn add(&mut self, new: PermitRequest, most: usize) -> bool {
        self.waiting.retain(|waiting| !waiting.granted.is_closed());
        if self.waiting.len() >= most {
            let mut counts: HashMap<Option<IpAddr>, usize> = HashMap::new();
            self.waiting.iter().for_each(|waiting| *counts.entry(waiting.address).or_default() += 1);
            let own = counts.get(&new.address).copied().unwrap_or_default();
            let crowd = counts.into_iter().max_by_key(|(_, count)| *count);
            let Some((crowd, _)) = crowd.filter(|(_, count)| *count > own + 1) else { return false };
            let newest = self.waiting.iter().rposition(|waiting| waiting.address == crowd);
            newest.map(|newest| self.waiting.remove(newest));
        }
        self.waiting.push(new);
        true
    }

    /// The request that is next: of the address that holds least; of equals the one served longest ago; of these the
    /// oldest. Skips an address for which `is_full` is true.
    pub(super) fn choose_request(&self, is_full: impl Fn(IpAddr, usize) -> bool) -> Option<&PermitRequest> {
        let may_come = |waiting: &&PermitRequest| {
            waiting.address.is_none_or(|address| !is_full(address, waiting.amount))
        };
        let standing = |waiting: &PermitRequest| {
            let client = self.clients.get(&waiting.address);
            // A new holder counts as served when it came: otherwise ever new addresses would pass by one that waits
            // all the time.
            let new = (0, waiting.came);
            client.map_or(new, |client| (client.held, client.served))
        };
        self.waiting.iter().filter(may_come).min_by_key(|waiting| {
            let standing = standing(waiting);
            (standing, waiting.came)
        })
    }

    /// Takes the oldest request of an address and an amount out of those that wait.
    pub(super) fn remove(&mut self, address: Option<IpAddr>, amount: usize) -> Option<PermitRequest> {
        let is_it = |waiting: &PermitRequest| waiting.address == address && waiting.amount == amount;
        let place = self.waiting.iter().position(is_it)?;
        Some(self.waiting.remove(place))
    }

    /// Notes that it was given some.
    pub(super) fn record_grant(&mut self, address: Option<IpAddr>, amount: usize, now: u64) {
        self.held += amount;
        self.served = now;
        let client = self.clients.entry(address).or_default();
        client.held += amount;
        client.served = now;
    }

    /// Notes that it gave some back.
    pub(super) fn take_back(&mut self, address: Option<IpAddr>, amount: usize) {
        self.held = self.held.saturating_sub(amount);
        if let Some(client) = self.clients.get_mut(&address) {
            client.held = client.held.saturating_sub(amount);
        }
    }
}

#[cfg(test)]
mod tests;
