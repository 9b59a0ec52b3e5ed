//! Readable evidence: the letter of an erasure, the page of an export, the page of a certificate. Each is complete in
//! itself, in the language of the shop, without scripts and without external content.

mod certificate_page;
mod export_page;
mod letter;
mod paper;

pub use self::certificate_page::certificate_page;
pub use self::export_page::export_page;
pub use self::letter::{LetterFacts, letter, letter_page};

pub use self::paper::{CONTENT_SECURITY_POLICY, PaperFault, ShopContact};
