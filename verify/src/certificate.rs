//! Certificates of erasure.

use std::collections::BTreeMap;

use ct_merkle::InclusionProof;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::checkpoint::{Checkpoint, check_signature};
use crate::entry::{Entry, day};
use crate::exact::{exact, parsed, written_as_json};
use crate::tree::{joined, root, sha256};
use crate::{Fault, Hex, Key};

/// Version of the body that is written and read.
pub const VERSION: u32 = 2;
const BODY: &str = "body of the certificate";

/// Content of a certificate. Times are milliseconds since 1970. It holds no identifier of a person.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct Body {
    /// [`VERSION`].
    pub version: u32,
    /// Random id of the erasure.
    pub erasure: Uuid,
    /// Random id of the ledger of the shop's account.
    pub ledger: Uuid,
    /// Name of the shop's account.
    pub shop: String,
    /// When the shop asked; from then on every door was shut.
    pub asked_at: i64,
    /// When running work that might have known the person was finished or refused.
    pub fenced_at: Option<i64>,
    /// When the person's keys were overwritten: the point of no return.
    pub shredded_at: Option<i64>,
    /// When the rows were deleted, in every place.
    pub deleted_at: Option<i64>,
    /// When every model was as if the person had never been there.
    pub unlearned_at: Option<i64>,
    /// Time at which the overwritten bytes of the database were gone from its files; null where they are another
    /// program's.
    pub settled_at: Option<i64>,
    /// When every place had been looked through again.
    pub verified_at: i64,
    /// Until when it had to be done.
    pub due_at: i64,
    /// Number of known identifiers of the person, by kind (`Email`, `UserId`, …).
    pub identifiers: BTreeMap<String, u64>,
    /// Every place that can hold something of a person.
    pub places: Vec<Place>,
    /// Data kept after the erasure.
    pub kept: Vec<Kept>,
    /// The database that held the rows.
    pub database: String,
    /// Remains of deleted rows in its files.
    pub remains: Vec<Remains>,
    /// The search of the files for the identifiers themselves.
    pub scan: Scan,
    /// Name and version of the program that did it.
    pub program: String,
}

/// A place, and the work of the erasure there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct Place {
    /// Its name in the register of places.
    pub name: String,
    /// Its content, in words.
    pub says: String,
    /// Number of the person's things that were removed.
    pub removed: u64,
    /// Number still there when it was looked through again.
    pub left: u64,
    /// Method of the check, in words.
    pub proof: String,
}

/// Something that is kept, and why.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct Kept {
    /// Its name in the register of places.
    pub name: String,
    /// The kept data and its purpose, in words.
    pub says: String,
    /// Number of such things.
    pub count: u64,
}

/// Something that the database keeps of deleted rows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct Remains {
    /// Its name in the register of places.
    pub name: String,
    /// The remains and their place, in words.
    pub says: String,
    /// Until when, in words.
    pub until: String,
}

/// A search of files, byte by byte.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct Scan {
    /// The folders, by kind.
    pub folders: Vec<String>,
    /// True if every file in them was read, from its first byte to its last. Their number would tell each shop how
    /// much the others store.
    pub complete: bool,
    /// Number of identifiers searched for byte by byte.
    pub scanned: u64,
    /// Number of identifiers too short or too common for that, so that the walk through the places alone proves them
    /// gone.
    pub walk_only: u64,
    /// Number of finds.
    pub found: u64,
}

written_as_json!(Body, Certificate);

impl Body {
    /// The ledger's entry of the certificate whose body has this text.
    pub fn entry(&self, text: &str) -> Entry {
        Entry::Erasure {
            ledger: self.ledger,
            erasure: self.erasure,
            asked: day(self.asked_at),
            verified: day(self.verified_at),
            certificate: Hex(sha256(text.as_bytes())),
        }
    }
}

/// A certificate with its proofs. The body and the entry are the exact texts that were hashed.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct Certificate {
    /// The text of its [`Body`].
    pub body: Box<RawValue>,
    /// Ed25519 signature of the body's [`certificate_message`].
    pub signature: Hex<64>,
    /// Its line in the ledger.
    pub entry: Box<RawValue>,
    /// Number of that line, from 0.
    pub index: u64,
    /// The inclusion proof of RFC 6962.
    pub proof: Vec<Hex<32>>,
    /// The ledger, as it was signed, that has the entry.
    pub checkpoint: Checkpoint,
}

/// Signed message for a certificate's body.
pub fn certificate_message(body: &str) -> Vec<u8> {
    [b"lethe/certificate/v2/".as_slice(), &sha256(body.as_bytes())].concat()
}

/// A verified certificate.
#[derive(Debug)]
pub struct CheckedCertificate {
    /// Its content.
    pub body: Body,
    /// Number of its entry in the ledger, from 0.
    pub index: u64,
    /// The ledger, as it was signed, that has the entry; its key signed the certificate too.
    pub checkpoint: Checkpoint,
}

/// Checks a certificate in its exact form: its signature, that its ledger entry is about it, that the ledger
/// of its checkpoint is the one it names and has that entry, the checkpoint's signature, the key, and that it says that
/// nothing was left, and that the files were looked through for it.
///
/// # Errors
/// When one of these is not so; the first that is found.
pub fn check_certificate(text: &str, expected: Option<&Key>) -> Result<CheckedCertificate, Fault> {
    let Certificate { body, signature, entry, index, proof, checkpoint } = exact("certificate", text)?;
    let body_text = body.get();
    if parsed::<Value>(BODY, body_text)?["Version"] != VERSION {
        return Err(Fault::Version { known: VERSION });
    }
    let body: Body = parsed(BODY, body_text)?;
    checkpoint.check(expected)?;
    check_signature(&checkpoint.key, &certificate_message(body_text), &signature)
        .ok_or(Fault::CertificateSignature)?;
    checkpoint.check_ledger(body.ledger)?;
    if Entry::read(entry.get())? != body.entry(body_text) {
        return Err(Fault::OtherEntry);
    }
    let included = InclusionProof::try_from_bytes(joined(&proof)).and_then(|proof| {
        root(&checkpoint.root, checkpoint.size).verify_inclusion(&entry.get().as_bytes(), index, &proof)
    });
    included.map_err(|_| Fault::NotIncluded)?;
    if body.scan.found > 0 || body.places.iter().any(|place| place.left > 0) {
        return Err(Fault::Residue);
    }
    let is_read = body.scan.complete && !body.scan.folders.is_empty();
    if body.scan.scanned > 0 && !is_read {
        return Err(Fault::Unscanned);
    }
    Ok(CheckedCertificate { body, index, checkpoint })
}
