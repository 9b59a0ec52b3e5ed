//! Each table of the store is away once while every operation is asked: who has a statement fail says so.

use std::collections::BTreeSet;

use crate::support::operations::{Row, ask, fill, list_rows};
use crate::support::statements::take_failed;
use crate::support::tables::{list_tables, rename_tables};
use crate::support::world::{Shop, World, on_sqlite};

/// Statements of tasks that run beside the operations: how much each account holds, and the events that models read.
const OF_TASKS: [&str; 2] = ["account_holds_list", "event_after"];

/// Times that an operation is asked before a hidden fault is its own, and not that of a task.
const TRIES: usize = 4;

/// Asks for an answer; gives the statements that failed meanwhile, and whether it hides that.
async fn ask_while_away(world: &World, shop: &Shop, row: &Row) -> (BTreeSet<String>, bool) {
    take_failed();
    let reply = ask(world, shop, row).await;
    let mut failed = take_failed();
    failed.retain(|name| !OF_TASKS.contains(&name.as_str()));
    let is_hidden = !failed.is_empty() && ![500, 503].contains(&reply.status);
    (failed, is_hidden)
}

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
                for tries in 1..=TRIES {
                    let (failed, is_hidden) = ask_while_away(&world, &shop, row).await;
                    if is_hidden && tries == TRIES {
                        hidden.insert(format!("{}, though {failed:?} failed", row.path));
                    }
                    all_failed.extend(failed);
                    if !is_hidden {
                        break;
                    }
                }
            }
            rename_tables(&world, ("_away", ""), |name| name.ends_with("_away"));
        }
        assert!(all_failed.len() > 40, "{}: {all_failed:?}", all_failed.len());
        assert_eq!(hidden, BTreeSet::new());
    });
}
