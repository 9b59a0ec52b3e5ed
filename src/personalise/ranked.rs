//! Ranked items, and the reason of a recommendation.

use std::sync::Arc;

use crate::recommend::items::ItemNumber;
use crate::recommend::leave_one_out::OtherSessions;
use crate::recommend::top_k::ScoredItem;

/// Reason why a product is recommended.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Reason {
    /// `viewed_before`: the shopper looked at it. `viewed_next`: others did so right after `Product`.
    /// `alike_sessions`: sessions like this one hold it. `viewed_near`: it is near products that others viewed
    /// together with `Product`. `also_viewed`: others looked at it shortly before or after `Product`. `similar`: it is
    /// like `Product`. `most_viewed`: many looked at it. `bought_together`: it is ordered, or lies in baskets, with
    /// `Product` or with the products in the basket. `also_bought`: buyers of those bought it as well. `for_you`: it
    /// fits the shopper's whole history. `bought_before`: the shopper bought it. `best_seller`: it is in many orders.
    /// `trending`: it is looked at more than it was. `in_category`, `of_brand`: it is in the category, or of the
    /// brand, of `Product`, and fits the session, or many looked at it, or it is new. `newest`: it is new in the shop.
    pub(crate) code: &'static str,
    /// The product that the shopper looked at last, where that is why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub(super) product: Option<String>,
}

/// Products by their ids, the best first, each with something that goes with it.
pub(super) type Ranked<T> = Vec<(Arc<str>, T)>;

pub(super) fn rank_items(others: &OtherSessions<'_>, scored: Vec<ScoredItem>) -> Ranked<ItemNumber> {
    scored.into_iter().map(|(_, item)| (others.history().shared_id(item), item)).collect()
}
