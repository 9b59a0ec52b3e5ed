//! Limit on new visitors. Each takes a key slot for as long as their data is kept, and any client can send numbers
//! that no cookie ever had. Known visitors do not count, nor do those with a user id or an address.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::clock::Millis;
use crate::ids::AccountId;
use crate::limits;

/// Sender who says that a visitor is new.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VisitorSource {
    /// A client with the secret of the account.
    Secret,
    /// A page that shows the access key alone, at this address: it may take half of the account's budget.
    Client(IpAddr),
}

/// Budget of new visitors, by account and by client address.
pub struct NewVisitors(Mutex<VisitorBuckets>);

struct VisitorBuckets {
    accounts: Buckets<AccountId>,
    /// Part of an account that senders without its secret may take.
    without_secret: Buckets<AccountId>,
    clients: Buckets<IpAddr>,
}

/// So many at a stroke, then one each time that `step` has gone by.
pub(super) struct Buckets<K> {
    size: i64,
    step: Millis,
    /// Time at which each will be full again; a full one has no entry, or an old one.
    full_at: HashMap<K, Millis>,
}

/// The new visitors of one unit of work, which may run several times before it is committed: each run begins with
/// [`VisitorReservation::begin`]. What the last run took is counted unless [`VisitorReservation::put_back`] says that
/// nothing was committed.
pub struct VisitorReservation {
    of: Arc<NewVisitors>,
    account: AccountId,
    asker: VisitorSource,
    taken: Mutex<i64>,
}

impl Default for NewVisitors {
    fn default() -> Self {
        let second = limits::NEW_VISITORS_PER_SECOND;
        let stroke = limits::NEW_VISITORS_AT_A_STROKE;
        let minute = limits::NEW_VISITORS_OF_CLIENT_PER_MINUTE;
        Self(Mutex::new(VisitorBuckets {
            accounts: Buckets::new(stroke, 1_000 / second),
            without_secret: Buckets::new(stroke / 2, 2_000 / second),
            clients: Buckets::new(minute, 60_000 / minute),
        }))
    }
}

impl NewVisitors {
    /// The new visitors of a unit of work.
    #[must_use]
    pub fn entry(self: &Arc<Self>, account: AccountId, asker: VisitorSource) -> VisitorReservation {
        VisitorReservation { of: self.clone(), account, asker, taken: Mutex::default() }
    }

    /// Drops the full buckets.
    pub fn retain_recent(&self, now: Millis) {
        let VisitorBuckets { accounts, without_secret, clients } = &mut *self.lock();
        accounts.retain_recent(now);
        without_secret.retain_recent(now);
        clients.retain_recent(now);
    }

    fn lock(&self) -> MutexGuard<'_, VisitorBuckets> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl VisitorReservation {
    /// A run of the unit of work begins: the takings of an earlier one were not committed.
    pub fn begin(&self) {
        self.put_back();
    }

    /// Counts one more; false when there is none left.
    #[must_use]
    pub fn try_take(&self, now: Millis) -> bool {
        let mut state = self.of.lock();
        let is_left = state.has_room(self.account, self.asker, now);
        if is_left {
            state.take_tokens(self.account, self.asker, now);
            *self.lock_taken() += 1;
        }
        is_left
    }

    /// Nothing was committed: gives back the takings.
    pub fn put_back(&self) {
        let taken = std::mem::take(&mut *self.lock_taken());
        self.of.lock().put_back(self.account, self.asker, taken);
    }

    fn lock_taken(&self) -> MutexGuard<'_, i64> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl VisitorBuckets {
    fn has_room(&mut self, account: AccountId, asker: VisitorSource, now: Millis) -> bool {
        let of_asker = match asker {
            VisitorSource::Secret => true,
            VisitorSource::Client(address) => {
                self.clients.has_room(&address, now) && self.without_secret.has_room(&account, now)
            }
        };
        of_asker && self.accounts.has_room(&account, now)
    }

    fn take_tokens(&mut self, account: AccountId, asker: VisitorSource, now: Millis) {
        self.accounts.take_token(account, now);
        if let VisitorSource::Client(address) = asker {
            self.without_secret.take_token(account, now);
            self.clients.take_token(address, now);
        }
    }

    fn put_back(&mut self, account: AccountId, asker: VisitorSource, count: i64) {
        self.accounts.put_back(&account, count);
        if let VisitorSource::Client(address) = asker {
            self.without_secret.put_back(&account, count);
            self.clients.put_back(&address, count);
        }
    }
}

impl<K: Eq + Hash> Buckets<K> {
    pub(super) fn new(size: i64, step: Millis) -> Self {
        Self { size, step, full_at: HashMap::new() }
    }

    /// Returns true if one is left. None is left for a key whose bucket was dropped: a client cannot make room for
    /// itself with ever new addresses.
    pub(super) fn has_room(&mut self, key: &K, now: Millis) -> bool {
        let count = self.full_at.len();
        let Some(full_at) = self.full_at.get_mut(key) else { return count < limits::NEW_VISITORS_BUCKETS };
        // A clock that was put back leaves an empty one at the worst.
        *full_at = (*full_at).min(now + self.size * self.step);
        *full_at <= now + (self.size - 1) * self.step
    }

    pub(super) fn take_token(&mut self, key: K, now: Millis) {
        let full_at = self.full_at.entry(key).or_insert(now);
        *full_at = (*full_at).max(now) + self.step;
    }

    pub(super) fn retain_recent(&mut self, now: Millis) {
        self.full_at.retain(|_, full_at| *full_at > now);
    }

    fn put_back(&mut self, key: &K, count: i64) {
        if let Some(full_at) = self.full_at.get_mut(key) {
            *full_at -= count * self.step;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOP: AccountId = AccountId(1);
    const NOW: Millis = 1_795_600_000_000;

    fn take_all(entry: &VisitorReservation, now: Millis) -> i64 {
        (0..).take_while(|_| entry.try_take(now)).count() as i64
    }

    fn client(last: u8) -> VisitorSource {
        VisitorSource::Client(IpAddr::from([192, 0, 2, last]))
    }

    #[test]
    fn a_shop_has_so_many_at_a_stroke_and_then_so_many_a_second() {
        let visitors = Arc::new(NewVisitors::default());
        let stroke = limits::NEW_VISITORS_AT_A_STROKE;
        assert_eq!(take_all(&visitors.entry(SHOP, VisitorSource::Secret), NOW), stroke);
        assert_eq!(
            take_all(&visitors.entry(SHOP, VisitorSource::Secret), NOW + 999),
            limits::NEW_VISITORS_PER_SECOND - 1
        );
        assert_eq!(take_all(&visitors.entry(SHOP, VisitorSource::Secret), NOW + 1_000), 1);
        assert_eq!(
            take_all(&visitors.entry(AccountId(2), VisitorSource::Secret), NOW),
            stroke,
            "another has its own"
        );
        assert_eq!(
            take_all(&visitors.entry(SHOP, VisitorSource::Secret), NOW + 3_600_000),
            stroke,
            "and never more"
        );
        // A clock that is put back by a year leaves none for half a minute, not for a year.
        let before = NOW - 365 * 24 * 3_600_000;
        let entry = visitors.entry(SHOP, VisitorSource::Secret);
        assert_eq!(take_all(&entry, before), 0);
        assert_eq!(take_all(&entry, before + 1_000), limits::NEW_VISITORS_PER_SECOND);
    }

    #[test]
    fn what_was_not_committed_is_given_back() {
        let visitors = Arc::new(NewVisitors::default());
        let stroke = limits::NEW_VISITORS_AT_A_STROKE;
        for _ in 0..3 {
            let entry = visitors.entry(SHOP, VisitorSource::Secret);
            assert_eq!(take_all(&entry, NOW), stroke);
            entry.begin();
            assert_eq!(take_all(&entry, NOW), stroke, "it runs again");
            entry.put_back();
        }
        assert!(visitors.entry(SHOP, VisitorSource::Secret).try_take(NOW));
        assert_eq!(
            take_all(&visitors.entry(SHOP, VisitorSource::Secret), NOW),
            stroke - 1,
            "what was is not"
        );
    }

    #[test]
    fn who_has_no_secret_leaves_half_and_has_a_part_of_their_address() {
        let visitors = Arc::new(NewVisitors::default());
        let stroke = limits::NEW_VISITORS_AT_A_STROKE;
        let of_one = limits::NEW_VISITORS_OF_CLIENT_PER_MINUTE;
        assert_eq!(take_all(&visitors.entry(SHOP, client(0)), NOW), of_one);
        assert_eq!(take_all(&visitors.entry(SHOP, client(0)), NOW + 6_000), 1);
        let now = NOW + 6_000;
        let others: i64 = (1..=255).map(|last| take_all(&visitors.entry(SHOP, client(last)), now)).sum();
        assert_eq!(others, stroke / 2 - 1);
        assert_eq!(take_all(&visitors.entry(SHOP, VisitorSource::Secret), now), stroke / 2);
    }

    #[test]
    fn there_are_so_many_buckets_and_those_that_are_full_again_go() {
        let visitors = Arc::new(NewVisitors::default());
        let address = |number: usize| VisitorSource::Client(IpAddr::from((number as u32).to_be_bytes()));
        let mut accounts = (0..).map(|number| AccountId(number / 100));
        for number in 0..limits::NEW_VISITORS_BUCKETS {
            assert!(visitors.entry(accounts.next().unwrap(), address(number)).try_take(NOW));
        }
        let entry = visitors.entry(AccountId(1 << 40), address(limits::NEW_VISITORS_BUCKETS));
        assert!(!entry.try_take(NOW));
        visitors.retain_recent(NOW + 60_000);
        assert!(entry.try_take(NOW + 60_000));
        assert_eq!(visitors.lock().clients.full_at.len(), 1);
    }

    /// The number of buckets of accounts, of their parts without a secret, and of clients.
    fn count_buckets(visitors: &NewVisitors) -> [usize; 3] {
        let state = visitors.lock();
        [state.accounts.full_at.len(), state.without_secret.full_at.len(), state.clients.full_at.len()]
    }

    #[test]
    fn each_bucket_goes_at_the_millisecond_at_which_it_is_full_again() {
        let visitors = Arc::new(NewVisitors::default());
        assert!(visitors.entry(SHOP, client(1)).try_take(NOW));
        for (after, left) in [
            (49, [1, 1, 1]),
            (50, [0, 1, 1]),
            (99, [0, 1, 1]),
            (100, [0, 0, 1]),
            (5_999, [0, 0, 1]),
            (6_000, [0, 0, 0]),
        ] {
            visitors.retain_recent(NOW + after);
            assert_eq!(count_buckets(&visitors), left, "{after}");
        }
    }

    #[test]
    fn what_a_client_gives_back_is_in_each_of_its_buckets() {
        let visitors = Arc::new(NewVisitors::default());
        let entry = visitors.entry(SHOP, client(1));
        let of_one = limits::NEW_VISITORS_OF_CLIENT_PER_MINUTE;
        assert_eq!(take_all(&entry, NOW), of_one);
        let full_at = || {
            let state = visitors.lock();
            let of_client = state.clients.full_at.values().sum::<Millis>();
            [state.accounts.full_at[&SHOP], state.without_secret.full_at[&SHOP], of_client]
        };
        assert_eq!(full_at(), [NOW + 50 * of_one, NOW + 100 * of_one, NOW + 6_000 * of_one]);
        entry.put_back();
        assert_eq!(full_at(), [NOW; 3]);
        entry.put_back();
        assert_eq!(full_at(), [NOW; 3], "it is given back once");
    }
}
