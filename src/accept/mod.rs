//! Accepting: one transaction that stores the work and its job together, or nothing.

pub mod delta;
pub mod product_feed;
pub mod upload;
pub mod user_forget;

use crate::ids::{AccountId, Token};

/// What a submission's sealed payload is bound to.
#[must_use]
pub fn payload_aad(account: AccountId, token: Token) -> Vec<u8> {
    let mut aad = b"lethe/payload/v1/".to_vec();
    aad.extend_from_slice(&account.0.to_be_bytes());
    aad.extend_from_slice(&token.bytes());
    aad
}
