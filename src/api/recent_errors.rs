//! `POST /api/refused`: what requests of an account were refused a moment ago. An addition, for who connects a shop.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::extract::{BySecret, Credentials};
use crate::node::{Node, RefusedRequest};
use crate::transport::refusal::{OfShop, Refusal};

type RefusedBySecret = BySecret<Credentials>;

/// The requests of an account that were refused since the server began, newest first: up to 50 of who showed a secret,
/// and up to 50 of who showed the access key alone. What came again is counted. Neither addresses of clients nor what
/// they sent are kept.
#[utoipa::path(post, path = "/api/refused", operation_id = "refused", tag = "additions",
    request_body = RefusedBySecret,
    responses(OfShop, (status = 200, description = "Refused requests", body = Vec<RefusedRequest>)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    RefusedBySecret { account, .. }: RefusedBySecret,
) -> Result<Json<Vec<RefusedRequest>>, Refusal> {
    Ok(Json(node.refused_requests.list(account.id)))
}
