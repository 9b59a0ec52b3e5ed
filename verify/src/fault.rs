//! Reasons why something proves nothing.

/// The fault, as one sentence; it quotes nothing from the input.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the sentences say it")]
pub enum Fault {
    #[error("a file cannot be read: {0}")]
    File(#[from] std::io::Error),
    #[error("the {what} cannot be read: it is cut off, damaged, too long, or something else")]
    Unreadable { what: &'static str },
    #[error("the {what} is not in its exact form: something was changed, added or removed")]
    Altered { what: &'static str },
    #[error("a key is 64 lower-case hexadecimal digits")]
    NoHex,
    #[error("the certificate has another version than {known}, which this program knows")]
    Version { known: u32 },
    #[error("another key signed it than the expected one")]
    OtherKey,
    #[error("it belongs to the ledger of another account than the expected one, or than the rest of it")]
    OtherLedger,
    #[error("the checkpoint is not what its key signed")]
    CheckpointSignature,
    #[error("the checkpoint counts more entries than any ledger has")]
    TooManyEntries,
    #[error("the certificate is not what its key signed")]
    CertificateSignature,
    #[error("the ledger entry is about another certificate")]
    OtherEntry,
    #[error("the proof does not lead from the entry to the checkpoint: that ledger does not have it there")]
    NotIncluded,
    #[error("the certificate is genuine, and says that something of the person was still found")]
    Residue,
    #[error("the certificate is genuine, and says that some files were not read: nothing is proved of them")]
    Unscanned,
    #[error("the ledger ends without a checkpoint: it is cut off")]
    NoCheckpoint,
    #[error("something stands behind the checkpoint that ends the ledger")]
    BehindCheckpoint,
    #[error("the ledger does not begin with its genesis entry, or has a second one")]
    Genesis,
    #[error("the entries are not those that were signed: one was changed, dropped, doubled or moved")]
    Root,
    #[error("the ledger has fewer entries than the earlier checkpoint counts: it was cut, or is another")]
    Shrunk,
    #[error("the earlier ledger is not the beginning of this one: it was rewritten, or set back and went on")]
    Rewritten,
}
