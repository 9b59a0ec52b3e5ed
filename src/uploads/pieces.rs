//! The files of an upload's pieces: each a sealed blob of its own, read one after the other as one text.

use std::io::{self, Read, Write};

use crate::blobs::{BlobName, Blobs, HashedBlob, Hold};
use crate::keys::{SealedReader, SealedWriter, Sealer};
use crate::limits;

/// Seals a piece into a blob that survives a power cut; until a row names it, the `hold` keeps it. Blocks.
///
/// # Errors
/// When the disk refuses.
pub fn write(blobs: &Blobs, hold: &Hold, sealer: &Sealer, aad: &[u8], plain: &[u8]) -> io::Result<BlobName> {
    let mut sealed = SealedWriter::new(sealer, aad, HashedBlob::create(blobs)?)?;
    sealed.write_all(plain)?;
    sealed.finish()?.publish(hold).map(|(name, _)| name)
}

/// Reads the pieces as one text, in bounded memory.
pub struct PiecesReader {
    blobs: Blobs,
    sealer: Sealer,
    aad: Vec<u8>,
    waiting: std::vec::IntoIter<UploadPiece>,
    current: Option<Box<dyn Read + Send>>,
}

impl PiecesReader {
    /// A reader over `pieces`, sealed under `sealer` and bound to `aad`.
    #[must_use]
    pub fn new(blobs: Blobs, sealer: Sealer, aad: Vec<u8>, pieces: Vec<UploadPiece>) -> Self {
        Self { blobs, sealer, aad, waiting: pieces.into_iter(), current: None }
    }

    fn next_piece(&mut self) -> io::Result<bool> {
        let Some(piece) = self.waiting.next() else { return Ok(false) };
        let file = io::BufReader::new(self.blobs.hold_files().open_blob(&piece.blob)?.reader());
        self.current = Some(Box::new(SealedReader::new(&self.sealer, &self.aad, file)?));
        Ok(true)
    }
}

impl Read for PiecesReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(current) = &mut self.current {
                let read = current.read(into)?;
                if read > 0 || into.is_empty() {
                    return Ok(read);
                }
            }
            if !self.next_piece()? {
                return Ok(0);
            }
        }
    }
}

/// A piece that stands in a file.
#[derive(Clone, Copy)]
pub struct UploadPiece {
    /// Its file.
    pub blob: BlobName,
    /// Its size before it was sealed, in bytes.
    pub bytes: i64,
}

impl UploadPiece {
    /// Bytes that it takes of its account's quota.
    #[must_use]
    pub fn quota_bytes(&self) -> i64 {
        self.bytes.saturating_add(limits::UPLOAD_PIECE_QUOTA_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::Keys;

    #[test]
    fn pieces_of_every_size_are_read_as_one_text() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::open(&folder.path().join("blobs")).unwrap();
        let keys = Keys::open(&folder.path().join("keys")).unwrap();
        keys.start([]).unwrap();
        let slot = keys.take_slot().unwrap();
        let sealer = || keys.sealer(slot).unwrap();
        let parts = ["{\"Products\":[", "", &"x".repeat(200_000), "]", "}"];
        let pieces = parts.map(|part| UploadPiece {
            blob: write(&blobs, &blobs.hold_files(), &sealer(), b"upload/1", part.as_bytes()).unwrap(),
            bytes: part.len() as i64,
        });
        let mut text = String::new();
        let mut reader = PiecesReader::new(blobs.clone(), sealer(), b"upload/1".to_vec(), pieces.to_vec());
        assert_eq!(reader.read(&mut []).unwrap(), 0, "a read into nothing takes nothing");
        reader.read_to_string(&mut text).unwrap();
        assert!(text == parts.concat());
        assert_eq!(reader.read(&mut [0; 8]).unwrap(), 0);
        let other = PiecesReader::new(blobs, sealer(), b"upload/2".to_vec(), pieces.to_vec())
            .read_to_string(&mut text);
        assert_eq!(other.unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn a_piece_takes_room_of_its_own_beside_its_bytes() {
        let quota = |bytes: i64| UploadPiece { blob: BlobName::from_hash([1; 32]), bytes }.quota_bytes();
        let room = limits::UPLOAD_PIECE_QUOTA_BYTES;
        assert_eq!([0, 5, i64::MAX].map(quota), [room, room + 5, i64::MAX]);
    }
}
