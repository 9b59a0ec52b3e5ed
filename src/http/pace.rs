//! How slowly a body may arrive.

use std::time::Duration;

use super::refusal::Refusal;
use crate::limits;

/// What of a body has to arrive within [`limits::BODY_RATE_DURATION`].
const PART_BYTES: usize =
    limits::BODY_RATE_MIN_BYTES_PER_SECOND * limits::BODY_RATE_DURATION.as_secs() as usize;

/// How long a client has kept us waiting for the part of a body that is arriving. What it waits for us does not count;
/// who stalls for a moment and then hurries begins anew.
#[derive(Default)]
pub struct Pace {
    part_bytes: usize,
    waited: Duration,
}

impl Pace {
    /// How much longer the rest of the part may take.
    pub fn left(&self) -> Duration {
        limits::BODY_RATE_DURATION.saturating_sub(self.waited)
    }

    /// So much has arrived after a wait; the next part begins when this one is full.
    pub fn note(&mut self, bytes: usize, waited: Duration) {
        self.part_bytes += bytes;
        self.waited += waited;
        if self.part_bytes >= PART_BYTES {
            *self = Self::default();
        }
    }

    /// 408 for who was slower.
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
        let mut pace = Pace::default();
        let stall = limits::BODY_RATE_DURATION - SECOND;
        for _ in 0..100 {
            pace.note(1, stall);
            assert_eq!(pace.left(), SECOND);
            pace.note(PART_BYTES - 1, Duration::ZERO);
            assert_eq!(pace.left(), limits::BODY_RATE_DURATION);
        }
        for _ in 0..limits::BODY_RATE_DURATION.as_secs() {
            assert!(pace.left() > Duration::ZERO);
            pace.note(limits::BODY_RATE_MIN_BYTES_PER_SECOND - 1, SECOND);
        }
        assert_eq!(pace.left(), Duration::ZERO);
    }

    #[test]
    fn whoever_sends_at_the_least_rate_goes_on() {
        let mut pace = Pace::default();
        for _ in 0..1000 {
            assert!(pace.left() > Duration::ZERO);
            pace.note(limits::BODY_RATE_MIN_BYTES_PER_SECOND, SECOND);
        }
    }
}
