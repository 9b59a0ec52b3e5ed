//! The key with which a shop signs its statements about a shopper to a page: HKDF-SHA-256 (RFC 5869) of a secret,
//! without a salt. The holder of the key cannot find the secret from it.

use super::fault::KeyFault;
use super::key_file::KeyBytes;
use super::secret::SecretKey;
use aws_lc_rs::{hkdf, hmac};
use zeroize::Zeroizing;

const INFO: &[u8] = b"lethe/user-token/v1";
const KEY_BYTES: usize = 32;

/// Signs and checks the tokens of one secret.
pub struct TokenKey(KeyBytes);

static_assertions::assert_not_impl_any!(TokenKey: std::fmt::Debug, std::fmt::Display, serde::Serialize);

impl TokenKey {
    /// The key of a secret.
    ///
    /// # Errors
    /// When the cryptographic library refuses.
    pub fn from_secret(secret: &SecretKey) -> Result<Self, KeyFault> {
        let extracted = hkdf::Salt::new(hkdf::HKDF_SHA256, &[]).extract(secret.reveal().as_bytes());
        let mut key = Zeroizing::new(vec![0; KEY_BYTES]);
        extracted.expand(&[INFO], hkdf::HKDF_SHA256)?.fill(&mut key)?;
        Ok(Self(key))
    }

    pub(super) fn of_bytes(key: KeyBytes) -> Self {
        Self(key)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// HMAC-SHA-256 of a text: 32 bytes.
    #[must_use]
    pub fn sign(&self, text: &[u8]) -> [u8; 32] {
        super::static_keys::full(&self.key(), &[text])
    }

    /// Returns true if `mac` is that of the text, in constant time.
    #[must_use]
    pub fn verifies(&self, text: &[u8], mac: &[u8]) -> bool {
        hmac::verify(&self.key(), text, mac).is_ok()
    }

    fn key(&self) -> hmac::Key {
        hmac::Key::new(hmac::HMAC_SHA256, &self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the integrator's guide, made by another implementation (Python's `hmac`).
    #[test]
    fn a_secret_makes_the_key_and_the_mac_that_any_other_program_makes() {
        let secret = SecretKey::parse(SECRET).unwrap();
        let key = TokenKey::from_secret(&secret).unwrap();
        assert_eq!(lethe_verify::hex::encode(key.bytes()), KEY);
        assert_eq!(lethe_verify::hex::encode(&key.sign(b"eyJBIjoxfQ")), MAC);
        assert!(key.verifies(b"eyJBIjoxfQ", &key.sign(b"eyJBIjoxfQ")));
        assert!(!key.verifies(b"eyJBIjoyfQ", &key.sign(b"eyJBIjoxfQ")));
    }

    const SECRET: &str = "ls_0123456789abcdefghijABCDEFGHIJ0123456789xyzTVEs90";
    const KEY: &str = "445b22f3085ae3f27f07ef83e09df3be10647583b7be907c8507a98ed3e9cdb2";
    const MAC: &str = "187bbe5973f95b3188924439f6586141ad875c47e5416a1b333cad4ce550d791";
}
