//! Recommenders one after the other, until there are enough products that may be shown.

use std::collections::HashSet;
use std::sync::Arc;

use super::context::RecommendContext;
use super::ranked::{Ranked, Reason, rank_items};
use super::request::{RecommendRequest, ShopperIdentity};
use crate::projections::models::ModelHandle;
use crate::recommend::bought_together_focus::BoughtTogetherFocus;
use crate::recommend::co_view::{also_viewed, most_viewed, most_viewed_of};
use crate::recommend::items::ItemNumber;
use crate::recommend::leave_one_out::OtherSessions;
use crate::recommend::recommender::Recommender;
use crate::recommend::session::{RecommendationReason, SessionRecommender};
use crate::search::engine::{
    Diversity, DiversityLimiter, ProductConstraints, ProductResult as Hit, SearchQuery,
};
use crate::search::index::IndexFault;
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::query::sort::Sort;

/// Most candidates of a session that are looked at; some may not be shown.
const RANKED: usize = 1000;
/// So many products like one are looked at.
const SIMILAR: usize = 200;

/// Inputs of a recommendation.
pub(crate) struct Recommending<'r> {
    /// The request.
    pub(crate) asked: &'r RecommendRequest,
    /// The products.
    pub(crate) snapshot: &'r IndexSnapshot,
    /// Conditions that the products have to meet.
    pub(crate) wanted: &'r ProductConstraints<'r>,
    /// Order of the products that are bought together.
    pub(crate) focus: BoughtTogetherFocus,
}

/// One recommender of a chain.
#[derive(Clone, Copy)]
pub(super) enum ChainStep {
    Session,
    AlsoViewed,
    Similar,
    MostViewed,
    InCategory,
    OfBrand,
    Newest,
    Own,
    ForYou,
    Together,
    AlsoBought,
    Again,
    BestSellers,
    Trending,
}

/// Steps of a recommender, taken in this order while too few products are found.
fn steps(recommender: Recommender) -> &'static [ChainStep] {
    use ChainStep::{
        Again, AlsoBought, AlsoViewed, BestSellers, ForYou, InCategory, MostViewed, Newest, OfBrand, Own,
        Session, Similar, Together, Trending,
    };
    match recommender {
        Recommender::Default => &[Session, Similar, MostViewed, Newest],
        Recommender::ForYou => &[ForYou, Session, Similar, MostViewed, Newest],
        Recommender::AlsoViewed => &[AlsoViewed, Similar, MostViewed, Newest],
        Recommender::AlsoBought => {
            &[AlsoBought, Together, AlsoViewed, Similar, BestSellers, MostViewed, Newest]
        }
        Recommender::BoughtTogether => {
            &[Together, AlsoBought, AlsoViewed, Similar, BestSellers, MostViewed, Newest]
        }
        Recommender::BestSellers => &[BestSellers, MostViewed, Newest],
        Recommender::Trending => &[Trending, MostViewed, Newest],
        Recommender::MostViewed => &[MostViewed, Newest],
        Recommender::Category => &[InCategory, Similar, MostViewed, Newest],
        Recommender::Brand => &[OfBrand, Similar, MostViewed, Newest],
        Recommender::Similar => &[Similar, MostViewed, Newest],
        Recommender::NewArrivals => &[Newest],
        Recommender::RecentlyViewed => &[Own],
        Recommender::BuyAgain => &[Again],
    }
}

/// Products that were found so far.
pub(super) struct PickedProducts<'f> {
    pub(super) items: Vec<(Hit, Reason)>,
    /// Ids of products that are not wanted again.
    pub(super) taken: HashSet<String>,
    /// Limiter of products per brand or category, if there is a limit.
    pub(super) spread: Option<DiversityLimiter<'f>>,
}

impl PickedProducts<'_> {
    pub(super) fn count_missing(&self, asked: &RecommendRequest) -> usize {
        asked.size - self.items.len()
    }
}

impl Recommending<'_> {
    /// The products, the best first. The model is asked for ids alone: who adds to it does not wait until they are
    /// looked up in the index.
    ///
    /// # Errors
    ///
    /// If a file of the index cannot be read.
    pub(crate) fn items(&self, model: &ModelHandle) -> Result<Vec<(Hit, Reason)>, IndexFault> {
        let asking = model.with_model(|model, _| RecommendContext::new(model, self.asked));
        let is_history = self.asked.recommender == Recommender::RecentlyViewed;
        let is_of_page = self.asked.knows_page && is_history;
        let newest = if is_of_page { self.asked.product.clone() } else { asking.newest().map(str::to_owned) };
        let mut taken: HashSet<_> = self.asked.exclude.iter().cloned().chain(newest).collect();
        // A history also shows products that are in the basket or bought.
        if !matches!(self.asked.recommender, Recommender::RecentlyViewed | Recommender::BuyAgain) {
            taken.extend(asking.basket.iter().cloned());
            taken.extend(asking.bought.iter().cloned());
        }
        let diversity = self.asked.diversity;
        let spread = (diversity != Diversity::default()).then(|| DiversityLimiter::new(diversity));
        let mut found = PickedProducts { items: Vec::new(), taken, spread };
        let steps = steps(self.asked.recommender);
        self.run_steps(steps, &asking, model, &mut found)?;
        if found.spread.take().is_some() {
            self.run_steps(steps, &asking, model, &mut found)?;
        }
        let is_row = found.items.len() >= self.asked.min;
        Ok(if is_row { found.items } else { Vec::new() })
    }

    pub(super) fn run_steps(
        &self,
        steps: &[ChainStep],
        asking: &RecommendContext<'_>,
        model: &ModelHandle,
        found: &mut PickedProducts<'_>,
    ) -> Result<(), IndexFault> {
        for step in steps {
            if found.count_missing(self.asked) > 0 {
                self.run_step(*step, asking, model, found)?;
            }
        }
        Ok(())
    }

    fn run_step(
        &self,
        step: ChainStep,
        asking: &RecommendContext<'_>,
        model: &ModelHandle,
        found: &mut PickedProducts<'_>,
    ) -> Result<(), IndexFault> {
        match step {
            ChainStep::Session => {
                let best = |most: usize| {
                    model.with_model(|model, recommender| {
                        let others = asking.other_sessions(model);
                        rank_by_session(recommender, &others, asking, most, |_| true)
                    })
                };
                self.add_best(found, best, |why| asking.because(code_of(why)))
            }
            ChainStep::AlsoViewed => {
                let Some(newest) = asking.newest() else { return Ok(()) };
                let beside = |others: OtherSessions<'_>, most| {
                    rank_items(&others, also_viewed(&others, newest, most, |_| true))
                };
                let best = |most| model.with_model(|model, _| beside(asking.other_sessions(model), most));
                self.add_best(found, best, |_| asking.because("also_viewed"))
            }
            ChainStep::Similar => {
                let Some(newest) = asking.newest() else { return Ok(()) };
                let rules = self.wanted.rules.map(Arc::as_ref);
                let like = self.snapshot.similar(newest, SIMILAR, rules, self.wanted.caller)?;
                self.add(found, ids_of(&like), |()| asking.because("similar"))
            }
            ChainStep::ForYou => {
                let best = |most: usize| {
                    model.with_model(|model, recommender| asking.for_you(model, recommender, most))
                };
                self.add_best(found, best, |()| Reason { code: "for_you", product: None })
            }
            ChainStep::Together => {
                let best = |most| model.with_model(|model, _| asking.together(model, self.focus, most));
                self.add_best(found, best, |()| asking.because_of_basket("bought_together"))
            }
            ChainStep::AlsoBought => {
                let best = |most| model.with_model(|model, _| asking.also_bought(model, most));
                self.add_best(found, best, |()| asking.because_of_basket("also_bought"))
            }
            ChainStep::Again => {
                let best = |most| model.with_model(|model, _| asking.buy_again(model, most));
                self.add_best(found, best, |()| Reason { code: "bought_before", product: None })
            }
            ChainStep::BestSellers => {
                let best = |most| model.with_model(|model, _| asking.best_sellers(model, most));
                self.add_best(found, best, |()| Reason { code: "best_seller", product: None })
            }
            ChainStep::Trending => {
                let best = |most| model.with_model(|model, _| asking.trending(model, most));
                self.add_best(found, best, |()| Reason { code: "trending", product: None })
            }
            ChainStep::MostViewed => self.add_most_viewed(asking, model, found),
            ChainStep::InCategory | ChainStep::OfBrand => self.add_within_group(step, asking, model, found),
            ChainStep::Newest => self.add_newest(found, &Reason { code: "newest", product: None }),
            ChainStep::Own => {
                let is_known = matches!(self.asked.shopper, ShopperIdentity::Known(_));
                let newest_first = model.with_model(|model, _| asking.viewed_products(model, is_known));
                let newest_first = newest_first.iter().map(|id| (id.as_str(), ()));
                self.add(found, newest_first, |()| Reason { code: "viewed_before", product: None })
            }
        }
    }

    /// Adds the best that `best` ranks: it is asked for few at first, and for more if too many of these may not be
    /// shown.
    fn add_best<T: Copy>(
        &self,
        found: &mut PickedProducts<'_>,
        best: impl Fn(usize) -> Ranked<T>,
        reason: impl Fn(T) -> Reason,
    ) -> Result<(), IndexFault> {
        let few = self.few(found);
        for most in [few, RANKED.max(few)] {
            let ranked = best(most);
            self.add(found, ranked.iter().map(|(id, beside)| (&**id, *beside)), &reason)?;
            let are_all = ranked.len() < most;
            if found.count_missing(self.asked) == 0 || are_all {
                break;
            }
        }
        Ok(())
    }

    /// Number of candidates that is mostly enough, though some may not be shown. Where few of a kind are wanted,
    /// others may rank far below the first.
    pub(super) fn few(&self, found: &PickedProducts<'_>) -> usize {
        let few = found.taken.len() + 2 * found.count_missing(self.asked);
        if found.spread.is_some() { RANKED.max(few) } else { few }
    }

    /// Adds the most viewed products: the first of all, and if they are not enough, the first that may be shown.
    fn add_most_viewed(
        &self,
        asking: &RecommendContext<'_>,
        model: &ModelHandle,
        found: &mut PickedProducts<'_>,
    ) -> Result<(), IndexFault> {
        let reason = |_| Reason { code: "most_viewed", product: None };
        let few = self.few(found);
        let best = |others: OtherSessions<'_>| rank_items(&others, most_viewed(&others, few, |_| true));
        let first = model.with_model(|model, _| best(asking.other_sessions(model)));
        self.add(found, first.iter().map(|(id, item)| (&**id, *item)), reason)?;
        let are_all = first.len() < few;
        if found.count_missing(self.asked) == 0 || are_all {
            return Ok(());
        }
        self.add_most_viewed_of_shown(asking, model, found, &reason)
    }

    /// Adds the most viewed of all products that may be shown.
    fn add_most_viewed_of_shown(
        &self,
        asking: &RecommendContext<'_>,
        model: &ModelHandle,
        found: &mut PickedProducts<'_>,
        reason: &impl Fn(ItemNumber) -> Reason,
    ) -> Result<(), IndexFault> {
        let few = self.few(found);
        let shown = self.snapshot.all_chosen(self.wanted)?;
        let of_shown = |others: OtherSessions<'_>| {
            let items: Vec<ItemNumber> = shown.iter().filter_map(|id| others.item(id)).collect();
            rank_items(&others, most_viewed_of(&others, items.into_iter(), few))
        };
        let rest = model.with_model(|model, _| of_shown(asking.other_sessions(model)));
        self.add(found, rest.iter().map(|(id, item)| (&**id, *item)), reason)
    }

    /// Adds new products of the shop; the first query assumes that little of it is taken.
    pub(super) fn add_newest(
        &self,
        found: &mut PickedProducts<'_>,
        reason: &Reason,
    ) -> Result<(), IndexFault> {
        let left = found.count_missing(self.asked);
        // Behind many of one kind there may be others.
        let all = if found.spread.is_some() { RANKED } else { left + found.taken.len() };
        for size in [2 * left, all] {
            let filters = self.wanted.filters.clone();
            let rules = self.wanted.rules.cloned();
            let request = SearchQuery { size, filters, rules, sort: Sort::Newest, ..SearchQuery::default() };
            let newest = self.snapshot.search(&request, self.wanted.caller)?.items;
            self.add(found, ids_of(&newest), |()| reason.clone())?;
            let are_all = newest.len() < size;
            if found.count_missing(self.asked) == 0 || are_all {
                break;
            }
        }
        Ok(())
    }

    /// Adds those of products, by their ids, that may be shown and are not there yet, each with its reason.
    pub(super) fn add<'i, T>(
        &self,
        found: &mut PickedProducts<'_>,
        named: impl Iterator<Item = (&'i str, T)>,
        reason: impl Fn(T) -> Reason,
    ) -> Result<(), IndexFault> {
        let mut seen = HashSet::new();
        let left = found.count_missing(self.asked);
        let fresh = named.filter(|(id, _)| !found.taken.contains(*id) && seen.insert(*id));
        let chosen = self.snapshot.select_products(fresh, left, self.wanted, found.spread.as_mut())?;
        for (item, beside) in chosen {
            found.taken.insert(item.id.clone());
            found.items.push((item, reason(beside)));
        }
        Ok(())
    }
}

/// Ranks the items that the session calls for, each with the reason.
pub(super) fn rank_by_session(
    recommender: &mut SessionRecommender,
    others: &OtherSessions<'_>,
    asking: &RecommendContext<'_>,
    most: usize,
    is_wanted: impl Fn(ItemNumber) -> bool,
) -> Ranked<RecommendationReason> {
    let scored = recommender.recommend(others, &asking.clicks, most, is_wanted);
    let why = |(id, item)| (id, recommender.explain(others, item, &asking.clicks));
    rank_items(others, scored).into_iter().map(why).collect()
}

fn ids_of(items: &[Hit]) -> impl Iterator<Item = (&str, ())> {
    items.iter().map(|item| (item.id.as_str(), ()))
}

pub(super) fn code_of(why: RecommendationReason) -> &'static str {
    match why {
        RecommendationReason::ViewedBefore => "viewed_before",
        RecommendationReason::Next => "viewed_next",
        RecommendationReason::Alike => "alike_sessions",
        RecommendationReason::Near => "viewed_near",
    }
}

#[cfg(test)]
mod tests;
