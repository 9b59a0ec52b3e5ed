//! Sealing of a shop's webhook address and signing key. The sealing key derives from that of the hashes of secrets, so
//! that both outlive a lost key folder as the secrets of accounts do.

use super::fault::KeyFault;
use super::key_file::KeyBytes;
use super::key_set::Keys;
use crate::ids::AccountId;

impl Keys {
    /// Seals a setting of an account's webhook; `what` names the setting.
    ///
    /// # Errors
    /// When the cryptographic library refuses.
    pub fn seal_webhook(&self, account: AccountId, what: &str, plain: &[u8]) -> Result<Vec<u8>, KeyFault> {
        self.0.statics.webhook_sealer()?.seal(&place(account, what), plain)
    }

    /// Opens it.
    ///
    /// # Errors
    /// [`KeyFault::SealBroken`] when it was sealed for another account or by other keys.
    pub fn open_webhook(&self, account: AccountId, what: &str, sealed: &[u8]) -> Result<KeyBytes, KeyFault> {
        self.0.statics.webhook_sealer()?.open(&place(account, what), sealed)
    }
}

fn place(account: AccountId, what: &str) -> Vec<u8> {
    format!("webhook/{}/{what}", account.0).into_bytes()
}
