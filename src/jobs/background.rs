//! Background work that is no job: it goes on round by round, one account after the other, and work that is lost with
//! the process is found again by the next look.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::ids::AccountId;

/// Turns of the accounts that wait for a round.
#[derive(Default)]
pub struct BackgroundScan {
    state: Mutex<RoundsState>,
    came: Notify,
}

#[derive(Default)]
struct RoundsState {
    /// Place after which the next round of each account begins.
    waiting: BTreeMap<AccountId, Vec<u8>>,
    /// Account that had the last turn: the one after it is next.
    last: Option<AccountId>,
}

impl BackgroundScan {
    /// Something came for an account: a round is due, from the beginning.
    pub fn schedule(&self, account: AccountId) {
        self.lock().waiting.insert(account, Vec::new());
        self.came.notify_one();
    }

    /// The account's round goes on after a place once all others had theirs, unless it starts over by then.
    pub fn go_on(&self, account: AccountId, after: Vec<u8>) {
        self.lock().waiting.entry(account).or_insert(after);
        self.came.notify_one();
    }

    /// Waits for the next account, and the place after which it goes on. For one worker.
    pub async fn next(&self) -> (AccountId, Vec<u8>) {
        loop {
            let next = self.lock().take_next();
            match next {
                Some(next) => return next,
                None => self.came.notified().await,
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, RoundsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RoundsState {
    fn take_next(&mut self) -> Option<(AccountId, Vec<u8>)> {
        let behind = self.last.map_or(Unbounded, Excluded);
        let next = self.waiting.range((behind, Unbounded)).next().or_else(|| self.waiting.iter().next());
        let account = *next?.0;
        self.last = Some(account);
        self.waiting.remove_entry(&account)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_much_waits_for_all_others_between_two_rounds() {
        let rounds = BackgroundScan::default();
        (1..4).for_each(|account| rounds.schedule(AccountId(account)));
        let mut served = Vec::new();
        for round in 0..5 {
            let Some((account, after)) = rounds.lock().take_next() else { break };
            served.push((account.0, after));
            if account == AccountId(1) {
                rounds.go_on(account, vec![round]);
            }
        }
        let expected = [(1, vec![]), (2, vec![]), (3, vec![]), (1, vec![0]), (1, vec![3])];
        assert_eq!(served, expected);
        // A new request starts at the beginning, and a round that goes on does not take its place.
        rounds.schedule(AccountId(1));
        rounds.go_on(AccountId(1), vec![9]);
        assert_eq!(rounds.lock().take_next(), Some((AccountId(1), vec![])));
    }

    /// Polls the next turn once: there is none yet.
    async fn assert_waits(next: &mut std::pin::Pin<&mut impl Future<Output = (AccountId, Vec<u8>)>>) {
        tokio::select! {
            biased;
            turn = next => panic!("nothing came, and yet {turn:?}"),
            () = std::future::ready(()) => {}
        }
    }

    #[tokio::test]
    async fn a_worker_that_waits_is_woken_by_what_comes_and_by_what_goes_on() {
        let rounds = BackgroundScan::default();
        let most = std::time::Duration::from_secs(5);
        let mut next = std::pin::pin!(rounds.next());
        assert_waits(&mut next).await;
        rounds.schedule(AccountId(1));
        let turn = tokio::time::timeout(most, next).await.expect("it is woken");
        assert_eq!(turn, (AccountId(1), vec![]));
        let mut next = std::pin::pin!(rounds.next());
        assert_waits(&mut next).await;
        rounds.go_on(AccountId(1), vec![7]);
        let turn = tokio::time::timeout(most, next).await.expect("it is woken");
        assert_eq!(turn, (AccountId(1), vec![7]));
    }
}
