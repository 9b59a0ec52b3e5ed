//! The embedded engine: one writer connection, a few readers.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::config::DbConfig;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{ErrorCode, OpenFlags, StatementStatus, TransactionState, params_from_iter};

use super::batch::{read_loop, write_loop};
use super::connection::SqlConnection;
use super::fault::StoreFault;
use super::owner::Owner;
use super::row::{ColumnNames, Row};
use super::schema;
use super::statement::{Arg, SqlValue, Statement};
use super::threads::spawn;
use super::unit_of_work::{Engine, FailureFlag, UnitOfWork};
use super::unit_queue::UnitQueue;

/// Reader connections: point reads are short, more than the cores would only wait for each other.
const READERS: usize = 2;
/// Prepared statements kept by each connection; more than the program has.
const PREPARED_STATEMENTS: usize = 256;

/// Pages kept by each connection, in the unit the pragma wants: below zero it counts KiB.
const CACHE_KILOBYTES: i64 = -16 * 1024;
/// Cache of the writer: with all pages of an index in memory, storing people reads none.
const WRITER_CACHE_KILOBYTES: i64 = -32 * 1024;

struct Sqlite {
    statements: Statements,
    begin: &'static str,
    /// The file itself; after the connection, because closing it takes the locks of every connection of this process.
    _raw: Option<Arc<File>>,
}

/// A connection with the texts of its statements in SQLite's own spelling.
pub(super) struct Statements {
    pub(super) connection: rusqlite::Connection,
    /// By the address of the original text, which is static.
    known: HashMap<usize, KnownStatement>,
    /// Steps that all connections of the store took so far.
    steps: Arc<AtomicU64>,
}

/// Facts about a statement.
struct KnownStatement {
    /// Its text in SQLite's own spelling.
    text: String,
    /// Names of its columns, known once it was run.
    columns: Option<ColumnNames>,
}

impl Statements {
    pub(super) fn new(connection: rusqlite::Connection) -> Self {
        Self { connection, known: HashMap::new(), steps: Arc::default() }
    }

    fn prepare(
        &mut self,
        text: &'static str,
    ) -> rusqlite::Result<(rusqlite::CachedStatement<'_>, &mut Option<ColumnNames>)> {
        let known = self.known.entry(text.as_ptr().addr());
        let known =
            known.or_insert_with(|| KnownStatement { text: number_placeholders(text), columns: None });
        Ok((self.connection.prepare_cached(&known.text)?, &mut known.columns))
    }
}

/// SQLite binds `$2` by order of appearance, but `?2` by its number, as PostgreSQL does `$2`. Without comments,
/// because a prepared statement is looked up by all of its text.
fn number_placeholders(text: &str) -> String {
    let lines: Vec<_> = text.lines().filter(|line| !line.starts_with("--")).collect();
    lines.join("\n").replace('$', "?")
}

/// Opens the file, migrates it and starts the threads. Gives the file itself, open as long as they run.
pub(super) fn start(
    path: &Path,
    writes: &UnitQueue,
    reads: &flume::Receiver<Box<dyn UnitOfWork>>,
    failed: &Arc<FailureFlag>,
    steps: &Arc<AtomicU64>,
) -> Result<Arc<File>, StoreFault> {
    let mut writer = open(path, "BEGIN IMMEDIATE").map_err(|e| cannot_open(&e))?;
    let grown = writer.statements.connection.pragma_update(None, "cache_size", WRITER_CACHE_KILOBYTES);
    grown.map_err(|e| cannot_open(&e))?;
    schema::migrate_sqlite(&mut writer.statements.connection)?;
    let raw = File::open(path).map_err(|error| StoreFault::Open(error.to_string()))?;
    let raw = Arc::new(raw);
    writer._raw = Some(raw.clone());
    writer.statements.steps = steps.clone();
    for number in 0..READERS {
        let connection = open_reader(path).map_err(|e| cannot_open(&e))?;
        let mut statements = Statements::new(connection);
        statements.steps = steps.clone();
        let mut reader = Sqlite { statements, begin: "BEGIN DEFERRED", _raw: Some(raw.clone()) };
        let queue = reads.clone();
        spawn(format!("store-read-{number}"), move || read_loop(&mut reader, &queue, READERS))?;
    }
    let queue = writes.clone();
    let failed = failed.clone();
    spawn("store-write".to_owned(), move || write_loop(&mut writer, &queue, &failed))?;
    Ok(raw)
}

/// Folds the log into the file and empties it. The pages themselves are overwritten when their rows go.
pub(super) fn settle(path: &Path) -> Result<(), StoreFault> {
    const CHECKPOINT: &str = "wal_checkpoint";
    let refused = |error: rusqlite::Error| fault_of(CHECKPOINT, &error);
    let statements = open(path, "BEGIN DEFERRED").map_err(refused)?.statements;
    let is_busy = statements
        .connection
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0))
        .map_err(refused)?;
    if is_busy { Err(StoreFault::Busy) } else { Ok(()) }
}

/// Copies what lives into fresh pages, and empties the log.
pub(super) fn rebuild(path: &Path) -> Result<(), StoreFault> {
    let rebuilt = open(path, "BEGIN IMMEDIATE").and_then(|sqlite| {
        let connection = sqlite.statements.connection;
        // The copy is as large as the database: too large for the memory. Like the database, it is sealed, but for the
        // catalogue.
        connection.pragma_update(None, "temp_store", "file")?;
        connection.execute_batch("VACUUM")
    });
    rebuilt.map_err(|error| fault_of("vacuum", &error))?;
    settle(path)
}

fn cannot_open(error: &rusqlite::Error) -> StoreFault {
    StoreFault::Open(code_of(error))
}

/// A connection that only reads, for longer than a unit of work may.
pub(super) fn open_reader(path: &Path) -> rusqlite::Result<rusqlite::Connection> {
    let connection = open(path, "BEGIN DEFERRED")?.statements.connection;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

fn open(path: &Path, begin: &'static str) -> rusqlite::Result<Sqlite> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = rusqlite::Connection::open_with_flags(path, flags)?;
    // The page size has to be set before the first table; 8 KB holds a row of a delta on one page.
    connection.pragma_update(None, "page_size", 8192)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "secure_delete", true)?;
    connection.pragma_update(None, "wal_autocheckpoint", 1000)?;
    connection.pragma_update(None, "cache_size", CACHE_KILOBYTES)?;
    // Temporary data of a statement stays out of files that no erasure reaches.
    connection.pragma_update(None, "temp_store", "memory")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // Otherwise a statement is planned again whenever a limit or a compared value gets another value.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.busy_timeout(std::time::Duration::from_secs(5))?;
    connection.set_prepared_statement_cache_capacity(PREPARED_STATEMENTS);
    Ok(Sqlite { statements: Statements::new(connection), begin, _raw: None })
}

impl rusqlite::ToSql for Arg<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Int(Some(value)) => ValueRef::Integer(*value),
            Self::Text(Some(value)) => ValueRef::Text(value.as_bytes()),
            Self::Blob(Some(value)) => ValueRef::Blob(value),
            Self::Int(None) | Self::Text(None) | Self::Blob(None) => ValueRef::Null,
        }))
    }
}

impl SqlConnection for Statements {
    fn query_each(
        &mut self,
        statement: &Statement,
        args: &[Arg<'_>],
        each: &mut dyn FnMut(Row) -> Result<(), StoreFault>,
    ) -> Result<(), StoreFault> {
        let refused = |error: rusqlite::Error| fault_of(statement.name, &error);
        let steps = self.steps.clone();
        let (mut prepared, columns) = self.prepare(statement.sqlite()).map_err(refused)?;
        let named = || prepared.column_names().map(Box::from).collect();
        let columns = columns.get_or_insert_with(named).clone();
        let read = read_each(statement, &mut prepared, args, &columns, each);
        count_steps(&steps, &prepared);
        read
    }

    fn execute(&mut self, statement: &Statement, args: &[Arg<'_>]) -> Result<u64, StoreFault> {
        let refused = |error: rusqlite::Error| fault_of(statement.name, &error);
        let steps = self.steps.clone();
        let (mut prepared, _) = self.prepare(statement.sqlite()).map_err(refused)?;
        let executed = prepared.execute(params_from_iter(args));
        count_steps(&steps, &prepared);
        executed.map(|touched| touched as u64).map_err(refused)
    }
}

fn read_each(
    statement: &Statement,
    prepared: &mut rusqlite::CachedStatement<'_>,
    args: &[Arg<'_>],
    columns: &ColumnNames,
    each: &mut dyn FnMut(Row) -> Result<(), StoreFault>,
) -> Result<(), StoreFault> {
    let refused = |error: rusqlite::Error| fault_of(statement.name, &error);
    let mut rows = prepared.query(params_from_iter(args)).map_err(refused)?;
    while let Some(row) = rows.next().map_err(refused)? {
        each(read_row(statement.name, row, columns).map_err(refused)?)?;
    }
    Ok(())
}

/// Counts the cost of a statement: operations of SQLite's virtual machine.
fn count_steps(steps: &AtomicU64, prepared: &rusqlite::CachedStatement<'_>) {
    let counted = prepared.reset_status(StatementStatus::VmStep);
    steps.fetch_add(u64::try_from(counted).unwrap_or(0), Ordering::Relaxed);
}

fn read_row(
    statement: &'static str,
    row: &rusqlite::Row<'_>,
    columns: &ColumnNames,
) -> rusqlite::Result<Row> {
    let mut values = Vec::with_capacity(columns.len());
    for column in 0..columns.len() {
        values.push(match row.get_ref(column)? {
            ValueRef::Null => SqlValue::Null,
            ValueRef::Integer(value) => SqlValue::Int(value),
            ValueRef::Text(value) => SqlValue::Text(String::from_utf8_lossy(value).into_owned()),
            ValueRef::Blob(value) => SqlValue::Blob(value.to_vec()),
            ValueRef::Real(_) => return Err(rusqlite::Error::InvalidQuery),
        });
    }
    Ok(Row { statement, columns: columns.clone(), values })
}

/// The engine's code without its message: messages can quote values.
fn code_of(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(inner, _) => {
            format!("SQLite code {} ({:?})", inner.extended_code, inner.code)
        }
        _ => "SQLite refused the call".to_owned(),
    }
}

pub(super) fn fault_of(statement: &'static str, error: &rusqlite::Error) -> StoreFault {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreFault::DiskFull,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreFault::Busy,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreFault::Damaged,
        _ => StoreFault::Refused { statement, code: code_of(error) },
    }
}

impl Engine for Sqlite {
    /// One connection writes: everybody's rows are taken.
    fn begin(&mut self, _owners: &[Owner]) -> Result<(), StoreFault> {
        self.text(self.begin)
    }

    fn text(&mut self, text: &'static str) -> Result<(), StoreFault> {
        self.statements
            .connection
            .prepare_cached(text)
            .and_then(|mut prepared| prepared.execute([]))
            .map(drop)
            .map_err(|e| fault_of(text, &e))
    }

    fn connection(&mut self) -> Result<&mut dyn SqlConnection, StoreFault> {
        Ok(&mut self.statements)
    }

    /// A full disk or an I/O fault can roll back everything on its own.
    fn is_alive(&self) -> bool {
        !matches!(
            self.statements.connection.transaction_state(None::<&str>),
            Ok(TransactionState::None) | Err(_)
        ) || !self.statements.connection.is_autocommit()
    }

    /// The file has one writer.
    fn is_alone(&self) -> bool {
        true
    }

    fn commit(&mut self) -> Result<(), StoreFault> {
        match self.text("COMMIT") {
            Ok(()) => Ok(()),
            // Nothing was synced: the frames did not fit. The transaction is undone and its units run alone.
            Err(StoreFault::DiskFull) => Err(StoreFault::DiskFull),
            Err(StoreFault::Busy) => Err(StoreFault::Busy),
            Err(_) => Err(StoreFault::UnknownOutcome),
        }
    }

    fn rollback(&mut self) {
        if !self.statements.connection.is_autocommit() {
            // Already undone when this fails; the next BEGIN says so.
            let _ = self.text("ROLLBACK");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{args, sql};

    #[test]
    fn a_statement_is_planned_once_whatever_is_bound_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let mut sqlite = open(&folder.path().join("lethe.db"), "BEGIN IMMEDIATE").unwrap();
        schema::migrate_sqlite(&mut sqlite.statements.connection).unwrap();
        for limit in [1, 2, 1] {
            sqlite.statements.query(&sql::identifier_by_tag, args![1, &[7; 16], limit]).unwrap();
        }
        let prepared = sqlite.statements.prepare(sql::identifier_by_tag.sqlite()).unwrap();
        assert_eq!(prepared.0.get_status(StatementStatus::RePrepare), 0);
        assert_eq!(prepared.0.get_status(StatementStatus::Run), 3);
    }

    #[test]
    fn a_connection_is_set_as_the_store_needs_it() {
        use rusqlite::types::Value;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lethe.db");
        let writer = open(&path, "BEGIN IMMEDIATE").unwrap().statements.connection;
        let read = |connection: &rusqlite::Connection, name: &str| {
            connection.pragma_query_value(None, name, |row| row.get::<_, Value>(0)).unwrap()
        };
        for (name, number) in [
            ("page_size", 8192),
            ("synchronous", 2),
            ("secure_delete", 1),
            ("wal_autocheckpoint", 1000),
            ("cache_size", CACHE_KILOBYTES),
            ("temp_store", 2),
            ("foreign_keys", 1),
            ("busy_timeout", 5000),
            ("query_only", 0),
        ] {
            assert_eq!(read(&writer, name), Value::Integer(number), "{name}");
        }
        assert_eq!(read(&writer, "journal_mode"), Value::Text("wal".to_owned()));
        let reader = open_reader(&path).unwrap();
        assert_eq!(read(&reader, "query_only"), Value::Integer(1));
    }

    #[test]
    fn a_fault_of_sqlite_is_told_by_its_code_and_never_by_its_message() {
        let fault = |code| {
            let message = Some("quotes a value".to_owned());
            fault_of("put", &rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), message))
        };
        // Full, busy, locked, damaged, no database.
        let [full, busy, locked, damaged, other_file] = [13, 5, 6, 11, 26].map(fault);
        assert!(matches!(full, StoreFault::DiskFull));
        assert!(matches!([busy, locked], [StoreFault::Busy, StoreFault::Busy]));
        assert!(matches!([damaged, other_file], [StoreFault::Damaged, StoreFault::Damaged]));
        let refused = "statement put failed: SQLite code 1555 (ConstraintViolation)";
        assert_eq!(fault(1555).to_string(), refused);
        let call = fault_of("put", &rusqlite::Error::InvalidQuery).to_string();
        assert_eq!(call, "statement put failed: SQLite refused the call");
    }
}
