//! A private folder that is gone when the command ends.

use std::path::{Path, PathBuf};

use super::fault::CliFault;
use crate::disk;

/// Removed with everything in it when dropped.
pub struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// A new folder that only this user may open, named after the command.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn create(command: &str) -> Result<Self, CliFault> {
        let path = std::env::temp_dir().join(format!("lethe-{command}-{}", uuid::Uuid::new_v4()));
        let made = disk::create_folder(&path);
        made.map_err(|error| CliFault::Failed(format!("no temporary folder can be made: {error}")))?;
        Ok(Self(path))
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // There is no caller left to report a fault to.
        let _ = disk::remove_folder(&self.0);
    }
}
