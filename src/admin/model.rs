//! `/control/model/verify`: for the operator, over the control socket only.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;

use crate::accounts::{self, Account, AccountFault};
use crate::api::body::read_json;
use crate::api::json_fields::JsonFields;
use crate::api::search::number;
use crate::evidence::erasures::is_any_going_on;
use crate::limits;
use crate::node::Node;
use crate::people::retention;
use crate::recommend::model_diff::compare_models;
use crate::store::StoreFault;
use crate::transport::refusal::Refusal;

/// Result of a comparison.
#[derive(serde::Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Verified {
    name: String,
    /// Number of people that the model knows.
    people: usize,
    /// Number of sessions in it.
    sessions: usize,
    /// Approximate bytes of memory that it takes.
    bytes: usize,
    /// True if an erasure is going on: people whose keys are gone may still be in the model for a moment.
    pending: bool,
    /// True if the rebuilt model has the same bytes.
    same_bytes: bool,
    /// Number of questions that both models were asked.
    asked: usize,
    /// Number of questions that both answered alike.
    answered_alike: usize,
}

/// Rebuilds the models of an account, or of all, from the store, and compares bytes and answers with the live ones.
///
/// # Errors
/// A refusal when the request is malformed, no account has the name, or the store or the keys fail.
pub async fn verify(
    State(node): State<Arc<Node>>,
    request: Request<Body>,
) -> Result<Json<Vec<Verified>>, Refusal> {
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    let fields = JsonFields::parse(&body)?;
    let name = fields.opt_text(&["Name"])?;
    let sample = number(&fields, "Sample", 200, 1..=1_000_000)?;
    let accounts = node.store.read(move |tx| match &name {
        Some(name) => Ok::<_, AccountFault>(vec![accounts::by_name(tx, name)?]),
        None => Ok(accounts::list(tx)?),
    });
    let mut verified = Vec::new();
    for Account { id, name, .. } in accounts.await? {
        let is_erasing = || {
            node.store.read(move |tx| {
                Ok::<_, StoreFault>(is_any_going_on(tx, id)? || retention::is_somebody_going(tx, id)?)
            })
        };
        let before = is_erasing().await?;
        let comparing = node.derived.models().compare_with_rebuilt(id, |live, anew| {
            let found = compare_models(live, anew, sample);
            Verified {
                name,
                people: live.people(),
                sessions: live.views().sessions(),
                bytes: live.bytes(),
                pending: before,
                same_bytes: found.has_same_bytes,
                asked: found.asked,
                answered_alike: found.answered_alike,
            }
        });
        let (compared, is_left) = comparing.await?;
        let pending = compared.pending || is_left || is_erasing().await?;
        verified.push(Verified { pending, ..compared });
    }
    Ok(Json(verified))
}
