//! Two models of one shop compared: all their bytes, and their answers.

use super::bought_together_focus::BoughtTogetherFocus;
use super::co_purchase::{also_bought, bought_together};
use super::co_view::{also_viewed, most_viewed};
use super::history::ClickHistory;
use super::leave_one_out::OtherSessions;
use super::model::Model;
use super::repeats::AGES;
use super::session::SessionRecommender;
use super::trending::trending;

/// Number of items of each answer that are compared.
const SIZE: usize = 20;

/// Result of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelComparison {
    /// True if all bytes are the same.
    pub has_same_bytes: bool,
    /// Number of questions put to both.
    pub asked: usize,
    /// Number of questions that both answered alike.
    pub answered_alike: usize,
}

impl ModelComparison {
    /// Returns true if they are the same in every respect.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.has_same_bytes && self.answered_alike == self.asked
    }
}

/// Compares two models. Asks both for the recommendations of single items, each with the items before it in the order
/// of ids, so that each age of a repeat is asked for: for at most `sample` items of either, spread evenly.
#[must_use]
pub fn compare_models(one: &Model, other: &Model, sample: usize) -> ModelComparison {
    let mut ids: Vec<&str> = [one, other].into_iter().flat_map(ids_of).collect();
    ids.sort_unstable();
    ids.dedup();
    let step = ids.len().div_ceil(sample.max(1)).max(1);
    let mut recommender = SessionRecommender::default();
    let mut asked = 1;
    let mut answered_alike = usize::from(list_popular(one) == list_popular(other));
    for place in (0..ids.len()).step_by(step) {
        let clicks = &ids[place.saturating_sub(AGES)..=place];
        asked += 1;
        let [one, other] = [one, other].map(|model| answers(model, clicks, &mut recommender));
        answered_alike += usize::from(one == other);
    }
    ModelComparison { has_same_bytes: one.canonical() == other.canonical(), asked, answered_alike }
}

/// Scores with catalogue ids: numbers of items cannot be compared.
type ScoredIds = Vec<(i64, String)>;

fn ids_of(model: &Model) -> impl Iterator<Item = &str> {
    model.histories().into_iter().flat_map(|history| history.items().map(|item| history.id(item)))
}

/// Answers to questions without an item: most viewed, best sellers, trending.
fn list_popular(model: &Model) -> [ScoredIds; 3] {
    let [views, orders] = [model.views(), model.orders()];
    let most =
        |history| with_ids(history, most_viewed(&OtherSessions::including_all(history), SIZE, |_| true));
    let trending = trending(&OtherSessions::including_all(views), model.day(), SIZE, |_| true);
    [most(views), most(orders), with_ids(views, trending)]
}

fn answers(model: &Model, clicks: &[&str], recommender: &mut SessionRecommender) -> [ScoredIds; 4] {
    let views = model.views();
    let others = OtherSessions::including_all(views);
    let beside = clicks.last().map(|newest| also_viewed(&others, newest, SIZE, |_| true));
    let called_for = recommender.recommend(&others, clicks, SIZE, |_| true);
    let [called_for, beside] = [called_for, beside.unwrap_or_default()].map(|scored| with_ids(views, scored));
    let among = [model.orders(), model.baskets()].map(|history| (OtherSessions::including_all(history), 1));
    let together = bought_together(&among, clicks, BoughtTogetherFocus::default(), SIZE);
    let also = also_bought(model, None, &clicks[1..], SIZE);
    let [together, also] =
        [together, also].map(|goods| goods.into_iter().map(|(score, id)| (score, id.to_owned())).collect());
    [called_for, beside, together, also]
}

fn with_ids(history: &ClickHistory, scored: Vec<(i64, u32)>) -> ScoredIds {
    scored.into_iter().map(|(score, item)| (score, history.id(item).to_owned())).collect()
}
