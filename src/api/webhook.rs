//! `POST /api/webhook`, `/api/webhook/set`, `/api/webhook/rotate`, `/api/webhook/test` and `/api/webhook/remove`: the
//! address of a shop's own server, which gets a message about each end.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::extract::{Authenticated, Credentials};
use super::from_fields::{FromFields, MemberNames};
use super::json_fields::JsonFields;
use crate::accounts::{self, AccountFault};
use crate::clock::Millis;
use crate::node::Node;
use crate::outbound::FeedUrl;
use crate::people::subject::SubjectFault;
use crate::store::StoreFault;
use crate::transport::error_body::ErrorBody;
use crate::transport::refusal::{OfShop, Refusal};
use crate::webhooks::{self, Webhook, WebhookEvent};

const NONE: &str = "no webhook is set; `lethe webhook set URL` sets one";

/// A webhook, and how its deliveries went; times in milliseconds since 1970.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct WebhookShown {
    /// Address that messages go to.
    url: String,
    /// Time when it was set.
    set_at: Millis,
    /// True if messages are sent.
    on: bool,
    /// Reason why nothing is sent any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    off: Option<String>,
    /// Messages that wait to be delivered.
    waiting: i64,
    /// Time of the last delivery.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = i64)]
    delivered_at: Option<Millis>,
    /// Time of the last try that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = i64)]
    failed_at: Option<Millis>,
    /// Reason why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    failure: Option<String>,
    /// Tries that failed since the last delivery.
    fails: i64,
    /// Messages that were given up, since the webhook was set first.
    given_up: i64,
    /// Messages that were left out because too many waited.
    left_out: i64,
    /// Time until which messages are signed with the secret before the last change as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = i64)]
    old_secret_until: Option<Millis>,
}

impl WebhookShown {
    fn new(url: String, webhook: Webhook, now: Millis) -> Self {
        Self {
            url,
            set_at: webhook.set_at,
            on: webhook.off.is_none(),
            off: webhook.off,
            waiting: webhook.waiting,
            delivered_at: webhook.delivered_at,
            failed_at: webhook.failed_at,
            failure: webhook.failure,
            fails: webhook.fails,
            given_up: webhook.given_up,
            left_out: webhook.left_out,
            old_secret_until: webhook.old_until.filter(|until| now < *until),
        }
    }
}

type WebhookBySecret = Authenticated<Credentials>;

/// Shows the address that messages go to, and how their deliveries went.
#[utoipa::path(post, path = "/api/webhook", operation_id = "webhook", tag = "webhook", request_body = WebhookBySecret,
    responses(OfShop, (status = 200, description = "The webhook", body = WebhookShown),
    (status = 404, description = "None is set", body = ErrorBody<'static>)))]
pub async fn show(
    State(node): State<Arc<Node>>,
    WebhookBySecret { account, .. }: WebhookBySecret,
) -> Result<Json<WebhookShown>, Refusal> {
    let id = account.id;
    let found = node.store.read(move |tx| webhooks::get(tx, id)).await;
    let webhook = found.map_err(|fault: StoreFault| fault)?.ok_or_else(|| Refusal::unknown(NONE))?;
    let url = webhook.address(&node.keys, id).map_err(crate::api::faults::key_fault)?;
    Ok(Json(WebhookShown::new(url.to_string(), webhook, node.clock.now())))
}

/// The address that messages are to go to.
#[derive(utoipa::ToSchema)]
pub struct WebhookSetRequest {
    /// Absolute http or https URL, under the rules for addresses of feeds.
    #[schema(rename = "Url", format = "uri", example = "https://shop.example/lethe-webhook")]
    url: String,
}

impl FromFields for WebhookSetRequest {
    const MEMBERS: MemberNames = MemberNames::Tolerant;

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        Ok(Self { url: fields.text(&["Url"])? })
    }
}

/// A webhook that was set.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct WebhookSet {
    /// Address that messages go to from now on.
    url: String,
    /// Secret that messages are signed with, when the webhook is set for the first time: it is shown here and nowhere
    /// else. Later the secret stays as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    secret: Option<String>,
}

type WebhookSetBySecret = Authenticated<WebhookSetRequest>;

/// Sets the address of messages; a webhook that was switched off is on again.
#[utoipa::path(post, path = "/api/webhook/set", operation_id = "webhook_set", tag = "webhook", request_body = WebhookSetBySecret,
    responses(OfShop, (status = 200, description = "Messages go there from now on", body = WebhookSet),
    (status = 409, description = "The account is closed", body = ErrorBody<'static>)))]
pub async fn set(
    State(node): State<Arc<Node>>,
    WebhookSetBySecret { account, question, .. }: WebhookSetBySecret,
) -> Result<Json<WebhookSet>, Refusal> {
    let url = FeedUrl::parse(&question.url, node.outbound.policy())
        .map_err(|refusal| Refusal::malformed(format!("Url: {refusal}")))?;
    let id = account.id;
    let now = node.clock.now();
    let keys = node.keys.clone();
    let address = url.clone();
    let setting = node.store.write(id, move |tx| {
        // It may be closed by now, and the operator names closed ones too.
        let is_closed = accounts::by_id(tx, id)?.is_none_or(|account| account.closed_at.is_some());
        if is_closed {
            return Err(AccountFault::Closed);
        }
        webhooks::set::<AccountFault>(tx, &keys, id, &address, now)
    });
    let secret = setting.await?;
    tracing::info!(account = id.0, "a webhook was set");
    let secret = secret.map(|secret| secret.reveal().to_string());
    Ok(Json(WebhookSet { url: url.expose().to_owned(), secret }))
}

/// A new secret.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct WebhookRotated {
    /// It is shown here and nowhere else.
    secret: String,
    /// Time until which messages are signed with the one before as well, in milliseconds since 1970.
    old_secret_until: Millis,
}

type WebhookRotateBySecret = Authenticated<Credentials>;

/// Makes a new secret; for a day messages are signed with both.
#[utoipa::path(post, path = "/api/webhook/rotate", operation_id = "webhook_rotate", tag = "webhook",
    request_body = WebhookRotateBySecret, responses(OfShop, (status = 200, description = "The new secret", body = WebhookRotated),
    (status = 404, description = "None is set", body = ErrorBody<'static>)))]
pub async fn rotate(
    State(node): State<Arc<Node>>,
    WebhookRotateBySecret { account, .. }: WebhookRotateBySecret,
) -> Result<Json<WebhookRotated>, Refusal> {
    let id = account.id;
    let now = node.clock.now();
    let keys = node.keys.clone();
    let rotating = node.store.write(id, move |tx| webhooks::rotate::<SubjectFault>(tx, &keys, id, now));
    let (secret, old_secret_until) = rotating.await?.ok_or_else(|| Refusal::unknown(NONE))?;
    tracing::info!(account = id.0, "the secret of a webhook was changed");
    Ok(Json(WebhookRotated { secret: secret.reveal().to_string(), old_secret_until }))
}

/// Result of a test or of a removal.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct WebhookDone {
    /// `waiting` or `removed`.
    state: &'static str,
}

type WebhookTestBySecret = Authenticated<Credentials>;

/// Sends a message of the type `webhook.test` as any other: it waits, and is tried within a second or so.
#[utoipa::path(post, path = "/api/webhook/test", operation_id = "webhook_test", tag = "webhook", request_body = WebhookTestBySecret,
    responses(OfShop, (status = 200, description = "The message waits to be delivered", body = WebhookDone),
    (status = 404, description = "None is set, or it is switched off", body = ErrorBody<'static>)))]
pub async fn test(
    State(node): State<Arc<Node>>,
    WebhookTestBySecret { account, .. }: WebhookTestBySecret,
) -> Result<Json<WebhookDone>, Refusal> {
    let id = account.id;
    let now = node.clock.now();
    let telling = node.store.write(id, move |tx| {
        let is_on = webhooks::is_on(tx, id)?;
        webhooks::enqueue(tx, id, &WebhookEvent::Test {}, now)?;
        Ok::<_, StoreFault>(is_on)
    });
    if telling.await? {
        Ok(Json(WebhookDone { state: "waiting" }))
    } else {
        Err(Refusal::unknown("no webhook is set, or it is switched off; `lethe webhook set URL` sets one"))
    }
}

type WebhookRemoveBySecret = Authenticated<Credentials>;

/// Removes the webhook with its secret and all messages that wait.
#[utoipa::path(post, path = "/api/webhook/remove", operation_id = "webhook_remove", tag = "webhook",
    request_body = WebhookRemoveBySecret, responses(OfShop, (status = 200, description = "It is removed", body = WebhookDone),
    (status = 404, description = "None is set", body = ErrorBody<'static>)))]
pub async fn remove(
    State(node): State<Arc<Node>>,
    WebhookRemoveBySecret { account, .. }: WebhookRemoveBySecret,
) -> Result<Json<WebhookDone>, Refusal> {
    let id = account.id;
    let removing = node.store.write(id, move |tx| webhooks::remove(tx, id));
    if !removing.await.map_err(|fault: StoreFault| fault)? {
        return Err(Refusal::unknown(NONE));
    }
    tracing::info!(account = id.0, "a webhook was removed");
    Ok(Json(WebhookDone { state: "removed" }))
}
