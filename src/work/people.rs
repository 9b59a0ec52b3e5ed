//! The sealed spool of a feed's profiles: rows as sent, between download and publication.

use std::io::{self, Read, Write};

use crate::feeds::reader::RawRow;

/// A row about a person, read back.
pub struct Spooled {
    /// Position in its section.
    pub number: u64,
    /// Offset at which it began in the feed.
    pub offset: u64,
    /// The row.
    pub json: zeroize::Zeroizing<Vec<u8>>,
}

static_assertions::assert_not_impl_any!(Spooled: std::fmt::Debug, std::fmt::Display, serde::Serialize);

/// Writes a row: number, offset and length as 8 bytes each, then the row.
///
/// # Errors
/// When the spool cannot be written.
pub fn write(spool: &mut impl Write, row: &RawRow<'_>) -> io::Result<()> {
    for number in [row.number, row.offset, row.json.len() as u64] {
        spool.write_all(&number.to_le_bytes())?;
    }
    spool.write_all(row.json)
}

/// Reads the next row; `None` at the end.
///
/// # Errors
/// When the spool cannot be read, ends within a row, or names a row that is too long.
pub fn read_row(spool: &mut impl Read) -> io::Result<Option<Spooled>> {
    let mut first = [0; 1];
    if spool.read(&mut first)? == 0 {
        return Ok(None);
    }
    let mut rest = [0; 23];
    spool.read_exact(&mut rest)?;
    let mut head = [0; 24];
    head[0] = first[0];
    head[1..].copy_from_slice(&rest);
    let number = |at: usize| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&head[at..at + 8]);
        u64::from_le_bytes(bytes)
    };
    let length = usize::try_from(number(16)).unwrap_or(usize::MAX);
    if length > crate::limits::FEED_ROW_BYTES {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut json = zeroize::Zeroizing::new(vec![0; length]);
    spool.read_exact(&mut json)?;
    Ok(Some(Spooled { number: number(0), offset: number(8), json }))
}
