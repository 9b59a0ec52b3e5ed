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

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::config::Config;
    use crate::ids::identifier::Identifier;
    use crate::people::event_action::EventAction;
    use crate::people::subject::SubjectId;
    use crate::projections::Derived;

    const SHOPPER: SubjectId = [9; 16];
    const LEFT: AccountId = AccountId(1);
    const WAITING: AccountId = AccountId(2);
    const LATE: AccountId = AccountId(3);

    /// Notes a look of 1970, whose minute has gone by.
    fn see(node: &Node, account: AccountId) {
        let visitor = Identifier::visitor_id("visitor-9").expect("a number");
        let looked = (EventAction::ProductViewed("a".to_owned().into()), false);
        assert!(node.derived.observed_events().record_event(account, (SHOPPER, &visitor), 0, looked));
    }

    async fn waits(node: &Node, account: AccountId) -> bool {
        node.derived.observed_events().count(account, &[SHOPPER]).await > 0
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_was_seen_is_stored_each_second_and_at_the_end_and_the_rest_is_forgotten() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = Config::local(folder.path().join("data"), folder.path().join("keys"));
        let node = Node::open(config).await.expect("a node");
        let observed = node.derived.observed_events();
        see(&node, LEFT);
        assert_eq!(observed.take_accounts(), [LEFT]);
        while observed.take_events(LEFT).is_some() {}
        see(&node, WAITING);
        assert!(waits(&node, WAITING).await && observed.count_accounts() == 2);
        let stop = CancellationToken::new();
        let running = tokio::spawn(run_flush_loop(node.clone(), stop.clone()));
        let begun = Instant::now();
        while waits(&node, WAITING).await || observed.count_accounts() > 1 {
            assert!(begun.elapsed() < Duration::from_secs(20), "nothing was stored, or nothing forgotten");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        see(&node, LATE);
        stop.cancel();
        running.await.expect("the loop ended");
        assert!(!waits(&node, LATE).await);
        node.release().await;
    }
}
