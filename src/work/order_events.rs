//! Recording order events once their shop shows products: after the request or the file that brought the orders, and,
//! for orders that came before the catalogue, soon after it.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::fault::WorkFault;
use crate::accounts;
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::node::Node;
use crate::people::order_event::{self, PendingOrder};
use crate::projections::listing::CatalogueListing;

/// Records orders for ever, some of an account at a time, one account after the other.
pub(super) async fn run_scans(node: Arc<Node>, stop: CancellationToken) {
    loop {
        let (account, after) = tokio::select! {
            next = node.noting.next() => next,
            () = stop.cancelled() => return,
        };
        match note_some(&node, account, after).await {
            Ok(Some(last)) => node.noting.go_on(account, last),
            Ok(None) => {}
            Err(fault) => {
                tracing::warn!(%fault, account = account.0, "orders could not be noted; it is tried again soon");
            }
        }
    }
}

/// Requests a scan of all accounts with orders that were not looked at.
///
/// # Errors
/// When the store fails.
pub(super) async fn ask_all(node: &Node) -> Result<(), WorkFault> {
    let accounts = node.store.read(order_event::accounts).await?;
    accounts.into_iter().for_each(|account| node.noting.schedule(account));
    Ok(())
}

/// Records all orders of an account that were not looked at. Before its first products it does nothing.
///
/// # Errors
/// When the store, the keys or a catalogue file fail.
pub async fn record_orders(node: &Node, account: AccountId) -> Result<(), WorkFault> {
    let mut after = Some(Vec::new());
    while let Some(from) = after {
        after = note_some(node, account, from).await?;
    }
    Ok(())
}

/// Records some, after a place; returns the place after which there may be more.
async fn note_some(node: &Node, account: AccountId, after: Vec<u8>) -> Result<Option<Vec<u8>>, WorkFault> {
    let shows = |list: &CatalogueListing| list.count(Section::Products) > 0;
    let is_shop = node.derived.listing().with_list(account, shows).await.unwrap_or(true);
    if !is_shop {
        return Ok(None);
    }
    let keys = node.keys.clone();
    let reading = node.store.read(move |tx| order_event::waiting(tx, &keys, account, &after));
    let (waiting, last) = reading.await?;
    let Some(last) = last else { return Ok(None) };
    let waiting: Arc<[PendingOrder]> = waiting.into();
    let products: BTreeSet<_> = waiting.iter().flat_map(|order| &order.products).cloned().collect();
    let shown = node.derived.resolve_items(&node.store, &node.blobs, account, products).await?;
    let keys = node.keys.clone();
    let now = node.clock.now();
    let noting = node.store.write_of_job(account, move |tx| {
        // In the order in which events are stored, whatever the order of the orders.
        let seq = accounts::next_seq(tx, account)?;
        order_event::record_events(tx, (&keys, account, seq), &waiting, &shown, now).map_err(WorkFault::from)
    });
    if noting.await? {
        node.derived.models().wake(account);
    }
    Ok(Some(last.to_vec()))
}
