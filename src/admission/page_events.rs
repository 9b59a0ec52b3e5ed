//! Rate limit of the events that a shop's pages send. Pages have no secret, so anybody can send such events, from many
//! addresses.

use std::sync::{Arc, Mutex, PoisonError};

use super::new_visitors::Buckets;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::limits;

/// Events that pages may still send, by account. None is given back; the budget refills with time.
pub struct PageEvents(Mutex<Buckets<AccountId>>);

impl Default for PageEvents {
    fn default() -> Self {
        let step = 1_000 / limits::PAGE_EVENTS_PER_SECOND;
        Self(Mutex::new(Buckets::new(limits::PAGE_EVENTS_AT_A_STROKE, step)))
    }
}

impl PageEvents {
    /// Counts one more of an account; false when there is none left.
    #[must_use]
    pub fn try_take(self: &Arc<Self>, account: AccountId, now: Millis) -> bool {
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_left = left.has_room(&account, now);
        if is_left {
            left.take_token(account, now);
        }
        is_left
    }

    /// Drops the full buckets.
    pub fn retain_recent(&self, now: Millis) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain_recent(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_have_buckets_of_their_own_until_these_are_full_again() {
        const NOW: Millis = 1_795_600_000_000;
        const STEP: Millis = 40;
        let events = Arc::new(PageEvents::default());
        for number in 0..limits::NEW_VISITORS_BUCKETS as i64 {
            assert!(events.try_take(AccountId(number), NOW));
        }
        let another = AccountId(-1);
        events.retain_recent(NOW + STEP - 1);
        assert!(!events.try_take(another, NOW + STEP - 1), "no bucket is full again");
        events.retain_recent(NOW + STEP);
        assert!(events.try_take(another, NOW + STEP));
    }
}
