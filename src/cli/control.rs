//! Operator commands: over the control socket to a running server; with none running, in this process.

use std::path::Path;

use axum::body::Body;
use axum::http::{Request, header};
use http_body_util::BodyExt;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::UnixStream;
use tower::ServiceExt;

use super::{CliFault, Context};
use crate::http::{self, listener::Peer};
use crate::node::{Node, StartFault, control_socket};

/// Sends one request and gives its answer; a refusal becomes its own sentence.
pub async fn ask(context: &Context, path: &str, body: &Value) -> Result<Value, CliFault> {
    let config = context.flags.load()?;
    let request = Request::post(path)
        .header(header::HOST, "lethe")
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from(body.to_string()))
        .map_err(|error| CliFault::Failed(error.to_string()))?;
    let response = match connect(&config.data_dir).await {
        Some(stream) => over_socket(stream, request).await?,
        None => {
            let node = match Node::open(config).await {
                // A server was starting in between.
                Err(StartFault::InUse(why)) => return Err(CliFault::Failed(why.to_owned())),
                other => other?,
            };
            let mut request = request;
            request.extensions_mut().insert(Peer::Operator);
            let answer = http::control(node.clone()).oneshot(request).await;
            node.release().await;
            read(answer.unwrap_or_else(|never| match never {})).await?
        }
    };
    let (is_success, answer) = response;
    match (is_success, answer.get("Error").and_then(Value::as_str)) {
        (true, _) => Ok(answer),
        (false, Some(sentence)) => Err(CliFault::Refused(sentence.to_owned())),
        (false, None) => Err(CliFault::Failed("the server gave no reason".to_owned())),
    }
}

async fn connect(data_dir: &Path) -> Option<UnixStream> {
    UnixStream::connect(control_socket(data_dir)).await.ok()
}

async fn over_socket(stream: UnixStream, request: Request<Body>) -> Result<(bool, Value), CliFault> {
    let lost = |error: hyper::Error| CliFault::Failed(format!("the server did not answer: {error}"));
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(lost)?;
    tokio::spawn(connection);
    read(sender.send_request(request).await.map_err(lost)?.map(Body::new)).await
}

async fn read(response: axum::http::Response<Body>) -> Result<(bool, Value), CliFault> {
    let is_success = response.status().is_success();
    let body = response.into_body().collect().await;
    let body = body.map_err(|_| CliFault::Failed("the server's answer broke off".to_owned()))?.to_bytes();
    let answer = serde_json::from_slice(&body);
    Ok((is_success, answer.unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&body).into_owned()))))
}
