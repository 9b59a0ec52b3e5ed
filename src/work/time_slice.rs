//! Duration of a unit of work: even with a bounded number of rows it may have much to look up.

use std::time::Duration;

use crate::limits;

/// The time of one unit of work.
pub(super) struct UnitTime<E> {
    elapsed: E,
    has_begun: bool,
}

impl<E: Fn() -> Duration> UnitTime<E> {
    /// `elapsed` returns the time since the unit began.
    pub(super) fn new(elapsed: E) -> Self {
        Self { elapsed, has_begun: false }
    }

    /// Returns true if this unit has time for something more. Always true for the first.
    pub(super) fn goes_on(&mut self) -> bool {
        let has_time = (self.elapsed)() < limits::UNIT_DURATION;
        !std::mem::replace(&mut self.has_begun, true) || has_time
    }
}
