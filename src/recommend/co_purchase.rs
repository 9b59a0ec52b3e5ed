//! Co-purchase: items ordered together, items that stand together in baskets, and a person's own purchases.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use super::bought_together_focus::BoughtTogetherFocus;
use super::fixed_point::{FixedPoint, inverse_root, log2, rank_weights};
use super::history::SessionSlot;
use super::items::ItemNumber;
use super::leave_one_out::OtherSessions;
use super::model::{Model, Person};

/// Number of named items that are used: the last ones.
const ASKING: usize = 16;
/// Maximum of the newest sessions read for each item, …
const SESSIONS: usize = 200;
/// … and of items in each session.
const ITEMS: usize = 200;
/// Maximum of buyers that count: those that bought most of the named items, …
const BUYERS: usize = 500;
/// … with this many of the newest orders of each.
const ORDERS: usize = 50;
/// Purchases that every item is given besides its own, without the others: a pair bought once says little.
const POPULARITY_PRIOR: FixedPoint = 20;
/// Weight of an order of a person, by the number of their later ones.
const ORDER_AGE: [FixedPoint; ORDERS] = rank_weights(20);

/// An item by its catalogue id, with its score.
pub type Goods<'h> = (i64, &'h str);

/// Sessions with a purchase, and the weight of one.
pub type WeightedHistory<'h> = (OtherSessions<'h>, FixedPoint);

/// Orders of a person with one item.
#[derive(Debug, Default)]
struct Purchases {
    orders: u64,
    /// Sum of the weights of these orders by their age.
    recent: FixedPoint,
}

/// Products that stand together most with the named ones, each once. A session counts for less the more it holds, a
/// named product for less the more sessions it has, and a product for less the more often it stands anywhere,
/// as `focus` says.
/// The named ones are left out. A score is ten times a logarithm to base 2, in parts of 2⁻¹⁶.
#[must_use]
pub fn bought_together<'h>(
    among: &[WeightedHistory<'h>],
    ids: &[impl AsRef<str>],
    focus: BoughtTogetherFocus,
    size: usize,
) -> Vec<Goods<'h>> {
    let mut together: FxHashMap<&str, FixedPoint> = FxHashMap::default();
    for id in asking(ids) {
        add_sessions_of(among, id, &mut together);
    }
    let scored = without_named(together, ids).map(|(id, sum)| {
        let anywhere = log2(count_anywhere(among, id) + POPULARITY_PRIOR);
        (10 * log2(sum) - focus.popularity_exponent() * anywhere, id)
    });
    best_goods(scored.collect(), size)
}

/// Adds the sessions of a named product to the products that stand together with it, in parts of 2⁻⁴⁰.
fn add_sessions_of<'h>(
    among: &[WeightedHistory<'h>],
    id: &str,
    together: &mut FxHashMap<&'h str, FixedPoint>,
) {
    let sessions_of = |others: &OtherSessions<'h>| -> Vec<SessionSlot> {
        let places = others.item(id).into_iter().flat_map(|item| others.newest_sessions(item));
        places.take(SESSIONS).map(|place| place.session).collect()
    };
    let sessions: Vec<_> = among.iter().map(|(others, _)| sessions_of(others)).collect();
    let counted = among.iter().zip(&sessions).map(|((_, counts), read)| counts * read.len() as FixedPoint);
    let share = inverse_power_three_quarters(counted.sum::<FixedPoint>() + POPULARITY_PRIOR);
    for ((others, counts), sessions) in among.iter().zip(sessions) {
        let history = others.history();
        for (item, sum) in sum_sessions(others, &sessions) {
            *together.entry(history.id(item)).or_default() += counts * sum * share;
        }
    }
}

/// Sum of 1 / √size over the sessions that hold an item.
fn sum_sessions(others: &OtherSessions<'_>, sessions: &[SessionSlot]) -> FxHashMap<ItemNumber, FixedPoint> {
    let mut sums: FxHashMap<ItemNumber, FixedPoint> = FxHashMap::default();
    for session in sessions {
        let items = others.history().clicks(*session);
        let worth = inverse_root(items.len() as u64);
        items.iter().take(ITEMS).for_each(|item| *sums.entry(*item).or_default() += worth);
    }
    sums
}

/// 1 / number^¾, of a number from 1 on.
const fn inverse_power_three_quarters(number: u64) -> FixedPoint {
    ((1_u128 << 80) / (number as u128).pow(3)).isqrt().isqrt() as FixedPoint
}

/// Products that buyers of the named products bought as well, in any of their orders. A buyer counts by their number of
/// named products, and for less the more products they bought; an item counts by the logarithm of the number of their
/// orders with it. The asking person is left out, if given. A score is in parts of 2⁻³⁶.
#[must_use]
pub fn also_bought<'m>(
    model: &'m Model,
    asking: Option<&Person>,
    ids: &[impl AsRef<str>],
    size: usize,
) -> Vec<Goods<'m>> {
    let orders = model.orders();
    let mut together: FxHashMap<&str, FixedPoint> = FxHashMap::default();
    for (named, buyer) in list_buyers(model, asking, ids) {
        let purchases = count_purchases(model, buyer);
        let worth = named * inverse_root(purchases.len().max(1) as u64);
        for (item, bought) in purchases {
            *together.entry(orders.id(item)).or_default() += worth * log2(1 + bought.orders) as FixedPoint;
        }
    }
    let scored = without_named(together, ids).map(|(id, sum)| (sum as i64, id));
    best_goods(scored.collect(), size)
}

/// Buyers of the named products other than the asking person, with the number of these that each bought: those with
/// most of them, then by person.
fn list_buyers<'m>(
    model: &'m Model,
    asking: Option<&Person>,
    ids: &[impl AsRef<str>],
) -> Vec<(FixedPoint, &'m Person)> {
    let orders = model.orders();
    let all = OtherSessions::including_all(orders);
    let owner = |session| orders.key(session).and_then(|key| model.owner(key.id));
    let mut bought: FxHashMap<&Person, FixedPoint> = FxHashMap::default();
    for item in self::asking(ids).filter_map(|id| orders.item(id)) {
        let owners = all.newest_sessions(item).filter_map(|place| owner(place.session));
        let others = owners.filter(|buyer| Some(*buyer) != asking).take(SESSIONS);
        let buyers: FxHashSet<&Person> = others.collect();
        buyers.into_iter().for_each(|buyer| *bought.entry(buyer).or_default() += 1);
    }
    let mut buyers: Vec<_> = bought.into_iter().map(|(buyer, named)| (named, buyer)).collect();
    buyers.sort_unstable_by_key(|(named, buyer)| (Reverse(*named), *buyer));
    buyers.truncate(BUYERS);
    buyers
}

/// Products that a person bought before. Each order with a product counts, for less the more orders they made since. A
/// score is in parts of 2⁻²⁰.
#[must_use]
pub fn bought_again<'m>(model: &'m Model, person: &Person, size: usize) -> Vec<Goods<'m>> {
    let orders = model.orders();
    let purchases = count_purchases(model, person).into_iter();
    best_goods(purchases.map(|(item, bought)| (bought.recent as i64, orders.id(item))).collect(), size)
}

/// The last of the named items.
fn asking(ids: &[impl AsRef<str>]) -> impl Iterator<Item = &str> {
    ids[ids.len().saturating_sub(ASKING)..].iter().map(AsRef::as_ref)
}

/// Counts the newest orders of a person by the items in them.
fn count_purchases(model: &Model, person: &Person) -> FxHashMap<ItemNumber, Purchases> {
    let orders = model.orders();
    let mut purchases: FxHashMap<ItemNumber, Purchases> = FxHashMap::default();
    let keys = model.sessions_of(person).into_iter().rev();
    let newest = keys.filter_map(|key| orders.slot_of(key));
    for (order, weight) in newest.zip(ORDER_AGE) {
        for item in orders.clicks(order).iter().take(ITEMS) {
            let bought = purchases.entry(*item).or_default();
            bought.orders += 1;
            bought.recent += weight;
        }
    }
    purchases
}

/// Weighted number of times that a product stands anywhere.
fn count_anywhere(among: &[WeightedHistory<'_>], id: &str) -> FixedPoint {
    let counted = among.iter().filter_map(|(others, counts)| {
        Some(others.clicks_of(others.history().item(id)?) as FixedPoint * counts)
    });
    counted.sum()
}

/// The products without those that were named.
fn without_named<'h>(
    mut together: FxHashMap<&'h str, FixedPoint>,
    ids: &[impl AsRef<str>],
) -> impl Iterator<Item = (&'h str, FixedPoint)> {
    for id in ids {
        together.remove(id.as_ref());
    }
    together.into_iter()
}

/// The best, by score, then by catalogue id.
fn best_goods(mut scored: Vec<Goods<'_>>, size: usize) -> Vec<Goods<'_>> {
    scored.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    scored.truncate(size);
    scored
}
