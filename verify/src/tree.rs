//! The Merkle tree of RFC 6962, section 2.1, over SHA-256.
//!
//! Proofs are checked by the crate `ct-merkle`, which keeps its trees in memory; this module computes the same tree
//! from a stream of entries.

use ct_merkle::RootHash;
use sha2::{Digest, Sha256};

use crate::Hex;

/// Hash of a node of the tree.
pub type Hash = [u8; 32];

/// SHA-256 of some bytes.
pub fn sha256(bytes: &[u8]) -> Hash {
    Sha256::digest(bytes).into()
}

/// Hash of an entry as a leaf.
pub fn leaf_hash(entry: &[u8]) -> Hash {
    Sha256::new_with_prefix([0]).chain_update(entry).finalize().into()
}

/// Hash of two neighbouring subtrees as one.
pub fn parent_hash(left: &Hash, right: &Hash) -> Hash {
    Sha256::new_with_prefix([1]).chain_update(left).chain_update(right).finalize().into()
}

/// Root over adjacent complete subtrees of falling size, as in a tree whose size is no power of two.
pub fn root_over(subtrees: &[Hash]) -> Hash {
    let joined = subtrees.iter().rev().copied().reduce(|right, left| parent_hash(&left, &right));
    joined.unwrap_or_else(|| sha256(b""))
}

/// A growing tree that keeps only the complete subtrees at its edge.
#[derive(Default)]
pub struct Frontier {
    size: u64,
    subtrees: Vec<Hash>,
}

impl Frontier {
    /// Appends a leaf, by its hash.
    pub fn push(&mut self, mut hash: Hash) {
        for _ in 0..self.size.trailing_ones() {
            hash = self.subtrees.pop().map_or(hash, |left| parent_hash(&left, &hash));
        }
        self.subtrees.push(hash);
        self.size += 1;
    }

    /// Leaves so far.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Root of the tree so far.
    pub fn root(&self) -> Hash {
        root_over(&self.subtrees)
    }
}

pub(crate) fn root(root: &Hex<32>, size: u64) -> RootHash<Sha256> {
    RootHash::new(root.0.into(), size)
}

/// The hashes of a proof as `ct-merkle` takes them.
pub(crate) fn joined(proof: &[Hex<32>]) -> Vec<u8> {
    proof.iter().flat_map(|hash| hash.0).collect()
}
