//! Files of the user's, for output that the program does not need again.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempPath;

/// File that takes the place of the one at its path once it is complete: what was there stays until then.
pub struct OutputFile {
    file: File,
    /// Absent where there is no file to replace but a device or a pipe, which is written to directly.
    replacement: Option<(TempPath, PathBuf)>,
}

impl OutputFile {
    /// Makes an empty file next to `path`; the user decides about its folder and mode.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn create(path: &Path) -> io::Result<Self> {
        // Of a symbolic link the file that it leads to is replaced.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if path.metadata().is_ok_and(|known| !known.is_file()) {
            return Ok(Self { file: File::create(path)?, replacement: None });
        }
        let mode = path.metadata().map_or(0o666, |known| known.permissions().mode());
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let made = tempfile::Builder::new().permissions(Permissions::from_mode(mode)).tempfile_in(folder)?;
        let (file, temporary) = made.into_parts();
        Ok(Self { file, replacement: Some((temporary, path)) })
    }

    /// Makes it durable, and puts it in its place. Returns its length in bytes.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn finish(self) -> io::Result<u64> {
        let Some((temporary, path)) = self.replacement else { return Ok(self.file.metadata()?.len()) };
        self.file.sync_all()?;
        let bytes = self.file.metadata()?.len();
        temporary.persist(path).map_err(|fault| fault.error)?;
        Ok(bytes)
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_there_stays_until_the_new_file_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.ndjson");
        let link = folder.path().join("link");
        std::fs::write(&path, "old").unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let mut left_out = OutputFile::create(&path).unwrap();
        left_out.write_all(b"half").unwrap();
        drop(left_out);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");

        let mut output = OutputFile::create(&link).unwrap();
        output.write_all(b"new one").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(output.finish().unwrap(), 7);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new one");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        assert!(link.is_symlink());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is left");
    }

    #[test]
    fn a_device_is_written_to_and_not_replaced() {
        let mut output = OutputFile::create(Path::new("/dev/null")).unwrap();
        output.write_all(b"nothing").unwrap();
        output.finish().unwrap();
        assert!(!Path::new("/dev/null").metadata().unwrap().is_file());
    }
}
