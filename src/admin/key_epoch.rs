//! `/control/key-epoch/…`: for the operator, over the control socket only.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use crate::keys::KeyFault;
use crate::node::Node;
use crate::recovery::folder_progress;
use crate::transport::refusal::Refusal;

/// The epoch in force and how many keys it wraps.
///
/// # Errors
/// A refusal when the slot file cannot be read.
pub async fn show(State(node): State<Arc<Node>>) -> Result<Json<Value>, Refusal> {
    let keys = node.keys.clone();
    let living = blocking(move || keys.living()).await?;
    let epoch = node.keys.epoch();
    Ok(Json(json!({"Number": epoch.number, "MadeAt": epoch.made_at, "DueAt": epoch.due_at(),
                   "Rotating": epoch.is_rotating, "Keys": living})))
}

/// Makes a new epoch and destroys the old one before it answers.
///
/// # Errors
/// A refusal when a key file cannot be read or written; both epochs live then.
pub async fn rotate(State(node): State<Arc<Node>>) -> Result<Json<Value>, Refusal> {
    let keys = node.keys.clone();
    let now = node.clock.now();
    let rotation = blocking(move || keys.rotate(now)).await?;
    // The old epoch is gone: a fault of the store here is none of the rotation.
    if let Err(fault) = folder_progress::note_epoch(&node.store, &node.keys).await {
        tracing::warn!(%fault, "the store could not note the new key epoch; the next start does");
    }
    Ok(Json(json!({"Number": rotation.number, "Survivors": rotation.survivors, "Damaged": rotation.damaged,
                   "Milliseconds": u64::try_from(rotation.duration.as_millis()).unwrap_or(u64::MAX)})))
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, KeyFault> + Send + 'static,
) -> Result<T, Refusal> {
    let done = tokio::task::spawn_blocking(work).await.map_err(|_| Refusal::fault())?;
    done.map_err(crate::api::faults::key_fault)
}
