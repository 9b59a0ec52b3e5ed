//! Tells a slow feed from a dripping one: counts only the time spent waiting for the server, never for the reader.

use std::time::Duration;

use super::fault::FetchFault;
use super::fetch_limits::FetchLimits;

/// The average of the running span.
#[derive(Default)]
pub(super) struct RateMeter {
    waited: Duration,
    bytes: u64,
}

impl RateMeter {
    /// Counts a piece of `bytes` that was waited for.
    ///
    /// # Errors
    /// A transient fault when a full span was too slow.
    pub(super) fn count(
        &mut self,
        waited: Duration,
        bytes: usize,
        limits: &FetchLimits,
    ) -> Result<(), FetchFault> {
        self.waited += waited;
        self.bytes += bytes as u64;
        if self.waited < limits.rate_span {
            return Ok(());
        }
        let span = std::mem::take(self);
        let due = u128::from(limits.rate_min_bytes_per_second) * span.waited.as_millis() / 1000;
        if u128::from(span.bytes) < due {
            return Err(FetchFault::transient("the feed arrives too slowly"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_span_is_a_fault_however_fast_the_one_before_was() {
        let limits = FetchLimits::default();
        let mut pace = RateMeter::default();
        assert!(pace.count(Duration::from_secs(29), 1, &limits).is_ok());
        assert!(pace.count(Duration::from_secs(1), 10_000_000, &limits).is_ok());
        assert!(pace.count(Duration::from_secs(29), 4096 * 30 - 1, &limits).is_ok());
        assert!(pace.count(Duration::from_secs(1), 0, &limits).is_err());
    }

    #[test]
    fn the_slowest_tolerated_pace_is_tolerated() {
        let limits = FetchLimits::default();
        let mut pace = RateMeter::default();
        for _ in 0..200 {
            assert!(pace.count(Duration::from_secs(1), 4096, &limits).is_ok());
        }
    }
}
