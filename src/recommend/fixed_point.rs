//! Fractions and logarithms in whole numbers: the same on every machine, and sums are the same in any order.

/// A share of 1, in parts of 2⁻²⁰.
pub type FixedPoint = u64;
/// The whole.
pub const ONE: FixedPoint = 1 << 20;

/// Bits after the point of a logarithm.
pub const LOG_BITS: u32 = 16;
const TABLE_BITS: u32 = 10;
const TABLE_LEN: usize = 1 << TABLE_BITS;

/// log₂(1 + i / 1024), and of 2 at its end.
const LOGARITHMS: [u32; TABLE_LEN + 1] = {
    let mut table = [0; TABLE_LEN + 1];
    let mut place = 0;
    while place < TABLE_LEN {
        table[place] = log2_of_fraction(place as u64);
        place += 1;
    }
    table[TABLE_LEN] = 1 << LOG_BITS;
    table
};

/// log₂(1 + i / 1024) digit by digit: squaring a number doubles its logarithm.
const fn log2_of_fraction(numerator: u64) -> u32 {
    const BITS: u32 = 40;
    let mut number = (1_u128 << BITS) + ((numerator as u128) << (BITS - TABLE_BITS));
    let mut digits = 0_u64;
    let mut left = LOG_BITS + 1;
    while left > 0 {
        number = (number * number) >> BITS;
        let is_two = number >> (BITS + 1) > 0;
        digits = (digits << 1) | is_two as u64;
        number >>= is_two as u32;
        left -= 1;
    }
    ((digits + 1) >> 1) as u32
}

/// log₂ of a number from 1 on, in parts of 2⁻¹⁶: from the table, and straight between two of its entries.
#[must_use]
pub const fn log2(number: u64) -> i64 {
    let exponent = number.ilog2();
    // 20 bits after the first one: 10 name the entry, 10 the place between it and the next.
    let mantissa = (number << (63 - exponent)) << 1 >> 44;
    let entry = (mantissa >> TABLE_BITS) as usize;
    let low = LOGARITHMS[entry] as i64;
    let step = LOGARITHMS[entry + 1] as i64 - low;
    let between = (mantissa & (TABLE_LEN as u64 - 1)) as i64;
    ((exponent as i64) << LOG_BITS) + low + ((step * between) >> TABLE_BITS)
}

/// log₂(1 + factor · share), in parts of 2⁻¹⁶.
#[must_use]
pub const fn log2_of_share(factor: u64, share: FixedPoint) -> i64 {
    log2(ONE + factor * share) - (20 << LOG_BITS)
}

/// Powers of a number below 1, given in hundredths: the first is 1.
#[must_use]
pub const fn powers<const N: usize>(hundredths: u64) -> [FixedPoint; N] {
    let mut powers = [ONE; N];
    // Rounded once each, not a rounding of a rounding.
    let mut exact = (ONE as u128) << 40;
    let mut place = 1;
    while place < N {
        exact = exact * hundredths as u128 / 100;
        powers[place] = ((exact + (1 << 39)) >> 40) as FixedPoint;
        place += 1;
    }
    powers
}

/// Weights of the newest clicks on an item by their rank, from 0 on: `half / (half + rank)`. The click of rank `half`
/// counts half.
#[must_use]
pub const fn rank_weights<const N: usize>(half: u64) -> [FixedPoint; N] {
    let mut weights = [ONE; N];
    let mut rank = 1;
    while rank < N {
        let divisor = half + rank as u64;
        weights[rank] = (half * ONE + divisor / 2) / divisor;
        rank += 1;
    }
    weights
}

/// 1 / √number, of a number from 1 on.
#[must_use]
pub const fn inverse_root(number: u64) -> FixedPoint {
    ((1_u64 << 40) / number).isqrt()
}
