//! The caller of a search: a page with the access key alone, or a program that also has the secret, whose word about
//! the shopper is believed.

use std::borrow::Cow;
use std::num::NonZeroU32;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::FromRequest;
use axum::http::{HeaderMap, HeaderValue, Method, Request, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde_json::{Map, Value};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::accounts::KnownAccount;
use crate::admission::{Permit, Tenant};
use crate::api::body::read_json_of_account;
use crate::api::compression::{EncodedBody, Packing};
use crate::api::compute_pool;
use crate::api::compute_turn::TurnOf;
use crate::api::credentials::{self, ACCESS_KEY, Caller, SECRET_KEY};
use crate::api::extract::{KEY_SAYS, SECRET_SAYS, with_credentials, with_texts};
use crate::api::from_fields::FromFields;
use crate::api::json_fields::{JsonFields, RequestFields};
use crate::api::unknown_members::{self, PERSONAL};
use crate::api::user_token::ShopperClaims;
use crate::limits;
use crate::node::Node;
use crate::transport::peer::Peer;
use crate::transport::refusal::Refusal;

/// Routes that scripts of pages call.
const OF_PAGES: [&str; 6] =
    ["/api/search", "/api/autocomplete", "/api/similar", "/api/recommend", "/api/serverside", "/api/track"];

/// Names of lists, which have commas between their texts in an address.
const LISTS: &[&str] = &["Facets", "Fields"];

/// A search request.
pub struct StorefrontRequest<Q> {
    /// The shop that is searched.
    pub known: Arc<KnownAccount>,
    /// Question of the request.
    pub question: Q,
    /// Trusted claims about the shopper.
    pub shopper: ShopperClaims,
    /// The page whose script asks and may read the answer.
    pub origin: Option<HeaderValue>,
    /// True if it came with the secret.
    pub shows_secret: bool,
    /// Compression of its answer.
    pub packing: Packing,
    /// Owner of the turn that it takes.
    pub turn_of: TurnOf,
}

impl<Q: FromFields + 'static> FromRequest<Arc<Node>> for StorefrontRequest<Q> {
    type Rejection = Refusal;

    async fn from_request(request: Request<Body>, node: &Arc<Node>) -> Result<Self, Refusal> {
        let caller = Caller::from_request(&request);
        let headers = request.headers().clone();
        if matches!(*request.method(), Method::GET | Method::HEAD) {
            let asked = of_address(request.uri().query().unwrap_or_default())?;
            return Self::from_body(node, &caller, &headers, asked.into()).await;
        }
        let body = read_json_of_account(node, request, Q::LIMIT_BYTES).await?;
        Self::from_body(node, &caller, &headers, body).await
    }
}

impl<Q: FromFields + 'static> StorefrontRequest<Q> {
    async fn from_body(
        node: &Node,
        caller: &Caller,
        headers: &HeaderMap,
        asked: Bytes,
    ) -> Result<Self, Refusal> {
        let fields = JsonFields::parse(&asked)?;
        let shows_secret = caller.peer == Peer::Operator || fields.find(SECRET_KEY)?.is_some();
        let account = if shows_secret {
            credentials::by_secret(node, caller, &fields).await?
        } else {
            count(node, caller.peer, 1)?;
            let account = credentials::by_key(node, caller, &fields).await;
            account.map_err(Refusal::of_access_key_alone)?
        };
        let known = node.directory.find(&node.store, &account.access_key).await?;
        let known = known.ok_or_else(Refusal::credentials)?;
        let shopper = match fields.as_sent(&["UserToken"])?.as_deref() {
            Some(token) if !matches!(token, "" | "null") => ShopperClaims::from_token(node, &known, token)?,
            _ if shows_secret => ShopperClaims::from_fields(&fields)?,
            _ => ShopperClaims::default(),
        };
        let origin = origin_of(&known, headers);
        let packing = Packing::from_request(headers, &fields, shows_secret);
        unknown_members::check::<Q>(&fields)?;
        let turn_of = TurnOf::new(known.account.id, caller.peer);
        let question = compute_pool::read_question(node, turn_of, &asked, &fields).await?;
        Ok(Self { known, question, shopper, origin, shows_secret, packing, turn_of })
    }
}

/// The page whose script asks, if the shop lets it read answers.
pub fn origin_of(known: &KnownAccount, headers: &HeaderMap) -> Option<HeaderValue> {
    let may_read = |origin: &&HeaderValue| origin.to_str().is_ok_and(|origin| known.search.allows(origin));
    headers.get(header::ORIGIN).filter(may_read).cloned()
}

/// Members with claims about the shopper, and the callers whose claims are trusted.
const SHOPPER: &[(&str, &str)] = &[
    ("UserToken", "For whom a page asks, signed by the shop's server."),
    ("SecretKey", SECRET_SAYS),
    ("AccountId", "With the secret: the account that the shopper buys for."),
    ("GroupId", "With the secret: the shopper's group."),
];

impl<Q: FromFields + ToSchema> PartialSchema for StorefrontRequest<Q> {
    fn schema() -> RefOr<Schema> {
        with_texts(with_credentials(Q::schema(), &[(Q::ACCESS_KEY, KEY_SAYS)]), SHOPPER)
    }
}

impl<Q: FromFields + ToSchema> ToSchema for StorefrontRequest<Q> {
    fn name() -> Cow<'static, str> {
        Q::name()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        Q::schemas(schemas);
    }
}

/// The answer, which a script of a page that may ask can read.
pub fn build_response(origin: Option<HeaderValue>, answer: impl Into<EncodedBody>) -> Response {
    let mut response = answer.into().into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.append(header::VARY, HeaderValue::from_static("origin"));
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    }
    response
}

/// Counts searches of an address without a secret.
///
/// # Errors
/// A refusal when it asks too often.
pub fn count(node: &Node, peer: Peer, searches: u32) -> Result<(), Refusal> {
    let (Peer::Address(address), Some(searches)) = (peer, NonZeroU32::new(searches)) else { return Ok(()) };
    match node.searchers.check_key_n(&crate::transport::peer::prefix(address), searches) {
        Ok(Ok(())) => Ok(()),
        _ => {
            metrics::counter!("lethe_searches_limited_total").increment(1);
            Err(Refusal::too_many_searches())
        }
    }
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

/// Lets a script of any page read why it was refused, and when to ask again: nothing of a shop is in that.
pub fn let_pages_read(route: &str, response: &mut Response) {
    let is_refused = response.status().is_client_error() || response.status().is_server_error();
    if is_refused && OF_PAGES.contains(&route) {
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("retry-after"));
    }
}

/// Answers the preflight request that a browser sends before a search by another page's script: any page may search,
/// but only pages that the shop named can read the answer.
pub async fn preflight() -> Response {
    let headers = [
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "content-type"),
        (header::ACCESS_CONTROL_MAX_AGE, "86400"),
    ];
    (axum::http::StatusCode::NO_CONTENT, headers).into_response()
}

/// Computes a search, and its answer in JSON as it is sent, on a thread of its own, in the account's turn.
///
/// # Errors
/// The error of the work; also when there is no turn in time.
pub async fn compute_json<T: serde::Serialize>(
    node: &Node,
    turn_of: TurnOf,
    packing: Packing,
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<EncodedBody, Refusal> {
    let made = move || {
        let json = serde_json::to_vec(&work()?).map_err(|_| Refusal::fault())?;
        Ok(packing.pack(json))
    };
    in_turn(node, turn_of, made).await
}

/// A turn of the account: until it is let go.
///
/// # Errors
/// A refusal when there is none in time.
pub async fn take_turn(node: &Node, TurnOf { account, address }: TurnOf) -> Result<Permit, Refusal> {
    let who = Tenant::Account(account);
    let turn = node.resources.searches.take_at(who, address, 1, limits::SEARCH_WAIT_DURATION);
    turn.await.ok_or_else(Refusal::busy)
}

/// Does what takes a processor, in the account's turn.
///
/// # Errors
/// A refusal when there is no turn in time, and the error of the work.
pub async fn in_turn<T: Send + 'static>(
    node: &Node,
    turn_of: TurnOf,
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let turn = take_turn(node, turn_of).await?;
    // The turn ends with the work, even if the caller has left.
    let working = tokio::task::spawn_blocking(move || {
        let done = work();
        drop(turn);
        done
    });
    working.await.unwrap_or_else(|_| Err(Refusal::fault()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The object of an address, or the sentence of its refusal.
    fn read(query: &str) -> Result<String, String> {
        let object = of_address(query).map_err(|refusal| refusal.sentence().to_owned())?;
        Ok(String::from_utf8(object).expect("text"))
    }

    #[test]
    fn the_names_of_an_address_are_members_and_their_values_json_texts_or_lists() {
        for (query, object) in [
            ("", "{}"),
            ("appid=7&query=8&ID=9&Size=10", r#"{"appid":"7","query":"8","ID":"9","Size":10}"#),
            (
                "Query=a+b%26c&Highlight=true&Sort=-price",
                r#"{"Query":"a b&c","Highlight":true,"Sort":"-price"}"#,
            ),
            ("facets=Brand,%20Price,,&Fields=*", r#"{"facets":["Brand","Price"],"Fields":["*"]}"#),
            (
                "Facets=[%22Brand%22]&Filters={%22InStock%22:true}",
                r#"{"Facets":["Brand"],"Filters":{"InStock":true}}"#,
            ),
            ("Size=1&size=2", r#"{"Size":1,"size":2}"#),
        ] {
            assert_eq!(read(query), Ok(object.to_owned()), "{query}");
        }
        let twice = "The body of the request has the field Size twice";
        assert_eq!(read("Size=1&Size=1"), Err(twice.to_owned()));
    }

    #[test]
    fn nothing_of_a_person_and_no_secret_is_taken_in_an_address() {
        for name in PERSONAL.iter().chain(SECRET_KEY) {
            let says = format!("{name} is not taken in an address, which logs keep: send it with POST");
            assert_eq!(read(&format!("Query=x&{}=", name.to_lowercase())), Err(says));
        }
    }

    fn headers_of(response: &Response, names: &[header::HeaderName]) -> Vec<Vec<String>> {
        let lines = |name: &header::HeaderName| {
            let lines = response.headers().get_all(name).iter();
            lines.map(|line| line.to_str().expect("text").to_owned()).collect()
        };
        names.iter().map(lines).collect()
    }

    #[test]
    fn a_script_of_any_page_may_read_why_it_was_refused_and_nothing_else() {
        use axum::http::StatusCode;
        let names = [header::ACCESS_CONTROL_ALLOW_ORIGIN, header::ACCESS_CONTROL_EXPOSE_HEADERS];
        for (status, is_read) in [
            (StatusCode::OK, false),
            (StatusCode::NOT_MODIFIED, false),
            (StatusCode::BAD_REQUEST, true),
            (StatusCode::SERVICE_UNAVAILABLE, true),
        ] {
            for (route, is_of_pages) in
                OF_PAGES.map(|route| (route, true)).into_iter().chain([("/api/rules", false)])
            {
                let mut response = status.into_response();
                let_pages_read(route, &mut response);
                let expected: &[&[&str]] =
                    if is_read && is_of_pages { &[&["*"], &["retry-after"]] } else { &[&[], &[]] };
                assert_eq!(headers_of(&response, &names), expected, "{route} {status}");
            }
        }
    }

    #[test]
    fn an_answer_is_kept_nowhere_and_read_by_the_page_that_may() {
        let names =
            [header::CONTENT_TYPE, header::CACHE_CONTROL, header::VARY, header::ACCESS_CONTROL_ALLOW_ORIGIN];
        for origin in [None, Some("https://shop.test")] {
            let response = build_response(origin.map(HeaderValue::from_static), b"{}".to_vec());
            let page: Vec<_> = origin.into_iter().collect();
            let expected = [vec!["application/json"], vec!["no-store"], vec!["origin"], page];
            assert_eq!(headers_of(&response, &names), expected);
        }
    }

    #[tokio::test]
    async fn any_page_may_ask_for_a_day_how_to_ask() {
        let names = [
            header::ACCESS_CONTROL_ALLOW_ORIGIN,
            header::ACCESS_CONTROL_ALLOW_METHODS,
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            header::ACCESS_CONTROL_MAX_AGE,
        ];
        let response = preflight().await;
        assert_eq!(response.status(), 204);
        assert_eq!(headers_of(&response, &names), [["*"], ["GET, POST"], ["content-type"], ["86400"]]);
    }
}
