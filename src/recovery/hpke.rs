//! HPKE (RFC 9180) by rustls, in the one suite and mode that the bundle needs: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256,
//! AES-256-GCM; mode base, a single message. A message is the ephemeral public key, then the sealed text.

use aws_lc_rs::agreement::{PrivateKey, X25519};
use rustls::crypto::aws_lc_rs::hpke::DH_KEM_X25519_HKDF_SHA256_AES_256 as SUITE;
use rustls::crypto::hpke::{EncapsulatedSecret, Hpke as _, HpkePrivateKey, HpkePublicKey};
use zeroize::Zeroizing;

use crate::keys::KeyFault;

/// Size of a public key, and of the beginning of a message.
pub const PUBLIC_BYTES: usize = 32;

/// A key pair of the operator.
pub struct KeyPair {
    /// Wiped when it is dropped.
    private: HpkePrivateKey,
    /// The public half.
    pub public: [u8; PUBLIC_BYTES],
}

static_assertions::assert_not_impl_any!(KeyPair: std::fmt::Debug, std::fmt::Display, serde::Serialize);

impl KeyPair {
    /// Makes a new pair.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn random() -> Result<Self, KeyFault> {
        let (public, private) = SUITE.generate_key_pair().map_err(to_key_fault)?;
        Ok(Self { private, public: public.0.try_into().map_err(|_| KeyFault::Cryptography)? })
    }

    /// Makes the pair of a private half.
    ///
    /// # Errors
    /// When these bytes are no private key.
    pub fn from_private(bytes: &[u8]) -> Result<Self, KeyFault> {
        // rustls makes no public key of a private one.
        let private = PrivateKey::from_private_key(&X25519, bytes).map_err(|_| KeyFault::Cryptography)?;
        let public = private.compute_public_key()?.as_ref().try_into().map_err(|_| KeyFault::Cryptography)?;
        Ok(Self { private: bytes.to_vec().into(), public })
    }

    /// The private half.
    pub fn private(&self) -> &[u8] {
        self.private.secret_bytes()
    }

    /// Opens a message that was sealed to the public half; `info` and `aad` have to be the same.
    ///
    /// # Errors
    /// When the message is damaged, was sealed to another key, or `info` or `aad` differ.
    pub fn open(&self, info: &[u8], aad: &[u8], message: &[u8]) -> Result<Zeroizing<Vec<u8>>, KeyFault> {
        let (enc, sealed) = message.split_at_checked(PUBLIC_BYTES).ok_or(KeyFault::Cryptography)?;
        let enc = EncapsulatedSecret(enc.to_vec());
        SUITE.open(&enc, info, aad, sealed, &self.private).map(Zeroizing::new).map_err(to_key_fault)
    }
}

/// Seals a message to a public key.
///
/// # Errors
/// When `public` is no usable key or the system gives no random bytes.
pub fn seal(public: &[u8; PUBLIC_BYTES], info: &[u8], aad: &[u8], plain: &[u8]) -> Result<Vec<u8>, KeyFault> {
    let public = HpkePublicKey(public.to_vec());
    let (enc, sealed) = SUITE.seal(info, aad, plain, &public).map_err(to_key_fault)?;
    Ok([enc.0, sealed].concat())
}

fn to_key_fault(_: rustls::Error) -> KeyFault {
    KeyFault::Cryptography
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
    }

    /// One of the test vectors published with RFC 9180: mode 0, KEM 0x0020, KDF 1, AEAD 2, the first message.
    #[test]
    fn the_published_vector_opens() {
        let pair =
            KeyPair::from_private(&bytes("497b4502664cfea5d5af0b39934dac72242a74f8480451e1aee7d6a53320333d"));
        let pair = pair.unwrap();
        assert_eq!(
            pair.public.as_slice(),
            bytes("430f4b9859665145a6b1ba274024487bd66f03a2dd577d7753c68d7d7d00c00c")
        );
        let message = bytes(
            "6c93e09869df3402d7bf231bf540fadd35cd56be14f97178f0954db94b7fc256\
             e5d84cd531cfb583096e7cfa9641bd3079cf3a91cda813c52deb5f512be9931980a41de125a925cdad859d5b7a",
        );
        let plain =
            pair.open(&bytes("4f6465206f6e2061204772656369616e2055726e"), b"Count-0", &message).unwrap();
        assert_eq!(plain.as_slice(), b"Beauty is truth, truth beauty");
    }

    #[test]
    fn a_message_opens_whole_for_its_receiver_and_purpose_alone() {
        let pair = KeyPair::random().unwrap();
        let other = KeyPair::random().unwrap();
        let again = KeyPair::from_private(pair.private()).unwrap();
        let message = seal(&pair.public, b"info", b"aad", b"text").unwrap();
        assert_eq!(again.open(b"info", b"aad", &message).unwrap().as_slice(), b"text");
        assert!(other.open(b"info", b"aad", &message).is_err());
        assert!(pair.open(b"Info", b"aad", &message).is_err() && pair.open(b"info", b"", &message).is_err());
        for at in 0..message.len() {
            let mut flipped = message.clone();
            flipped[at] ^= 1;
            assert!(
                pair.open(b"info", b"aad", &flipped).is_err()
                    && pair.open(b"info", b"aad", &message[..at]).is_err()
            );
        }
    }
}
