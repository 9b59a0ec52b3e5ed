//! How PostgreSQL plans the statements: by an index, also while a table is small.

use lethe::args;
use lethe::store::{Arg, Owner, Statement, Store, StoreFault, StoreOptions, Tx};

use crate::postgres::Database;

/// Those of a start and of sweeps, which go through whole tables.
const WHOLE: [&str; 6] =
    ["blob_needed", "blob_of_catalogue", "operator_restored", "slot_last", "slot_of_known", "slot_used"];

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_finds_its_rows_by_an_index() {
    let Some(database) = Database::create() else { return };
    let options = StoreOptions::Postgres(database.url().into());
    let opening = tokio::task::spawn_blocking(move || Store::open(&options));
    let store = opening.await.expect("it ran").expect("a store");
    let mut whole = Vec::new();
    for (name, text) in statements() {
        let plan = store.write(Owner::STORE, move |tx| plan_of(tx, &text)).await;
        let plan = plan.unwrap_or_else(|fault: StoreFault| panic!("{name}: {fault}"));
        if plan.iter().any(|line| line.contains("Seq Scan")) {
            whole.push((name, plan));
        }
    }
    let names: Vec<_> = whole.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, WHOLE, "{whole:#?}");
}

/// Statements about one of many, each with its arguments: planned while their tables are empty, and run when a person has
/// thousands of orders and an account thousands of submissions.
const OF_MANY: [(&str, &str); 4] = [
    ("record_next", r"1, '\x01', 'order'"),
    ("record_delete_some", r"1, '\x01', 50"),
    ("order_known_delete_some", r"1, '\x01', 50"),
    ("submission_status", r"1, int8send(7), '', '', '', '', '', '', '', '', '', '', '', '', '', '', ''"),
];
const MANY: u64 = 4000;

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_made_while_a_table_is_small_reads_no_more_when_it_is_large() {
    let Some(database) = Database::create() else { return };
    let options = StoreOptions::Postgres(database.url().into());
    let opening = tokio::task::spawn_blocking(move || Store::open(&options));
    let store = opening.await.expect("it ran").expect("a store");
    let running = store.write(Owner::STORE, |tx| {
        for statement in lethe::sql::ALL {
            if let Some((asked, args)) = OF_MANY.iter().find(|(asked, _)| *asked == statement.name) {
                once(tx, format!("PREPARE {asked} AS {}", statement.postgres()))?;
                once(tx, format!("EXPLAIN (ANALYZE) EXECUTE {asked}({args})"))?;
            }
        }
        let many = format!("generate_series(1, {MANY}) AS n");
        once(tx, format!(r"INSERT INTO record SELECT 1, '\x01', 'order', n, 1, '\x00' FROM {many}"))?;
        once(
            tx,
            format!(r"INSERT INTO order_known SELECT 1, int8send(n), '\x01', n, 1, 1, NULL FROM {many}"),
        )?;
        once(
            tx,
            format!(
                "INSERT INTO submission (account_id, seq, token, input, state, accepted_at)
                 SELECT 1, n, int8send(n), 'delta', 0, 1 FROM {many}"
            ),
        )?;
        OF_MANY
            .iter()
            .map(|(asked, args)| {
                let plan = once(tx, format!("EXPLAIN (ANALYZE, TIMING OFF) EXECUTE {asked}({args})"))?;
                Ok((*asked, plan))
            })
            .collect::<Result<Vec<_>, StoreFault>>()
    });
    for (name, plan) in running.await.expect("they run") {
        assert!(rows_read(&plan) < MANY / 10, "{name} reads too much: {plan:#?}");
    }
}

/// What all accounts hold is asked once a second: in a time that grows with their number, not with its square.
#[tokio::test(flavor = "multi_thread")]
async fn what_all_accounts_hold_is_found_by_their_numbers() {
    const ACCOUNTS: u64 = 300;
    let Some(database) = Database::create() else { return };
    let options = StoreOptions::Postgres(database.url().into());
    let opening = tokio::task::spawn_blocking(move || Store::open(&options));
    let store = opening.await.expect("it ran").expect("a store");
    let running = store.write(Owner::STORE, |tx| {
        let many = format!("generate_series(1, {ACCOUNTS}) AS n");
        let accounts = "account (id, name, access_key, seq, kept_out, created_at)";
        once(tx, format!("INSERT INTO {accounts} SELECT n, n, n, 0, 0, 0 FROM {many}"))?;
        once(
            tx,
            format!("INSERT INTO snapshot SELECT n, 'Products', 1, 1, n::text, NULL, 1, 1, 1 FROM {many}"),
        )?;
        let asked = lethe::sql::account_holds_list.postgres();
        once(tx, format!("PREPARE asked AS {asked}"))?;
        once(tx, "EXPLAIN (ANALYZE, TIMING OFF) EXECUTE asked(16384)".to_owned())
    });
    let plan = running.await.map_err(|fault: StoreFault| fault).expect("a plan");
    assert!(rows_read(&plan) < 10 * ACCOUNTS, "{plan:#?}");
}

/// Rows that the parts of a plan gave, and those they looked at and left out.
fn rows_read(plan: &[String]) -> u64 {
    let number = |line: &str, before: &str| -> u64 {
        let rest = line.split(before).nth(1).unwrap_or_default();
        rest.split(|sign: char| !sign.is_ascii_digit())
            .next()
            .and_then(|digits| digits.parse().ok())
            .unwrap_or(0)
    };
    let read = |line: &String| {
        let given = number(line, "(actual rows=") * number(line, "loops=").max(1);
        given + number(line, "Rows Removed by Filter: ") + number(line, "Rows Removed by Join Filter: ")
    };
    plan.iter().map(read).sum()
}

/// The plan that holds for all arguments.
fn plan_of(tx: &mut Tx<'_>, text: &str) -> Result<Vec<String>, StoreFault> {
    let arguments = (1..20).take_while(|n| text.contains(&format!("${n}"))).count();
    let nulls = vec!["NULL"; arguments].join(", ");
    let run = match arguments {
        0 => "EXPLAIN EXECUTE asked".to_owned(),
        _ => format!("EXPLAIN EXECUTE asked({nulls})"),
    };
    once(tx, format!("PREPARE asked AS {text}"))?;
    let plan = once(tx, run)?;
    once(tx, "DEALLOCATE asked".to_owned())?;
    Ok(plan)
}

fn once(tx: &mut Tx<'_>, text: String) -> Result<Vec<String>, StoreFault> {
    let text: &'static str = text.leak();
    let statement: &'static Statement = Box::leak(Box::new(Statement::new("once", text, text)));
    let none: &[Arg<'_>] = args![];
    tx.run(statement, none)?.iter().map(|row| row.text("QUERY PLAN").map(str::to_owned)).collect()
}

/// Names and texts, in the order of the names.
fn statements() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for folder in ["common", "postgres"] {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("sql").join(folder);
        for entry in std::fs::read_dir(folder).expect("statements") {
            let path = entry.expect("a file").path();
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            found.push((name, std::fs::read_to_string(path).expect("a text")));
        }
    }
    found.sort();
    found
}
