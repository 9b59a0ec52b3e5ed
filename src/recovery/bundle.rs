//! The recognition bundle: `static.key`, sealed to the operator's recovery key. It recognises and opens no record.
//!
//! `recognition.bundle`: magic `LETHEBND` (8) | version u32 (4) | key set (16) | public key (32) | HPKE message. The
//! private half of the recovery key is shown once, when it is made, and never stored; the public half stands in the key
//! folder.

use std::path::Path;

use lethe_verify::hex;
use zeroize::Zeroizing;

use super::fault::{RecoveryFault, while_doing};
use super::hpke::{self, KeyPair, PUBLIC_BYTES};
use crate::disk;
use crate::keys::LookupKeys;

/// Name of the bundle, in a backup and on the mirror of the journal.
pub const BUNDLE: &str = "recognition.bundle";
/// Name of the public half in the key folder.
pub const PUBLIC: &str = "recovery.pub";

const MAGIC: &[u8; 8] = b"LETHEBND";
const VERSION: u32 = 1;
const HEADER_BYTES: usize = 60;
const INFO: &[u8] = b"lethe/recognition-bundle/v1";
const PREFIX: &str = "lethe-recovery-";

/// The private half of the recovery key. Cannot be printed but by [`RecoveryKey::reveal`].
pub struct RecoveryKey(KeyPair);

static_assertions::assert_not_impl_any!(RecoveryKey: std::fmt::Debug, std::fmt::Display, serde::Serialize);

impl RecoveryKey {
    /// Makes a new key.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn random() -> Result<Self, RecoveryFault> {
        Ok(Self(KeyPair::random()?))
    }

    /// Reads the text that was shown: a prefix, then 64 hexadecimal digits and 8 of checksum. Ignores blanks and the
    /// text that `lethe recovery-key new` prints around the key.
    ///
    /// # Errors
    /// [`RecoveryFault::Refused`] when the text holds no key or its checksum is wrong.
    pub fn parse(text: &str) -> Result<Self, RecoveryFault> {
        let text: Zeroizing<String> = Zeroizing::new(text.split_whitespace().collect());
        let wrong = || RecoveryFault::Refused("that is no recovery key, or it is mistyped".to_owned());
        let (_, shown) = text.split_once(PREFIX).ok_or_else(wrong)?;
        let (key, behind) = shown.split_once('-').ok_or_else(wrong)?;
        let (sum, behind) = behind.split_at_checked(CHECKSUM_LETTERS).ok_or_else(wrong)?;
        if behind.starts_with(|letter: char| letter.is_ascii_hexdigit()) {
            return Err(wrong());
        }
        let key = Zeroizing::new(hex::decode(key).ok_or_else(wrong)?);
        if key.len() != 32 || sum != checksum(&key) {
            return Err(wrong());
        }
        Ok(Self(KeyPair::from_private(&key)?))
    }

    /// The text to be shown once.
    #[must_use]
    pub fn reveal(&self) -> Zeroizing<String> {
        let key = self.0.private();
        Zeroizing::new(format!("{PREFIX}{}-{}", hex::encode(key), checksum(key)))
    }

    /// Makes its public half the one that bundles are sealed to from now on.
    ///
    /// # Errors
    /// When the file in the key folder cannot be written.
    pub fn adopt(&self, key_dir: &Path) -> Result<(), RecoveryFault> {
        let text = format!("{}\n", hex::encode(&self.0.public));
        disk::write_atomically(&key_dir.join(PUBLIC), text.as_bytes())
            .map_err(while_doing("the public half of the recovery key cannot be written"))
    }

    /// Opens a bundle.
    ///
    /// # Errors
    /// [`RecoveryFault::Refused`] when the bundle is damaged, of an unknown version, or sealed to another
    /// key.
    pub fn open(&self, bundle: &[u8]) -> Result<LookupKeys, RecoveryFault> {
        let unusable = |sentence: &str| RecoveryFault::Refused(sentence.to_owned());
        let (header, message) = bundle
            .split_at_checked(HEADER_BYTES)
            .filter(|(header, _)| header[..12] == header_of([0; 16], [0; 32])[..12])
            .ok_or_else(|| {
                unusable("the recognition bundle is damaged, or of a version that is not known")
            })?;
        if header[28..] != self.0.public {
            return Err(unusable("the recognition bundle was sealed to another recovery key"));
        }
        let file = self.0.open(INFO, header, message);
        let file = file.map_err(|_| unusable("the recognition bundle is damaged"))?;
        let recognition = LookupKeys::parse(file)?;
        if header[12..28] == recognition.set_id() {
            Ok(recognition)
        } else {
            Err(unusable("the recognition bundle is damaged"))
        }
    }
}

/// Letters of [`checksum`].
const CHECKSUM_LETTERS: usize = 8;

fn checksum(key: &[u8]) -> String {
    hex::encode(&crc32fast::hash(key).to_be_bytes())
}

/// The public half that a key folder has; `None` when no recovery key was made.
///
/// # Errors
/// When the file cannot be read or is damaged.
pub fn public(key_dir: &Path) -> Result<Option<[u8; PUBLIC_BYTES]>, RecoveryFault> {
    let text = match std::fs::read_to_string(key_dir.join(PUBLIC)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(while_doing("the public half of the recovery key cannot be read"))?,
    };
    let public = hex::decode(text.trim()).and_then(|bytes| bytes.try_into().ok());
    let damaged = "recovery.pub in the key folder is damaged; make another key with `lethe recovery-key new`";
    public.map(Some).ok_or_else(|| RecoveryFault::Refused(damaged.to_owned()))
}

/// Seals a bundle of these keys; `None` when no recovery key was made.
///
/// # Errors
/// When the public half cannot be read or the cryptographic library refuses.
pub fn seal(recognition: &LookupKeys, key_dir: &Path) -> Result<Option<Vec<u8>>, RecoveryFault> {
    let Some(public) = public(key_dir)? else { return Ok(None) };
    let header = header_of(recognition.set_id(), public);
    let message = hpke::seal(&public, INFO, &header, recognition.file())?;
    Ok(Some([header.as_slice(), &message].concat()))
}

/// Puts a bundle on the mirror of the journal, unless the right one is there.
///
/// # Errors
/// When the public half cannot be read or the bundle cannot be written.
pub fn refresh(recognition: &LookupKeys, key_dir: &Path, mirror: &Path) -> Result<(), RecoveryFault> {
    let Some(public) = public(key_dir)? else { return Ok(()) };
    let path = mirror.join(BUNDLE);
    let is_right = |bytes: &Vec<u8>| bytes.starts_with(&header_of(recognition.set_id(), public));
    if std::fs::read(&path).is_ok_and(|bytes| is_right(&bytes)) {
        return Ok(());
    }
    let bundle = seal(recognition, key_dir)?.unwrap_or_default();
    disk::write_atomically(&path, &bundle)
        .map_err(while_doing("the bundle cannot be written to the mirror of the journal"))
}

fn header_of(set: [u8; 16], public: [u8; PUBLIC_BYTES]) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header[12..28].copy_from_slice(&set);
    header[28..].copy_from_slice(&public);
    header
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::Keys;

    /// Sealed by the HPKE of our own that stood here before rustls', over a `static.key` of seven keys.
    #[test]
    fn a_bundle_of_an_earlier_version_opens() {
        let bundle = include_bytes!("fixtures/sealed_before_rustls.bundle");
        let key = "lethe-recovery-873b3c5484eaffdcc90e8639829ca97efe0e8f34330f08ed997f2b770cabc287-d870eee4";
        let recognition = RecoveryKey::parse(key).ok().unwrap().open(bundle).ok().unwrap();
        assert_eq!(&recognition.set_id(), b"an old key set 1");
        assert_eq!(recognition.file().len(), 8 * 64);
        assert!((1_u8..=7).all(
            |number| recognition.file()[usize::from(number) * 64 + 4..][..32] == [0x10 * number + 1; 32]
        ));
    }

    #[test]
    fn a_bundle_gives_the_keys_that_recognise_back_to_its_key_alone() {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("keys");
        drop(Keys::open(&folder).unwrap());
        let recognition = LookupKeys::load(&folder).unwrap().unwrap();
        assert!(seal(&recognition, &folder).unwrap().is_none());
        let key = RecoveryKey::random().ok().unwrap();
        key.adopt(&folder).unwrap();
        let bundle = seal(&recognition, &folder).unwrap().unwrap();
        let typed = RecoveryKey::parse(&format!(" {}\n", *key.reveal())).ok().unwrap();
        assert!(typed.open(&bundle).ok().unwrap().file() == recognition.file());
        let printed = format!("Recovery key, shown only now:\n  {}\nKeep it apart.\n", *key.reveal());
        assert!(
            RecoveryKey::parse(&printed).ok().unwrap().open(&bundle).is_ok(),
            "the file it was printed into"
        );
        assert!(RecoveryKey::random().ok().unwrap().open(&bundle).is_err());
        for at in 0..bundle.len() {
            let mut flipped = bundle.clone();
            flipped[at] ^= 1;
            assert!(key.open(&flipped).is_err() && key.open(&bundle[..at]).is_err(), "byte {at}");
        }
        let text = key.reveal();
        for at in 0..text.len() {
            let mut typed = text.as_bytes().to_vec();
            typed[at] = if typed[at] == b'1' { b'2' } else { b'1' };
            assert!(RecoveryKey::parse(std::str::from_utf8(&typed).unwrap()).is_err(), "character {at}");
        }
    }

    const SHOWN: &str =
        "lethe-recovery-873b3c5484eaffdcc90e8639829ca97efe0e8f34330f08ed997f2b770cabc287-d870eee4";

    #[test]
    fn a_key_is_read_out_of_what_stands_around_it_and_not_out_of_a_longer_one() {
        let reads = |text: &str| RecoveryKey::parse(text).map(|key| key.reveal().to_string()).ok();
        let shown = Some(SHOWN.to_owned());
        let broken = format!("{}\n  {}", &SHOWN[..40], &SHOWN[40..]);
        for text in [SHOWN, &format!("key: {SHOWN}\nKeep it."), &format!("{SHOWN}-1"), &broken] {
            assert_eq!(reads(text), shown, "{text}");
        }
        let short = &SHOWN[..SHOWN.len() - 1];
        let other = SHOWN.replace("873b", "873c");
        let longer = SHOWN.replace("recovery-87", "recovery-0087");
        for text in
            ["", "lethe-recovery-", short, &format!("{SHOWN}0"), &format!("{SHOWN}f"), &other, &longer]
        {
            assert_eq!(reads(text), None, "{text}");
        }
        let fault = RecoveryKey::parse("x").err().map(|fault| fault.to_string());
        assert_eq!(fault.as_deref(), Some("that is no recovery key, or it is mistyped"));
    }

    #[test]
    fn the_public_half_is_read_as_it_was_written_and_a_damaged_one_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let read = || public(folder.path()).map_err(|fault| fault.to_string());
        assert_eq!(read(), Ok(None));
        let key = RecoveryKey::parse(SHOWN).ok().unwrap();
        key.adopt(folder.path()).unwrap();
        assert_eq!(read(), Ok(Some(key.0.public)));
        let damaged =
            "recovery.pub in the key folder is damaged; make another key with `lethe recovery-key new`";
        for text in ["", "00", "no key", &"0".repeat(66)] {
            std::fs::write(folder.path().join(PUBLIC), text).unwrap();
            assert_eq!(read(), Err(damaged.to_owned()), "{text}");
        }
        std::fs::write(folder.path().join(PUBLIC), b"\xff").unwrap();
        let unreadable = read().expect_err("no text");
        assert!(
            unreadable.starts_with("the public half of the recovery key cannot be read: "),
            "{unreadable}"
        );
    }

    #[test]
    fn a_bundle_that_does_not_open_is_told_apart() {
        let bundle = include_bytes!("fixtures/sealed_before_rustls.bundle");
        let key = RecoveryKey::parse(SHOWN).ok().unwrap();
        let said = |key: &RecoveryKey, bundle: &[u8]| key.open(bundle).err().map(|fault| fault.to_string());
        let unknown = "the recognition bundle is damaged, or of a version that is not known";
        let damaged = "the recognition bundle is damaged";
        let flipped = |at: usize| {
            let mut flipped = bundle.to_vec();
            flipped[at] ^= 1;
            flipped
        };
        for (bundle, sentence) in [
            (bundle[..59].to_vec(), unknown),
            (flipped(0), unknown),
            (flipped(8), unknown),
            (flipped(11), unknown),
            (flipped(12), damaged),
            (flipped(28), "the recognition bundle was sealed to another recovery key"),
            (bundle[..60].to_vec(), damaged),
            (flipped(60), damaged),
        ] {
            assert_eq!(said(&key, &bundle).as_deref(), Some(sentence));
        }
    }

    #[test]
    fn the_mirror_of_the_journal_gets_a_bundle_for_the_present_key_and_keeps_a_right_one() {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("keys");
        drop(Keys::open(&folder).unwrap());
        let recognition = LookupKeys::load(&folder).unwrap().unwrap();
        let path = above.path().join(BUNDLE);
        let refreshed = || {
            refresh(&recognition, &folder, above.path()).unwrap();
            std::fs::read(&path).ok()
        };
        assert!(refreshed().is_none(), "no key was made");
        for _ in 0..2 {
            let key = RecoveryKey::random().ok().unwrap();
            key.adopt(&folder).unwrap();
            let bundle = refreshed().unwrap();
            assert!(key.open(&bundle).ok().unwrap().set_id() == recognition.set_id());
            assert!(refreshed().unwrap() == bundle, "each sealing is another text");
        }
        let away =
            refresh(&recognition, &folder, &above.path().join("away")).map_err(|fault| fault.to_string());
        let sentence = "the bundle cannot be written to the mirror of the journal: ";
        assert!(away.is_err_and(|said| said.starts_with(sentence)));
    }
}
