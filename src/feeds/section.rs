//! The sections of a catalogue, and the parts that a document may have; their names on the wire and in the store.

/// A section of a catalogue: a kind of items, with a snapshot of its own.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Debug,
    serde::Serialize,
    serde::Deserialize,
    utoipa::ToSchema,
)]
pub enum Section {
    /// Products, the complete catalogue in a feed, single replacements in a delta.
    Products,
    /// Categories.
    Categories,
    /// Brands; some senders write `Brand`.
    Brands,
    /// Prices agreed with one account for one product.
    AccountPrices,
}

impl Section {
    /// Every section, in the order of the enum.
    pub const ALL: [Self; 4] = [Self::Products, Self::Categories, Self::Brands, Self::AccountPrices];

    /// The name as documented; also the text in the store.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Products => "Products",
            Self::Categories => "Categories",
            Self::Brands => "Brands",
            Self::AccountPrices => "AccountPrices",
        }
    }

    /// Reads the text written by [`Section::as_str`]; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|section| section.as_str() == text)
    }

    /// Returns true if its rows name accounts: no word of such a row may be shown.
    #[must_use]
    pub const fn is_personal(self) -> bool {
        matches!(self, Self::AccountPrices)
    }
}

/// One list of rows in a document: a feed, a delta or an order file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FeedPart {
    /// Items of a section.
    Items(Section),
    /// Profiles of people.
    Users,
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
    /// Delta only: members of single variants.
    SetVariants,
    /// Delta only: variants to remove.
    DeleteVariants,
    /// Lines of an order file, which is CSV: no part of a JSON document has this name.
    Orders,
}

impl FeedPart {
    /// Items of [`Section::Products`].
    pub const PRODUCTS: Self = Self::Items(Section::Products);
    /// Items of [`Section::Categories`].
    pub const CATEGORIES: Self = Self::Items(Section::Categories);
    /// Items of [`Section::Brands`].
    pub const BRANDS: Self = Self::Items(Section::Brands);
    /// Items of [`Section::AccountPrices`].
    pub const ACCOUNT_PRICES: Self = Self::Items(Section::AccountPrices);

    /// Every part; those of a feed come first.
    pub const ALL: [Self; 13] = [
        Self::PRODUCTS,
        Self::CATEGORIES,
        Self::BRANDS,
        Self::ACCOUNT_PRICES,
        Self::Users,
        Self::DeleteProducts,
        Self::DeleteAccountPrices,
        Self::DeleteUsers,
        Self::SetCategoryOnProducts,
        Self::RemoveCategoryFromProducts,
        Self::SetVariants,
        Self::DeleteVariants,
        Self::Orders,
    ];

    /// The section of the catalogue whose items these are.
    #[must_use]
    pub const fn section(self) -> Option<Section> {
        if let Self::Items(section) = self { Some(section) } else { None }
    }

    /// The name as documented; also the text in the store.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Items(section) => section.as_str(),
            Self::Users => "Users",
            Self::DeleteProducts => "DeleteProducts",
            Self::DeleteAccountPrices => "DeleteAccountPrices",
            Self::DeleteUsers => "DeleteUsers",
            Self::SetCategoryOnProducts => "SetCategoryOnProducts",
            Self::RemoveCategoryFromProducts => "RemoveCategoryFromProducts",
            Self::SetVariants => "SetVariants",
            Self::DeleteVariants => "DeleteVariants",
            Self::Orders => "Orders",
        }
    }

    /// Reads the text written by [`FeedPart::as_str`]; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.as_str() == text)
    }

    /// Returns true if its rows describe persons or accounts: no word of such a row may be shown.
    #[must_use]
    pub const fn is_personal(self) -> bool {
        match self {
            Self::Items(section) => section.is_personal(),
            Self::Users | Self::DeleteUsers | Self::DeleteAccountPrices | Self::Orders => true,
            Self::DeleteProducts
            | Self::SetCategoryOnProducts
            | Self::RemoveCategoryFromProducts
            | Self::SetVariants
            | Self::DeleteVariants => false,
        }
    }

    /// Position in [`FeedPart::ALL`].
    pub(super) fn index(self) -> usize {
        Self::ALL.iter().position(|part| *part == self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_in_any_case_and_the_store_text_exactly() {
        assert_eq!(FeedPart::parse_lenient("products"), Some(FeedPart::PRODUCTS));
        assert_eq!(
            (FeedPart::parse_lenient("Brand"), Section::parse_lenient("brand")),
            (Some(FeedPart::BRANDS), Some(Section::Brands))
        );
        assert_eq!((FeedPart::parse_lenient("Version"), Section::parse_lenient("Users")), (None, None));
        assert_eq!(FeedPart::parse_lenient("Orders"), None);
        assert_eq!(FeedPart::parse("products"), None);
        for (position, part) in FeedPart::ALL.into_iter().enumerate() {
            assert_eq!(FeedPart::parse(part.as_str()), Some(part));
            assert_eq!(part.index(), position);
        }
        for section in Section::ALL {
            assert_eq!(Section::parse(section.as_str()), Some(section));
            assert_eq!(FeedPart::Items(section).section(), Some(section));
        }
    }
}
