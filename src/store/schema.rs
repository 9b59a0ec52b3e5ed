//! The schema: written once in SQLite's words, rendered for PostgreSQL, migrated at start.

use postgres::error::SqlState;
use refinery::{Migration, Runner};

use super::fault::StoreFault;

/// The two files of a migration.
struct MigrationFiles {
    /// Its name without the ending: number and subject.
    stem: &'static str,
    /// In SQLite's words.
    sqlite: &'static str,
    /// Further statements for PostgreSQL, in its own words.
    postgres: &'static str,
}

macro_rules! migration_files {
    ($($stem:literal)*) => {
        &[$(MigrationFiles {
            stem: $stem,
            sqlite: include_str!(concat!("../../migrations/", $stem, ".sql")),
            postgres: include_str!(concat!("../../migrations/", $stem, "_postgres.sql")),
        }),*]
    };
}

/// Every migration, oldest first: a file's number is one less than the version that it makes, as there is no way from
/// version 1, which no release had.
const MIGRATIONS: &[MigrationFiles] = migration_files! {
    "0001_lethe"
    "0002_search"
    "0003_user_token"
    "0004_synonyms"
    "0005_rules"
    "0006_pictures"
    "0007_events"
    "0008_order_events"
    "0009_requests_and_browsers"
    "0010_shop_lists"
    "0011_popularity"
    "0012_webhooks"
    "0013_operators"
    "0014_code"
    "0015_changes"
    "0016_keys_reached"
    "0017_browser_past"
    "0018_browsers_since"
    "0019_numbers_and_references"
    "0020_bought_together"
    "0021_group_by"
    "0022_feed_formats"
};

/// The newest version this binary knows.
pub const LATEST: i32 = 23;

/// The migrations for SQLite, oldest first.
pub fn sqlite_texts() -> impl Iterator<Item = &'static str> {
    MIGRATIONS.iter().map(|files| files.sqlite)
}

/// The migrations for PostgreSQL, oldest first: its types, and no STRICT, which it always is; its rows have an order
/// of their own. After each follow its additions for PostgreSQL.
fn postgres_texts() -> impl Iterator<Item = String> {
    MIGRATIONS.iter().zip(sqlite_texts()).map(|(files, text)| {
        let text = text.replace(" INTEGER", " BIGINT").replace(" BLOB", " BYTEA");
        let text = text.replace(") STRICT;", ");").replace(") STRICT, WITHOUT ROWID;", ");");
        [text.as_str(), files.postgres].join("\n")
    })
}

fn migrations(texts: impl Iterator<Item = String>) -> Result<Vec<Migration>, StoreFault> {
    let named = (2_i32..).zip(MIGRATIONS).zip(texts);
    let migrations: Result<_, _> = named
        .map(|((version, MigrationFiles { stem, .. }), text)| {
            let subject = stem.trim_start_matches(|letter: char| letter.is_ascii_digit());
            Migration::unapplied(&format!("V{version}_{subject}"), &text)
        })
        .collect();
    migrations.map_err(|error| migration_fault(&error))
}

fn sqlite_migrations() -> Result<Vec<Migration>, StoreFault> {
    migrations(sqlite_texts().map(str::to_owned))
}

/// Grouped is one transaction: a crash between a migration and the note that it was applied would leave a store that
/// never opens again.
fn runner(migrations: &[Migration]) -> Runner {
    Runner::new(migrations).set_grouped(true).set_abort_missing(true).set_abort_divergent(true)
}

/// A store whose schema is none that this binary makes: of a newer one, or of one from which there is no way.
fn unknown(found: i32) -> StoreFault {
    if found > LATEST {
        StoreFault::NewerSchema { found, known: LATEST }
    } else {
        StoreFault::OtherSchema { found, known: LATEST }
    }
}

/// Refuses a SQLite file, such as the database of a backup, to which other migrations were applied than this binary's:
/// each with its version and checksum.
pub(super) fn check_applied(applied: &[(i32, String)]) -> Result<(), StoreFault> {
    let known = sqlite_migrations()?;
    let is_known = |(version, checksum): &&(i32, String)| {
        known.iter().any(|known| known.version() == *version && known.checksum().to_string() == *checksum)
    };
    match applied.iter().find(|applied| !is_known(applied)) {
        Some((version, _)) => Err(unknown(*version)),
        None => Ok(()),
    }
}

fn is_disk_full(error: &refinery::Error) -> bool {
    let cause = std::error::Error::source(error).and_then(|cause| cause.downcast_ref::<postgres::Error>());
    cause.and_then(postgres::Error::code) == Some(&SqlState::DISK_FULL)
}

fn migration_fault(error: &refinery::Error) -> StoreFault {
    match error.kind() {
        refinery::error::Kind::MissingVersion(found) | refinery::error::Kind::DivergentVersion(found, _) => {
            unknown(found.version())
        }
        _ if is_disk_full(error) => StoreFault::DiskFull,
        // The texts of migrations hold no values, so neither does this one.
        _ => {
            let cause =
                std::error::Error::source(error).map_or_else(String::new, |cause| format!(": {cause}"));
            StoreFault::Open(format!("a migration cannot be applied: {error}{cause}"))
        }
    }
}

pub(super) fn migrate_sqlite(connection: &mut rusqlite::Connection) -> Result<(), StoreFault> {
    runner(&sqlite_migrations()?).run(connection).map(drop).map_err(|error| migration_fault(&error))
}

pub(super) fn migrate_postgres(client: &mut postgres::Client) -> Result<(), StoreFault> {
    let known = migrations(postgres_texts())?;
    runner(&known).run(client).map(drop).map_err(|error| migration_fault(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_known_by_the_version_and_the_text_of_each_migration() {
        let known = sqlite_migrations().expect("migrations");
        let known: Vec<_> = known.iter().map(|one| (one.version(), one.checksum().to_string())).collect();
        assert_eq!(
            known.iter().map(|(version, _)| *version).collect::<Vec<_>>(),
            (2..=LATEST).collect::<Vec<_>>()
        );
        assert!(check_applied(&known).is_ok() && check_applied(&known[..1]).is_ok());
        let applied = |version| [known[0].clone(), (version, known[0].1.clone())];
        let other_text = check_applied(&applied(LATEST));
        assert!(matches!(other_text, Err(StoreFault::OtherSchema { found: LATEST, known: LATEST })));
        let earlier = check_applied(&applied(1));
        assert!(matches!(earlier, Err(StoreFault::OtherSchema { found: 1, known: LATEST })));
        const NEWER: i32 = LATEST + 1;
        let newer = check_applied(&applied(NEWER));
        assert!(matches!(newer, Err(StoreFault::NewerSchema { found: NEWER, known: LATEST })));
    }

    /// Rows from before 0019: of account 1 the snapshot of a feed whose status has gone, two feeds and two deltas.
    const BEFORE_NUMBERS: &str = "
        INSERT INTO account (id, name, access_key, seq, kept_out, created_at)
          VALUES (1, 'a', 'k', 20, 0, 0), (2, 'b', 'l', 5, 0, 0);
        INSERT INTO submission (account_id, seq, token, input, state, accepted_at) VALUES
          (1, 3, x'03', 'url', 1, 1), (1, 5, x'05', 'delta', 1, 1), (1, 6, x'06', 'upload', 1, 1),
          (1, 9, x'09', 'delta', 1, 1), (2, 2, x'02', 'delta', 1, 1);
        INSERT INTO snapshot (account_id, section, seq, ready_seq, blob, items, bytes, published_at) VALUES
          (1, 'Products', 1, 1, 'x', 1, 1, 1), (1, 'Products', 6, 6, 'y', 1, 1, 1), (1, 'Brands', 1, 1, 'z', 1, 1, 1)";

    #[test]
    fn what_was_accepted_before_is_numbered_in_the_order_of_its_acceptance() {
        let store = rusqlite::Connection::open_in_memory().expect("a database");
        let numbers = sqlite_texts().nth(18).expect("0019");
        sqlite_texts().take(18).for_each(|text| store.execute_batch(text).expect("an earlier migration"));
        store.execute_batch(BEFORE_NUMBERS).expect("rows");
        store.execute_batch(numbers).expect("the migration");
        let read = |question: &str| -> Vec<[i64; 3]> {
            let mut listed = store.prepare(question).expect("a question");
            let rows = listed.query_map([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?])).expect("rows");
            rows.collect::<Result<_, _>>().expect("numbers")
        };
        let submissions = read("SELECT account_id, seq, kind_number FROM submission ORDER BY 1, 2");
        assert_eq!(submissions, [[1, 3, 2], [1, 5, 1], [1, 6, 3], [1, 9, 2], [2, 2, 1]]);
        let snapshots = read("SELECT account_id, seq, kind_number FROM snapshot ORDER BY 1, 2");
        assert_eq!(snapshots, [[1, 1, 1], [1, 1, 1], [1, 6, 3]]);
        assert_eq!(read("SELECT id, feeds, deltas FROM account ORDER BY 1"), [[1, 3, 2], [2, 0, 1]]);
    }
}
