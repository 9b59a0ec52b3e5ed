//! Stores the events that the server itself saw.

use std::sync::Arc;

use futures_util::future::join_all;
use tokio_util::sync::CancellationToken;

use super::store;
use crate::accept::events::{AcceptedEvent, EventBatch};
use crate::admission::VisitorSource;
use crate::ids::AccountId;
use crate::limits;
use crate::node::Node;

/// Stores events every second until the end. Accounts are stored in parallel, so that none waits for another.
pub async fn run_flush_loop(node: Arc<Node>, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(limits::ZONES_SEEN_DURATION) => {}
            () = stop.cancelled() => return store_all(&node).await,
        }
        node.derived.observed_events().tidy(node.clock.now());
        for account in node.derived.observed_events().take_accounts() {
            tokio::spawn(store(node.clone(), account));
        }
    }
}

/// Stores all that waits now.
pub async fn store_all(node: &Arc<Node>) {
    let accounts = node.derived.observed_events().take_accounts();
    join_all(accounts.into_iter().map(|account| store(node.clone(), account))).await;
}

async fn store(node: Arc<Node>, account: AccountId) {
    while let Some(seen) = node.derived.observed_events().take_events(account) {
        let count = seen.len();
        let accepted: Vec<_> =
            seen.into_iter().map(|(subject, event)| AcceptedEvent::Observed(event, subject)).collect();
        // All their people are known: for them both sources count the same.
        if let Err(refusal) =
            store::store(&node, account, VisitorSource::Secret, EventBatch::from(accepted)).await
        {
            store::count("lost", count);
            tracing::warn!(
                account = account.0,
                count,
                why = refusal.sentence(),
                "what shoppers saw or searched was not noted"
            );
        }
    }
}
