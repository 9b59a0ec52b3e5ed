//! Reading a request's body within its limits, and its JSON object within the rules for names.

use axum::body::Body;
use axum::http::{HeaderMap, Request, header};
use bytes::Bytes;

use super::credentials::{self, Caller};
use super::json_fields::JsonFields;
use crate::limits;
use crate::node::Node;
use crate::transport::body_stream::IncomingBody;
use crate::transport::refusal::Refusal;

fn begin_json(request: Request<Body>, limit_bytes: usize) -> Result<IncomingBody, Refusal> {
    if is_json(request.headers()) {
        IncomingBody::begin(request, limit_bytes, limits::BODY_TOTAL_DURATION)
    } else {
        Err(Refusal::media_type("application/json"))
    }
}

/// Reads the whole body of a JSON request without an account, or of the operator, of at most `limit_bytes`.
///
/// # Errors
/// A refusal when the media type is not JSON, the body ends too early, is too large, or arrives too late or too
/// slowly, or there is no memory for it.
pub async fn read_json(request: Request<Body>, limit_bytes: usize) -> Result<Bytes, Refusal> {
    let mut arriving = begin_json(request, limit_bytes)?;
    arriving.read_all().await?;
    Ok(arriving.into_bytes())
}

/// Reads the whole body of a JSON request of an account. The memory of a large body is taken from the account, if the
/// first part shows right credentials.
///
/// # Errors
/// As [`read_json`]; also when a large body does not show right credentials early, or the store fails.
pub async fn read_json_of_account(
    node: &Node,
    request: Request<Body>,
    limit_bytes: usize,
) -> Result<Bytes, Refusal> {
    let caller = &Caller::from_request(&request);
    let mut arriving = begin_json(request, limit_bytes)?;
    let shown = |begun: Vec<u8>| async move {
        credentials::peek_account(node, caller, &JsonFields::parse_partial(&begun)).await
    };
    arriving.find_owner(shown).await?;
    arriving.read_all().await?;
    Ok(arriving.into_bytes())
}

/// The media type of a request, without its parameters.
pub fn media_type(headers: &HeaderMap) -> &str {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.and_then(|value| value.split(';').next()).unwrap_or_default().trim()
}

fn is_json(headers: &HeaderMap) -> bool {
    let essence = media_type(headers);
    essence.eq_ignore_ascii_case("application/json")
        || (essence.len() > 17
            && essence[..12].eq_ignore_ascii_case("application/")
            && essence[essence.len() - 5..].eq_ignore_ascii_case("+json"))
}

#[cfg(test)]
#[path = "body_tests.rs"]
mod tests;
