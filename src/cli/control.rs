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

/// Media type of a form.
pub const FORM: &str = "application/x-www-form-urlencoded";

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
    let asked = request(path, spell_request(body))?;
    let reply = match way(context).await? {
        StoreAccess::Here(config) if begins => here(*config, asked).await?,
        way => send_by(way, asked).await?,
    };
    Ok(reply.error_for_status()?.answer)
}

/// Sends one request with a JSON body to the running server, or does it here when none runs.
///
/// # Errors
/// When the settings cannot be used, there is neither a server nor a store, the store cannot be opened, or
/// the server does not answer. A refusal is an answer.
pub async fn send(context: &CommandContext, path: &str, body: String) -> Result<Reply, CliFault> {
    send_by(way(context).await?, request(path, body)?).await
}

/// Sends a form as [`send`] sends JSON.
///
/// # Errors
/// As [`send`].
pub async fn send_form(context: &CommandContext, path: &str, form: String) -> Result<Reply, CliFault> {
    send_by(way(context).await?, build_request(path, FORM, form)?).await
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

async fn send_by(way: StoreAccess, request: Request<Body>) -> Result<Reply, CliFault> {
    match way {
        StoreAccess::Socket(stream) => read_reply(over_socket(stream, request).await?).await,
        StoreAccess::Here(config) => here(require_store(*config)?, request).await,
    }
}

async fn here(config: Config, request: Request<Body>) -> Result<Reply, CliFault> {
    let node = Node::open(config).await?;
    let reply = read_reply(answer_here(&node, request).await).await;
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
    let asked = request(path, body.to_string())?;
    let config = match way(context).await? {
        StoreAccess::Socket(stream) => return copy_body(over_socket(stream, asked).await?, out).await,
        StoreAccess::Here(config) => require_store(*config)?,
    };
    let node = Node::open(config).await?;
    let copied = copy_body(answer_here(&node, asked).await, out).await;
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
    read_reply(answer_here(node, request(path, body)?).await).await
}

async fn answer_here(node: &Arc<Node>, mut request: Request<Body>) -> Response<Body> {
    request.extensions_mut().insert(Peer::Operator);
    let answer = crate::admin::routes::control(node.clone()).oneshot(request).await;
    answer.unwrap_or_else(|never| match never {})
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
    build_request(path, "application/json", body)
}

fn build_request(path: &str, media_type: &str, body: String) -> Result<Request<Body>, CliFault> {
    Request::post(path)
        .header(header::HOST, "lethe")
        .header(header::CONTENT_TYPE, media_type)
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    async fn reply_of(status: u16, body: &str) -> Reply {
        let answer = Response::builder()
            .status(status)
            .header("x-feed-token", "told")
            .header("x-erasure-id", "4711")
            .body(Body::from(body.to_owned()))
            .expect("an answer");
        read_reply(answer).await.expect("a reply")
    }

    #[tokio::test]
    async fn an_answer_is_read_with_the_handles_in_its_head() {
        for (body, answer) in [(r#"{"a":1}"#, json!({"a": 1})), ("OK", json!("OK")), ("", json!(""))] {
            let reply = reply_of(200, body).await;
            assert_eq!((reply.status.as_u16(), reply.answer), (200, answer));
            assert_eq!(
                (reply.feed_token.as_deref(), reply.erasure_id.as_deref()),
                (Some("told"), Some("4711"))
            );
        }
        assert_eq!(answer_of(b"\xff"), json!("\u{fffd}"));
    }

    #[tokio::test]
    async fn an_answer_that_is_no_success_is_the_fault_of_its_sentence() {
        for (status, body, sentence) in [
            (200, r#"{"Error":"x"}"#, None),
            (299, "", None),
            (300, r#"{"Error":"x"}"#, Some("x")),
            (404, r#"{"Error":"x"}"#, Some("x")),
            (500, "<p>", Some("the server gave no reason")),
            (503, r#"{"Error":7}"#, Some("the server gave no reason")),
        ] {
            let fault = reply_of(status, body).await.error_for_status().err();
            assert_eq!(fault.as_ref().map(ToString::to_string).as_deref(), sentence, "{status}");
            if let Some(CliFault::Answered { status: answered, .. }) = fault {
                assert_eq!(answered, status);
            }
        }
    }

    #[test]
    fn an_argument_that_is_left_out_is_no_member() {
        let body = json!({"a": null, "b": [null], "c": {"d": null}, "e": 0, "f": ""});
        assert_eq!(spell_request(&body), r#"{"b":[null],"c":{"d":null},"e":0,"f":""}"#);
        assert_eq!(spell_request(&json!([null])), "[null]");
    }

    #[tokio::test]
    async fn an_answer_is_copied_whole_and_a_refusal_is_none() {
        let mut copied = Vec::new();
        let answer = Response::new(Body::from("a\nb\n"));
        copy_body(answer, &mut copied).await.expect("a copy");
        assert_eq!(copied, b"a\nb\n");
        let mut refused = Response::new(Body::from(r#"{"Error":"x"}"#));
        *refused.status_mut() = StatusCode::NOT_FOUND;
        let fault = copy_body(refused, &mut copied).await.err().map(|fault| fault.to_string());
        assert_eq!((fault.as_deref(), copied.len()), (Some("x"), 4));
    }
}
