//! Faults that errors of PostgreSQL stand for.

use std::error::Error as _;
use std::io;

use postgres::error::SqlState;

use super::fault::StoreFault;
use super::postgres_address::PostgresTarget;
use super::postgres_fault::PostgresFault;
use super::postgres_tls;

pub(super) fn fault_of(statement: &'static str, error: &postgres::Error) -> StoreFault {
    match error.code() {
        Some(code)
            if *code == SqlState::T_R_SERIALIZATION_FAILURE || *code == SqlState::T_R_DEADLOCK_DETECTED =>
        {
            StoreFault::Conflict
        }
        // Two transactions that insert the same key: the second one runs again and sees it.
        Some(code) if *code == SqlState::UNIQUE_VIOLATION => StoreFault::Conflict,
        Some(code) if *code == SqlState::DISK_FULL => StoreFault::DiskFull,
        Some(code)
            if *code == SqlState::ADMIN_SHUTDOWN
                || *code == SqlState::CRASH_SHUTDOWN
                || *code == SqlState::CANNOT_CONNECT_NOW =>
        {
            StoreFault::Disconnected
        }
        // It took writes when the connection was made.
        Some(code) if *code == SqlState::READ_ONLY_SQL_TRANSACTION => StoreFault::Disconnected,
        Some(_) => StoreFault::Refused { statement, code: reason_of(error) },
        None if error.is_closed() => StoreFault::Disconnected,
        None => StoreFault::Refused { statement, code: "the driver refused an argument".to_owned() },
    }
}

/// Reason why there is no connection; never the server's own words, which can quote the client's.
pub(super) fn connect_fault_of(server: &PostgresTarget, error: &postgres::Error) -> PostgresFault {
    let shown = server.host_list();
    let login =
        |reason: String| PostgresFault::Login { server: server.host_list(), user: server.user(), reason };
    if let Some(code) = error.code() {
        let database = server.database();
        let user = server.user();
        return match *code {
            SqlState::INVALID_CATALOG_NAME => PostgresFault::Missing { server: shown, database, user },
            SqlState::DISK_FULL => PostgresFault::Full { server: shown },
            SqlState::INVALID_PASSWORD
            | SqlState::INVALID_AUTHORIZATION_SPECIFICATION
            | SqlState::INSUFFICIENT_PRIVILEGE => login(format!("code {}", code.code())),
            _ => PostgresFault::Unreachable { server: shown, reason: format!("code {}", code.code()) },
        };
    }
    let Some(source) = error.source() else {
        return PostgresFault::Unreachable { server: shown, reason: error.to_string() };
    };
    let system = source.downcast_ref::<io::Error>();
    let tls = system.and_then(io::Error::get_ref).and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match (tls, system) {
        (Some(tls), _) => PostgresFault::Untrusted { server: shown, problem: postgres_tls::problem_of(tls) },
        (None, Some(system)) if system.kind() == io::ErrorKind::PermissionDenied => {
            PostgresFault::ReadOnly { server: shown, database: server.database() }
        }
        (None, Some(system)) => PostgresFault::Unreachable { server: shown, reason: system.to_string() },
        // The driver's own words, and none of the server's.
        (None, None) => match source.to_string().as_str() {
            "server does not support TLS" => PostgresFault::NoTls { server: shown },
            reason => login(reason.to_owned()),
        },
    }
}

/// The database's code, or that there was none; never its message, which can quote values.
pub(super) fn reason_of(error: &postgres::Error) -> String {
    match error.code() {
        Some(code) => format!("PostgreSQL code {}", code.code()),
        None => "the database cannot be reached or closed the connection".to_owned(),
    }
}
