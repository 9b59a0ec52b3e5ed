//! Recommenders, and their names on the wire.

use serde::{Deserialize, Serialize};

/// Basis of a recommendation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recommender {
    /// Products that sessions like this one call for.
    #[default]
    Default,
    /// Products that others viewed shortly before or after the newest item.
    AlsoViewed,
    /// Products that others viewed most.
    MostViewed,
    /// Products most like the newest item.
    Similar,
    /// Products in the category of the newest item: those that the session calls for, then the most viewed.
    Category,
    /// Products of the brand of the newest item, in the same order.
    Brand,
    /// Products that the shop began to show in the latest days.
    NewArrivals,
    /// Products that the shopper viewed before.
    RecentlyViewed,
    /// Products that the shopper's whole history calls for, not this session alone.
    ForYou,
    /// Products that are ordered with the newest of `Items`, or with the products in the basket.
    BoughtTogether,
    /// Products that buyers of those bought as well.
    AlsoBought,
    /// Products that the shopper bought before.
    BuyAgain,
    /// Products in the most orders.
    BestSellers,
    /// Products that are viewed more than they were.
    Trending,
}

impl Recommender {
    /// All recommenders.
    pub const ALL: [Self; 14] = [
        Self::Default,
        Self::AlsoViewed,
        Self::MostViewed,
        Self::Similar,
        Self::Category,
        Self::Brand,
        Self::NewArrivals,
        Self::RecentlyViewed,
        Self::ForYou,
        Self::BoughtTogether,
        Self::AlsoBought,
        Self::BuyAgain,
        Self::BestSellers,
        Self::Trending,
    ];

    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::AlsoViewed => "also_viewed",
            Self::MostViewed => "most_viewed",
            Self::Similar => "similar",
            Self::Category => "category",
            Self::Brand => "brand",
            Self::NewArrivals => "new_arrivals",
            Self::RecentlyViewed => "recently_viewed",
            Self::ForYou => "for_you",
            Self::BoughtTogether => "bought_together",
            Self::AlsoBought => "also_bought",
            Self::BuyAgain => "buy_again",
            Self::BestSellers => "best_sellers",
            Self::Trending => "trending",
        }
    }

    /// The recommender of a name, in any case; `None` for any other.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name().eq_ignore_ascii_case(name))
    }
}
