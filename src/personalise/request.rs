//! Request for recommendations, and its shopper.

use serde_json::Value;

use crate::recommend::model::Person;
use crate::recommend::recommender::Recommender;
use crate::search::engine::Diversity;
use crate::search::pricing::Currency;

/// A question for recommendations.
#[derive(utoipa::ToSchema, Default)]
pub struct RecommendRequest {
    /// By what: `default`, `for_you`, `also_viewed`, `similar`, `bought_together`, `also_bought`, `best_sellers`,
    /// `trending`, `most_viewed`, `category`, `brand`, `new_arrivals`, `recently_viewed`, `buy_again`. Where one finds
    /// too few, others follow; the last two stand alone.
    #[schema(rename = "Recommender", required = false, value_type = String)]
    pub recommender: Recommender,
    /// Ids of the products that the shopper looked at, the newest last; the newest is not recommended.
    #[schema(rename = "Items", required = false, example = json!(["4711"]))]
    pub items: Vec<String>,
    /// The session, as the answer to events names it: without `Items` its events count; they are excluded from the
    /// statistics.
    #[schema(rename = "SessionId", required = false, value_type = String)]
    pub session: Option<u128>,
    /// The product of the page: it counts as the last one viewed, whatever else is known.
    #[schema(rename = "Product", required = false, value_type = String)]
    pub product: Option<String>,
    /// The shopper, if known otherwise than by a session.
    #[schema(ignore)]
    pub shopper: ShopperIdentity,
    /// True if `product` is that of the page, and `None` means that the page has none: then no product is left out of
    /// the recently viewed ones.
    #[schema(ignore)]
    pub knows_page: bool,
    /// Ids of the products in the basket now, if the caller knows it better than the session's events.
    #[schema(rename = "Basket", required = false, value_type = Vec<String>)]
    pub basket: Option<Vec<String>>,
    /// Ids of unwanted products; those in the session's basket are left out anyway.
    #[schema(rename = "Exclude", required = false)]
    pub exclude: Vec<String>,
    /// True to leave out the purchases of the session's shopper too; by default they stay.
    #[schema(rename = "ExcludeBought", required = false)]
    pub exclude_bought: bool,
    /// Number of products; by default 12.
    #[schema(rename = "Size", required = false, minimum = 1, maximum = 100)]
    pub size: usize,
    /// With fewer products than this the answer has none: a page shows a full row, or no row.
    #[schema(rename = "Min", required = false, minimum = 0, maximum = 100)]
    pub min: usize,
    /// `Brand`, `Category`: most products of one, as long as there are others.
    #[schema(rename = "Diversity", required = false, value_type = Object, example = json!({"Brand": 2}))]
    pub diversity: Diversity,
    /// Conditions that the products have to meet, as in a search.
    #[schema(rename = "Filters", required = false, value_type = Object)]
    pub filters: Value,
    /// Three letters: of prices.
    #[schema(rename = "Currency", required = false, value_type = String, pattern = "^[A-Z]{3}$")]
    pub currency: Option<Currency>,
    /// Fields of a product to answer, `*` for all; by default those of a card, as in a search.
    #[schema(rename = "Fields", required = false)]
    pub fields: Vec<String>,
}

/// The shopper of the request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ShopperIdentity {
    /// A session, if one is named, or an unknown shopper.
    #[default]
    Unknown,
    /// A person whose history counts.
    Known(Person),
    /// A person whose history is not read: it is only excluded from the statistics.
    LeftOut(Person),
}
