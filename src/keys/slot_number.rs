//! Number of a key slot.

use std::ops::Range;

use crate::limits::KEY_FILE_SLOTS;

/// Number of a slot of the key file; rows name it. Says nothing about whose it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SlotNumber(pub(super) u32);

impl SlotNumber {
    /// As it stands in a row.
    #[must_use]
    pub fn row(self) -> i64 {
        i64::from(self.0)
    }

    /// From a row; `None` for a number that no key file can hold.
    #[must_use]
    pub fn from_row(number: i64) -> Option<Self> {
        u32::try_from(number).ok().filter(|number| *number < KEY_FILE_SLOTS).map(Self)
    }

    /// As an index, counted from 0.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }

    /// The slots in a range of indices.
    pub(super) fn span(range: Range<u32>) -> impl DoubleEndedIterator<Item = Self> {
        range.map(Self)
    }

    pub(super) fn offset(self) -> u64 {
        offset_of(self.0)
    }
}

impl std::fmt::Display for SlotNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

pub(super) fn offset_of(index: u32) -> u64 {
    (u64::from(index) + 1) * BLOCK_BYTES as u64
}

/// Size of a block: a divisor of every sector, so that a power cut leaves the whole block written or none.
pub(super) const BLOCK_BYTES: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_no_key_file_can_hold_is_none() {
        let row = |number| SlotNumber::from_row(number).map(SlotNumber::row);
        let end = i64::from(KEY_FILE_SLOTS);
        assert_eq!([row(0), row(7), row(end - 1)], [Some(0), Some(7), Some(end - 1)]);
        assert_eq!([row(-1), row(end), row(1 << 32)], [None; 3]);
        let slot = SlotNumber(7);
        assert_eq!((slot.index(), slot.offset(), slot.to_string().as_str()), (7, 512, "7"));
    }
}
