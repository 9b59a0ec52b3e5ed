//! Faults of keys. All are ours to repair: a caller never causes one.

use super::slot_number::SlotNumber;

/// A fault of the key files or of something sealed. No variant carries a key or a sealed value.
#[derive(Debug, thiserror::Error)]
pub enum KeyFault {
    /// The disk refused.
    #[error("{doing} failed: {source}")]
    Disk {
        /// Action that failed, as the start of a sentence.
        doing: &'static str,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The folder may be entered by others, and it is not ours to close.
    #[error("it is open to other users of this machine, and cannot be closed; `chmod 700` it")]
    FolderOpen,
    /// Another process holds the key folder.
    #[error("the key folder is in use by another process")]
    InUse,
    /// A key file is gone although others that need it are there.
    #[error("{file} is missing although the key folder is in use; restore it, a new one could open nothing")]
    FileMissing {
        /// Name of the file in the key folder.
        file: &'static str,
    },
    /// Slots that the store names are not in the key folder.
    #[error(
        "slots.key {how}: the store names keys in it, and a new one could open nothing. Put it back; with a key \
         mirror, move away what is left in the key folder and run `lethe key-mirror restore`. If it is lost for ever, so \
         are people: make an empty file `restored` in the data folder, and the next start clears up what is left of them"
    )]
    SlotsLost {
        /// State of the file, as the end of a sentence: missing or cut short.
        how: &'static str,
    },
    /// A file is no key file, is cut off, or has a wrong checksum.
    #[error("{file} is damaged; restore it")]
    FileDamaged {
        /// Name of the file in the key folder.
        file: &'static str,
    },
    /// A key file was written by a newer program.
    #[error("{file} has format version {version}, which this program does not know")]
    FileVersion {
        /// Name of the file in the key folder.
        file: &'static str,
        /// The version it names.
        version: u32,
    },
    /// A key file belongs to another set of keys.
    #[error("{file} belongs to another set of keys than static.key")]
    FileOfOtherSet {
        /// Name of the file in the key folder.
        file: &'static str,
    },
    /// Something is wrong with the mirror.
    #[error("the key mirror: {fault}")]
    Mirror {
        /// The fault.
        fault: Box<KeyFault>,
    },
    /// Files of the key folder are gone, and the mirror has them.
    #[error(
        "{file} is not in the key folder, but the key mirror holds keys; move away what is left in the key folder \
         and run `lethe key-mirror restore`"
    )]
    OnlyInMirror {
        /// Name of the file.
        file: &'static str,
    },
    /// The mirror has nothing, and had keys.
    #[error(
        "the key mirror is empty, and one was in use; is its disk mounted? To begin a new one, remove the file \
         `mirrored` from the key folder"
    )]
    MirrorGone,
    /// There was a mirror, and none is named.
    #[error(
        "a key mirror was in use, and none is named: keys destroyed from now on would live on in it. Name it with \
         --key-mirror; to go on without it, destroy it and remove the file `mirrored` from the key folder"
    )]
    MirrorUnnamed,
    /// The mirror is one of other keys.
    #[error("the key mirror belongs to other keys; name the mirror of this key folder with --key-mirror")]
    MirrorOfOtherSet,
    /// The key folder and the mirror have changed independently of each other.
    #[error(
        "{file} in the key folder and in the key mirror were changed apart from each other; decide which folder is \
         right and move the files of the other one away"
    )]
    MirrorApart {
        /// Name of the file.
        file: &'static str,
    },
    /// The mirror has no keys to restore.
    #[error("the key mirror holds no whole set of keys")]
    MirrorEmpty,
    /// A mirror is restored into an empty folder only.
    #[error("the key folder holds keys; the mirror is restored into an empty one only")]
    FolderInUse,
    /// A restore broke off.
    #[error("a restore from the key mirror did not end; run `lethe key-mirror restore` again")]
    RestoreUnfinished,
    /// Keys were asked for before [`super::key_set::Keys::start`] succeeded.
    #[error("the key pool has not been started")]
    NotStarted,
    /// [`super::key_set::Keys::start`] was called twice.
    #[error("the key pool was started before")]
    StartedBefore,
    /// No key became ready in time.
    #[error("no key is ready; the disk of the key folder is full or too slow")]
    PoolEmpty,
    /// The slot lies outside the range of a key file, or beyond the end of this one.
    #[error("slot {slot} is not in the key file")]
    SlotUnknown {
        /// The slot.
        slot: SlotNumber,
    },
    /// The slot is not in use, so no caller may destroy its key or give it back.
    #[error("slot {slot} is not in use")]
    SlotNotHeld {
        /// The slot.
        slot: SlotNumber,
    },
    /// The key was destroyed on purpose: the records that it sealed are erased.
    #[error("the key in slot {slot} was destroyed")]
    KeyDestroyed {
        /// The slot.
        slot: SlotNumber,
    },
    /// The slot holds something, but no key that can be unwrapped.
    #[error("slot {slot} is damaged")]
    SlotDamaged {
        /// The slot.
        slot: SlotNumber,
    },
    /// Sealed data was changed, cut, moved to another place, or sealed under another key.
    #[error("a sealed record does not open under its key")]
    SealBroken,
    /// Sealed data carries a version byte that this program does not know.
    #[error("a sealed record has version {version}, which this program does not know")]
    SealVersion {
        /// The version byte.
        version: u8,
    },
    /// The text is too long for one record (4 GiB); use the streaming form.
    #[error("a record is too long to be sealed in one piece")]
    TooLong,
    /// The cryptographic library refused to work.
    #[error("the cryptographic library failed")]
    Cryptography,
}

impl KeyFault {
    /// The same fault, of the mirror.
    pub(crate) fn in_mirror(self) -> Self {
        Self::Mirror { fault: Box::new(self) }
    }

    /// True if the sealed data can never be read again: waiting and trying again do not help.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        matches!(self, Self::KeyDestroyed { .. } | Self::SlotDamaged { .. } | Self::SealBroken)
    }
}

impl From<aws_lc_rs::error::Unspecified> for KeyFault {
    fn from(_: aws_lc_rs::error::Unspecified) -> Self {
        Self::Cryptography
    }
}

/// For `map_err`: a [`KeyFault::Disk`] that names the step.
pub(super) fn while_doing(doing: &'static str) -> impl FnOnce(std::io::Error) -> KeyFault {
    move |source| KeyFault::Disk { doing, source }
}
