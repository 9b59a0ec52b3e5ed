//! Kind of a list that a shop sets whole.

/// Kind of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKind {
    /// Rules for some searches.
    Rules,
    /// Campaigns in zones.
    Campaigns,
}

impl ListKind {
    /// Its name in the store and in sentences.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Campaigns => "campaigns",
        }
    }

    /// The command of `lethe` that shows and sets it.
    #[must_use]
    pub const fn command(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Campaigns => "zones",
        }
    }
}
