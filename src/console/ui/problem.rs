//! A problem that a page of the console shows.

use std::sync::Arc;

use axum::Extension;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};

use crate::operators::OperatorFault;
use crate::store::StoreFault;
use crate::templates::RenderFault;
use crate::transport::refusal::{ErrorCode, Refusal};

/// Reason why something cannot be shown or done.
#[derive(Debug)]
pub(crate) struct Problem {
    pub status: StatusCode,
    /// A sentence of the operation that refused, or the key of one of ours.
    pub sentence: String,
    /// The field of a form that it is about, where the sentence does not say.
    pub about: Option<&'static str>,
    /// Error code of the operation that refused: the name of the page that explains it.
    pub code: Option<ErrorCode>,
    /// Path of the sign-in, which leads on afterwards.
    pub sign_in: Option<String>,
    /// Text typed before the session ended; shown again.
    pub written: Vec<String>,
}

impl Problem {
    /// With the sentence of an operation.
    pub fn new(status: StatusCode, sentence: &str) -> Self {
        Self {
            status,
            sentence: sentence.to_owned(),
            code: None,
            about: None,
            sign_in: None,
            written: Vec::new(),
        }
    }

    /// Something is broken here.
    pub fn fault() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "problem.fault")
    }

    /// The operator may not do that, or the shop is not theirs: the answer does not say whether it exists.
    pub fn not_allowed() -> Self {
        Self::new(StatusCode::FORBIDDEN, "problem.not_allowed")
    }

    /// There is no such page, or its subject is gone.
    pub fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "problem.gone")
    }

    /// The answer to a form is no longer kept.
    pub fn answer_gone() -> Self {
        Self::new(StatusCode::NOT_FOUND, "problem.answer")
    }

    /// The field of a form that the sentence is about: the first of those whose word it holds, and else the last; none
    /// where no value is wrong.
    pub fn field<'f>(&self, fields: &[(&str, &'f str)]) -> &'f str {
        let of_a_value = [
            StatusCode::BAD_REQUEST,
            StatusCode::NOT_FOUND,
            StatusCode::CONFLICT,
            StatusCode::UNPROCESSABLE_ENTITY,
        ];
        if !of_a_value.contains(&self.status) {
            return "";
        }
        if let Some(about) = self.about {
            return about;
        }
        let sentence = self.sentence.to_lowercase();
        let named = fields.iter().find(|(word, _)| sentence.contains(&word.to_lowercase()));
        named.or(fields.last()).map_or("", |(_, field)| field)
    }

    /// A form, or the part to keep, is larger than it may be.
    pub fn too_large() -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "problem.too_large")
    }

    /// A form of another session, or none of ours.
    pub fn foreign() -> Self {
        Self::new(StatusCode::FORBIDDEN, "problem.foreign")
    }

    /// No operator is signed in: redirects to the sign-in; a page only when it gives back what was written.
    pub fn sign_in(to: &str) -> Self {
        let to: String = url::form_urlencoded::byte_serialize(to.as_bytes()).collect();
        let sign_in = Some(format!("/sign-in?to={to}"));
        Self { sign_in, ..Self::new(StatusCode::UNAUTHORIZED, "problem.signed_out") }
    }
}

impl From<StoreFault> for Problem {
    /// As the operations answer it, and with their line in the log.
    fn from(fault: StoreFault) -> Self {
        match Refusal::from(fault).code() {
            ErrorCode::Busy => Self::new(StatusCode::SERVICE_UNAVAILABLE, "problem.busy"),
            _ => Self::fault(),
        }
    }
}

impl From<RenderFault> for Problem {
    fn from(_: RenderFault) -> Self {
        Self::fault()
    }
}

impl From<OperatorFault> for Problem {
    fn from(fault: OperatorFault) -> Self {
        match fault {
            OperatorFault::Store(fault) => fault.into(),
            OperatorFault::Keys(_) | OperatorFault::Hash | OperatorFault::Code => Self::fault(),
            other => Self::new(StatusCode::UNPROCESSABLE_ENTITY, &other.to_string()),
        }
    }
}

/// The middleware renders it, in the language of the request.
impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        match &self.sign_in {
            Some(to) if self.written.is_empty() => Redirect::to(to).into_response(),
            _ => (self.status, Extension(Arc::new(self))).into_response(),
        }
    }
}
