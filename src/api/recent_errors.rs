//! `POST /api/refused`: recently refused requests of an account. An addition, for the person who connects a shop.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::extract::{Authenticated, Credentials};
use crate::node::{Node, RefusedRequest};
use crate::transport::refusal::{OfShop, Refusal};

type RefusedBySecret = Authenticated<Credentials>;

/// The requests of an account that were refused since the server began, newest first: up to 50 from callers with a
/// secret, and up to 50 from callers with the access key alone. Repeated ones are counted. Neither addresses of
/// clients nor their data are kept.
#[utoipa::path(post, path = "/api/refused", operation_id = "refused", tag = "additions",
    request_body = RefusedBySecret,
    responses(OfShop, (status = 200, description = "Refused requests", body = Vec<RefusedRequest>)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    RefusedBySecret { account, .. }: RefusedBySecret,
) -> Result<Json<Vec<RefusedRequest>>, Refusal> {
    Ok(Json(node.refused_requests.list(account.id)))
}
