//! Compact blobs, the stored form of statistics. Numbers of variable length, sorted texts that share their beginnings,
//! and a head and checksum by which a torn or foreign blob is refused.
//!
//! A blob is: four letters that name its kind, its version (one byte), the parts, and the XXH3 of all that (8 bytes).

mod sorted_texts;
#[cfg(test)]
mod tests;

use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

pub use self::sorted_texts::SortedTexts;

const CHECKSUM_BYTES: usize = 8;
const HEAD_BYTES: usize = 5;

/// Kind of a blob, and the version of its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlobFormat {
    /// Four letters.
    pub kind: [u8; 4],
    /// Raised when the parts change: blobs of another version are refused, and rebuilt.
    pub version: u8,
}

/// A blob that cannot be read. The remedy is always to rebuild it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PackedFault {
    /// It is shorter than its head states, or a checksum is wrong.
    #[error("the blob is torn")]
    Torn,
    /// It is something else, or of another version.
    #[error("the blob is of another form")]
    OtherForm,
}

/// Writes a blob.
pub struct Packer {
    bytes: Vec<u8>,
}

impl Packer {
    /// An empty blob of this form.
    #[must_use]
    pub fn new(form: BlobFormat) -> Self {
        let mut bytes = Vec::with_capacity(1024);
        bytes.extend_from_slice(&form.kind);
        bytes.push(form.version);
        Self { bytes }
    }

    /// Adds a number, in one byte below 128, in two below 16,384 and so on.
    pub fn number(&mut self, number: u64) {
        let mut rest = number;
        while rest >= 0x80 {
            self.bytes.push((rest & 0x7f) as u8 | 0x80);
            rest >>= 7;
        }
        self.bytes.push(rest as u8);
    }

    /// Adds a number with a sign: small ones of either sign are short.
    pub fn signed_number(&mut self, number: i64) {
        self.number(((number << 1) ^ (number >> 63)).cast_unsigned());
    }

    /// Adds a number with fractions, bit by bit as it is.
    pub fn float(&mut self, number: f64) {
        self.bytes.extend_from_slice(&number.to_bits().to_le_bytes());
    }

    /// Adds bytes and their length.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    /// Adds a text.
    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Adds a list of numbers and its length.
    pub fn numbers<I>(&mut self, numbers: I)
    where
        I: IntoIterator<IntoIter: ExactSizeIterator<Item = u64>>,
    {
        let numbers = numbers.into_iter();
        self.number(numbers.len() as u64);
        numbers.for_each(|number| self.number(number));
    }

    /// Adds numbers that do not fall, as the steps between them.
    pub fn rising<I>(&mut self, numbers: I)
    where
        I: IntoIterator<IntoIter: ExactSizeIterator<Item = u64>>,
    {
        let mut last = 0;
        let steps = numbers.into_iter().map(|number| number - std::mem::replace(&mut last, number));
        self.numbers(steps);
    }

    /// Adds sorted texts: for each only its difference from the one before.
    pub fn sorted_texts(&mut self, texts: &SortedTexts) {
        self.number(texts.len() as u64);
        let mut last = "";
        for text in texts.iter() {
            let shared = last.bytes().zip(text.bytes()).take_while(|(one, other)| one == other).count();
            self.number(shared as u64);
            self.bytes(&text.as_bytes()[shared..]);
            last = text;
        }
    }

    /// The blob, with its checksum.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        let checksum = xxh3_64(&self.bytes);
        self.bytes.extend_from_slice(&checksum.to_le_bytes());
        self.bytes
    }
}

/// Reads a blob, part by part in the order in which they were added.
pub struct Unpacker<'b> {
    rest: &'b [u8],
}

impl<'b> Unpacker<'b> {
    /// Checks form and checksum.
    ///
    /// # Errors
    /// When the blob is torn or of another form.
    pub fn new(blob: &'b [u8], form: BlobFormat) -> Result<Self, PackedFault> {
        let end = blob.len().checked_sub(CHECKSUM_BYTES).filter(|end| *end >= HEAD_BYTES);
        let (parts, checksum) = blob.split_at(end.ok_or(PackedFault::Torn)?);
        if parts[..4] != form.kind || parts[4] != form.version {
            return Err(PackedFault::OtherForm);
        }
        let is_whole = xxh3_64(parts).to_le_bytes() == checksum;
        if !is_whole {
            return Err(PackedFault::Torn);
        }
        Ok(Self { rest: &parts[HEAD_BYTES..] })
    }

    fn take_bytes(&mut self, count: usize) -> Result<&'b [u8], PackedFault> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(PackedFault::Torn)?;
        self.rest = rest;
        Ok(taken)
    }

    /// Reads a number.
    ///
    /// # Errors
    /// When the blob ends before it does.
    pub fn number(&mut self) -> Result<u64, PackedFault> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.rest.split_first().ok_or(PackedFault::Torn)?;
            self.rest = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if *byte < 0x80 {
                return Ok(number);
            }
        }
        Err(PackedFault::Torn)
    }

    /// Reads a number that has to fit in 32 bits.
    ///
    /// # Errors
    /// When the blob ends before it does, or it is larger.
    pub fn small(&mut self) -> Result<u32, PackedFault> {
        u32::try_from(self.number()?).map_err(|_| PackedFault::Torn)
    }

    /// Reads a number with a sign.
    ///
    /// # Errors
    /// When the blob ends before it does.
    pub fn signed_number(&mut self) -> Result<i64, PackedFault> {
        let number = self.number()?;
        Ok((number >> 1).cast_signed() ^ -((number & 1).cast_signed()))
    }

    /// Reads a number with fractions.
    ///
    /// # Errors
    /// When the blob ends before it does.
    pub fn float(&mut self) -> Result<f64, PackedFault> {
        let bytes = self.take_bytes(8)?.try_into().map_err(|_| PackedFault::Torn)?;
        Ok(f64::from_bits(u64::from_le_bytes(bytes)))
    }

    /// Reads bytes.
    ///
    /// # Errors
    /// When the blob ends before they do.
    pub fn bytes(&mut self) -> Result<&'b [u8], PackedFault> {
        let count = self.count()?;
        self.take_bytes(count)
    }

    /// Reads a text.
    ///
    /// # Errors
    /// When the blob ends early, or the text is not UTF-8.
    pub fn text(&mut self) -> Result<&'b str, PackedFault> {
        std::str::from_utf8(self.bytes()?).map_err(|_| PackedFault::Torn)
    }

    /// Reads how many parts follow, each of at least one byte: a count that cannot be true reserves no memory.
    ///
    /// # Errors
    /// When the blob has fewer bytes left.
    pub fn count(&mut self) -> Result<usize, PackedFault> {
        let count = usize::try_from(self.number()?).map_err(|_| PackedFault::Torn)?;
        if count > self.rest.len() {
            return Err(PackedFault::Torn);
        }
        Ok(count)
    }

    /// Reads a list of numbers.
    ///
    /// # Errors
    /// When the blob ends before it does.
    pub fn numbers(&mut self) -> Result<Vec<u64>, PackedFault> {
        let count = self.count()?;
        (0..count).map(|_| self.number()).collect()
    }

    /// Reads a list of 32-bit numbers.
    ///
    /// # Errors
    /// When the blob ends early, or a number is larger.
    pub fn smalls(&mut self) -> Result<Vec<u32>, PackedFault> {
        let count = self.count()?;
        (0..count).map(|_| self.small()).collect()
    }

    /// Reads a list of numbers that do not fall.
    ///
    /// # Errors
    /// When the blob ends before it does.
    pub fn rising(&mut self) -> Result<Vec<u64>, PackedFault> {
        let mut last = 0_u64;
        let count = self.count()?;
        (0..count)
            .map(|_| {
                last = last.checked_add(self.number()?).ok_or(PackedFault::Torn)?;
                Ok(last)
            })
            .collect()
    }

    /// Reads sorted texts.
    ///
    /// # Errors
    /// When the blob ends early, or the texts are not sorted.
    pub fn sorted_texts(&mut self) -> Result<SortedTexts, PackedFault> {
        let count = self.count()?;
        let mut texts = SortedTexts::default();
        let mut last = Vec::new();
        for _ in 0..count {
            let shared = usize::try_from(self.number()?).map_err(|_| PackedFault::Torn)?;
            if shared > last.len() {
                return Err(PackedFault::Torn);
            }
            last.truncate(shared);
            last.extend_from_slice(self.bytes()?);
            let text = std::str::from_utf8(&last).map_err(|_| PackedFault::Torn)?;
            texts.push(text).ok_or(PackedFault::Torn)?;
        }
        texts.index();
        Ok(texts)
    }

    /// True if all parts were read.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }
}
