//! `POST /api/plugin/…` and `/api/next-steps/complete`: calls of a shop's plugin besides feeds and deltas.

mod credentials;
pub mod dashboard;
pub mod signup;

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

use super::extract::{Authenticated, WithAccessKey};
use super::from_fields::{FromFields, MemberNames};
use super::json_fields::JsonFields;
use super::plain_answer;
use super::plain_answer::AcceptedPlain;
use crate::accounts::deletion;
use crate::node::Node;
use crate::transport::refusal::{OfShop, Refusal};

pub use self::credentials::AuthenticatedOnly;

/// Names of platforms that are noted with a feedback; every other text is noted as `other`.
const PLATFORMS: &[&str] = &["WooCommerce", "Magento", "Magento1", "Magento2", "XCart", "X-Cart"];

/// Validity of an access key and a secret as a pair.
#[derive(serde::Serialize, utoipa::ToSchema)]
pub struct Validity {
    /// `true` if they belong together.
    #[serde(rename = "IsValid")]
    is_valid: bool,
}

/// Answers whether the keys belong together. Wrong ones are an answer here and no refusal, but count as a failure.
#[utoipa::path(post, path = "/api/plugin/validate-account", operation_id = "plugin_validate_account", tag = "plugin",
    request_body = AuthenticatedOnly, responses(OfShop,
    (status = 200, description = "Whether the keys belong together", body = Validity)))]
pub async fn validate(asked: Result<AuthenticatedOnly, Refusal>) -> Result<Json<Validity>, Refusal> {
    match asked {
        Ok(_) => Ok(Json(Validity { is_valid: true })),
        Err(refusal) if refusal.is_of_credentials() => Ok(Json(Validity { is_valid: false })),
        Err(refusal) => Err(refusal),
    }
}

/// Feedback from the people who use a plugin.
#[derive(utoipa::ToSchema)]
pub struct FeedbackRequest {
    /// The name of the plugin's platform; anything else is noted as `other`.
    #[schema(rename = "Platform", value_type = serde_json::Value, required = false)]
    platform: &'static str,
}

impl FromFields for FeedbackRequest {
    const MEMBERS: MemberNames = MemberNames::Tolerant;

    /// The person's free text, `Feedback`, is not read.
    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        Ok(Self { platform: platform(fields)? })
    }
}

type Feedback = Authenticated<FeedbackRequest>;

/// Takes a person's free text and discards it: it may hold anything. Only its arrival is logged.
#[utoipa::path(post, path = "/api/plugin/feedback", operation_id = "plugin_feedback", tag = "plugin",
    request_body = Feedback, responses(OfShop, AcceptedPlain))]
pub async fn feedback(
    headers: HeaderMap,
    Feedback { account, question, .. }: Feedback,
) -> Result<Response, Refusal> {
    let platform = question.platform;
    tracing::info!(account = account.id.0, platform, "a plugin sent feedback; its text is not kept");
    Ok(plain_answer::accepted_response(&headers))
}

fn platform(fields: &JsonFields<'_>) -> Result<&'static str, Refusal> {
    let sent = fields.find(&["Platform"])?.and_then(|value| serde_json::from_str::<String>(value.get()).ok());
    let known = PLATFORMS
        .iter()
        .find(|known| sent.as_deref().is_some_and(|platform| platform.eq_ignore_ascii_case(known)));
    Ok(known.copied().unwrap_or("other"))
}

/// Records that the deletion of the account is asked for; the operator decides, and nothing changes before.
#[utoipa::path(post, path = "/api/plugin/delete", operation_id = "plugin_delete", tag = "plugin",
    request_body = AuthenticatedOnly, responses(OfShop, AcceptedPlain))]
pub async fn delete(
    State(node): State<Arc<Node>>,
    headers: HeaderMap,
    AuthenticatedOnly { account, .. }: AuthenticatedOnly,
) -> Result<Response, Refusal> {
    let id = account.id;
    let now = node.clock.now();
    node.store.write(id, move |tx| deletion::request_deletion(tx, id, now)).await?;
    tracing::info!(account = account.id.0, "a plugin asked for the deletion of its account");
    Ok(plain_answer::accepted_response(&headers))
}

/// A step that a user reports as done.
#[derive(utoipa::ToSchema)]
pub struct CompleteRequest {}

impl FromFields for CompleteRequest {
    const ACCESS_KEY: &str = "appkey";
    const MEMBERS: MemberNames = MemberNames::Tolerant;

    /// The id of the step, `id`, is never looked at, because one plugin sends its secret there.
    fn from_fields(_fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        Ok(Self {})
    }
}

type CompletedStep = WithAccessKey<CompleteRequest>;

/// Does nothing but check the access key: the steps of the dashboard follow from the account's state, and go when
/// they are done.
#[utoipa::path(post, path = "/api/next-steps/complete", operation_id = "next_steps_complete", tag = "plugin",
    request_body = CompletedStep, responses(OfShop, AcceptedPlain))]
pub async fn complete_step(headers: HeaderMap, _: CompletedStep) -> Result<Response, Refusal> {
    Ok(plain_answer::accepted_response(&headers))
}
