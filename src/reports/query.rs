//! Searches as they are counted: without anything that may identify the searcher.

use aws_lc_rs::digest::{SHA256, digest};
use lethe_verify::hex;

use crate::addresses;
use crate::limits;

/// Digits that, also with other signs between them, may be a number of a telephone, a card or a customer.
const DIGITS_OF_NUMBER: usize = 7;

/// Bytes of a mark: enough for all searches of a shop.
const MARK_BYTES: usize = 8;

/// A search as it is counted: small letters, single spaces. `None` when nothing is left, when it is too long to be a
/// search, and when it seems to hold an email address or a long number.
#[must_use]
pub fn normalize(typed: &str) -> Option<String> {
    let query = lowercase_words(typed);
    let may_name = query.contains('@') || addresses::holds_address(&query) || holds_number(&query);
    let is_kept = !may_name;
    (is_kept && !query.is_empty() && query.len() <= limits::QUERY_COUNTED_BYTES).then_some(query)
}

/// The typed text in small letters, with single spaces.
#[must_use]
pub fn lowercase_words(typed: &str) -> String {
    let words = typed.split(|sign: char| sign.is_whitespace() || sign.is_control());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ").to_lowercase()
}

fn holds_number(query: &str) -> bool {
    let mut digits = 0;
    query.chars().any(|sign| {
        if sign.is_numeric() {
            digits += 1;
        } else if sign.is_alphabetic() {
            digits = 0;
        }
        digits >= DIGITS_OF_NUMBER
    })
}

/// Mark that stands for a counted search where its text must not be readable: 16 digits.
#[must_use]
pub fn mark(query: &str) -> String {
    hex::encode(&digest(&SHA256, query.as_bytes()).as_ref()[..MARK_BYTES])
}

/// Returns true if a text can be a [`mark`].
#[must_use]
pub fn is_mark(text: &str) -> bool {
    text.len() == 2 * MARK_BYTES && text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_say_who_searched_is_dropped_at_the_door() {
        let longest = "x".repeat(limits::QUERY_COUNTED_BYTES);
        let kept =
            ["Lamp", " red\t LAMP  ", "iphone 13 128 gb 2024", "12345-6 x", "größe 42", "123456", "x123456"];
        for kept in kept.into_iter().chain([longest.as_str()]) {
            assert!(normalize(kept).is_some(), "{kept}");
        }
        assert_eq!(normalize(" red\t LAMP  ").as_deref(), Some("red lamp"));
        let long = format!("{longest}x");
        let dropped = [
            "",
            "   ",
            "ann@example.com",
            "mail ann(at)@x",
            "0151 2345678",
            "+44 20 7946-0958",
            "4111111111111111",
            "1234567",
            "12345 67",
            "1a2345678",
            "ada%40mail.example",
        ];
        for dropped in dropped.into_iter().chain([long.as_str()]) {
            assert!(normalize(dropped).is_none(), "{dropped}");
        }
    }
}
