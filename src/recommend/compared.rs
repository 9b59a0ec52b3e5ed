//! Two models of one shop compared: all of their bytes, and what they answer.

use super::history::History;
use super::model::Model;
use super::others::Others;
use super::session::SessionRecommender;
use super::viewed::{also_viewed, most_viewed};

/// So many items of each answer are compared.
const SIZE: usize = 20;

/// What a comparison found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compared {
    /// Whether all bytes are the same.
    pub has_same_bytes: bool,
    /// How many questions both were asked.
    pub asked: usize,
    /// How many of them both answered alike.
    pub answered_alike: usize,
}

impl Compared {
    /// Whether they are the same in every respect.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.has_same_bytes && self.answered_alike == self.asked
    }
}

/// Compares two models. Both are asked what belongs to single items, with the item that comes before it by its id: to
/// at most `sample` items of either, spread over all of them.
#[must_use]
pub fn compared(one: &Model, other: &Model, sample: usize) -> Compared {
    let [one, other] = [one, other].map(|model| (model, model.history()));
    let mut ids: Vec<&str> = [one.1, other.1].into_iter().flat_map(ids_of).collect();
    ids.sort_unstable();
    ids.dedup();
    let step = ids.len().div_ceil(sample.max(1)).max(1);
    let mut recommender = SessionRecommender::default();
    let mut asked = 1;
    let mut answered_alike = usize::from(most(one.1) == most(other.1));
    for (place, id) in ids.iter().enumerate().step_by(step) {
        let clicks = [ids[place.saturating_sub(1)], *id];
        asked += 1;
        let [one, other] = [one.1, other.1].map(|history| answers(history, &clicks, &mut recommender));
        answered_alike += usize::from(one == other);
    }
    Compared { has_same_bytes: one.0.canonical() == other.0.canonical(), asked, answered_alike }
}

/// Scores with catalogue ids: numbers of items are compared with nothing.
type Answer = Vec<(i64, String)>;

fn ids_of(history: &History) -> impl Iterator<Item = &str> {
    history.items().map(|item| history.id(item))
}

fn most(history: &History) -> Answer {
    named(history, most_viewed(&Others::all(history), SIZE, |_| true))
}

fn answers(history: &History, clicks: &[&str], recommender: &mut SessionRecommender) -> [Answer; 2] {
    let others = Others::all(history);
    let beside = clicks.last().map(|newest| also_viewed(&others, newest, SIZE, |_| true));
    let called_for = recommender.recommend(&others, clicks, SIZE, |_| true);
    [called_for, beside.unwrap_or_default()].map(|scored| named(history, scored))
}

fn named(history: &History, scored: Vec<(i64, u32)>) -> Answer {
    scored.into_iter().map(|(score, item)| (score, history.id(item).to_owned())).collect()
}
