//! What changes a proof is found.

mod certificate;
mod growth;
mod ledger;
mod made;
mod tree;
