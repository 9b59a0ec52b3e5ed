//! `POST /api/plugin/…` and `/api/next-steps/complete`: what a shop's plugin does beside feeds and deltas.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::Response;

use super::body::{Fields, read_json};
use super::refusal::{ErrorBody, Refusal};
use super::{answer, credentials, peer_of};
use crate::accounts::{Account, deletion};
use crate::limits;
use crate::node::Node;

/// Names of platforms that are noted with a feedback; every other text is noted as `other`.
const PLATFORMS: &[&str] = &["WooCommerce", "Magento", "Magento1", "Magento2", "XCart", "X-Cart"];

/// The credentials of a plugin.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the body; its fields are read under all their spellings")]
pub struct PluginRequest {
    /// The account's access key.
    #[schema(rename = "AccessKey")]
    access_key: String,
    /// One of the account's secrets.
    #[schema(rename = "SecretKey")]
    secret_key: String,
}

/// Whether an access key and a secret belong together.
#[derive(serde::Serialize, utoipa::ToSchema)]
pub struct Validity {
    /// `true` when they do.
    #[serde(rename = "IsValid")]
    is_valid: bool,
}

/// The account of a request of which nothing but the credentials is read.
pub async fn account(node: &Node, request: Request<Body>) -> Result<Arc<Account>, Refusal> {
    let peer = peer_of(&request);
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    credentials::by_secret(node, peer, &Fields::parse(&body)?).await
}

/// Says whether the keys belong together. Wrong ones are an answer here and no refusal, but count as a failure.
#[utoipa::path(post, path = "/api/plugin/validate-account", tag = "plugin", request_body = PluginRequest, responses(
    (status = 200, description = "Whether the keys belong together", body = Validity),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 429, description = "Too many wrong keys from this address", body = ErrorBody<'static>)))]
pub async fn validate(
    State(node): State<Arc<Node>>,
    request: Request<Body>,
) -> Result<Json<Validity>, Refusal> {
    match account(&node, request).await {
        Ok(_) => Ok(Json(Validity { is_valid: true })),
        Err(refusal) if refusal.is_of_credentials() => Ok(Json(Validity { is_valid: false })),
        Err(refusal) => Err(refusal),
    }
}

/// Takes a person's free text and keeps none of it: it may hold anything. That it came is logged.
#[utoipa::path(post, path = "/api/plugin/feedback", tag = "plugin", request_body = PluginRequest, responses(
    (status = 200, description = "Noted; the text is not kept", body = String),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ErrorBody<'static>)))]
pub async fn feedback(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Response, Refusal> {
    let (headers, peer) = (request.headers().clone(), peer_of(&request));
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    let fields = Fields::parse(&body)?;
    let platform = platform(&fields)?;
    let account = credentials::by_secret(&node, peer, &fields).await?;
    tracing::info!(account = account.name, platform, "a plugin sent feedback; its text is not kept");
    Ok(answer::accepted(&headers))
}

fn platform(fields: &Fields<'_>) -> Result<&'static str, Refusal> {
    let sent = fields.find(&["Platform"])?.and_then(|value| serde_json::from_str::<String>(value.get()).ok());
    let known = PLATFORMS
        .iter()
        .find(|known| sent.as_deref().is_some_and(|platform| platform.eq_ignore_ascii_case(known)));
    Ok(known.copied().unwrap_or("other"))
}

/// Records that the deletion of the account is asked for; the operator decides.
#[utoipa::path(post, path = "/api/plugin/delete", tag = "plugin", request_body = PluginRequest, responses(
    (status = 200, description = "Recorded; nothing changes before the operator confirms it", body = String),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ErrorBody<'static>)))]
pub async fn delete(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Response, Refusal> {
    let headers = request.headers().clone();
    let account = account(&node, request).await?;
    let (id, now) = (account.id, node.clock.now());
    node.store.write(id, move |tx| deletion::ask(tx, id, now)).await?;
    tracing::info!(account = account.name, "a plugin asked for the deletion of its account");
    Ok(answer::accepted(&headers))
}

/// A step that somebody says is done.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the body; the id is never read")]
pub struct CompleteRequest {
    /// The account's access key.
    appkey: String,
    /// Of the step. Not read.
    id: String,
}

/// Does nothing but check the access key: the steps of the dashboard follow from the account's state, and go when
/// they are done. The id is never looked at, because one plugin sends its secret there.
#[utoipa::path(post, path = "/api/next-steps/complete", tag = "plugin", request_body = CompleteRequest, responses(
    (status = 200, description = "The access key is known", body = String),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Unknown access key", body = ErrorBody<'static>)))]
pub async fn complete_step(
    State(node): State<Arc<Node>>,
    request: Request<Body>,
) -> Result<Response, Refusal> {
    let (headers, peer) = (request.headers().clone(), peer_of(&request));
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    credentials::by_key(&node, peer, &Fields::parse(&body)?).await?;
    // red: it::plugin::sqlite::a_secret_sent_as_the_id_of_a_step_is_nowhere
    mutant!(
        "the-id-of-a-step-is-logged",
        tracing::debug!(body = %String::from_utf8_lossy(&body), "a step is done")
    );
    Ok(answer::accepted(&headers))
}
