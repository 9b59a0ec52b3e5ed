//! Detects requests that say they were forwarded, from an address that is not named as a proxy.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::clock::{Millis, millis};

/// Time that one such request is reported. A proxy forwards some each day; the header of a single client is reported
/// no longer than this.
const TOLD_DURATION: Duration = Duration::from_secs(24 * 3600);

/// Time of the newest such request. Nothing else is kept: any client can write the header.
pub struct UnnamedProxy(AtomicI64);

impl Default for UnnamedProxy {
    fn default() -> Self {
        Self(AtomicI64::new(i64::MIN))
    }
}

impl UnnamedProxy {
    /// Notes one. True when there was none within a day: then it is worth a line in the log.
    pub fn record_request(&self, now: Millis) -> bool {
        let before = self.0.swap(now, Ordering::Relaxed);
        now.saturating_sub(before) > millis(TOLD_DURATION)
    }

    /// Returns true if there was one within a day.
    pub fn is_told(&self, now: Millis) -> bool {
        now.saturating_sub(self.0.load(Ordering::Relaxed)) <= millis(TOLD_DURATION)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_told_once_and_for_a_day() {
        let day = millis(TOLD_DURATION);
        let seen = UnnamedProxy::default();
        assert!(!seen.is_told(1_000));
        assert!(seen.record_request(1_000));
        assert!(
            !seen.record_request(2_000) && !seen.record_request(1_500 + day) && seen.is_told(1_500 + day)
        );
        assert!(!seen.is_told(1_501 + 2 * day));
        assert!(seen.record_request(1_501 + 2 * day));
    }

    #[test]
    fn one_is_told_to_the_last_millisecond_of_its_day() {
        let day = millis(TOLD_DURATION);
        let seen = UnnamedProxy::default();
        assert!(seen.record_request(0) && !seen.record_request(day));
        assert_eq!([2 * day, 2 * day + 1].map(|now| seen.is_told(now)), [true, false]);
        assert!(seen.record_request(2 * day + 1));
    }
}
