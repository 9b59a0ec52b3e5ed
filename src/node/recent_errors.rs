//! Recently refused requests of each account, for the person who connects a shop. In memory only.
//!
//! Callers with the access key of an account but no secret fill a list of their own, since that key stands in the
//! shop's pages. They push nothing out of the list of callers with the secret, and nothing of another account.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use crate::addresses;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::limits;

/// Requests of an account that were refused with the same words.
#[derive(Clone, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct RefusedRequest {
    /// Time of the newest, in milliseconds since 1970.
    pub at: Millis,
    /// Time of the first.
    pub first_at: Millis,
    /// Number of these requests.
    pub count: u64,
    /// The path of the operation.
    pub path: String,
    /// The status of the answer.
    pub status: u16,
    /// Its sentence, without any address that was sent.
    pub error: String,
    /// True if a live secret of the account was shown; else only its access key was, which everybody may know.
    pub with_secret: bool,
}

/// Refused requests of one account and of one kind of credentials, the newest last.
type Refusals = VecDeque<RefusedRequest>;

/// Refused requests of all accounts.
#[derive(Default)]
pub struct RecentErrors(Mutex<HashMap<(AccountId, bool), Refusals>>);

impl RecentErrors {
    /// Notes that a request of an account was refused.
    pub fn record(&self, account: AccountId, mut refused: RefusedRequest) {
        // Before it is cut: a part of an address would not be known as one.
        let said = addresses::without_addresses(&refused.error).unwrap_or(refused.error);
        refused.error = said.chars().take(limits::REFUSED_SENTENCE_CHARACTERS).collect();
        let mut all = self.lock();
        let key = (account, refused.with_secret);
        if !all.contains_key(&key) && all.len() >= limits::REFUSED_LISTS {
            let newest = |list: &Refusals| list.back().map(|newest| newest.at);
            // Requests without the secret go first: any client can fill them.
            let last = all.iter().min_by_key(|((_, with_secret), list)| (*with_secret, newest(list)));
            let oldest = last.map(|(key, _)| *key);
            oldest.map(|oldest| all.remove(&oldest));
        }
        let list = all.entry(key).or_default();
        let is_same = |known: &RefusedRequest| {
            (&known.path, known.status, &known.error) == (&refused.path, refused.status, &refused.error)
        };
        let same = list.iter().position(is_same);
        if let Some(known) = same.and_then(|same| list.remove(same)) {
            refused.first_at = known.first_at;
            refused.count += known.count;
        }
        list.push_back(refused);
        if list.len() > limits::REFUSED_SHOWN {
            list.pop_front();
        }
    }

    /// Refused requests of an account, the newest first.
    #[must_use]
    pub fn list(&self, account: AccountId) -> Vec<RefusedRequest> {
        let all = self.lock();
        let both = [true, false].into_iter().filter_map(|with_secret| all.get(&(account, with_secret)));
        let mut listed: Vec<_> = both.flatten().cloned().collect();
        listed.sort_by_key(|refused| std::cmp::Reverse(refused.at));
        listed
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<(AccountId, bool), Refusals>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(at: Millis, error: &str, with_secret: bool) -> RefusedRequest {
        let error = error.to_owned();
        RefusedRequest {
            at,
            first_at: at,
            count: 1,
            path: "/api/delta".to_owned(),
            status: 400,
            error,
            with_secret,
        }
    }

    #[test]
    fn what_comes_again_is_counted() {
        let all = RecentErrors::default();
        for (at, error) in [(1, "a"), (2, "b"), (3, "a")] {
            all.record(AccountId(1), refused(at, error, true));
        }
        let listed = all.list(AccountId(1));
        let told: Vec<_> =
            listed.iter().map(|one| (one.error.as_str(), one.first_at, one.at, one.count)).collect();
        assert_eq!(told, [("a", 1, 3, 2), ("b", 2, 2, 1)]);
        assert!(all.list(AccountId(2)).is_empty());
    }

    #[test]
    fn a_list_has_an_end() {
        let all = RecentErrors::default();
        for at in 0..500 {
            all.record(AccountId(1), refused(at, &format!("{at} {}", "x".repeat(900)), true));
        }
        let listed = all.list(AccountId(1));
        assert_eq!((listed.len(), listed[0].at), (limits::REFUSED_SHOWN, 499));
        assert_eq!(listed[0].error.chars().count(), limits::REFUSED_SENTENCE_CHARACTERS);
        for account in 2..5000 {
            all.record(AccountId(account), refused(1000 + account, "a", false));
        }
        assert_eq!(all.lock().len(), limits::REFUSED_LISTS);
        assert_eq!(all.list(AccountId(4999)).len(), 1);
    }

    #[test]
    fn who_has_no_secret_pushes_out_nothing_of_who_has_it() {
        let all = RecentErrors::default();
        all.record(AccountId(1), refused(1, "of the shop's own server", true));
        for at in 2..200 {
            all.record(AccountId(1), refused(at, &at.to_string(), false));
        }
        let listed = all.list(AccountId(1));
        assert_eq!(listed.len(), limits::REFUSED_SHOWN + 1);
        assert!(listed.last().is_some_and(|first| first.with_secret), "the oldest is still there");
    }

    #[test]
    fn no_address_is_kept() {
        let all = RecentErrors::default();
        all.record(AccountId(1), refused(1, "There is no filter named canary@shop.example", true));
        assert!(!all.list(AccountId(1))[0].error.contains("canary@"), "{}", all.list(AccountId(1))[0].error);
    }

    #[test]
    fn only_the_same_words_at_the_same_place_with_the_same_status_are_counted_together() {
        let all = RecentErrors::default();
        let first = || refused(1, "a", true);
        all.record(AccountId(1), first());
        all.record(AccountId(1), RefusedRequest { path: "/api/order".to_owned(), at: 2, ..first() });
        all.record(AccountId(1), RefusedRequest { status: 413, at: 3, ..first() });
        all.record(AccountId(1), refused(4, "a", false));
        all.record(AccountId(1), RefusedRequest { count: 5, ..refused(5, "a", true) });
        all.record(AccountId(2), refused(6, "a", true));
        let listed = all.list(AccountId(1));
        let told: Vec<_> =
            listed.iter().map(|one| (one.at, one.first_at, one.count, one.with_secret)).collect();
        assert_eq!(told, [(5, 1, 6, true), (4, 4, 1, false), (3, 1, 1, true), (2, 1, 1, true)]);
    }

    #[test]
    fn the_list_that_goes_is_the_one_that_was_longest_without_news_and_of_no_secret_first() {
        let all = RecentErrors::default();
        let count = i64::try_from(limits::REFUSED_LISTS).unwrap();
        all.record(AccountId(1), refused(1, "a", true));
        for account in 2..=count {
            all.record(AccountId(account), refused(10 * account, "a", account > 10));
        }
        // Not the oldest any more: news of it came.
        all.record(AccountId(2), refused(99_999, "b", false));
        let is_there = |account| !all.list(AccountId(account)).is_empty();
        all.record(AccountId(count + 1), refused(100_000, "a", true));
        assert_eq!([1, 2, 3, 4].map(is_there), [true, true, false, true]);
        for account in count + 2..count + 10 {
            all.record(AccountId(account), refused(100_000, "a", true));
        }
        assert_eq!([1, 2, 10, 11].map(is_there), [true, false, false, true], "none without a secret is left");
        all.record(AccountId(count + 10), refused(100_000, "a", true));
        assert_eq!([1, 11, 12].map(is_there), [false, true, true]);
        // Who has a list already needs no room.
        all.record(AccountId(11), refused(100_001, "b", true));
        assert!(is_there(12) && all.list(AccountId(11)).len() == 2);
    }
}
