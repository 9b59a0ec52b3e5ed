//! Requirements on a PostgreSQL database, checked before lethe makes or changes anything in it.

use super::fault::StoreFault;
use super::postgres_address::PostgresTarget;
use super::postgres_error::connect_fault_of;
use super::postgres_fault::PostgresFault;

/// The oldest version that lethe is tested on, and the oldest that PostgreSQL's own developers still mend.
const OLDEST_VERSION: i64 = 15;

/// Table in which lethe's migrations are recorded.
const HISTORY: &str = "refinery_schema_history";
/// A table of every schema that lethe ever had.
const OWN: &str = "account";

const TABLES: &str = include_str!("../../sql/postgres/database_tables.sql");
const SETTINGS: &str = include_str!("../../sql/postgres/database_settings.sql");

/// Properties that a database states of itself.
struct DatabaseSettings {
    /// As in `150004`.
    version: i64,
    encoding: String,
    may_create: bool,
    database: String,
    user: String,
    tables: Vec<String>,
}

/// Refuses a database that is too old, has another encoding, or belongs to another program. Changes nothing.
pub(super) fn check(client: &mut postgres::Client, server: &PostgresTarget) -> Result<(), StoreFault> {
    let seen = read_settings(client).map_err(|error| connect_fault_of(server, &error))?;
    Ok(admit(seen, server.host_list())?)
}

fn read_settings(client: &mut postgres::Client) -> Result<DatabaseSettings, postgres::Error> {
    let settings = client.query_one(SETTINGS, &[])?;
    let tables = client.query(TABLES, &[])?.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
    Ok(DatabaseSettings {
        version: settings.try_get(0)?,
        encoding: settings.try_get(1)?,
        may_create: settings.try_get(2)?,
        database: settings.try_get(3)?,
        user: settings.try_get(4)?,
        tables,
    })
}

fn admit(seen: DatabaseSettings, server: String) -> Result<(), PostgresFault> {
    let DatabaseSettings { version, encoding, may_create, database, user, tables } = seen;
    let found = version / 10_000;
    if found < OLDEST_VERSION {
        return Err(PostgresFault::TooOld { server, found, oldest: OLDEST_VERSION });
    }
    if encoding != "UTF8" {
        return Err(PostgresFault::Encoding { database, found: encoding });
    }
    let has = |name: &str| tables.iter().any(|table| table == name);
    if has(HISTORY) && has(OWN) {
        return Ok(());
    }
    match tables.into_iter().find(|table| table != HISTORY) {
        Some(table) => Err(PostgresFault::Foreign { database, table }),
        None if !may_create => Err(PostgresFault::MayNotCreate { database, user }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings_of_version(version: i64) -> DatabaseSettings {
        let text = str::to_owned;
        DatabaseSettings {
            version,
            encoding: text("UTF8"),
            may_create: true,
            database: text("shops"),
            user: text("lethe"),
            tables: vec![],
        }
    }

    #[test]
    fn the_oldest_version_is_told_by_the_number_that_the_server_reports() {
        for new_enough in [150_000, 150_004, 160_003, 180_000] {
            assert!(admit(settings_of_version(new_enough), String::new()).is_ok(), "{new_enough}");
        }
        for (too_old, found) in [(149_999, 14), (130_005, 13), (90_624, 9)] {
            let fault = admit(settings_of_version(too_old), "db.test:5432".to_owned());
            let said = fault.err().map(|fault| fault.to_string()).unwrap_or_default();
            let begin = format!(
                "PostgreSQL at db.test:5432 has version {found}, and 15 is the oldest that lethe works with"
            );
            assert!(said.starts_with(&begin), "{said}");
        }
    }
}
