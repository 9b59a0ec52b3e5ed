//! HPKE (RFC 9180), the one suite and mode that the bundle needs: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256,
//! AES-256-GCM; mode base, a single message. Every length is at most one hash, so each step of HKDF is one HMAC.

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::agreement::{PrivateKey, UnparsedPublicKey, X25519, agree};
use aws_lc_rs::encoding::{AsBigEndian, Curve25519SeedBin};
use aws_lc_rs::error::Unspecified;
use aws_lc_rs::hmac;
use zeroize::Zeroizing;

const KEM: &[u8] = b"KEM\x00\x20";
const SUITE: &[u8] = b"HPKE\x00\x20\x00\x01\x00\x02";
/// Size of a public key, and of the beginning of a message.
pub const PUBLIC_BYTES: usize = 32;

type Hash = Zeroizing<[u8; 32]>;

/// A key pair of the operator.
pub struct KeyPair {
    private: PrivateKey,
    /// The public half.
    pub public: [u8; PUBLIC_BYTES],
}

crate::unprintable::unprintable!(KeyPair);

impl KeyPair {
    /// Makes a new pair.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn random() -> Result<Self, Unspecified> {
        Self::from_private_key(PrivateKey::generate(&X25519)?)
    }

    /// Makes the pair of a private half.
    ///
    /// # Errors
    /// When these bytes are no private key.
    pub fn from_private(bytes: &[u8]) -> Result<Self, Unspecified> {
        Self::from_private_key(PrivateKey::from_private_key(&X25519, bytes).map_err(|_| Unspecified)?)
    }

    fn from_private_key(private: PrivateKey) -> Result<Self, Unspecified> {
        let public = private.compute_public_key()?.as_ref().try_into().map_err(|_| Unspecified)?;
        Ok(Self { private, public })
    }

    /// The private half.
    ///
    /// # Errors
    /// When the cryptographic library refuses.
    pub fn private(&self) -> Result<Zeroizing<Vec<u8>>, Unspecified> {
        let seed: Curve25519SeedBin<'_> = self.private.as_be_bytes()?;
        Ok(Zeroizing::new(seed.as_ref().to_vec()))
    }

    /// Opens a message that was sealed to the public half; `info` and `aad` have to be the same.
    ///
    /// # Errors
    /// When the message is damaged, was sealed to another key, or `info` or `aad` differ.
    pub fn open(&self, info: &[u8], aad: &[u8], message: &[u8]) -> Result<Zeroizing<Vec<u8>>, Unspecified> {
        let (enc, sealed) = message.split_first_chunk::<PUBLIC_BYTES>().ok_or(Unspecified)?;
        let (key, nonce) = key_and_nonce(&self.private, enc, [enc, &self.public], info)?;
        let mut plain = Zeroizing::new(sealed.to_vec());
        let length = key.open_in_place(nonce, Aad::from(aad), &mut plain)?.len();
        plain.truncate(length);
        Ok(plain)
    }
}

/// Seals a message to a public key.
///
/// # Errors
/// When `public` is no usable key or the system gives no random bytes.
pub fn seal(
    public: &[u8; PUBLIC_BYTES],
    info: &[u8],
    aad: &[u8],
    plain: &[u8],
) -> Result<Vec<u8>, Unspecified> {
    let ephemeral = KeyPair::random()?;
    let (key, nonce) = key_and_nonce(&ephemeral.private, public, [&ephemeral.public, public], info)?;
    let mut sealed = plain.to_vec();
    key.seal_in_place_append_tag(nonce, Aad::from(aad), &mut sealed)?;
    Ok([ephemeral.public.as_slice(), &sealed].concat())
}

/// Sections 4.1 and 5.1; `context` is the beginning of the message, and the receiver's public key.
fn key_and_nonce(
    own: &PrivateKey,
    other: &[u8; PUBLIC_BYTES],
    context: [&[u8; PUBLIC_BYTES]; 2],
    info: &[u8],
) -> Result<(LessSafeKey, Nonce), Unspecified> {
    let shared = agree(own, UnparsedPublicKey::new(&X25519, other), Unspecified, |dh| {
        let prk = extract(KEM, &[], b"eae_prk", dh);
        Ok(expand(KEM, &prk, b"shared_secret", &context.map(<[u8; PUBLIC_BYTES]>::as_slice).concat(), 32))
    })?;
    let [psk_id_hash, info_hash] = [(b"psk_id_hash".as_slice(), &[][..]), (b"info_hash", info)]
        .map(|(label, text)| extract(SUITE, &[], label, text));
    let schedule = [&[0][..], &*psk_id_hash, &*info_hash].concat();
    let secret = extract(SUITE, &*shared, b"secret", &[]);
    let key = expand(SUITE, &secret, b"key", &schedule, 32);
    let nonce = expand(SUITE, &secret, b"base_nonce", &schedule, 12);
    let key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &*key)?);
    Ok((key, Nonce::try_assume_unique_for_key(&nonce[..12])?))
}

/// LabeledExtract.
fn extract(suite: &[u8], salt: &[u8], label: &[u8], text: &[u8]) -> Hash {
    mac(salt, &[b"HPKE-v1", suite, label, text])
}

/// LabeledExpand to at most one hash; the bytes after `length` mean nothing.
fn expand(suite: &[u8], prk: &Hash, label: &[u8], info: &[u8], length: u16) -> Hash {
    mac(&**prk, &[&length.to_be_bytes(), b"HPKE-v1", suite, label, info, &[1]])
}

fn mac(key: &[u8], parts: &[&[u8]]) -> Hash {
    let mut context = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, key));
    parts.iter().for_each(|part| context.update(part));
    let mut hash = Zeroizing::new([0; 32]);
    hash.copy_from_slice(context.sign().as_ref());
    hash
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
        let again = KeyPair::from_private(&pair.private().unwrap()).unwrap();
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
