//! Delivery of webhooks. A try holds no transaction and no other account up; if the process ends during a try, it costs
//! a pause.

mod notices;

use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::admission::{Permit, Tenant};
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::keys::KeyFault;
use crate::limits;
use crate::node::Node;
use crate::outbound::FeedUrl;
use crate::store::StoreFault;
use crate::webhooks::{self, ClaimedMessage, DeliveryEffect, DeliveryOutcome};

pub use self::notices::notice;

/// Interval between checks for messages that are due.
const IDLE_DURATION: Duration = Duration::from_millis(500);

/// Time after which a turn begins no other message.
const TURN_DURATION: Duration = Duration::from_secs(2);

/// Delivers for ever.
pub(super) async fn run_deliveries(node: Arc<Node>, tasks: TaskTracker, stop: CancellationToken) {
    while !stop.is_cancelled() {
        if let Err(fault) = start_due(&node, &tasks, &stop).await {
            tracing::warn!(%fault, "messages to shops could not be looked for");
        }
        tokio::select! {
            () = tokio::time::sleep(IDLE_DURATION) => {}
            () = stop.cancelled() => {}
        }
    }
}

/// Begins a turn of each account that has a message to be tried and whose server has no request open, while there are
/// places.
///
/// # Errors
/// When the store fails.
pub async fn start_due(
    node: &Arc<Node>,
    tasks: &TaskTracker,
    stop: &CancellationToken,
) -> Result<(), StoreFault> {
    let now = node.clock.now();
    let due = node.store.read(move |tx| webhooks::due(tx, now)).await?;
    for account in due {
        let Some(place) = node.resources.webhooks.try_take(Tenant::Account(account), 1) else { continue };
        let turn = deliver_messages(node.clone(), account, place);
        let stop = stop.clone();
        let turn = async move {
            tokio::select! {
                () = turn => {}
                // A message that is broken off is tried again at the next start.
                () = stop.cancelled() => {}
            }
        };
        drop(tasks.spawn(turn));
    }
    Ok(())
}

/// Some messages of an account, one after the other, until one fails.
async fn deliver_messages(node: Arc<Node>, account: AccountId, _place: Permit) {
    let begun = Instant::now();
    for _ in 0..limits::WEBHOOK_TURN_MESSAGES {
        // A receiver that is slow, and takes all messages all the same, has its place for one message.
        if begun.elapsed() > TURN_DURATION {
            return;
        }
        match try_next(&node, account).await {
            Ok(Some(DeliveryEffect::Delivered)) => {}
            Ok(_) => return,
            Err(fault) => {
                tracing::warn!(%fault, account = account.0, "a message to a shop could not be taken or ended");
                return;
            }
        }
    }
}

async fn try_next(node: &Node, account: AccountId) -> Result<Option<DeliveryEffect>, StoreFault> {
    let now = node.clock.now();
    let claiming = node.store.write_of_job(account, move |tx| webhooks::claim(tx, account, now));
    let Some(claimed) = claiming.await? else { return Ok(None) };
    // The writer may have been busy: a receiver rejects an old signature.
    let outcome = attempt(node, account, &claimed, node.clock.now()).await;
    let why = if let DeliveryOutcome::Failed(why) = &outcome { why.clone() } else { String::new() };
    let now = node.clock.now();
    let ending =
        node.store.write_of_job(account, move |tx| webhooks::end(tx, account, &claimed, &outcome, now));
    let tried = ending.await?;
    record_try(account, tried, &why);
    Ok(Some(tried))
}

/// Counts a try; an undelivered message is a line in the log, without the address.
fn record_try(account: AccountId, tried: DeliveryEffect, why: &str) {
    let account = account.0;
    let outcome = match tried {
        DeliveryEffect::Delivered => "delivered",
        DeliveryEffect::Again => {
            tracing::warn!(account, why, "a message to a shop was not taken; it is tried again");
            "again"
        }
        DeliveryEffect::GivenUp => {
            tracing::warn!(account, why, "a message to a shop is given up");
            "given_up"
        }
        DeliveryEffect::SwitchedOff => {
            tracing::warn!(account, "a webhook is switched off: its server wants no more messages");
            "switched_off"
        }
    };
    metrics::counter!("lethe_webhooks_total", "outcome" => outcome).increment(1);
}

/// One try. It holds no transaction.
async fn attempt(node: &Node, account: AccountId, claimed: &ClaimedMessage, now: Millis) -> DeliveryOutcome {
    let address = match claimed.webhook.address(&node.keys, account) {
        Ok(address) => address,
        Err(fault) => return unreadable(&fault),
    };
    // The operator's policy may have changed since it was set.
    let url = match FeedUrl::parse(&address, node.outbound.policy()) {
        Ok(url) => url,
        Err(refusal) => return DeliveryOutcome::Failed(refusal.to_string()),
    };
    let headers = match headers(node, account, claimed, now) {
        Ok(headers) => headers,
        Err(fault) => return unreadable(&fault),
    };
    match node.outbound.post(&url, headers, claimed.body.clone()).await {
        Ok(200..300) => DeliveryOutcome::Delivered,
        Ok(410) => DeliveryOutcome::Gone,
        Ok(status @ 300..400) => DeliveryOutcome::Failed(format!(
            "the server answered with status {status}; a redirect is not followed"
        )),
        Ok(status) => DeliveryOutcome::Failed(format!("the server answered with status {status}")),
        Err(why) => DeliveryOutcome::Failed(why),
    }
}

fn unreadable(fault: &KeyFault) -> DeliveryOutcome {
    tracing::error!(%fault, "what a webhook is set to cannot be read");
    DeliveryOutcome::Failed(
        "what was set cannot be read any more; remove the webhook and set it again".to_owned(),
    )
}

/// Headers that identify the message and prove its origin: signed with each valid secret.
fn headers(
    node: &Node,
    account: AccountId,
    claimed: &ClaimedMessage,
    now: Millis,
) -> Result<HeaderMap, KeyFault> {
    let at = now / 1000;
    let id = claimed.id.clone();
    let secrets = claimed.webhook.secrets(&node.keys, account, now)?;
    let signatures: Vec<_> = secrets.iter().map(|secret| secret.sign(&id, at, &claimed.body)).collect();
    // Letters, digits and signs that a header may have.
    let text = |text: String| HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""));
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert("webhook-id", text(id));
    headers.insert("webhook-timestamp", HeaderValue::from(at));
    headers.insert("webhook-signature", text(signatures.join(" ")));
    Ok(headers)
}
