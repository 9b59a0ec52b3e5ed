//! The API as the commands of an integrator use it: over the network with the account's keys, or, with
//! `--account`, as operator over the control socket.

use std::time::Duration;

use axum::body::Body;
use axum::http::{Response, StatusCode, header};
use serde_json::{Map, Value};
use url::Url;

use super::context::CommandContext;
use super::control::{self, Reply};
use super::fault::CliFault;
use crate::addresses::printable;
use crate::api::form::spell_form;
use crate::limits;

/// Longer than the server lets a request take.
const ANSWER_DURATION: Duration = Duration::from_secs(60);

/// Shop of a command.
#[derive(clap::Args)]
pub struct AccountOption {
    /// As the operator: this account, over the data folder's control socket and without keys
    #[arg(long, value_name = "NAME")]
    pub account: Option<String>,
}

/// A way to the API, with the credentials.
pub enum Api<'a> {
    /// With the keys of an account.
    Network(Network),
    /// As the operator, about one account.
    Operator(&'a CommandContext, String),
}

/// A server on the network, and the keys of an account on it.
pub struct Network {
    client: reqwest::Client,
    url: String,
    access_key: String,
    secret_key: String,
}

impl Network {
    /// Talks to the server at `url` and to no proxy.
    ///
    /// # Errors
    /// When `url` is not the address of a server, or the client cannot be made.
    pub fn new(url: &str, access_key: String, secret_key: String) -> Result<Self, CliFault> {
        Ok(Self { client: client()?, url: server_url(url)?, access_key, secret_key })
    }

    /// Sends a request and reads its answer, which is one of lethe or a fault.
    async fn request_reply(&self, path: &str, body: &str) -> Result<Reply, CliFault> {
        self.read_lethe_reply(path, self.open(path, body, ANSWER_DURATION).await?).await
    }

    /// Reads an answer. Another server at a wrong address answers with pages, redirects and other JSON.
    async fn read_lethe_reply(&self, path: &str, response: Response<Body>) -> Result<Reply, CliFault> {
        let reply = control::read_reply(response).await?;
        match foreign(&reply) {
            None => Ok(reply),
            Some(what) => Err(CliFault::Failed(format!(
                "what answers at {} is not lethe: to POST {path} it gave status {}, {what}. {SET_IT}",
                self.url,
                reply.status.as_u16(),
            ))),
        }
    }

    fn from_environment() -> Result<Self, CliFault> {
        let url = variable("LETHE_URL")?.unwrap_or_else(|| "http://127.0.0.1:8080".to_owned());
        let access_key = variable("LETHE_ACCESS_KEY")?.ok_or_else(|| missing("LETHE_ACCESS_KEY"))?;
        let secret_key = match variable("LETHE_SECRET_KEY")? {
            Some(secret) => secret,
            None => {
                let file = variable("LETHE_SECRET_KEY_FILE")?;
                let file = file.ok_or_else(|| missing("LETHE_SECRET_KEY (or LETHE_SECRET_KEY_FILE)"))?;
                let text = std::fs::read_to_string(&file);
                let text = text.map_err(|error| CliFault::unreadable("LETHE_SECRET_KEY_FILE", &error))?;
                text.trim().to_owned()
            }
        };
        Self::new(&url, access_key, secret_key)
    }

    /// Sends a form with the keys in front, and reads its answer.
    async fn send_form(&self, path: &str, fields: &[(&str, &[u8])]) -> Result<Reply, CliFault> {
        let keys = [("accessKey", self.access_key.as_bytes()), ("secretKey", self.secret_key.as_bytes())];
        let form = spell_form(keys.iter().chain(fields));
        let response = self.send(path, control::FORM, form, limits::UPLOAD_PIECE_DURATION).await?;
        self.read_lethe_reply(path, response).await
    }

    /// Sends a request and returns its unread answer; all of the answer has to come within `longest`.
    async fn open(&self, path: &str, body: &str, longest: Duration) -> Result<Response<Body>, CliFault> {
        let mut keys = Map::new();
        keys.insert("AccessKey".to_owned(), self.access_key.as_str().into());
        keys.insert("SecretKey".to_owned(), self.secret_key.as_str().into());
        self.send(path, "application/json", with_members(&keys, body), longest).await
    }

    async fn send(
        &self,
        path: &str,
        media_type: &str,
        body: String,
        longest: Duration,
    ) -> Result<Response<Body>, CliFault> {
        let request = self.client.post(format!("{}{path}", self.url));
        let request = request.header("content-type", media_type).body(body);
        let response = request.timeout(longest).send().await;
        let response = response.map_err(|error| unreachable(&self.url, &error))?;
        Ok(Response::<reqwest::Body>::from(response).map(Body::new))
    }
}

impl<'a> Api<'a> {
    /// With the keys in the environment, or as the operator when an account is named.
    ///
    /// # Errors
    /// Without a named account: when a variable with the address or the keys is missing or unusable, or the
    /// file with the secret cannot be read.
    pub fn open(context: &'a CommandContext, whose: &AccountOption) -> Result<Self, CliFault> {
        match &whose.account {
            Some(name) => Ok(Self::Operator(context, name.clone())),
            None => Ok(Self::Network(Network::from_environment()?)),
        }
    }

    /// Sends the text of a JSON object, with the credentials added. A refusal is the server's sentence.
    ///
    /// # Errors
    /// When there is neither a server nor a store, another program answers, or the server refuses.
    pub async fn post_text(&self, path: &str, body: &str) -> Result<Reply, CliFault> {
        let reply = match self {
            Self::Network(network) => network.request_reply(path, body).await?,
            Self::Operator(context, account) => {
                control::send(context, path, with_members(&owner(account), body)).await?
            }
        };
        reply.error_for_status()
    }

    /// Sends a form, with the credentials added: a piece of an upload.
    ///
    /// # Errors
    /// As [`Api::post_text`].
    pub async fn post_form(&self, path: &str, fields: &[(&str, &[u8])]) -> Result<Reply, CliFault> {
        let reply = match self {
            Self::Network(network) => network.send_form(path, fields).await?,
            Self::Operator(context, account) => {
                let owner = [("Account", account.as_bytes())];
                control::send_form(context, path, spell_form(owner.iter().chain(fields))).await?
            }
        };
        reply.error_for_status()
    }

    /// Sends a JSON object and gives the answer as it comes; `None` when the server has no free event stream
    /// (429).
    ///
    /// # Errors
    /// When no server answers, another program answers, or the server refuses.
    pub async fn stream(&self, path: &str, body: &Value) -> Result<Option<Body>, CliFault> {
        let body = control::spell_request(body);
        let response = match self {
            Self::Network(network) => {
                let longest = limits::EVENT_STREAM_DURATION + ANSWER_DURATION;
                network.open(path, &body, longest).await?
            }
            Self::Operator(context, account) => {
                control::open(context, path, with_members(&owner(account), &body)).await?
            }
        };
        let status = response.status();
        let media_type = response.headers().get(header::CONTENT_TYPE);
        let is_page = media_type.is_some_and(|value| value.as_bytes().starts_with(b"text/html"));
        if status.is_success() && !is_page {
            return Ok(Some(response.into_body()));
        }
        if status == StatusCode::TOO_MANY_REQUESTS {
            return Ok(None);
        }
        let reply = match self {
            Self::Network(network) => network.read_lethe_reply(path, response).await?,
            Self::Operator(..) => control::read_reply(response).await?,
        };
        reply.error_for_status().map(|_| None)
    }

    /// Sends a JSON object and gives the answer.
    ///
    /// # Errors
    /// As [`Api::post_text`].
    pub async fn post(&self, path: &str, body: &Value) -> Result<Value, CliFault> {
        Ok(self.post_text(path, &control::spell_request(body)).await?.answer)
    }

    /// True if a server works on submissions; an operator may submit while no server runs.
    ///
    /// # Errors
    /// As [`control::is_running`] for the operator; never with the keys of an account.
    pub async fn is_served(&self) -> Result<bool, CliFault> {
        match self {
            Self::Network(_) => Ok(true),
            Self::Operator(context, _) => control::is_running(context).await,
        }
    }
}

/// A client without proxies: keys go only to the named server.
///
/// # Errors
/// When TLS cannot be set up.
pub fn client() -> Result<reqwest::Client, CliFault> {
    let builder = reqwest::Client::builder().no_proxy().timeout(ANSWER_DURATION);
    let builder = builder.redirect(reqwest::redirect::Policy::none());
    builder.build().map_err(|error| CliFault::Failed(error.to_string()))
}

/// Advice about a wrong address.
const SET_IT: &str = "Set LETHE_URL to the address that `lethe serve` prints, such as http://127.0.0.1:8080, or to that of the proxy before it";

/// The address of a server, as LETHE_URL says it: without a slash at its end.
///
/// # Errors
/// When it is not an http or https URL, or holds a user name, a password, a query or a fragment.
pub fn server_url(text: &str) -> Result<String, CliFault> {
    let parsed = Url::parse(text);
    let why = match &parsed {
        Ok(url) if !matches!(url.scheme(), "http" | "https") => "does not begin with http:// or https://",
        Ok(url) if url.password().is_some() || !url.username().is_empty() => {
            "holds a user name or a password, which is sent nowhere"
        }
        Ok(url) if url.query().is_some() || url.fragment().is_some() => {
            "goes on behind host, port and path with a `?` or `#`"
        }
        Ok(_) => return Ok(text.trim_end_matches('/').to_owned()),
        Err(url::ParseError::RelativeUrlWithoutBase) => "does not begin with http:// or https://",
        Err(_) => "is not the address of a server",
    };
    // A possible password is not repeated.
    let shown = if text.contains('@') { String::new() } else { format!(" ({})", printable(text)) };
    Err(CliFault::Usage(format!("LETHE_URL{shown} {why}. {SET_IT}")))
}

/// Reason why an answer does not come from lethe, if it does not.
fn foreign(reply: &Reply) -> Option<&'static str> {
    let is_page = reply.answer.as_str().is_some_and(|text| text.trim_start().starts_with('<'));
    match reply.status {
        status if status.is_redirection() => {
            Some("a redirect, which is not followed because the keys go with every request")
        }
        _ if is_page => Some("a web page"),
        status if !status.is_success() && !reply.answer["Error"].is_string() => Some("without a sentence"),
        _ => None,
    }
}

/// Reason for a missing answer: the attempt, the fault, and the remedy.
pub fn unreachable(url: &str, error: &reqwest::Error) -> CliFault {
    let cause = printable(&deepest(error));
    CliFault::Failed(match error {
        error if error.is_timeout() => {
            format!("the server at {url} did not answer in {} s. {SET_IT}", ANSWER_DURATION.as_secs())
        }
        error if error.is_connect() && url.starts_with("https:") => format!(
            "no server answers by HTTPS at {url} ({cause}); lethe itself speaks HTTP, and a proxy before it HTTPS. {SET_IT}"
        ),
        error if error.is_connect() => {
            format!("no server answers at {url} ({cause}); start one with `lethe serve`. {SET_IT}")
        }
        _ => format!("what answers at {url} broke off, or speaks no HTTP ({cause}). {SET_IT}"),
    })
}

/// The root of an error: the system's word. Those above repeat the URL.
fn deepest(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

/// The member that names whose account the operator means.
fn owner(account: &str) -> Map<String, Value> {
    Map::from_iter([("Account".to_owned(), account.into())])
}

/// A variable, if it is set to something.
///
/// # Errors
/// When its value is not UTF-8.
pub fn variable(name: &'static str) -> Result<Option<String>, CliFault> {
    match std::env::var(name) {
        Ok(value) if value.trim().is_empty() => Ok(None),
        Ok(value) => Ok(Some(value.trim().to_owned())),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(std::env::VarError::NotUnicode(_)) => Err(CliFault::Usage(format!("{name} is not text"))),
    }
}

fn missing(name: &str) -> CliFault {
    CliFault::Usage(format!(
        "{name} is not set; `lethe account create NAME` prints the keys of a new account (or use --account NAME as operator)"
    ))
}

/// Puts members before those of `body`, whose own text stays byte for byte.
fn with_members(members: &Map<String, Value>, body: &str) -> String {
    let own = body.trim_start().strip_prefix('{').unwrap_or("}");
    let mut text = Value::Object(members.clone()).to_string();
    text.pop();
    if !own.trim_start().starts_with('}') {
        text.push(',');
    }
    text.push_str(own);
    text
}

#[cfg(test)]
#[path = "api_tests.rs"]
mod tests;
