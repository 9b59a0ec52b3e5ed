//! Derived state: the trait, and the mark of what is brought up to date.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::BoxFuture;

use crate::ids::AccountId;
use crate::people::subject::SubjectId;

/// State that a node derives from what accounts show. State of an account that is not loaded needs no catching up: the
/// first request makes it.
pub trait Derived: Send + Sync {
    /// Its name in logs.
    fn name(&self) -> &'static str;

    /// Updates the loaded state of an account to what it shows now, or throws it away.
    fn catch_up(&self, account: AccountId) -> BoxFuture<'_, ()>;

    /// Removes people from now on, as if they had never been.
    fn forget<'a>(&'a self, account: AccountId, people: &'a [SubjectId]) -> BoxFuture<'a, ()>;

    /// Number of these people that it knows something of.
    fn count<'a>(&'a self, account: AccountId, people: &'a [SubjectId]) -> BoxFuture<'a, u64>;

    /// True if everything that is loaded shows what its account shows.
    fn is_caught_up(&self) -> bool;
}

/// Something loaded that is brought up to date counts as behind.
pub(super) struct LagGuard(Arc<AtomicUsize>);

impl LagGuard {
    pub(super) fn new(behind: &Arc<AtomicUsize>) -> Self {
        behind.fetch_add(1, Ordering::SeqCst);
        Self(behind.clone())
    }
}

impl Drop for LagGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_brought_up_to_date_is_behind_until_it_ends() {
        let behind = Arc::new(AtomicUsize::default());
        let count = || behind.load(Ordering::SeqCst);
        let first = LagGuard::new(&behind);
        assert_eq!(count(), 1);
        let second = LagGuard::new(&behind);
        assert_eq!(count(), 2);
        drop(first);
        assert_eq!(count(), 1);
        drop(second);
        assert_eq!(count(), 0);
    }
}
