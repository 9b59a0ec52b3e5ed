//! Popularity boosts for searches, from the model of the recommendations.

use std::sync::Arc;

use super::context::RecommendContext;
use super::request::RecommendRequest;
use crate::accounts::KnownAccount;
use crate::node::Node;
use crate::projections::models::ModelHandle as Model;
use crate::recommend::fixed_point::{FixedPoint, ONE};
use crate::recommend::popularity::{called_for, most_called_for, most_popular, popular};
use crate::search::query::boosts::{PopularitySignal, ShopperRatings};

/// Question of a search to a model.
struct OfModel {
    model: Model,
    /// True if products that many like count.
    is_popular: bool,
    /// The searcher, as they would ask for recommendations.
    who: RecommendRequest,
}

impl PopularitySignal for OfModel {
    fn most_liked(&self) -> Vec<String> {
        let mut most: Vec<_> = self.model.with_model(|model, recommender| {
            let popular = if self.is_popular { most_popular(model) } else { Vec::new() };
            let asking = RecommendContext::new(model, &self.who);
            let called = most_called_for(&asking.other_sessions(model), recommender, &asking.clicks);
            popular.into_iter().chain(called).map(str::to_owned).collect()
        });
        most.sort_unstable();
        most.dedup();
        most
    }

    fn rate_products(&self, ids: &[&str]) -> Vec<ShopperRatings> {
        let nothing = || vec![0; ids.len()];
        let (popular, personal) = self.model.with_model(|model, recommender| {
            let popular = if self.is_popular { popular(model, ids) } else { nothing() };
            let asking = RecommendContext::new(model, &self.who);
            let clicks = &asking.clicks;
            let is_known = !clicks.is_empty();
            let personal = if is_known {
                called_for(&asking.other_sessions(model), recommender, clicks, ids)
            } else {
                nothing()
            };
            (popular, personal)
        });
        let part = |share: FixedPoint| share as f64 / ONE as f64;
        let liked = |(popular, personal)| ShopperRatings { popular: part(popular), personal: part(personal) };
        popular.into_iter().zip(personal).map(liked).collect()
    }
}

/// Preferences of shoppers, unless the shop does not want them to count. A search waits for no model: while it is made,
/// or if it cannot be made, they do not count.
pub(crate) fn popularity_signal(
    node: &Node,
    known: &KnownAccount,
    is_popular: bool,
    who: RecommendRequest,
) -> Option<Arc<dyn PopularitySignal>> {
    if !known.search.popularity {
        return None;
    }
    let model = node.derived.models().shown_if_made(known.account.id)?;
    Some(Arc::new(OfModel { model, is_popular, who }))
}
