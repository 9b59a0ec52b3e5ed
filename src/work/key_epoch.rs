//! The daily rotation of the key-encryption epoch, and the completion of a rotation that broke off.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::node::Node;
use crate::recovery::folder_progress;

/// Interval between checks whether a rotation is due; the first check comes at once.
const LOOK_DURATION: Duration = Duration::from_secs(30);

/// Rotates whenever it is time, until it is stopped. A failure is tried again at the next look, and logged once.
pub(super) async fn rotate_when_due(node: Arc<Node>, stop: CancellationToken) {
    let mut was_failing = false;
    while !stop.is_cancelled() {
        let is_failing = !rotate_if_due(&node, was_failing).await;
        was_failing = is_failing;
        tokio::select! {
            () = tokio::time::sleep(LOOK_DURATION) => {}
            () = stop.cancelled() => {}
        }
    }
}

async fn rotate_if_due(node: &Arc<Node>, was_failing: bool) -> bool {
    let keys = node.keys.clone();
    let now = node.clock.now();
    let rotated = tokio::task::spawn_blocking(move || keys.rotate_if_due(now)).await;
    match rotated {
        Ok(Ok(None)) => return true,
        Ok(Ok(Some(_))) => {
            if let Err(fault) = folder_progress::note_epoch(&node.store, &node.keys).await {
                tracing::warn!(%fault, "the store could not note the new key epoch; the next start does");
            }
            return true;
        }
        Ok(Err(fault)) if !was_failing => {
            tracing::error!(%fault, "the key epoch cannot be rotated; old copies of the keys stay readable until it can");
        }
        Ok(Err(_)) => {}
        Err(_) => tracing::error!("the rotation of the key epoch panicked"),
    }
    false
}
