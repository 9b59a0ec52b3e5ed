//! The waiting messages and their delivery. A message is deleted only once the server has taken it, so that it arrives
//! at least once, whenever this process ends; its id stays the same over all tries, so that a receiver can recognise
//! it.

use super::backoff::{account_backoff, pause_after};
use super::message::WebhookEvent;
use super::setting::{self, Webhook};
use crate::args;
use crate::clock::{Millis, millis};
use crate::ids::AccountId;
use crate::limits;
use crate::sql;
use crate::store::{StoreFault, Tx};

/// A message that is being tried, and its receiver.
pub struct ClaimedMessage {
    /// Its id, the same at every try.
    pub id: String,
    /// Its body.
    pub body: String,
    /// The webhook as it was set when the try began.
    pub webhook: Webhook,
    made_at: Millis,
    /// Number of tries, this one included.
    tries: i64,
}

/// Outcome of a try.
pub enum DeliveryOutcome {
    /// The server took the message.
    Delivered,
    /// The server wants no more messages, ever (410).
    Gone,
    /// It did not take it; says why.
    Failed(String),
}

/// Effect of a try.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeliveryEffect {
    /// The message was delivered.
    Delivered,
    /// It is tried again.
    Again,
    /// It is given up.
    GivenUp,
    /// The webhook is switched off, and the waiting messages are gone.
    SwitchedOff,
}

/// Adds a message, in the transaction of its event. Does nothing for an account without a webhook. If too many wait,
/// the oldest go, and are counted.
///
/// # Errors
/// When the store fails.
pub fn enqueue(
    tx: &mut Tx<'_>,
    account: AccountId,
    event: &WebhookEvent,
    now: Millis,
) -> Result<(), StoreFault> {
    if !setting::is_on(tx, account)? {
        return Ok(());
    }
    let id = format!("msg_{}", uuid::Uuid::new_v4().simple());
    tx.exec(&sql::webhook_message_insert, args![account.0, id.as_str(), event.body(now).as_str(), now])?;
    let most = limits::WEBHOOK_MESSAGES;
    let dropped = tx.exec(&sql::webhook_message_drop, args![account.0, most])?;
    if dropped > 0 {
        let dropped = i64::try_from(dropped).unwrap_or(i64::MAX);
        tx.exec(&sql::webhook_lost, args![account.0, 0, dropped])?;
    }
    Ok(())
}

/// Accounts that have a message to be tried, those first that were not tried for the longest.
///
/// # Errors
/// When the store fails.
pub fn due(tx: &mut Tx<'_>, now: Millis) -> Result<Vec<AccountId>, StoreFault> {
    let most = i64::try_from(2 * limits::WEBHOOKS_AT_ONCE).unwrap_or(i64::MAX);
    let (rest, next) = furthest(now);
    let rows = tx.run(&sql::webhook_due, args![now, most, rest, next])?;
    rows.iter().map(|row| row.int("account_id").map(AccountId)).collect()
}

/// The furthest times from now that a rest and a pause can end at.
fn furthest(now: Millis) -> (Millis, Millis) {
    const MINUTE: Millis = 60_000;
    (now + 10 * MINUTE, now + 27 * 60 * MINUTE)
}

/// Takes the next due message of an account, for a try that begins now. No other try of the account begins until this
/// one is over or, should this process end, had to be over. `None`: none is due, or another try runs.
///
/// # Errors
/// When the store fails.
pub fn claim(tx: &mut Tx<'_>, account: AccountId, now: Millis) -> Result<Option<ClaimedMessage>, StoreFault> {
    let (rest, next) = furthest(now);
    let row = tx.row(&sql::webhook_message_next, args![account.0, now, next])?;
    let Some(row) = row else { return Ok(None) };
    let until = now + 2 * millis(limits::WEBHOOK_TRY_DURATION);
    let claimed = tx.exec(&sql::webhook_claim, args![account.0, until, now, rest])?;
    if claimed == 0 {
        return Ok(None);
    }
    let Some(webhook) = setting::get(tx, account)? else { return Ok(None) };
    let tries = row.int("tries")? + 1;
    let id = row.text("id")?.to_owned();
    let made_at = row.int("made_at")?;
    // When it comes again if this try never ends.
    tx.exec(&sql::webhook_message_claim, args![account.0, id.as_str(), tries, until])?;
    Ok(Some(ClaimedMessage { id, body: row.text("body")?.to_owned(), webhook, made_at, tries }))
}

/// Notes the outcome of a try. If the webhook was set again meanwhile, says nothing about the new setting.
///
/// # Errors
/// When the store fails.
pub fn end(
    tx: &mut Tx<'_>,
    account: AccountId,
    claimed: &ClaimedMessage,
    outcome: &DeliveryOutcome,
    now: Millis,
) -> Result<DeliveryEffect, StoreFault> {
    let ClaimedMessage { id, webhook, made_at, tries, .. } = claimed;
    let delete = |tx: &mut Tx<'_>| tx.exec(&sql::webhook_message_delete, args![account.0, id.as_str()]);
    let is_same = setting::get(tx, account)?.is_some_and(|current| current.set_at == webhook.set_at);
    match outcome {
        DeliveryOutcome::Delivered => {
            delete(tx)?;
            tx.exec(&sql::webhook_delivered, args![account.0, webhook.set_at, now])?;
            Ok(DeliveryEffect::Delivered)
        }
        DeliveryOutcome::Gone if is_same => {
            let waited = tx.exec(&sql::webhook_message_clear, args![account.0])?;
            tx.exec(&sql::webhook_off, args![account.0, GONE, now])?;
            tx.exec(&sql::webhook_lost, args![account.0, i64::try_from(waited).unwrap_or(i64::MAX), 0])?;
            Ok(DeliveryEffect::SwitchedOff)
        }
        DeliveryOutcome::Gone | DeliveryOutcome::Failed(_) => {
            let why = if let DeliveryOutcome::Failed(why) = outcome { why } else { GONE };
            let rest = account_backoff(webhook.fails + 1);
            let rest_until = now + millis(rest);
            tx.exec(&sql::webhook_failed, args![account.0, webhook.set_at, now, why, rest_until])?;
            let is_last =
                pause_after(*tries).is_none() || now - made_at > millis(limits::WEBHOOK_KEPT_DURATION);
            if is_last {
                let given_up = delete(tx)?;
                tx.exec(&sql::webhook_lost, args![account.0, i64::try_from(given_up).unwrap_or(0), 0])?;
                return Ok(DeliveryEffect::GivenUp);
            }
            let next = now + pause_after(*tries).map_or(0, millis);
            if is_same {
                tx.exec(&sql::webhook_message_claim, args![account.0, id.as_str(), *tries, next])?;
            }
            Ok(DeliveryEffect::Again)
        }
    }
}

/// Reason for which a webhook is switched off.
const GONE: &str =
    "the server answered with status 410: it wants no more messages; set the address again to go on";
