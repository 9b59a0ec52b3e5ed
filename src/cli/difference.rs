//! Prints what a feed that waits or a snapshot would change, section by section.

use serde_json::Value;

use super::print::print_line;
use super::table::{cell, row, table};
use crate::addresses::printable;

/// Prints the difference of one section: its counts, then the first items of each kind.
pub fn show_difference(found: &Value) {
    let counts = found["Counts"].as_object().into_iter().flatten();
    let counts = counts.filter(|(_, count)| **count != 0).map(|(kind, count)| format!("{count} {kind}"));
    let counts: Vec<_> = counts.collect();
    print_line(format!("{}: {}", cell(&found["Section"]), counts.join(", ")));
    let mut rows = vec![row(["Kind", "Id", "Before", "After"])];
    rows.extend(found["Examples"].as_array().into_iter().flatten().map(|example| {
        ["Kind", "Id", "Before", "After"].map(|name| printable(&cell(&example[name]))).to_vec()
    }));
    if rows.len() > 1 {
        table(&rows).iter().for_each(print_line);
    }
}
