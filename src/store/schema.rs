//! The schema: written once in SQLite's words, rendered for PostgreSQL, migrated at start.

use refinery::{Migration, Runner};

use super::fault::StoreFault;

/// Every migration, oldest first: name as refinery wants it, text in SQLite's words.
const MIGRATIONS: &[(&str, &str)] = &[("V1__lethe", include_str!("../../migrations/0001_lethe.sql"))];

/// The newest version this binary knows.
pub const LATEST: i32 = 1;

/// The schema's text of migration `number` (from 0) for SQLite.
#[must_use]
pub fn sqlite_text(number: usize) -> &'static str {
    MIGRATIONS[number].1
}

/// The same for PostgreSQL: its types, and no STRICT, which it always is.
#[must_use]
pub fn postgres_text(number: usize) -> String {
    MIGRATIONS[number].1.replace(" INTEGER", " BIGINT").replace(" BLOB", " BYTEA").replace(") STRICT;", ");")
}

fn runner(texts: impl Iterator<Item = String>) -> Result<Runner, StoreFault> {
    let migrations: Result<Vec<_>, _> =
        MIGRATIONS.iter().zip(texts).map(|((name, _), text)| Migration::unapplied(name, &text)).collect();
    // Grouped is one transaction: a crash between a migration and the note that it was applied would leave a
    // store that never opens again.
    migrations.map(|known| Runner::new(&known).set_grouped(true)).map_err(|error| refused(&error))
}

/// A migration found in the store that this binary does not have was written by a newer one.
fn refused(error: &refinery::Error) -> StoreFault {
    match error.kind() {
        refinery::error::Kind::MissingVersion(found) => {
            StoreFault::NewerSchema { found: found.version(), known: LATEST }
        }
        // The texts of migrations hold no values, so neither does this one.
        _ => {
            let cause =
                std::error::Error::source(error).map_or_else(String::new, |cause| format!(": {cause}"));
            StoreFault::Open(format!("a migration cannot be applied: {error}{cause}"))
        }
    }
}

pub(super) fn migrate_sqlite(connection: &mut rusqlite::Connection) -> Result<(), StoreFault> {
    runner((0..MIGRATIONS.len()).map(|number| sqlite_text(number).to_owned()))?
        .run(connection)
        .map(drop)
        .map_err(|error| refused(&error))
}

pub(super) fn migrate_postgres(client: &mut postgres::Client) -> Result<(), StoreFault> {
    runner((0..MIGRATIONS.len()).map(postgres_text))?.run(client).map(drop).map_err(|error| refused(&error))
}
