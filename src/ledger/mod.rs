//! The ledger in the store: entries without identifiers, appended in the transaction of what they tell, in a Merkle
//! tree that only grows. Formats and checks are `lethe-verify`'s.

mod tree;

use lethe_verify::tree::{Hash, leaf_hash};
use lethe_verify::{Body, Certificate, Checkpoint, Entry, Growth, Hex, certificate_message, day};

use crate::args;
use crate::clock::Millis;
use crate::keys::{KeyFault, Keys};
use crate::sql;
use crate::store::{StoreFault, Tx};

/// Why the ledger does not answer.
#[derive(Debug, thiserror::Error)]
pub enum LedgerFault {
    /// The caller named an entry or a size that the ledger has not reached; or no entries at all.
    #[error("the ledger has no such entry")]
    Beyond,
    /// The caller brought entries that are not a later part of this ledger.
    #[error("these are entries of another ledger, or of one that was changed")]
    Other,
    /// What is to be proved is not in the form that was signed.
    #[error(transparent)]
    Form(#[from] lethe_verify::Fault),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreFault),
    /// The signing key.
    #[error(transparent)]
    Keys(#[from] KeyFault),
}

/// A certificate as it is kept: what cannot be made again. [`certificate`] proves it to the ledger of the day.
pub struct Issued {
    /// Number of its entry, from 0.
    pub index: u64,
    /// The exact text of its body.
    pub body: String,
    /// Signature of the body.
    pub signature: [u8; 64],
}

/// Begins the ledger, unless it has begun.
pub fn begin(tx: &mut Tx<'_>, now: Millis) -> Result<(), StoreFault> {
    if size(tx)? == 0 {
        append(tx, &Entry::Genesis { ledger: uuid::Uuid::new_v4(), day: day(now) })?;
    }
    Ok(())
}

/// How many entries there are.
pub fn size(tx: &mut Tx<'_>) -> Result<u64, StoreFault> {
    let row = tx.row(&sql::ledger_size, args![])?;
    row.map_or(Ok(0), |row| row.int(0)).map(i64::unsigned_abs)
}

/// Appends an entry; gives its number, from 0. Takes a row's lock until the transaction ends.
pub fn append(tx: &mut Tx<'_>, entry: &Entry) -> Result<u64, StoreFault> {
    append_line(tx, &entry.to_string())
}

fn append_line(tx: &mut Tx<'_>, line: &str) -> Result<u64, StoreFault> {
    let row = tx.row(&sql::ledger_count, args![])?;
    let row = row.ok_or(StoreFault::Shape { statement: "ledger_count", column: 0 })?;
    let index = row.int(0)? - 1;
    tx.exec(&sql::ledger_insert, args![index, line])?;
    let index = index.unsigned_abs();
    tree::push(tx, index, leaf_hash(line.as_bytes()))?;
    Ok(index)
}

/// The exact lines of at most `limit` entries from number `from` on.
pub fn entries(tx: &mut Tx<'_>, from: u64, limit: u64) -> Result<Vec<String>, StoreFault> {
    let until = tree::number(from.saturating_add(limit));
    let rows = tx.run(&sql::ledger_list, args![tree::number(from), until])?;
    rows.iter().map(|row| row.text(0).map(str::to_owned)).collect()
}

/// Appends what another copy of this ledger has and this one lacks; `lines` begin with entry number `from`. Gives how
/// many were appended. Nothing is appended when an entry that both have differs, or there is a gap.
pub fn catch_up(tx: &mut Tx<'_>, from: u64, lines: &[String]) -> Result<u64, LedgerFault> {
    let known = entries(tx, from, lines.len() as u64)?;
    let (both, new) = lines.split_at(known.len());
    // red: it::ledger::sqlite::a_ledger_catches_up_with_a_later_copy_of_itself_and_with_no_other
    if mutant!("any-ledger-continues-this-one", both != known, both.len() != known.len())
        || (!new.is_empty() && from + known.len() as u64 != size(tx)?)
    {
        return Err(LedgerFault::Other);
    }
    for line in new {
        Entry::read(line).map_err(|_| LedgerFault::Other)?;
    }
    for line in new {
        append_line(tx, line)?;
    }
    Ok(new.len() as u64)
}

/// Signs what the ledger is now.
pub fn checkpoint(tx: &mut Tx<'_>, keys: &Keys, now: Millis) -> Result<Checkpoint, LedgerFault> {
    let size = size(tx)?;
    let root = tree::root(tx, size)?;
    Ok(Checkpoint::sign(size, root, now, public_key(keys)?, |message| keys.sign_ledger(message))?)
}

/// The key that signs, for auditors.
pub fn public_key(keys: &Keys) -> Result<lethe_verify::Key, KeyFault> {
    keys.ledger_public_key().map(Hex)
}

/// Proof that entry number `index` is in the ledger as it was when it had `size` entries.
pub fn inclusion(tx: &mut Tx<'_>, index: u64, size: u64) -> Result<Vec<Hash>, LedgerFault> {
    if index >= size || size > self::size(tx)? {
        return Err(LedgerFault::Beyond);
    }
    Ok(tree::hashes(tx, &ct_merkle::indices_for_inclusion_proof(size, index), size)?)
}

/// Proof that the ledger of `old` entries is the beginning of the one of `new` entries.
pub fn consistency(tx: &mut Tx<'_>, old: u64, new: u64) -> Result<Vec<Hash>, LedgerFault> {
    if old == 0 || old > new || new > size(tx)? {
        return Err(LedgerFault::Beyond);
    }
    Ok(tree::hashes(tx, &ct_merkle::indices_for_consistency_proof(old, new - old), new)?)
}

/// Signs what the ledger is now, and proves that the one of `old` entries is its beginning.
pub fn growth(tx: &mut Tx<'_>, keys: &Keys, old: u64, now: Millis) -> Result<Growth, LedgerFault> {
    let checkpoint = checkpoint(tx, keys, now)?;
    let proof = consistency(tx, old, checkpoint.size)?;
    Ok(Growth { proof: proof.into_iter().map(Hex).collect(), checkpoint })
}

/// Signs a certificate and appends its entry, in the transaction that makes the erasure verified.
pub fn issue(tx: &mut Tx<'_>, keys: &Keys, body: &Body) -> Result<Issued, LedgerFault> {
    let text = body.to_string();
    let signature = keys.sign_ledger(&certificate_message(&text))?;
    let index = append(tx, &body.entry(&text))?;
    Ok(Issued { index, body: text, signature })
}

/// The certificate, proved to the ledger as it is now. Its text is `to_string()`.
pub fn certificate(
    tx: &mut Tx<'_>,
    keys: &Keys,
    issued: Issued,
    now: Millis,
) -> Result<Certificate, LedgerFault> {
    let Issued { index, body, signature } = issued;
    let entry = entries(tx, index, 1)?.pop().ok_or(LedgerFault::Beyond)?;
    let checkpoint = checkpoint(tx, keys, now)?;
    let proof = inclusion(tx, index, checkpoint.size)?;
    Ok(Certificate::assemble(body, signature, entry, index, &proof, checkpoint)?)
}
