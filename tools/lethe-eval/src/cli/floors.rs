//! Floors for people: a table of them, and the sentence of each that is missed.

use lethe::cli::{CliFault, row, table};

use super::print_warning;
use crate::floor::Floor;

/// The table of all floors.
pub(super) fn floor_lines(floors: &[Floor]) -> Vec<String> {
    let mut rows = vec![row(["Figure", "is", "bound", ""])];
    rows.extend(floors.iter().map(|floor| {
        let reached = if floor.is_reached { "reached" } else { "missed" };
        let figure = format!("{:.3}", floor.figure);
        vec![floor.name.clone(), figure, format!("{}", floor.bound), reached.to_owned()]
    }));
    table(&rows)
}

/// Warns of missed floors.
///
/// # Errors
/// When a floor is missed and `are_demanded`.
pub(super) fn check_floors(floors: &[Floor], are_demanded: bool) -> Result<(), CliFault> {
    let missed = floors.iter().filter(|floor| !floor.is_reached);
    let missed: Vec<String> =
        missed.map(|floor| format!("{}: {:.3} misses {}", floor.name, floor.figure, floor.bound)).collect();
    if are_demanded && !missed.is_empty() {
        return Err(CliFault::Refused(missed.join("; ")));
    }
    missed.iter().for_each(|missed| print_warning(missed));
    Ok(())
}
