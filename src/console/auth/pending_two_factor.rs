//! Sign-ins waiting for the second factor. They are in memory, for minutes, and grant nothing.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::admission::Tenant;
use crate::clock::{Millis, millis};
use crate::keys::KeyFault;
use crate::keys::secret::random_token;
use crate::limits;
use crate::operators::{Operator, OperatorId};

/// A sign-in with the right password.
#[derive(Clone)]
struct PendingSignIn {
    operator: OperatorId,
    /// Version of the operator when they gave it: any change of the operator ends it.
    version: i64,
    /// From where.
    client: Tenant,
    began: Millis,
    /// Codes that were looked at.
    tries: u32,
}

/// All pending sign-ins, by the content of their cookie.
#[derive(Default)]
pub(crate) struct PendingSignIns(Mutex<HashMap<String, PendingSignIn>>);

impl PendingSignIn {
    fn is_alive(&self, now: Millis) -> bool {
        let is_new = now - self.began < millis(limits::CODE_WAIT_DURATION);
        is_new && self.tries < limits::CODE_TRIES
    }
}

impl PendingSignIns {
    /// Begins one, and returns the content of its cookie.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn begin(&self, operator: &Operator, client: Tenant, now: Millis) -> Result<String, KeyFault> {
        let cookie = random_token()?.to_string();
        let half =
            PendingSignIn { operator: operator.id, version: operator.version, client, began: now, tries: 0 };
        let mut all = self.lock();
        all.retain(|_, half| half.is_alive(now));
        all.insert(cookie.clone(), half);
        Ok(cookie)
    }

    /// True if this client's sign-in waits for a code.
    pub fn is_there(&self, cookie: &str, client: Tenant, now: Millis) -> bool {
        self.lock().get(cookie).is_some_and(|half| half.is_alive(now) && half.client == client)
    }

    /// The operator, with the version they had, for one code more.
    pub fn take_try(&self, cookie: &str, client: Tenant, now: Millis) -> Option<(OperatorId, i64)> {
        let mut all = self.lock();
        let is_its = |half: &PendingSignIn| half.client == client;
        let half = all.get_mut(cookie).filter(|half| half.is_alive(now) && is_its(half))?;
        half.tries += 1;
        Some((half.operator, half.version))
    }

    /// Ends one.
    pub fn end(&self, cookie: &str) {
        self.lock().remove(cookie);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, PendingSignIn>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operators::testing::operator;

    #[test]
    fn a_password_waits_for_its_code_some_minutes_and_for_few_tries() {
        let halves = PendingSignIns::default();
        let here = Tenant::Client([127, 0, 0, 1].into());
        let elsewhere = Tenant::Client([127, 0, 0, 2].into());
        let cookie = halves.begin(&operator(1), here, 0).expect("begun");
        assert!(halves.take_try(&cookie, elsewhere, 1).is_none() && !halves.is_there(&cookie, elsewhere, 1));
        assert!(halves.take_try("nobody", here, 1).is_none());
        for _ in 0..limits::CODE_TRIES {
            assert_eq!(halves.take_try(&cookie, here, 1), Some((operator(1).id, 1)));
        }
        assert!(halves.take_try(&cookie, here, 1).is_none(), "the password has to be given again");
        let cookie = halves.begin(&operator(1), here, 0).expect("begun");
        let end = millis(limits::CODE_WAIT_DURATION);
        assert!(halves.is_there(&cookie, here, end - 1) && !halves.is_there(&cookie, here, end));
        assert!(halves.take_try(&cookie, here, end).is_none());
        let cookie = halves.begin(&operator(1), here, 0).expect("begun");
        halves.end(&cookie);
        assert!(halves.take_try(&cookie, here, 0).is_none());
    }

    #[test]
    fn a_password_that_waits_too_long_is_out_of_memory_when_another_comes() {
        const NOW: Millis = 1_795_262_400_000;
        let halves = PendingSignIns::default();
        let here = Tenant::Client([127, 0, 0, 1].into());
        let begin = |number, at| halves.begin(&operator(number), here, at).expect("begun");
        let end = NOW + millis(limits::CODE_WAIT_DURATION);
        let first = begin(1, NOW);
        let second = begin(2, NOW + 1);
        assert!(halves.is_there(&first, here, end - 1) && !halves.is_there(&first, here, end));
        assert_eq!(halves.take_try(&second, here, end), Some((operator(2).id, 1)));
        let third = begin(3, end);
        assert_eq!(halves.lock().len(), 2, "the first is gone");
        halves.end(&second);
        assert!(!halves.is_there(&second, here, end) && halves.is_there(&third, here, end));
    }
}
