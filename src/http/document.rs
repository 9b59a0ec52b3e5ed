//! `GET /openapi.json`: made once, since it is large and anybody may ask for it.

use aws_lc_rs::digest;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;

/// The generated document as it is sent, with what its clients know it by. Cloning gives the same bytes.
#[derive(Clone)]
pub struct Made {
    bytes: Bytes,
    tag: String,
}

impl Made {
    /// Makes it.
    pub fn of(document: &utoipa::openapi::OpenApi) -> Self {
        let bytes = serde_json::to_vec(document).unwrap_or_default();
        let mut hash = [0; 32];
        hash.copy_from_slice(digest::digest(&digest::SHA256, &bytes).as_ref());
        let tag = format!("\"{}\"", lethe_verify::Hex(hash));
        Self { bytes: bytes.into(), tag }
    }

    /// The document, unless the client has it already (RFC 9110, 13.1.2).
    pub fn answer(&self, headers: &HeaderMap) -> Response {
        let known = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
        let is_known = known.is_some_and(|known| known.split(',').any(|tag| tag.trim() == self.tag));
        let tag = [(header::ETAG, self.tag.clone())];
        // red: it::wire::sqlite::the_document_is_sent_once_to_who_keeps_it
        if mutant!("the-document-is-sent-each-time", is_known, false) {
            return (StatusCode::NOT_MODIFIED, tag).into_response();
        }
        (tag, [(header::CONTENT_TYPE, "application/json")], self.bytes.clone()).into_response()
    }
}
