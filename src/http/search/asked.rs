//! Who searches: a page with the access key alone, or a program with the secret beside it, which is believed what it
//! says of the shopper.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::FromRequest;
use axum::http::{HeaderMap, HeaderValue, Method, Request, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value};

use crate::accounts::Known;
use crate::fairness::Who;
use crate::http::asking::Question;
use crate::http::body::{Fields, Named, read_json_of_account};
use crate::http::credentials::{self, ACCESS_KEY, SECRET_KEY};
use crate::http::listener::Peer;
use crate::http::peer_of;
use crate::http::refusal::Refusal;
use crate::limits;
use crate::node::Node;

/// What stands in no address: addresses are kept in logs.
const PERSONAL: &[&str] = &["UserToken", "UserId", "AccountId", "GroupId", "VisitorId", "SessionId"];

/// What has commas between its texts in an address.
const LISTS: &[&str] = &["Facets", "Fields"];

/// A search request.
pub struct Asked<Q> {
    /// Whose shop is searched.
    pub known: Arc<Known>,
    /// What is asked for.
    pub question: Q,
    /// What is said of the shopper, by who is believed.
    pub shopper: Shopper,
    /// The page whose script asks and may read the answer.
    pub origin: Option<HeaderValue>,
}

/// What a program says of the shopper for whom it asks.
#[derive(Default)]
pub struct Shopper {
    /// The account that the shopper buys for.
    pub account: Option<String>,
    /// The customer group.
    pub group: Option<String>,
}

impl<Q: Question> FromRequest<Arc<Node>> for Asked<Q> {
    type Rejection = Refusal;

    async fn from_request(request: Request<Body>, node: &Arc<Node>) -> Result<Self, Refusal> {
        let peer = peer_of(&request);
        let headers = request.headers().clone();
        if matches!(*request.method(), Method::GET | Method::HEAD) {
            let asked = of_address(request.uri().query().unwrap_or_default())?;
            return Self::read(node, peer, &headers, &asked).await;
        }
        let body = read_json_of_account(node, request, Q::LIMIT_BYTES).await?;
        Self::read(node, peer, &headers, &body).await
    }
}

impl<Q: Question> Asked<Q> {
    async fn read(node: &Node, peer: Peer, headers: &HeaderMap, asked: &[u8]) -> Result<Self, Refusal> {
        let fields = Fields::parse(asked)?;
        let shows_secret = peer == Peer::Operator || fields.find(SECRET_KEY)?.is_some();
        let account = if shows_secret {
            credentials::by_secret(node, peer, &fields).await?
        } else {
            count(node, peer)?;
            let account = credentials::by_key(node, peer, &fields).await;
            account.map_err(Refusal::of_access_key_alone)?
        };
        let known = node.directory.find(&node.store, &account.access_key).await?;
        let known = known.ok_or_else(Refusal::credentials)?;
        // red: it::search::sqlite::who_shows_no_secret_is_not_believed_an_account_or_a_group
        let is_believed = mutant!("anybody-is-believed", shows_secret, true);
        let shopper = if is_believed {
            Shopper { account: id(&fields, "AccountId")?, group: id(&fields, "GroupId")? }
        } else {
            Shopper::default()
        };
        let origin = headers.get(header::ORIGIN);
        let may_read =
            |origin: &&HeaderValue| origin.to_str().is_ok_and(|origin| known.search.allows(origin));
        let origin = origin.filter(may_read).cloned();
        Ok(Self { known, question: Q::read(&fields)?, shopper, origin })
    }
}

/// The answer, which a script of a page that may ask can read.
pub(super) fn answer(origin: Option<HeaderValue>, answer: Vec<u8>) -> Response {
    let mut response = ([(header::CONTENT_TYPE, "application/json")], answer).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::VARY, HeaderValue::from_static("origin"));
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    }
    response
}

/// An id: a text, or a number, which is its digits.
fn id(fields: &Fields<'_>, name: &'static str) -> Result<Option<String>, Refusal> {
    let sent = fields.as_sent(&[name])?;
    match sent.as_deref() {
        None | Some("" | "null") => Ok(None),
        Some(sent) if sent.bytes().all(|digit| digit.is_ascii_digit()) => Ok(Some(sent.to_owned())),
        Some(_) => fields.opt_text(&[name]),
    }
}

/// Counts a search of an address without a secret.
fn count(node: &Node, peer: Peer) -> Result<(), Refusal> {
    let Peer::Address(address) = peer else { return Ok(()) };
    node.searchers.check_key(&credentials::prefix(address)).map_err(|_| {
        metrics::counter!("lethe_searches_limited_total").increment(1);
        Refusal::too_many_searches()
    })
}

/// The names of an address as an object: a value that is JSON is taken as that, any other is a text.
fn of_address(query: &str) -> Result<Vec<u8>, Refusal> {
    let mut object = Map::new();
    for (name, text) in url::form_urlencoded::parse(query.as_bytes()) {
        let is = |known: &&&str| name.eq_ignore_ascii_case(known);
        if let Some(known) = PERSONAL.iter().chain(SECRET_KEY).find(is) {
            return Err(Refusal::malformed(format!(
                "{known} is not taken in an address, which logs keep: send it with POST"
            )));
        }
        let is_text = ACCESS_KEY.iter().chain(&["Query", "Id"]).any(|known| name.eq_ignore_ascii_case(known));
        let is_list = LISTS.iter().any(|known| name.eq_ignore_ascii_case(known));
        let value = match serde_json::from_str::<Value>(&text) {
            Ok(value) if !is_text => value,
            _ if is_list => text.split(',').map(str::trim).filter(|text| !text.is_empty()).collect(),
            _ => Value::String(text.into_owned()),
        };
        if object.insert(name.clone().into_owned(), value).is_some() {
            return Err(Refusal::field_twice(&name));
        }
    }
    serde_json::to_vec(&object).map_err(|_| Refusal::fault())
}

/// What a browser asks before a script of another page may send a search: any page may, but the answer can be read by
/// those that the shop named.
pub async fn preflight() -> Response {
    let headers = [
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "content-type"),
        (header::ACCESS_CONTROL_MAX_AGE, "86400"),
    ];
    (axum::http::StatusCode::NO_CONTENT, headers).into_response()
}

/// A whole number from `least` to `most`, or the default.
///
/// # Errors
/// A refusal that names the field and the range.
pub(super) fn number(
    fields: &Fields<'_>,
    name: &'static str,
    default: usize,
    range: std::ops::RangeInclusive<usize>,
) -> Result<usize, Refusal> {
    if fields.as_sent(&[name])?.is_none_or(|sent| sent.is_empty() || sent == "null") {
        return Ok(default);
    }
    let number = usize::try_from(fields.number(&[name])?).ok().filter(|number| range.contains(number));
    number.ok_or_else(|| Refusal::malformed(format!("{name} has to be {} to {}", range.start(), range.end())))
}

/// Computes a search, and its answer in JSON, on a thread of its own, in the account's turn.
///
/// # Errors
/// What the work refuses; also when there is no turn in time.
pub(super) async fn computed<T: serde::Serialize>(
    node: &Node,
    known: &Known,
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<Vec<u8>, Refusal> {
    let searches = &node.fairness.searches;
    // red: it::search::sqlite::the_searches_of_one_shop_leave_turns_for_another
    let who = mutant!("all-accounts-search-in-one-turn", Who::Account(known.account.id), Who::Operator);
    let turn = searches.take(who, 1, limits::SEARCH_WAIT_DURATION).await;
    let turn = turn.ok_or_else(Refusal::busy)?;
    // The turn ends with the work, also when nobody waits for it any longer.
    let working = tokio::task::spawn_blocking(move || {
        let done = work().and_then(|answer| serde_json::to_vec(&answer).map_err(|_| Refusal::fault()));
        drop(turn);
        done
    });
    working.await.unwrap_or_else(|_| Err(Refusal::fault()))
}
