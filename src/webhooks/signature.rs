//! The signature of a message: HMAC-SHA-256 over its id, the time of the try and its body.

use aws_lc_rs::{hmac, rand};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

use crate::keys::KeyFault;

const PREFIX: &str = "whsec_";
/// Bytes of a secret; the specification asks for 24 to 64.
const SECRET_BYTES: usize = 32;

/// Secret that signs the messages of one account.
pub struct WebhookSecret(Zeroizing<Vec<u8>>);

static_assertions::assert_not_impl_any!(WebhookSecret: std::fmt::Debug, std::fmt::Display, serde::Serialize);

impl WebhookSecret {
    /// A new one, of 256 random bits.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn random() -> Result<Self, KeyFault> {
        let mut bytes = Zeroizing::new(vec![0; SECRET_BYTES]);
        rand::fill(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// The secret with these bytes.
    #[must_use]
    pub fn of_bytes(bytes: Zeroizing<Vec<u8>>) -> Self {
        Self(bytes)
    }

    /// Its bytes, to be stored sealed.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text that a shop gives to its library: shown once.
    #[must_use]
    pub fn reveal(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(PREFIX.to_owned());
        STANDARD.encode_string(&self.0, &mut text);
        text
    }

    /// The signature of a try, with its version; `at` in seconds since 1970.
    #[must_use]
    pub fn sign(&self, id: &str, at: i64, body: &str) -> String {
        let signed = format!("{id}.{at}.{body}");
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.0);
        format!("v1,{}", STANDARD.encode(hmac::sign(&key, signed.as_bytes())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification's reference libraries.
    #[test]
    fn a_signature_is_the_one_of_the_specification() {
        let bytes = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let secret = WebhookSecret::of_bytes(Zeroizing::new(bytes));
        assert_eq!(*secret.reveal(), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        let signature = secret.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, r#"{"test": 2432232314}"#);
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn a_secret_is_as_long_as_the_specification_asks_for() {
        let secret = WebhookSecret::random().ok().unwrap();
        let text = secret.reveal();
        let encoded = text.strip_prefix("whsec_").unwrap();
        assert!((24..=64).contains(&STANDARD.decode(encoded).unwrap().len()));
        assert_ne!(*text, *WebhookSecret::random().ok().unwrap().reveal());
    }
}
