//! Models that searches begin to make: anyone may search in any shop, as often as they like.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::clock::Millis;

/// Interval at which a search may begin to make a missing model: searches come so often that those of two shops would
/// throw each other's models away again and again.
const PAUSE_OF_MAKING: Millis = 60_000;

/// Maximum number of models that are built at the same time because of searches.
const BEGUN_AT_ONCE: usize = 2;

/// Permits to make models because of searches.
pub(super) struct BuildPermits(Arc<Semaphore>);

impl Default for BuildPermits {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(BEGUN_AT_ONCE)))
    }
}

impl BuildPermits {
    /// Permit for a search to make a model; hold it while the model is made. `last`, the time when a search last began
    /// this model, becomes `now`. `None` if it has to wait.
    pub(super) fn begin(&self, last: &AtomicI64, now: Millis) -> Option<OwnedSemaphorePermit> {
        let before = last.load(Ordering::SeqCst);
        if now - before < PAUSE_OF_MAKING {
            return None;
        }
        let turn = self.0.clone().try_acquire_owned().ok()?;
        let is_first = last.compare_exchange(before, now, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        is_first.then_some(turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = 7 * PAUSE_OF_MAKING;

    #[test]
    fn a_search_begins_a_model_once_a_minute() {
        let begun = BuildPermits::default();
        let last = AtomicI64::default();
        assert!(begun.begin(&last, NOW).is_some());
        assert!(begun.begin(&last, NOW).is_none());
        assert!(begun.begin(&last, NOW + PAUSE_OF_MAKING - 1).is_none());
        assert!(begun.begin(&AtomicI64::default(), NOW).is_some(), "that of another shop");
        assert!(begun.begin(&last, NOW + PAUSE_OF_MAKING).is_some());
    }

    #[test]
    fn searches_begin_two_models_at_once() {
        let begun = BuildPermits::default();
        let lasts: [AtomicI64; 3] = Default::default();
        let [first, second, third] = lasts.each_ref().map(|last| begun.begin(last, NOW));
        assert!(first.is_some() && second.is_some() && third.is_none());
        drop(first);
        assert!(begun.begin(&lasts[2], NOW).is_some(), "it did not begin before");
        drop(second);
    }
}
