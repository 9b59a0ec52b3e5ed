//! Permission to remove old data. A clock that was set ahead by mistake makes everything old at once, and removed data
//! does not come back when the clock is set right.

use std::time::Instant;

use crate::clock::{Millis, millis};
use crate::limits;

/// Compares the wall clock with a clock that cannot be set.
#[derive(Default)]
pub(super) struct ClockComparison {
    /// Times of both clocks at the last look.
    last: Option<(Millis, Instant)>,
    /// Time until which nothing is removed for its age.
    held_until: Option<Instant>,
}

impl ClockComparison {
    /// Returns true if data that is old by `now` may be removed. After a jump ahead of more than
    /// [`limits::CLOCK_JUMP_DURATION`] it returns false for [`limits::CLOCK_REST_DURATION`].
    pub(super) fn may_remove(&mut self, now: Millis, at: Instant) -> bool {
        if let Some((then, since)) = self.last.replace((now, at)) {
            let ahead = now - then - millis(at.saturating_duration_since(since));
            if ahead > millis(limits::CLOCK_JUMP_DURATION) {
                let hours = ahead / (60 * 60 * 1000);
                tracing::error!(hours, "the clock was set ahead: nothing is removed for its age for a day");
                self.held_until = Some(at + limits::CLOCK_REST_DURATION);
            }
        }
        self.held_until.is_none_or(|until| at >= until)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_clock_that_jumps_ahead_removes_nothing_for_a_day() {
        let began = Instant::now();
        let mut ageing = ClockComparison::default();
        let mut look = |wall: Duration, passed: Duration| ageing.may_remove(millis(wall), began + passed);
        let day = Duration::from_secs(24 * 3600);
        let moment = Duration::from_secs(5);
        assert!(look(day, Duration::ZERO));
        assert!(look(day + moment, moment));
        // Days without a look are no jump, and neither is an hour.
        assert!(look(3 * day, 2 * day));
        assert!(look(3 * day + limits::CLOCK_JUMP_DURATION, 2 * day));
        assert!(!look(400 * day, 2 * day + moment));
        assert!(!look(400 * day + moment, 2 * day + 2 * moment));
        // It is set right again: data written meanwhile is not older than it was.
        assert!(!look(3 * day, 2 * day + 3 * moment));
        assert!(look(4 * day, 3 * day + 3 * moment));
    }

    #[test]
    fn removal_rests_from_a_millisecond_too_much_to_the_end_of_its_rest() {
        let began = Instant::now();
        let ahead = limits::CLOCK_JUMP_DURATION + Duration::from_millis(1);
        let rest = limits::CLOCK_REST_DURATION;
        for (passed, is_removed) in [(rest - Duration::from_nanos(1), false), (rest, true)] {
            let mut ageing = ClockComparison::default();
            assert!(ageing.may_remove(0, began));
            assert!(!ageing.may_remove(millis(ahead), began));
            assert_eq!(ageing.may_remove(millis(ahead + passed), began + passed), is_removed, "{passed:?}");
        }
    }
}
