//! Phone numbers in running text. Catalogues are full of numbers: a number counts only if it is written as a phone
//! number, in international form (`+44 20 7946 0958`) or with its area code in brackets (`(020) 7946 0958`). An EAN has
//! neither sign.

use memchr::memchr2_iter;

use crate::addresses::step_counter;

/// Digits of a number with its area code.
const DIGITS: std::ops::RangeInclusive<usize> = 9..=15;

/// No number is longer: each digit with three signs after it.
const NUMBER_BYTES: usize = 4 * *DIGITS.end();

/// Returns true if a text, or the JSON of one, holds a phone number.
pub(super) fn holds_one(text: &[u8]) -> bool {
    memchr2_iter(b'+', b'(', text).any(|at| {
        let is_begin = !at.checked_sub(1).is_some_and(|before| text[before].is_ascii_alphanumeric());
        is_begin && if text[at] == b'+' { is_international(&text[at + 1..]) } else { is_local(&text[at..]) }
    })
}

/// Groups of digits, as their lengths, from the start of the text; `None` when something else follows at once, or more
/// digits than a number has: such text is not read to its end, which may belong to another number.
fn groups(text: &[u8]) -> Option<Vec<usize>> {
    let mut groups = Vec::new();
    let mut rest = text;
    loop {
        let digits = rest.iter().take(DIGITS.end() + 1).take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            step_counter::add(1);
            return Some(groups);
        }
        groups.push(digits);
        if groups.iter().sum::<usize>() > *DIGITS.end() {
            return None;
        }
        rest = &rest[digits..];
        let between = rest.iter().take_while(|byte| b" -./()".contains(byte)).count();
        step_counter::add(digits + between + 1);
        let goes_on = rest.get(between).is_some_and(u8::is_ascii_digit);
        match between {
            0 if is_measure(rest) => return None,
            1..=3 if goes_on => rest = &rest[between..],
            _ => return Some(groups),
        }
    }
}

/// Returns true for the text after the digits of `12V`, `12x`, `12%` and `12,5`.
fn is_measure(rest: &[u8]) -> bool {
    match rest.first() {
        Some(b',') => rest.get(1).is_some_and(u8::is_ascii_digit),
        Some(byte) => byte.is_ascii_alphanumeric() || b"%*=_".contains(byte),
        None => false,
    }
}

/// After a `+`: a country code, and groups of more than one digit.
fn is_international(text: &[u8]) -> bool {
    let Some(groups) = groups(text) else { return false };
    let is_code = matches!(text.first(), Some(b'1'..=b'9')) && (groups.len() == 1 || groups[0] <= 3);
    // `(0)` stands in many numbers and is not dialled.
    let trunk = text.windows(3).take(NUMBER_BYTES).any(|three| three == b"(0)");
    let short = groups.iter().skip(1).filter(|digits| **digits == 1).count();
    is_code && short <= usize::from(trunk) && DIGITS.contains(&groups.iter().sum())
}

/// An area code in brackets that begins with 0, or a number of North America.
fn is_local(text: &[u8]) -> bool {
    let code = text.iter().skip(1).take_while(|byte| byte.is_ascii_digit()).count();
    if !(3..=6).contains(&code) || text.get(code + 1) != Some(&b')') {
        return false;
    }
    let Some(groups) = groups(&text[1..]) else { return false };
    let is_grouped = match text[1] {
        b'0' => groups.len() > 1 && groups.iter().skip(1).all(|digits| *digits > 1),
        _ => groups == [3, 3, 4],
    };
    is_grouped && DIGITS.contains(&groups.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::{NUMBER_BYTES, groups, holds_one};
    use crate::addresses::step_counter;

    #[test]
    fn what_has_too_many_digits_is_not_read_to_its_end() {
        assert_eq!(groups("1 ".repeat(15).as_bytes()).map(|groups| groups.len()), Some(15));
        assert_eq!(groups("1 ".repeat(16).as_bytes()), None);
    }

    #[test]
    fn the_work_is_linear_in_the_length_of_the_text() {
        const BYTES: usize = 1 << 20;
        for part in
            ["+1-(1)", "+1", "+1 ", "+1((((", "(020)", "(020) ", "(020) 1", "(555) 123", "(((", "+", "1 "]
        {
            let text = part.repeat(BYTES / part.len());
            let work = step_counter::count(|| _ = holds_one(text.as_bytes()));
            assert!(work <= NUMBER_BYTES * BYTES / 2, "{part}: {work}");
        }
        let text = ["+1", &"(".repeat(BYTES)].concat();
        assert!(step_counter::count(|| _ = holds_one(text.as_bytes())) <= 2 * BYTES);
    }

    #[test]
    fn phone_numbers_are_seen() {
        for text in [
            "+44 20 7946 0958",
            "Call +442079460958.",
            "+44 20 7946 0958, or write",
            "tel:+1-555-123-4567",
            "+49 (0) 30 901820",
            "+49 (0)30/901820",
            "(020) 7946 0958",
            "(0123) 456-789",
            "(555) 123-4567",
            "+123456789",
            "+123456789012345",
            "+44 2079 460958",
            "+353 21 496 0123",
            "(012345) 67890",
            "(020) 7946 09",
        ] {
            assert!(holds_one(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn other_numbers_are_not() {
        for text in [
            "4006381333931",
            "EAN 4006381333931, 12345670",
            "+4006381333931000",
            "100 x 200 x 300",
            "1+1",
            "HDMI+3.5 mm",
            "+5 V +12 V -12 V",
            "+100 %",
            "-40 to +85 C",
            "A+123456789",
            "+123456789V",
            "+123456789,5",
            "(100) 200 300 400",
            "(2019) 123456789",
            "(12) 34",
            "+1 2 3 4 5 6 7 8 9",
            "100 200 300 400",
            "2026-01-31 12:30:00",
            "+12345678",
            "+1234567890123456",
            "+123456789%",
            "+044 20 7946 0958",
            "+4420 7946 0958",
            "+4420 79 460958",
            "+44 2 0794 60958",
            "+44    20 7946 0958",
            "(020 7946 0958",
            "(020) 7946",
            "(020) 7 946 0958",
            "(01) 2345 6789",
            "(0123456) 789",
            "(555) 123-45678",
            "(555) 1234-567",
            "(5555) 123-4567",
        ] {
            assert!(!holds_one(text.as_bytes()), "{text}");
        }
    }
}
