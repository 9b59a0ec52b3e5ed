//! The credentials of an account: the public access key and the secret key.
//!
//! A secret is `ls_`, 43 random characters (256 bits) and 6 of checksum. The prefix lets scanners of leaked
//! secrets find it, the checksum tells a mistyped one from a wrong one.

use aws_lc_rs::rand;
use zeroize::Zeroizing;

use super::fault::KeyFault;

const LETTERS_AND_DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// No I, L, O or U: access keys are read out loud, and are parts of paths and names of cookies.
const READ_OUT: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

const ACCESS_PREFIX: &str = "LA";
const ACCESS_RANDOM_CHARS: usize = 22;
const SECRET_PREFIX: &str = "ls_";
const SECRET_RANDOM_CHARS: usize = 43;
const CHECKSUM_CHARS: usize = 6;

/// A secret key in the clear. It exists while it is made or checked, is shown once and stored as a hash.
pub struct SecretKey(Zeroizing<String>);

static_assertions::assert_not_impl_any!(SecretKey: std::fmt::Debug, std::fmt::Display, serde::Serialize);

impl SecretKey {
    /// A new secret of 256 random bits.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn random() -> Result<Self, KeyFault> {
        let length = SECRET_PREFIX.len() + SECRET_RANDOM_CHARS + CHECKSUM_CHARS;
        let mut text = Zeroizing::new(String::with_capacity(length));
        text.push_str(SECRET_PREFIX);
        push_random(&mut text, SECRET_RANDOM_CHARS, LETTERS_AND_DIGITS)?;
        let checksum = checksum(&text);
        text.extend(checksum);
        Ok(Self(text))
    }

    /// Checks only the form, cheaply: a mistyped secret is `None` without a look into the store. Whether
    /// a well-formed secret is right, its hash tells.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (body, sum) = text.split_at_checked(SECRET_PREFIX.len() + SECRET_RANDOM_CHARS)?;
        let random = body.strip_prefix(SECRET_PREFIX)?;
        let well_formed = random.bytes().all(|byte| byte.is_ascii_alphanumeric());
        (well_formed && sum.chars().eq(checksum(body))).then(|| Self(Zeroizing::new(text.to_owned())))
    }

    /// The secret itself: to show it once, or to hash it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

/// A new access key: `LA` and 22 characters, 110 random bits. It is public.
///
/// # Errors
/// When the system gives no random bytes.
pub fn random_access_key() -> Result<String, KeyFault> {
    let mut text = String::from(ACCESS_PREFIX);
    push_random(&mut text, ACCESS_RANDOM_CHARS, READ_OUT)?;
    Ok(text)
}

/// An unguessable text of 43 letters and digits: 256 random bits.
///
/// # Errors
/// When the system gives no random bytes.
pub fn random_token() -> Result<Zeroizing<String>, KeyFault> {
    let mut text = Zeroizing::new(String::with_capacity(SECRET_RANDOM_CHARS));
    push_random(&mut text, SECRET_RANDOM_CHARS, LETTERS_AND_DIGITS)?;
    Ok(text)
}

/// Appends random characters, each equally likely: bytes beyond the last whole multiple are thrown away.
fn push_random(text: &mut String, chars: usize, alphabet: &[u8]) -> Result<(), KeyFault> {
    let fair = 256 - 256 % alphabet.len();
    let end = text.len() + chars;
    let mut bytes = Zeroizing::new([0; 64]);
    while text.len() < end {
        rand::fill(&mut *bytes)?;
        let fair = bytes.iter().map(|byte| usize::from(*byte)).filter(|byte| *byte < fair);
        text.extend(fair.map(|byte| char::from(alphabet[byte % alphabet.len()])).take(end - text.len()));
    }
    Ok(())
}

/// CRC-32 of the text in base 62, the lowest digit first.
fn checksum(text: &str) -> impl Iterator<Item = char> + use<> {
    let crc = crc32fast::hash(text.as_bytes()) as usize;
    (0..CHECKSUM_CHARS).scan(crc, |rest, _| {
        let digit = LETTERS_AND_DIGITS[*rest % 62];
        *rest /= 62;
        Some(char::from(digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_new_secret_has_the_promised_form_and_parses() {
        let secret = SecretKey::random().unwrap();
        assert!(secret.reveal().starts_with("ls_"));
        assert_eq!(secret.reveal().len(), 52);
        assert!(SecretKey::parse(secret.reveal()).unwrap().reveal() == secret.reveal());
    }

    #[test]
    fn every_single_mistyped_character_is_found() {
        let secret = SecretKey::random().unwrap();
        for at in 0..secret.reveal().len() {
            let mut typed = secret.reveal().as_bytes().to_vec();
            typed[at] = if typed[at] == b'x' { b'y' } else { b'x' };
            assert!(SecretKey::parse(std::str::from_utf8(&typed).unwrap()).is_none(), "character {at}");
        }
    }

    #[test]
    fn what_is_no_secret_does_not_parse() {
        let long = format!("{}0", SecretKey::random().unwrap().reveal());
        for text in ["", "ls_", "x", &"é".repeat(26), &"ls_".repeat(17), &long, &long[..51]] {
            assert!(SecretKey::parse(text).is_none());
        }
    }

    #[test]
    fn access_keys_are_letters_and_digits_and_differ() {
        let keys: HashSet<_> = (0..1000).map(|_| random_access_key().unwrap()).collect();
        assert_eq!(keys.len(), 1000);
        assert!(keys.iter().all(|key| key.len() == 24 && key.starts_with("LA")));
        assert!(keys.iter().all(|key| key.bytes().all(|byte| byte.is_ascii_alphanumeric())));
    }

    #[test]
    fn every_character_of_the_alphabet_comes_up() {
        let mut text = String::new();
        push_random(&mut text, 10_000, LETTERS_AND_DIGITS).unwrap();
        assert_eq!(text.len(), 10_000);
        assert_eq!(text.chars().collect::<HashSet<_>>().len(), 62);
    }

    #[test]
    fn a_secret_of_other_letters_does_not_parse_whatever_its_checksum() {
        let with_sum = |body: &str| format!("{body}{}", checksum(body).collect::<String>());
        let letters = "a".repeat(SECRET_RANDOM_CHARS - 1);
        assert!(SecretKey::parse(&with_sum(&format!("ls_{letters}b"))).is_some());
        for body in [format!("ls_{letters}-"), format!("ls_-{letters}"), format!("lt_{letters}b")] {
            assert!(SecretKey::parse(&with_sum(&body)).is_none(), "{body}");
        }
    }

    #[test]
    fn a_token_is_long_and_of_letters_and_digits_and_is_never_the_same() {
        let tokens: HashSet<String> = (0..100).map(|_| random_token().unwrap().to_string()).collect();
        assert_eq!(tokens.len(), 100);
        let is_right =
            |token: &String| token.len() == 43 && token.bytes().all(|byte| byte.is_ascii_alphanumeric());
        assert!(tokens.iter().all(is_right));
    }

    /// Eight of 256 bytes are thrown away: with one of them a letter would come a quarter more often, or less.
    #[test]
    fn every_letter_comes_equally_often() {
        let mut text = String::new();
        push_random(&mut text, 400_000, LETTERS_AND_DIGITS).unwrap();
        let mut counts = [0_u32; 128];
        text.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
        for letter in LETTERS_AND_DIGITS {
            let count = counts[usize::from(*letter)];
            assert!((5700..7200).contains(&count), "{}: {count}", char::from(*letter));
        }
    }

    #[test]
    fn an_access_key_has_no_letter_that_is_read_as_another() {
        for _ in 0..200 {
            let key = random_access_key().unwrap();
            assert!(key[2..].bytes().all(|byte| READ_OUT.contains(&byte)), "{key}");
        }
    }
}
