//! Messages to webhooks. They hold no identifier of a person: ids of feeds and erasures are random.

use std::collections::BTreeMap;
use std::fmt::Display;

use jiff::Timestamp;
use serde::{Serialize, Serializer};
use uuid::Uuid;

use crate::clock::Millis;
use crate::ids::SubmissionToken;

/// A message to a shop's server.
#[derive(Serialize)]
#[serde(tag = "type", content = "data")]
pub enum WebhookEvent {
    /// A feed ended.
    #[serde(rename = "feed.ended")]
    FeedEnded(FeedEnded),
    /// A person is forgotten, and it is proven.
    #[serde(rename = "erasure.verified")]
    ErasureVerified {
        /// The id that the request to forget was answered with; its certificate is asked for by it.
        #[serde(serialize_with = "text")]
        erasure: Uuid,
        /// Time of the request to forget.
        #[serde(serialize_with = "moment")]
        asked_at: Millis,
        /// Time of the proof.
        #[serde(serialize_with = "moment")]
        verified_at: Millis,
    },
    /// An erasure is not done, and is due soon.
    #[serde(rename = "erasure.due_soon")]
    ErasureDueSoon {
        /// The id that the request to forget was answered with.
        #[serde(serialize_with = "text")]
        erasure: Uuid,
        /// Time of the request to forget.
        #[serde(serialize_with = "moment")]
        asked_at: Millis,
        /// Time by which it has to be done.
        #[serde(serialize_with = "moment")]
        due_at: Millis,
    },
    /// The newest backup of the server is old, or there is none.
    #[serde(rename = "backup.old")]
    BackupOld {
        /// Time at which it was made, if there is one.
        #[serde(serialize_with = "moment_or_none")]
        made_at: Option<Millis>,
    },
    /// The account has little room left.
    #[serde(rename = "quota.near")]
    QuotaNear {
        /// Bytes of its files.
        held_bytes: i64,
        /// Bytes that it may hold.
        limit_bytes: i64,
    },
    /// A test of whether messages arrive.
    #[serde(rename = "webhook.test")]
    Test {},
}

/// End of a feed.
#[derive(Serialize)]
pub struct FeedEnded {
    /// Its token.
    #[serde(serialize_with = "text")]
    pub feed: SubmissionToken,
    /// The tokens of feeds of the same address that waited for the same fetch, and ended with it.
    #[serde(serialize_with = "texts")]
    pub also: Vec<SubmissionToken>,
    /// `url`, `upload` or `republish`.
    pub kind: &'static str,
    /// True if it was only to be checked and held.
    pub dry_run: bool,
    /// `Complete` or `Error`, as its status.
    pub outcome: &'static str,
    /// Reason, with `Error`: a sentence of ours, which quotes nothing of the feed.
    pub reason: Option<String>,
    /// Rows that were left out.
    pub bad_rows: i64,
    /// Items of each section that it shows.
    pub items: BTreeMap<&'static str, i64>,
}

#[derive(Serialize)]
struct Message<'a> {
    #[serde(serialize_with = "moment")]
    timestamp: Millis,
    #[serde(flatten)]
    event: &'a WebhookEvent,
}

impl WebhookEvent {
    /// The body of the message: JSON with `type`, `timestamp` and `data`.
    #[must_use]
    pub fn body(&self, timestamp: Millis) -> String {
        // Neither a map with other keys than texts nor a number that is none stands in it.
        serde_json::to_string(&Message { timestamp, event: self }).unwrap_or_default()
    }
}

fn text<S: Serializer>(shown: &impl Display, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(shown)
}

fn texts<S: Serializer>(shown: &[impl Display], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(shown.iter().map(ToString::to_string))
}

fn moment<S: Serializer>(at: &Millis, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&Timestamp::from_millisecond(*at).unwrap_or(Timestamp::UNIX_EPOCH))
}

fn moment_or_none<S: Serializer>(at: &Option<Millis>, to: S) -> Result<S::Ok, S::Error> {
    match at {
        Some(at) => moment(at, to),
        None => to.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_message_has_a_type_a_time_and_what_it_tells() {
        let told =
            |event: WebhookEvent| serde_json::from_str::<Value>(&event.body(1_795_262_400_000)).unwrap();
        let at = "2026-11-21T12:00:00Z";
        assert_eq!(told(WebhookEvent::Test {}), json!({"type": "webhook.test", "timestamp": at, "data": {}}));
        let old = json!({"type": "backup.old", "timestamp": at, "data": {"made_at": null}});
        assert_eq!(told(WebhookEvent::BackupOld { made_at: None }), old);
        let verified = WebhookEvent::ErasureVerified { erasure: Uuid::nil(), asked_at: 0, verified_at: 1500 };
        let data = json!({"erasure": "00000000-0000-0000-0000-000000000000", "asked_at": "1970-01-01T00:00:00Z",
            "verified_at": "1970-01-01T00:00:01.5Z"});
        assert_eq!(told(verified), json!({"type": "erasure.verified", "timestamp": at, "data": data}));
    }
}
