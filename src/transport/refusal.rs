//! Answer to a refused request: a status and one sentence, always `{"Error": …}`; where clients read a list, the same
//! sentence in `errors` too.

use std::borrow::Cow;
use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::error_body::{ErrorBody, ListedErrorBody};
use crate::addresses::{self, printable};
use crate::limits;

pub use super::error_codes::ErrorCode;
pub use crate::transport::error_responses::{OfListReader, OfServer, OfShop};

/// The sentence of an unknown token, in refusals and in statuses.
pub const UNKNOWN_TOKEN: &str = "The token is not known";

/// A refused request. The sentence names the field and the allowed values, never the sent one.
#[derive(Debug, Clone)]
pub struct Refusal {
    code: ErrorCode,
    sentence: Cow<'static, str>,
    retry_after_seconds: Option<u64>,
    is_listed: bool,
}

/// Sentence of a refusal, kept with its answer for the record of refused requests.
#[derive(Clone)]
pub struct RefusalSentence(pub Cow<'static, str>);

impl Refusal {
    /// One with this code, whose status it has.
    pub fn new(code: ErrorCode, sentence: impl Into<Cow<'static, str>>) -> Self {
        let sentence = sentence.into();
        // It may name a field as it was sent.
        let blanked = addresses::without_addresses(&sentence);
        let sentence = blanked.map_or(sentence, Cow::from);
        Self { code, sentence, retry_after_seconds: None, is_listed: false }
    }

    /// A refusal of a request to send again after some seconds.
    fn later(code: ErrorCode, seconds: u64, sentence: impl Into<Cow<'static, str>>) -> Self {
        Self { retry_after_seconds: Some(seconds), ..Self::new(code, sentence) }
    }

    /// Its reason, in one word.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        self.code
    }

    /// Its sentence.
    #[must_use]
    pub fn sentence(&self) -> &str {
        &self.sentence
    }

    /// 400: malformed, missing or ambiguous.
    pub fn malformed(sentence: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorCode::Malformed, sentence)
    }

    /// 400: a field is missing.
    pub fn missing(sentence: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorCode::FieldMissing, sentence)
    }

    /// 403, the same for every cause: unknown key, wrong secret, revoked secret, another account's secret.
    #[must_use]
    pub fn credentials() -> Self {
        Self::new(ErrorCode::Credentials, "The access key and the secret key do not belong together")
    }

    /// The same where no secret is needed: it can only be the access key.
    #[must_use]
    pub fn of_access_key_alone(self) -> Self {
        if self.is_of_credentials() {
            Self::new(
                ErrorCode::Credentials,
                "The access key is not known here; this operation needs the access key of an account, and no secret",
            )
        } else {
            self
        }
    }

    /// 400: a name stands twice in a body. The sentence says the name, unless it is too long, or could be about a
    /// person.
    #[must_use]
    pub fn field_twice(name: &str) -> Self {
        let sentence: Cow<'static, str> = match shown_name(name) {
            Some(shown) => format!("The body of the request has the field {shown} twice").into(),
            None => "The body of the request has a field twice".into(),
        };
        Self::new(ErrorCode::FieldTwice, sentence)
    }

    /// 400: a member has an unknown name that is like a known one.
    #[must_use]
    pub fn unknown_member(name: &str, meant: &str) -> Self {
        let shown = shown_name(name).unwrap_or_else(|| "A name".to_owned());
        Self::malformed(format!("{shown} is not a member of this request; did you mean {meant}?"))
    }

    /// 403: why a token opens nothing. Whoever has the key of tokens needs no more than this to mend it.
    #[must_use]
    pub fn user_token(why: &str) -> Self {
        Self::new(ErrorCode::UserToken, format!("UserToken {why}"))
    }

    /// True if it is about the credentials, and not about the request or the server.
    #[must_use]
    pub fn is_of_credentials(&self) -> bool {
        self.code.status() == StatusCode::FORBIDDEN
    }

    /// True if it is about the server, so that the same request may be accepted later.
    #[must_use]
    pub fn is_of_the_server(&self) -> bool {
        self.code.status().is_server_error()
    }

    /// The same refusal with its sentence in a list too.
    #[must_use]
    pub fn with_list(self) -> Self {
        Self { is_listed: true, ..self }
    }

    /// 401: only the operator gets the answer.
    #[must_use]
    pub fn operator_only() -> Self {
        Self::new(
            ErrorCode::OperatorOnly,
            "This needs the metrics token that is set on the server; without one it is told over the control socket only",
        )
    }

    /// 404.
    pub fn unknown(sentence: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorCode::NotFound, sentence)
    }

    /// 404: nothing is at the address.
    #[must_use]
    pub fn no_such_address() -> Self {
        Self::new(ErrorCode::NoSuchAddress, "There is nothing at this address")
    }

    /// 404: nothing was sent that this token stands for.
    #[must_use]
    pub fn token_unknown() -> Self {
        Self::new(ErrorCode::TokenUnknown, UNKNOWN_TOKEN)
    }

    /// 405; the router, which knows them, names the methods that are allowed in the header Allow.
    #[must_use]
    pub fn method() -> Self {
        Self::new(
            ErrorCode::Method,
            "This address does not take that method; the header Allow names those it takes",
        )
    }

    /// 408: the whole took too long.
    #[must_use]
    pub fn too_late(longest: Duration) -> Self {
        let seconds = longest.as_secs();
        let sentence = format!("The body of the request did not arrive within {seconds} s");
        Self::new(ErrorCode::TooSlow, sentence)
    }

    /// 408: less than this arrived in such a time.
    #[must_use]
    pub fn too_slow(bytes: usize, within: Duration) -> Self {
        let seconds = within.as_secs();
        let sentence =
            format!("The body of the request arrived too slowly: less than {bytes} bytes in {seconds} s");
        Self::new(ErrorCode::TooSlow, sentence)
    }

    /// 409.
    pub fn conflict(sentence: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorCode::Conflict, sentence)
    }

    /// 410: the key of a person is gone, so that asking again brings nothing.
    #[must_use]
    pub fn person_lost() -> Self {
        Self::new(
            ErrorCode::PersonLost,
            "The key of this person is lost, and what is stored of them can never be read again; \
             /api/user/forget (`lethe forget`) erases it",
        )
    }

    /// 413 with the limit.
    #[must_use]
    pub fn too_large(limit_bytes: usize) -> Self {
        Self::new(
            ErrorCode::TooLarge,
            format!("The body of the request is larger than the {limit_bytes} bytes allowed here"),
        )
    }

    /// 413: the upload has as many pieces as it may.
    #[must_use]
    pub fn too_many_pieces() -> Self {
        let most = limits::UPLOAD_PIECES;
        Self::new(
            ErrorCode::TooManyPieces,
            format!(
                "The upload has {most} pieces, as many as one may have; close it, or begin it anew with larger pieces"
            ),
        )
    }

    /// 413: the account holds as much as it may.
    #[must_use]
    pub fn no_room(sentence: String) -> Self {
        Self::new(ErrorCode::NoRoom, sentence)
    }

    /// 413: so large a body has to show early whose it is.
    #[must_use]
    pub fn unknown_sender(limit_bytes: usize) -> Self {
        let first = limits::CREDENTIALS_WITHIN_BYTES;
        Self::new(
            ErrorCode::UnknownSender,
            format!(
                "A body of more than {limit_bytes} bytes has to hold the access key and the secret key in its \
                 first {first} bytes"
            ),
        )
    }

    /// 415 with the type that is understood.
    #[must_use]
    pub fn media_type(wanted: &str) -> Self {
        Self::new(ErrorCode::MediaType, format!("The Content-Type has to be {wanted}"))
    }

    /// 415: a body is read as it is sent.
    #[must_use]
    pub fn content_encoding() -> Self {
        Self::new(ErrorCode::ContentEncoding, "The body of a request must not be compressed")
    }

    /// 429.
    #[must_use]
    pub fn too_many_failures(retry_after_seconds: u64) -> Self {
        Self::later(
            ErrorCode::TooManyFailures,
            retry_after_seconds,
            "Too many requests with wrong credentials came from this address; wait before the next one",
        )
    }

    /// 429: an address without a secret searches too often.
    #[must_use]
    pub fn too_many_searches() -> Self {
        Self::later(ErrorCode::TooManySearches, 1, "Too many searches came from this address")
    }

    /// 429: the rules of an account change too often.
    pub fn too_many_changes(sentence: String) -> Self {
        Self::later(ErrorCode::TooManyChanges, 1, sentence)
    }

    /// 503: the index is being made.
    #[must_use]
    pub fn search_is_made() -> Self {
        Self::later(ErrorCode::SearchIsMade, 2, "The search index is being made; ask again")
    }

    /// 429: as many uploads are open as may be.
    #[must_use]
    pub fn too_many_uploads() -> Self {
        Self::later(
            ErrorCode::TooManyOpen,
            60,
            "Too many feeds of this account are open; close them, or wait until they are given up",
        )
    }

    /// 429: as many streams of events as one account may have.
    #[must_use]
    pub fn too_many_streams() -> Self {
        Self::later(
            ErrorCode::TooManyOpen,
            10,
            "Too many streams of events of this account are open; close some, or ask /api/submissions",
        )
    }

    /// 503.
    #[must_use]
    pub fn busy() -> Self {
        Self::later(ErrorCode::Busy, 1, "The server cannot take this request now; send it again")
    }

    /// 503: of a request that is stored as a whole or not at all, too many visitors are new.
    #[must_use]
    pub fn too_many_new() -> Self {
        Self::later(
            ErrorCode::TooManyNew,
            10,
            "Too many visitors of the shop are new just now: nothing is stored, send the request again with its key",
        )
    }

    /// 503: a report takes longer than it may.
    #[must_use]
    pub fn report_takes_long() -> Self {
        Self::later(
            ErrorCode::ReportTakesLong,
            60,
            "The report takes too long: ask for fewer days, or later when the server has less to do",
        )
    }

    /// 503: an accepted request would stand in one place only.
    #[must_use]
    pub fn no_standby() -> Self {
        Self::later(
            ErrorCode::NoStandby,
            5,
            "Nothing is accepted now, because the database has no second copy of it; send it again",
        )
    }

    /// 503: rows name files of the catalogue that are not on this server.
    #[must_use]
    pub fn files_missing() -> Self {
        Self::later(
            ErrorCode::FilesMissing,
            60,
            "Files of the shop's catalogue are missing on this server: its operator sees with `lethe doctor` what to do; \
             a feed that is sent again brings them back",
        )
    }

    /// 500: ours, logged where it is handled.
    #[must_use]
    pub fn fault() -> Self {
        Self::new(ErrorCode::Fault, "The server failed on this request; the fault was logged")
    }
}

/// A member's name as a sentence repeats it: its first letters. `None` if it could be about a person.
fn shown_name(name: &str) -> Option<String> {
    if addresses::holds_address(name) {
        return None;
    }
    let name = printable(name);
    let shown: String = name.chars().take(limits::FIELD_NAMED_CHARACTERS).collect();
    let rest = if shown.len() < name.len() { "…" } else { "" };
    Some(format!("{shown}{rest}"))
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let error = self.sentence;
        let told = RefusalSentence(error.clone());
        let mut response = if self.is_listed {
            axum::Json(ListedErrorBody { errors: [error.clone()], error }).into_response()
        } else {
            axum::Json(ErrorBody { error }).into_response()
        };
        *response.status_mut() = self.code.status();
        response.extensions_mut().insert(told);
        let headers = response.headers_mut();
        headers.insert(header::LINK, self.code.link());
        if let Some(seconds) = self.retry_after_seconds {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        // The console, which asks in this process, explains it on a page of its own.
        response.extensions_mut().insert(self.code);
        response
    }
}

#[cfg(test)]
#[path = "refusal_tests.rs"]
mod tests;
