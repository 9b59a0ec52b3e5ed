//! Dates, quantities and prices as order files write them.

use rust_decimal::{Decimal, RoundingStrategy};

use crate::dates;
use crate::feeds::rows::parse_amount;

/// Decimals of a unit price that had to be computed.
const SHARE_DECIMALS: u32 = 4;

/// A moment in milliseconds since 1970: ISO 8601 with an offset; without one, and a date alone, in UTC. `None`
/// for any other text.
#[must_use]
pub fn moment(text: &str) -> Option<i64> {
    dates::moment(text).map(|moment| moment.as_millisecond())
}

/// A quantity above 0, without the trailing zeros that some shops write; `None` for any other text.
#[must_use]
pub fn quantity(text: &str) -> Option<Decimal> {
    parse_amount(text).filter(|quantity| !quantity.is_zero()).map(|quantity| quantity.normalize())
}

/// A price of 0 or more, with its decimals as written; `None` for any other text.
#[must_use]
pub fn price(text: &str) -> Option<Decimal> {
    parse_amount(text)
}

/// The share of a line's price for one piece, if the line has `quantity` of them.
pub(super) fn price_per_piece(line: Decimal, quantity: Decimal) -> Option<Decimal> {
    let exact = line.checked_div(quantity)?;
    Some(exact.round_dp_with_strategy(SHARE_DECIMALS, RoundingStrategy::MidpointNearestEven).normalize())
}
