//! Minimum rate at which a body must arrive.

use std::time::Duration;

use super::refusal::Refusal;
use crate::limits;

/// Bytes of a body that have to arrive within [`limits::BODY_RATE_DURATION`].
const PART_BYTES: usize =
    limits::BODY_RATE_MIN_BYTES_PER_SECOND * limits::BODY_RATE_DURATION.as_secs() as usize;

/// Time that a client has kept us waiting for the part of a body that is arriving. Time that the client waits for us
/// does not count; a client that stalls for a moment and then hurries starts again from zero.
#[derive(Default)]
pub struct BodyRate {
    part_bytes: usize,
    waited: Duration,
}

impl BodyRate {
    /// Time that the rest of the part may still take.
    pub fn time_left(&self) -> Duration {
        limits::BODY_RATE_DURATION.saturating_sub(self.waited)
    }

    /// So much has arrived after a wait; the next part begins when this one is full.
    pub fn record_arrival(&mut self, bytes: usize, waited: Duration) {
        self.part_bytes += bytes;
        self.waited += waited;
        if self.part_bytes >= PART_BYTES {
            *self = Self::default();
        }
    }

    /// 408 for a slower client.
    pub fn refusal() -> Refusal {
        Refusal::too_slow(PART_BYTES, limits::BODY_RATE_DURATION)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_stall_is_forgiven_and_dripping_is_not() {
        let mut pace = BodyRate::default();
        let stall = limits::BODY_RATE_DURATION - SECOND;
        for _ in 0..100 {
            pace.record_arrival(1, stall);
            assert_eq!(pace.time_left(), SECOND);
            pace.record_arrival(PART_BYTES - 1, Duration::ZERO);
            assert_eq!(pace.time_left(), limits::BODY_RATE_DURATION);
        }
        for _ in 0..limits::BODY_RATE_DURATION.as_secs() {
            assert!(pace.time_left() > Duration::ZERO);
            pace.record_arrival(limits::BODY_RATE_MIN_BYTES_PER_SECOND - 1, SECOND);
        }
        assert_eq!(pace.time_left(), Duration::ZERO);
    }

    #[test]
    fn whoever_sends_at_the_least_rate_goes_on() {
        let mut pace = BodyRate::default();
        for _ in 0..1000 {
            assert!(pace.time_left() > Duration::ZERO);
            pace.record_arrival(limits::BODY_RATE_MIN_BYTES_PER_SECOND, SECOND);
        }
    }
}
