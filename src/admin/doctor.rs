//! `POST /control/doctor`: for the operator.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use crate::maintenance::doctor::{self, Finding};
use crate::node::Node;
use crate::transport::refusal::Refusal;

/// Checks for dangers of a loss on this server.
///
/// # Errors
/// A refusal when the store fails.
pub async fn post(State(node): State<Arc<Node>>) -> Result<Json<Vec<Finding>>, Refusal> {
    Ok(Json(doctor::examine(&node).await?))
}
