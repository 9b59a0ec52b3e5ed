//! Throttle of sign-ins: clients that gave wrong passwords wait.

use std::collections::HashSet;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::admission::Permit;
use crate::limits;
use crate::operators::OperatorId;

/// Clients whose tries are remembered before those are forgotten that tried nothing lately.
pub(super) const REMEMBERED_CLIENTS: usize = 1000;

/// Rate limits of password tries.
pub(crate) struct SignInThrottle {
    /// By client address.
    pub(super) tries: DefaultKeyedRateLimiter<std::net::IpAddr>,
    /// By operator, for clients with their password or a session of theirs, from any number of addresses.
    of_operator: DefaultKeyedRateLimiter<OperatorId>,
    /// Addresses from which an operator signed in: they wait for each other alone, not for everybody else who tries.
    known: Mutex<HashSet<std::net::IpAddr>>,
    pub(super) turn_of_known: Arc<Semaphore>,
}

/// A turn to have a password looked at.
pub(crate) enum PasswordTurn {
    Of(#[expect(dead_code, reason = "held")] Permit),
    Known(#[expect(dead_code, reason = "held")] OwnedSemaphorePermit),
}

impl SignInThrottle {
    pub fn new() -> Self {
        let tries = NonZeroU32::new(limits::SIGN_INS_OF_MINUTE).unwrap_or(NonZeroU32::MIN);
        let codes = NonZeroU32::new(limits::CODES_OF_OPERATOR).unwrap_or(NonZeroU32::MIN);
        let quota = Quota::with_period(limits::CODE_OF_OPERATOR_DURATION);
        Self {
            tries: RateLimiter::keyed(Quota::per_minute(tries)),
            of_operator: RateLimiter::keyed(quota.unwrap_or(Quota::per_minute(codes)).allow_burst(codes)),
            known: Mutex::default(),
            turn_of_known: Arc::new(Semaphore::new(1)),
        }
    }

    /// Counts a try of a code, or of the password of a signed-in operator. True if it may be checked.
    pub fn may_try(&self, operator: OperatorId) -> bool {
        self.of_operator.check_key(&operator).is_ok()
    }

    pub(super) fn is_known(&self, address: std::net::IpAddr) -> bool {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).contains(&address)
    }

    pub(super) fn remember(&self, address: std::net::IpAddr) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= REMEMBERED_CLIENTS {
            known.clear();
        }
        known.insert(address);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_addresses_are_known_and_the_newest_among_them() {
        let throttle = SignInThrottle::new();
        let address = |number: usize| std::net::IpAddr::from((number as u128).to_be_bytes());
        for number in 0..REMEMBERED_CLIENTS {
            throttle.remember(address(number));
        }
        assert!(throttle.is_known(address(0)) && throttle.is_known(address(REMEMBERED_CLIENTS - 1)));
        throttle.remember(address(REMEMBERED_CLIENTS));
        assert!(throttle.is_known(address(REMEMBERED_CLIENTS)) && !throttle.is_known(address(0)));
    }
}
