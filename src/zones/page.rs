//! The page that a shopper views.

use serde::{Deserialize, Serialize};

/// Subject of a page. Ids are the catalogue's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ZonePage {
    /// Its kind, if that is known.
    pub kind: Option<PageKind>,
    /// Its product.
    pub product: Option<String>,
    /// Its category.
    pub category: Option<String>,
    /// Its brand.
    pub brand: Option<String>,
}

/// A kind of page, as the clients name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PageKind {
    /// The first page of the shop.
    Homepage,
    /// Results of a search.
    SearchResults,
    /// Categories of a category.
    CategoryListingPage,
    /// Products of a category.
    ProductListingPage,
    /// One product.
    ProductPage,
    /// Something was put into the basket.
    AddedToBasket,
    /// The basket.
    BasketPage,
    /// An order was made.
    OrderCompletePage,
    /// Recommendations for the shopper.
    MyRecommendations,
    /// The shopper's account.
    MyAccount,
    /// A text.
    ContentPage,
    /// Page to which an advertisement leads.
    LandingPage,
}

impl PageKind {
    /// The kind with this name, in any case; `None` for any other.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        serde_json::from_value(name.trim().to_ascii_lowercase().into()).ok()
    }
}

impl ZonePage {
    /// The page, completed by another where this one is empty.
    #[must_use]
    pub fn completed_by(self, other: Self) -> Self {
        Self {
            kind: self.kind.or(other.kind),
            product: self.product.or(other.product),
            category: self.category.or(other.category),
            brand: self.brand.or(other.brand),
        }
    }
}
