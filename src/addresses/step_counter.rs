//! Counts the steps of matchers, in tests only: they prove that the work is linear in the length of a text.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Adds letters that were read.
#[cfg(test)]
pub(crate) fn add(steps: usize) {
    STEPS.set(STEPS.get() + steps);
}

/// Adds nothing outside of tests.
#[cfg(not(test))]
pub(crate) const fn add(_: usize) {}

/// Counts the letters that `work` reads.
#[cfg(test)]
pub(crate) fn count(work: impl FnOnce()) -> usize {
    STEPS.set(0);
    work();
    STEPS.get()
}
