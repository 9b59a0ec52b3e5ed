//! Accounts can be told apart by the keys alone: the account stands first in them, and no statement about a person
//! goes through a whole account.

use std::collections::{BTreeMap, BTreeSet};

use lethe::args;
use lethe::store::{Row, Statement, StoreFault};

use crate::support::subjects::INSERT_MANY_PEOPLE;
use crate::support::world::{World, on_both_engines};

on_both_engines! {
    every_table_with_an_account_has_it_first_in_its_primary_key
    no_statement_about_a_person_goes_through_a_whole_account
}

/// Statements that are about everybody of an account, or of all.
const WIDE: [&str; 13] = [
    "identifier_logged_in",
    "identifier_log_out_all",
    "order_known_accounts",
    "record_ended",
    "record_keyed",
    "slot_last",
    "slot_of_known",
    "slot_used",
    "subject_count",
    "subject_given_up",
    "subject_is_going",
    "subject_page",
    "subject_withdrawn",
];
/// Steps over the rows that a LIMIT left of a table.
const FEW: [&str; 2] = ["SCAN CONSTANT ROW", "SCAN these"];
const TABLES: [&str; 4] = ["subject", "identifier", "record", "order_known"];

/// The first column of each primary key.
async fn first_in_keys(world: &World) -> BTreeMap<String, String> {
    const KEYS: Statement = Statement::new(
        "keys",
        "SELECT t.name AS table_name, c.name AS column_name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
         WHERE t.type = 'table' AND c.pk = 1",
        "SELECT t.relname::text AS table_name, c.attname::text AS column_name FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
         JOIN pg_attribute c ON c.attrelid = i.indrelid AND c.attnum = i.indkey[0]
         WHERE i.indisprimary AND t.relnamespace = 'public'::regnamespace",
    );
    let rows = world.node().store.read(|tx| tx.run(&KEYS, args![])).await;
    let rows = rows.map_err(|fault: StoreFault| fault).expect("keys");
    let text = |row: &Row, column| row.text(column).expect("a name").to_owned();
    rows.iter().map(|row| (text(row, "table_name"), text(row, "column_name"))).collect()
}

async fn every_table_with_an_account_has_it_first_in_its_primary_key(world: World) {
    let columns = crate::support::columns::list_columns(&world).await;
    let with_account: BTreeSet<_> =
        columns.into_iter().filter(|(_, column)| column == "account_id").map(|(table, _)| table).collect();
    assert!(with_account.len() > 20, "{with_account:?}");
    let keys = first_in_keys(&world).await;
    let others = with_account.iter().filter(|table| keys[*table] != "account_id");
    let others: Vec<_> = others.map(String::as_str).collect();
    assert!(others.is_empty(), "{others:?}");
}

fn is_about_a_person(statement: &Statement) -> bool {
    let lines = statement.sqlite().lines().filter(|line| !line.starts_with("--"));
    let words: BTreeSet<_> =
        lines.flat_map(|line| line.split(|c: char| !(c.is_ascii_lowercase() || c == '_'))).collect();
    TABLES.iter().any(|table| words.contains(table)) && !WIDE.contains(&statement.name)
}

async fn no_statement_about_a_person_goes_through_a_whole_account(world: World) {
    let asked = || lethe::sql::ALL.iter().filter(|statement| is_about_a_person(statement));
    assert!(asked().count() > 35);
    let Some(database) = &world.database else {
        let file = rusqlite::Connection::open(world.config.data_dir.join("lethe.db")).expect("the file");
        let wide: Vec<_> = asked().flat_map(|statement| wide_in_sqlite(&file, statement)).collect();
        assert_eq!(wide, [""; 0]);
        return;
    };
    let url = database.url();
    let planned = tokio::task::spawn_blocking(move || {
        let mut client = ::postgres::Client::connect(&url, ::postgres::NoTls).expect("a connection");
        client.batch_execute(INSERT_MANY_PEOPLE).expect("people");
        asked().flat_map(|statement| wide_in_postgres(&mut client, statement)).collect::<Vec<_>>()
    });
    assert_eq!(planned.await.expect("plans"), [""; 0]);
}

/// The steps of a plan that read more than a few rows.
fn wide_in_sqlite(file: &rusqlite::Connection, statement: &Statement) -> Vec<String> {
    let text = format!("EXPLAIN QUERY PLAN {}", statement.sqlite().replace('$', "?"));
    let mut plan = file.prepare(&text.replace("PLAN --", "PLAN\n--")).expect("a plan");
    let none = vec![rusqlite::types::Null; plan.parameter_count()];
    let steps = plan.query_map(rusqlite::params_from_iter(none), |row| row.get::<_, String>(3));
    let steps: Vec<_> = steps.expect("a plan").map(|step| step.expect("a step")).collect();
    let is_wide = |step: &&String| {
        step.starts_with("SCAN ") && !FEW.contains(&step.as_str()) || step.contains("(account_id=?)")
    };
    steps.iter().filter(is_wide).map(|step| format!("{}: {step}", statement.name)).collect()
}

fn wide_in_postgres(client: &mut ::postgres::Client, statement: &Statement) -> Vec<String> {
    let name = statement.name;
    client.batch_execute(&format!("PREPARE {name} AS {}", statement.postgres())).expect(name);
    let count = (1..10).filter(|n| statement.postgres().contains(&format!("${n}"))).count();
    let none = vec!["NULL"; count].join(", ");
    let steps = client.simple_query(&format!("EXPLAIN EXECUTE {name}({none})")).expect(name);
    let steps = steps.iter().filter_map(|step| match step {
        ::postgres::SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    let is_wide =
        |step: &&str| step.contains("Seq Scan") || step.contains("Index Cond") && !step.contains(" AND ");
    steps.filter(is_wide).map(|step| format!("{name}: {step}")).collect()
}
