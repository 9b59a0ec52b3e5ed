//! Answers that are plain strings by the interface.

use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};

/// The one sentence of every accepted submission.
pub const ACCEPTED: &str = "The request was submitted successfully";

/// The sentence as bare text, or as a JSON string when `Accept` names JSON.
pub fn accepted(headers: &HeaderMap) -> Response {
    let wants_json = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.to_ascii_lowercase().contains("application/json"));
    if wants_json { axum::Json(ACCEPTED).into_response() } else { ACCEPTED.into_response() }
}
