//! Ids that the program makes up itself, the [`identifier`]s by which shops know people, and the
//! identifiers of articles ([`gtin`]).

mod email_field;
pub mod gtin;
pub mod identifier;

use crate::clock::Millis;

/// The handle of a submission: a GUID.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SubmissionToken(uuid::Uuid);

impl SubmissionToken {
    /// An unguessable token: the time, so that tokens of one time stand together in the store's index, and 74 random
    /// bits (version 7 of RFC 9562).
    #[must_use]
    pub fn issue(now: Millis) -> Self {
        let mut random = [0; 10];
        random.copy_from_slice(&uuid::Uuid::new_v4().as_bytes()[6..]);
        Self(uuid::Builder::from_unix_timestamp_millis(now.unsigned_abs(), &random).into_uuid())
    }

    /// Reads a GUID in its hyphenated form, in either case; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() != 36 {
            return None;
        }
        uuid::Uuid::try_parse(text).ok().map(Self)
    }

    /// The 16 bytes as they stand in the store.
    #[must_use]
    pub fn bytes(&self) -> [u8; 16] {
        self.0.into_bytes()
    }

    /// The token with these 16 bytes of the store.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(uuid::Uuid::from_bytes(bytes))
    }
}

impl std::fmt::Display for SubmissionToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

/// Number of an account in the store. Not the access key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct AccountId(pub i64);

/// Place of a feed or a delta in its account.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SubmissionPlace {
    /// Place in the order of acceptance of everything; it identifies the submission.
    pub seq: i64,
    /// Number among the account's feeds, or among its deltas, from 1: shown to people.
    pub kind_number: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_its_time_then_bits_that_no_other_has() {
        let [one, other] = [(), ()].map(|()| SubmissionToken::issue(0x0123_4567_89ab));
        assert_eq!(one.bytes()[..6], [0x01, 0x23, 0x45, 0x67, 0x89, 0xab]);
        assert_eq!((one.bytes()[6] >> 4, one.bytes()[8] >> 6), (7, 2), "the version and the variant");
        assert_ne!(one.bytes()[6..], other.bytes()[6..]);
        let text = one.to_string();
        assert_eq!(text.len(), 36);
        for text in [text.clone(), text.to_uppercase()] {
            assert_eq!(SubmissionToken::parse(&text), Some(one));
        }
        for other in
            [text.replace('-', ""), format!("{{{text}}}"), text.replace('-', "0"), text[1..].to_owned()]
        {
            assert_eq!(SubmissionToken::parse(&other), None, "{other}");
        }
        assert_eq!(SubmissionToken::from_bytes(one.bytes()), one);
    }
}
