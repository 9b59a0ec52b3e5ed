//! Bytes as text: lower-case hexadecimal digits, and no others.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Fault;

/// The digits of some bytes.
pub fn encode(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from(DIGITS[usize::from(value)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The bytes of these digits; `None` for any other text.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let value = |digit: u8| DIGITS.iter().position(|known| *known == digit);
    let byte = |[high, low]: &[u8; 2]| u8::try_from(value(*high)? << 4 | value(*low)?).ok();
    if rest.is_empty() { pairs.iter().map(byte).collect() } else { None }
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// `N` bytes, as text `2 * N` lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Hex<const N: usize>(pub [u8; N]);

impl<const N: usize> fmt::Display for Hex<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&encode(&self.0))
    }
}

impl<const N: usize> From<Hex<N>> for String {
    fn from(hex: Hex<N>) -> Self {
        hex.to_string()
    }
}

impl<const N: usize> FromStr for Hex<N> {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self, Fault> {
        decode(text).and_then(|bytes| bytes.try_into().ok()).map(Self).ok_or(Fault::NoHex)
    }
}

impl<const N: usize> TryFrom<String> for Hex<N> {
    type Error = Fault;

    fn try_from(text: String) -> Result<Self, Fault> {
        text.parse()
    }
}
