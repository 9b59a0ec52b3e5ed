//! Webhooks: messages to a shop's own server about each end, by the open specification "Standard Webhooks"
//! (<https://www.standardwebhooks.com>). A message waits in the store until the server has taken it.

mod backoff;
pub mod message;
mod outbox;
mod setting;
pub mod signature;

pub use self::message::WebhookEvent;
pub use self::outbox::{ClaimedMessage, DeliveryEffect, DeliveryOutcome, claim, due, end, enqueue};
pub use self::setting::{MessageMarks, Webhook, get, is_on, listening, mark, remove, rotate, set};

#[cfg(test)]
mod tests;
