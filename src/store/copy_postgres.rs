//! The copy of a PostgreSQL database: all tables of one state into a SQLite file, and back.

use std::path::Path;

use postgres::binary_copy::{BinaryCopyInWriter, BinaryCopyOutIter};
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::{ToSql, Type};
use postgres::{IsolationLevel, Transaction};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, params_from_iter, types::Value};

use super::copied_table::{CopiedTable, CopyProgress, copy_fault, open_copy, tables};
use super::fault::StoreFault;
use super::postgres_address::PostgresAddress;
use super::statement::Arg;
use super::{postgres_connect, postgres_error, schema};

fn fault_of(error: &postgres::Error) -> StoreFault {
    postgres_error::fault_of("the copy of the database", error)
}

/// Writes all tables, as one transaction sees them, into the new file `to`.
pub(super) fn write(
    address: &PostgresAddress,
    to: &Path,
    tell: &mut CopyProgress<'_>,
) -> Result<(), StoreFault> {
    let mut file = make_file(to).map_err(|error| copy_fault(&error))?;
    schema::migrate_sqlite(&mut file)?;
    let tables = tables(&file).map_err(|error| copy_fault(&error))?;
    let mut client = postgres_connect::open_as_it_is(address)?;
    let from = client.build_transaction().isolation_level(IsolationLevel::RepeatableRead).read_only(true);
    let mut from = from.start().map_err(|error| fault_of(&error))?;
    without_time_limit(&mut from)?;
    let into = file.transaction().map_err(|error| copy_fault(&error))?;
    for (done, table) in (0..).zip(&tables) {
        tell(done, tables.len() as u64);
        write_table(&mut from, &into, table)?;
    }
    into.commit().map_err(|error| copy_fault(&error))
}

/// The file counts only when it is whole and synced, so it needs no log of its own.
fn make_file(to: &Path) -> rusqlite::Result<Connection> {
    let file = Connection::open(to)?;
    file.pragma_update(None, "page_size", 8192)?;
    file.pragma_update(None, "synchronous", "off")?;
    file.pragma_update(None, "foreign_keys", false)?;
    Ok(file)
}

fn without_time_limit(transaction: &mut Transaction<'_>) -> Result<(), StoreFault> {
    transaction.batch_execute("SET LOCAL statement_timeout = 0").map_err(|error| fault_of(&error))
}

fn write_table(
    from: &mut Transaction<'_>,
    into: &rusqlite::Transaction<'_>,
    table: &CopiedTable,
) -> Result<(), StoreFault> {
    let name = &table.name;
    let columns = table.columns();
    let places: Vec<_> = (1..=table.columns.len()).map(|n| format!("?{n}")).collect();
    into.execute(&format!("DELETE FROM {name}"), []).map_err(|error| copy_fault(&error))?;
    let insert = format!("INSERT INTO {name} ({columns}) VALUES ({})", places.join(", "));
    let mut insert = into.prepare(&insert).map_err(|error| copy_fault(&error))?;
    let rows = from.copy_out(&format!("COPY {name} ({columns}) TO STDOUT BINARY"));
    let types = table.types();
    let mut rows = BinaryCopyOutIter::new(rows.map_err(|error| fault_of(&error))?, &types);
    while let Some(row) = rows.next().map_err(|error| fault_of(&error))? {
        let values = types.iter().enumerate().map(|(n, kind)| match *kind {
            Type::INT8 => {
                row.try_get::<Option<i64>>(n).map(|value| value.map_or(Value::Null, Value::Integer))
            }
            Type::BYTEA => {
                row.try_get::<Option<Vec<u8>>>(n).map(|value| value.map_or(Value::Null, Value::Blob))
            }
            _ => row.try_get::<Option<String>>(n).map(|value| value.map_or(Value::Null, Value::Text)),
        });
        let values: Vec<_> = values.collect::<Result<_, _>>().map_err(|error| fault_of(&error))?;
        insert.execute(params_from_iter(values)).map_err(|error| copy_fault(&error))?;
    }
    Ok(())
}

const NOBODY_RUNS: &str = "UPDATE node SET holder = NULL";

/// Returns true if the database has no rows but those it is made with. Makes the tables when there are none.
pub(super) fn is_unused(address: &PostgresAddress) -> Result<bool, StoreFault> {
    let mut client = postgres_connect::open(address)?;
    let mut fresh = Connection::open_in_memory().map_err(|error| copy_fault(&error))?;
    schema::migrate_sqlite(&mut fresh)?;
    for table in tables(&fresh).map_err(|error| copy_fault(&error))? {
        let count = format!("SELECT count(*) FROM {}", table.name);
        let made: i64 = fresh.query_row(&count, [], |row| row.get(0)).map_err(|error| copy_fault(&error))?;
        let found: i64 = client.query_one(&count, &[]).map_err(|error| fault_of(&error))?.get(0);
        if found > made {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Loads a copy into the database in one transaction.
pub(super) fn load(
    address: &PostgresAddress,
    from: &Path,
    tell: &mut CopyProgress<'_>,
) -> Result<(), StoreFault> {
    let mut client = postgres_connect::open(address)?;
    let copy = open_copy(from).map_err(|error| copy_fault(&error))?;
    let tables = tables(&copy).map_err(|error| copy_fault(&error))?;
    let mut into = client.transaction().map_err(|error| fault_of(&error))?;
    without_time_limit(&mut into)?;
    let names: Vec<_> = tables.iter().map(|table| table.name.as_str()).collect();
    into.batch_execute(&format!("TRUNCATE {}", names.join(", "))).map_err(|error| fault_of(&error))?;
    for (done, table) in (0..).zip(&tables) {
        tell(done, tables.len() as u64);
        load_table(&copy, &mut into, table)?;
    }
    // A process on the original does not run on its copy, and the next start need not wait for a sign of life.
    into.batch_execute(NOBODY_RUNS).map_err(|error| fault_of(&error))?;
    // Until the server looks by itself it would plan every question for empty tables.
    let look = format!("ANALYZE {}", names.join(", "));
    into.batch_execute(&look).map_err(|error| fault_of(&error))?;
    into.commit().map_err(|error| fault_of(&error))
}

fn load_table(copy: &Connection, into: &mut Transaction<'_>, table: &CopiedTable) -> Result<(), StoreFault> {
    let name = &table.name;
    let columns = table.columns();
    let rows = into.copy_in(&format!("COPY {name} ({columns}) FROM STDIN BINARY"));
    let mut writer = BinaryCopyInWriter::new(rows.map_err(|error| fault_of(&error))?, &table.types());
    let mut listing =
        copy.prepare(&format!("SELECT {columns} FROM {name}")).map_err(|error| copy_fault(&error))?;
    let mut rows = listing.query([]).map_err(|error| copy_fault(&error))?;
    while let Some(row) = rows.next().map_err(|error| copy_fault(&error))? {
        let args: Result<Vec<Arg<'_>>, _> =
            table.columns.iter().enumerate().map(|(n, (_, kind))| argument(row.get_ref(n)?, kind)).collect();
        let args = args.map_err(|error| copy_fault(&error))?;
        let args: Vec<&(dyn ToSql + Sync)> = args.iter().map(|arg| arg as &(dyn ToSql + Sync)).collect();
        writer.write(&args).map_err(|error| fault_of(&error))?;
    }
    writer.finish().map(drop).map_err(|error| fault_of(&error))
}

fn argument<'a>(value: ValueRef<'a>, kind: &Type) -> rusqlite::Result<Arg<'a>> {
    Ok(match value {
        ValueRef::Null if *kind == Type::INT8 => Arg::Int(None),
        ValueRef::Null if *kind == Type::BYTEA => Arg::Blob(None),
        ValueRef::Null => Arg::Text(None),
        ValueRef::Integer(value) => Arg::Int(Some(value)),
        ValueRef::Text(text) => {
            Arg::Text(Some(std::str::from_utf8(text).map_err(|_| rusqlite::Error::InvalidQuery)?))
        }
        ValueRef::Blob(bytes) => Arg::Blob(Some(bytes)),
        ValueRef::Real(_) => return Err(rusqlite::Error::InvalidQuery),
    })
}
