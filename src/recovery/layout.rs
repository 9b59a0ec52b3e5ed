//! Names of the parts of a backup and of a data folder.

/// Name of the database in a backup.
pub const DATABASE: &str = "lethe.db";

/// Folder of the catalogue files, in a backup as in the data folder.
pub(super) const BLOBS: &str = "blobs";

/// The marker of a finished restore: the next start removes the data that it cannot bring back. It says whether a gap
/// in the journal was accepted, for the ledger.
pub const RESTORED: &str = "restored";
