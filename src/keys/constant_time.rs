//! Comparison in constant time.

/// Returns true if two byte strings are equal, in a time that depends only on their lengths.
#[must_use]
pub fn constant_time_eq(one: &[u8], other: &[u8]) -> bool {
    aws_lc_rs::constant_time::verify_slices_are_equal(one, other).is_ok()
}
