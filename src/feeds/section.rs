//! The sections a feed or a delta may hold, and their names on the wire and in the store.

/// One list of rows in a feed or a delta.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Section {
    /// Products, the complete catalogue in a feed, single replacements in a delta.
    Products,
    /// Categories.
    Categories,
    /// Brands; some senders write `Brand`.
    Brands,
    /// Profiles of people.
    Users,
    /// Prices agreed with one account for one product.
    AccountPrices,
    /// Delta only: ids or SKUs of products to remove.
    DeleteProducts,
    /// Delta only: account and product of prices to remove.
    DeleteAccountPrices,
    /// Delta only: user ids whose profile record is to be removed (not an erasure).
    DeleteUsers,
    /// Delta only: products join a category.
    SetCategoryOnProducts,
    /// Delta only: products leave a category.
    RemoveCategoryFromProducts,
    /// Lines of an order file, which is CSV: no section of a JSON document has this name.
    Orders,
}

impl Section {
    /// Every section, in the order of the enum.
    pub const ALL: [Self; 11] = [
        Self::Products,
        Self::Categories,
        Self::Brands,
        Self::Users,
        Self::AccountPrices,
        Self::DeleteProducts,
        Self::DeleteAccountPrices,
        Self::DeleteUsers,
        Self::SetCategoryOnProducts,
        Self::RemoveCategoryFromProducts,
        Self::Orders,
    ];

    /// The name as documented; also the text in the store.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Products => "Products",
            Self::Categories => "Categories",
            Self::Brands => "Brands",
            Self::Users => "Users",
            Self::AccountPrices => "AccountPrices",
            Self::DeleteProducts => "DeleteProducts",
            Self::DeleteAccountPrices => "DeleteAccountPrices",
            Self::DeleteUsers => "DeleteUsers",
            Self::SetCategoryOnProducts => "SetCategoryOnProducts",
            Self::RemoveCategoryFromProducts => "RemoveCategoryFromProducts",
            Self::Orders => "Orders",
        }
    }

    /// Reads the text written by [`Section::as_str`]; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|section| section.as_str() == text)
    }

    /// The section of a JSON document that a sender means by a name: any case, and `Brand` for `Brands`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        if name.eq_ignore_ascii_case("Brand") {
            return Some(Self::Brands);
        }
        let is_meant =
            |section: &Self| *section != Self::Orders && section.as_str().eq_ignore_ascii_case(name);
        Self::ALL.into_iter().find(is_meant)
    }

    /// Whether its rows are items of the catalogue, which has a snapshot of it.
    #[must_use]
    pub const fn is_catalogue(self) -> bool {
        matches!(self, Self::Products | Self::Categories | Self::Brands | Self::AccountPrices)
    }

    /// Whether its rows tell about persons or accounts, so that no word of a row may be shown.
    #[must_use]
    pub const fn is_personal(self) -> bool {
        matches!(
            self,
            Self::Users | Self::DeleteUsers | Self::AccountPrices | Self::DeleteAccountPrices | Self::Orders
        )
    }

    /// Position in [`Section::ALL`].
    pub(super) const fn index(self) -> usize {
        self as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_in_any_case_and_the_store_text_exactly() {
        assert_eq!(Section::named("products"), Some(Section::Products));
        assert_eq!(Section::named("Brand"), Some(Section::Brands));
        assert_eq!(Section::named("Version"), None);
        assert_eq!(Section::named("Orders"), None);
        assert_eq!(Section::parse("products"), None);
        for (position, section) in Section::ALL.into_iter().enumerate() {
            assert_eq!(Section::parse(section.as_str()), Some(section));
            assert_eq!(section.index(), position);
        }
    }
}
