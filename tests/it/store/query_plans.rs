//! Query plans of the statements on both engines: an index has all that is asked for, also while a table is small.

use lethe::store::{Arg, Owner, Statement, Store, StoreFault, StoreOptions, Tx};

use crate::support::postgres::Database;

/// Statements of a start and of sweeps, which go through whole tables.
const WHOLE: [&str; 7] = [
    "blob_needed",
    "blob_of_catalogue",
    "operator_restored",
    "setting_texts",
    "slot_last",
    "slot_of_known",
    "slot_used",
];

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

/// Statements about one of many, each with its arguments: planned while their tables are empty, and run when a person
/// has thousands of orders and an account thousands of submissions.
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

/// The holdings of all accounts are counted once a second: in a time that grows with their number, not with its
/// square.
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

/// Plans that read more than they give, with the reason why it does not matter. A line is an engine or `both`, a
/// statement, what its plan does (`scan` a table, `filter` by a column that no index narrows, `sort` before a limit)
/// and the reason.
const REASONED: &str = include_str!("plans.txt");

#[tokio::test(flavor = "multi_thread")]
async fn every_statement_on_sqlite_is_narrowed_by_all_that_it_asks_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open_store(StoreOptions::Sqlite(folder.path().join("lethe.db"))).await;
    let mut found = Vec::new();
    for statement in lethe::sql::ALL {
        // SQLite counts no rows: the plan is the same however full the tables are.
        let plan = store.write(Owner::STORE, move |tx| {
            let text = format!("EXPLAIN QUERY PLAN {}", without_comments(statement.sqlite()));
            read_plan(tx, text, "detail")
        });
        let plan = plan.await.unwrap_or_else(|fault: StoreFault| panic!("{}: {fault}", statement.name));
        let whole = plan.iter().filter_map(|line| line.strip_prefix("SCAN ")).map(first_word);
        let whole = whole.filter(|table| *table != "CONSTANT").map(|table| format!("scan {table}"));
        let narrowed: Vec<_> = plan.iter().flat_map(|line| columns_before(line, "=?")).collect();
        let is_by_number = narrowed.contains(&"rowid");
        let wanted = without_comments(statement.sqlite());
        let wanted = wanted.split_once("WHERE").map_or("", |(_, wanted)| wanted);
        let wanted = (1..20).flat_map(|n| columns_before(wanted, &format!(" = ${n}")));
        let left = wanted.filter(|column| {
            !(narrowed.contains(column) || is_by_number && ["id", "account_id"].contains(column))
        });
        let is_sorted = plan.iter().any(|line| line.contains("TEMP B-TREE FOR") && line.contains("ORDER BY"));
        let sorts = (is_sorted && statement.sqlite().contains("LIMIT")).then(|| "sort".to_owned());
        let all = whole.chain(left.map(|column| format!("filter {column}"))).chain(sorts);
        found.extend(all.map(|does| format!("{} {does}", statement.name)));
    }
    assert_reasoned("sqlite", found);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_statement_on_postgresql_is_narrowed_by_all_that_it_asks_for() {
    const ROWS: usize = 3000;
    let Some(database) = Database::create() else { return };
    let store = open_store(StoreOptions::Postgres(database.url().into())).await;
    fill(database.url(), ROWS);
    let mut found = Vec::new();
    for (name, text) in statements() {
        let plan = store.write(Owner::STORE, move |tx| plan_of(tx, &text)).await;
        let plan = plan.unwrap_or_else(|fault: StoreFault| panic!("{name}: {fault}"));
        let whole = plan.iter().filter_map(|line| line.split_once("Seq Scan on "));
        let whole = whole.map(|(_, table)| format!("scan {}", first_word(table)));
        let filters = plan.iter().filter(|line| line.contains("Filter: "));
        let left =
            filters.flat_map(|line| (1..20).flat_map(move |n| columns_before(line, &format!(" = ${n}"))));
        let all = whole.chain(left.map(|column| format!("filter {column}")));
        found.extend(all.map(|does| format!("{name} {does}")));
    }
    assert_reasoned("postgres", found);
}

async fn open_store(options: StoreOptions) -> Store {
    let opening = tokio::task::spawn_blocking(move || Store::open(&options));
    opening.await.expect("it ran").expect("a store")
}

/// Fills every table with rows of one account that differ in all else, and has PostgreSQL look how many there are.
fn fill(url: String, rows: usize) {
    let filling = format!(
        "SET session_replication_role = replica;
         DO $$ DECLARE filled record; many text; BEGIN
           FOR filled IN SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'
             AND tablename NOT IN ('node', 'refinery_schema_history') LOOP
             SELECT string_agg(CASE WHEN column_name = 'account_id' AND of_one THEN '1'
                 WHEN column_name IN ('lane', 'section', 'kind', 'op', 'state') THEN
                   CASE WHEN data_type = 'bigint' THEN 'n % 7' ELSE '(n % 7)::text' END
                 WHEN data_type = 'bigint' THEN 'n' WHEN data_type = 'bytea' THEN 'int8send(n)'
                 ELSE 'n::text' END, ', ' ORDER BY ordinal_position)
               INTO many FROM information_schema.columns, (
                 SELECT EXISTS (SELECT 1 FROM pg_index WHERE indrelid = filled.name::regclass
                   AND indisprimary AND indnatts > 1) AS of_one) AS keys
               WHERE table_name = filled.name AND table_schema = 'public';
             EXECUTE format('INSERT INTO %I SELECT %s FROM generate_series(1, {rows}) AS n ON CONFLICT DO NOTHING',
               filled.name, many);
           END LOOP;
         END $$;
         ANALYZE;"
    );
    crate::support::postgres::run_on(url, filling);
}

/// Compares the found plans with those that have a reason.
fn assert_reasoned(engine: &str, mut found: Vec<String>) {
    found.sort();
    found.dedup();
    let reasons = REASONED.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let reasoned: Vec<_> = reasons
        .filter_map(|line| {
            let (told, reason) = line.split_once(": ").expect("a reason");
            let (engines, does) = told.split_once(' ').expect("an engine");
            assert!(reason.len() > 10, "{line}");
            (engines == "both" || engines == engine).then(|| does.to_owned())
        })
        .collect();
    let without: Vec<_> = found.iter().filter(|does| !reasoned.contains(does)).collect();
    let idle: Vec<_> = reasoned.iter().filter(|does| !found.contains(does)).collect();
    assert!(
        without.is_empty() && idle.is_empty(),
        "{engine}: without a reason {without:#?}, in vain {idle:#?}"
    );
}

fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}

/// The words before each place where `sign` stands whole.
fn columns_before<'t>(text: &'t str, sign: &str) -> Vec<&'t str> {
    let places = text.match_indices(sign).map(|(at, sign)| text.split_at(at + sign.len()));
    places
        .filter(|(_, after)| !after.starts_with(|next: char| next.is_ascii_digit()))
        .map(|(before, _)| {
            let before = before.strip_suffix(sign).unwrap_or(before);
            let from = before.rfind(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
            &before[from.map_or(0, |from| from + 1)..]
        })
        .filter(|column| !column.is_empty())
        .collect()
}

fn without_comments(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("--")).collect::<Vec<_>>().join("\n")
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
    read_plan(tx, text, "QUERY PLAN")
}

/// Runs a statement once, on SQLite with nothing for each of its arguments; gives a column of text.
fn read_plan(tx: &mut Tx<'_>, text: String, column: &'static str) -> Result<Vec<String>, StoreFault> {
    let nothing = (1..20).take_while(|n| text.contains(&format!("${n}"))).map(|_| Arg::Int(None));
    let nothing: Vec<_> = nothing.filter(|_| column == "detail").collect();
    let text: &'static str = text.leak();
    let statement: &'static Statement = Box::leak(Box::new(Statement::new("once", text, text)));
    tx.run(statement, &nothing)?.iter().map(|row| row.text(column).map(str::to_owned)).collect()
}

/// Names and texts for PostgreSQL, in the order of the names.
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
