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
use crate::ids::AccountId;
use crate::keys::Spares;
use crate::limits;
use crate::node::Node;
use crate::spelling;
use crate::store::Tx;
use crate::subjects::event::{Event, What};
use crate::subjects::order::{Bought, Order, Stored};
use crate::subjects::subject::SubjectFault;

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
    let count = accepted.len();
    let mut became = stored(&node, account, accepted).await?.into_iter();
    metrics::counter!("lethe_events_total", "outcome" => "accepted").increment(count as u64);
    let left_out = (taken.len() - count) as u64;
    metrics::counter!("lethe_events_total", "outcome" => "left_out").increment(left_out);
    node.derived.models().wake(account);
    if has_orders {
        node.noting.ask(account);
    }
    let events = taken.into_iter().map(|left_out| left_out.or_else(|| became.next().map(told)));
    Ok(Json(EventsAnswer { accepted: count, events: events.flatten().collect() }))
}

/// What is said of an event that was taken. Of somebody who is forgotten nothing is stored, and the answer does not say
/// so.
fn told(became: Became) -> TakenEvent {
    match became {
        Became::OfSession(visit) => {
            let id = visit.map_or_else(uuid::Uuid::new_v4, |visit| uuid::Uuid::from_u128(visit.id));
            TakenEvent::SessionId(id.to_string())
        }
        Became::Order(Stored::Kept | Stored::Dropped) => TakenEvent::Order("stored"),
        Became::Order(Stored::Repeated) => TakenEvent::Order("known"),
        Became::Order(Stored::Mixed) => TakenEvent::Order("mixed"),
        // It has no more lines than a basket may have.
        Became::Order(Stored::TooManyLines) => TakenEvent::LeftOut("The order has too many lines".to_owned()),
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
    let node = node.clone();
    let now = node.clock.now();
    let people = accepted.len();
    let is_unknown =
        |fault: &SubjectFault| matches!(fault, SubjectFault::Store(fault) if fault.is_outcome_unknown());
    let storing = async move {
        let write = async |spares: Arc<Spares>| {
            let keys = node.keys.clone();
            let work =
                move |tx: &mut Tx<'_>| accept::events::accept(tx, &keys, account, &spares, &accepted, now);
            node.store.write(account, work).await
        };
        node.keys.with_spares(people, is_unknown, write).await.map_err(Refusal::from)
    };
    to_its_end(storing).await
}
