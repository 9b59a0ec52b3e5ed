//! `POST /api/user/export`: a person's stored data, for them. An addition to the fixed interface.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::Value;

use super::openapi::schemas::PersonExport;
use super::read_permits::turn_to_look;
use super::user_forget::AuthenticatedPerson;
use crate::evidence::person;
use crate::node::Node;
use crate::transport::error_body::ErrorBody;
use crate::transport::refusal::{OfShop, Refusal};

/// Everything that is stored about a person, opened, for the person (Article 15 GDPR).
#[utoipa::path(post, path = "/api/user/export", operation_id = "user_export", tag = "people",
    request_body = AuthenticatedPerson, responses(OfShop,
    (status = 200, description = "Identifiers, profiles and orders", body = PersonExport),
    (status = 410, description = "The key of the person is lost", body = ErrorBody<'static>)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    AuthenticatedPerson { account, question, .. }: AuthenticatedPerson,
) -> Result<Json<Value>, Refusal> {
    let _turn = turn_to_look(&node.resources.looks, account.id).await?;
    Ok(Json(person::export(&node, &account, question.asked).await?))
}
