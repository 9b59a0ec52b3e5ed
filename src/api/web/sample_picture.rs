//! `GET /sample/NAME.svg`: the pictures of the made-up shop's products. They are the same at every server, and hold
//! nothing of any shop.

use axum::extract::Request;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use crate::sample;
use crate::transport::refusal::Refusal;

/// A picture, for pages of any origin.
///
/// # Errors
/// A refusal when the sample has no such picture.
pub async fn get(request: Request) -> Result<Response, Refusal> {
    let name = request.uri().path().strip_prefix(sample::PICTURES_PATH).unwrap_or_default();
    let picture = sample::picture(name).ok_or_else(Refusal::no_such_address)?;
    let headers = [
        (header::CONTENT_TYPE, "image/svg+xml"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "public, max-age=86400"),
    ];
    let shared = (header::HeaderName::from_static("cross-origin-resource-policy"), "cross-origin");
    Ok((headers, [shared], picture).into_response())
}
