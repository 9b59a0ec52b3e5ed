//! Every change to a proof is found.

mod certificate;
mod growth;
mod hex;
mod ledger;
mod made;
mod program;
mod tree;
