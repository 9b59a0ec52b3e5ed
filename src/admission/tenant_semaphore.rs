//! A quantity that is handed out: so much in all, so much to one account or client at a time. Freed amounts go to the
//! tenant that holds least.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::tenant_permits::{Holder, PermitRequest};
use crate::ids::AccountId;

/// Time that the place of a rejected tenant is kept: it asks again each second.
const KEPT_DURATION: Duration = Duration::from_secs(3);

/// Account, client, proxy or operator that takes a share.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Tenant {
    /// An account whose credentials were checked.
    Account(AccountId),
    /// A client at this address, while only the address is known.
    Client(IpAddr),
    /// The proxies that the operator trusts: all clients come from there.
    Proxies,
    /// The operator, over the control socket.
    Operator,
}

/// Amount of a quantity, and the parts that one tenant may hold.
pub struct SemaphoreLimits {
    /// Its name in the metrics.
    pub name: &'static str,
    /// Amount in all.
    pub all: usize,
    /// Part kept free for tenants that hold nothing, so that a new one does not wait for those who hold the most.
    pub for_newcomers: usize,
    /// Most that one account, the operator, or the trusted proxies together may hold.
    pub of_one: usize,
    /// Most that one client may hold before its account is known.
    pub of_client: usize,
    /// Most that all these clients may hold together, so that accounts always find the rest.
    pub of_clients: usize,
    /// Most that one client address may hold, whatever accounts it names.
    pub of_address: usize,
    /// Most requests of one account, or of one client, that may wait; further ones are refused at once.
    pub waiting_of_one: usize,
}

#[cfg(test)]
impl SemaphoreLimits {
    /// One permit in all.
    pub const SINGLE_PERMIT: Self = Self {
        name: "test",
        all: 1,
        for_newcomers: 0,
        of_one: 1,
        of_client: 1,
        of_clients: 1,
        of_address: 1,
        waiting_of_one: 1,
    };
}

/// A quantity that is handed out in [`Permit`]s.
pub struct TenantSemaphore {
    parts: SemaphoreLimits,
    state: Mutex<SemaphoreState>,
}

#[derive(Default)]
struct SemaphoreState {
    taken: usize,
    taken_by_clients: usize,
    /// Tenants that hold some of the quantity or wait for it.
    holders: HashMap<Tenant, Holder>,
    /// Amount that each client address holds, whatever accounts it names.
    addresses: HashMap<IpAddr, usize>,
    /// Counts the grants and the requests: the tenant served longest ago has the lowest number.
    clock: u64,
    /// Tenants that found everything taken and ask again, with the time at which they last asked.
    turned_away: VecDeque<(Tenant, Instant)>,
}

/// A requested amount.
#[derive(Clone, Copy)]
struct Demand {
    who: Tenant,
    address: Option<IpAddr>,
    amount: usize,
}

/// Share that a tenant holds; given back when it is dropped.
#[must_use]
pub struct Permit {
    of: Arc<TenantSemaphore>,
    who: Tenant,
    address: Option<IpAddr>,
    amount: usize,
}

impl TenantSemaphore {
    /// Creates a semaphore with everything free.
    #[must_use]
    pub fn new(parts: SemaphoreLimits) -> Arc<Self> {
        Arc::new(Self { parts, state: Mutex::default() })
    }

    /// Takes `amount` as soon as it is there; `None` when it is not within `longest`, can never be, or too many of the
    /// same account wait already.
    pub async fn acquire(self: &Arc<Self>, who: Tenant, amount: usize, longest: Duration) -> Option<Permit> {
        self.take_at(who, None, amount, longest).await
    }

    /// The same for a request that came from a client address: within an account the address that holds least is next.
    pub async fn take_at(
        self: &Arc<Self>,
        who: Tenant,
        address: Option<IpAddr>,
        amount: usize,
        longest: Duration,
    ) -> Option<Permit> {
        if amount > self.max_per_tenant(who) || address.is_some() && amount > self.parts.of_address {
            return None;
        }
        let share = match self.request_permit(Demand { who, address, amount })? {
            PermitOutcome::Granted(share) => return Some(share),
            PermitOutcome::Waits(share) => share,
        };
        self.hand_out();
        let waiting = GivesUp(self);
        let share = tokio::time::timeout(longest, share).await.ok()?.ok()?;
        std::mem::forget(waiting);
        Some(share)
    }

    /// Mostly there is enough, and no request waits; otherwise the request waits. `None`: too many of the tenant's
    /// requests wait.
    fn request_permit(self: &Arc<Self>, demand: Demand) -> Option<PermitOutcome> {
        let mut state = self.lock();
        let waits = state.holders.values().any(Holder::waits);
        if !waits && self.is_within_part(&state, demand) && self.is_free(&state, demand) {
            return Some(PermitOutcome::Granted(self.grant(&mut state, demand)));
        }
        let Demand { who, address, amount } = demand;
        state.clock += 1;
        let came = state.clock;
        let (granted, share) = oneshot::channel();
        let holder = state.holders.entry(who).or_default();
        let most = self.parts.waiting_of_one;
        holder
            .add(PermitRequest { address, amount, came, granted }, most)
            .then_some(PermitOutcome::Waits(share))
    }

    fn grant(self: &Arc<Self>, state: &mut SemaphoreState, demand: Demand) -> Permit {
        let Demand { who, address, amount } = demand;
        state.record_grant(demand);
        Permit { of: self.clone(), who, address, amount }
    }

    /// Takes `amount` if it is there now, and no tenant that was turned away before asks again. Otherwise a tenant
    /// that has just given it back would always be the first to ask.
    #[must_use]
    pub fn try_take(self: &Arc<Self>, who: Tenant, amount: usize) -> Option<Permit> {
        let demand = Demand { who, address: None, amount };
        let mut state = self.lock();
        if !self.is_within_part(&state, demand) {
            return None;
        }
        state.turned_away.retain(|(_, asked)| asked.elapsed() < KEPT_DURATION);
        let is_first = state.turned_away.front().is_none_or(|(first, _)| *first == who);
        if is_first && self.is_free(&state, demand) {
            state.turned_away.retain(|(other, _)| *other != who);
            return Some(self.grant(&mut state, demand));
        }
        match state.turned_away.iter_mut().find(|(other, _)| *other == who) {
            Some((_, asked)) => *asked = Instant::now(),
            None => state.turned_away.push_back((who, Instant::now())),
        }
        None
    }

    /// Returns true if `who` holds as much as one may: there is none for them until they give some back.
    #[must_use]
    pub fn is_used_up_by(&self, who: Tenant) -> bool {
        self.lock().holders.get(&who).is_some_and(|holder| holder.held >= self.max_per_tenant(who))
    }

    /// Returns the one of these that holds most.
    #[must_use]
    pub fn holds_most(&self, among: impl Iterator<Item = Tenant>) -> Option<Tenant> {
        let state = self.lock();
        among.max_by_key(|who| state.held_by(*who))
    }

    /// Returns true if nothing is left.
    #[must_use]
    pub fn is_used_up(&self) -> bool {
        self.lock().taken >= self.parts.all
    }

    /// The accounts that hold as much as one may.
    #[must_use]
    pub fn full(&self) -> Vec<AccountId> {
        let state = self.lock();
        let full = state.holders.iter().filter(|(_, holder)| holder.held >= self.parts.of_one);
        full.filter_map(|(who, _)| if let Tenant::Account(account) = who { Some(*account) } else { None })
            .collect()
    }

    /// Amount held, amount in all, and number of requests that wait.
    #[must_use]
    pub fn gauge(&self) -> Gauge {
        let state = self.lock();
        let waiting = state.holders.values().map(Holder::count_waiting).sum();
        Gauge { name: self.parts.name, all: self.parts.all, taken: state.taken, waiting }
    }

    fn max_per_tenant(&self, who: Tenant) -> usize {
        match who {
            Tenant::Account(_) | Tenant::Operator | Tenant::Proxies => self.parts.of_one,
            Tenant::Client(_) => self.parts.of_client,
        }
    }

    fn lock(&self) -> MutexGuard<'_, SemaphoreState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives what is free to the waiting tenants: first to the one that holds least; of equals to the one served
    /// longest ago; within an account to client addresses by the same rule. A request for more than is left makes
    /// tenants that hold as much or more wait: small requests that keep passing by would keep out a large one for
    /// ever. A tenant whose own part is used up makes no other wait.
    fn hand_out(self: &Arc<Self>) {
        let mut given = Vec::new();
        let mut state = self.lock();
        state.holders.retain(|_, holder| holder.forget_gone());
        let mut used_up = Vec::new();
        while let Some(who) = state.choose_next(&used_up) {
            let Some(demand) = self.next_of(&state, who) else {
                used_up.push(who);
                continue;
            };
            if !self.is_free(&state, demand) {
                break;
            }
            let holder = state.holders.get_mut(&who);
            let Some(waiting) = holder.and_then(|holder| holder.remove(demand.address, demand.amount)) else {
                break;
            };
            given.push((waiting.granted, self.grant(&mut state, demand)));
        }
        drop(state);
        for (granted, share) in given {
            // A request that does not wait any more drops it.
            let _ = granted.send(share);
        }
    }

    /// The next of those of `who` that wait; `None` when their part leaves no room for it.
    fn next_of(&self, state: &SemaphoreState, who: Tenant) -> Option<Demand> {
        let is_full = |address: IpAddr, amount| {
            let held = state.addresses.get(&address).copied().unwrap_or_default();
            held + amount > self.parts.of_address
        };
        let waiting = state.holders.get(&who)?.choose_request(is_full)?;
        let demand = Demand { who, address: waiting.address, amount: waiting.amount };
        self.is_within_part(state, demand).then_some(demand)
    }

    fn is_within_part(&self, state: &SemaphoreState, Demand { who, address, amount }: Demand) -> bool {
        let held = state.held_by(who);
        let is_client = matches!(who, Tenant::Client(_));
        let of_address = address.and_then(|address| state.addresses.get(&address)).copied();
        held + amount <= self.max_per_tenant(who)
            && (!is_client || state.taken_by_clients + amount <= self.parts.of_clients)
            && (address.is_none() || of_address.unwrap_or_default() + amount <= self.parts.of_address)
    }

    /// Returns true if the demanded amount is free. A part of all is kept for tenants that hold nothing.
    fn is_free(&self, state: &SemaphoreState, Demand { who, amount, .. }: Demand) -> bool {
        let kept = if state.held_by(who) == 0 { 0 } else { self.parts.for_newcomers };
        state.taken + amount + kept <= self.parts.all
    }
}

/// A waiting request: when it gives up, what it held back goes to those after it.
struct GivesUp<'s>(&'s Arc<TenantSemaphore>);

impl Drop for GivesUp<'_> {
    fn drop(&mut self) {
        self.0.hand_out();
    }
}

/// Outcome of a demand.
enum PermitOutcome {
    Granted(Permit),
    Waits(oneshot::Receiver<Permit>),
}

impl SemaphoreState {
    fn held_by(&self, who: Tenant) -> usize {
        self.holders.get(&who).map_or(0, |holder| holder.held)
    }

    /// Chooses the next of those that wait, without those in `used_up`.
    fn choose_next(&self, used_up: &[Tenant]) -> Option<Tenant> {
        let waiting = self.holders.iter().filter(|(who, holder)| holder.waits() && !used_up.contains(who));
        let first = waiting.min_by_key(|(_, holder)| (holder.held, holder.served, holder.oldest()));
        first.map(|(who, _)| *who)
    }

    fn record_grant(&mut self, Demand { who, address, amount }: Demand) {
        self.clock += 1;
        let now = self.clock;
        self.taken += amount;
        if matches!(who, Tenant::Client(_)) {
            self.taken_by_clients += amount;
        }
        if let Some(address) = address {
            *self.addresses.entry(address).or_default() += amount;
        }
        self.holders.entry(who).or_default().record_grant(address, amount, now);
    }

    fn take_back(&mut self, Demand { who, address, amount }: Demand) {
        self.taken = self.taken.saturating_sub(amount);
        if matches!(who, Tenant::Client(_)) {
            self.taken_by_clients = self.taken_by_clients.saturating_sub(amount);
        }
        if let Some(address) = address {
            let held = self.addresses.entry(address).or_default();
            *held = held.saturating_sub(amount);
            if *held == 0 {
                self.addresses.remove(&address);
            }
        }
        if let Some(holder) = self.holders.get_mut(&who) {
            holder.take_back(address, amount);
            if holder.is_idle() {
                self.holders.remove(&who);
            }
        }
    }
}

impl Permit {
    /// Takes more of the same; false when it is not there in time, and then the held part stays.
    pub async fn acquire_more(&mut self, amount: usize, longest: Duration) -> bool {
        match self.of.clone().take_at(self.who, self.address, amount, longest).await {
            Some(mut more) => {
                self.amount += std::mem::take(&mut more.amount);
                true
            }
            None => false,
        }
    }

    /// Amount of the share.
    #[must_use]
    pub fn amount(&self) -> usize {
        self.amount
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if self.amount > 0 {
            let Self { who, address, amount, .. } = *self;
            self.of.lock().take_back(Demand { who, address, amount });
            self.of.hand_out();
        }
    }
}

/// Use of a quantity that is handed out.
pub struct Gauge {
    /// Name of the quantity.
    pub name: &'static str,
    /// Amount in all.
    pub all: usize,
    /// Amount held.
    pub taken: usize,
    /// Number of requests that wait.
    pub waiting: usize,
}

#[cfg(test)]
mod tests;
