//! A quantity that is handed out: so much in all, so much to one account or client at a time.

use std::collections::{HashMap, HashSet, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::ids::AccountId;

/// How long the place of who was turned away is kept for them: they ask again each second.
const KEPT_DURATION: Duration = Duration::from_secs(3);

/// Who takes a share.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Who {
    /// An account whose credentials were checked.
    Account(AccountId),
    /// Whoever sends from this address, before anything else is known of them.
    Client(IpAddr),
    /// The proxies that the operator trusts: all clients come from there.
    Proxies,
    /// The operator, over the control socket.
    Operator,
}

/// How much there is, and how much of it one may hold.
pub struct Parts {
    /// Its name in the metrics.
    pub name: &'static str,
    /// In all.
    pub all: usize,
    /// What one account, the operator, or the trusted proxies together may hold.
    pub of_one: usize,
    /// What one client may hold before its account is known.
    pub of_client: usize,
    /// What all these clients may hold together, so that accounts always find the rest.
    pub of_clients: usize,
}

/// A quantity that is handed out in [`Share`]s.
pub struct Shares {
    parts: Parts,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    taken: usize,
    taken_by_clients: usize,
    taken_by: HashMap<Who, usize>,
    /// In the order they came. One whose own part is used up holds up nobody else.
    waiting: VecDeque<Waiting>,
    /// Who found all of it taken and asks again, and when they asked last.
    turned_away: VecDeque<(Who, Instant)>,
}

struct Waiting {
    who: Who,
    amount: usize,
    granted: oneshot::Sender<Share>,
}

/// What somebody holds; given back when it is dropped.
#[must_use]
pub struct Share {
    of: Arc<Shares>,
    who: Who,
    amount: usize,
}

impl Shares {
    /// All of it is free.
    #[must_use]
    pub fn of(parts: Parts) -> Arc<Self> {
        Arc::new(Self { parts, state: Mutex::default() })
    }

    /// Takes `amount` as soon as it is there; `None` when it is not within `longest`, or can never be.
    pub async fn take(self: &Arc<Self>, who: Who, amount: usize, longest: Duration) -> Option<Share> {
        if amount > self.most(who) {
            return None;
        }
        let share = match self.ask(who, amount) {
            Ok(share) => return Some(share),
            Err(waiting) => waiting,
        };
        self.hand_out();
        tokio::time::timeout(longest, share).await.ok()?.ok()
    }

    /// Mostly there is enough, and nobody waits for it; else who asks waits behind the others.
    fn ask(self: &Arc<Self>, who: Who, amount: usize) -> Result<Share, oneshot::Receiver<Share>> {
        let mut state = self.lock();
        if state.waiting.is_empty()
            && self.is_within_part(&state, who, amount)
            && state.taken + amount <= self.parts.all
        {
            state.change(who, amount, usize::saturating_add);
            return Ok(Share { of: self.clone(), who, amount });
        }
        let (granted, share) = oneshot::channel();
        state.waiting.push_back(Waiting { who, amount, granted });
        Err(share)
    }

    /// Takes `amount` if it is there now, and nobody was turned away before who asks again: else who has just given
    /// it back would always be the first to ask.
    #[must_use]
    pub fn try_take(self: &Arc<Self>, who: Who, amount: usize) -> Option<Share> {
        let mut state = self.lock();
        if !self.is_within_part(&state, who, amount) {
            return None;
        }
        state.turned_away.retain(|(_, asked)| asked.elapsed() < KEPT_DURATION);
        let is_first = state.turned_away.front().is_none_or(|(first, _)| *first == who);
        // red: fairness::shares::tests::who_was_turned_away_comes_before_who_has_just_had_it
        if mutant!("who-has-just-had-it-has-it-again", is_first, true)
            && state.taken + amount <= self.parts.all
        {
            state.turned_away.retain(|(other, _)| *other != who);
            state.change(who, amount, usize::saturating_add);
            return Some(Share { of: self.clone(), who, amount });
        }
        match state.turned_away.iter_mut().find(|(other, _)| *other == who) {
            Some((_, asked)) => *asked = Instant::now(),
            None => state.turned_away.push_back((who, Instant::now())),
        }
        None
    }

    /// Whether `who` holds as much as one may: there is none for them until they give some back.
    #[must_use]
    pub fn is_used_up_by(&self, who: Who) -> bool {
        self.lock().taken_by.get(&who).is_some_and(|held| *held >= self.most(who))
    }

    /// The accounts that hold as much as one may.
    #[must_use]
    pub fn full(&self) -> Vec<AccountId> {
        let state = self.lock();
        let full = state.taken_by.iter().filter(|(_, held)| **held >= self.parts.of_one);
        full.filter_map(|(who, _)| if let Who::Account(account) = who { Some(*account) } else { None })
            .collect()
    }

    /// How much is held of how much, and how many wait.
    #[must_use]
    pub fn gauge(&self) -> Gauge {
        let state = self.lock();
        let waiting = state.waiting.iter().filter(|waiting| !waiting.granted.is_closed()).count();
        Gauge { name: self.parts.name, all: self.parts.all, taken: state.taken, waiting }
    }

    fn most(&self, who: Who) -> usize {
        match who {
            Who::Account(_) | Who::Operator | Who::Proxies => self.parts.of_one,
            Who::Client(_) => self.parts.of_client,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives those who wait what is free, in their order. Who asks for more than is left of all is waited for by the
    /// rest: small ones that go on passing by would keep out a large one for ever.
    fn hand_out(self: &Arc<Self>) {
        let mut given = Vec::new();
        let mut state = self.lock();
        let mut at = 0;
        let mut used_up = HashSet::new();
        while let Some(next) = state.waiting.get(at) {
            let Waiting { who, amount, .. } = *next;
            if next.granted.is_closed() {
                state.waiting.remove(at);
            } else if used_up.contains(&who) || !self.is_within_part(&state, who, amount) {
                used_up.insert(who);
                at += 1;
            } else if state.taken + amount > self.parts.all {
                break;
            } else if let Some(Waiting { granted, .. }) = state.waiting.remove(at) {
                state.change(who, amount, usize::saturating_add);
                given.push((granted, Share { of: self.clone(), who, amount }));
            }
        }
        drop(state);
        for (granted, share) in given {
            // Who does not wait any more drops it.
            let _ = granted.send(share);
        }
    }

    fn is_within_part(&self, state: &State, who: Who, amount: usize) -> bool {
        let held = state.taken_by.get(&who).copied().unwrap_or_default();
        let is_client = matches!(who, Who::Client(_));
        held + amount <= self.most(who)
            && (!is_client || state.taken_by_clients + amount <= self.parts.of_clients)
    }
}

impl State {
    fn change(&mut self, who: Who, amount: usize, by: fn(usize, usize) -> usize) {
        self.taken = by(self.taken, amount);
        if matches!(who, Who::Client(_)) {
            self.taken_by_clients = by(self.taken_by_clients, amount);
        }
        let held = self.taken_by.entry(who).or_default();
        *held = by(*held, amount);
        if *held == 0 {
            self.taken_by.remove(&who);
        }
    }
}

impl Share {
    /// Takes more of the same; false when it is not there in time, and then what is held stays.
    pub async fn grow(&mut self, amount: usize, longest: Duration) -> bool {
        match self.of.clone().take(self.who, amount, longest).await {
            Some(mut more) => {
                self.amount += std::mem::take(&mut more.amount);
                true
            }
            None => false,
        }
    }

    /// How much it is.
    #[must_use]
    pub fn amount(&self) -> usize {
        self.amount
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        if self.amount > 0 {
            self.of.lock().change(self.who, self.amount, usize::saturating_sub);
            self.of.hand_out();
        }
    }
}

/// How much of something is handed out.
pub struct Gauge {
    /// What.
    pub name: &'static str,
    /// How much there is.
    pub all: usize,
    /// How much of it is held.
    pub taken: usize,
    /// How many wait for some.
    pub waiting: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);
    const SHORT: Duration = Duration::from_millis(20);
    const SHOP: Who = Who::Account(AccountId(1));
    const OTHER: Who = Who::Account(AccountId(2));

    fn shares() -> Arc<Shares> {
        Shares::of(Parts { name: "test", all: 10, of_one: 6, of_client: 3, of_clients: 4 })
    }

    fn client(last: u8) -> Who {
        Who::Client(IpAddr::from([192, 0, 2, last]))
    }

    /// What somebody waits for, once they have asked.
    async fn asking(shares: &Arc<Shares>, who: Who, amount: usize) -> tokio::task::JoinHandle<Option<Share>> {
        let shares = shares.clone();
        let asking = tokio::spawn(async move { shares.take(who, amount, LONG).await });
        tokio::task::yield_now().await;
        asking
    }

    #[tokio::test]
    async fn nobody_gets_more_than_their_part_and_others_pass_by() {
        let shares = shares();
        let held = shares.take(SHOP, 6, LONG).await.unwrap();
        let more = asking(&shares, SHOP, 1).await;
        assert!(!more.is_finished());
        let other = shares.take(OTHER, 4, LONG).await.unwrap();
        assert_eq!(shares.gauge().taken, 10);
        drop(held);
        assert_eq!(more.await.unwrap().unwrap().amount(), 1);
        drop(other);
        assert_eq!((shares.gauge().taken, shares.gauge().waiting), (0, 0));
    }

    #[tokio::test]
    async fn clients_leave_the_rest_to_accounts() {
        let shares = shares();
        let _one = shares.take(client(1), 3, LONG).await.unwrap();
        assert!(shares.is_used_up_by(client(1)) && !shares.is_used_up_by(client(2)));
        assert!(shares.take(client(1), 1, SHORT).await.is_none(), "one client's part");
        let _two = shares.take(client(2), 1, LONG).await.unwrap();
        assert!(shares.take(client(3), 1, SHORT).await.is_none(), "the part of all clients");
        assert!(shares.take(SHOP, 6, LONG).await.is_some());
    }

    #[tokio::test]
    async fn a_large_one_is_not_kept_out_by_small_ones() {
        let shares = shares();
        let first = shares.take(SHOP, 6, LONG).await.unwrap();
        let large = asking(&shares, OTHER, 5).await;
        let small = asking(&shares, Who::Operator, 1).await;
        assert!(!large.is_finished() && !small.is_finished());
        drop(first);
        assert_eq!(large.await.unwrap().unwrap().amount(), 5);
        assert!(small.await.unwrap().is_some());
    }

    #[test]
    fn who_was_turned_away_comes_before_who_has_just_had_it() {
        let shares = Shares::of(Parts { name: "test", all: 1, of_one: 1, of_client: 0, of_clients: 0 });
        let held = shares.try_take(SHOP, 1).unwrap();
        assert!(shares.try_take(OTHER, 1).is_none());
        drop(held);
        assert!(shares.try_take(SHOP, 1).is_none(), "somebody else was turned away before");
        let others = shares.try_take(OTHER, 1).unwrap();
        drop(others);
        assert!(shares.try_take(OTHER, 1).is_none() && shares.try_take(SHOP, 1).is_some());
        assert_eq!(shares.gauge().taken, 0);
    }

    #[tokio::test]
    async fn who_gives_up_waiting_takes_nothing() {
        let shares = shares();
        let held = shares.take(SHOP, 6, LONG).await.unwrap();
        assert!(shares.take(SHOP, 6, SHORT).await.is_none());
        assert!(shares.take(SHOP, 7, LONG).await.is_none(), "more than its part");
        let gone = asking(&shares, SHOP, 2).await;
        gone.abort();
        assert!(gone.await.is_err());
        drop(held);
        assert_eq!(shares.gauge().taken, 0);
        let mut grown = shares.take(SHOP, 2, LONG).await.unwrap();
        assert!(grown.grow(4, LONG).await && !grown.grow(1, SHORT).await);
        assert_eq!((grown.amount(), shares.gauge().taken), (6, 6));
    }
}
