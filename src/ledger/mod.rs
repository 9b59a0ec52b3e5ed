//! The ledgers in the store, one for each account: entries without identifiers, appended in the transaction that they
//! report, in a Merkle tree that only grows. Formats and checks are `lethe-verify`'s.

mod tree;

use lethe_verify::tree::{Hash, leaf_hash};
use lethe_verify::{Body, Certificate, Checkpoint, Entry, Fault, Growth, Hex, certificate_message, day};
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::args;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::keys::{KeyFault, Keys};
use crate::sql;
use crate::store::{StoreFault, Tx};

/// Reason why the ledger does not answer.
#[derive(Debug, thiserror::Error)]
pub enum LedgerFault {
    /// The caller named an entry or a size that the ledger has not reached; or no entries at all.
    #[error("the ledger has no such entry")]
    Beyond,
    /// The caller brought entries that are not a later part of this ledger.
    #[error("these are entries of another ledger, or of one that was changed")]
    Other,
    /// Data to be proved is not in the signed form.
    #[error(transparent)]
    Form(#[from] lethe_verify::Fault),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreFault),
    /// The signing key.
    #[error(transparent)]
    Keys(#[from] KeyFault),
}

/// A certificate as it is kept: the parts that cannot be made again. [`certificate`] proves it to the ledger of the
/// day.
pub struct IssuedCertificate {
    /// Number of its entry, from 0.
    pub index: u64,
    /// The exact text of its body.
    pub body: String,
    /// Signature of the body.
    pub signature: [u8; 64],
}

/// Ledger of an account, and its length.
#[derive(Clone, Copy)]
pub struct Head {
    /// Its random id, unrelated to the account.
    pub ledger: Uuid,
    /// Number of its entries.
    pub size: u64,
}

/// Begins the ledger of an account, in the transaction that makes the account.
///
/// # Errors
/// When the store fails or the account has a ledger already.
pub fn begin(tx: &mut Tx<'_>, account: AccountId, now: Millis) -> Result<(), StoreFault> {
    let ledger = Uuid::new_v4();
    tx.exec(&sql::ledger_begin, args![account.0, ledger.as_bytes()])?;
    append(tx, account, |ledger| Entry::Genesis { ledger, day: day(now) }).map(drop)
}

/// The ledger of an account; `None`: there is no such account.
///
/// # Errors
/// When the store fails.
pub fn head(tx: &mut Tx<'_>, account: AccountId) -> Result<Option<Head>, StoreFault> {
    let Some(row) = tx.row(&sql::ledger_head_get, args![account.0])? else { return Ok(None) };
    Ok(Some(Head { ledger: Uuid::from_bytes(row.bytes("ledger")?), size: row.int("size")?.unsigned_abs() }))
}

/// The same for an account that has one, as every account does.
fn own_head(tx: &mut Tx<'_>, account: AccountId) -> Result<Head, StoreFault> {
    head(tx, account)?.ok_or(StoreFault::Shape { statement: "ledger_head_get", column: "ledger" })
}

/// All ledgers and their numbers of entries, in the order of the accounts' numbers; also ledgers of accounts that a
/// restore did not bring back.
///
/// # Errors
/// When the store fails.
pub fn sizes(tx: &mut Tx<'_>) -> Result<Vec<(AccountId, u64)>, StoreFault> {
    let rows = tx.run(&sql::ledger_heads, args![])?;
    rows.iter().map(|row| Ok((AccountId(row.int("account_id")?), row.int("size")?.unsigned_abs()))).collect()
}

/// The account of the ledger that has this id.
///
/// # Errors
/// When the store fails.
pub fn account_of(tx: &mut Tx<'_>, ledger: Uuid) -> Result<Option<AccountId>, StoreFault> {
    let row = tx.row(&sql::ledger_by_id, args![ledger.as_bytes()])?;
    row.map(|row| row.int("account_id").map(AccountId)).transpose()
}

/// Appends an entry, made with the id of the account's ledger; returns its number, from 0. Takes a row's lock until the
/// transaction ends.
///
/// # Errors
/// When the store fails or the account has no ledger.
pub fn append(
    tx: &mut Tx<'_>,
    account: AccountId,
    entry: impl FnOnce(Uuid) -> Entry,
) -> Result<u64, StoreFault> {
    append_to(tx, account, entry)
}

fn append_to(
    tx: &mut Tx<'_>,
    account: AccountId,
    entry: impl FnOnce(Uuid) -> Entry,
) -> Result<u64, StoreFault> {
    let (index, ledger) = count(tx, account)?;
    insert_line(tx, account, index, &entry(ledger).to_string())?;
    Ok(index)
}

/// Counts one entry more; returns its number and the ledger's id.
fn count(tx: &mut Tx<'_>, account: AccountId) -> Result<(u64, Uuid), StoreFault> {
    let row = tx.row(&sql::ledger_count, args![account.0])?;
    let row = row.ok_or(StoreFault::Shape { statement: "ledger_count", column: "size" })?;
    Ok(((row.int("size")? - 1).unsigned_abs(), Uuid::from_bytes(row.bytes("ledger")?)))
}

fn insert_line(tx: &mut Tx<'_>, account: AccountId, index: u64, line: &str) -> Result<(), StoreFault> {
    tx.exec(&sql::ledger_insert, args![account.0, tree::number(index), line])?;
    tree::push(tx, account, index, leaf_hash(line.as_bytes()))
}

/// The exact lines of at most `limit` entries from number `from` on.
///
/// # Errors
/// When the store fails.
pub fn entries(
    tx: &mut Tx<'_>,
    account: AccountId,
    from: u64,
    limit: u64,
) -> Result<Vec<String>, StoreFault> {
    let until = tree::number(from.saturating_add(limit));
    let rows = tx.run(&sql::ledger_list, args![account.0, tree::number(from), until])?;
    rows.iter().map(|row| row.text("entry").map(str::to_owned)).collect()
}

/// Appends the entries of another copy of this ledger that are missing here; `lines` begin with entry number `from`. An
/// account that has no ledger, because a restore did not bring it back, gets this one. Returns how many were appended.
/// Appends nothing when an entry that both have differs, there is a gap, or an entry names another ledger.
///
/// # Errors
/// [`LedgerFault::Other`] when `lines` do not continue this ledger; or when the store fails.
pub fn catch_up(
    tx: &mut Tx<'_>,
    account: AccountId,
    from: u64,
    lines: &[String],
) -> Result<u64, LedgerFault> {
    let known = entries(tx, account, from, lines.len() as u64)?;
    let (both, new) = lines.split_at(known.len());
    if new.is_empty() && both == known {
        return Ok(0);
    }
    let found = head(tx, account)?;
    if both != known || from + known.len() as u64 != found.map_or(0, |head| head.size) {
        return Err(LedgerFault::Other);
    }
    let entries = new.iter().map(|line| Entry::read(line)).collect::<Result<Vec<_>, _>>();
    let entries = entries.map_err(|_| LedgerFault::Other)?;
    let ledger = match (found, entries.first()) {
        (Some(head), _) => head.ledger,
        (None, Some(Entry::Genesis { ledger, .. })) => {
            tx.exec(&sql::ledger_begin, args![account.0, ledger.as_bytes()])?;
            *ledger
        }
        (None, _) => return Err(LedgerFault::Other),
    };
    let is_own = |entry: &Entry| entry.ledger() == ledger;
    if !entries.iter().all(is_own) {
        return Err(LedgerFault::Other);
    }
    for line in new {
        let (index, _) = count(tx, account)?;
        insert_line(tx, account, index, line)?;
    }
    Ok(new.len() as u64)
}

/// Signs the present ledger of an account.
///
/// # Errors
/// When the store fails, the account has no ledger, or the cryptographic library refuses.
pub fn checkpoint(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    now: Millis,
) -> Result<Checkpoint, LedgerFault> {
    let Head { ledger, size } = own_head(tx, account)?;
    let root = tree::root(tx, account, size)?;
    let key = public_key(keys)?;
    let mut made = Checkpoint { ledger, size, root: Hex(root), at: now, key, signature: Hex([0; 64]) };
    made.signature = Hex(keys.sign_ledger(&made.message())?);
    Ok(made)
}

/// The key that signs, for auditors. It is one for all ledgers.
///
/// # Errors
/// [`KeyFault::Cryptography`] when the library refuses.
pub fn public_key(keys: &Keys) -> Result<lethe_verify::Key, KeyFault> {
    keys.ledger_public_key().map(Hex)
}

/// Proof that entry number `index` is in the ledger as it was when it had `size` entries.
///
/// # Errors
/// [`LedgerFault::Beyond`] when the ledger has fewer than `size` entries, or `index` is not among them; or
/// when the store fails or the account has no ledger.
pub fn inclusion(
    tx: &mut Tx<'_>,
    account: AccountId,
    index: u64,
    size: u64,
) -> Result<Vec<Hash>, LedgerFault> {
    if index >= size || size > own_head(tx, account)?.size {
        return Err(LedgerFault::Beyond);
    }
    Ok(tree::hashes(tx, account, &ct_merkle::indices_for_inclusion_proof(size, index), size)?)
}

/// Proof that the ledger of `old` entries is the beginning of the ledger of `new` entries.
///
/// # Errors
/// [`LedgerFault::Beyond`] when `old` is 0 or more than `new`, or the ledger has fewer than `new` entries; or
/// when the store fails or the account has no ledger.
pub fn consistency(
    tx: &mut Tx<'_>,
    account: AccountId,
    old: u64,
    new: u64,
) -> Result<Vec<Hash>, LedgerFault> {
    if old == 0 || old > new || new > own_head(tx, account)?.size {
        return Err(LedgerFault::Beyond);
    }
    Ok(tree::hashes(tx, account, &ct_merkle::indices_for_consistency_proof(old, new - old), new)?)
}

/// Signs the present ledger, and proves that the ledger of `old` entries is its beginning.
///
/// # Errors
/// As [`checkpoint`]; [`LedgerFault::Beyond`] when `old` is 0 or more than the ledger has.
pub fn growth(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    old: u64,
    now: Millis,
) -> Result<Growth, LedgerFault> {
    let checkpoint = checkpoint(tx, keys, account, now)?;
    let proof = consistency(tx, account, old, checkpoint.size)?;
    Ok(Growth { proof: proof.into_iter().map(Hex).collect(), checkpoint })
}

/// Signs a certificate and appends its entry to the account's ledger, which the certificate has to name, in the
/// transaction that makes the erasure verified.
///
/// # Errors
/// [`LedgerFault::Other`] when the certificate names another ledger; or when the store fails, the account has
/// no ledger, or the cryptographic library refuses.
pub fn issue(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    body: &Body,
) -> Result<IssuedCertificate, LedgerFault> {
    if own_head(tx, account)?.ledger != body.ledger {
        return Err(LedgerFault::Other);
    }
    let text = body.to_string();
    let signature = keys.sign_ledger(&certificate_message(&text))?;
    let index = append(tx, account, |_| body.entry(&text))?;
    Ok(IssuedCertificate { index, body: text, signature })
}

/// The certificate, proved to the account's ledger as it is now. Its text is `to_string()`.
///
/// # Errors
/// [`LedgerFault::Beyond`] when there is no such entry, [`LedgerFault::Form`] when the stored entry is damaged; or when
/// the store fails or the cryptographic library refuses.
pub fn certificate(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    issued: IssuedCertificate,
    now: Millis,
) -> Result<Certificate, LedgerFault> {
    let IssuedCertificate { index, body, signature } = issued;
    let entry = entries(tx, account, index, 1)?.pop().ok_or(LedgerFault::Beyond)?;
    let checkpoint = checkpoint(tx, keys, account, now)?;
    let proof = inclusion(tx, account, index, checkpoint.size)?.into_iter().map(Hex).collect();
    let raw = |what, text| RawValue::from_string(text).map_err(|_| Fault::Unreadable { what });
    let body = raw("body of the certificate", body)?;
    let entry = raw("ledger entry", entry)?;
    Ok(Certificate { body, signature: Hex(signature), entry, index, proof, checkpoint })
}
