//! Roles of operators, and the rights of each.

/// Role of an operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OperatorRole {
    /// Everything, in all shops.
    Owner,
    /// Content for shoppers: the catalogue, searches, rules and zones.
    Merchandiser,
    /// People: their data, their export, forgetting them.
    PrivacyOfficer,
    /// Looks at data without a person.
    Viewer,
}

/// Right that a page or an act requires of a signed-in operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Right {
    /// See data that belongs to no person.
    View,
    /// Change what shoppers find.
    Merchandise,
    /// See a person, and have them forgotten.
    Privacy,
    /// Change operators, accounts, keys and the server.
    Admin,
}

impl OperatorRole {
    /// All roles, the mightiest first.
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

    /// Returns true if the role brings a right.
    #[must_use]
    pub fn has(self, right: Right) -> bool {
        match right {
            Right::View => true,
            Right::Merchandise => matches!(self, Self::Owner | Self::Merchandiser),
            Right::Privacy => {
                matches!(self, Self::Owner | Self::PrivacyOfficer)
            }
            Right::Admin => matches!(self, Self::Owner),
        }
    }
}
