//! A ledger and its certificates, made as the service makes them.

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use ct_merkle::mem_backed_tree::MemoryBackedTree;
use serde_json::value::RawValue;
use sha2::Sha256;
use uuid::Uuid;

use crate::tree::{Frontier, Hash, leaf_hash};
use crate::*;

/// A day in November 2026, in milliseconds.
pub const NOW: i64 = 1_795_262_400_000;

/// The ledger of the account whose entries these are.
pub const LEDGER: Uuid = Uuid::from_u128(99);
/// Ledger of another account of the same server.
pub const OTHER: Uuid = Uuid::from_u128(98);

pub struct Signer(Ed25519KeyPair);

impl Signer {
    pub fn new(seed: u8) -> Self {
        Self(Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).unwrap())
    }

    pub fn key(&self) -> Key {
        Hex(self.0.public_key().as_ref().try_into().unwrap())
    }

    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).as_ref().try_into().unwrap()
    }

    pub fn checkpoint(&self, entries: &[String]) -> Checkpoint {
        let mut tree = Frontier::default();
        entries.iter().for_each(|entry| tree.push(leaf_hash(entry.as_bytes())));
        let ledger = entries.first().and_then(|first| Entry::read(first).ok()).map(|first| first.ledger());
        self.checkpoint_of(ledger.unwrap_or(LEDGER), entries.len() as u64, tree.root())
    }

    pub fn checkpoint_of(&self, ledger: Uuid, size: u64, root: Hash) -> Checkpoint {
        let key = self.key();
        let mut made = Checkpoint { ledger, size, root: Hex(root), at: NOW, key, signature: Hex([0; 64]) };
        made.signature = Hex(self.sign(&made.message()));
        made
    }
}

pub fn body(number: u128) -> Body {
    let place = |name: &str| Place {
        name: name.to_owned(),
        says: "what a \"person\" bought: é \u{1F6D2}".to_owned(),
        removed: 3,
        left: 0,
        proof: "looked through again".to_owned(),
    };
    Body {
        version: VERSION,
        erasure: Uuid::from_u128(number),
        ledger: LEDGER,
        shop: "my shop".to_owned(),
        asked_at: NOW - 86_400_000,
        fenced_at: Some(NOW - 5),
        shredded_at: Some(NOW - 4),
        deleted_at: Some(NOW - 3),
        unlearned_at: None,
        settled_at: Some(NOW - 1),
        verified_at: NOW,
        due_at: NOW + 29 * 86_400_000,
        identifiers: [("Email".to_owned(), 2), ("UserId".to_owned(), 1)].into(),
        places: vec![place("record"), place("identifier")],
        kept: vec![Kept { name: "suppression".to_owned(), says: "to know again".to_owned(), count: 3 }],
        database: "SQLite".to_owned(),
        remains: vec![Remains {
            name: "log".to_owned(),
            says: "as it was".to_owned(),
            until: "later".to_owned(),
        }],
        scan: Scan { folders: vec!["data".to_owned()], complete: true, scanned: 2, walk_only: 1, found: 0 },
        program: "lethe 0.1.0".to_owned(),
    }
}

/// `count` lines: the genesis, then erasures, and now and then something else.
pub fn entries(count: usize) -> Vec<String> {
    entries_of(LEDGER, count)
}

/// The same, of another ledger.
pub fn entries_of(ledger: Uuid, count: usize) -> Vec<String> {
    let today = day(NOW);
    let entry = |n: usize| match (n, n % 7) {
        (0, _) => Entry::Genesis { ledger, day: today },
        (_, 3) => Entry::Consent { ledger, consent: Uuid::from_u128(n as u128), day: today },
        (_, 5) => Entry::Restore {
            ledger,
            restore: Uuid::from_u128(n as u128),
            day: today,
            replayed: 4,
            gap_accepted: n.is_multiple_of(2),
        },
        _ => {
            let body = Body { ledger, ..body(n as u128) };
            body.entry(&body.to_string())
        }
    };
    (0..count).map(|n| entry(n).to_string()).collect()
}

pub fn in_memory(entries: &[String]) -> MemoryBackedTree<Sha256, Vec<u8>> {
    let mut tree = MemoryBackedTree::new();
    entries.iter().for_each(|entry| tree.push(entry.clone().into_bytes()));
    tree
}

pub fn hashes(proof: &[u8]) -> Vec<Hash> {
    proof.as_chunks::<32>().0.to_vec()
}

/// The certificate of entry `index`, which has to be an erasure.
pub fn certificate(signer: &Signer, entries: &[String], index: usize) -> String {
    certificate_of(signer, &body(index as u128), entries, index)
}

pub fn certificate_of(signer: &Signer, body: &Body, entries: &[String], index: usize) -> String {
    assembled(signer, body, &entries[index], (in_memory(entries), index), signer.checkpoint(entries))
}

/// A certificate with this entry, the proof of the entry at this place in this tree, and this checkpoint.
pub fn assembled(
    signer: &Signer,
    body: &Body,
    entry: &str,
    (tree, index): (MemoryBackedTree<Sha256, Vec<u8>>, usize),
    checkpoint: Checkpoint,
) -> String {
    let body = body.to_string();
    let signature = Hex(signer.sign(&certificate_message(&body)));
    let proof = hashes(tree.prove_inclusion(index).as_bytes()).into_iter().map(Hex).collect();
    let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
    let body = raw(&body);
    let entry = raw(entry);
    let index = index as u64;
    Certificate { body, signature, entry, index, proof, checkpoint }.to_string()
}

/// A ledger as it is exported.
pub fn export(signer: &Signer, entries: &[String]) -> String {
    format!("{}\n{}\n", entries.join("\n"), signer.checkpoint(entries))
}

/// Every text that differs in one byte: each of its bits turned, and the byte as 0, a space, a quote and 0xff.
pub fn with_a_changed_byte(text: &str) -> impl Iterator<Item = Vec<u8>> {
    let text = text.as_bytes();
    (0..text.len()).flat_map(move |at| {
        let turned = (0..8).map(move |bit| text[at] ^ (1 << bit));
        turned.chain([0, b' ', b'"', 0xff]).filter(move |byte| *byte != text[at]).map(move |byte| {
            let mut changed = text.to_vec();
            changed[at] = byte;
            changed
        })
    })
}

/// Every text with a byte left out, or one more: a space, a newline, a digit or a repetition.
pub fn with_a_byte_more_or_less(text: &str) -> impl Iterator<Item = Vec<u8>> {
    let text = text.as_bytes();
    (0..text.len()).flat_map(move |at| {
        let less = [&text[..at], &text[at + 1..]].concat();
        let more = [b' ', b'\n', b'0', text[at]].map(|byte| [&text[..at], &[byte], &text[at..]].concat());
        [less].into_iter().chain(more).filter(move |changed| changed != text)
    })
}
