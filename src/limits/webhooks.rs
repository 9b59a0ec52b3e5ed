//! The limits of webhooks.

use std::time::Duration;

/// Longest try to deliver a message, from resolving the name to the head of the answer.
pub const WEBHOOK_TRY_DURATION: Duration = Duration::from_secs(20);
/// Tries that run at once, each for another account.
pub const WEBHOOKS_AT_ONCE: usize = 16;
/// Messages that an account delivers in a row before others have its place.
pub const WEBHOOK_TURN_MESSAGES: usize = 20;
/// Longest rest of an account whose server failed: it doubles from 5 s with each failure, up to this.
pub const WEBHOOK_REST_DURATION: Duration = Duration::from_secs(5 * 60);
/// Messages of an account that wait; the oldest go first. Each is at most some 17 KB: the tokens of
/// [`super::FEED_FOLLOWERS`] feeds, and a reason.
pub const WEBHOOK_MESSAGES: i64 = 1000;
/// Characters of the reason in a message.
pub const WEBHOOK_REASON_CHARACTERS: usize = 1000;
/// A message that is older is given up however often it was tried: where many wait for a server, each is tried
/// seldom.
pub const WEBHOOK_KEPT_DURATION: Duration = Duration::from_secs(5 * 24 * 60 * 60);
/// Time before its due date from which an unfinished erasure is reported.
pub const ERASURE_DUE_SOON_DURATION: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Erasures that are reported as due soon at a stroke.
pub const ERASURES_DUE_TOLD: i64 = 100;
/// An account that holds this percentage of its quota gets a message.
pub const QUOTA_NEAR_PERCENT: i64 = 90;
