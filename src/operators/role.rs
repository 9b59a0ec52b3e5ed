//! What an operator is, and what they may do by it.

/// What an operator is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OperatorRole {
    /// Everything, in all shops.
    Owner,
    /// What shoppers find: the catalogue, searches, rules and zones.
    Merchandiser,
    /// People: what is held of them, their export, forgetting them.
    PrivacyOfficer,
    /// Looking at what is of no person.
    Viewer,
}

/// What a page or an act asks of who is signed in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Right {
    /// To see what is of no person.
    See,
    /// To change what shoppers find.
    Sell,
    /// To see a person, and to have them forgotten.
    People,
    /// To change operators, accounts, keys and the server.
    Own,
}

impl OperatorRole {
    /// All of them, the mightiest first.
    pub const ALL: [Self; 4] = [Self::Owner, Self::Merchandiser, Self::PrivacyOfficer, Self::Viewer];

    /// Its name, as commands and the store have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Merchandiser => "merchandiser",
            Self::PrivacyOfficer => "privacy-officer",
            Self::Viewer => "viewer",
        }
    }

    /// The role of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    /// Whether it brings a right.
    #[must_use]
    pub fn has(self, right: Right) -> bool {
        match right {
            Right::See => true,
            Right::Sell => matches!(self, Self::Owner | Self::Merchandiser),
            Right::People => {
                matches!(self, Self::Owner | Self::PrivacyOfficer)
            }
            Right::Own => matches!(self, Self::Owner),
        }
    }
}
