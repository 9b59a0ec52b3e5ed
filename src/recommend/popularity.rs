//! Popularity of products that another source found: among all sessions, and in a session that goes on. Shares of 1, in
//! parts of 2⁻²⁰.

use rustc_hash::FxHashMap;

use super::co_view::most_viewed;
use super::fixed_point::{FixedPoint, ONE, log2};
use super::history::ClickHistory;
use super::leave_one_out::OtherSessions;
use super::model::Model;
use super::session::SessionRecommender;

/// Weight of a view, of being in a session's basket, and of being in an order.
const VIEW_COUNTS: u64 = 1;
const BASKET_COUNTS: u64 = 2;
const ORDER_COUNTS: u64 = 4;
/// Count that the most popular product needs for the whole share: a few looks say little.
const MOST: u64 = 63;
/// Number of products that are popular by each signal.
const MOST_POPULAR: usize = 300;
/// Number of products that a session calls for.
const CALLED: usize = 200;

/// Popularity of products, by catalogue ids, relative to the most popular one: the logarithms are compared.
#[must_use]
pub fn popular(model: &Model, ids: &[&str]) -> Vec<FixedPoint> {
    let among =
        [(model.views(), VIEW_COUNTS), (model.baskets(), BASKET_COUNTS), (model.orders(), ORDER_COUNTS)];
    let clicks =
        |history: &ClickHistory, id: &str| history.item(id).map_or(0, |item| history.places(item).len());
    let count = |id: &&str| among.map(|(history, counts)| counts * clicks(history, id) as u64).iter().sum();
    let counts: Vec<u64> = ids.iter().map(count).collect();
    let most = log2(1 + counts.iter().copied().max().unwrap_or_default().max(MOST)) as u64;
    counts.iter().map(|count| ONE * log2(1 + count) as u64 / most).collect()
}

/// The products with most views, in most baskets and in most orders, by catalogue ids, the same number of each; some
/// twice.
#[must_use]
pub fn most_popular(model: &Model) -> Vec<&str> {
    let most = |history| {
        let most = most_viewed(&OtherSessions::including_all(history), MOST_POPULAR, |_| true);
        most.into_iter().map(|(_, item)| history.id(item))
    };
    [model.views(), model.baskets(), model.orders()].into_iter().flat_map(most).collect()
}

/// The products that the clicks of a session call for most, by catalogue ids, the newest click last.
pub fn most_called_for<'m, Id: AsRef<str>>(
    others: &OtherSessions<'m>,
    recommender: &mut SessionRecommender,
    clicks: &[Id],
) -> Vec<&'m str> {
    let called = recommender.recommend(others, clicks, CALLED, |_| true);
    called.into_iter().map(|(_, item)| others.history().id(item)).collect()
}

/// Shares in which the clicks of a session call for products, all by catalogue ids, the newest click last. The first
/// product has the whole share, and those after it less with each place.
pub fn called_for<Id: AsRef<str>>(
    others: &OtherSessions<'_>,
    recommender: &mut SessionRecommender,
    clicks: &[Id],
    ids: &[&str],
) -> Vec<FixedPoint> {
    let called = recommender.recommend(others, clicks, CALLED, |_| true);
    let places: FxHashMap<_, _> = called.into_iter().map(|(_, item)| item).zip(0..).collect();
    let share = |place: &u64| ONE - ONE * place / CALLED as u64;
    let called = |id: &&str| others.item(id).and_then(|item| places.get(&item)).map_or(0, share);
    ids.iter().map(called).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recommend::history::SessionKey;
    use crate::recommend::model::{Interaction, PersonAction};

    fn deed(person: u8, act: PersonAction) -> Interaction {
        let session = SessionKey { start: i64::from(person), id: u128::from(person) };
        Interaction { person: [person; 16], session, ends: 100, act }
    }

    #[test]
    fn what_many_looked_at_or_bought_is_popular() {
        let mut model = Model::default();
        let views = (1..=9).map(|person| deed(person, PersonAction::Viewed("a".to_owned())));
        let ordered = deed(10, PersonAction::Ordered(vec!["b".to_owned()]));
        let basket = deed(11, PersonAction::Basket(vec!["c".to_owned()]));
        views.chain([ordered, basket]).for_each(|deed| model.add(&deed));
        let shares = popular(&model, &["nobody's", "a", "b", "c"]);
        let share = |count: u64| ONE * log2(1 + count) as u64 / log2(64) as u64;
        assert_eq!(shares, [0, share(9), share(4), share(2)]);
        (12..=200).for_each(|person| model.add(&deed(person, PersonAction::Viewed("c".to_owned()))));
        let shares = popular(&model, &["a", "c"]);
        assert!(shares[1] == ONE && shares[0] < share(9), "{shares:?}");
        assert_eq!(popular(&Model::default(), &["a"]), [0]);
        assert_eq!(most_popular(&model), ["c", "a", "c", "b"], "by looks, baskets and orders");
    }

    #[test]
    fn a_session_calls_for_what_others_looked_at_beside_it() {
        let mut model = Model::default();
        for person in 0..20 {
            let items = if person % 2 == 0 { ["a", "b"] } else { ["c", "d"] };
            items
                .into_iter()
                .for_each(|item| model.add(&deed(person, PersonAction::Viewed(item.to_owned()))));
        }
        let others = OtherSessions::including_all(model.views());
        let mut recommender = SessionRecommender::default();
        let shares = called_for(&others, &mut recommender, &["a"], &["a", "b", "c", "d", "e"]);
        assert!(shares[0].max(shares[1]) == ONE && shares[0] > 0 && shares[1] > 0, "{shares:?}");
        assert_eq!(shares[2..], [0; 3]);
        let mut most = most_called_for(&others, &mut recommender, &["a"]);
        most.sort_unstable();
        assert_eq!(most, ["a", "b"]);
        assert_eq!(called_for(&others, &mut recommender, &["e"], &["a"]), [0]);
    }
}
