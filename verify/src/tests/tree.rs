//! The tree is the one of RFC 6962: the vectors are those of the Certificate Transparency projects.

use ct_merkle::mem_backed_tree::MemoryBackedTree;
use sha2::Sha256;

use super::made::entries;
use crate::Hex;
use crate::tree::{Frontier, leaf_hash};

const LEAVES: [&[u8]; 8] = [
    b"",
    b"\0",
    b"\x10",
    b"\x20\x21",
    b"\x30\x31",
    b"\x40\x41\x42\x43",
    b"\x50\x51\x52\x53\x54\x55\x56\x57",
    b"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
];

/// Roots of the trees of the first 0 to 8 leaves.
const ROOTS: [&str; 9] = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

#[test]
fn roots_are_those_of_rfc_6962() {
    let mut tree = Frontier::default();
    let mut other = MemoryBackedTree::<Sha256, Vec<u8>>::new();
    assert_eq!(Hex(tree.root()).to_string(), ROOTS[0]);
    for (leaf, root) in LEAVES.iter().zip(&ROOTS[1..]) {
        tree.push(leaf_hash(leaf));
        other.push(leaf.to_vec());
        assert_eq!(Hex(tree.root()).to_string(), *root);
        assert_eq!(Hex((*other.root().as_bytes()).into()).to_string(), *root);
    }
}

#[test]
fn proofs_are_those_of_rfc_6962() {
    let tree_of = |size: usize| {
        let mut tree = MemoryBackedTree::<Sha256, Vec<u8>>::new();
        LEAVES[..size].iter().for_each(|leaf| tree.push(leaf.to_vec()));
        tree
    };
    let inclusion = "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b\
                     ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0\
                     d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7";
    let consistency = "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a\
                       ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0\
                       d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7";
    let text = |proof: &[u8]| proof.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert_eq!(text(tree_of(8).prove_inclusion(5).as_bytes()), inclusion);
    assert_eq!(text(tree_of(8).prove_consistency(2).as_bytes()), consistency);
}

#[test]
fn a_tree_from_a_stream_is_the_one_in_memory() {
    let mut tree = Frontier::default();
    let mut other = MemoryBackedTree::<Sha256, Vec<u8>>::new();
    for entry in entries(300) {
        tree.push(leaf_hash(entry.as_bytes()));
        other.push(entry.into_bytes());
        assert_eq!((tree.size(), tree.root()), (other.len(), (*other.root().as_bytes()).into()));
    }
}
