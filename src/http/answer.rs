//! Answers that are plain strings by the interface, and answers in lines.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use hyper::body::Frame;
use tokio::sync::mpsc;

use crate::store::StoreFault;

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
