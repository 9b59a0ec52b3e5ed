//! Operator commands: over the control socket to a running server; with none running, in this process.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{Request, Response, header};
use http_body_util::BodyExt;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::UnixStream;
use tower::ServiceExt;

use super::{CliFault, Context};
use crate::config::Config;
use crate::http::{self, listener::Peer};
use crate::node::{Node, control_socket};
use crate::recovery::restore::RESTORING;
use crate::store::StoreOptions;

/// What came back.
pub struct Reply {
    /// Whether the server did it.
    pub is_success: bool,
    /// Its JSON, or its text as a JSON string.
    pub answer: Value,
    /// The handle of an accepted feed.
    pub feed_token: Option<String>,
    /// The id of an accepted erasure.
    pub erasure_id: Option<String>,
}

impl Reply {
    /// A refusal becomes its own sentence.
    pub fn accepted(self) -> Result<Self, CliFault> {
        match (self.is_success, self.answer.get("Error").and_then(Value::as_str)) {
            (true, _) => Ok(self),
            (false, Some(sentence)) => Err(CliFault::Refused(sentence.to_owned())),
            (false, None) => Err(CliFault::Failed("the server gave no reason".to_owned())),
        }
    }
}

/// Sends one request and gives its answer.
pub async fn ask(context: &Context, path: &str, body: &Value) -> Result<Value, CliFault> {
    Ok(send(context, path, body.to_string()).await?.accepted()?.answer)
}

/// The same, and makes the store, with its keys, when there is none.
pub async fn ask_first(context: &Context, path: &str, body: &Value) -> Result<Value, CliFault> {
    let config = context.flags.load()?;
    Ok(send_to(config, path, body.to_string()).await?.accepted()?.answer)
}

/// Sends one request with a JSON body to the running server, or does it here when none runs.
pub async fn send(context: &Context, path: &str, body: String) -> Result<Reply, CliFault> {
    send_to(existing(context)?, path, body).await
}

/// The settings of a store that is there: asking in a wrong folder must not begin a new store with new keys.
pub fn existing(context: &Context) -> Result<Config, CliFault> {
    let config = context.flags.load()?;
    // red: it::cli::wrong_folder::a_command_that_reads_begins_no_store_in_a_wrong_folder
    match mutant!("a-wrong-folder-begins-a-store", has_store(&config), true) {
        true => Ok(config),
        false => Err(CliFault::Usage(format!(
            "there is no store in {}; name it with --data-dir (`lethe serve` and `lethe account create` begin one)",
            config.data_dir.display()
        ))),
    }
}

/// Whether a store was begun here, or a restore into it.
fn has_store(config: &Config) -> bool {
    let begun = match config.store_options() {
        StoreOptions::Sqlite(file) => file,
        // Whether the database knows this folder is asked by the start.
        StoreOptions::Postgres(_) => config.data_dir.join("blobs"),
    };
    begun.exists() || config.data_dir.join(RESTORING).exists()
}

async fn send_to(config: Config, path: &str, body: String) -> Result<Reply, CliFault> {
    if let Some(stream) = connect(&config.data_dir).await {
        return read(over_socket(stream, request(path, body)?).await?).await;
    }
    let node = Node::open(config).await?;
    let reply = in_process(&node, path, body).await;
    node.release().await;
    reply
}

/// Sends one request with a JSON body to the running server and gives its answer unread.
pub async fn open(context: &Context, path: &str, body: String) -> Result<Response<Body>, CliFault> {
    let Some(stream) = connect(&existing(context)?.data_dir).await else {
        return Err(CliFault::Failed("no server runs on the data folder; start `lethe serve`".to_owned()));
    };
    over_socket(stream, request(path, body)?).await
}

/// Copies an answer to `out` as it comes, from the running server or, when none runs, from here.
pub async fn copy(context: &Context, path: &str, out: impl Write) -> Result<(), CliFault> {
    let config = existing(context)?;
    let body = json!({}).to_string();
    if let Some(stream) = connect(&config.data_dir).await {
        return copy_body(over_socket(stream, request(path, body)?).await?, out).await;
    }
    let node = Node::open(config).await?;
    let copied = match answer_here(&node, path, body).await {
        Ok(answer) => copy_body(answer, out).await,
        Err(fault) => Err(fault),
    };
    node.release().await;
    copied
}

async fn copy_body(answer: Response<Body>, mut out: impl Write) -> Result<(), CliFault> {
    if !answer.status().is_success() {
        return read(answer).await?.accepted().map(drop);
    }
    let mut body = answer.into_body();
    while let Some(piece) = body.frame().await {
        let piece = piece.map_err(|_| CliFault::Failed("the server's answer broke off".to_owned()))?;
        match piece.data_ref().map_or(Ok(()), |piece| out.write_all(piece)) {
            // `| head` has seen enough.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => return Ok(()),
            written => written
                .map_err(|error| CliFault::Failed(format!("the answer could not be written: {error}")))?,
        }
    }
    Ok(())
}

/// Sends one request with a JSON body to a node of this process, as its operator.
pub async fn in_process(node: &Arc<Node>, path: &str, body: String) -> Result<Reply, CliFault> {
    read(answer_here(node, path, body).await?).await
}

async fn answer_here(node: &Arc<Node>, path: &str, body: String) -> Result<Response<Body>, CliFault> {
    let mut request = request(path, body)?;
    request.extensions_mut().insert(Peer::Operator);
    let answer = http::control(node.clone()).oneshot(request).await;
    Ok(answer.unwrap_or_else(|never| match never {}))
}

/// Whether a server runs on the data folder.
pub async fn is_running(context: &Context) -> Result<bool, CliFault> {
    Ok(connect(&existing(context)?.data_dir).await.is_some())
}

fn request(path: &str, body: String) -> Result<Request<Body>, CliFault> {
    Request::post(path)
        .header(header::HOST, "lethe")
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from(body))
        .map_err(|error| CliFault::Failed(error.to_string()))
}

async fn connect(data_dir: &Path) -> Option<UnixStream> {
    UnixStream::connect(control_socket(data_dir)).await.ok()
}

async fn over_socket(stream: UnixStream, request: Request<Body>) -> Result<Response<Body>, CliFault> {
    let lost = |error: hyper::Error| CliFault::Failed(format!("the server did not answer: {error}"));
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(lost)?;
    tokio::spawn(connection);
    Ok(sender.send_request(request).await.map_err(lost)?.map(Body::new))
}

/// Reads a whole answer.
pub async fn read(response: Response<Body>) -> Result<Reply, CliFault> {
    let is_success = response.status().is_success();
    let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let (feed_token, erasure_id) = (header(http::FEED_TOKEN), header(http::user_forget::ERASURE_ID));
    let body = response.into_body().collect().await;
    let body = body.map_err(|_| CliFault::Failed("the server's answer broke off".to_owned()))?.to_bytes();
    Ok(Reply { is_success, answer: answer_of(&body), feed_token, erasure_id })
}

/// The JSON of an answer, or its text.
pub fn answer_of(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap_or_else(|_| Value::String(String::from_utf8_lossy(body).into_owned()))
}
