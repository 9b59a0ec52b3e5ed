//! Neighbouring words that are written as one elsewhere.

/// Bytes of the shortest join where a letter meets a digit, a part is one letter or a sign stands between the two:
/// `cat 6`, `t shirt`, `a/c`.
const MARKED_JOIN_MIN_BYTES: usize = 2;
/// Bytes of the shortest join of two other words.
const JOIN_MIN_BYTES: usize = 4;

/// Returns true if two neighbours may be one word, by their letters alone. `between` is the text that parts them. Two
/// digits are never joined: they would be another number.
#[must_use]
pub fn may_join(left: &str, right: &str, between: &str) -> bool {
    let left_digit = left.as_bytes().last().is_some_and(u8::is_ascii_digit);
    let right_digit = right.as_bytes().first().is_some_and(u8::is_ascii_digit);
    if left_digit && right_digit {
        return false;
    }
    let bytes = left.len() + right.len();
    let is_letter = |word: &str| word.chars().nth(1).is_none();
    let is_marked = || {
        left_digit != right_digit
            || is_letter(left)
            || is_letter(right)
            || between.contains(|sign: char| !sign.is_whitespace())
    };
    bytes >= JOIN_MIN_BYTES || (bytes >= MARKED_JOIN_MIN_BYTES && is_marked())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_words_are_joined_only_where_something_marks_them() {
        for (left, right, between) in [
            ("cat", "6", " "),
            ("6", "x", " "),
            ("t", "shirt", " "),
            ("vitamin", "c", " "),
            ("a", "c", "/"),
            ("ab", "c", "-"),
            ("ab", "cd", " "),
            ("head", "phone", " "),
        ] {
            assert!(may_join(left, right, between), "{left} {right}");
        }
        for (left, right, between) in [("15", "6", "."), ("x2", "3", " "), ("12", "345", " ")] {
            assert!(!may_join(left, right, between), "{left} {right}");
        }
    }
}
