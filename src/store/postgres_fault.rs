//! Reasons why a PostgreSQL database cannot be used: one sentence each, with its remedy.

use crate::addresses::shell_word;

/// A database, or an address of one, that cannot be used. Never holds a password.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PostgresFault {
    /// The address cannot be read, or contradicts itself.
    #[error("the address of the PostgreSQL database (--store) cannot be used: {0}")]
    Address(&'static str),
    /// The file with the password.
    #[error(
        "the password file of the database cannot be used ({0}): name a file with the password alone, which lethe may \
         read, with --store-password-file"
    )]
    PasswordFile(String),
    /// The certificates that the server's is checked against.
    #[error(
        "the root certificates of the database cannot be used ({0}): name a file with certificates in PEM form with \
         sslrootcert=FILE in --store"
    )]
    Roots(String),
    /// No server answers there now.
    #[error(
        "PostgreSQL at {server} cannot be reached ({reason}): start it, or name another server with --store"
    )]
    Unreachable {
        /// Hosts and ports.
        server: String,
        /// Message of the system.
        reason: String,
    },
    /// The server refuses who wants in.
    #[error(
        "PostgreSQL at {server} does not let the user `{user}` in ({reason}): look at the password \
         (--store-password-file), at sslmode in --store and at pg_hba.conf of the server"
    )]
    Login {
        /// Hosts and ports.
        server: String,
        /// User that asked.
        user: String,
        /// The server's code.
        reason: String,
    },
    /// There is no such database.
    #[error(
        "PostgreSQL at {server} has no database `{database}`: make it with `createdb --encoding=UTF8 \
         --template=template0 --owner={owner} {word}`, or name another with --store",
        owner = shell_word(.user),
        word = shell_word(.database)
    )]
    Missing {
        /// Hosts and ports.
        server: String,
        /// Its name.
        database: String,
        /// User that has to own it.
        user: String,
    },
    /// A standby, or set to read only.
    #[error(
        "PostgreSQL at {server} is read-only: name the primary, or all servers with commas between them, with --store; \
         where it is the primary, `ALTER DATABASE \"{database}\" SET default_transaction_read_only = off`"
    )]
    ReadOnly {
        /// Hosts and ports.
        server: String,
        /// The database.
        database: String,
    },
    /// No room on the server's disk.
    #[error(
        "the disk of PostgreSQL at {server} is full: make room there, or move the database, and start again"
    )]
    Full {
        /// Hosts and ports.
        server: String,
    },
    /// An earlier version than any that lethe is tested on.
    #[error(
        "PostgreSQL at {server} has version {found}, and {oldest} is the oldest that lethe works with: move the database \
         to a newer server with `pg_upgrade`, or name another with --store"
    )]
    TooOld {
        /// Hosts and ports.
        server: String,
        /// The server's version.
        found: i64,
        /// The oldest that will do.
        oldest: i64,
    },
    /// Texts of all languages need UTF8.
    #[error(
        "the database `{database}` has the encoding {found}, and lethe needs UTF8: make another with `createdb \
         --encoding=UTF8 --template=template0 NAME`, and name it with --store"
    )]
    Encoding {
        /// Its name.
        database: String,
        /// Its encoding.
        found: String,
    },
    /// Another program keeps tables there.
    #[error(
        "the database `{database}` holds tables that are not lethe's, such as `{table}`: make one of its own with \
         `createdb --encoding=UTF8 --template=template0 NAME`, and name it with --store"
    )]
    Foreign {
        /// Its name.
        database: String,
        /// One such table.
        table: String,
    },
    /// An empty database in which the user may not make tables.
    #[error(
        "the user `{user}` may not make tables in the database `{database}`: `ALTER DATABASE \"{database}\" OWNER TO \
         \"{user}\"`, or grant it CREATE on a schema of its search_path"
    )]
    MayNotCreate {
        /// Its name.
        database: String,
        /// User that asked.
        user: String,
    },
    /// The server has no TLS, and the address demands it.
    #[error(
        "PostgreSQL at {server} does not offer TLS, which sslmode in --store demands, and nothing was sent: set ssl = on \
         there, or write sslmode=disable for a network that you trust"
    )]
    NoTls {
        /// Hosts and ports.
        server: String,
    },
    /// Another server than the address names answered, or its identity is unknown.
    #[error("PostgreSQL at {server} was not trusted, and nothing was sent: {problem}")]
    Untrusted {
        /// Hosts and ports.
        server: String,
        /// Problem with its certificate.
        problem: String,
    },
}

impl PostgresFault {
    /// Returns true if another try may go better without anyone's action.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Unreachable { .. })
    }
}
