//! Quality of recommendations from orders: the item that was left out of a basket, also on its category's page, the
//! next order of the same person, items that are new to a person, and the purchases that a person repeats.

use std::collections::{HashMap, HashSet};
use std::num::NonZero;

use lethe::recommend::co_purchase::bought_again;
use lethe::recommend::history::SessionKey;
use lethe::recommend::model::{Interaction, Model, Person, PersonAction};

use super::basket_cases::{
    BasketCase, list_category_pages, list_category_pages_of_known, list_left_out, list_new_to_person,
    list_next_orders,
};
use super::basket_categories::CategoryLists;
use super::basket_recommenders::{BasketRecommender, OrderStatistics, bought_most_often, bought_newest};
use super::basket_scores::{BasketScores, measure_cases};

/// Number of recommendations.
pub const BASKET_SIZE: usize = 10;
pub(super) const DAY: i64 = 24 * 60 * 60 * 1000;

/// Reason why baskets cannot be measured.
#[derive(Debug, thiserror::Error)]
pub enum BasketEvalFault {
    /// A line has another form.
    #[error(
        "line {0} of the baskets is not household, basket, time and items, nor category, item and name, with tabs between"
    )]
    Line(usize),
    /// Two baskets have one number, though households may differ, or an item has two categories.
    #[error("line {0} of the baskets repeats the number of a basket, or gives an item a second category")]
    Repeated(usize),
    /// There is nothing to measure.
    #[error("no basket is left to {0}: give a longer file, or other days")]
    Empty(&'static str),
}

/// A basket that was paid for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Basket {
    /// The household.
    pub person: Person,
    /// Time, in milliseconds since 1970, and number.
    pub key: SessionKey,
    /// Each item once, in an order that only looks random.
    pub items: Vec<String>,
}

impl Basket {
    /// The day of the order.
    pub(super) fn day(&self) -> i64 {
        self.key.start.div_euclid(DAY)
    }

    /// The day from which on it does not count, if one counts for so many days.
    pub(super) fn ends(&self, days: Option<i64>) -> i64 {
        days.map_or(i64::MAX - 1, |days| self.day() + days)
    }
}

/// Content of a file of baskets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BasketFile {
    /// The oldest come first.
    pub baskets: Vec<Basket>,
    /// The category of each item that has one; without any, pages of categories are not measured.
    pub categories: HashMap<String, String>,
}

/// Reads a basket a line: household, number of the basket, time, ids with blanks between; with tabs between the four.
/// A line of the word `category`, an item and the name of its category says that. The order of the lines says nothing.
///
/// # Errors
///
/// If a line has another form, or repeats the number of a basket or the item of a category.
pub fn read_baskets(text: &str) -> Result<BasketFile, BasketEvalFault> {
    let mut people: HashMap<&str, u128> = HashMap::new();
    let mut numbers: HashSet<u128> = HashSet::new();
    let mut file = BasketFile::default();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let fault = || BasketEvalFault::Line(number + 1);
        let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
        let is_first = match fields[..] {
            ["category", item, category] if item.split_whitespace().count() == 1 && !category.is_empty() => {
                file.categories.insert(item.to_owned(), category.to_owned()).is_none()
            }
            [household, ..] if !household.is_empty() => {
                let next = people.len() as u128;
                let person = *people.entry(household).or_insert(next);
                let basket = read_basket(person.to_be_bytes(), &fields[1..]).ok_or_else(fault)?;
                let is_first = numbers.insert(basket.key.id);
                file.baskets.push(basket);
                is_first
            }
            _ => return Err(fault()),
        };
        if !is_first {
            return Err(BasketEvalFault::Repeated(number + 1));
        }
    }
    file.baskets.sort_by_key(|basket| basket.key);
    Ok(file)
}

/// Reads number, time and ids; `None` if they have another form.
fn read_basket(person: Person, fields: &[&str]) -> Option<Basket> {
    let [number, time, ids] = fields else { return None };
    let id: u128 = number.parse().ok()?;
    let start: i64 = time.parse().ok()?;
    let mut items: Vec<String> = ids.split_whitespace().map(str::to_owned).collect();
    items.sort_by_cached_key(|item| (scatter(id, item), item.clone()));
    items.dedup();
    (!items.is_empty()).then_some(Basket { person, key: SessionKey { start, id }, items })
}

/// A number of an item in a basket that only looks random: FNV-1a, the same in every run.
fn scatter(basket: u128, item: &str) -> u64 {
    let bytes = basket.to_be_bytes().into_iter().chain(item.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Question to a recommender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BasketTask {
    /// The item that was left out of a basket.
    LeftOut,
    /// Other items of the next order of the same person.
    NextOrder,
    /// Items of an order that the person had ordered before.
    BuyAgain,
    /// Items of the next order of a known person that they never had.
    ForYou,
    /// Items of a basket, on the page of their category.
    CategoryPage,
}

/// Items that a question names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// One item, as the page of a product does.
    One,
    /// The rest of the basket, or the whole order.
    All,
    /// All that the person had.
    Person,
    /// All that the person had of the page's category.
    PersonInCategory,
}

/// Options of the measurement.
#[derive(Debug, Clone, Copy)]
pub struct BasketOptions {
    /// Percentage of the baskets to measure: the last ones.
    pub cut: usize,
    /// Number of days that a basket is learned from; `None` is for ever.
    pub days: Option<i64>,
    /// Threads; the figures are the same for any number.
    pub threads: NonZero<usize>,
}

/// Scores of one recommender at one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BasketLine {
    /// Question.
    pub task: BasketTask,
    /// Items that it names.
    pub naming: Naming,
    /// Recommender.
    pub recommender: BasketRecommender,
    /// Scores.
    pub scores: BasketScores,
}

/// All measurements of a file of baskets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BasketQuality {
    /// Number of baskets that were learned from.
    pub learned: usize,
    /// Number of baskets that were measured.
    pub tested: usize,
    /// Scores.
    pub lines: Vec<BasketLine>,
}

/// Learns from the first baskets and measures the last ones.
///
/// # Errors
///
/// If there is nothing to learn from or to measure.
pub fn measure_baskets(file: &BasketFile, options: BasketOptions) -> Result<BasketQuality, BasketEvalFault> {
    let baskets = file.baskets.as_slice();
    let first = baskets.len() - baskets.len() * options.cut.min(100) / 100;
    let (before, tested) = baskets.split_at(first);
    let begin = tested.first().ok_or(BasketEvalFault::Empty("measure"))?.day();
    let mut model = Model::default();
    model.begin_day(begin);
    before.iter().for_each(|basket| add_order(&mut model, basket, options.days));
    if model.orders().sessions() == 0 {
        return Err(BasketEvalFault::Empty("learn from"));
    }
    let learned = model.orders().sessions();
    let statistics = OrderStatistics::new(&model, &file.categories);
    let mut lines = Vec::new();
    for (task, naming) in list_questions(file) {
        let cases = list_cases(task, naming, baskets, first, options.days, statistics.categories());
        for recommender in BasketRecommender::of_question(task, naming) {
            let recommend = |case: &_, session: &mut _| recommender.recommend(&statistics, case, session);
            let scores = measure_cases(&cases, options.threads, recommend);
            lines.push(BasketLine { task, naming, recommender: *recommender, scores });
        }
    }
    drop(statistics);
    lines.extend(measure_repeats(&mut model, tested, options.days));
    Ok(BasketQuality { learned, tested: tested.len(), lines })
}

/// Questions whose cases do not change the model, in the order of the table.
fn list_questions(file: &BasketFile) -> Vec<(BasketTask, Naming)> {
    let mut questions = vec![
        (BasketTask::LeftOut, Naming::One),
        (BasketTask::LeftOut, Naming::All),
        (BasketTask::NextOrder, Naming::One),
        (BasketTask::NextOrder, Naming::All),
        (BasketTask::ForYou, Naming::Person),
        (BasketTask::ForYou, Naming::All),
    ];
    if !file.categories.is_empty() {
        let namings = [Naming::One, Naming::All, Naming::Person, Naming::PersonInCategory];
        questions.extend(namings.map(|naming| (BasketTask::CategoryPage, naming)));
    }
    questions
}

fn list_cases<'b>(
    task: BasketTask,
    naming: Naming,
    baskets: &'b [Basket],
    first: usize,
    days: Option<i64>,
    categories: &CategoryLists<'b, '_>,
) -> Vec<BasketCase<'b>> {
    match (task, naming) {
        (BasketTask::LeftOut, _) => list_left_out(&baskets[first..], naming),
        (BasketTask::ForYou, _) => list_new_to_person(baskets, first, days, naming),
        (BasketTask::CategoryPage, Naming::Person | Naming::PersonInCategory) => {
            list_category_pages_of_known(baskets, first, days, naming, categories)
        }
        (BasketTask::CategoryPage, _) => list_category_pages(&baskets[first..], categories, naming),
        _ => list_next_orders(baskets, first, naming),
    }
}

fn add_order(model: &mut Model, basket: &Basket, days: Option<i64>) {
    let act = PersonAction::Ordered(basket.items.clone());
    model.add(&Interaction { person: basket.person, session: basket.key, ends: basket.ends(days), act });
}

/// Asks for each tested order with all earlier orders of the same person, tested ones too.
fn measure_repeats(model: &mut Model, tested: &[Basket], days: Option<i64>) -> Vec<BasketLine> {
    let recommenders = BasketRecommender::of_question(BasketTask::BuyAgain, Naming::Person);
    let mut scores = vec![BasketScores::default(); recommenders.len()];
    for basket in tested {
        model.begin_day(basket.day());
        let known: Vec<&str> = bought_most_often(model, &basket.person);
        let wanted = basket.items.iter().map(String::as_str).filter(|item| known.contains(item));
        let wanted: HashSet<&str> = wanted.collect();
        if !wanted.is_empty() {
            for (recommender, scores) in recommenders.iter().zip(&mut scores) {
                let again = || bought_again(model, &basket.person, BASKET_SIZE).into_iter();
                let recommended = match recommender {
                    BasketRecommender::BuyAgain => again().map(|(_, id)| id).collect(),
                    BasketRecommender::Newest => bought_newest(model, &basket.person),
                    _ => known.clone(),
                };
                scores.add_case(&recommended, &wanted);
            }
        }
        add_order(model, basket, days);
    }
    let line = |(recommender, scores): (&BasketRecommender, BasketScores)| BasketLine {
        task: BasketTask::BuyAgain,
        naming: Naming::Person,
        recommender: *recommender,
        scores,
    };
    recommenders.iter().zip(scores).map(line).collect()
}
