//! How long a unit of work goes on: what has a bounded number of rows may still have much to look up.

use std::time::Duration;

use crate::limits;

/// The time of one unit of work.
pub(super) struct UnitTime<E> {
    elapsed: E,
    has_begun: bool,
}

impl<E: Fn() -> Duration> UnitTime<E> {
    /// `elapsed` says how long the unit has been going on.
    pub(super) fn of(elapsed: E) -> Self {
        Self { elapsed, has_begun: false }
    }

    /// Whether something more is done in this unit. The first in any case.
    pub(super) fn goes_on(&mut self) -> bool {
        // red: work::spares::tests::a_unit_of_work_ends_by_time_too
        let has_time = mutant!("a-unit-goes-on-for-ever", (self.elapsed)() < limits::UNIT_DURATION, true);
        !std::mem::replace(&mut self.has_begun, true) || has_time
    }
}
