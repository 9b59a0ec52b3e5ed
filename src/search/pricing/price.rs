//! One price: an amount and its currency.

use std::fmt;

/// Three capital letters of ISO 4217.
pub type Currency = [u8; 3];

/// Digits after the decimal point of an amount; no currency has more.
const DECIMALS: usize = 4;

/// A price.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Price {
    /// In ten-thousandths of the currency: 12.50 is 125,000.
    pub amount: i64,
    /// Its currency.
    pub currency: Currency,
}

impl Price {
    /// Reads a price in the form of stored rows, `12.50 GBP`. `None` for anything else, for amounts with more than
    /// four decimals and for amounts above 900 million million.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (number, code) = text.rsplit_once(' ')?;
        Some(Self { amount: parse_amount(number.trim_end())?, currency: parse_currency(code)? })
    }

    /// The three letters of the currency.
    #[must_use]
    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.currency).unwrap_or_default()
    }

    /// The amount as a decimal number with the decimals of the currency, `12.50`: a number of JSON too.
    #[must_use]
    pub fn decimal(&self) -> String {
        let least = minor_digits(self.currency);
        let digits = format!("{:04}", self.amount.unsigned_abs() % 10_000);
        let used = digits.trim_end_matches('0').len().max(least);
        let sign = if self.amount < 0 { "-" } else { "" };
        let units = self.amount.unsigned_abs() / 10_000;
        if used == 0 { format!("{sign}{units}") } else { format!("{sign}{units}.{}", &digits[..used]) }
    }
}

/// Digits after the decimal point with which amounts of a currency are written (minor units of ISO 4217).
fn minor_digits(currency: Currency) -> usize {
    match &currency {
        b"BIF" | b"CLP" | b"DJF" | b"GNF" | b"ISK" | b"JPY" | b"KMF" | b"KRW" | b"PYG" | b"RWF" | b"UGX"
        | b"UYI" | b"VND" | b"VUV" | b"XAF" | b"XOF" | b"XPF" => 0,
        b"BHD" | b"IQD" | b"JOD" | b"KWD" | b"LYD" | b"OMR" | b"TND" => 3,
        b"CLF" | b"UYW" => 4,
        _ => 2,
    }
}

impl fmt::Display for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.decimal(), self.code())
    }
}

/// The ten-thousandths of a decimal number of 0 or more, `12.5`. `None` for anything else, and for an amount that does
/// not fit.
#[must_use]
pub(super) fn parse_amount(number: &str) -> Option<i64> {
    let (units, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let is_plain = |digits: &str| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    if !is_plain(units) || !is_plain(fraction) {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    if fraction.len() > DECIMALS {
        return None;
    }
    let places = fraction.bytes().chain(std::iter::repeat(b'0')).take(DECIMALS);
    let mut amount = 0_i64;
    for digit in units.bytes().chain(places) {
        amount = amount.checked_mul(10)?.checked_add(i64::from(digit - b'0'))?;
    }
    Some(amount)
}

/// The currency of a code of three letters in any case.
fn parse_currency(code: &str) -> Option<Currency> {
    let letters: [u8; 3] = code.as_bytes().try_into().ok()?;
    let is_code = letters.iter().all(u8::is_ascii_alphabetic);
    is_code.then(|| letters.map(|letter| letter.to_ascii_uppercase()))
}
