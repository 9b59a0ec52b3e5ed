//! Questions that baskets answer: each is asked as if the basket were not known yet.

use std::collections::{HashMap, HashSet};

use lethe::recommend::model::Person;

use super::basket_categories::CategoryLists;
use super::baskets::{Basket, Naming};

/// A question with its answer.
#[derive(Debug, Default)]
pub(super) struct BasketCase<'b> {
    /// The person who asks; `None` for an unknown shopper.
    pub(super) person: Option<Person>,
    /// Items that ask, the newest last.
    pub(super) named: Vec<&'b str>,
    /// Items that may not be recommended.
    pub(super) excluded: HashSet<&'b str>,
    /// The category of the page: no other item is recommended.
    pub(super) category: Option<&'b str>,
    /// Answer.
    pub(super) wanted: HashSet<&'b str>,
}

/// An order, and those of the same person before it.
struct KnownOrder<'b> {
    order: &'b Basket,
    /// Orders that are remembered, the oldest first: one at least.
    before: Vec<&'b Basket>,
}

/// Every other basket with two items or more, its last item left out. An unknown shopper asks.
pub(super) fn list_left_out(tested: &[Basket], naming: Naming) -> Vec<BasketCase<'_>> {
    let mut cases = Vec::new();
    for basket in tested.iter().step_by(2).filter(|basket| basket.items.len() > 1) {
        let Some((left_out, rest)) = basket.items.split_last() else { continue };
        let named = ids(narrow(rest, naming));
        let excluded = named.iter().copied().collect();
        let wanted = HashSet::from([left_out.as_str()]);
        cases.push(BasketCase { named, excluded, wanted, ..BasketCase::default() });
    }
    cases
}

/// Every other tested basket, asked for with the same person's basket before it; items that are named do not count.
pub(super) fn list_next_orders(baskets: &[Basket], first: usize, naming: Naming) -> Vec<BasketCase<'_>> {
    let mut before: HashMap<Person, &Basket> = HashMap::new();
    let mut cases = Vec::new();
    for (number, basket) in baskets.iter().enumerate() {
        let earlier = before.insert(basket.person, basket);
        let Some(earlier) = earlier.filter(|_| is_every_other(number, first)) else { continue };
        let named = ids(narrow(&earlier.items, naming));
        let excluded: HashSet<&str> = named.iter().copied().collect();
        let person = Some(basket.person);
        add_wanted(&mut cases, basket, BasketCase { person, named, excluded, ..BasketCase::default() });
    }
    cases
}

/// Every other tested basket of a known person, asked for with all that they had before, or with their last order
/// alone; items that they had before do not count.
pub(super) fn list_new_to_person(
    baskets: &[Basket],
    first: usize,
    days: Option<i64>,
    naming: Naming,
) -> Vec<BasketCase<'_>> {
    let mut cases = Vec::new();
    for KnownOrder { order, before } in list_known_orders(baskets, first, days) {
        let had = ids_of_all(&before);
        let excluded: HashSet<&str> = had.iter().copied().collect();
        let named = match naming {
            Naming::Person => had,
            _ => ids_of_all(&before[before.len() - 1..]),
        };
        let person = Some(order.person);
        add_wanted(&mut cases, order, BasketCase { person, named, excluded, ..BasketCase::default() });
    }
    cases
}

/// The same as [`list_left_out`] on the page of the category of the item that was left out.
pub(super) fn list_category_pages<'b>(
    tested: &'b [Basket],
    categories: &CategoryLists<'b, '_>,
    naming: Naming,
) -> Vec<BasketCase<'b>> {
    let mut cases = list_left_out(tested, naming);
    for case in &mut cases {
        case.category = case.wanted.iter().find_map(|left_out| categories.page_of(left_out));
    }
    cases.retain(|case| case.category.is_some());
    cases
}

/// Every other tested basket of a known person, who asks on the page of the category of its last item, with all that
/// they had before or with that of the category alone; all items of the basket in that category are wanted, those too
/// that they had before.
pub(super) fn list_category_pages_of_known<'b>(
    baskets: &'b [Basket],
    first: usize,
    days: Option<i64>,
    naming: Naming,
    categories: &CategoryLists<'b, '_>,
) -> Vec<BasketCase<'b>> {
    let mut cases = Vec::new();
    for KnownOrder { order, before } in list_known_orders(baskets, first, days) {
        let category = order.items.last().and_then(|last| categories.page_of(last));
        if category.is_none() {
            continue;
        }
        let is_of_page = |id: &&str| categories.page_of(id) == category;
        let wanted = ids(&order.items).into_iter().filter(is_of_page).collect();
        let mut named = ids_of_all(&before);
        if naming == Naming::PersonInCategory {
            named.retain(is_of_page);
        }
        let person = Some(order.person);
        cases.push(BasketCase { person, named, category, wanted, ..BasketCase::default() });
    }
    cases
}

/// Every other tested basket with earlier ones of the same person, as far as a server would remember them on its day.
fn list_known_orders(baskets: &[Basket], first: usize, days: Option<i64>) -> Vec<KnownOrder<'_>> {
    let mut of_person: HashMap<Person, Vec<&Basket>> = HashMap::new();
    let mut orders = Vec::new();
    for (number, order) in baskets.iter().enumerate() {
        let all = of_person.entry(order.person).or_default();
        if is_every_other(number, first) {
            let is_remembered = |basket: &&&Basket| basket.ends(days) > order.day();
            let before: Vec<_> = all.iter().filter(is_remembered).copied().collect();
            if !before.is_empty() {
                orders.push(KnownOrder { order, before });
            }
        }
        all.push(order);
    }
    orders
}

/// Adds a case in which the items of a basket that are not excluded are wanted, if there are any.
fn add_wanted<'b>(cases: &mut Vec<BasketCase<'b>>, basket: &'b Basket, mut case: BasketCase<'b>) {
    case.wanted = ids(&basket.items).into_iter().filter(|id| !case.excluded.contains(id)).collect();
    if !case.wanted.is_empty() {
        cases.push(case);
    }
}

fn is_every_other(number: usize, first: usize) -> bool {
    number >= first && (number - first).is_multiple_of(2)
}

fn narrow(items: &[String], naming: Naming) -> &[String] {
    match naming {
        Naming::One => &items[items.len().saturating_sub(1)..],
        _ => items,
    }
}

fn ids(items: &[String]) -> Vec<&str> {
    items.iter().map(String::as_str).collect()
}

fn ids_of_all<'b>(baskets: &[&'b Basket]) -> Vec<&'b str> {
    baskets.iter().flat_map(|basket| ids(&basket.items)).collect()
}
