//! Work behind everybody's back that is no job: it goes on round by round, an account after the other, and what is lost
//! of it with the process is found again by whoever looks.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

use crate::ids::AccountId;

/// Whose turn it is next, and behind which place its round begins: each account once.
#[derive(Default)]
pub struct Rounds {
    waiting: Mutex<VecDeque<(AccountId, Vec<u8>)>>,
    came: Notify,
}

impl Rounds {
    /// Something came of an account: a round is due, from the beginning.
    pub fn ask(&self, account: AccountId) {
        let mut waiting = self.lock();
        match waiting.iter_mut().find(|(known, _)| *known == account) {
            Some((_, after)) => after.clear(),
            None => waiting.push_back((account, Vec::new())),
        }
        drop(waiting);
        self.came.notify_one();
    }

    /// The account's round goes on behind a place once all others had theirs, unless it begins anew by then.
    pub fn go_on(&self, account: AccountId, after: Vec<u8>) {
        let mut waiting = self.lock();
        if waiting.iter().all(|(known, _)| *known != account) {
            waiting.push_back((account, after));
        }
        drop(waiting);
        self.came.notify_one();
    }

    /// Waits for the next account, and the place behind which it goes on. For one worker.
    pub async fn next(&self) -> (AccountId, Vec<u8>) {
        loop {
            let next = self.lock().pop_front();
            match next {
                Some(next) => return next,
                None => self.came.notified().await,
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<(AccountId, Vec<u8>)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
