//! Columns of the store, as each engine lists them.

use std::collections::BTreeSet;

use lethe::args;
use lethe::store::{Row, Statement, StoreFault};

use crate::support::world::World;

/// Every column of every table of ours, as the engine tells.
pub async fn list_columns(world: &World) -> Vec<(String, String)> {
    const COLUMNS: Statement = Statement::new(
        "columns",
        "SELECT t.name AS table_name, c.name AS column_name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
         WHERE t.type = 'table' AND t.name NOT LIKE 'refinery%' ORDER BY 1, 2",
        "SELECT table_name::text AS table_name, column_name::text AS column_name FROM information_schema.columns
         WHERE table_schema = 'public' AND table_name NOT LIKE 'refinery%' ORDER BY 1, 2",
    );
    let rows = world.node().store.read(|tx| tx.run(&COLUMNS, args![])).await;
    let rows = rows.map_err(|fault: StoreFault| fault).expect("columns");
    let text = |row: &Row, column| row.text(column).expect("a name").to_owned();
    rows.iter().map(|row| (text(row, "table_name"), text(row, "column_name"))).collect()
}

/// `table.column TYPE [NOT NULL]` of every table of ours.
pub fn read_sqlite_columns(file: &std::path::Path) -> BTreeSet<String> {
    let file = rusqlite::Connection::open(file).expect("the file");
    let text =
        "SELECT t.name, c.name, c.type, c.\"notnull\" FROM sqlite_schema t JOIN pragma_table_info(t.name) c
                WHERE t.type = 'table' AND t.name NOT LIKE 'refinery%'";
    let mut statement = file.prepare(text).expect("a statement");
    let rows = statement
        .query_map([], |row| {
            let required = if row.get::<_, bool>(3)? { " NOT NULL" } else { "" };
            Ok(format!(
                "{}.{} {}{required}",
                row.get::<_, String>(0)?,
                row.get::<_, String>(1)?,
                row.get::<_, String>(2)?
            ))
        })
        .expect("rows");
    rows.map(|row| row.expect("a row")).collect()
}
