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
    /// The sentence of the refusal, or the key of a text of the console.
    pub sentence: String,
    /// Name that the sentence puts in place of `{name}`.
    pub name: String,
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
            name: String::new(),
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

    /// There is no shop of this name. Said to owners alone, who work for all shops.
    pub fn no_shop(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::new(StatusCode::NOT_FOUND, "problem.no_shop") }
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

    /// A form of another session, or of another site.
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

#[cfg(test)]
mod tests {
    use axum::http::header;

    use super::*;
    use crate::operators::OperatorRole;

    const FIELDS: [(&str, &str); 3] = [("Role", "role"), ("shop", "shops"), ("", "name")];

    #[test]
    fn a_wrong_value_stands_at_the_first_field_whose_word_is_said() {
        let field = |status: u16, sentence: &str| {
            Problem::new(StatusCode::from_u16(status).expect("a status"), sentence).field(&FIELDS)
        };
        for status in [400, 404, 409, 422] {
            assert_eq!(field(status, "A ROLE is one of these"), "role", "{status}");
            assert_eq!(field(status, "the role works for the Shops"), "role", "{status}");
            assert_eq!(field(status, "name one Shop at least"), "shops", "{status}");
            assert_eq!(field(status, "of that it is taken"), "name", "{status}");
        }
        for status in [401, 403, 410, 413, 429, 500, 503] {
            assert_eq!(field(status, "a role"), "", "{status}");
        }
        let wrong = Problem::new(StatusCode::BAD_REQUEST, "nothing of these");
        assert_eq!(
            (wrong.field(&FIELDS[..2]), wrong.field(&[])),
            ("shops", ""),
            "the last, where there is one"
        );
        let other = Problem { about: Some("other"), ..wrong };
        assert_eq!(other.field(&FIELDS), "other");
        assert_eq!(Problem { status: StatusCode::FORBIDDEN, ..other }.field(&FIELDS), "");
    }

    #[test]
    fn faults_of_operators_and_the_store_have_their_status_and_sentence() {
        let told = |problem: Problem| (problem.status.as_u16(), problem.sentence);
        let fault = (500, "problem.fault".to_owned());
        let busy = (503, "problem.busy".to_owned());
        assert_eq!(told(StoreFault::Busy.into()), busy);
        assert_eq!(told(OperatorFault::Store(StoreFault::Closed).into()), busy);
        assert_eq!(told(StoreFault::Damaged.into()), fault);
        assert_eq!(told(RenderFault.into()), fault);
        for broken in [OperatorFault::Hash, OperatorFault::Code] {
            assert_eq!(told(broken.into()), fault);
        }
        let none = OperatorFault::NoShop(OperatorRole::Viewer);
        let sentence = "a viewer works for the shops named with --shop: name one at least".to_owned();
        assert_eq!(told(none.into()), (422, sentence));
    }

    #[test]
    fn who_is_not_signed_in_is_led_there_unless_their_text_is_given_back() {
        let answer = |problem: Problem| {
            let answer = problem.into_response();
            let to = answer.headers().get(header::LOCATION).map(|to| to.to_str().expect("a text").to_owned());
            let is_drawn = answer.extensions().get::<Arc<Problem>>().is_some();
            (answer.status().as_u16(), to, is_drawn)
        };
        let led = (303, Some("/sign-in?to=%2Fplaces%3Ffate%3Derase".to_owned()), false);
        let out = || Problem::sign_in("/places?fate=erase");
        assert_eq!(answer(out()), led);
        assert_eq!(answer(Problem { written: vec!["x".to_owned()], ..out() }), (401, None, true));
        assert_eq!(answer(Problem::not_allowed()), (403, None, true));
    }
}
