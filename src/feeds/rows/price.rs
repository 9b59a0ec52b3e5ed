//! One price: an exact decimal amount and its currency.

use iso_currency::Currency;
use rust_decimal::{Decimal, RoundingStrategy};
use std::str::FromStr;
use std::sync::LazyLock;

/// Largest price: a thousand million million of anything is a mistake.
const AMOUNT_MAX: i64 = 1_000_000_000_000_000;
/// Digits that surely fit 64 bits.
const SHORT_DIGITS: usize = 18;

/// An amount with exactly the currency's number of decimals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DecimalPrice {
    amount: Decimal,
    currency: Currency,
}

/// Reason why a text is no price.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PriceFault {
    /// Not a number that is 0 or more, space, three letters.
    #[error("a price is written as number, space and currency, such as 12.50 GBP")]
    Malformed,
    /// Three letters that are no currency for prices.
    #[error("the currency is not an ISO 4217 code")]
    CurrencyUnknown,
    /// No letters, and no default either.
    #[error("the price has no currency")]
    CurrencyMissing,
}

impl DecimalPrice {
    /// Reads `12.5 GBP`, `12.5GBP` or, with a default currency, `12.5`. The flag is true if the amount had to be
    /// rounded (half to even) to the currency's decimals.
    ///
    /// # Errors
    /// When the text is no price, or its currency is unknown, or missing without a default.
    pub fn parse(text: &str, default: Option<Currency>) -> Result<(Self, bool), PriceFault> {
        let text = text.trim();
        let number = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let code = &text[number.len()..];
        let amount = parse_amount(number.trim_end()).ok_or(PriceFault::Malformed)?;
        let currency = match code.len() {
            0 => default.ok_or(PriceFault::CurrencyMissing)?,
            3 => currency(code).ok_or(PriceFault::CurrencyUnknown)?,
            _ => return Err(PriceFault::Malformed),
        };
        let decimals = u32::from(currency.exponent().ok_or(PriceFault::CurrencyUnknown)?);
        let mut exact = amount.round_dp_with_strategy(decimals, RoundingStrategy::MidpointNearestEven);
        let was_rounded = exact != amount;
        exact.rescale(decimals);
        Ok((Self { amount: exact, currency }, was_rounded))
    }

    /// The amount.
    #[must_use]
    pub fn amount(&self) -> Decimal {
        self.amount
    }

    /// Three letters of ISO 4217.
    #[must_use]
    pub fn currency(&self) -> &'static str {
        self.currency.code()
    }

    /// Writes the canonical form, `12.50 GBP`.
    pub fn write(&self, out: &mut Vec<u8>) {
        // The largest amount with the four decimals of the finest currency fits 64 bits, and they divide faster.
        let mut minor = u64::try_from(self.amount.mantissa()).unwrap_or(u64::MAX);
        let decimals = self.amount.scale() as usize;
        let mut digits = [b'0'; 40];
        let mut first = digits.len();
        while minor > 0 || digits.len() - first <= decimals {
            first -= 1;
            digits[first] += u8::try_from(minor % 10).unwrap_or_default();
            minor /= 10;
        }
        let (units, fraction) = digits[first..].split_at(digits.len() - first - decimals);
        out.extend_from_slice(units);
        if decimals > 0 {
            out.push(b'.');
            out.extend_from_slice(fraction);
        }
        out.push(b' ');
        out.extend_from_slice(self.currency.code().as_bytes());
    }
}

impl std::fmt::Display for DecimalPrice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = Vec::with_capacity(16);
        self.write(&mut text);
        f.write_str(&String::from_utf8_lossy(&text))
    }
}

/// A number of 0 or more: digits with at most one point between them, or the same with an exponent.
pub(in crate::feeds) fn parse_amount(number: &str) -> Option<Decimal> {
    if number.contains(['e', 'E']) {
        let is_known = |byte: u8| byte.is_ascii_digit() || b".eE+-".contains(&byte);
        if !number.bytes().all(is_known) {
            return None;
        }
        let amount = Decimal::from_scientific(number).ok()?;
        return (amount.is_sign_positive() && amount <= AMOUNT_MAX.into()).then_some(amount);
    }
    let (units, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let is_plain = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_plain(units) || !is_plain(fraction) {
        return None;
    }
    let amount = if number.len() > SHORT_DIGITS {
        Decimal::from_str(number).ok()?
    } else {
        let digits = number.bytes().filter(|byte| *byte != b'.');
        let mantissa = digits.fold(0_i64, |sum, digit| sum * 10 + i64::from(digit - b'0'));
        let scale = if number.len() == units.len() { 0 } else { fraction.len() };
        Decimal::try_new(mantissa, u32::try_from(scale).ok()?).ok()?
    };
    (amount <= AMOUNT_MAX.into()).then_some(amount)
}

/// The currency of a three-letter code in any case.
pub(super) fn currency(code: &str) -> Option<Currency> {
    let position = code_position(code.as_bytes())?;
    CURRENCIES.get(position).copied().flatten()
}

fn code_position(code: &[u8]) -> Option<usize> {
    if code.len() != 3 {
        return None;
    }
    code.iter().try_fold(0, |position, letter| {
        letter.is_ascii_alphabetic().then(|| position * 26 + usize::from(letter.to_ascii_uppercase() - b'A'))
    })
}

/// All three-letter codes: the library compares with its 180 codes one by one, for every price.
static CURRENCIES: LazyLock<Vec<Option<Currency>>> = LazyLock::new(|| {
    let letters = || (b'A'..=b'Z').map(char::from);
    let codes = letters().flat_map(|first| {
        letters().flat_map(move |second| letters().map(move |third| [first, second, third]))
    });
    codes.map(|code| Currency::from_code(&code.iter().collect::<String>())).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> Result<(String, bool), PriceFault> {
        DecimalPrice::parse(text, currency("EUR")).map(|(price, rounded)| (price.to_string(), rounded))
    }

    fn exact(text: &str) -> String {
        let (text, was_rounded) = canonical(text).expect("a price");
        assert!(!was_rounded);
        text
    }

    #[test]
    fn a_price_has_exactly_the_decimals_of_its_currency() {
        assert_eq!(exact("12.5 gbp"), "12.50 GBP");
        assert_eq!(exact("0012 JPY"), "12 JPY");
        assert_eq!(exact("0.5 BHD"), "0.500 BHD");
        assert_eq!(exact(" 7.5000EUR "), "7.50 EUR");
        assert_eq!(exact("12.5"), "12.50 EUR");
        assert_eq!(exact("1.25e1"), "12.50 EUR");
        assert_eq!(exact("0 EUR"), "0.00 EUR");
        assert_eq!(exact("999999999999999.99 EUR"), "999999999999999.99 EUR");
    }

    #[test]
    fn more_decimals_are_rounded_half_to_even_and_told() {
        assert_eq!(canonical("12.345 GBP"), Ok(("12.34 GBP".to_owned(), true)));
        assert_eq!(canonical("12.355 GBP"), Ok(("12.36 GBP".to_owned(), true)));
        assert_eq!(canonical("0.30000000000000004 GBP"), Ok(("0.30 GBP".to_owned(), true)));
        assert_eq!(canonical("1.5 JPY"), Ok(("2 JPY".to_owned(), true)));
    }

    #[test]
    fn anything_else_is_no_price() {
        let malformed = [
            "",
            "GBP",
            "-1 GBP",
            "1,50 GBP",
            "1.2.3 GBP",
            ". GBP",
            "1 pounds",
            "1_0",
            "1_0e1",
            "1e40",
            "-1e1",
            "1e-99999",
            "1e99999999999",
            "12e GBP",
        ];
        for text in malformed {
            assert_eq!(canonical(text), Err(PriceFault::Malformed), "{text}");
        }
        assert_eq!(canonical("9999999999999999999999999999999999 EUR"), Err(PriceFault::Malformed));
        assert_eq!(canonical("1 ZZZ"), Err(PriceFault::CurrencyUnknown));
        assert_eq!(canonical("1 XAU"), Err(PriceFault::CurrencyUnknown));
        assert_eq!(DecimalPrice::parse("1.00", None), Err(PriceFault::CurrencyMissing));
    }

    #[test]
    fn the_largest_price_is_a_price_however_it_is_written_and_no_larger_one() {
        for largest in
            ["1000000000000000 EUR", "1000000000000000.00 EUR", "1e15 EUR", "0001000000000000000.000"]
        {
            assert_eq!(exact(largest), "1000000000000000.00 EUR", "{largest}");
        }
        for larger in ["1000000000000001", "1000000000000000.01 EUR", "0001000000000000000.001", "1.1e15 EUR"]
        {
            assert_eq!(canonical(larger), Err(PriceFault::Malformed), "{larger}");
        }
    }
}
