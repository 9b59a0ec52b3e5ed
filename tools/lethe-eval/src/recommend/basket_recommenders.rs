//! Recommenders from orders, and the plain statistics beside which they are measured.

use std::collections::{HashMap, HashSet};

use lethe::recommend::bought_together_focus::BoughtTogetherFocus;
use lethe::recommend::co_purchase::{also_bought, bought_together};
use lethe::recommend::co_view::most_viewed;
use lethe::recommend::history::ClickHistory;
use lethe::recommend::items::ItemNumber;
use lethe::recommend::leave_one_out::OtherSessions;
use lethe::recommend::model::{Model, Person};
use lethe::recommend::session::SessionRecommender;

use super::basket_cases::BasketCase;
use super::basket_categories::CategoryLists;
use super::baskets::{BASKET_SIZE, BasketTask, Naming};

/// Weight of an order, as requests have it.
const ORDER_COUNTS: u64 = 2;
/// Limits of the plain statistics: those of the recommenders.
const NAMED: usize = 16;
const ORDERS_OF_ITEM: usize = 200;

/// Recommenders that are measured on baskets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BasketRecommender {
    /// Lethe's `bought_together`.
    BoughtTogether,
    /// Lethe's `also_bought`.
    AlsoBought,
    /// Lethe's `buy_again`.
    BuyAgain,
    /// Lethe's `default`, which takes the named items for views.
    Default,
    /// Lethe's `for_you`: the same with all that the person had.
    ForYou,
    /// Number of orders, or of buyers, that an item shares with the named ones.
    Count,
    /// The same / √orders of the item.
    Cosine,
    /// The same / (orders of the item + 20).
    Lift,
    /// Items in most orders.
    MostBought,
    /// Items in most orders of the person.
    OwnCount,
    /// Items in the newest orders of the person.
    Newest,
}

impl BasketRecommender {
    /// The recommenders of a question, in the order of the table.
    #[must_use]
    pub const fn of_question(task: BasketTask, naming: Naming) -> &'static [Self] {
        match (task, naming) {
            (BasketTask::LeftOut, _) => &[
                Self::BoughtTogether,
                Self::AlsoBought,
                Self::Count,
                Self::Cosine,
                Self::Lift,
                Self::MostBought,
            ],
            (BasketTask::NextOrder, _) => &[
                Self::AlsoBought,
                Self::BoughtTogether,
                Self::Count,
                Self::Cosine,
                Self::Lift,
                Self::MostBought,
            ],
            (BasketTask::ForYou, Naming::Person) => {
                &[Self::ForYou, Self::AlsoBought, Self::Count, Self::MostBought]
            }
            (BasketTask::ForYou, _) => &[Self::Default],
            (BasketTask::CategoryPage, Naming::Person) => &[Self::MostBought, Self::Default, Self::OwnCount],
            (BasketTask::CategoryPage, Naming::PersonInCategory) => &[Self::Default],
            (BasketTask::CategoryPage, _) => &[Self::MostBought, Self::Default],
            (BasketTask::BuyAgain, _) => &[Self::BuyAgain, Self::OwnCount, Self::Newest],
        }
    }

    /// Recommends ten items for the named ones. A person that asks is left out of the statistics, and what is counted
    /// are buyers, not orders.
    pub(super) fn recommend<'m>(
        self,
        statistics: &OrderStatistics<'_, 'm>,
        case: &BasketCase<'_>,
        session: &mut SessionRecommender,
    ) -> Vec<&'m str> {
        let model = statistics.model;
        let named = case.named.as_slice();
        let asking = case.person.as_ref();
        let ids = |goods: Vec<(i64, &'m str)>| goods.into_iter().map(|(_, id)| id).collect();
        match self {
            Self::BoughtTogether => {
                let among = [(statistics.others(asking), ORDER_COUNTS)];
                ids(bought_together(&among, named, BoughtTogetherFocus::default(), BASKET_SIZE))
            }
            Self::AlsoBought => ids(also_bought(model, asking, named, BASKET_SIZE)),
            Self::Count => statistics.rank(asking, named, |shared, _| shared),
            Self::Cosine => statistics.rank(asking, named, |shared, orders| shared / orders.sqrt()),
            Self::Lift => statistics.rank(asking, named, |shared, orders| shared / (orders + 20.0)),
            Self::Default | Self::ForYou => {
                statistics.fill_up(statistics.recommend_for_clicks(case, session), case)
            }
            Self::OwnCount => statistics.fill_up(statistics.rank_own(case), case),
            Self::MostBought => statistics.fill_up(Vec::new(), case),
            // What is bought again is measured as orders come.
            Self::BuyAgain | Self::Newest => Vec::new(),
        }
    }
}

/// Orders, with the lists that all questions share.
pub(super) struct OrderStatistics<'b, 'm> {
    model: &'m Model,
    all: OtherSessions<'m>,
    most_bought: Vec<&'m str>,
    categories: CategoryLists<'b, 'm>,
    /// Items of each buyer, once each.
    of_buyer: HashMap<Person, Vec<ItemNumber>>,
}

impl<'b, 'm> OrderStatistics<'b, 'm> {
    /// Statistics of a model, and of the category of each item.
    pub(super) fn new(model: &'m Model, category_of: &'b HashMap<String, String>) -> Self {
        let orders = model.orders();
        let all = OtherSessions::including_all(orders);
        let most = most_viewed(&all, usize::MAX, |_| true);
        let most_bought: Vec<&str> = most.into_iter().map(|(_, item)| orders.id(item)).collect();
        let categories = CategoryLists::new(&most_bought, category_of);
        let mut of_buyer: HashMap<Person, Vec<ItemNumber>> = HashMap::new();
        for item in orders.items() {
            let owners = all.newest_sessions(item).filter_map(|place| owner_of(model, place.session));
            let buyers: HashSet<&Person> = owners.collect();
            buyers.into_iter().for_each(|buyer| of_buyer.entry(*buyer).or_default().push(item));
        }
        Self { model, all, most_bought, categories, of_buyer }
    }

    pub(super) fn categories(&self) -> &CategoryLists<'b, 'm> {
        &self.categories
    }

    /// The orders without those of a person.
    fn others(&self, asking: Option<&Person>) -> OtherSessions<'m> {
        let own = asking.map(|person| self.model.sessions_of(person)).unwrap_or_default();
        OtherSessions::than_all(self.model.orders(), &own)
    }

    /// The best items for the named ones as clicks: an order is a session, its items the views. On the page of a
    /// category those in it count as the newest, as in Lethe's `category`.
    fn recommend_for_clicks(&self, case: &BasketCase<'_>, session: &mut SessionRecommender) -> Vec<&'m str> {
        let orders = self.model.orders();
        let is_wanted = |item| self.is_allowed(orders.id(item), case);
        let others = self.others(case.person.as_ref());
        let is_there = |id: &&str| case.category.is_some_and(|category| self.categories.is_in(id, category));
        let (there, mut clicks): (Vec<&str>, Vec<_>) = case.named.iter().copied().partition(is_there);
        clicks.extend(there);
        let found = session.recommend(&others, &clicks, BASKET_SIZE, is_wanted);
        found.into_iter().map(|(_, item)| orders.id(item)).collect()
    }

    /// The named items, those that are named most often first, then the newest.
    fn rank_own(&self, case: &BasketCase<'_>) -> Vec<&'m str> {
        let orders = self.model.orders();
        let mut counts: HashMap<&'m str, (usize, usize)> = HashMap::new();
        let known = |id: &&str| orders.item(id).map(|item| orders.id(item));
        for (age, id) in case.named.iter().rev().filter_map(known).enumerate() {
            counts.entry(id).or_insert((0, age)).0 += 1;
        }
        counts.retain(|id, _| self.is_allowed(id, case));
        let mut own = rank_counts(counts);
        own.truncate(BASKET_SIZE);
        own
    }

    fn is_allowed(&self, id: &str, case: &BasketCase<'_>) -> bool {
        let is_of_page = case.category.is_none_or(|category| self.categories.is_in(id, category));
        is_of_page && !case.excluded.contains(id)
    }

    /// Fills up to ten with the items in most orders, on the page of a category with those of the category.
    fn fill_up(&self, mut found: Vec<&'m str>, case: &BasketCase<'_>) -> Vec<&'m str> {
        let most_bought = match case.category {
            Some(category) => self.categories.most_bought(category),
            None => &self.most_bought,
        };
        for id in most_bought {
            if found.len() == BASKET_SIZE {
                break;
            }
            if !case.excluded.contains(id) && !found.contains(id) {
                found.push(id);
            }
        }
        found
    }

    /// The best items by what they share with the named ones, and by their own number of orders.
    fn rank(&self, asking: Option<&Person>, named: &[&str], score: impl Fn(f64, f64) -> f64) -> Vec<&'m str> {
        let orders = self.model.orders();
        let asked = &named[named.len().saturating_sub(NAMED)..];
        let newest = asked
            .iter()
            .filter_map(|id| orders.item(id))
            .flat_map(|item| self.all.newest_sessions(item).take(ORDERS_OF_ITEM).map(|place| place.session));
        let mut shared = vec![0_u32; orders.items_end()];
        let mut count = |items: &[ItemNumber]| {
            items.iter().for_each(|item| shared[*item as usize] += 1);
        };
        if let Some(asking) = asking {
            let owners = newest.filter_map(|session| owner_of(self.model, session));
            let buyers: HashSet<&Person> = owners.filter(|buyer| *buyer != asking).collect();
            buyers.into_iter().filter_map(|buyer| self.of_buyer.get(buyer)).for_each(|items| count(items));
        } else {
            newest.for_each(|session| count(orders.clicks(session)));
        }
        let named: Vec<ItemNumber> = named.iter().filter_map(|id| orders.item(id)).collect();
        let mut scored: Vec<(f64, &str)> = (0..)
            .zip(shared)
            .filter(|(item, shared)| *shared > 0 && !named.contains(item))
            .map(|(item, shared)| (score(shared.into(), orders.places(item).len() as f64), orders.id(item)))
            .collect();
        let rank = |a: &(f64, &str), b: &(f64, &str)| b.0.total_cmp(&a.0).then(a.1.cmp(b.1));
        if scored.len() > BASKET_SIZE {
            scored.select_nth_unstable_by(BASKET_SIZE - 1, rank);
            scored.truncate(BASKET_SIZE);
        }
        scored.sort_unstable_by(rank);
        scored.into_iter().map(|(_, id)| id).collect()
    }
}

fn owner_of(model: &Model, session: u32) -> Option<&Person> {
    model.orders().key(session).and_then(|key| model.owner(key.id))
}

/// Every item that a person bought, the most frequent first, then the newest.
pub(super) fn bought_most_often<'m>(model: &'m Model, person: &Person) -> Vec<&'m str> {
    let orders = model.orders();
    let mut counts: HashMap<&str, (usize, usize)> = HashMap::new();
    for (age, items) in orders_of(model, person).enumerate() {
        for item in items {
            counts.entry(orders.id(*item)).or_insert((0, age)).0 += 1;
        }
    }
    rank_counts(counts)
}

/// Ids by count, the highest first, then by age.
fn rank_counts(counts: HashMap<&str, (usize, usize)>) -> Vec<&str> {
    let mut counted: Vec<_> = counts.into_iter().collect();
    counted.sort_unstable_by_key(|(id, (count, age))| (std::cmp::Reverse(*count), *age, *id));
    counted.into_iter().map(|(id, _)| id).collect()
}

/// The items of a person's newest orders, the newest first.
pub(super) fn bought_newest<'m>(model: &'m Model, person: &Person) -> Vec<&'m str> {
    let history: &'m ClickHistory = model.orders();
    let mut newest: Vec<&str> = Vec::new();
    for item in orders_of(model, person).flatten() {
        let id = history.id(*item);
        if newest.len() < BASKET_SIZE && !newest.contains(&id) {
            newest.push(id);
        }
    }
    newest
}

/// The orders of a person, the newest first.
fn orders_of<'m>(model: &'m Model, person: &Person) -> impl Iterator<Item = &'m [ItemNumber]> {
    let keys = model.sessions_of(person).into_iter().rev();
    keys.map(|key| model.orders().clicks_in(key)).filter(|items| !items.is_empty())
}
