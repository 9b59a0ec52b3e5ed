//! Recommenders one after the other, until there are enough products that may be shown.

use std::collections::HashSet;

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

/// A product with its reason, before it is known whether it may be shown.
type Named = (String, Reason);

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
    model: &'m Model,
    others: Others<'m>,
    /// The ids of what it clicked, the newest last.
    clicks: Vec<String>,
}

impl<'m> Asking<'m> {
    fn of(model: &'m Model, asked: &RecommendRequest) -> Self {
        let history = model.history();
        let session = asked.session.and_then(|id| history.session(id));
        let slot = session.and_then(|session| history.slot_of(session));
        match (session, slot) {
            (Some(session), Some(slot)) if asked.items.is_empty() => {
                let clicks = history.clicks(slot).iter().map(|item| history.id(*item).to_owned()).collect();
                Self { model, others: Others::than(history, session), clicks }
            }
            _ => Self { model, others: Others::all(history), clicks: asked.items.clone() },
        }
    }

    fn newest(&self) -> Option<&str> {
        self.clicks.last().map(String::as_str)
    }

    fn because(&self, code: &'static str) -> Reason {
        Reason { code, product: self.newest().map(str::to_owned) }
    }

    fn named(&self, scored: Vec<Scored>, reason: impl Fn(u32) -> Reason) -> Vec<Named> {
        let id = |item| self.model.history().id(item).to_owned();
        scored.into_iter().map(|(_, item)| (id(item), reason(item))).collect()
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
        let mut taken: HashSet<String> = self.asked.exclude.iter().cloned().chain(newest).collect();
        let mut found = Vec::new();
        for step in self.asked.recommender.steps() {
            if found.len() == self.asked.size {
                break;
            }
            let mut named = self.named(*step, &asking, recommender)?;
            named.retain(|(id, _)| !taken.contains(id));
            let left = self.asked.size - found.len();
            let each = named.iter().map(|(id, reason)| (id.as_str(), reason.clone()));
            let chosen = self.snapshot.chosen(each, left, self.wanted)?;
            taken.extend(chosen.iter().map(|(item, _)| item.id.clone()));
            found.extend(chosen);
        }
        Ok(found)
    }

    fn named(
        &self,
        step: Step,
        asking: &Asking<'_>,
        recommender: &mut SessionRecommender,
    ) -> Result<Vec<Named>, IndexFault> {
        let Asking { model, others, clicks } = asking;
        Ok(match step {
            Step::Session => {
                let scored = recommender.recommend(others, clicks, RANKED, |_| true);
                asking.named(scored, |item| asking.because(code_of(recommender.why(others, item, clicks))))
            }
            Step::AlsoViewed => {
                let beside = |newest| also_viewed(others, newest, RANKED, |_| true);
                let scored = asking.newest().map(beside).unwrap_or_default();
                asking.named(scored, |_| asking.because("also_viewed"))
            }
            Step::Similar => self.similar(asking)?,
            Step::MostViewed => {
                let scored = most_viewed(model.history(), RANKED, |_| true);
                asking.named(scored, |_| Reason { code: "most_viewed", product: None })
            }
            Step::Newest => self.newest()?,
            Step::Own => {
                let viewed = || Reason { code: "viewed_before", product: None };
                let mut seen = HashSet::new();
                let newest_first = clicks.iter().rev().filter(|id| seen.insert(id.as_str()));
                newest_first.map(|id| (id.clone(), viewed())).collect()
            }
        })
    }

    fn similar(&self, asking: &Asking<'_>) -> Result<Vec<Named>, IndexFault> {
        let Some(newest) = asking.newest() else { return Ok(Vec::new()) };
        let items = self.snapshot.similar(newest, SIMILAR, self.wanted.rules, self.wanted.caller)?;
        Ok(items.into_iter().map(|item| (item.id, asking.because("similar"))).collect())
    }

    fn newest(&self) -> Result<Vec<Named>, IndexFault> {
        let size = self.asked.size + self.asked.exclude.len() + RANKED;
        let filters = self.wanted.filters.clone();
        let request = Request { size, filters, sort: Sort::Newest, ..Request::default() };
        let items = self.snapshot.search(&request, self.wanted.caller)?.items;
        let reason = || Reason { code: "newest", product: None };
        Ok(items.into_iter().map(|item| (item.id, reason())).collect())
    }
}

fn code_of(why: Why) -> &'static str {
    match why {
        Why::ViewedBefore => "viewed_before",
        Why::Next => "viewed_next",
        Why::Alike => "alike_sessions",
        Why::Near => "viewed_near",
    }
}
