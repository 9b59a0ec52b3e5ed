//! `POST /api/user/held`: counts a person's stored data. An addition to the fixed interface.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::read_permits::turn_to_look;
use super::user_forget::AuthenticatedPerson;
use crate::evidence::person::{self, Held};
use crate::node::Node;
use crate::transport::error_body::ErrorBody;
use crate::transport::refusal::{OfShop, Refusal};

/// Lists the people that a request would forget, and counts their data, place by place. Changes nothing.
#[utoipa::path(post, path = "/api/user/held", operation_id = "user_held", tag = "people", request_body = AuthenticatedPerson,
    responses(OfShop, (status = 200, description = "Counts", body = Held),
    (status = 410, description = "The key of the person is lost", body = ErrorBody<'static>)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    AuthenticatedPerson { account, question, .. }: AuthenticatedPerson,
) -> Result<Json<Held>, Refusal> {
    let _turn = turn_to_look(&node.resources.looks, account.id).await?;
    Ok(Json(person::count_held(&node, account.id, question.asked).await?))
}
