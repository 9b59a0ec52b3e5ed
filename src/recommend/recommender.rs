//! By what products are recommended, and the names of it on the wire.

use serde::{Deserialize, Serialize};

/// By what is recommended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recommender {
    /// What sessions like this one call for.
    #[default]
    Default,
    /// What others looked at beside the newest item.
    AlsoViewed,
    /// What others looked at most.
    MostViewed,
    /// What is most like the newest item.
    Similar,
    /// What others looked at most in the category of the newest item.
    Category,
    /// What others looked at most of the brand of the newest item.
    Brand,
    /// What the shop shows since the latest days.
    NewArrivals,
    /// What the shopper looked at before.
    RecentlyViewed,
    /// What all that the shopper did calls for, not this session alone.
    ForYou,
    /// What is ordered with the newest of `Items`, or with what is in the basket.
    BoughtTogether,
    /// What whoever bought that bought as well.
    AlsoBought,
    /// What the shopper bought before.
    BuyAgain,
    /// What is in most orders.
    BestSellers,
    /// What is looked at more than it was.
    Trending,
}

impl Recommender {
    /// All of them.
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

    /// The one of a name, in any case; `None` for any other.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name().eq_ignore_ascii_case(name))
    }
}
