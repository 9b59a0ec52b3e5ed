//! The databases whose files hold rows, with their traces of deleted rows, and the end of these traces.

use crate::store::{Store, StoreOptions};

/// A database. It stands in every certificate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Database {
    /// Lethe owns its file: deleted rows are overwritten, its log is emptied, and every byte is searched.
    Sqlite,
    /// Its files are another program's, which overwrites deleted rows when it needs their place.
    Postgres,
}

/// Remains of deleted rows in a database.
pub struct EngineResidue {
    /// Its name in certificates. Never changes.
    pub name: &'static str,
    /// Data that is kept, and where, for people.
    pub says: &'static str,
    /// Until when.
    pub until: &'static str,
}

const OF_POSTGRES: &[EngineResidue] = &[
    EngineResidue {
        name: "heap",
        says: "deleted rows and entries of indexes, in the files of the tables of PostgreSQL: random numbers, keyed hashes, \
               sealed bytes whose key is destroyed; no name, no address and no text",
        until: "VACUUM has passed over the table (autovacuum begins when a hundredth of its rows and 50 are dead, and waits \
                for transactions and replication slots that are older) and something else is written in the place; VACUUM \
                FULL writes a table anew at once",
    },
    EngineResidue {
        name: "statistics",
        says: "random numbers of people, and two keyed hashes of identifiers at most, among the samples by which PostgreSQL \
               plans; of nothing else that a shop or a person sent samples are taken",
        until: "the next ANALYZE of the table, which autovacuum begins when enough rows have changed",
    },
    EngineResidue {
        name: "log",
        says: "the same rows as they were written, in PostgreSQL's write-ahead log (WAL)",
        until: "the segment is removed or written again, some checkpoints later (max_wal_size, wal_keep_size; not before \
                every replication slot has read it)",
    },
    EngineResidue {
        name: "copies",
        says: "the same in replicas, which follow, and in what the operator makes of the database: an archive of the log, \
               base backups, dumps",
        until: "the operator's own rules remove them; Lethe does not know of them",
    },
];

impl Database {
    /// All databases.
    pub const ALL: [Self; 2] = [Self::Sqlite, Self::Postgres];

    /// The database of a store.
    #[must_use]
    pub fn from_store(store: &Store) -> Self {
        match store.options() {
            StoreOptions::Sqlite(..) => Self::Sqlite,
            StoreOptions::Postgres(..) => Self::Postgres,
        }
    }

    /// As certificates name it. Never changes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }

    /// The database that a certificate names; for that of a newer program the least is claimed.
    #[must_use]
    pub fn from_name(name: &str) -> Self {
        Self::ALL.into_iter().find(|database| database.as_str() == name).unwrap_or(Self::Postgres)
    }

    /// True if its files are another program's: Lethe can neither empty, read nor rewrite them.
    #[must_use]
    pub const fn is_apart(self) -> bool {
        matches!(self, Self::Postgres)
    }

    /// Remains of its deleted rows.
    #[must_use]
    pub const fn remains(self) -> &'static [EngineResidue] {
        match self {
            Self::Sqlite => &[],
            Self::Postgres => OF_POSTGRES,
        }
    }
}
