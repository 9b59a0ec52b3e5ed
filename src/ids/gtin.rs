//! Identifiers of articles as barcodes hold them: GTIN-8, GTIN-12 (UPC-A), GTIN-13 (EAN-13), GTIN-14, and ISBN-10.
//!
//! Lengths and the check digit are those of the GS1 General Specifications (section 7.9: weights 3 and 1 in turn from
//! the right, modulo 10; leading zeros change nothing), those of ISBN-10 and its place among the identifiers of GS1
//! (prefix 978, "Bookland") those of ISO 2108.

/// Digits of a GTIN, and of a GTIN-12 that lost the zero in front, as in a cell of a spreadsheet.
const LENGTHS: [usize; 5] = [8, 11, 12, 13, 14];
/// Most digits that are not leading zeros.
const DIGITS_MAX: usize = 14;
/// Digits of an ISBN of before 2007.
const ISBN_10_DIGITS: usize = 10;
/// Prefix of books that had an ISBN-10.
const BOOKLAND_PREFIX: &str = "978";
/// Each check digit as a text; X stands for 10 in an ISBN-10.
const CHECK_DIGITS: [&str; 11] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "X"];

/// Reason why a text is no identifier of an article.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GtinFault {
    /// It holds something besides digits, spaces and dashes, or nothing.
    #[error("a GTIN has digits, spaces and dashes alone")]
    Characters,
    /// Another number of digits.
    #[error("a GTIN has 8, 12, 13 or 14 digits, an ISBN also 10")]
    Length,
    /// Every digit is 0: a placeholder.
    #[error("every digit is 0")]
    AllZeros,
    /// The last digit does not fit the others.
    #[error("the last digit is wrong: {right} fits the others")]
    CheckDigit {
        /// The digit that fits.
        right: &'static str,
    },
    /// Ten digits in one group, of which the last fits neither an ISBN-10 nor a UPC that lost two zeros.
    #[error("the last digit fits neither an ISBN nor a UPC without its leading zeros")]
    BothCheckDigits,
}

/// Reads the identifier of an article in any usual writing: with spaces, dashes, and leading zeros. Returns its digits
/// without leading zeros, so that a UPC is equal to its EAN; of an ISBN-10 those of its ISBN-13.
///
/// Ten digits in one group are an ISBN-10, or a UPC that lost two zeros. The check digit decides; where it fits both,
/// the result has the digits of both, those of the ISBN first.
///
/// # Errors
/// When the text is no such identifier.
pub fn parse_gtin(text: &str) -> Result<Vec<String>, GtinFault> {
    let characters: String = text.chars().filter(|character| !is_separator(*character)).collect();
    let Some(isbn) = Isbn10::from_characters(&characters) else {
        return Ok(vec![parse_gs1(&characters)?]);
    };
    if isbn.has_check_x() || text.trim().chars().any(is_separator) {
        return Ok(vec![isbn.into_gtin()?]);
    }
    match (isbn.into_gtin(), canonical_digits(&characters)) {
        (Ok(isbn), Ok(upc)) => Ok(vec![isbn, upc]),
        (Ok(digits), Err(_)) | (Err(_), Ok(digits)) => Ok(vec![digits]),
        (_, Err(GtinFault::AllZeros)) => Err(GtinFault::AllZeros),
        (Err(_), Err(_)) => Err(GtinFault::BothCheckDigits),
    }
}

/// Reads an identifier of GS1 without separators.
fn parse_gs1(characters: &str) -> Result<String, GtinFault> {
    if characters.is_empty() || !characters.bytes().all(|character| character.is_ascii_digit()) {
        return Err(GtinFault::Characters);
    }
    let is_padded = characters.len() > DIGITS_MAX && characters.trim_start_matches('0').len() <= DIGITS_MAX;
    if !is_padded && !LENGTHS.contains(&characters.len()) {
        return Err(GtinFault::Length);
    }
    canonical_digits(characters)
}

/// The digits without leading zeros, if the check digit of GS1 fits.
fn canonical_digits(padded: &str) -> Result<String, GtinFault> {
    let digits = padded.trim_start_matches('0');
    let Some((others, check)) = digits.split_at_checked(digits.len().wrapping_sub(1)) else {
        return Err(GtinFault::AllZeros);
    };
    let right = gs1_check_digit(others);
    if right == check { Ok(digits.to_owned()) } else { Err(GtinFault::CheckDigit { right }) }
}

/// White space, and the dashes that people and programs write between groups of digits.
fn is_separator(character: char) -> bool {
    character.is_whitespace() || matches!(character, '-' | '\u{ad}' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}

/// The check digit of GS1 for the digits before it.
fn gs1_check_digit(others: &str) -> &'static str {
    let weights = [3, 1].into_iter().cycle();
    let sum: usize =
        others.bytes().rev().map(value_of).zip(weights).map(|(digit, weight)| digit * weight).sum();
    CHECK_DIGITS[(10 - sum % 10) % 10]
}

fn value_of(digit: u8) -> usize {
    usize::from(digit.wrapping_sub(b'0'))
}

/// The nine digits of an ISBN-10, and its check digit as it was written.
struct Isbn10<'a> {
    digits: &'a str,
    check: &'a str,
}

impl<'a> Isbn10<'a> {
    /// `None` for a text that is no ISBN-10, with a right check digit or a wrong one.
    fn from_characters(characters: &'a str) -> Option<Self> {
        if characters.len() != ISBN_10_DIGITS {
            return None;
        }
        let (digits, check) = characters.split_at_checked(ISBN_10_DIGITS - 1)?;
        let isbn = Self { digits, check };
        let is_digits = |text: &str| text.bytes().all(|character| character.is_ascii_digit());
        (is_digits(digits) && (isbn.has_check_x() || is_digits(check))).then_some(isbn)
    }

    fn has_check_x(&self) -> bool {
        self.check.eq_ignore_ascii_case("X")
    }

    fn into_gtin(self) -> Result<String, GtinFault> {
        if self.digits.bytes().chain(self.check.bytes()).all(|digit| digit == b'0') {
            return Err(GtinFault::AllZeros);
        }
        let sum: usize = self
            .digits
            .bytes()
            .zip((2..=ISBN_10_DIGITS).rev())
            .map(|(digit, weight)| value_of(digit) * weight)
            .sum();
        let right = CHECK_DIGITS[(11 - sum % 11) % 11];
        if !self.check.eq_ignore_ascii_case(right) {
            return Err(GtinFault::CheckDigit { right });
        }
        let others = format!("{BOOKLAND_PREFIX}{}", self.digits);
        let check = gs1_check_digit(&others);
        Ok(others + check)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Vec<String> {
        parse_gtin(text).unwrap_or_else(|fault| panic!("{text}: {fault}"))
    }

    #[test]
    fn an_identifier_is_the_same_in_every_usual_writing() {
        for (texts, digits) in [
            (
                &[
                    "4006381333931",
                    "4 006381 333931",
                    "4006381-333931",
                    "04006381333931",
                    "000000004006381333931",
                ][..],
                "4006381333931",
            ),
            (
                &[
                    "036000291452",
                    "0036000291452",
                    "00036000291452",
                    "0 36000 29145 2",
                    "36000291452",
                    " 036000291452\n",
                ],
                "36000291452",
            ),
            (&["96385074", "9638-5074", "0000096385074", "00000096385074"], "96385074"),
            (&["10614141000415", "1 06 14141 00041 5"], "10614141000415"),
            (
                &[
                    "0306406152",
                    "0-306-40615-2",
                    "0 306 40615 2",
                    "978-0-306-40615-7",
                    "9780306406157",
                    "978\u{2011}0306406157",
                ],
                "9780306406157",
            ),
            (&["080442957X", "0-8044-2957-x", "9780804429573"], "9780804429573"),
            (&["012345678905", "0\u{a0}12345\u{2013}67890\u{2212}5"], "12345678905"),
        ] {
            texts.iter().for_each(|text| assert_eq!(parsed(text), [digits], "{text}"));
        }
    }

    #[test]
    fn a_wrong_check_digit_is_told_with_the_right_one() {
        for (text, right) in [
            ("4006381333932", "1"),
            ("04006381333930", "1"),
            ("036000291453", "2"),
            ("96385070", "4"),
            ("0-306-40615-1", "2"),
            ("0 306 40615 1", "2"),
            ("030640615X", "2"),
            ("0-8044-2957-0", "X"),
            ("9780306406158", "7"),
            ("4006381333905", "0"),
            ("0000000000018", "7"),
        ] {
            assert_eq!(parse_gtin(text), Err(GtinFault::CheckDigit { right }), "{text}");
        }
    }

    #[test]
    fn any_other_text_is_a_fault() {
        for (text, fault) in [
            ("", GtinFault::Characters),
            (" - ", GtinFault::Characters),
            ("4.00638E+12", GtinFault::Characters),
            ("4006381333931X", GtinFault::Characters),
            ("08044X9573", GtinFault::Characters),
            ("٤٠٠٦٣٨١٣٣٣٩٣١", GtinFault::Characters),
            ("7", GtinFault::Length),
            ("1234567", GtinFault::Length),
            ("123456789", GtinFault::Length),
            ("140063813339314", GtinFault::Length),
            ("00000000", GtinFault::AllZeros),
            ("0000000000000", GtinFault::AllZeros),
            ("0000000000", GtinFault::AllZeros),
            ("0-000-00000-0", GtinFault::AllZeros),
        ] {
            assert_eq!(parse_gtin(text), Err(fault), "{text}");
        }
    }

    #[test]
    fn ten_digits_in_one_group_are_an_isbn_or_a_upc_that_lost_two_zeros() {
        let isbn = "9783600029145";
        for (text, digits) in [
            ("3600029142", &[isbn][..]),
            ("3600029143", &["3600029143"]),
            ("003600029143", &["3600029143"]),
            (" 3600029143\n", &["3600029143"]),
            ("3600000012", &["9783600000014", "3600000012"]),
            ("3-60000-001-2", &["9783600000014"]),
            ("0096385074", &["96385074"]),
        ] {
            assert_eq!(parsed(text), digits, "{text}");
        }
        assert_eq!(parse_gtin("3600029140"), Err(GtinFault::BothCheckDigits));
        assert_eq!(parse_gtin("3-600-02914-3"), Err(GtinFault::CheckDigit { right: "2" }));
    }

    /// Every single wrong digit is found, whichever it is: that is what the check digit is for.
    #[test]
    fn one_wrong_digit_is_always_found() {
        for number in ["4006381333931", "036000291452", "96385074", "10614141000415", "0-306-40615-2"] {
            for (at, digit) in number.char_indices().filter(|(_, character)| *character != '-') {
                for other in ('0'..='9').filter(|other| *other != digit) {
                    let wrong = format!("{}{other}{}", &number[..at], &number[at + 1..]);
                    let is_found = matches!(parse_gtin(&wrong), Err(GtinFault::CheckDigit { .. }));
                    assert!(is_found, "{wrong}");
                }
            }
        }
    }
}
