//! Checkpoints: signed roots of the ledger's tree.

use ed25519_dalek::{Signature, VerifyingKey};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::exact::{exact, written_as_json};
use crate::{Fault, Hex, Key};

/// Most entries a ledger can have.
pub const LEDGER_ENTRIES: u64 = 1 << 40;

/// State of a ledger at one time, signed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct Checkpoint {
    /// Random id of the ledger.
    pub ledger: Uuid,
    /// Number of its entries.
    pub size: u64,
    /// Root of their tree.
    pub root: Hex<32>,
    /// When it was signed, in milliseconds since 1970.
    pub at: i64,
    /// The key that signed it.
    pub key: Key,
    /// Ed25519 signature over all the others.
    pub signature: Hex<64>,
}

written_as_json!(Checkpoint);

impl Checkpoint {
    /// The signed message: everything but the signature. Every part has a fixed length, so no two checkpoints make the
    /// same message.
    pub fn message(&self) -> Vec<u8> {
        let size = self.size.to_be_bytes();
        let at = self.at.to_be_bytes();
        let ledger = self.ledger.as_bytes();
        [b"lethe/checkpoint/v2/".as_slice(), ledger, &size, &self.root.0, &at, &self.key.0].concat()
    }

    /// Checks that it is of this ledger, and not of another account's.
    ///
    /// # Errors
    /// [`Fault::OtherLedger`] when it is of another one.
    pub fn check_ledger(&self, expected: Uuid) -> Result<(), Fault> {
        if self.ledger == expected { Ok(()) } else { Err(Fault::OtherLedger) }
    }

    /// Checks that its key signed it, and that its key is the expected one, if any is.
    ///
    /// # Errors
    /// When its key is another one, it counts more than [`LEDGER_ENTRIES`], or its key did not sign exactly this.
    pub fn check(&self, expected: Option<&Key>) -> Result<(), Fault> {
        if expected.is_some_and(|expected| *expected != self.key) {
            return Err(Fault::OtherKey);
        }
        if self.size > LEDGER_ENTRIES {
            return Err(Fault::TooManyEntries);
        }
        check_signature(&self.key, &self.message(), &self.signature).ok_or(Fault::CheckpointSignature)
    }
}

/// Reads a checkpoint that has to be in its exact form, from a file of its own or as the last line of a ledger.
///
/// # Errors
/// When the text is no checkpoint, or not in its exact form.
pub fn read_checkpoint(text: &str) -> Result<Checkpoint, Fault> {
    exact("checkpoint", text)
}

pub(crate) fn check_signature(key: &Key, message: &[u8], signature: &Hex<64>) -> Option<()> {
    VerifyingKey::from_bytes(&key.0).ok()?.verify_strict(message, &Signature::from_bytes(&signature.0)).ok()
}
