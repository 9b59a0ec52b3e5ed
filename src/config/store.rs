//! The setting `store`: an embedded database or one of PostgreSQL.

use std::path::{Path, PathBuf};

use super::fault::ConfigFault;
use super::folders::canonical_path;
use crate::store::PostgresAddress;

/// Refuses a store that cannot be meant, and an address of PostgreSQL that cannot be read.
pub(super) fn check(
    store: &str,
    password_file: Option<&PathBuf>,
    requires_standby: bool,
) -> Result<(), ConfigFault> {
    let malformed = |name, problem| Err(ConfigFault::Malformed { name, problem });
    if is_postgres(store) {
        let address = PostgresAddress::new(store.to_owned(), password_file.cloned());
        return address.check().map_err(|fault| ConfigFault::Unreadable(fault.to_string()));
    }
    if requires_standby {
        return malformed("require_standby", "only PostgreSQL has standbys, and --store names none");
    }
    if password_file.is_some() {
        return malformed("store_password_file", "an embedded store has no password");
    }
    if store.starts_with("sqlite:") {
        Ok(())
    } else {
        malformed("store", "sqlite:, sqlite:PATH or postgres://… is expected")
    }
}

/// The setting with the real path of the file: SQLite puts its log next to that one.
pub(super) fn real_file(store: String) -> String {
    let path = store.strip_prefix("sqlite:").filter(|path| !path.is_empty());
    match path.map(|path| canonical_path(Path::new(path))).as_deref().and_then(Path::to_str) {
        Some(path) => format!("sqlite:{path}"),
        None => store,
    }
}

pub(super) fn is_postgres(store: &str) -> bool {
    store.starts_with("postgres://") || store.starts_with("postgresql://")
}
