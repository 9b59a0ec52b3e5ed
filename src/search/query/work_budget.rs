//! The work that a search may do, counted in steps: the same search does the same work on every machine.

use std::cell::Cell;

/// The steps that a search has left: reading the list of a word, a product or a variant is one.
#[derive(Debug)]
pub struct StepBudget {
    /// Below 0 when the steps did not suffice. Signed, so that spending is a subtraction without a branch.
    left: Cell<i64>,
}

impl StepBudget {
    /// A budget of this many steps.
    #[must_use]
    pub fn new(steps: u64) -> Self {
        Self { left: Cell::new(i64::try_from(steps).unwrap_or(i64::MAX)) }
    }

    /// Takes steps. If too few are left, the search has to end.
    #[inline]
    pub fn spend(&self, steps: usize) {
        self.left.set(self.left.get().wrapping_sub_unsigned(steps as u64));
    }

    /// Returns true if the steps did not suffice: the search found only a part.
    #[inline]
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.left.get() < 0
    }
}
