//! Answers that are plain strings by the interface, and answers in lines.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use hyper::body::Frame;
use tokio::sync::mpsc;
use utoipa::openapi::response::{Response as Described, ResponseBuilder};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{ContentBuilder, HeaderBuilder, RefOr};

use crate::evidence::documents::CONTENT_SECURITY_POLICY;
use crate::store::StoreFault;

/// The one sentence of every accepted submission.
pub const ACCEPTED: &str = "The request was submitted successfully";

/// The sentence as bare text, or as a JSON string when `Accept` names JSON.
pub fn accepted_response(headers: &HeaderMap) -> Response {
    if names(headers, "application/json") {
        axum::Json(ACCEPTED).into_response()
    } else {
        ACCEPTED.into_response()
    }
}

/// The answer to an accepted request, described.
pub enum AcceptedPlain {}

/// The same of a feed, which has a token.
pub enum AcceptedFeed {}

/// The same of a request to forget, which has an erasure.
pub enum AcceptedErasure {}

impl utoipa::IntoResponses for AcceptedPlain {
    fn responses() -> BTreeMap<String, RefOr<Described>> {
        describe_accepted("Accepted, durably", None)
    }
}

impl utoipa::IntoResponses for AcceptedFeed {
    fn responses() -> BTreeMap<String, RefOr<Described>> {
        let header = ("X-Feed-Token", "Token for /api/productfeedstatus");
        describe_accepted("Accepted, durably; the token is in the header X-Feed-Token", Some(header))
    }
}

impl utoipa::IntoResponses for AcceptedErasure {
    fn responses() -> BTreeMap<String, RefOr<Described>> {
        let header = ("X-Erasure-Id", "Id for /api/erasure");
        describe_accepted("Accepted, durably; the header X-Erasure-Id names the erasure", Some(header))
    }
}

fn describe_accepted(says: &str, header: Option<(&str, &str)>) -> BTreeMap<String, RefOr<Described>> {
    let text = || ObjectBuilder::new().schema_type(Type::String);
    let body = || ContentBuilder::new().schema(Some(text())).example(Some(ACCEPTED.into())).build();
    let form = "The sentence is bare text, and a JSON string where `Accept` names application/json";
    let mut answer = ResponseBuilder::new()
        .description(format!("{says}. {form}"))
        .content("text/plain", body())
        .content("application/json", body());
    if let Some((name, says)) = header {
        answer =
            answer.header(name, HeaderBuilder::new().schema(Some(text())).description(Some(says)).build());
    }
    BTreeMap::from([("200".to_owned(), answer.build().into())])
}

/// Returns true if the client asks for a page: `Accept` names HTML, as browsers do, and no JSON.
pub fn wants_page(headers: &HeaderMap) -> bool {
    names(headers, "text/html") && !names(headers, "application/json")
}

/// Returns true if `Accept` names a media type, and does not refuse it with the weight 0 (RFC 9110, 12.5.1). A type
/// that it only covers (`*/*`) is not named: every client sends that.
fn names(headers: &HeaderMap, media_type: &str) -> bool {
    let lines = headers.get_all(header::ACCEPT).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|range| {
        let mut parts = range.split(';').map(str::trim);
        let is_meant = parts.next().is_some_and(|named| named.eq_ignore_ascii_case(media_type));
        let is_zero = |weight: &str| weight.trim().parse() == Ok(0.0_f32);
        let mut refusals = parts
            .filter_map(|part| part.split_once('='))
            .filter(|(name, weight)| name.trim().eq_ignore_ascii_case("q") && is_zero(weight));
        is_meant && refusals.next().is_none()
    })
}

/// A self-contained page: a browser runs nothing in it, loads nothing for it and keeps no copy.
pub fn page(html: String, language: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_LANGUAGE, language),
        (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (header::VARY, "accept"),
    ];
    (headers, html).into_response()
}

/// Lines that are made while they are sent. A fault breaks the connection off.
pub fn lines(pieces: mpsc::Receiver<Result<Bytes, StoreFault>>, media_type: &'static str) -> Response {
    ([(header::CONTENT_TYPE, media_type)], Body::new(Pieces(pieces))).into_response()
}

/// A body in pieces that are made while it is sent.
struct Pieces(mpsc::Receiver<Result<Bytes, StoreFault>>);

impl hyper::body::Body for Pieces {
    type Data = Bytes;
    type Error = StoreFault;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, StoreFault>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use http_body_util::BodyExt;

    use super::*;

    async fn text_of(response: Response) -> String {
        let bytes = response.into_body().collect().await.expect("a body").to_bytes();
        String::from_utf8(bytes.to_vec()).expect("text")
    }

    #[tokio::test]
    async fn the_sentence_is_a_string_of_json_for_who_asks_for_json_and_bare_for_others() {
        for (accept, media_type, text) in [
            ("application/json", "application/json", "\"The request was submitted successfully\""),
            ("text/html", "text/plain; charset=utf-8", "The request was submitted successfully"),
        ] {
            let mut headers = HeaderMap::new();
            headers.append(header::ACCEPT, HeaderValue::from_static(accept));
            let response = accepted_response(&headers);
            assert_eq!(response.headers()[header::CONTENT_TYPE], media_type);
            assert_eq!(text_of(response).await, text);
        }
    }

    #[tokio::test]
    async fn a_page_is_kept_nowhere_and_loads_nothing() {
        let response = page("<p>x</p>".to_owned(), "de");
        for (name, value) in [
            (header::CONTENT_TYPE, "text/html; charset=utf-8"),
            (header::CONTENT_LANGUAGE, "de"),
            (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (header::REFERRER_POLICY, "no-referrer"),
            (header::CACHE_CONTROL, "no-store"),
            (header::VARY, "accept"),
        ] {
            assert_eq!(response.headers()[&name], value, "{name}");
        }
        assert_eq!(text_of(response).await, "<p>x</p>");
    }

    #[tokio::test]
    async fn lines_are_sent_as_they_come_and_a_fault_breaks_them_off() {
        let (sender, pieces) = mpsc::channel(3);
        for piece in ["a\n", "b\n"] {
            sender.send(Ok(Bytes::from_static(piece.as_bytes()))).await.expect("room");
        }
        drop(sender);
        let response = lines(pieces, "text/csv");
        assert_eq!(response.headers()[header::CONTENT_TYPE], "text/csv");
        assert_eq!(text_of(response).await, "a\nb\n");

        let (sender, pieces) = mpsc::channel(3);
        sender.send(Ok(Bytes::from_static(b"a\n"))).await.expect("room");
        sender.send(Err(StoreFault::Busy)).await.expect("room");
        drop(sender);
        assert!(lines(pieces, "text/csv").into_body().collect().await.is_err());
    }

    #[test]
    fn the_description_of_an_accepted_request_names_the_header_of_its_handle() {
        for (described, header) in [
            (describe_accepted("Done", None), None),
            (<AcceptedPlain as utoipa::IntoResponses>::responses(), None),
            (<AcceptedFeed as utoipa::IntoResponses>::responses(), Some("X-Feed-Token")),
            (<AcceptedErasure as utoipa::IntoResponses>::responses(), Some("X-Erasure-Id")),
        ] {
            let described = serde_json::to_value(described).expect("JSON");
            let answer = &described["200"];
            let names = answer["headers"].as_object().into_iter().flatten().map(|(name, _)| name.as_str());
            assert_eq!(names.collect::<Vec<_>>(), header.into_iter().collect::<Vec<_>>(), "{described}");
            for media_type in ["text/plain", "application/json"] {
                assert_eq!(answer["content"][media_type]["example"], ACCEPTED, "{described}");
            }
        }
    }

    #[test]
    fn a_media_type_is_named_in_one_way_everywhere() {
        for (accept, is_json, is_page) in [
            (&["*/*"][..], false, false),
            (&[], false, false),
            (&["application/json"], true, false),
            (&["Application/JSON;charset=utf-8"], true, false),
            (&["text/html,application/xhtml+xml,*/*;q=0.8"], false, true),
            (&["text/html, application/json"], true, false),
            (&["text/html", "application/json"], true, false),
            (&["text/html, application/json;q=0"], false, true),
            (&["text/plain, text/html; q=0.0"], false, false),
            (&["text/html;level=1;q=0.4"], false, true),
            (&["application/jsonlines, text/htmlx"], false, false),
            (&["text/*"], false, false),
        ] {
            let mut headers = HeaderMap::new();
            for line in accept {
                headers.append(header::ACCEPT, HeaderValue::from_static(line));
            }
            assert_eq!(
                (names(&headers, "application/json"), wants_page(&headers)),
                (is_json, is_page),
                "{accept:?}"
            );
        }
    }
}
