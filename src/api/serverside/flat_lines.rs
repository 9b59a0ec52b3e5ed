//! Orders as plugins flatten them: `productcount`, then `id1`, `qty1`, `unitprice1`, `refid1`, `children1`, then `id2`,
//! and so on.

use super::lenient_json::ByName;
use super::lines::{ToldLine, read_all};
use super::skipped::Reasons;

/// Returns true if an object holds flattened lines.
pub fn is_flattened(data: &ByName<'_>) -> bool {
    data.has("productcount") || data.has("id1")
}

/// The lines, as many as `productcount` says, or as there are, if these are more.
///
/// # Errors
/// When there are lines, and none can be read.
pub fn lines(data: &ByName<'_>, reasons: &mut Reasons) -> Result<Vec<ToldLine>, String> {
    let told: u64 = data.text("productcount")?.parse().unwrap_or(0);
    let is_there = |number: &u64| *number <= told || data.has(&format!("id{number}"));
    let numbers = (1..).take_while(is_there);
    read_all(numbers.map(|number| (data, number.to_string())), reasons)
}
