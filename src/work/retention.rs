//! Removing expired data of any owner.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::fault::WorkFault;
use super::key_slots;
use crate::accept::idempotency;
use crate::clock::{Day, day_of};
use crate::node::Node;
use crate::people::{browser, retention};

/// Removes all records whose day has come, the rest of people whose keys were lost, visitors who withdrew their
/// consent, and the keys of requests from before yesterday, some at a time.
///
/// # Errors
/// When the store or the keys fail.
pub async fn end(node: &Node) -> Result<(), WorkFault> {
    loop {
        end_withdrawn(node).await?;
        let Some(given_up) = node.store.read(retention::given_up).await? else { break };
        let account = given_up.account;
        let slots = Vec::from_iter(given_up.slot);
        let removing = node.store.write_of_job(account, move |tx| retention::remove(tx, &given_up));
        if removing.await? {
            key_slots::put_back(node, &slots)?;
        }
    }
    let today = day_of(node.clock.now());
    end_repeated(node, today).await?;
    end_log_ins(node, today).await?;
    loop {
        end_withdrawn(node).await?;
        let ended = node.store.read(move |tx| retention::list_expired(tx, today)).await?;
        let Some(account) = ended.first().map(|record| record.account) else { return Ok(()) };
        let freed = node.store.write_of_job(account, move |tx| retention::end(tx, account, &ended)).await?;
        key_slots::release(node, freed).await?;
    }
}

/// Destroys the keys of all who withdrew their consent: no rows of others are removed before that, however many.
///
/// # Errors
/// When the store or the keys fail.
pub async fn end_withdrawn(node: &Node) -> Result<(), WorkFault> {
    loop {
        let withdrawn = Arc::new(node.store.read(retention::withdrawn).await?);
        if withdrawn.is_empty() {
            return Ok(());
        }
        let slots = withdrawn.iter().map(|one| one.slot).collect();
        key_slots::destroy(node, slots).await?;
        for account in withdrawn.iter().map(|one| one.account).collect::<BTreeSet<_>>() {
            let withdrawn = withdrawn.clone();
            node.store
                .write_of_job(account, move |tx| retention::record_destroyed(tx, account, &withdrawn))
                .await?;
        }
    }
}

/// Forgets log-ins of browsers, and opens browsers that were shut for too long.
async fn end_log_ins(node: &Node, today: Day) -> Result<(), WorkFault> {
    loop {
        let old = Arc::new(node.store.read(move |tx| browser::old(tx, today)).await?);
        if old.is_empty() {
            return Ok(());
        }
        for account in old.iter().map(|one| one.account).collect::<BTreeSet<_>>() {
            let old = old.clone();
            node.store.write_of_job(account, move |tx| browser::forget(tx, account, &old)).await?;
        }
    }
}

async fn end_repeated(node: &Node, today: Day) -> Result<(), WorkFault> {
    loop {
        let before = today - 1;
        let ended = Arc::new(node.store.read(move |tx| idempotency::list_expired(tx, before)).await?);
        if ended.is_empty() {
            return Ok(());
        }
        for account in ended.iter().map(|one| one.account).collect::<BTreeSet<_>>() {
            let ended = ended.clone();
            node.store.write_of_job(account, move |tx| idempotency::end(tx, account, &ended)).await?;
        }
    }
}
