//! The work that a search may do, counted in steps: the same search does the same work on every machine.

use std::cell::Cell;

/// The steps that a search has left: reading the list of a word, or a product, is one.
#[derive(Debug)]
pub struct StepBudget {
    left: Cell<u64>,
    is_spent: Cell<bool>,
}

impl StepBudget {
    /// A budget of this many steps.
    #[must_use]
    pub const fn new(steps: u64) -> Self {
        Self { left: Cell::new(steps), is_spent: Cell::new(false) }
    }

    /// Takes steps. If too few are left, none is left afterwards, and the search has to end.
    #[inline]
    pub fn spend(&self, steps: usize) {
        match self.left.get().checked_sub(steps as u64) {
            Some(left) => self.left.set(left),
            None => {
                self.left.set(0);
                self.is_spent.set(true);
            }
        }
    }

    /// Returns true if the steps did not suffice: the search found only a part.
    #[inline]
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.is_spent.get()
    }
}
