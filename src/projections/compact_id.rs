//! The id of an item as the listing keeps it: short ones without a heap allocation of their own.

use std::borrow::Borrow;
use std::cmp::Ordering;

/// The longest id that needs no place of its own.
const SHORT_BYTES: usize = 22;

/// An id, 24 bytes in all as long as it is short.
pub(super) enum ListedId {
    Short { bytes: u8, text: [u8; SHORT_BYTES] },
    Long(Box<str>),
}

impl ListedId {
    pub(super) fn as_str(&self) -> &str {
        match self {
            // Written from a text, whole.
            Self::Short { bytes, text } => std::str::from_utf8(&text[..usize::from(*bytes)]).unwrap_or(""),
            Self::Long(text) => text,
        }
    }

    /// Memory besides the 24 bytes, in bytes.
    pub(super) fn outside_bytes(text: &str) -> usize {
        if text.len() <= SHORT_BYTES { 0 } else { text.len() }
    }
}

impl From<&str> for ListedId {
    fn from(id: &str) -> Self {
        let mut text = [0; SHORT_BYTES];
        match text.get_mut(..id.len()) {
            Some(start) => {
                start.copy_from_slice(id.as_bytes());
                Self::Short { bytes: id.len() as u8, text }
            }
            None => Self::Long(id.into()),
        }
    }
}

impl Borrow<str> for ListedId {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq for ListedId {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for ListedId {}

impl PartialOrd for ListedId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ListedId {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_of_any_length_is_read_as_it_was_written_and_orders_as_its_text() {
        for id in ["", "7", "ä".repeat(11).as_str(), "ä".repeat(12).as_str(), "x".repeat(600).as_str()] {
            assert_eq!(ListedId::from(id).as_str(), id);
        }
        let long = "b".repeat(40);
        assert!(
            ListedId::from("a") < ListedId::from(long.as_str())
                && ListedId::from(long.as_str()) < ListedId::from("c")
        );
        assert_eq!(size_of::<ListedId>(), 24);
    }

    #[test]
    fn an_id_of_more_than_22_bytes_takes_its_bytes_beside() {
        let bytes = [0, 22, 23].map(|bytes| ListedId::outside_bytes(&"x".repeat(bytes)));
        assert_eq!(bytes, [0, 0, 23]);
        assert!(ListedId::from("a") == ListedId::from("a") && ListedId::from("a") != ListedId::from("b"));
        assert_eq!(ListedId::from("b").partial_cmp(&ListedId::from("a")), Some(Ordering::Greater));
    }
}
