//! `POST /api/submission/events`: one submission as a stream of server-sent events, until it has ended. An addition.
//!
//! A stream is pulled by its reader: nothing is read ahead of the connection, and nothing is held between two looks
//! into the store. A reader that is too slow loses the connection, and the unread events with it.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderName, Request};
use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Ref, Schema, Type};
use utoipa::{PartialSchema, ToSchema};
use zeroize::Zeroizing;

use super::body::read_json_of_account;
use super::credentials::{self, Caller};
use super::extract::Authenticated;
use super::from_fields::FromFields;
use super::json_fields::JsonFields;
use super::status_tokens::TokenRequest;
use super::submission::{ShownSubmission, describe_submission};
use crate::admission::{Permit, Tenant};
use crate::ids::{AccountId, SubmissionToken};
use crate::node::Node;
use crate::store::StoreFault;
use crate::transport::error_body::ErrorBody;
use crate::transport::listener::ListenerStop;
use crate::transport::refusal::{OfShop, Refusal, UNKNOWN_TOKEN};
use crate::{limits, submissions};

/// Longest pause between two looks of a stream for news.
const LOOK_DURATION: Duration = Duration::from_millis(500);
/// First pause, which then doubles: most submissions end at once.
const FIRST_LOOK_DURATION: Duration = Duration::from_millis(50);
/// Interval at which it checks again that its secret is good.
const CHECK_DURATION: Duration = Duration::from_millis(500);
/// Interval at which it says that it lives, so that proxies keep it and a dead reader is noticed.
const ALIVE_DURATION: Duration = Duration::from_secs(15);

/// Tells a proxy that reads answers whole not to.
const NO_BUFFERING: (HeaderName, &str) = (HeaderName::from_static("x-accel-buffering"), "no");

/// Data of an event.
#[derive(serde::Serialize, ToSchema)]
#[serde(untagged)]
pub enum EventData<'a> {
    /// Data of `progress` and `end`: the submission as it is.
    Submission(&'a ShownSubmission),
    /// Data of `error`: the reason why the stream ended.
    Error(ErrorBody<'a>),
}

/// An event as it is written: its name, and its data as a text of JSON.
pub enum SubmissionEvent {}

impl PartialSchema for SubmissionEvent {
    fn schema() -> RefOr<Schema> {
        let names = Some(["progress", "end", "error"]);
        let data = ObjectBuilder::new()
            .schema_type(Type::String)
            .content_media_type("application/json")
            .content_schema(Some(Ref::from_schema_name(EventData::name())));
        ObjectBuilder::new()
            .description(Some("The schema of each event of the stream."))
            .property("event", ObjectBuilder::new().schema_type(Type::String).enum_values(names))
            .property("data", data)
            .required("event")
            .required("data")
            .into()
    }
}

impl ToSchema for SubmissionEvent {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        // Other operations add the schemas that it refers to.
        schemas.push((EventData::name().into_owned(), EventData::schema()));
    }
}

impl EventData<'_> {
    fn event(&self, name: &str) -> Event {
        let data = serde_json::to_string(self).unwrap_or_default();
        Event::default().event(name).data(data)
    }
}

type SubmissionEventsBySecret = Authenticated<TokenRequest>;

/// One submission: its state now and after each change, until it ends.
#[utoipa::path(post, path = "/api/submission/events", operation_id = "submission_events", tag = "additions",
    request_body = SubmissionEventsBySecret, responses(OfShop,
    (status = 200, description = "Events `progress`, then `end`, each with an item of /api/submissions; `error` when the \
     stream ends otherwise", body = SubmissionEvent, content_type = "text/event-stream"),
    (status = 404, description = "The token is not known", body = ErrorBody<'static>)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    request: Request<Body>,
) -> Result<impl IntoResponse, Refusal> {
    let caller = Caller::from_request(&request);
    let stopping = request.extensions().get::<ListenerStop>().cloned().unwrap_or_default();
    let body =
        Zeroizing::new(read_json_of_account(&node, request, limits::REQUEST_BODY_BYTES).await?.to_vec());
    let asker = StreamCredentials { node, caller, body };
    let account = asker.account().await?;
    let unknown = Refusal::token_unknown;
    let TokenRequest { token } = TokenRequest::from_fields(&JsonFields::parse(&asker.body)?)?;
    let first = load_submission(&asker.node, account, token).await?.ok_or_else(unknown)?;
    let share = share_of(&asker.node, account).await?;
    let watch = SubmissionStream {
        asker,
        account,
        token,
        next: Some(first),
        shown: None,
        pause: FIRST_LOOK_DURATION,
        began: Instant::now(),
        checked: Instant::now(),
        stopping,
        _share: share,
    };
    let events = Sse::new(stream::unfold(Some(watch), |watch| async { watch?.next().await }));
    Ok(([NO_BUFFERING], events.keep_alive(KeepAlive::new().interval(ALIVE_DURATION))))
}

/// One of the streams that are open at once, of the account's part.
async fn share_of(node: &Node, account: AccountId) -> Result<Permit, Refusal> {
    let streams = &node.resources.event_streams;
    let who = Tenant::Account(account);
    let taken = streams.acquire(who, 1, Duration::ZERO).await;
    taken
        .ok_or_else(|| if streams.is_used_up_by(who) { Refusal::too_many_streams() } else { Refusal::busy() })
}

/// Credentials of a stream's client, to be checked again while it is open.
struct StreamCredentials {
    node: Arc<Node>,
    caller: Caller,
    body: Zeroizing<Vec<u8>>,
}

impl StreamCredentials {
    async fn account(&self) -> Result<AccountId, Refusal> {
        let fields = JsonFields::parse(&self.body)?;
        Ok(credentials::by_secret(&self.node, &self.caller, &fields).await?.id)
    }
}

/// The submission as it is; `None` when it is unknown, another account's, or expired.
async fn load_submission(
    node: &Node,
    account: AccountId,
    token: SubmissionToken,
) -> Result<Option<ShownSubmission>, StoreFault> {
    let found = node.store.read(move |tx| {
        let found = submissions::by_token(tx, account, token)?;
        found.map(|submission| describe_submission(tx, account, &submission)).transpose()
    });
    found.await
}

/// A stream between two events.
struct SubmissionStream {
    asker: StreamCredentials,
    account: AccountId,
    token: SubmissionToken,
    /// Seen and not told yet.
    next: Option<ShownSubmission>,
    /// Told last.
    shown: Option<ShownSubmission>,
    pause: Duration,
    began: Instant,
    checked: Instant,
    stopping: ListenerStop,
    _share: Permit,
}

type StreamStep = (Result<Event, Infallible>, Option<SubmissionStream>);

impl SubmissionStream {
    /// The next event, and the stream after it, if it goes on; `None` ends it without a word, so that its reader asks
    /// again: the server stops, the store fails, or the stream has lived long enough.
    async fn next(mut self) -> Option<StreamStep> {
        let seen = loop {
            if let Some(seen) = self.next.take().filter(|seen| self.shown.as_ref() != Some(seen)) {
                break seen;
            }
            tokio::select! {
                () = tokio::time::sleep(self.pause) => {}
                () = self.stopping.0.cancelled() => return None,
            }
            if self.began.elapsed() > limits::EVENT_STREAM_DURATION {
                return None;
            }
            self.pause = (self.pause * 2).min(LOOK_DURATION);
            match self.check().await {
                Err(refusal) if refusal.is_of_the_server() => return None,
                Err(refusal) => return Some(error_event(refusal.sentence())),
                Ok(()) => {}
            }
            match load_submission(&self.asker.node, self.account, self.token).await {
                Ok(Some(seen)) => self.next = Some(seen),
                Ok(None) => return Some(error_event(UNKNOWN_TOKEN)),
                Err(fault) => {
                    tracing::warn!(%fault, "a stream of events ended");
                    return None;
                }
            }
        };
        let has_ended = seen.finished_at.is_some();
        let event = EventData::Submission(&seen).event(if has_ended { "end" } else { "progress" });
        self.shown = Some(seen);
        Some((Ok(event), (!has_ended).then_some(self)))
    }

    /// Asks now and then whether the secret is still good, and its account still there.
    async fn check(&mut self) -> Result<(), Refusal> {
        if self.checked.elapsed() > CHECK_DURATION {
            self.asker.account().await?;
            self.checked = Instant::now();
        }
        Ok(())
    }
}

/// The last event of a stream that does not reach its end.
fn error_event(sentence: &str) -> StreamStep {
    let body = ErrorBody { error: sentence.into() };
    (Ok(EventData::Error(body).event("error")), None)
}
