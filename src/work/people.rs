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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feeds::reader::RowOrigin;
    use crate::feeds::section::FeedPart;
    use crate::limits;

    fn row(offset: u64, json: &[u8]) -> RawRow<'_> {
        RawRow {
            section: FeedPart::Users,
            number: 0x0102_0304_0506_0708,
            offset,
            origin: RowOrigin::Feed,
            json,
        }
    }

    /// The spool of one row without bytes of its own that is said to be so long.
    fn head(length: usize) -> Vec<u8> {
        let mut spool = Vec::new();
        write(&mut spool, &row(9, b"")).unwrap();
        spool[16..24].copy_from_slice(&(length as u64).to_le_bytes());
        spool
    }

    #[test]
    fn rows_are_read_back_as_they_were_written() {
        let mut spool = Vec::new();
        let rows: [(u64, &[u8]); 3] = [(u64::MAX - 1, b"{\"UserId\": 7}"), (0, b""), (258, b"\n")];
        for (offset, json) in rows {
            write(&mut spool, &row(offset, json)).unwrap();
        }
        let mut spool = spool.as_slice();
        let mut read =
            || read_row(&mut spool).unwrap().map(|row| (row.number, row.offset, row.json.to_vec()));
        let number = 0x0102_0304_0506_0708;
        assert_eq!(read(), Some((number, u64::MAX - 1, b"{\"UserId\": 7}".to_vec())));
        assert_eq!(read(), Some((number, 0, Vec::new())));
        assert_eq!(read(), Some((number, 258, b"\n".to_vec())));
        assert_eq!(read(), None);
    }

    #[test]
    fn a_spool_that_ends_within_a_row_is_damaged_wherever_it_ends() {
        let mut whole = Vec::new();
        write(&mut whole, &row(9, b"{}")).unwrap();
        for end in 1..whole.len() {
            let fault = read_row(&mut &whole[..end]).err().map(|error| error.kind());
            assert_eq!(fault, Some(io::ErrorKind::UnexpectedEof), "{end} bytes");
        }
    }

    #[test]
    fn a_row_is_as_long_as_one_of_a_feed_and_no_longer() {
        let longest = [head(limits::FEED_ROW_BYTES), vec![b' '; limits::FEED_ROW_BYTES]].concat();
        let read = read_row(&mut longest.as_slice()).unwrap().map(|row| row.json.len());
        assert_eq!(read, Some(limits::FEED_ROW_BYTES));
        for length in [limits::FEED_ROW_BYTES + 1, usize::MAX] {
            let fault = read_row(&mut head(length).as_slice()).err().map(|error| error.kind());
            assert_eq!(fault, Some(io::ErrorKind::InvalidData), "{length}");
        }
    }

    #[test]
    fn a_spool_without_room_says_so_at_every_byte() {
        for room in 0..24 {
            let mut bytes = vec![0_u8; room];
            let written = write(&mut bytes.as_mut_slice(), &row(9, b""));
            assert_eq!(written.err().map(|error| error.kind()), Some(io::ErrorKind::WriteZero), "{room}");
        }
        assert!(write(&mut [0_u8; 25].as_mut_slice(), &row(9, b"{}")).is_err());
        assert!(write(&mut [0_u8; 26].as_mut_slice(), &row(9, b"{}")).is_ok());
    }
}
