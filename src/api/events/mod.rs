//! `POST /api/events`: shoppers' events, from the shop's server.

pub mod impressions;
mod request;
pub(super) mod store;

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use self::request::{EventsRequest, SentEvent, ShopperAction};
use super::account_quota;
use super::extract::Authenticated;
use crate::accept::events::{AcceptedAs, AcceptedEvent, EventBatch};
use crate::admission::VisitorSource;
use crate::clock::{Millis, day_of, millis};
use crate::limits;
use crate::node::Node;
use crate::people::consent::Withdrawal;
use crate::people::event::{self, NewEvent};
use crate::people::event_action::{EventAction, ResolvedItems};
use crate::people::order::{self, Order};
use crate::transport::refusal::{OfShop, Refusal};

/// Reason why an event of a new visitor is left out for now.
pub const LATER: &str = "Too many visitors of the shop are new just now: send this event again in a minute";

/// Reason for leaving out an event of a shopper who does not consent.
const NO_CONSENT: &str = "Consent is false: nothing of it is stored";

/// Outcome of a request with events.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct EventsAnswer {
    /// Number of events that were taken.
    accepted: usize,
    /// For each event its session, the outcome of its order, or the reason why it was left out; empty if the request
    /// was taken before.
    events: Vec<TakenEvent>,
    /// True if a request of the same `IdempotencyKey` was taken before: nothing of this one is stored.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    repeated: bool,
}

/// Outcome of an event.
#[derive(serde::Serialize, utoipa::ToSchema)]
pub enum TakenEvent {
    /// It was taken. The id of its session, for recommendations.
    SessionId(String),
    /// It is an order: `stored`, `cancelled`, `known` when the shop sent this order before, or `mixed` when an order
    /// of this number belongs to another person.
    Order(&'static str),
    /// It was left out, and why.
    LeftOut(String),
}

type EventsBySecret = Authenticated<EventsRequest>;

/// Takes shoppers' events; they count in recommendations within a second.
#[utoipa::path(post, path = "/api/events", operation_id = "events", tag = "additions", request_body = EventsBySecret,
    responses(OfShop, (status = 200, description = "Taken, durably, or left out, with the reason", body = EventsAnswer)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    EventsBySecret { account, question, .. }: EventsBySecret,
) -> Result<Json<EventsAnswer>, Refusal> {
    let account = account.id;
    let full = account_quota::check(&node, account).await.err();
    let withdraws = |sent: &Result<SentEvent, _>| matches!(sent, Ok(SentEvent::Withdrawn(_)));
    // Refused consent is taken even when the account is over its quota.
    if let Some(full) = full.as_ref().filter(|_| !question.events.iter().any(withdraws)) {
        return Err(full.clone());
    }
    let named = question.events.iter().flatten().flat_map(|sent| sent.products().cloned()).collect();
    let shown = node.derived.resolve_items(&node.store, &node.blobs, account, named).await?;
    let now = node.clock.now();
    let mut taken = Vec::with_capacity(question.events.len());
    let mut accepted = Vec::with_capacity(question.events.len());
    for sent in question.events {
        let sent = match &full {
            Some(full) if !withdraws(&sent) => Err(full.sentence().to_owned()),
            _ => sent,
        };
        match sent.and_then(|sent| accepted_of(sent, &shown, now)) {
            Ok(event) => {
                taken.push(None);
                accepted.push(event);
            }
            Err(reason) => taken.push(Some(TakenEvent::LeftOut(reason))),
        }
    }
    let left_out = taken.len() - accepted.len();
    let request = EventBatch { accepted, key: question.key };
    let Some(became) = store::store(&node, account, VisitorSource::Secret, request).await? else {
        return Ok(Json(EventsAnswer { accepted: 0, events: Vec::new(), repeated: true }));
    };
    store::count("left_out", left_out);
    let count = became.iter().filter(|became| became.is_taken()).count();
    let mut became = became.into_iter().map(describe_outcome);
    let events = taken.into_iter().filter_map(|left_out| left_out.or_else(|| became.next()));
    Ok(Json(EventsAnswer { accepted: count, events: events.collect(), repeated: false }))
}

/// Outcome of an accepted event, for the answer. Nothing is stored about a forgotten person, and the answer does not
/// say so.
fn describe_outcome(became: AcceptedAs) -> TakenEvent {
    let session = |id: uuid::Uuid| TakenEvent::SessionId(id.to_string());
    match became {
        AcceptedAs::Event(event::EventOutcome::In(visit)) => session(uuid::Uuid::from_u128(visit.id)),
        AcceptedAs::Event(event::EventOutcome::Nothing) => session(uuid::Uuid::new_v4()),
        AcceptedAs::Event(event::EventOutcome::Later) => TakenEvent::LeftOut(LATER.to_owned()),
        AcceptedAs::Withdrawn => TakenEvent::LeftOut(NO_CONSENT.to_owned()),
        AcceptedAs::Order(order::OrderOutcome::Kept | order::OrderOutcome::Dropped) => {
            TakenEvent::Order("stored")
        }
        AcceptedAs::Order(order::OrderOutcome::TakenBack) => TakenEvent::Order("cancelled"),
        AcceptedAs::Order(order::OrderOutcome::Repeated) => TakenEvent::Order("known"),
        AcceptedAs::Order(order::OrderOutcome::Mixed) => TakenEvent::Order("mixed"),
        // A sender of events names the shopper with each.
        AcceptedAs::OfNobody | AcceptedAs::Heard => TakenEvent::LeftOut("It names nobody".to_owned()),
        AcceptedAs::Order(order::OrderOutcome::TooManyLines) => {
            TakenEvent::LeftOut(format!("An order has up to {} lines", limits::ORDER_LINES))
        }
    }
}

/// Returns the event to store, or the reason why it cannot be stored.
fn accepted_of(sent: SentEvent, shown: &ResolvedItems, now: Millis) -> Result<AcceptedEvent, String> {
    let (did, at, who) = match sent {
        SentEvent::Withdrawn(visitor) => {
            let withdrawal = visitor.map(|visitor| Withdrawal { visitor, is_proven: true });
            return withdrawal.map(AcceptedEvent::Withdrawn).ok_or_else(|| NO_CONSENT.to_owned());
        }
        SentEvent::Cancelled(id) => return Ok(AcceptedEvent::Order(Order::new_cancelled(id))),
        SentEvent::Done { did, at, who } => (did, at.unwrap_or(now), who),
    };
    if at > now + millis(limits::CLOCKS_APART_DURATION) {
        return Err("At is in the future: it is in milliseconds since 1970".to_owned());
    }
    if who.last_day(at) <= day_of(now) {
        return Err("At is so long ago that the event would not be kept".to_owned());
    }
    let item = |product: &str| {
        store::find_item(shown, product)
            .ok_or("The shop shows no product of that Id or Sku, nor of a variant")
    };
    let what = match *did {
        ShopperAction::Viewed(product) => EventAction::ProductViewed(item(&product)?),
        ShopperAction::Basket(products) => {
            store::basket_set(shown, products.iter()).ok_or("The shop shows none of the products in Items")?
        }
        ShopperAction::Searched(search) => EventAction::Searched(search),
        ShopperAction::SawZones(zones) => EventAction::ZonesSeen(zones),
        ShopperAction::Clicked(product, source) => EventAction::Clicked(item(&product)?, source),
        ShopperAction::Ordered { id, lines } => {
            return Ok(AcceptedEvent::Order(store::order(id, who, lines, at.min(now))));
        }
    };
    Ok(AcceptedEvent::Event(NewEvent { who, at: at.min(now), what, is_of_page: false }))
}
