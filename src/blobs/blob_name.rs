//! Name of a blob: the hash of its content.

use lethe_verify::Hex;

/// Name of a blob: the 32-byte hash of its content, written as 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BlobName(Hex<32>);

impl BlobName {
    /// The name for a content of this hash.
    #[must_use]
    pub fn from_hash(hash: [u8; 32]) -> Self {
        Self(Hex(hash))
    }

    /// Reads 64 lower-case hex digits; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let hash = text.parse::<Hex<32>>().ok()?;
        Some(Self(hash))
    }

    /// The hash itself.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        self.0.0
    }
}

impl std::fmt::Display for BlobName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl serde::Serialize for BlobName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for BlobName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("no name of a blob"))
    }
}
