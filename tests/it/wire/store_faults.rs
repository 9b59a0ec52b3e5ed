//! Each table of the store is away once while every operation is asked: who has a statement fail says so.

use std::collections::BTreeSet;

use crate::support::operations::{ask, fill, list_rows};
use crate::support::statements::take_failed;
use crate::support::tables::{list_tables, rename_tables};
use crate::support::world::on_sqlite;

/// Statements that an operation outlives: what they do is done later, or not needed for the answer.
const OUTLIVED: [&str; 0] = [];

#[test]
fn an_operation_of_which_a_statement_fails_says_so() {
    on_sqlite(async |world| {
        let shop = world.shop("one").await;
        let rows = list_rows(&fill(&world, &shop).await);
        let mut hidden = BTreeSet::new();
        let mut all_failed = BTreeSet::new();
        for table in list_tables(&world) {
            rename_tables(&world, ("", "_away"), |name| name == table);
            for row in &rows {
                take_failed();
                let reply = ask(&world, &shop, row).await;
                let mut failed = take_failed();
                all_failed.extend(failed.clone());
                failed.retain(|name| !OUTLIVED.contains(&name.as_str()));
                if !failed.is_empty() && ![500, 503].contains(&reply.status) {
                    hidden.insert(format!("{}: {}, though {failed:?} failed", row.path, reply.status));
                }
            }
            rename_tables(&world, ("_away", ""), |name| name.ends_with("_away"));
        }
        assert!(all_failed.len() > 50, "{}: {all_failed:?}", all_failed.len());
        assert_eq!(hidden, BTreeSet::new());
    });
}
