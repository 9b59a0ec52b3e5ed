//! Tables of a copy of the database.

use std::path::Path;

use postgres::types::Type;
use rusqlite::{Connection, OpenFlags};

use super::fault::StoreFault;
use super::sqlite::fault_of;

/// Told how much of how much is done.
pub(super) type CopyProgress<'a> = dyn FnMut(u64, u64) + 'a;

/// A table with its columns.
pub(super) struct CopiedTable {
    pub(super) name: String,
    pub(super) columns: Vec<(String, Type)>,
}

impl CopiedTable {
    /// The columns' names, parted by commas.
    pub(super) fn columns(&self) -> String {
        self.columns.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// The columns' types on PostgreSQL.
    pub(super) fn types(&self) -> Vec<Type> {
        self.columns.iter().map(|(_, kind)| kind.clone()).collect()
    }
}

pub(super) fn open_copy(path: &Path) -> rusqlite::Result<Connection> {
    let path = std::path::absolute(path).ok().and_then(|path| url::Url::from_file_path(path).ok());
    let url = path.ok_or(rusqlite::Error::InvalidQuery)?;
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    // Immutable: no lock, and no log next to it, so that a read-only medium will do.
    Connection::open_with_flags(format!("{url}?immutable=1"), flags)
}

/// The tables of the schema, in its order: referenced ones stand first.
pub(super) fn tables(connection: &Connection) -> rusqlite::Result<Vec<CopiedTable>> {
    const TABLES: &str = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' \
                          AND name <> 'refinery_schema_history' ORDER BY rowid";
    let mut listing = connection.prepare(TABLES)?;
    let names: Vec<String> = listing.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    names.into_iter().map(|name| Ok(CopiedTable { columns: columns_of(connection, &name)?, name })).collect()
}

pub(super) fn copy_fault(error: &rusqlite::Error) -> StoreFault {
    fault_of("the copy of the database", error)
}

pub(super) fn columns_of(connection: &Connection, table: &str) -> rusqlite::Result<Vec<(String, Type)>> {
    let mut listing = connection.prepare("SELECT name, type FROM pragma_table_info($1) ORDER BY cid")?;
    let columns = listing.query_map([table], |row| {
        let kind = match row.get::<_, String>(1)?.as_str() {
            "INTEGER" => Type::INT8,
            "BLOB" => Type::BYTEA,
            _ => Type::TEXT,
        };
        Ok((row.get(0)?, kind))
    })?;
    columns.collect()
}
