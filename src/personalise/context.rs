//! Context of a request for recommendations, and the model's answer to it: catalogue ids, in owned form, so that the
//! model is let go before they are looked up.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::ranked::{Ranked, Reason, rank_items};
use super::request::{RecommendRequest, ShopperIdentity};
use crate::clock::day_of;
use crate::recommend::bought_together_focus::BoughtTogetherFocus;
use crate::recommend::co_purchase::{Goods, also_bought, bought_again, bought_together};
use crate::recommend::co_view::most_viewed;
use crate::recommend::history::SessionKey;
use crate::recommend::leave_one_out::OtherSessions;
use crate::recommend::model::{Model, Person};
use crate::recommend::session::{CLICKS, SessionRecommender};
use crate::recommend::trending::trending;

/// Weight of being in one order, and of being in one basket.
const ORDER_COUNTS: u64 = 2;
const BASKET_COUNTS: u64 = 1;
/// Most sessions of a person that ask: the newest.
pub(super) const PERSON_SESSIONS: usize = 100;

/// A session that asks, or an unknown shopper with some products.
#[derive(Clone)]
pub(super) struct RecommendContext<'q> {
    /// Sessions that are its own: they are excluded from the statistics.
    own: Vec<SessionKey>,
    /// Owner, unless the session is old: the id of an old session gives access to no history.
    person: Option<Person>,
    /// Ids of the clicked products, the newest last.
    pub(super) clicks: Cow<'q, [String]>,
    /// True if the request named the newest product, rather than an event.
    is_named: bool,
    /// Products in the basket: of the request if it names them, otherwise of the session.
    pub(super) basket: Vec<String>,
    /// Products that the person bought, if these are not wanted.
    pub(super) bought: Vec<String>,
}

impl<'q> RecommendContext<'q> {
    pub(super) fn new(model: &Model, asked: &'q RecommendRequest) -> Self {
        let key_of = |id| model.session(id);
        let is_new = |session: &SessionKey| day_of(session.start) + 1 >= model.day();
        let mut of_person = match asked.shopper {
            ShopperIdentity::Known(person) | ShopperIdentity::LeftOut(person) => model.sessions_of(&person),
            ShopperIdentity::Unknown => Vec::new(),
        };
        of_person.drain(..of_person.len().saturating_sub(PERSON_SESSIONS));
        let is_known = matches!(asked.shopper, ShopperIdentity::Known(_));
        // Orders are sessions of their own.
        let is_now = |key: &&SessionKey| is_known && is_new(key) && key_of(key.id).is_some();
        let session = asked.session.and_then(key_of).or_else(|| of_person.iter().rev().find(is_now).copied());
        let is_asked = !asked.items.is_empty();
        let mut clicks = if is_asked {
            Cow::Borrowed(&*asked.items)
        } else {
            let viewed = session.into_iter().flat_map(|session| model.views_of(session));
            viewed.map(|id| id.as_ref().to_owned()).collect::<Vec<_>>().into()
        };
        // The event of a page is not yet in the model when the page asks.
        if let Some(product) = asked.product.iter().find(|product| clicks.last() != Some(product)) {
            clicks.to_mut().push(product.clone());
        }
        let of_session = || session.map(|session| model.basket_of(session)).unwrap_or_default();
        let basket = asked.basket.clone().unwrap_or_else(of_session);
        let person = match asked.shopper {
            ShopperIdentity::Known(person) => Some(person),
            _ => session.filter(is_new).and_then(|session| model.owner(session.id)).copied(),
        };
        let bought = person.filter(|_| asked.exclude_bought).map(|person| {
            bought_again(model, &person, usize::MAX).into_iter().map(|(_, id)| id.to_owned()).collect()
        });
        // A page's word about its shopper names no product that they are about to buy.
        let is_items = is_asked && !asked.knows_page;
        let is_named = is_items || asked.product.is_some();
        let own = if of_person.is_empty() { session.into_iter().collect() } else { of_person };
        Self { own, person, clicks, is_named, basket, bought: bought.unwrap_or_default() }
    }

    pub(super) fn newest(&self) -> Option<&str> {
        self.clicks.last().map(String::as_str)
    }

    /// The context with its newest clicks alone, those on these products moved to the end.
    pub(super) fn with_newest_among(&self, products: &[&str]) -> Self {
        let newest = &self.clicks[self.clicks.len().saturating_sub(CLICKS)..];
        let asked: FxHashSet<&str> = newest.iter().map(String::as_str).collect();
        let there: FxHashSet<&str> = products.iter().copied().filter(|id| asked.contains(id)).collect();
        let (among, mut clicks): (Vec<String>, Vec<_>) =
            newest.iter().cloned().partition(|id| there.contains(id.as_str()));
        clicks.extend(among);
        Self { clicks: clicks.into(), ..self.clone() }
    }

    pub(super) fn other_sessions<'m>(&self, model: &'m Model) -> OtherSessions<'m> {
        OtherSessions::than_all(model.views(), &self.own)
    }

    pub(super) fn because(&self, code: &'static str) -> Reason {
        Reason { code, product: self.newest().map(str::to_owned) }
    }

    /// As [`RecommendContext::because`], for [`RecommendContext::goods`].
    pub(super) fn because_of_basket(&self, code: &'static str) -> Reason {
        match self.goods() {
            [one] => Reason { code, product: Some(one.clone()) },
            _ => Reason { code, product: None },
        }
    }

    /// Goods that are to be bought: the newest item that was named, otherwise the basket, otherwise the newest click.
    fn goods(&self) -> &[String] {
        let newest = &self.clicks[self.clicks.len().saturating_sub(1)..];
        let asks_basket = !self.basket.is_empty() && !self.is_named;
        if asks_basket { &self.basket } else { newest }
    }

    pub(super) fn together(&self, model: &Model, focus: BoughtTogetherFocus, most: usize) -> Ranked<()> {
        let among = [(model.orders(), ORDER_COUNTS), (model.baskets(), BASKET_COUNTS)]
            .map(|(history, counts)| (OtherSessions::than_all(history, &self.own), counts));
        rank_goods(bought_together(&among, self.goods(), focus, most))
    }

    pub(super) fn also_bought(&self, model: &Model, most: usize) -> Ranked<()> {
        rank_goods(also_bought(model, self.person.as_ref(), self.goods(), most))
    }

    /// Products that the shopper viewed, the newest first: in all of their sessions, if it is known who they are.
    pub(super) fn viewed_products(&self, model: &Model, is_known: bool) -> Vec<String> {
        let before = self.own.iter().filter(|_| is_known).flat_map(|session| model.views_of(*session));
        let all = before.map(|id| id.as_ref().to_owned()).chain(self.clicks.iter().cloned());
        let mut all: Vec<_> = all.collect();
        all.reverse();
        all
    }

    pub(super) fn buy_again(&self, model: &Model, most: usize) -> Ranked<()> {
        self.person.map(|person| rank_goods(bought_again(model, &person, most))).unwrap_or_default()
    }

    pub(super) fn best_sellers(&self, model: &Model, most: usize) -> Ranked<()> {
        let others = OtherSessions::including_all(model.orders());
        drop_values(rank_items(&others, most_viewed(&others, most, |_| true)))
    }

    pub(super) fn trending(&self, model: &Model, most: usize) -> Ranked<()> {
        let others = self.other_sessions(model);
        drop_values(rank_items(&others, trending(&others, model.day(), most, |_| true)))
    }

    /// Products that all sessions of the person call for, the newest clicks first, without those that they viewed.
    pub(super) fn for_you(
        &self,
        model: &Model,
        recommender: &mut SessionRecommender,
        most: usize,
    ) -> Ranked<()> {
        let Some(person) = self.person else { return Vec::new() };
        let views = model.views();
        let mut sessions = model.sessions_of(&person);
        sessions.drain(..sessions.len().saturating_sub(PERSON_SESSIONS));
        let clicks = sessions.iter().flat_map(|session| model.views_of(*session));
        let clicks: Vec<_> = clicks.collect();
        let known: HashSet<&str> = clicks.iter().map(|id| &**id).collect();
        let others = OtherSessions::than_all(views, &sessions);
        let is_new = |item| !known.contains(views.id(item));
        let scored = recommender.recommend(&others, &clicks, most, is_new);
        drop_values(rank_items(&others, scored))
    }
}

fn rank_goods(goods: Vec<Goods<'_>>) -> Ranked<()> {
    goods.into_iter().map(|(_, id)| (Arc::from(id), ())).collect()
}

fn drop_values<T>(all: Ranked<T>) -> Ranked<()> {
    all.into_iter().map(|(id, _)| (id, ())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Millis;
    use crate::recommend::model::{Interaction, PersonAction};

    const DAY: Millis = 24 * 60 * 60 * 1000;
    const TODAY: i64 = 100;
    const ANNA: Person = [1; 16];

    fn open_model() -> Model {
        let mut model = Model::default();
        model.begin_day(TODAY);
        model
    }

    /// A person does something in the session of a number, which began so many days ago.
    fn act(model: &mut Model, person: Person, number: u128, days_ago: i64, act: PersonAction) {
        let session = SessionKey { start: (TODAY - days_ago) * DAY + number as i64, id: number };
        model.add(&Interaction { person, session, ends: TODAY + 9, act });
    }

    fn viewed(id: &str) -> PersonAction {
        PersonAction::Viewed(id.to_owned())
    }

    fn texts(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    fn request(shopper: ShopperIdentity) -> RecommendRequest {
        RecommendRequest { shopper, ..RecommendRequest::default() }
    }

    #[test]
    fn the_newest_hundred_sessions_of_a_person_ask() {
        let mut model = open_model();
        for number in 0..=PERSON_SESSIONS {
            act(&mut model, ANNA, number as u128, 0, viewed(&format!("p{number}")));
        }
        for (number, last) in [(500, "p0"), (501, "p100")] {
            act(&mut model, [2; 16], number, 0, viewed(last));
            act(&mut model, [2; 16], number, 0, viewed(&format!("beside-{last}")));
        }
        let asked = request(ShopperIdentity::Known(ANNA));
        let context = RecommendContext::new(&model, &asked);
        let all = context.viewed_products(&model, true);
        assert_eq!((all[0].as_str(), all[all.len() - 1].as_str()), ("p100", "p1"));
        let found = context.for_you(&model, &mut SessionRecommender::default(), 9);
        assert_eq!(found.iter().map(|(id, ())| &**id).collect::<Vec<_>>(), ["beside-p100"]);
    }

    #[test]
    fn a_known_shopper_asks_with_their_last_session_of_today_or_yesterday() {
        let mut model = open_model();
        let clicks =
            |model: &Model, shopper| RecommendContext::new(model, &request(shopper)).clicks.into_owned();
        let known = ShopperIdentity::Known(ANNA);
        act(&mut model, ANNA, 1, 2, viewed("old"));
        assert_eq!(clicks(&model, known), [""; 0]);
        act(&mut model, ANNA, 2, 1, viewed("yesterday"));
        assert_eq!(clicks(&model, known), ["yesterday"]);
        act(&mut model, ANNA, 3, 0, viewed("today"));
        act(&mut model, ANNA, 4, 0, PersonAction::Ordered(texts(&["ordered"])));
        assert_eq!(clicks(&model, known), ["today"], "an order is no session with views");
        let left_out = request(ShopperIdentity::LeftOut(ANNA));
        let context = RecommendContext::new(&model, &left_out);
        assert!(context.clicks.is_empty());
        assert_eq!(
            context.other_sessions(&model).item("today"),
            None,
            "their history is not read, nor counted"
        );
    }

    #[test]
    fn the_product_of_a_page_is_the_newest_click_once() {
        let model = open_model();
        let clicks = |product: &str| {
            let items = texts(&["a", "b"]);
            let asked =
                RecommendRequest { items, product: Some(product.to_owned()), ..RecommendRequest::default() };
            RecommendContext::new(&model, &asked).clicks.into_owned()
        };
        assert_eq!(clicks("b"), ["a", "b"]);
        assert_eq!(clicks("a"), ["a", "b", "a"]);
    }

    #[test]
    fn clicks_on_some_products_move_to_the_end_and_keep_their_order() {
        let model = open_model();
        let items = texts(&["a", "x", "b", "y"]);
        let asked = RecommendRequest { items, ..RecommendRequest::default() };
        let context = RecommendContext::new(&model, &asked);
        let clicks = |products: &[&str]| {
            let context = context.with_newest_among(products);
            (context.clicks.join(" "), context.newest().map(str::to_owned))
        };
        assert_eq!(clicks(&["a", "b"]), ("x y a b".to_owned(), Some("b".to_owned())));
        assert_eq!(clicks(&[]), ("a x b y".to_owned(), Some("y".to_owned())));
    }

    #[test]
    fn what_goes_with_one_product_names_it_and_what_goes_with_a_basket_names_none() {
        let mut model = open_model();
        act(&mut model, ANNA, 7, 0, PersonAction::Basket(texts(&["told"])));
        let named = |basket: Option<&[&str]>, items: &[&str], knows_page: bool| {
            let basket = basket.map(texts);
            let asked = RecommendRequest {
                session: Some(7),
                basket,
                items: texts(items),
                knows_page,
                ..RecommendRequest::default()
            };
            RecommendContext::new(&model, &asked).because_of_basket("bought_together").product
        };
        assert_eq!(named(None, &[], false).as_deref(), Some("told"));
        assert_eq!(named(Some(&["x"]), &[], false).as_deref(), Some("x"));
        assert_eq!(named(Some(&["x", "y"]), &[], false), None);
        assert_eq!(named(Some(&[]), &[], false), None, "the caller knows that it is empty");
        assert_eq!(named(Some(&["x"]), &["i"], false).as_deref(), Some("i"));
        assert_eq!(
            named(Some(&["x"]), &["i"], true).as_deref(),
            Some("x"),
            "a page's word about its shopper"
        );
    }

    #[test]
    fn what_was_bought_is_left_out_on_request_of_who_is_known() {
        let mut model = open_model();
        act(&mut model, ANNA, 1, 0, PersonAction::Ordered(texts(&["bought"])));
        act(&mut model, ANNA, 2, 2, viewed("old"));
        act(&mut model, ANNA, 3, 1, viewed("new"));
        let bought = |session, exclude_bought| {
            let asked =
                RecommendRequest { session: Some(session), exclude_bought, ..RecommendRequest::default() };
            RecommendContext::new(&model, &asked).bought
        };
        assert_eq!(bought(3, true), ["bought"]);
        assert_eq!([bought(3, false), bought(2, true), bought(9, true)], [[""; 0]; 3]);
    }

    #[test]
    fn the_owner_of_a_session_counts_while_it_is_of_today_or_yesterday() {
        let mut model = open_model();
        for (number, days_ago) in [(1, 2), (2, 1), (3, 0)] {
            act(&mut model, ANNA, number, days_ago, viewed("p1"));
        }
        let person = |session| {
            let asked = RecommendRequest { session: Some(session), ..RecommendRequest::default() };
            RecommendContext::new(&model, &asked).person
        };
        assert_eq!([1, 2, 3, 9].map(person), [None, Some(ANNA), Some(ANNA), None]);
    }

    #[test]
    fn goods_are_the_newest_product_that_was_named_and_else_the_basket() {
        let model = open_model();
        let goods = |items: &[&str], basket: &[&str], product: Option<&str>| {
            let basket = Some(texts(basket));
            let product = product.map(str::to_owned);
            let asked =
                RecommendRequest { items: texts(items), basket, product, ..RecommendRequest::default() };
            let context = RecommendContext::new(&model, &asked);
            (context.goods().to_vec(), context.newest().map(str::to_owned))
        };
        let wanted = |goods: &[&str], newest: Option<&str>| (texts(goods), newest.map(str::to_owned));
        assert_eq!(goods(&["a", "b"], &["x", "y"], None), wanted(&["b"], Some("b")));
        assert_eq!(goods(&["a", "b"], &["x", "y"], Some("c")), wanted(&["c"], Some("c")));
        assert_eq!(goods(&[], &["x", "y"], Some("c")), wanted(&["c"], Some("c")));
        assert_eq!(goods(&[], &["x", "y"], None), wanted(&["x", "y"], None));
        assert_eq!(goods(&["a", "b"], &[], None), wanted(&["b"], Some("b")));
        assert_eq!(goods(&[], &[], None), wanted(&[], None));
    }
}
