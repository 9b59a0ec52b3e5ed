//! What a caller is told when the answer is no: a status and one sentence, always `{"Error": …}`; where clients read
//! a list, the same sentence in `errors` too.

use std::borrow::Cow;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::store::StoreFault;

/// A refused request. The sentence names the field and what is allowed, never a value.
#[derive(Debug, Clone)]
pub struct Refusal {
    status: StatusCode,
    sentence: Cow<'static, str>,
    retry_after_seconds: Option<u64>,
    is_listed: bool,
}

/// The body of every refusal.
#[derive(serde::Serialize, utoipa::ToSchema)]
pub struct ErrorBody<'a> {
    /// One sentence: what is wrong and what is allowed.
    #[serde(rename = "Error")]
    pub error: Cow<'a, str>,
}

/// The body of a refusal to clients that read a list.
#[derive(serde::Serialize, utoipa::ToSchema)]
pub struct ListedErrorBody<'a> {
    /// One sentence: what is wrong and what is allowed.
    #[serde(rename = "Error")]
    pub error: Cow<'a, str>,
    /// The same sentence.
    pub errors: [Cow<'a, str>; 1],
}

impl Refusal {
    fn new(status: StatusCode, sentence: impl Into<Cow<'static, str>>) -> Self {
        Self { status, sentence: sentence.into(), retry_after_seconds: None, is_listed: false }
    }

    /// What it says.
    #[must_use]
    pub fn sentence(&self) -> &str {
        &self.sentence
    }

    /// 400: malformed, missing or ambiguous.
    pub fn malformed(sentence: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, sentence)
    }

    /// 403, the same for every cause: unknown key, wrong secret, revoked secret, another account's secret.
    #[must_use]
    pub fn credentials() -> Self {
        Self::new(StatusCode::FORBIDDEN, "The access key and the secret key do not belong together")
    }

    /// Whether it is about the credentials, and not about the request or the server.
    #[must_use]
    pub fn is_of_credentials(&self) -> bool {
        self.status == StatusCode::FORBIDDEN
    }

    /// Whether it is about the server, so that the same request may be accepted later.
    #[must_use]
    pub fn is_of_the_server(&self) -> bool {
        self.status.is_server_error()
    }

    /// The same refusal with its sentence in a list too.
    #[must_use]
    pub fn listed(self) -> Self {
        Self { is_listed: true, ..self }
    }

    /// 404.
    pub fn unknown(sentence: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::NOT_FOUND, sentence)
    }

    /// 405; the router, which knows them, names the methods that are allowed in the header Allow.
    #[must_use]
    pub fn method() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "This address does not take that method; the header Allow names those it takes",
        )
    }

    /// 408.
    #[must_use]
    pub fn too_slow() -> Self {
        Self::new(StatusCode::REQUEST_TIMEOUT, "The body of the request did not arrive in time")
    }

    /// 409.
    pub fn conflict(sentence: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::CONFLICT, sentence)
    }

    /// 413 with the limit.
    #[must_use]
    pub fn too_large(limit_bytes: usize) -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("The body of the request is larger than the {limit_bytes} bytes allowed here"),
        )
    }

    /// 415 with the type that is understood.
    #[must_use]
    pub fn media_type(wanted: &str) -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, format!("The Content-Type has to be {wanted}"))
    }

    /// 429.
    #[must_use]
    pub fn too_many_failures(retry_after_seconds: u64) -> Self {
        let mut refusal = Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            "Too many requests with wrong credentials came from this address; wait before the next one",
        );
        refusal.retry_after_seconds = Some(retry_after_seconds);
        refusal
    }

    /// 429: as many uploads are open as may be.
    #[must_use]
    pub fn too_many_uploads() -> Self {
        let mut refusal = Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            "Too many feeds of this account are open; close them, or wait until they are given up",
        );
        refusal.retry_after_seconds = Some(60);
        refusal
    }

    /// 429: as many streams of events as one account may have.
    #[must_use]
    pub fn too_many_streams() -> Self {
        let mut refusal = Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            "Too many streams of events of this account are open; close some, or ask /api/submissions",
        );
        refusal.retry_after_seconds = Some(10);
        refusal
    }

    /// 503.
    #[must_use]
    pub fn busy() -> Self {
        let mut refusal = Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "The server cannot take this request now; send it again",
        );
        refusal.retry_after_seconds = Some(1);
        refusal
    }

    /// 503: what is accepted would stand in one place only.
    #[must_use]
    pub fn no_standby() -> Self {
        let mut refusal = Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "Nothing is accepted now, because the database has no second copy of it; send it again",
        );
        refusal.retry_after_seconds = Some(5);
        refusal
    }

    /// 500: ours, logged where it is handled.
    #[must_use]
    pub fn fault() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "The server failed on this request; the fault was logged",
        )
    }
}

impl From<StoreFault> for Refusal {
    fn from(fault: StoreFault) -> Self {
        if fault.is_told() {
            Self::busy()
        } else if fault.is_passing() {
            tracing::warn!(%fault, "a request was refused for now");
            Self::busy()
        } else {
            tracing::error!(%fault, "a request failed");
            Self::fault()
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let error = self.sentence;
        let mut response = match self.is_listed {
            true => axum::Json(ListedErrorBody { errors: [error.clone()], error }).into_response(),
            false => axum::Json(ErrorBody { error }).into_response(),
        };
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        if let Some(seconds) = self.retry_after_seconds {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
