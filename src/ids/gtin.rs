//! Numbers of articles as barcodes hold them: GTIN-8, GTIN-12 (UPC-A), GTIN-13 (EAN-13), GTIN-14, and ISBN-10.
//!
//! Lengths and the check digit are those of the GS1 General Specifications (section 7.9: weights 3 and 1 in turn from
//! the right, modulo 10; leading zeros change nothing), those of ISBN-10 and its place among the numbers of GS1 (prefix
//! 978) those of ISO 2108.

/// Digits of a GTIN, and of a GTIN-12 that lost the zero in front, as in a cell of a spreadsheet.
const LENGTHS: [usize; 5] = [8, 11, 12, 13, 14];
/// Most digits that are not leading zeros.
const DIGITS_MAX: usize = 14;
/// Digits of an ISBN of before 2007.
const ISBN_10_DIGITS: usize = 10;
/// Prefix of books that had an ISBN-10.
const BOOKS: &str = "978";
/// Each check digit as a text; X stands for 10 in an ISBN-10.
const CHECK_DIGITS: [&str; 11] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "X"];

/// Reason why a text is no number of an article.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GtinFault {
    /// It holds something besides digits, spaces and dashes, or nothing.
    #[error("a number of an article has digits, spaces and dashes alone")]
    Signs,
    /// Another number of digits.
    #[error("a number of an article has 8, 12, 13 or 14 digits, an ISBN also 10")]
    Length,
    /// Every digit is 0: a placeholder.
    #[error("the number has no digit but 0")]
    Zeros,
    /// The last digit does not fit the others.
    #[error("the last digit is wrong: {right} fits the others")]
    CheckDigit {
        /// The digit that fits.
        right: &'static str,
    },
}

/// Reads a number of an article in any usual writing: with spaces, dashes, and leading zeros. Returns its digits
/// without leading zeros, so that a UPC is equal to its EAN; of an ISBN-10 those of its ISBN-13.
///
/// # Errors
/// When the text is none.
pub fn parse_gtin(text: &str) -> Result<String, GtinFault> {
    let signs: String = text.chars().filter(|sign| !is_separator(*sign)).collect();
    if let Some(isbn) = Isbn10::from_signs(&signs) {
        return isbn.into_gtin();
    }
    if signs.is_empty() || !signs.bytes().all(|sign| sign.is_ascii_digit()) {
        return Err(GtinFault::Signs);
    }
    let digits = signs.trim_start_matches('0');
    let is_padded = signs.len() > DIGITS_MAX && digits.len() <= DIGITS_MAX;
    if !is_padded && !LENGTHS.contains(&signs.len()) {
        return Err(GtinFault::Length);
    }
    let Some((others, check)) = digits.split_at_checked(digits.len().wrapping_sub(1)) else {
        return Err(GtinFault::Zeros);
    };
    let right = gs1_check_digit(others);
    if right == check { Ok(digits.to_owned()) } else { Err(GtinFault::CheckDigit { right }) }
}

/// White space, and the dashes that people and programs write between groups of digits.
fn is_separator(sign: char) -> bool {
    sign.is_whitespace() || matches!(sign, '-' | '\u{ad}' | '\u{2010}'..='\u{2015}' | '\u{2212}')
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
    fn from_signs(signs: &'a str) -> Option<Self> {
        if signs.len() != ISBN_10_DIGITS {
            return None;
        }
        let (digits, check) = signs.split_at_checked(ISBN_10_DIGITS - 1)?;
        let is_check = check.eq_ignore_ascii_case("X") || check.bytes().all(|sign| sign.is_ascii_digit());
        (is_check && digits.bytes().all(|sign| sign.is_ascii_digit())).then_some(Self { digits, check })
    }

    fn into_gtin(self) -> Result<String, GtinFault> {
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
        let others = format!("{BOOKS}{}", self.digits);
        let check = gs1_check_digit(&others);
        Ok(others + check)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> String {
        parse_gtin(text).unwrap_or_else(|fault| panic!("{text}: {fault}"))
    }

    #[test]
    fn a_number_is_the_same_in_every_usual_writing() {
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
            texts.iter().for_each(|text| assert_eq!(parsed(text), digits, "{text}"));
        }
    }

    #[test]
    fn a_wrong_check_digit_is_told_with_the_right_one() {
        for (text, right) in [
            ("4006381333932", "1"),
            ("04006381333930", "1"),
            ("036000291453", "2"),
            ("96385070", "4"),
            ("0306406151", "2"),
            ("030640615X", "2"),
            ("0804429570", "X"),
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
            ("", GtinFault::Signs),
            (" - ", GtinFault::Signs),
            ("4.00638E+12", GtinFault::Signs),
            ("4006381333931X", GtinFault::Signs),
            ("08044X9573", GtinFault::Signs),
            ("٤٠٠٦٣٨١٣٣٣٩٣١", GtinFault::Signs),
            ("7", GtinFault::Length),
            ("1234567", GtinFault::Length),
            ("123456789", GtinFault::Length),
            ("140063813339314", GtinFault::Length),
            ("00000000", GtinFault::Zeros),
            ("0000000000000", GtinFault::Zeros),
        ] {
            assert_eq!(parse_gtin(text), Err(fault), "{text}");
        }
    }

    /// Every single wrong digit is found, whichever it is: that is what the check digit is for.
    #[test]
    fn one_wrong_digit_is_always_found() {
        for number in ["4006381333931", "036000291452", "96385074", "10614141000415", "0306406152"] {
            for (at, digit) in number.char_indices() {
                for other in ('0'..='9').filter(|other| *other != digit) {
                    let wrong = format!("{}{other}{}", &number[..at], &number[at + 1..]);
                    let is_found = matches!(parse_gtin(&wrong), Err(GtinFault::CheckDigit { .. }));
                    assert!(is_found, "{wrong}");
                }
            }
        }
    }
}
