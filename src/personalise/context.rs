//! Context of a request for recommendations, and the model's answer to it: catalogue ids, in owned form, so that the
//! model is let go before they are looked up.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use super::ranked::{Ranked, Reason, rank_items};
use super::request::{RecommendRequest, ShopperIdentity};
use crate::clock::day_of;
use crate::recommend::co_purchase::{Goods, also_bought, bought_again, bought_together};
use crate::recommend::co_view::most_viewed;
use crate::recommend::history::SessionKey;
use crate::recommend::leave_one_out::OtherSessions;
use crate::recommend::model::{Model, Person};
use crate::recommend::session::SessionRecommender;
use crate::recommend::trending::trending;

/// Weight of being in one order, and of being in one basket.
const ORDER_COUNTS: u64 = 2;
const BASKET_COUNTS: u64 = 1;
/// Most sessions of a person that ask: the newest.
const PERSON_SESSIONS: usize = 100;

/// A session that asks, or an unknown shopper with some products.
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

    pub(super) fn together(&self, model: &Model, most: usize) -> Ranked<()> {
        let among = [(model.orders(), ORDER_COUNTS), (model.baskets(), BASKET_COUNTS)]
            .map(|(history, counts)| (OtherSessions::than_all(history, &self.own), counts));
        rank_goods(bought_together(&among, self.goods(), most))
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
