//! The ledger as a whole, and its growth.

use std::io::{BufRead, Read};

use ct_merkle::ConsistencyProof;
use serde::{Deserialize, Serialize};

use crate::checkpoint::{Checkpoint, read_checkpoint};
use crate::entry::Entry;
use crate::exact::{exact, written_as_json};
use crate::tree::{Frontier, joined, leaf_hash, root};
use crate::{Fault, Hex, Key};

/// Most bytes of an entry or checkpoint with its newline.
pub const ENTRY_BYTES: u64 = 4096;

/// A ledger that matches its signature.
#[derive(Debug)]
pub struct CheckedLedger {
    /// Its erasures.
    pub erasures: u64,
    /// People who came back.
    pub consents: u64,
    /// Backups that were restored.
    pub restores: u64,
    /// The checkpoint that ends it.
    pub checkpoint: Checkpoint,
}

/// Checks an exported ledger: lines, each with one entry of this ledger, the last one with the checkpoint of exactly
/// these entries. With a checkpoint from `earlier`, that the same key signed it, also that its tree is the beginning
/// of this one. Reads line by line; a ledger of any length needs no memory to speak of.
///
/// # Errors
/// When one of these is not so, or `export` cannot be read; the first that is found.
pub fn check_ledger(
    mut export: impl BufRead,
    expected: Option<&Key>,
    earlier: Option<&Checkpoint>,
) -> Result<CheckedLedger, Fault> {
    let mut tree = Frontier::default();
    let mut earlier_root = None;
    let mut ledger = None;
    let mut erasures = 0;
    let mut consents = 0;
    let mut restores = 0;
    let checkpoint = loop {
        let line = line(&mut export)?.ok_or(Fault::NoCheckpoint)?;
        if !line.starts_with("{\"Kind\":") {
            break read_checkpoint(&line)?;
        }
        let entry = Entry::read(&line)?;
        if matches!(entry, Entry::Genesis { .. }) != (tree.size() == 0) {
            return Err(Fault::Genesis);
        }
        if *ledger.get_or_insert(entry.ledger()) != entry.ledger() {
            return Err(Fault::OtherLedger);
        }
        erasures += u64::from(matches!(entry, Entry::Erasure { .. }));
        consents += u64::from(matches!(entry, Entry::Consent { .. }));
        restores += u64::from(matches!(entry, Entry::Restore { .. }));
        tree.push(leaf_hash(line.as_bytes()));
        if earlier.is_some_and(|earlier| earlier.size == tree.size()) {
            earlier_root = Some(Hex(tree.root()));
        }
    };
    if line(&mut export)?.is_some() {
        return Err(Fault::BehindCheckpoint);
    }
    checkpoint.check(expected)?;
    checkpoint.check_ledger(ledger.ok_or(Fault::Genesis)?)?;
    if (checkpoint.size, checkpoint.root) != (tree.size(), Hex(tree.root())) {
        return Err(Fault::Root);
    }
    if let Some(earlier) = earlier {
        earlier.check(Some(&checkpoint.key))?;
        earlier.check_ledger(checkpoint.ledger)?;
        match earlier_root {
            Some(root) if root == earlier.root => {}
            None if earlier.size > checkpoint.size => return Err(Fault::Shrunk),
            _ => return Err(Fault::Rewritten),
        }
    }
    Ok(CheckedLedger { erasures, consents, restores, checkpoint })
}

/// The next line without its newline; a last line without one was cut off.
fn line(export: &mut impl BufRead) -> Result<Option<String>, Fault> {
    let mut line = Vec::new();
    export.take(ENTRY_BYTES).read_until(b'\n', &mut line)?;
    let Some(end) = line.pop() else { return Ok(None) };
    // With another end it is longer than any, or cut off.
    let whole = String::from_utf8(line).ok().filter(|_| end == b'\n');
    whole.map(Some).ok_or(Fault::Unreadable { what: "line of the ledger" })
}

/// Proof that an earlier ledger is the beginning of the one of `checkpoint`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct Growth {
    /// The consistency proof of RFC 6962.
    pub proof: Vec<Hex<32>>,
    /// The later checkpoint.
    pub checkpoint: Checkpoint,
}

written_as_json!(Growth);

/// Checks, without any entry, that the ledger of the checkpoint `old` is the beginning of the later one, and that one
/// key signed both and both are of one account. Gives the later checkpoint, to be kept for the next time.
///
/// # Errors
/// When one of these is not so, or the text of `growth` is not in its exact form; the first that is found.
pub fn check_growth(old: &Checkpoint, growth: &str, expected: Option<&Key>) -> Result<Checkpoint, Fault> {
    let Growth { proof, checkpoint } = exact("proof of growth", growth)?;
    checkpoint.check(expected)?;
    old.check(Some(&checkpoint.key))?;
    old.check_ledger(checkpoint.ledger)?;
    if old.size > checkpoint.size {
        return Err(Fault::Shrunk);
    }
    let grown = ConsistencyProof::try_from_bytes(joined(&proof)).and_then(|proof| {
        root(&checkpoint.root, checkpoint.size).verify_consistency(&root(&old.root, old.size), &proof)
    });
    grown.map_err(|_| Fault::Rewritten)?;
    Ok(checkpoint)
}
