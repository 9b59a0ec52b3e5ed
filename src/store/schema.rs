//! The schema: written once in SQLite's words, rendered for PostgreSQL, migrated at start.

use postgres::error::SqlState;
use refinery::{Migration, Runner};

use super::fault::StoreFault;
use crate::mutants::statement_text;

/// Every migration, oldest first: name as refinery wants it, text in SQLite's words. There is no way from version 1,
/// which no release had.
const MIGRATIONS: &[(&str, &str)] = &[
    ("V2__lethe", include_str!("../../migrations/0001_lethe.sql")),
    ("V3__search", include_str!("../../migrations/0002_search.sql")),
    ("V4__user_token", include_str!("../../migrations/0003_user_token.sql")),
    ("V5__synonyms", include_str!("../../migrations/0004_synonyms.sql")),
    ("V6__rules", include_str!("../../migrations/0005_rules.sql")),
    ("V7__pictures", include_str!("../../migrations/0006_pictures.sql")),
    ("V8__events", include_str!("../../migrations/0007_events.sql")),
    ("V9__order_events", include_str!("../../migrations/0008_order_events.sql")),
    ("V10__requests_and_browsers", include_str!("../../migrations/0009_requests_and_browsers.sql")),
    ("V11__shop_lists", include_str!("../../migrations/0010_shop_lists.sql")),
    ("V12__popularity", include_str!("../../migrations/0011_popularity.sql")),
    ("V13__webhooks", include_str!("../../migrations/0012_webhooks.sql")),
    ("V14__operators", include_str!("../../migrations/0013_operators.sql")),
    ("V15__code", include_str!("../../migrations/0014_code.sql")),
    ("V16__changes", include_str!("../../migrations/0015_changes.sql")),
    ("V17__keys_reached", include_str!("../../migrations/0016_keys_reached.sql")),
    ("V18__browser_past", include_str!("../../migrations/0017_browser_past.sql")),
];

/// What PostgreSQL is told besides, in its own words, migration by migration.
const OF_POSTGRES: &[&str] = &[
    include_str!("../../migrations/0001_lethe_postgres.sql"),
    include_str!("../../migrations/0002_search_postgres.sql"),
    include_str!("../../migrations/0003_user_token_postgres.sql"),
    include_str!("../../migrations/0004_synonyms_postgres.sql"),
    include_str!("../../migrations/0005_rules_postgres.sql"),
    include_str!("../../migrations/0006_pictures_postgres.sql"),
    include_str!("../../migrations/0007_events_postgres.sql"),
    include_str!("../../migrations/0008_order_events_postgres.sql"),
    include_str!("../../migrations/0009_requests_and_browsers_postgres.sql"),
    include_str!("../../migrations/0010_shop_lists_postgres.sql"),
    include_str!("../../migrations/0011_popularity_postgres.sql"),
    include_str!("../../migrations/0012_webhooks_postgres.sql"),
    include_str!("../../migrations/0013_operators_postgres.sql"),
    include_str!("../../migrations/0014_code_postgres.sql"),
    include_str!("../../migrations/0015_changes_postgres.sql"),
    include_str!("../../migrations/0016_keys_reached_postgres.sql"),
    include_str!("../../migrations/0017_browser_past_postgres.sql"),
];

/// The names of these files, by which a planted break finds them.
const FILES: &[(&str, &str)] = &[
    ("0001_lethe", "0001_lethe_postgres"),
    ("0002_search", "0002_search_postgres"),
    ("0003_user_token", "0003_user_token_postgres"),
    ("0004_synonyms", "0004_synonyms_postgres"),
    ("0005_rules", "0005_rules_postgres"),
    ("0006_pictures", "0006_pictures_postgres"),
    ("0007_events", "0007_events_postgres"),
    ("0008_order_events", "0008_order_events_postgres"),
    ("0009_requests_and_browsers", "0009_requests_and_browsers_postgres"),
    ("0010_shop_lists", "0010_shop_lists_postgres"),
    ("0011_popularity", "0011_popularity_postgres"),
    ("0012_webhooks", "0012_webhooks_postgres"),
    ("0013_operators", "0013_operators_postgres"),
    ("0014_code", "0014_code_postgres"),
    ("0015_changes", "0015_changes_postgres"),
    ("0016_keys_reached", "0016_keys_reached_postgres"),
    ("0017_browser_past", "0017_browser_past_postgres"),
];

/// The newest version this binary knows.
pub const LATEST: i32 = 18;

/// The schema's text of migration `number` (from 0) for SQLite.
#[must_use]
pub fn sqlite_text(number: usize) -> &'static str {
    statement_text(FILES[number].0, MIGRATIONS[number].1)
}

/// The same for PostgreSQL: its types, and no STRICT, which it always is; its rows have an order of their own. Behind
/// it stands what it is told besides.
#[must_use]
pub fn postgres_text(number: usize) -> String {
    let text = sqlite_text(number).replace(" INTEGER", " BIGINT").replace(" BLOB", " BYTEA");
    let text = text.replace(") STRICT;", ");").replace(") STRICT, WITHOUT ROWID;", ");");
    [&text, statement_text(FILES[number].1, OF_POSTGRES[number])].join("\n")
}

fn migrations(texts: impl Iterator<Item = String>) -> Result<Vec<Migration>, StoreFault> {
    let named = MIGRATIONS.iter().zip(texts);
    let migrations: Result<_, _> = named.map(|((name, _), text)| Migration::unapplied(name, &text)).collect();
    migrations.map_err(|error| refused(&error))
}

fn sqlite_migrations() -> Result<Vec<Migration>, StoreFault> {
    migrations((0..MIGRATIONS.len()).map(|number| sqlite_text(number).to_owned()))
}

/// Grouped is one transaction: a crash between a migration and the note that it was applied would leave a store that
/// never opens again.
fn runner(migrations: &[Migration]) -> Runner {
    // red: it::faults::crash_points::a_crash_at_any_write_of_the_first_start_leaves_a_store_that_opens
    let is_grouped = mutant!("a-migration-is-noted-in-a-second-commit", true, false);
    // red: it::faults::folder::an_older_binary_refuses_a_newer_store_with_exit_4
    let refuses_newer = mutant!("a-newer-store-is-opened", true, false);
    // red: it::every_store::sqlite::a_store_with_other_tables_of_the_same_version_is_refused_with_exit_code_4
    let refuses_other = mutant!("a-store-with-other-tables-is-opened", true, false);
    let runner = Runner::new(migrations).set_grouped(is_grouped);
    runner.set_abort_missing(refuses_newer).set_abort_divergent(refuses_other)
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

fn refused(error: &refinery::Error) -> StoreFault {
    match error.kind() {
        refinery::error::Kind::MissingVersion(found) | refinery::error::Kind::DivergentVersion(found, _) => {
            unknown(found.version())
        }
        // red: it::postgres_connection::a_database_on_a_full_disk_is_refused_with_one_sentence
        _ if mutant!("a-full-disk-is-any-fault", is_disk_full(error), false) => StoreFault::DiskFull,
        // The texts of migrations hold no values, so neither does this one.
        _ => {
            let cause =
                std::error::Error::source(error).map_or_else(String::new, |cause| format!(": {cause}"));
            StoreFault::Open(format!("a migration cannot be applied: {error}{cause}"))
        }
    }
}

pub(super) fn migrate_sqlite(connection: &mut rusqlite::Connection) -> Result<(), StoreFault> {
    runner(&sqlite_migrations()?).run(connection).map(drop).map_err(|error| refused(&error))
}

pub(super) fn migrate_postgres(client: &mut postgres::Client) -> Result<(), StoreFault> {
    let known = migrations((0..MIGRATIONS.len()).map(postgres_text))?;
    runner(&known).run(client).map(drop).map_err(|error| refused(&error))
}
