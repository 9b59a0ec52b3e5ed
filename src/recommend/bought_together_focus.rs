//! Preference of a shop: likely or specific products first in `bought_together`.

/// Order of the products in `bought_together`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BoughtTogetherFocus {
    /// First those that are bought most likely, many of which sell with everything.
    #[default]
    Likely,
    /// Between the other two.
    Balanced,
    /// First those that are bought with the named products more than with others.
    Specific,
}

impl BoughtTogetherFocus {
    /// All, from likely to specific.
    pub const ALL: [Self; 3] = [Self::Likely, Self::Balanced, Self::Specific];

    /// Its name in settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Likely => "likely",
            Self::Balanced => "balanced",
            Self::Specific => "specific",
        }
    }

    /// The focus of a name; `None` for any other.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|focus| focus.name() == name)
    }

    /// Exponent, in tenths, of the purchases of an item by which its score is divided.
    pub(super) const fn popularity_exponent(self) -> i64 {
        match self {
            Self::Likely => 2,
            Self::Balanced => 3,
            Self::Specific => 4,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_focus_is_found_by_its_name_alone() {
        for focus in BoughtTogetherFocus::ALL {
            assert_eq!(BoughtTogetherFocus::from_name(focus.name()), Some(focus));
        }
        for other in ["", "Likely", "likely ", "0.2"] {
            assert_eq!(BoughtTogetherFocus::from_name(other), None, "{other:?}");
        }
    }
}
