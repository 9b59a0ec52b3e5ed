//! `GET /openapi.json`: its introduction, and its bytes, made once, since it is large and anybody may ask for it.

use std::sync::LazyLock;

use aws_lc_rs::digest;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;

/// The generated document as it is sent, with its validators.
struct Made {
    bytes: Bytes,
    tag: String,
}

static MADE: LazyLock<Made> = LazyLock::new(|| {
    let bytes = serde_json::to_vec(&crate::api::documented::openapi()).unwrap_or_default();
    let mut hash = [0; 32];
    hash.copy_from_slice(digest::digest(&digest::SHA256, &bytes).as_ref());
    let tag = format!("\"{}\"", lethe_verify::Hex(hash));
    Made { bytes: bytes.into(), tag }
});

/// The document, unless the client has it already (RFC 9110, 13.1.2).
pub(crate) async fn get(headers: HeaderMap) -> Response {
    let known = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let is_known = known.is_some_and(|known| known.split(',').any(|tag| tag.trim() == MADE.tag));
    let tag = [(header::ETAG, MADE.tag.clone())];
    if is_known {
        return (StatusCode::NOT_MODIFIED, tag).into_response();
    }
    (tag, [(header::CONTENT_TYPE, "application/json")], MADE.bytes.clone()).into_response()
}
