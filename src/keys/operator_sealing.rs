//! Stored data of operators: the name, sealed; a keyed hash that finds it again; and the secret of their codes,
//! sealed. The keys derive from the key of the hashes of secrets, as with webhooks.

use aws_lc_rs::rand;
use zeroize::Zeroizing;

use super::fault::KeyFault;
use super::key_file::KeyBytes;
use super::key_set::Keys;
use super::static_keys::Tag;

impl Keys {
    /// The keyed hash of an operator's name.
    #[must_use]
    pub fn operator_tag(&self, name: &str) -> Tag {
        self.0.statics.operator(name)
    }

    /// Seals an operator's name.
    ///
    /// # Errors
    /// When the cryptographic library refuses.
    pub fn seal_operator_name(&self, operator: &[u8; 16], name: &[u8]) -> Result<Vec<u8>, KeyFault> {
        self.0.statics.operator_sealer()?.seal(&place(operator), name)
    }

    /// Opens it.
    ///
    /// # Errors
    /// [`KeyFault::SealBroken`] when it was sealed for another operator or by other keys.
    pub fn open_operator_name(&self, operator: &[u8; 16], sealed: &[u8]) -> Result<KeyBytes, KeyFault> {
        self.0.statics.operator_sealer()?.open(&place(operator), sealed)
    }

    /// Seals what makes the codes of an operator.
    ///
    /// # Errors
    /// When the cryptographic library refuses.
    pub fn seal_operator_code(&self, operator: &[u8; 16], secret: &[u8]) -> Result<Vec<u8>, KeyFault> {
        self.0.statics.operator_sealer()?.seal(&place_of_code(operator), secret)
    }

    /// Opens it.
    ///
    /// # Errors
    /// [`KeyFault::SealBroken`] when it was sealed for another operator or by other keys.
    pub fn open_operator_code(&self, operator: &[u8; 16], sealed: &[u8]) -> Result<KeyBytes, KeyFault> {
        self.0.statics.operator_sealer()?.open(&place_of_code(operator), sealed)
    }
}

/// New secret for codes: 160 random bits, as RFC 4226 has it.
///
/// # Errors
/// When the system gives no random bytes.
pub fn random_code_secret() -> Result<Zeroizing<Vec<u8>>, KeyFault> {
    let mut secret = Zeroizing::new(vec![0; 20]);
    rand::fill(&mut secret)?;
    Ok(secret)
}

fn place(operator: &[u8; 16]) -> Vec<u8> {
    [b"operator/".as_slice(), operator].concat()
}

fn place_of_code(operator: &[u8; 16]) -> Vec<u8> {
    [b"operator-code/".as_slice(), operator].concat()
}
