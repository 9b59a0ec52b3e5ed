//! Storing what shoppers did, however it was told: products as the catalogue calls them, turns, and new visitors.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::accept;
use crate::accept::events::{Accepted, Became};
use crate::clock::Millis;
use crate::fairness::{self, Asker, Entry};
use crate::http::refusal::Refusal;
use crate::http::to_its_end;
use crate::ids::AccountId;
use crate::keys::Spares;
use crate::limits;
use crate::node::Node;
use crate::spelling;
use crate::store::Tx;
use crate::subjects::event::{What, Who};
use crate::subjects::order::{Bought, Line, Order};
use crate::subjects::subject::SubjectFault;

/// The catalogue's ids of products, by what a shop calls them; `None` of one that it does not show.
pub type ShownIds = HashMap<String, Option<String>>;

/// A look at a product; `None` when the shop does not show it.
pub fn viewed(ids: &ShownIds, product: &str) -> Option<What> {
    ids.get(product).cloned().flatten().map(What::ProductViewed)
}

/// A basket with those of its products that the shop shows, each once; `None` when it shows none of them.
pub fn basket_set<'p>(ids: &ShownIds, products: impl ExactSizeIterator<Item = &'p String>) -> Option<What> {
    let is_empty = products.len() == 0;
    let mut seen = HashSet::new();
    let known = products.filter_map(|product| ids.get(product).cloned().flatten());
    let known: Vec<_> = known.filter(|id| seen.insert(id.clone())).collect();
    (is_empty || !known.is_empty()).then_some(What::BasketSet(known))
}

/// An order of a customer, without addresses in what names products.
pub fn order(id: String, who: Who, mut lines: Vec<Line>, ordered_at: Millis) -> Order {
    for line in &mut lines {
        line.product =
            spelling::without_addresses(&line.product).unwrap_or_else(|| std::mem::take(&mut line.product));
    }
    Order {
        blanked_id: spelling::without_addresses(&id),
        id,
        user_id: who.user_id,
        email: who.email,
        company: who.company,
        bought: Bought { ordered_at, lines },
    }
}

/// Counts events by what became of them.
pub fn count(outcome: &'static str, count: usize) {
    metrics::counter!("lethe_events_total", "outcome" => outcome).increment(count as u64);
}

/// Stores what was done, all or nothing, and says what became of each. It counts in recommendations within a second.
///
/// # Errors
/// A refusal when there is no turn in time, or the store or a key fails.
pub async fn store(
    node: &Arc<Node>,
    account: AccountId,
    asker: Asker,
    accepted: Vec<Accepted>,
) -> Result<Vec<Became>, Refusal> {
    if accepted.is_empty() {
        return Ok(Vec::new());
    }
    let has_orders =
        accepted.iter().any(|accepted| matches!(accepted, Accepted::Order(_) | Accepted::OrderAt(..)));
    let became = in_turn(node, account, asker, accepted).await?;
    let later = became.iter().filter(|became| became.is_later()).count();
    count("accepted", became.len() - later);
    count("later", later);
    node.derived.models().wake(account);
    if has_orders {
        node.noting.ask(account);
    }
    Ok(became)
}

async fn in_turn(
    node: &Arc<Node>,
    account: AccountId,
    asker: Asker,
    accepted: Vec<Accepted>,
) -> Result<Vec<Became>, Refusal> {
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
        visitors: node.fairness.new_visitors.entry(account, asker),
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
