//! A private folder that is gone when the command ends.

use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::CliFault;

/// Removed with everything in it when dropped.
pub struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// A new folder that only this user may open, named after the command.
    pub fn make(command: &str) -> Result<Self, CliFault> {
        let path = std::env::temp_dir().join(format!("lethe-{command}-{}", uuid::Uuid::new_v4()));
        let made = std::fs::DirBuilder::new().mode(0o700).create(&path);
        made.map_err(|error| CliFault::Failed(format!("no temporary folder can be made: {error}")))?;
        Ok(Self(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // Nobody is left to be told.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
