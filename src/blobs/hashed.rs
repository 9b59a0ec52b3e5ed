//! A blob that is named by the SHA-256 of its bytes, hashed as it is written.

use std::io::{self, Write};

use aws_lc_rs::digest;

use super::blob::{Blob, BlobWriter, Blobs};
use super::blob_name::BlobName;
use super::sweep::Hold;

/// An unpublished blob and the hash of the bytes so far.
pub struct HashedBlob {
    blob: BlobWriter,
    digest: digest::Context,
}

impl HashedBlob {
    /// Makes a new unpublished blob.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(blobs: &Blobs) -> io::Result<Self> {
        Ok(Self { blob: blobs.create()?, digest: digest::Context::new(&digest::SHA256) })
    }

    /// Bytes written so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.blob.bytes()
    }

    /// The bytes written so far, for reading ([`BlobWriter::read_back`]).
    ///
    /// # Errors
    /// When the buffered rest cannot be written.
    pub fn read_back(&mut self) -> io::Result<Blob> {
        self.blob.read_back()
    }

    /// Publishes the blob under the hash of its content ([`BlobWriter::finish`]); returns its name and size.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn publish(self, hold: &Hold) -> io::Result<(BlobName, u64)> {
        let mut hash = [0; 32];
        hash.copy_from_slice(self.digest.finish().as_ref());
        let name = BlobName::from_hash(hash);
        Ok((name, self.blob.finish(&name, hold)?))
    }
}

impl Write for HashedBlob {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let written = self.blob.write(buf)?;
        self.digest.update(&buf[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.blob.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blob_is_named_by_its_bytes_and_flushed_ones_stand_in_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::open(folder.path()).unwrap();
        let mut hashed = HashedBlob::create(&blobs).unwrap();
        hashed.write_all(b"some").unwrap();
        hashed.flush().unwrap();
        assert_eq!(std::fs::read(&hashed.blob.path).unwrap(), b"some");
        hashed.write_all(b" rows").unwrap();
        assert_eq!(hashed.bytes(), 9);
        let (name, bytes) = hashed.publish(&blobs.hold_files()).unwrap();
        let hash = digest::digest(&digest::SHA256, b"some rows");
        assert_eq!((&name.hash()[..], bytes), (hash.as_ref(), 9));
    }
}
