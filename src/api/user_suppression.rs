//! `POST /api/user/suppression`: whether an identifier is forgotten. An addition to the fixed interface.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::user_forget::AuthenticatedPerson;
use crate::evidence::person::{self, Suppression};
use crate::node::Node;
use crate::transport::refusal::{OfShop, Refusal};

/// Answers whether an identifier was forgotten, and since when.
#[utoipa::path(post, path = "/api/user/suppression", operation_id = "user_suppression", tag = "people",
    request_body = AuthenticatedPerson, responses(OfShop,
    (status = 200, description = "What is kept of it", body = Suppression)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    AuthenticatedPerson { account, question, .. }: AuthenticatedPerson,
) -> Result<Json<Suppression>, Refusal> {
    Ok(Json(person::suppression(&node, account.id, question.asked).await?))
}
