//! Large answers while they are sent: bytes that a slow reader has not taken yet are counted, by account, by client
//! address and for the process, and end in time.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use hyper::body::{Body as _, Frame, SizeHint};
use tokio::task::JoinHandle;

use super::credentials::Caller;
use crate::admission::{Permit, Tenant};
use crate::limits;
use crate::node::Node;
use crate::transport::peer::{peer_address, who_is};
use crate::transport::refusal::Refusal;

/// An answer goes out in pieces of this size: the connection takes the next one when it has room for it.
const PIECE_BYTES: usize = 16 * 1024;

/// The same answer without its large part: it goes out where there is no memory for the other, as the request was
/// stored already and is not to be sent again.
#[derive(Clone)]
pub(super) struct SmallAnswer(pub Bytes);

/// Makes a large answer take its part of the memory before it is sent. Other answers are sent as they are; a streamed
/// answer holds little memory.
pub(super) async fn reserve_answer_memory(node: &Node, caller: &Caller, mut response: Response) -> Response {
    let Some(bytes) = exact_bytes(&response).filter(|bytes| *bytes > limits::ANSWER_FREE_BYTES) else {
        return response;
    };
    let small = response.extensions_mut().remove::<SmallAnswer>();
    let showed = caller.shown_keys();
    let who = showed.as_ref().map_or_else(|| who_is(caller.peer), |showed| Tenant::Account(showed.account));
    // A shop's own server may be one address. Its pages come from many, and none of them takes the whole share of the
    // shop.
    let is_proven = showed.is_some_and(|showed| showed.with_secret);
    let address = peer_address(caller.peer).filter(|_| !is_proven);
    let most = if matches!(who, Tenant::Client(_)) {
        limits::ANSWERS_OF_CLIENT_BYTES
    } else {
        limits::ANSWERS_OF_ACCOUNT_BYTES
    };
    let most = if address.is_some() { most.min(limits::ANSWERS_OF_ADDRESS_BYTES) } else { most };
    // The largest one takes all that it may have.
    let answers = &node.resources.answers;
    let taking = answers.take_at(who, address, bytes.min(most), limits::ANSWER_WAIT_DURATION);
    let Some(share) = taking.await else {
        metrics::counter!("lethe_answers_refused_total").increment(1);
        let (mut head, _) = response.into_parts();
        head.headers.remove(header::CONTENT_LENGTH);
        return small.map_or_else(
            || Refusal::busy().into_response(),
            |SmallAnswer(small)| Response::from_parts(head, Body::from(small)),
        );
    };
    let (head, body) = response.into_parts();
    let Ok(whole) = axum::body::to_bytes(body, usize::MAX).await else {
        return Refusal::fault().into_response();
    };
    Response::from_parts(head, Body::new(HeldAnswer::new(whole, share)))
}

fn exact_bytes(response: &Response) -> Option<usize> {
    response.body().size_hint().exact().and_then(|bytes| usize::try_from(bytes).ok())
}

/// Longest time that a client may take for an answer, at the slowest rate at which a body may come.
fn longest(bytes: usize) -> Duration {
    let seconds = bytes / limits::BODY_RATE_MIN_BYTES_PER_SECOND;
    limits::WRITE_DURATION + Duration::from_secs(seconds as u64)
}

/// Rest of an answer, with its permit for the memory.
type UnsentAnswer = Arc<Mutex<Option<(Bytes, Permit)>>>;

/// An answer on its way out.
struct HeldAnswer {
    rest: UnsentAnswer,
    left_bytes: usize,
    /// Throws the rest away when the client takes too long.
    end: JoinHandle<()>,
}

impl HeldAnswer {
    fn new(whole: Bytes, share: Permit) -> Self {
        let left_bytes = whole.len();
        let rest: UnsentAnswer = Arc::new(Mutex::new(Some((whole, share))));
        let late = rest.clone();
        let end = tokio::spawn(async move {
            tokio::time::sleep(longest(left_bytes)).await;
            if late.lock().unwrap_or_else(PoisonError::into_inner).take().is_some() {
                metrics::counter!("lethe_answers_broken_off_total").increment(1);
            }
        });
        Self { rest, left_bytes, end }
    }
}

impl hyper::body::Body for HeldAnswer {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        if self.left_bytes == 0 {
            return Poll::Ready(None);
        }
        let piece = {
            let mut rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
            rest.as_mut().map(|(bytes, _)| bytes.split_to(bytes.len().min(PIECE_BYTES)))
        };
        let Some(piece) = piece else { return Poll::Ready(Some(Err(std::io::ErrorKind::TimedOut.into()))) };
        self.left_bytes -= piece.len();
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.left_bytes == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left_bytes as u64)
    }
}

impl Drop for HeldAnswer {
    fn drop(&mut self) {
        self.end.abort();
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;
    use crate::admission::{SemaphoreLimits, TenantSemaphore};
    use crate::ids::AccountId;

    #[tokio::test]
    async fn a_large_answer_goes_out_in_pieces_and_ends_with_its_last_byte() {
        const ALL: usize = 2 * PIECE_BYTES + 1;
        let answers = TenantSemaphore::new(SemaphoreLimits::SINGLE_PERMIT);
        let share = answers.try_take(Tenant::Account(AccountId(1)), 1).expect("a share");
        let mut held = HeldAnswer::new(Bytes::from(vec![b'x'; ALL]), share);
        let mut pieces = Vec::new();
        for _ in 0..3 {
            let is_at_its_end = held.is_end_stream();
            let left_bytes = held.size_hint().exact();
            let piece = held.frame().await.and_then(Result::ok).and_then(|frame| frame.into_data().ok());
            pieces.push((is_at_its_end, left_bytes, piece.map(|piece| piece.len())));
        }
        let piece = |left: usize, bytes: usize| (false, Some(left as u64), Some(bytes));
        let expected = [piece(ALL, PIECE_BYTES), piece(PIECE_BYTES + 1, PIECE_BYTES), piece(1, 1)];
        assert_eq!(pieces, expected);
        assert_eq!((held.is_end_stream(), held.size_hint().exact()), (true, Some(0)));
        assert!(held.frame().await.is_none());
    }

    #[tokio::test]
    async fn a_large_answer_may_take_as_long_as_its_slowest_reader() {
        let seconds = |bytes: usize| (longest(bytes) - limits::WRITE_DURATION).as_secs();
        let rate = limits::BODY_RATE_MIN_BYTES_PER_SECOND;
        assert_eq!([rate - 1, rate, 7 * rate].map(seconds), [0, 1, 7]);
    }
}
