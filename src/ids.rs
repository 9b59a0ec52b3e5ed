//! Identifiers the program makes up itself.

/// The handle of a submission: a GUID of 122 random bits (version 4, so that it carries no clock).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Token(uuid::Uuid);

impl Token {
    /// A new random token.
    #[must_use]
    pub fn random() -> Self {
        Self(uuid::Uuid::new_v4())
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

    /// From the 16 bytes of the store.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(uuid::Uuid::from_bytes(bytes))
    }
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

/// Number of an account in the store. Not the access key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct AccountId(pub i64);
