//! Operator commands: over the control socket to a running server; with none running, in this process.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{Request, Response, StatusCode, header};
use http_body_util::BodyExt;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::UnixStream;
use tower::ServiceExt;

use super::context::CommandContext;
use super::fault::CliFault;
use crate::api;
use crate::config::Config;
use crate::keys::StoreMark;
use crate::node::{Node, control_socket, engine_in_words};
use crate::recovery::restore::RESTORING;
use crate::store::StoreOptions;
use crate::transport::peer::Peer;

/// Answer of the server.
pub struct Reply {
    /// The status of the answer.
    pub status: StatusCode,
    /// Its JSON, or its text as a JSON string.
    pub answer: Value,
    /// The handle of an accepted feed.
    pub feed_token: Option<String>,
    /// The id of an accepted erasure.
    pub erasure_id: Option<String>,
}

impl Reply {
    /// A refusal becomes its own sentence.
    ///
    /// # Errors
    /// When the status is not a success.
    pub fn error_for_status(self) -> Result<Self, CliFault> {
        if self.status.is_success() {
            return Ok(self);
        }
        match self.answer.get("Error").and_then(Value::as_str) {
            Some(sentence) => {
                Err(CliFault::Answered { status: self.status.as_u16(), sentence: sentence.to_owned() })
            }
            None => Err(CliFault::Failed("the server gave no reason".to_owned())),
        }
    }
}

/// The text of a request. An omitted argument is no member.
pub fn spell_request(body: &Value) -> String {
    let mut body = body.clone();
    if let Some(members) = body.as_object_mut() {
        members.retain(|_, value| !value.is_null());
    }
    body.to_string()
}

/// Sends one request and gives its answer.
///
/// # Errors
/// As [`send`]; also when the server refuses.
pub async fn call(context: &CommandContext, path: &str, body: &Value) -> Result<Value, CliFault> {
    Ok(send(context, path, spell_request(body)).await?.error_for_status()?.answer)
}

/// The same; `begins` also makes the store, with its keys, when there is none and no server runs.
///
/// # Errors
/// As [`call`]; with `begins`, a missing store is not an error.
pub async fn call_creating_store(
    context: &CommandContext,
    path: &str,
    body: &Value,
    begins: bool,
) -> Result<Value, CliFault> {
    let body = spell_request(body);
    let reply = match way(context).await? {
        StoreAccess::Here(config) if begins => here(*config, path, body).await?,
        way => send_by(way, path, body).await?,
    };
    Ok(reply.error_for_status()?.answer)
}

/// Sends one request with a JSON body to the running server, or does it here when none runs.
///
/// # Errors
/// When the settings cannot be used, there is neither a server nor a store, the store cannot be opened, or
/// the server does not answer. A refusal is an answer.
pub async fn send(context: &CommandContext, path: &str, body: String) -> Result<Reply, CliFault> {
    send_by(way(context).await?, path, body).await
}

/// Way in which a command reaches the store.
enum StoreAccess {
    /// Over the control socket of the running server.
    Socket(UnixStream),
    /// In this process: no server runs on the data folder.
    Here(Box<Config>),
}

/// The running server, wherever its store is; only without one it matters where that is.
async fn way(context: &CommandContext) -> Result<StoreAccess, CliFault> {
    let config = context.flags.load()?;
    Ok(match connect(&config.data_dir).await {
        Some(stream) => StoreAccess::Socket(stream),
        None => StoreAccess::Here(Box::new(config)),
    })
}

async fn send_by(way: StoreAccess, path: &str, body: String) -> Result<Reply, CliFault> {
    match way {
        StoreAccess::Socket(stream) => read_reply(over_socket(stream, request(path, body)?).await?).await,
        StoreAccess::Here(config) => here(require_store(*config)?, path, body).await,
    }
}

async fn here(config: Config, path: &str, body: String) -> Result<Reply, CliFault> {
    let node = Node::open(config).await?;
    let reply = in_process(&node, path, body).await;
    node.release().await;
    reply
}

/// The settings of a store that is there: asking in a wrong folder must not begin a new store with new keys.
///
/// # Errors
/// When the settings cannot be used or there is no store.
pub fn existing(context: &CommandContext) -> Result<Config, CliFault> {
    require_store(context.flags.load()?)
}

fn require_store(config: Config) -> Result<Config, CliFault> {
    if has_store(&config) {
        return Ok(config);
    }
    let folder = config.data_dir.display();
    let named = config.store_options().engine();
    let mark = StoreMark::load(&config.key_dir).ok().flatten();
    Err(CliFault::Usage(match mark.filter(|mark| mark.engine != named) {
        Some(_) => format!(
            "no server runs on {folder}, and its store is not on {}: name it with --store, or start `lethe serve` with it",
            engine_in_words(named)
        ),
        None => format!(
            "there is no store in {folder}; name it with --data-dir (`lethe serve` begins one, and so does \
             `lethe account create --new-store`)"
        ),
    }))
}

/// True if a store was begun here, or a restore into it.
fn has_store(config: &Config) -> bool {
    let begun = match config.store_options() {
        StoreOptions::Sqlite(file) => file,
        // The start checks whether the database knows this folder.
        StoreOptions::Postgres(_) => config.data_dir.join("blobs"),
    };
    begun.exists() || config.data_dir.join(RESTORING).exists()
}

/// Sends one request with a JSON body to the running server and gives its answer unread.
///
/// # Errors
/// When the settings cannot be used, no server runs, or it does not answer. A refusal is an answer.
pub async fn open(context: &CommandContext, path: &str, body: String) -> Result<Response<Body>, CliFault> {
    match way(context).await? {
        StoreAccess::Socket(stream) => over_socket(stream, request(path, body)?).await,
        StoreAccess::Here(config) => require_store(*config).and_then(|_| {
            let sentence = "no server runs on the data folder; start `lethe serve`";
            Err(CliFault::Failed(sentence.to_owned()))
        }),
    }
}

/// Copies an answer to `out` as it comes, from the running server or, when none runs, from here.
///
/// # Errors
/// As [`call`]; also when the answer breaks off or cannot be written. A closed pipe is not an error.
pub async fn copy(
    context: &CommandContext,
    path: &str,
    body: &Value,
    out: impl Write,
) -> Result<(), CliFault> {
    let body = body.to_string();
    let config = match way(context).await? {
        StoreAccess::Socket(stream) => {
            return copy_body(over_socket(stream, request(path, body)?).await?, out).await;
        }
        StoreAccess::Here(config) => require_store(*config)?,
    };
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
        return read_reply(answer).await?.error_for_status().map(drop);
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
///
/// # Errors
/// When the request cannot be built or its answer breaks off. A refusal is an answer.
pub async fn in_process(node: &Arc<Node>, path: &str, body: String) -> Result<Reply, CliFault> {
    read_reply(answer_here(node, path, body).await?).await
}

async fn answer_here(node: &Arc<Node>, path: &str, body: String) -> Result<Response<Body>, CliFault> {
    let mut request = request(path, body)?;
    request.extensions_mut().insert(Peer::Operator);
    let answer = crate::admin::routes::control(node.clone()).oneshot(request).await;
    Ok(answer.unwrap_or_else(|never| match never {}))
}

/// True if a server runs on the data folder.
///
/// # Errors
/// When the settings cannot be used, or there is neither a server nor a store.
pub async fn is_running(context: &CommandContext) -> Result<bool, CliFault> {
    match way(context).await? {
        StoreAccess::Socket(_) => Ok(true),
        StoreAccess::Here(config) => require_store(*config).map(|_| false),
    }
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
///
/// # Errors
/// When the answer breaks off.
pub async fn read_reply(response: Response<Body>) -> Result<Reply, CliFault> {
    let status = response.status();
    let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let feed_token = header(api::FEED_TOKEN);
    let erasure_id = header(api::user_forget::ERASURE_ID);
    let body = response.into_body().collect().await;
    let body = body.map_err(|_| CliFault::Failed("the server's answer broke off".to_owned()))?.to_bytes();
    Ok(Reply { status, answer: answer_of(&body), feed_token, erasure_id })
}

/// The JSON of an answer, or its text.
pub fn answer_of(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap_or_else(|_| Value::String(String::from_utf8_lossy(body).into_owned()))
}
