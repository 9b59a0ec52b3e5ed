//! Sealing records under the key of a subject or job, so that destroying the key erases them.
//!
//! A sealed record: version (1) | random nonce (12) | AES-256-GCM ciphertext | tag (16). The plaintext is a u32
//! length, the record, then zeros up to a size class, so that a backup tells little about whose record is longer. The
//! nonces of a sealer are a random number and its successors (NIST SP 800-38D, 8.2.2), which is safe for 2^32 records
//! under one key (8.3); one person has fewer.

use super::fault::KeyFault;
use super::key_file::KeyBytes;
use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use aws_lc_rs::{hkdf, rand};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use zeroize::Zeroizing;

const VERSION: u8 = 1;
const LENGTH_BYTES: usize = 4;
const SMALLEST_CLASS_BYTES: usize = 64;
const KEY_BYTES: usize = 32;
const BODY: usize = 1 + NONCE_LEN;
/// Bytes of an AES-GCM tag.
pub(super) const TAG_BYTES: usize = 16;

/// Seals and opens the records of one subject or job. Its key is wiped when it is dropped.
pub struct Sealer {
    key: KeyBytes,
    records: LessSafeKey,
    /// The first nonce, drawn when something is sealed, and how many were used.
    first_nonce: OnceLock<u128>,
    nonces: AtomicU64,
}

impl Sealer {
    pub(super) fn new(key: KeyBytes) -> Result<Self, KeyFault> {
        let records = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &key)?);
        Ok(Self { key, records, first_nonce: OnceLock::new(), nonces: AtomicU64::new(0) })
    }

    /// A sealer whose key exists only in the memory of this process: once it is dropped, or the process ends, its
    /// records cannot be opened.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn ephemeral() -> Result<Self, KeyFault> {
        let mut key = Zeroizing::new(vec![0; KEY_BYTES]);
        rand::fill(&mut key)?;
        Self::new(key)
    }

    fn nonce(&self) -> Result<[u8; NONCE_LEN], KeyFault> {
        let mut drawn = [0; size_of::<u128>()];
        if self.first_nonce.get().is_none() {
            rand::fill(&mut drawn)?;
        }
        let first = self.first_nonce.get_or_init(|| u128::from_le_bytes(drawn));
        let used = self.nonces.fetch_add(1, Ordering::Relaxed);
        let mut nonce = [0; NONCE_LEN];
        nonce.copy_from_slice(&first.wrapping_add(u128::from(used)).to_le_bytes()[..NONCE_LEN]);
        Ok(nonce)
    }

    /// Seals a record of up to 4 GiB. `aad` says where it belongs (table, column, row); it is not stored
    /// and must be the same to open it.
    ///
    /// # Errors
    /// [`KeyFault::TooLong`] for a longer record, or when the cryptographic library refuses.
    pub fn seal(&self, aad: &[u8], plain: &[u8]) -> Result<Vec<u8>, KeyFault> {
        let length = u32::try_from(plain.len()).map_err(|_| KeyFault::TooLong)?;
        let end = BODY + size_class(LENGTH_BYTES + plain.len());
        // Never reallocated: a plaintext in freed memory could not be wiped.
        let mut sealed = Vec::with_capacity(end + TAG_BYTES);
        let nonce = self.nonce()?;
        sealed.push(VERSION);
        sealed.extend_from_slice(&nonce);
        sealed.extend_from_slice(&length.to_le_bytes());
        sealed.extend_from_slice(plain);
        sealed.resize(end, 0);
        let nonce = Nonce::assume_unique_for_key(nonce);
        let tag = self.records.seal_in_place_separate_tag(nonce, bound_to(aad), &mut sealed[BODY..])?;
        sealed.extend_from_slice(tag.as_ref());
        Ok(sealed)
    }

    /// Opens a record.
    ///
    /// # Errors
    /// [`KeyFault::SealBroken`] when it, its `aad` or its key is not the one it was sealed with;
    /// [`KeyFault::SealVersion`] when its format is unknown.
    pub fn open(&self, aad: &[u8], sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, KeyFault> {
        let version = *sealed.first().ok_or(KeyFault::SealBroken)?;
        if version != VERSION {
            return Err(KeyFault::SealVersion { version });
        }
        let (nonce, body) = sealed[1..].split_first_chunk::<NONCE_LEN>().ok_or(KeyFault::SealBroken)?;
        let mut plain = Zeroizing::new(body.to_vec());
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let opened = self.records.open_in_place(nonce, bound_to(aad), &mut plain);
        let opened = opened.map_err(|_| KeyFault::SealBroken)?;
        let (length, padded) = opened.split_first_chunk().ok_or(KeyFault::SealBroken)?;
        let length = u32::from_le_bytes(*length) as usize;
        if length > padded.len() {
            return Err(KeyFault::SealBroken);
        }
        plain.copy_within(LENGTH_BYTES..LENGTH_BYTES + length, 0);
        plain.truncate(length);
        Ok(plain)
    }

    /// The key of one stream: HKDF-SHA-256 of this key and the stream's random salt, so that streams can
    /// count their nonces without meeting those of records or of each other.
    pub(super) fn stream_key(&self, salt: &[u8]) -> Result<LessSafeKey, KeyFault> {
        let secret = hkdf::Salt::new(hkdf::HKDF_SHA256, salt).extract(&self.key);
        let key = secret.expand(&[b"lethe/stream/v1"], &AES_256_GCM)?;
        Ok(LessSafeKey::new(UnboundKey::from(key)))
    }
}

/// The padded size of a plaintext of `bytes`: 64, then eight steps to each doubling, so at most 12.5 % more.
fn size_class(bytes: usize) -> usize {
    if bytes <= SMALLEST_CLASS_BYTES {
        return SMALLEST_CLASS_BYTES;
    }
    bytes.next_multiple_of(1 << (bytes.ilog2() - 3))
}

fn bound_to(aad: &[u8]) -> Aad<Vec<u8>> {
    Aad::from([&[VERSION], aad].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sealer() -> Sealer {
        let mut key = Zeroizing::new(vec![0; 32]);
        rand::fill(&mut key).unwrap();
        Sealer::new(key).unwrap()
    }

    #[test]
    fn a_record_opens_only_whole_under_its_own_key_and_place() {
        let one = sealer();
        let sealed = one.seal(b"users/7/email", b"anna@example.com").unwrap();
        assert_eq!(&**one.open(b"users/7/email", &sealed).ok().unwrap(), b"anna@example.com");
        assert!(matches!(one.open(b"users/8/email", &sealed), Err(KeyFault::SealBroken)));
        assert!(matches!(sealer().open(b"users/7/email", &sealed), Err(KeyFault::SealBroken)));
        for at in 0..sealed.len() {
            let mut flipped = sealed.clone();
            flipped[at] ^= 1;
            assert!(one.open(b"users/7/email", &flipped).is_err(), "byte {at} flipped");
            assert!(one.open(b"users/7/email", &sealed[..at]).is_err(), "cut at {at}");
        }
    }

    #[test]
    fn the_same_record_sealed_twice_looks_different() {
        let one = sealer();
        assert_ne!(one.seal(b"", b"anna").unwrap(), one.seal(b"", b"anna").unwrap());
    }

    #[test]
    fn records_of_one_size_class_have_the_same_sealed_length() {
        let one = sealer();
        let lengths: Vec<_> = [0, 1, 60].map(|n| one.seal(b"", &vec![7; n]).unwrap().len()).into();
        assert_eq!(lengths, [64 + 29, 64 + 29, 64 + 29]);
        assert_eq!(one.seal(b"", &[7; 61]).unwrap().len(), 72 + 29);
    }

    #[test]
    fn size_classes_grow_by_at_most_an_eighth() {
        let classes: std::collections::BTreeSet<_> = (0..=1 << 16).map(size_class).collect();
        assert_eq!(classes.len(), 1 + 8 * 10);
        for bytes in SMALLEST_CLASS_BYTES..1 << 16 {
            let class = size_class(bytes);
            assert!(class >= bytes && class * 8 <= bytes * 9, "{bytes} became {class}");
            assert_eq!(size_class(class), class);
        }
    }

    proptest! {
        #[test]
        fn every_record_comes_back(plain: Vec<u8>, aad: Vec<u8>) {
            let one = sealer();
            prop_assert_eq!(&**one.open(&aad, &one.seal(&aad, &plain).unwrap()).ok().unwrap(), &plain[..]);
        }
    }

    #[test]
    fn the_nonces_of_a_sealer_follow_each_other_from_a_random_one() {
        let nonce = |one: &Sealer| {
            let mut number = [0; 16];
            number[..NONCE_LEN].copy_from_slice(&one.seal(b"", b"anna").unwrap()[1..BODY]);
            u128::from_le_bytes(number)
        };
        let one = sealer();
        let first = nonce(&one);
        let end = 1 << (8 * NONCE_LEN);
        assert_eq!([nonce(&one), nonce(&one)], [(first + 1) % end, (first + 2) % end]);
        assert_ne!(nonce(&sealer()), nonce(&sealer()));
    }

    #[test]
    fn what_is_sealed_in_memory_opens_under_no_other_key_and_a_new_format_is_told() {
        let [one, other] = [(), ()].map(|()| Sealer::ephemeral().ok().unwrap());
        let mut sealed = one.seal(b"here", b"anna").unwrap();
        assert_eq!(&**one.open(b"here", &sealed).ok().unwrap(), b"anna");
        assert!(matches!(other.open(b"here", &sealed), Err(KeyFault::SealBroken)));
        sealed[0] = 7;
        assert!(matches!(one.open(b"here", &sealed), Err(KeyFault::SealVersion { version: 7 })));
        assert!(matches!(one.open(b"here", &[]), Err(KeyFault::SealBroken)));
    }

    /// The sealed text of known bytes, with `length` in the place of its own.
    fn with_length(one: &Sealer, length: u32) -> Vec<u8> {
        let nonce = [3; NONCE_LEN];
        let mut body = [length.to_le_bytes().as_slice(), &[9; 60]].concat();
        let tag = one.records.seal_in_place_separate_tag(
            Nonce::assume_unique_for_key(nonce),
            bound_to(b"here"),
            &mut body,
        );
        [[VERSION].as_slice(), &nonce, &body, tag.unwrap().as_ref()].concat()
    }

    #[test]
    fn a_record_fills_its_class_to_the_last_byte_and_is_no_longer() {
        let one = sealer();
        let opened = |length| one.open(b"here", &with_length(&one, length)).ok().map(|plain| plain.to_vec());
        assert_eq!([0, 59, 60].map(opened), [0, 59, 60].map(|length| Some(vec![9; length])));
        assert_eq!([61, u32::MAX].map(opened), [None, None]);
    }
}
