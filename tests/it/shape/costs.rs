//! The table of the highest cost of each operation, compared with the interface: a new operation has to be measured.

use std::collections::BTreeSet;

use crate::support::openapi;

const REFERENCE: &str = include_str!("../../../docs/reference.md");
const HEADING: &str = "## Cost of operations";

/// Rows of the table: the operation, and its figures.
fn rows() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let (_, rest) = REFERENCE.split_once(HEADING).expect("the table");
    let part = rest.split("\n## ").next().unwrap_or_default();
    let rows = part.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    rows.map(|(operation, figures)| (operation, figures.trim_end_matches(" |").split(" | ").collect()))
}

#[test]
fn every_operation_has_a_row_with_what_it_costs_at_most() {
    let told: Vec<_> = rows().map(|(operation, _)| operation).collect();
    let known: BTreeSet<_> = openapi::list_operations()
        .map(|(method, path, _)| format!("{} {path}", method.to_uppercase()))
        .collect();
    let names: BTreeSet<_> = told.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(names, known, "`cargo bench --bench throughput -- worst` makes the table");
    assert_eq!(told.len(), names.len(), "an operation stands there twice");
    for (operation, figures) in rows() {
        let numbers = figures.iter().filter(|figure| figure.replace(',', "").parse::<u64>().is_ok());
        assert_eq!((numbers.count(), figures.len()), (3, 3), "{operation}: {figures:?}");
    }
}
