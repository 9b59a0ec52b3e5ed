//! Recommenders one after the other, until there are enough products that may be shown.

use std::collections::HashSet;
use std::sync::Arc;

use super::question::{RecommendRequest, Recommender};
use crate::recommend::best::Scored;
use crate::recommend::model::Model;
use crate::recommend::others::Others;
use crate::recommend::session::{SessionRecommender, Why};
use crate::recommend::viewed::{also_viewed, most_viewed};
use crate::search::engine::{Item, Request, Snapshot, Wanted};
use crate::search::index::IndexFault;
use crate::search::query::sort::Sort;

/// So many are put in order, of which not all may be shown.
const RANKED: usize = 1000;
/// So many products like one are looked at.
const SIMILAR: usize = 200;

/// Why a product is recommended.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Reason {
    /// `viewed_before`: the shopper looked at it. `viewed_next`: others did so right after `Product`. `alike_sessions`:
    /// sessions like this one hold it. `viewed_near`: it stands near what others looked at beside `Product`.
    /// `also_viewed`: others looked at it shortly before or after `Product`. `similar`: it is like `Product`.
    /// `most_viewed`: many looked at it. `newest`: the shop shows it since not long ago.
    code: &'static str,
    /// The product that the shopper looked at last, where that is why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    product: Option<String>,
}

/// What a recommendation is made of.
pub(super) struct Recommending<'r> {
    /// What is asked for.
    pub(super) asked: &'r RecommendRequest,
    /// The products.
    pub(super) snapshot: &'r Snapshot,
    /// What they have to be.
    pub(super) wanted: &'r Wanted<'r>,
}

/// A session that asks.
struct Asking<'m> {
    others: Others<'m>,
    /// The ids of what it clicked, the newest last.
    clicks: Vec<String>,
}

impl<'m> Asking<'m> {
    fn of(model: &'m Model, asked: &RecommendRequest) -> Self {
        let history = model.views();
        let session = asked.session.and_then(|id| history.session(id));
        let slot = session.and_then(|session| history.slot_of(session));
        match (session, slot) {
            (Some(session), Some(slot)) if asked.items.is_empty() => {
                let clicks = history.clicks(slot).iter().map(|item| history.id(*item).to_owned()).collect();
                Self { others: Others::than(history, session), clicks }
            }
            _ => Self { others: Others::all(history), clicks: asked.items.clone() },
        }
    }

    fn newest(&self) -> Option<&str> {
        self.clicks.last().map(String::as_str)
    }

    fn because(&self, code: &'static str) -> Reason {
        Reason { code, product: self.newest().map(str::to_owned) }
    }

    /// Items by their ids.
    fn named(&self, scored: Vec<Scored>) -> impl Iterator<Item = (&str, u32)> {
        scored.into_iter().map(|(_, item)| (self.others.history().id(item), item))
    }
}

/// One recommender of a chain.
#[derive(Clone, Copy)]
enum Step {
    Session,
    AlsoViewed,
    Similar,
    MostViewed,
    Newest,
    Own,
}

impl Recommender {
    /// What is asked, in this order, while too few are found.
    fn steps(self) -> &'static [Step] {
        match self {
            Self::Default => &[Step::Session, Step::Similar, Step::MostViewed, Step::Newest],
            Self::AlsoViewed => &[Step::AlsoViewed, Step::Similar, Step::MostViewed, Step::Newest],
            Self::MostViewed => &[Step::MostViewed, Step::Newest],
            Self::Similar => &[Step::Similar, Step::MostViewed, Step::Newest],
            Self::NewArrivals => &[Step::Newest],
            Self::RecentlyViewed => &[Step::Own],
        }
    }
}

/// What was found so far.
struct Found {
    items: Vec<(Item, Reason)>,
    /// Ids of products that are not wanted again.
    taken: HashSet<String>,
}

impl Recommending<'_> {
    /// The products, the best first.
    ///
    /// # Errors
    ///
    /// If a file of the index cannot be read.
    pub(super) fn items(
        &self,
        model: &Model,
        recommender: &mut SessionRecommender,
    ) -> Result<Vec<(Item, Reason)>, IndexFault> {
        let asking = Asking::of(model, self.asked);
        let newest = asking.newest().map(str::to_owned);
        let taken = self.asked.exclude.iter().cloned().chain(newest).collect();
        let mut found = Found { items: Vec::new(), taken };
        for step in self.asked.recommender.steps() {
            if found.items.len() < self.asked.size {
                self.ask(*step, &asking, recommender, &mut found)?;
            }
        }
        Ok(found.items)
    }

    fn ask(
        &self,
        step: Step,
        asking: &Asking<'_>,
        recommender: &mut SessionRecommender,
        found: &mut Found,
    ) -> Result<(), IndexFault> {
        let Asking { others, clicks } = asking;
        match step {
            Step::Session => {
                let scored = recommender.recommend(others, clicks, RANKED, |_| true);
                let why = |item| asking.because(code_of(recommender.why(others, item, clicks)));
                self.add(found, asking.named(scored), why)
            }
            Step::AlsoViewed => {
                let beside = |newest| also_viewed(others, newest, RANKED, |_| true);
                let scored = asking.newest().map(beside).unwrap_or_default();
                self.add(found, asking.named(scored), |_| asking.because("also_viewed"))
            }
            Step::Similar => {
                let Some(newest) = asking.newest() else { return Ok(()) };
                let like = self.snapshot.similar(
                    newest,
                    SIMILAR,
                    self.wanted.rules.map(Arc::as_ref),
                    self.wanted.caller,
                )?;
                self.add(found, ids_of(&like), |()| asking.because("similar"))
            }
            Step::MostViewed => {
                let scored = most_viewed(others, RANKED, |_| true);
                self.add(found, asking.named(scored), |_| Reason { code: "most_viewed", product: None })
            }
            Step::Newest => {
                let size = self.asked.size + found.taken.len();
                let filters = self.wanted.filters.clone();
                let rules = self.wanted.rules.cloned();
                let request = Request { size, filters, rules, sort: Sort::Newest, ..Request::default() };
                let newest = self.snapshot.search(&request, self.wanted.caller)?.items;
                self.add(found, ids_of(&newest), |()| Reason { code: "newest", product: None })
            }
            Step::Own => {
                let newest_first = clicks.iter().rev().map(|id| (id.as_str(), ()));
                self.add(found, newest_first, |()| Reason { code: "viewed_before", product: None })
            }
        }
    }

    /// Adds those of products, by their ids, that may be shown and are not there yet, each with its reason.
    fn add<'i, T>(
        &self,
        found: &mut Found,
        named: impl Iterator<Item = (&'i str, T)>,
        reason: impl Fn(T) -> Reason,
    ) -> Result<(), IndexFault> {
        let mut seen = HashSet::new();
        let fresh = named.filter(|(id, _)| !found.taken.contains(*id) && seen.insert(*id));
        let left = self.asked.size - found.items.len();
        let chosen = self.snapshot.chosen(fresh, left, self.wanted)?;
        for (item, beside) in chosen {
            found.taken.insert(item.id.clone());
            found.items.push((item, reason(beside)));
        }
        Ok(())
    }
}

fn ids_of(items: &[Item]) -> impl Iterator<Item = (&str, ())> {
    items.iter().map(|item| (item.id.as_str(), ()))
}

fn code_of(why: Why) -> &'static str {
    match why {
        Why::ViewedBefore => "viewed_before",
        Why::Next => "viewed_next",
        Why::Alike => "alike_sessions",
        Why::Near => "viewed_near",
    }
}
