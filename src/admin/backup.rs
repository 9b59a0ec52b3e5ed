//! `POST /control/backup`: for the operator. The answer is a stream of server-sent events: `progress`, then `end` or
//! `error`.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream;
use serde_json::{Value, json};

use crate::api::body::read_json;
use crate::api::json_fields::JsonFields;
use crate::limits;
use crate::maintenance::backup;
use crate::node::Node;
use crate::transport::refusal::Refusal;

/// Events that wait for a slow reader; progress beyond them is not told.
const WAITING_EVENTS: usize = 64;

/// Makes a backup in the folder `Target`, an absolute path. It is finished also when the client disconnects.
///
/// # Errors
/// A refusal when the request is malformed or `Target` is not an absolute path. The event `error` reports a backup
/// that fails.
pub async fn post(
    State(node): State<Arc<Node>>,
    request: Request<Body>,
) -> Result<impl IntoResponse, Refusal> {
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    let target = PathBuf::from(JsonFields::parse(&body)?.text(&["Target"])?);
    if !target.is_absolute() {
        return Err(Refusal::malformed("Target has to be an absolute path"));
    }
    let (events, told) = tokio::sync::mpsc::channel(WAITING_EVENTS);
    tokio::spawn(async move {
        let progress = events.clone();
        let tell = move |at: crate::recovery::RecoveryProgress| {
            // A slow reader misses some progress.
            let _ = progress
                .try_send(event("progress", &json!({"Step": at.step, "Done": at.done, "Total": at.total})));
        };
        let last = match backup::make(&node, target, tell).await {
            Ok(made) => event("end", &backup::summary(&made)),
            Err(fault) => {
                tracing::error!(%fault, "a backup was not made");
                event("error", &json!({"Error": fault.to_string()}))
            }
        };
        let _ = events.send(last).await;
    });
    let events = stream::unfold(told, |mut told| async move {
        told.recv().await.map(|event| (Ok::<_, Infallible>(event), told))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

fn event(name: &str, value: &Value) -> Event {
    Event::default().event(name).data(value.to_string())
}
