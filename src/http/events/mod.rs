//! `POST /api/events`: what shoppers do, as the shop's server tells it.

mod question;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use self::question::{Did, EventsRequest, Sent};
use super::asking::BySecret;
use super::refusal::{OfShop, Refusal};
use super::{account_quota, to_its_end};
use crate::accept;
use crate::accept::events::{Accepted, Became};
use crate::clock::{Millis, day_of, millis};
use crate::fairness::{self, Asker, Entry};
use crate::ids::AccountId;
use crate::keys::Spares;
use crate::limits;
use crate::node::Node;
use crate::spelling;
use crate::store::Tx;
use crate::subjects::event::{self, Event, What};
use crate::subjects::order::{self, Bought, Order};
use crate::subjects::subject::SubjectFault;

/// Why an event of a new visitor is left out for now.
pub const LATER: &str = "Too many visitors of the shop are new just now: send this event again in a minute";

/// What became of the events.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct EventsAnswer {
    /// How many were taken.
    accepted: usize,
    /// Of each event its session, what became of its order, or why it was left out.
    events: Vec<TakenEvent>,
}

/// What became of an event.
#[derive(serde::Serialize, utoipa::ToSchema)]
pub enum TakenEvent {
    /// It was taken. The id of its session, for recommendations.
    SessionId(String),
    /// It is an order: `stored`, `known` when the shop sent this order before, or `mixed` when an order of this number
    /// is somebody else's.
    Order(&'static str),
    /// It was left out, and why.
    LeftOut(String),
}

type Asked = BySecret<EventsRequest>;

/// Takes what shoppers did; it counts in recommendations within a second.
#[utoipa::path(post, path = "/api/events", operation_id = "events", tag = "additions", request_body = Asked,
    responses(OfShop, (status = 200, description = "Taken, durably, or left out, with the reason", body = EventsAnswer)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    Asked { account, question, .. }: Asked,
) -> Result<Json<EventsAnswer>, Refusal> {
    let account = account.id;
    account_quota::check(&node, account).await?;
    let named = question.events.iter().flatten().flat_map(|sent| sent.did.products().cloned()).collect();
    let ids = node.derived.ids_of(&node.store, &node.blobs, account, named).await?;
    let now = node.clock.now();
    let mut taken = Vec::with_capacity(question.events.len());
    let mut accepted = Vec::with_capacity(question.events.len());
    for sent in question.events {
        match sent.and_then(|sent| sent.accepted(&ids, now)) {
            Ok(event) => {
                taken.push(None);
                accepted.push(event);
            }
            Err(reason) => taken.push(Some(TakenEvent::LeftOut(reason))),
        }
    }
    let has_orders = accepted.iter().any(|accepted| matches!(accepted, Accepted::Order(_)));
    let left_out = taken.len() - accepted.len();
    let became = stored(&node, account, accepted).await?;
    let is_later = |became: &&Became| matches!(became, Became::Event(event::Stored::Later));
    let later = became.iter().filter(is_later).count();
    let count = became.len() - later;
    for (outcome, count) in [("accepted", count), ("left_out", left_out), ("later", later)] {
        metrics::counter!("lethe_events_total", "outcome" => outcome).increment(count as u64);
    }
    node.derived.models().wake(account);
    if has_orders {
        node.noting.ask(account);
    }
    let mut became = became.into_iter().map(told);
    let events = taken.into_iter().filter_map(|left_out| left_out.or_else(|| became.next()));
    Ok(Json(EventsAnswer { accepted: count, events: events.collect() }))
}

/// What is said of an event that was taken. Of somebody who is forgotten nothing is stored, and the answer does not say
/// so.
fn told(became: Became) -> TakenEvent {
    let session = |id: uuid::Uuid| TakenEvent::SessionId(id.to_string());
    match became {
        Became::Event(event::Stored::In(visit)) => session(uuid::Uuid::from_u128(visit.id)),
        Became::Event(event::Stored::Nothing) => session(uuid::Uuid::new_v4()),
        Became::Event(event::Stored::Later) => TakenEvent::LeftOut(LATER.to_owned()),
        Became::Order(order::Stored::Kept | order::Stored::Dropped) => TakenEvent::Order("stored"),
        Became::Order(order::Stored::Repeated) => TakenEvent::Order("known"),
        Became::Order(order::Stored::Mixed) => TakenEvent::Order("mixed"),
        Became::Order(order::Stored::TooManyLines) => {
            TakenEvent::LeftOut(format!("An order has up to {} lines", limits::ORDER_LINES))
        }
    }
}

impl Sent {
    /// What is to be stored, or why it cannot be.
    fn accepted(self, ids: &HashMap<String, Option<String>>, now: Millis) -> Result<Accepted, String> {
        let at = self.at.unwrap_or(now);
        if at > now + millis(limits::CLOCKS_APART_DURATION) {
            return Err("At is in the future: it is in milliseconds since 1970".to_owned());
        }
        if self.who.until(at) <= day_of(now) {
            return Err("At is so long ago that the event would not be kept".to_owned());
        }
        let shown = |name: &String| ids.get(name).cloned().flatten();
        let what = match self.did {
            Did::Viewed(product) => {
                let id = shown(&product);
                What::ProductViewed(
                    id.ok_or("The shop shows no product of that Id or Sku, nor of a variant")?,
                )
            }
            Did::Basket(products) => {
                let mut seen = HashSet::new();
                let known: Vec<_> = products.iter().filter_map(shown).collect();
                if known.is_empty() && !products.is_empty() {
                    return Err("The shop shows none of the products in Items".to_owned());
                }
                What::BasketSet(known.into_iter().filter(|id| seen.insert(id.clone())).collect())
            }
            Did::Ordered { id, mut lines } => {
                for line in &mut lines {
                    line.product = spelling::without_addresses(&line.product)
                        .unwrap_or_else(|| std::mem::take(&mut line.product));
                }
                return Ok(Accepted::Order(Order {
                    blanked_id: spelling::without_addresses(&id),
                    id,
                    user_id: self.who.user_id,
                    email: self.who.email,
                    company: self.who.company,
                    bought: Bought { ordered_at: at.min(now), lines },
                }));
            }
        };
        Ok(Accepted::Event(Event { who: self.who, at: at.min(now), what }))
    }
}

async fn stored(
    node: &Arc<Node>,
    account: AccountId,
    accepted: Vec<Accepted>,
) -> Result<Vec<Became>, Refusal> {
    if accepted.is_empty() {
        return Ok(Vec::new());
    }
    // red: it::fairness::sqlite::events_of_one_shop_leave_turns_for_another
    let who = mutant!(
        "all-accounts-store-events-in-one-turn",
        fairness::Who::Account(account),
        fairness::Who::Operator
    );
    let turn = node.fairness.events.take(who, accepted.len(), limits::EVENTS_WAIT_DURATION).await;
    let turn = turn.ok_or_else(Refusal::busy)?;
    let people = accepted.len();
    let unit = Arc::new(Unit {
        node: node.clone(),
        account,
        accepted,
        now: node.clock.now(),
        visitors: node.fairness.new_visitors.entry(account, Asker::Secret),
    });
    let keys = node.keys.clone();
    let storing = async move {
        // It ends with the work, also when nobody waits for it any longer.
        let _turn = turn;
        let write = |spares| unit.clone().write(spares);
        // red: it::visitors::sqlite::who_is_known_waits_for_no_key
        let stored = mutant!(
            "an-event-of-somebody-known-waits-for-a-key",
            keys.with_spares_at_need(people, is_unknown, write).await,
            keys.with_spares(people, is_unknown, write).await
        );
        stored.map_err(Refusal::from)
    };
    to_its_end(storing).await
}

/// What is stored together.
struct Unit {
    node: Arc<Node>,
    account: AccountId,
    accepted: Vec<Accepted>,
    now: Millis,
    visitors: Entry,
}

impl Unit {
    async fn write(self: Arc<Self>, spares: Arc<Spares>) -> Result<Vec<Became>, SubjectFault> {
        let unit = self.clone();
        let of_unit = spares.clone();
        let storing = self.node.store.write(self.account, move |tx: &mut Tx<'_>| {
            let Self { node, account, accepted, now, visitors } = &*unit;
            accept::events::accept(tx, &node.keys, *account, (&of_unit, visitors), accepted, *now)
        });
        let stored = storing.await;
        if stored.as_ref().is_err_and(|fault| !is_unknown(fault)) {
            self.visitors.put_back();
        }
        let stored = stored?;
        self.node.derived.forget(self.account, &spares.lost()).await;
        Ok(stored)
    }
}

fn is_unknown(fault: &SubjectFault) -> bool {
    matches!(fault, SubjectFault::Store(fault) if fault.is_outcome_unknown())
}
