//! Co-purchase: items ordered together, and items that stand together in baskets.

use rustc_hash::FxHashMap;

use super::fixed_point::{FixedPoint, ONE};
use super::leave_one_out::OtherSessions;
use super::model::{Model, Person};

/// Number of named items that are used: the last ones.
const ASKING: usize = 16;
/// Maximum of the newest sessions read for each item, …
const SESSIONS: usize = 200;
/// … and of items in each session.
const ITEMS: usize = 200;
/// Maximum of buyers that count, …
const BUYERS: usize = 500;
/// … with this many of the newest orders of each.
const ORDERS: usize = 50;
/// As if every item had been bought this often without the others: a pair bought once says little.
const ALONE: FixedPoint = 20;

/// An item by its catalogue id, with its score.
pub type Goods<'h> = (i64, &'h str);

/// Sessions with a purchase, and the weight of two items together in one session.
pub type WeightedHistory<'h> = (OtherSessions<'h>, FixedPoint);

/// Products that stand together most with the named ones, each once: scored by how often they do, against how often
/// they stand anywhere. The named ones are left out. A score is in parts of 2⁻²⁰.
#[must_use]
pub fn bought_together<'h>(
    among: &[WeightedHistory<'h>],
    ids: &[impl AsRef<str>],
    size: usize,
) -> Vec<Goods<'h>> {
    let mut together: FxHashMap<&str, FixedPoint> = FxHashMap::default();
    for (others, counts) in among {
        let history = others.history();
        for item in asking(ids).filter_map(|id| others.item(id)) {
            for place in others.newest_sessions(item).take(SESSIONS) {
                for beside in history.clicks(place.session).iter().take(ITEMS) {
                    *together.entry(history.id(*beside)).or_default() += counts;
                }
            }
        }
    }
    let scored = score_goods(together, ids, |id| anywhere(among, id));
    best_goods(scored, size)
}

/// Products that buyers of a named product bought as well, in any of their orders: scored likewise. The asking person
/// is left out, if given.
#[must_use]
pub fn also_bought<'m>(
    model: &'m Model,
    asking: Option<&Person>,
    ids: &[impl AsRef<str>],
    size: usize,
) -> Vec<Goods<'m>> {
    let orders = model.orders();
    let all = OtherSessions::including_all(orders);
    let mut buyers: Vec<&Person> = Vec::new();
    for item in self::asking(ids).filter_map(|id| orders.item(id)) {
        let newest = all.newest_sessions(item).take(SESSIONS);
        let of_order = |session| orders.key(session).and_then(|key| model.owner(key.id));
        buyers.extend(newest.filter_map(|place| of_order(place.session)));
    }
    buyers.sort_unstable();
    buyers.dedup();
    buyers.truncate(BUYERS);
    let mut together: FxHashMap<&str, FixedPoint> = FxHashMap::default();
    for buyer in buyers.into_iter().filter(|buyer| Some(*buyer) != asking) {
        for (id, _) in goods_of(model, buyer) {
            *together.entry(id).or_default() += 1;
        }
    }
    let scored = score_goods(together, ids, |id| anywhere(&[(OtherSessions::including_all(orders), 1)], id));
    best_goods(scored, size)
}

/// Products that a person bought before: those bought most often first, then the latest. A score is a number of orders.
#[must_use]
pub fn bought_again<'m>(model: &'m Model, person: &Person, size: usize) -> Vec<Goods<'m>> {
    let mut goods: Vec<_> = goods_of(model, person).into_iter().collect();
    goods.sort_unstable_by(|(a, often), (b, often_b)| often_b.cmp(often).then(a.cmp(b)));
    goods.truncate(size);
    goods.into_iter().map(|(id, (often, _))| (often as i64, id)).collect()
}

/// The last of the named items.
fn asking(ids: &[impl AsRef<str>]) -> impl Iterator<Item = &str> {
    ids[ids.len().saturating_sub(ASKING)..].iter().map(AsRef::as_ref)
}

/// Products in the newest orders of a person: number of orders with each, and time of the newest of these.
fn goods_of<'m>(model: &'m Model, person: &Person) -> FxHashMap<&'m str, (usize, i64)> {
    let orders = model.orders();
    let mut goods: FxHashMap<&str, (usize, i64)> = FxHashMap::default();
    let keys = model.sessions_of(person).into_iter().rev();
    let newest = keys.filter_map(|key| Some((key, orders.slot_of(key)?))).take(ORDERS);
    for (key, order) in newest {
        for item in orders.clicks(order).iter().take(ITEMS) {
            let (often, newest) = goods.entry(orders.id(*item)).or_default();
            *often += 1;
            *newest = key.start.max(*newest);
        }
    }
    goods
}

/// Weighted number of times that a product stands anywhere.
fn anywhere(among: &[WeightedHistory<'_>], id: &str) -> FixedPoint {
    let counted = among.iter().filter_map(|(others, counts)| {
        Some(others.clicks_of(others.history().item(id)?) as FixedPoint * counts)
    });
    counted.sum()
}

/// Scores the items that stand together, without the named ones.
fn score_goods<'h>(
    mut together: FxHashMap<&'h str, FixedPoint>,
    ids: &[impl AsRef<str>],
    anywhere: impl Fn(&str) -> FixedPoint,
) -> Vec<Goods<'h>> {
    for id in ids {
        together.remove(id.as_ref());
    }
    let scored = together.into_iter().map(|(id, sum)| {
        let score = u128::from(sum) * u128::from(sum) * u128::from(ONE) / u128::from(anywhere(id) + ALONE);
        (score as i64, id)
    });
    scored.collect()
}

/// The best, by score, then by catalogue id.
fn best_goods(mut scored: Vec<Goods<'_>>, size: usize) -> Vec<Goods<'_>> {
    scored.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    scored.truncate(size);
    scored
}
