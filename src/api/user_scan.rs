//! `POST /api/user/scan`: searches all places for a person. An addition to the fixed interface.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::read_permits::turn_to_look;
use super::user_forget::AuthenticatedPerson;
use crate::evidence::person::{self, Searched};
use crate::node::Node;
use crate::transport::peer::Peer;
use crate::transport::refusal::{OfShop, Refusal};

/// Looks for a person in every place: rows and, for the operator, every file byte by byte.
#[utoipa::path(post, path = "/api/user/scan", operation_id = "user_scan", tag = "people", request_body = AuthenticatedPerson,
    responses(OfShop, (status = 200, description = "Counts, and what was scanned", body = Searched)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    AuthenticatedPerson { account, question, peer }: AuthenticatedPerson,
) -> Result<Json<Searched>, Refusal> {
    let _turn = turn_to_look(&node.resources.looks, account.id).await?;
    let in_files = peer == Peer::Operator;
    Ok(Json(person::search_person(&node, account.id, question.asked, in_files).await?))
}
