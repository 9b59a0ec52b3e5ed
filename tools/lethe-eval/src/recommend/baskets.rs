//! Quality of recommendations from orders: the item that was left out of a basket, the next order of the same person,
//! and the purchases that a person repeats.

use std::collections::{HashMap, HashSet};
use std::num::NonZero;
use std::sync::Mutex;

use lethe::recommend::co_purchase::bought_again;
use lethe::recommend::history::SessionKey;
use lethe::recommend::model::{Interaction, Model, Person, PersonAction};

use super::basket_recommenders::{BasketRecommender, OrderStatistics, bought_most_often, bought_newest};

/// Number of recommendations.
pub const BASKET_SIZE: usize = 10;
/// Number of cases that a thread takes at once.
const CHUNK: usize = 64;
pub(super) const DAY: i64 = 24 * 60 * 60 * 1000;

/// Reason why baskets cannot be measured.
#[derive(Debug, thiserror::Error)]
pub enum BasketEvalFault {
    /// A line has another form.
    #[error("line {0} of the baskets is not household, basket, time and items, with tabs between")]
    Line(usize),
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

/// Reads a basket a line: household, number of the basket, time, ids with blanks between; with tabs between the four.
/// The oldest come first, whatever the order of the lines.
///
/// # Errors
///
/// If a line has another form.
pub fn read_baskets(text: &str) -> Result<Vec<Basket>, BasketEvalFault> {
    let mut people: HashMap<&str, u128> = HashMap::new();
    let mut baskets = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let fault = || BasketEvalFault::Line(number + 1);
        let fields: Vec<&str> = line.split('\t').collect();
        let [household, basket, time, ids] = fields[..] else { return Err(fault()) };
        let id: u128 = basket.parse().map_err(|_| fault())?;
        let start: i64 = time.parse().map_err(|_| fault())?;
        let mut items: Vec<String> = ids.split_whitespace().map(str::to_owned).collect();
        if household.is_empty() || items.is_empty() {
            return Err(fault());
        }
        items.sort_by_cached_key(|item| (scatter(id, item), item.clone()));
        items.dedup();
        let next = people.len() as u128;
        let person = people.entry(household).or_insert(next).to_be_bytes();
        baskets.push(Basket { person, key: SessionKey { start, id }, items });
    }
    baskets.sort_by_key(|basket| basket.key);
    Ok(baskets)
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
}

/// Items that a question names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// One item, as the page of a product does.
    One,
    /// The rest of the basket, or the whole order.
    All,
    /// None: the person asks.
    Person,
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

/// Scores of a recommender.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BasketScores {
    /// Number of questions.
    pub cases: usize,
    /// Questions whose first wanted item was at this place, from 0 on.
    firsts: [usize; BASKET_SIZE],
    /// Sum of the shares of wanted items that were found, in parts of 2⁻³²: sums do not depend on their order.
    recalled: u64,
}

impl BasketScores {
    /// Questions with a wanted item among the first ten, in percent.
    #[must_use]
    pub fn hit_rate(&self) -> f64 {
        self.percent(self.firsts.iter().sum::<usize>() as f64)
    }

    /// The mean of 1 / rank of the first wanted item, in percent.
    #[must_use]
    pub fn mrr(&self) -> f64 {
        self.percent(self.firsts.iter().zip(1..).map(|(hits, rank)| *hits as f64 / f64::from(rank)).sum())
    }

    /// The mean share of the wanted items that were among the first ten, in percent.
    #[must_use]
    pub fn recall(&self) -> f64 {
        self.percent(self.recalled as f64 / (1_u64 << 32) as f64)
    }

    fn percent(&self, sum: f64) -> f64 {
        100.0 * sum / self.cases.max(1) as f64
    }

    pub(super) fn add_case(&mut self, recommended: &[&str], wanted: &HashSet<&str>) {
        self.cases += 1;
        let first = &recommended[..recommended.len().min(BASKET_SIZE)];
        if let Some(place) = first.iter().position(|id| wanted.contains(id)) {
            self.firsts[place] += 1;
        }
        let found = first.iter().filter(|id| wanted.contains(*id)).count() as u64;
        self.recalled += (found << 32) / wanted.len().max(1) as u64;
    }

    fn add(&mut self, other: &Self) {
        self.cases += other.cases;
        self.firsts.iter_mut().zip(other.firsts).for_each(|(hits, more)| *hits += more);
        self.recalled += other.recalled;
    }
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

/// A question with its answer.
#[derive(Debug)]
struct BasketCase<'b> {
    person: Person,
    named: &'b [String],
    wanted: HashSet<&'b str>,
}

/// Learns from the first baskets and measures the last ones.
///
/// # Errors
///
/// If there is nothing to learn from or to measure.
pub fn measure_baskets(baskets: &[Basket], options: BasketOptions) -> Result<BasketQuality, BasketEvalFault> {
    let first = baskets.len() - baskets.len() * options.cut.min(100) / 100;
    let (before, tested) = baskets.split_at(first);
    let begin = tested.first().ok_or(BasketEvalFault::Empty("measure"))?.key.start;
    let mut model = Model::default();
    model.begin_day(begin.div_euclid(DAY));
    before.iter().for_each(|basket| add_order(&mut model, basket, options.days));
    if model.orders().sessions() == 0 {
        return Err(BasketEvalFault::Empty("learn from"));
    }
    let learned = model.orders().sessions();
    let statistics = OrderStatistics::new(&model);
    let mut lines = Vec::new();
    for task in [BasketTask::LeftOut, BasketTask::NextOrder] {
        for naming in [Naming::One, Naming::All] {
            let cases = match task {
                BasketTask::LeftOut => list_left_out(tested, naming),
                _ => list_next_orders(baskets, first, naming),
            };
            for recommender in BasketRecommender::of_task(task) {
                let scores = measure_cases(&statistics, *recommender, task, &cases, options.threads);
                lines.push(BasketLine { task, naming, recommender: *recommender, scores });
            }
        }
    }
    drop(statistics);
    lines.extend(measure_repeats(&mut model, tested, options.days));
    Ok(BasketQuality { learned, tested: tested.len(), lines })
}

fn add_order(model: &mut Model, basket: &Basket, days: Option<i64>) {
    let ends = days.map_or(i64::MAX - 1, |days| basket.key.start.div_euclid(DAY) + days);
    let act = PersonAction::Ordered(basket.items.clone());
    model.add(&Interaction { person: basket.person, session: basket.key, ends, act });
}

/// Every other basket with two items or more, its last item left out.
fn list_left_out(tested: &[Basket], naming: Naming) -> Vec<BasketCase<'_>> {
    let every_other = tested.iter().step_by(2).filter(|basket| basket.items.len() > 1);
    let leave_out = |basket| {
        let Basket { person, items, .. }: &Basket = basket;
        let (left_out, rest) = items.split_last()?;
        Some(BasketCase {
            person: *person,
            named: narrow(rest, naming),
            wanted: HashSet::from([left_out.as_str()]),
        })
    };
    every_other.filter_map(leave_out).collect()
}

/// Every other tested basket, asked for with the same person's basket before it; items that are named do not count.
fn list_next_orders(baskets: &[Basket], first: usize, naming: Naming) -> Vec<BasketCase<'_>> {
    let mut before: HashMap<Person, &Basket> = HashMap::new();
    let mut cases = Vec::new();
    for (number, basket) in baskets.iter().enumerate() {
        let earlier = before.insert(basket.person, basket);
        let Some(earlier) = earlier.filter(|_| number >= first && (number - first).is_multiple_of(2)) else {
            continue;
        };
        let named = narrow(&earlier.items, naming);
        let others = basket.items.iter().filter(|item| !named.contains(item));
        let wanted: HashSet<&str> = others.map(String::as_str).collect();
        if !wanted.is_empty() {
            cases.push(BasketCase { person: basket.person, named, wanted });
        }
    }
    cases
}

fn narrow(items: &[String], naming: Naming) -> &[String] {
    match naming {
        Naming::One => &items[items.len().saturating_sub(1)..],
        _ => items,
    }
}

fn measure_cases(
    statistics: &OrderStatistics<'_>,
    recommender: BasketRecommender,
    task: BasketTask,
    cases: &[BasketCase<'_>],
    threads: NonZero<usize>,
) -> BasketScores {
    let chunks = Mutex::new(cases.chunks(CHUNK));
    let work = || {
        let mut scores = BasketScores::default();
        loop {
            let chunk = chunks.lock().ok().and_then(|mut chunks| chunks.next());
            let Some(chunk) = chunk else { return scores };
            for case in chunk {
                // An item that was left out is asked for by an unknown shopper.
                let asking = (task == BasketTask::NextOrder).then_some(&case.person);
                let recommended = recommender.recommend(statistics, asking, case.named);
                scores.add_case(&recommended, &case.wanted);
            }
        }
    };
    let mut scores = BasketScores::default();
    std::thread::scope(|scope| {
        let workers = threads.get().min(cases.len().div_ceil(CHUNK));
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            scores.add(&worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
    });
    scores
}

/// Asks for each tested order with all earlier orders of the same person, tested ones too.
fn measure_repeats(model: &mut Model, tested: &[Basket], days: Option<i64>) -> Vec<BasketLine> {
    let recommenders = BasketRecommender::of_task(BasketTask::BuyAgain);
    let mut scores = vec![BasketScores::default(); recommenders.len()];
    for basket in tested {
        model.begin_day(basket.key.start.div_euclid(DAY));
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
