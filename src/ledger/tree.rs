//! The complete subtrees of each ledger's tree as rows, so that appending and proving touch a few rows and no leaves.
//!
//! Nodes are numbered as in the crate `ct-merkle`: leaf n is node 2n; the subtree of 2^k leaves that begins with leaf
//! s is node 2s + 2^k - 1. A complete subtree never changes; an incomplete one is computed from those in it.

use lethe_verify::tree::{Hash, parent_hash, root_over};

use crate::args;
use crate::ids::AccountId;
use crate::sql;
use crate::store::{StoreFault, Tx};

/// A number as the store takes it; the ledger never reaches the largest.
pub(super) fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Stores leaf number `index`, the one after the last, and the subtrees it completes.
pub(super) fn push(tx: &mut Tx<'_>, account: AccountId, index: u64, leaf: Hash) -> Result<(), StoreFault> {
    let mut node = 2 * index;
    let mut hash = leaf;
    tx.exec(&sql::ledger_node_insert, args![account.0, number(node), &hash])?;
    for level in 0..index.trailing_ones() {
        let left = load_node(tx, account, node - (2 << level))?;
        hash = parent_hash(&left, &hash);
        node -= 1 << level;
        tx.exec(&sql::ledger_node_insert, args![account.0, number(node), &hash])?;
    }
    Ok(())
}

/// Root of the tree of the first `size` leaves.
pub(super) fn root(tx: &mut Tx<'_>, account: AccountId, size: u64) -> Result<Hash, StoreFault> {
    hash_range(tx, account, 0, size)
}

/// Hashes of nodes in the tree of the first `size` leaves.
pub(super) fn hashes(
    tx: &mut Tx<'_>,
    account: AccountId,
    nodes: &[u64],
    size: u64,
) -> Result<Vec<Hash>, StoreFault> {
    let hash = |node: &u64| {
        let leaves = 1 << node.trailing_ones();
        let first = (node + 1 - leaves) / 2;
        hash_range(tx, account, first, size.min(first + leaves))
    };
    nodes.iter().map(hash).collect()
}

/// Hash over the leaves from `first` until before `end`, all in the subtree that begins with `first`.
fn hash_range(tx: &mut Tx<'_>, account: AccountId, mut first: u64, end: u64) -> Result<Hash, StoreFault> {
    let mut subtrees = Vec::new();
    while first < end {
        let leaves = 1 << (end - first).ilog2();
        subtrees.push(load_node(tx, account, 2 * first + leaves - 1)?);
        first += leaves;
    }
    Ok(root_over(&subtrees))
}

fn load_node(tx: &mut Tx<'_>, account: AccountId, node: u64) -> Result<Hash, StoreFault> {
    let row = tx.row(&sql::ledger_node_get, args![account.0, number(node)])?;
    row.ok_or(StoreFault::Shape { statement: "ledger_node_get", column: "hash" })?.bytes("hash")
}
