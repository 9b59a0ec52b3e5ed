//! Ranges of prices and numbers: about equally many products in each, between round numbers.

use crate::search::query::filters::AMOUNT_PARTS;

/// Number of ranges aimed at.
const RANGES: u64 = 6;
/// Leading digits of round numbers, in tenths.
const ROUND: [i64; 9] = [10, 15, 20, 25, 30, 40, 50, 60, 80];
/// Round numbers from .01 to 8,000,000,000 units: nine for each power of ten.
const EDGES: usize = ROUND.len() * 12;

/// Least, most and step of all amounts.
pub(super) struct AmountSpread {
    pub min: i64,
    pub max: i64,
    /// The smallest step between amounts: a unit, a hundredth or a ten-thousandth.
    step: i64,
}

impl AmountSpread {
    pub fn from_amounts(amounts: &[i64]) -> Option<Self> {
        let min = *amounts.iter().min()?;
        let max = *amounts.iter().max()?;
        let has_step = |step: i64| amounts.iter().all(|amount| amount % step == 0);
        let step = [AMOUNT_PARTS, AMOUNT_PARTS / 100].into_iter().find(|step| has_step(*step)).unwrap_or(1);
        Some(Self { min, max, step })
    }

    /// The most that there may be below an edge.
    const fn below(&self, edge: i64) -> i64 {
        (edge - 1).div_euclid(self.step) * self.step
    }
}

/// The round numbers, in ten-thousandths, ascending.
const fn edges() -> [i64; EDGES] {
    let mut edges = [0; EDGES];
    let mut power = AMOUNT_PARTS / 1000;
    let mut number = 0;
    while number < EDGES {
        edges[number] = ROUND[number % ROUND.len()] * power;
        if number % ROUND.len() == ROUND.len() - 1 {
            power *= 10;
        }
        number += 1;
    }
    edges
}

static TABLE: [i64; EDGES] = edges();

/// From, to and count of each range that has an amount, ascending. Depends on the amounts, not on their order.
pub(super) fn ranges_of(amounts: &[i64], spread: &AmountSpread) -> Vec<(i64, i64, u64)> {
    let even = if spread.min < 0 { even_edges(spread) } else { Vec::new() };
    let table = if even.is_empty() { &TABLE[..] } else { &even };
    let first = table.partition_point(|edge| *edge <= spread.min);
    let last = table.partition_point(|edge| *edge <= spread.max);
    let edges = &table[first..last];
    let mut counts = vec![0_u64; edges.len() + 1];
    for amount in amounts {
        counts[edges.partition_point(|edge| edge <= amount)] += 1;
    }
    let wanted = (amounts.len() as u64).div_ceil(RANGES).max(1);
    let mut ranges = Vec::new();
    let mut from = if first == 0 { spread.min } else { table[first - 1] };
    let mut count = 0;
    for (edge, more) in edges.iter().zip(&counts) {
        count += more;
        // A range ends where it has its share.
        if count >= wanted {
            ranges.push((from, spread.below(*edge), count));
            from = *edge;
            count = 0;
        }
    }
    count += counts.last().copied().unwrap_or_default();
    if count > 0 {
        // The last range ends before the next round number, if there is one.
        let end = table.get(last).map_or(spread.max, |edge| spread.below(*edge));
        ranges.push((from, end, count));
    }
    ranges
}

/// Edges at even distances, for spreads that begin below zero: round numbers, as far apart as six edges need.
fn even_edges(spread: &AmountSpread) -> Vec<i64> {
    let width = spread.max.saturating_sub(spread.min) / RANGES.cast_signed();
    let Some(distance) = TABLE.into_iter().find(|edge| *edge >= width) else { return Vec::new() };
    let first = spread.min.div_euclid(distance);
    (first..first + RANGES.cast_signed() + 2).map(|number| number * distance).collect()
}

/// Counts each product once in a range, however many of its numbers are in it. The numbers of a product stand side by
/// side.
pub(super) fn recount(ranges: &mut [(i64, i64, u64)], numbers: &[(u32, i64)]) {
    let mut last = vec![None; ranges.len()];
    ranges.iter_mut().for_each(|range| range.2 = 0);
    for (product, amount) in numbers {
        let number = ranges.partition_point(|(_, to, _)| to < amount);
        if number < ranges.len() && last[number] != Some(*product) {
            last[number] = Some(*product);
            ranges[number].2 += 1;
        }
    }
}
