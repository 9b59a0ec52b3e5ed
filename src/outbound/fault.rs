//! Reasons for a failed fetch, in sentences that anybody may read: never the URL, its host, or what a server sent.

use std::error::Error;
use std::io;
use std::time::Duration;

use jiff::fmt::rfc2822;
use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};
use reqwest::{Response, StatusCode};

/// A fetch that gave no feed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct FetchFault {
    /// Kind of the fault, which says whether trying again can help.
    pub kind: FaultKind,
    /// A plain sentence without any content of the feed, the URL or the answer.
    pub reason: String,
}

/// Kind of a fault: says whether trying again can help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The cause may heal within the feed's window.
    Transient {
        /// Time that the server asked to be left alone; unbounded, the caller caps it.
        retry_after: Option<Duration>,
    },
    /// The same URL would fail again.
    Final,
}

/// Beginning of the reason of an answer that carries no feed; its status follows.
const ANSWERED: &str = "the feed's server answered with status ";

/// Status with which the feed's server answered, by the reason of a failed fetch; `None` for any other reason.
#[must_use]
pub fn status_of_reason(reason: &str) -> Option<u16> {
    reason.strip_prefix(ANSWERED)?.parse().ok()
}

impl FetchFault {
    pub(super) fn transient(reason: impl Into<String>) -> Self {
        Self { kind: FaultKind::Transient { retry_after: None }, reason: reason.into() }
    }

    pub(super) fn lasting(reason: impl Into<String>) -> Self {
        Self { kind: FaultKind::Final, reason: reason.into() }
    }

    /// A body that ends in its middle.
    #[must_use]
    pub fn truncated_body() -> Self {
        Self::transient("the feed ended before it was complete")
    }

    /// A body above the wire limit, announced or not.
    pub(super) fn too_large() -> Self {
        Self::lasting("the feed is too large")
    }

    pub(super) fn deadline() -> Self {
        Self::transient("the feed took longer than a whole fetch may take")
    }

    /// The fault inside an error of [`super::decode::FeedBytes`], if it is one.
    #[must_use]
    pub fn from_io(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }

    pub(super) fn into_io(self) -> io::Error {
        io::Error::other(self)
    }

    /// Returns the fault of an error while decoding: the one it carries, an early end, or damaged bytes.
    pub(super) fn of_decoding(error: &io::Error) -> Self {
        match Self::from_io(error) {
            Some(fault) => fault.clone(),
            None if error.kind() == io::ErrorKind::UnexpectedEof => Self::truncated_body(),
            None => Self::lasting(
                "the feed's gzip or zstd compression is damaged, or needs a window of more than 8 MiB (zstd --ultra or \
                 --long)",
            ),
        }
    }

    /// Returns the fault of a failed request. reqwest's own text names the URL, so it is never used.
    pub(super) fn of_request(error: &reqwest::Error) -> Self {
        if causes(error).any(is_head_too_large) {
            Self::lasting("the answer has too many or too large headers")
        } else if causes(error).any(is_tls) {
            Self::transient(
                "no secure connection: the server's certificate is not valid or it speaks no accepted TLS",
            )
        } else if error.is_timeout() {
            Self::transient("the feed's server did not answer in time")
        } else if error.is_connect() {
            Self::transient("no connection to the feed's server could be made")
        } else {
            Self::transient("the feed's server broke the connection or did not answer in HTTP")
        }
    }

    /// Returns the fault of an answer that carries no feed.
    pub(super) fn of_answer(answer: &Response) -> Self {
        let status = answer.status();
        let reason = format!("{ANSWERED}{}", status.as_u16());
        if may_heal(status) {
            Self { kind: FaultKind::Transient { retry_after: retry_after(answer.headers()) }, reason }
        } else {
            Self::lasting(reason)
        }
    }
}

/// An error of a feed's source, so that it is not taken for one of a decoder, which has the same type.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(super) struct SourceFault(pub(super) io::Error);

impl SourceFault {
    /// The error under this name, unless it carries a [`FetchFault`].
    pub(super) fn wrap(error: io::Error) -> io::Error {
        if FetchFault::from_io(&error).is_some() { error } else { io::Error::other(Self(error)) }
    }
}

fn may_heal(status: StatusCode) -> bool {
    status.is_server_error() || matches!(status.as_u16(), 403 | 404 | 408 | 425 | 429)
}

fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| cause(error))
}

/// An I/O error's `source` skips the error it wraps; its `get_ref` does not.
fn cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>() {
        Some(wrapping) => wrapping.get_ref().map(|wrapped| wrapped as _),
        None => error.source(),
    }
}

fn is_head_too_large(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref().is_some_and(hyper::Error::is_parse_too_large)
}

/// The TLS library's errors travel as I/O errors of this kind, which no socket gives.
fn is_tls(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref().is_some_and(|error: &io::Error| error.kind() == io::ErrorKind::InvalidData)
}

/// `Retry-After` as seconds or as a date. A date is measured against the same answer's `Date`, so neither clock
/// needs to be right.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = header(headers, RETRY_AFTER)?;
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = rfc2822::parse(text).ok()?.timestamp();
    let now = rfc2822::parse(header(headers, DATE)?).ok()?.timestamp();
    Some(Duration::try_from(until.duration_since(now)).unwrap_or_default())
}

fn header(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    fn asked_to_wait(retry_after_text: &'static str, date: Option<&'static str>) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::from_static(retry_after_text));
        if let Some(date) = date {
            headers.insert(DATE, HeaderValue::from_static(date));
        }
        retry_after(&headers)
    }

    #[test]
    fn retry_after_is_read_as_seconds_and_as_a_date() {
        const NOON: &str = "Sat, 21 Nov 2026 12:00:00 GMT";
        assert_eq!(asked_to_wait("120", None), Some(Duration::from_secs(120)));
        let later = asked_to_wait("Sat, 21 Nov 2026 12:05:00 GMT", Some(NOON));
        assert_eq!(later, Some(Duration::from_secs(300)));
        assert_eq!(asked_to_wait("Sat, 21 Nov 2026 11:00:00 GMT", Some(NOON)), Some(Duration::ZERO));
    }

    #[test]
    fn an_unreadable_retry_after_is_no_wish() {
        for text in ["soon", "-1", "", "Sat, 21 Nov 2026 12:05:00 GMT"] {
            assert_eq!(asked_to_wait(text, None), None, "{text}");
        }
    }

    #[test]
    fn the_status_of_an_answer_is_read_from_its_reason() {
        let answer = axum::http::Response::builder().status(404).body("").expect("an answer");
        let fault = FetchFault::of_answer(&Response::from(answer));
        assert_eq!(status_of_reason(&fault.reason), Some(404));
        assert_eq!(status_of_reason(&FetchFault::truncated_body().reason), None);
    }

    #[test]
    fn only_states_that_may_heal_are_tried_again() {
        for code in [403, 404, 408, 425, 429, 500, 502, 503, 504, 599] {
            assert!(may_heal(StatusCode::from_u16(code).unwrap()), "{code}");
        }
        for code in [201, 204, 206, 300, 304, 400, 401, 402, 405, 406, 410, 416, 451] {
            assert!(!may_heal(StatusCode::from_u16(code).unwrap()), "{code}");
        }
    }
}
