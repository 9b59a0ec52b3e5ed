//! Stores shoppers' events from any door: products as the catalogue calls them, turns, and new visitors.

use std::collections::HashSet;
use std::sync::Arc;

use crate::accept::events::{AcceptedAs, AcceptedEvent, EventBatch, EventsFault};
use crate::admission::{self, VisitorReservation, VisitorSource};
use crate::api::detached_task::to_its_end;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::keys::ReservedSlots;
use crate::node::Node;
use crate::people::actor::Actor;
use crate::people::event_action::{EventAction, EventItem, ResolvedItems};
use crate::people::order::{Order, Purchase, PurchaseLine};
use crate::people::subject::SubjectId;
use crate::store::Tx;
use crate::transport::refusal::Refusal;
use crate::{accept, addresses, limits};

/// The item that a sent id or SKU names; `None` when the shop does not show it.
pub fn find_item(shown: &ResolvedItems, sent: &str) -> Option<EventItem> {
    shown.get(sent).cloned().flatten()
}

/// A basket with those of its products that the shop shows, each product and variant once; `None` when it shows none of
/// them.
pub fn basket_set<'p>(
    shown: &ResolvedItems,
    products: impl ExactSizeIterator<Item = &'p String>,
) -> Option<EventAction> {
    let is_empty = products.len() == 0;
    let mut seen = HashSet::new();
    let known = products.filter_map(|product| find_item(shown, product));
    let known: Vec<_> = known.filter(|item| seen.insert(item.clone())).collect();
    (is_empty || !known.is_empty()).then_some(EventAction::BasketSet(known))
}

/// An order of a customer, without addresses in the names of products.
pub fn order(id: String, who: Actor, mut lines: Vec<PurchaseLine>, ordered_at: Millis) -> Order {
    for line in &mut lines {
        line.product =
            addresses::without_addresses(&line.product).unwrap_or_else(|| std::mem::take(&mut line.product));
    }
    Order {
        blanked_id: addresses::without_addresses(&id),
        id,
        user_id: who.user_id,
        email: who.email,
        company: who.company,
        bought: Purchase { ordered_at, lines },
    }
}

/// Counts events by outcome.
pub fn count(outcome: &'static str, count: usize) {
    metrics::counter!("lethe_events_total", "outcome" => outcome).increment(count as u64);
}

/// Stores events, all or none, and returns the outcome of each; `None` when the request was stored before. They count
/// in recommendations within a second.
///
/// # Errors
/// A refusal when there is no turn in time, or the store or a key fails.
pub async fn store(
    node: &Arc<Node>,
    account: AccountId,
    asker: VisitorSource,
    request: EventBatch,
) -> Result<Option<Vec<AcceptedAs>>, Refusal> {
    if request.accepted.is_empty() && request.key.is_none() {
        return Ok(Some(Vec::new()));
    }
    let is_order =
        |accepted: &AcceptedEvent| matches!(accepted, AcceptedEvent::Order(_) | AcceptedEvent::OrderAt(..));
    let has_orders = request.accepted.iter().any(is_order);
    let Some(became) = in_turn(node, account, asker, request).await? else { return Ok(None) };
    let taken = became.iter().filter(|became| became.is_taken()).count();
    let later = became.iter().filter(|became| became.is_later()).count();
    count("accepted", taken);
    count("later", later);
    count("withdrawn", became.len() - taken - later);
    node.derived.models().wake(account);
    if has_orders {
        node.noting.schedule(account);
    }
    Ok(Some(became))
}

async fn in_turn(
    node: &Arc<Node>,
    account: AccountId,
    asker: VisitorSource,
    request: EventBatch,
) -> Result<Option<Vec<AcceptedAs>>, Refusal> {
    let who = admission::Tenant::Account(account);
    let people = request.accepted.len();
    let address = if let VisitorSource::Client(address) = asker { Some(address) } else { None };
    let is_of_page = asker != VisitorSource::Secret;
    let page_turn = if is_of_page {
        let turns = &node.resources.page_events;
        let turn = turns.take_at(who, address, people.max(1), limits::EVENTS_WAIT_DURATION).await;
        Some(turn.ok_or_else(Refusal::busy)?)
    } else {
        None
    };
    let turns = &node.resources.events;
    let turn = turns.take_at(who, address, people.max(1), limits::EVENTS_WAIT_DURATION).await;
    let turn = turn.ok_or_else(Refusal::busy)?;
    let unit = Arc::new(EventsUnit {
        node: node.clone(),
        account,
        request,
        now: node.clock.now(),
        visitors: node.resources.new_visitors.entry(account, asker),
    });
    let keys = node.keys.clone();
    let node = node.clone();
    let storing = async move {
        let write = |spares| unit.clone().write(spares);
        let stored = keys.with_spares_at_need(people, EventsFault::is_outcome_unknown, write).await;
        // It ends when all is stored, even if the caller has left.
        drop((turn, page_turn));
        let (stored, lost) = stored.map_err(Refusal::from)?;
        // A model that is being compared takes long to remove a person: no turn waits for that.
        node.derived.forget(account, &lost).await;
        Ok(stored)
    };
    to_its_end(storing).await
}

/// Unit of work: everything that is stored together.
struct EventsUnit {
    node: Arc<Node>,
    account: AccountId,
    request: EventBatch,
    now: Millis,
    visitors: VisitorReservation,
}

impl EventsUnit {
    /// Returns the outcome of each, and the people who are in no model any more.
    async fn write(
        self: Arc<Self>,
        spares: Arc<ReservedSlots>,
    ) -> Result<(Option<Vec<AcceptedAs>>, Vec<SubjectId>), EventsFault> {
        let unit = self.clone();
        let of_unit = spares.clone();
        let storing = self.node.store.write(self.account, move |tx: &mut Tx<'_>| {
            let Self { node, account, request, now, visitors } = &*unit;
            accept::events::accept(tx, &node.keys, *account, (&of_unit, visitors), request, *now)
        });
        let stored = storing.await;
        if stored.as_ref().is_err_and(|fault| !fault.is_outcome_unknown()) {
            self.visitors.put_back();
        }
        Ok((stored?, spares.lost_subjects()))
    }
}

impl From<EventsFault> for Refusal {
    fn from(fault: EventsFault) -> Self {
        match fault {
            EventsFault::Subject(fault) => fault.into(),
            EventsFault::TooManyNew => Self::too_many_new(),
        }
    }
}
