//! The accept loop: every wait for a client has an end.
//!
//! `axum::serve` installs no timer and keeps a silent, a dripping and a stalled client for ever; this loop is
//! hyper's HTTP/1 connection with one, a write time-out below it, and a lingering close after an early refusal.

use std::convert::Infallible;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Request, header};
use axum::response::Response;
use bytes::Bytes;
use hyper::body::{Body as _, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use super::descriptors::{Descriptors, is_out_of_descriptors};
use super::forwarded;
use super::idle_connections::{self, SilentConnections};
use crate::admission::{Permit, Tenant, TenantSemaphore};
use crate::limits;
use crate::node::Node;
use crate::transport::peer::Peer;

/// Cancelled when the listener stops: an answer without an end of its own ends then.
#[derive(Clone, Default)]
pub struct ListenerStop(pub CancellationToken);

/// Something that accepts connections.
pub trait ConnectionListener: Send + 'static {
    /// A connection.
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;
    /// Waits for the next one.
    ///
    /// # Errors
    /// When the system refuses.
    fn next(&mut self) -> impl Future<Output = std::io::Result<(Self::Stream, Peer)>> + Send;
}

impl ConnectionListener for TcpListener {
    type Stream = tokio::net::TcpStream;

    async fn next(&mut self) -> std::io::Result<(Self::Stream, Peer)> {
        let (stream, address) = self.accept().await?;
        // Answers are small and whole; waiting to fill a packet only delays them.
        stream.set_nodelay(true)?;
        Ok((stream, Peer::Address(address.ip().to_canonical())))
    }
}

impl ConnectionListener for UnixListener {
    type Stream = tokio::net::UnixStream;

    async fn next(&mut self) -> std::io::Result<(Self::Stream, Peer)> {
        Ok((self.accept().await?.0, Peer::Operator))
    }
}

/// Serves what clients on the network reach, or the operator over the control socket, as [`serve_among`] does.
pub async fn serve(
    listener: impl ConnectionListener,
    node: Arc<Node>,
    router: Router,
    stop: CancellationToken,
) {
    let connections = node.resources.connections.clone();
    serve_among(connections, listener, node, router, stop).await;
}

/// Serves until `stop`, then lets running requests end, at most [`limits::DRAIN_DURATION`]. A connection from an
/// address that has used up its share is closed at once: none of its bytes was read, so nothing is lost. When all
/// connections are taken, or the system has no more descriptors, one closes: of the address that holds most, the one
/// that was silent for longest. If none is silent, the next connection waits, and those after it in the kernel's
/// queue.
pub async fn serve_among(
    shares: Arc<TenantSemaphore>,
    mut listener: impl ConnectionListener,
    node: Arc<Node>,
    router: Router,
    stop: CancellationToken,
) {
    let connections = TaskTracker::new();
    let silent = Arc::new(SilentConnections::default());
    let mut spares = Descriptors::new(&shares, &node);
    loop {
        let accepted = tokio::select! {
            accepted = listener.next() => accepted,
            () = stop.cancelled() => break,
        };
        match accepted {
            Ok((stream, peer)) => {
                spares.refill();
                let who = forwarded::who_connects(&node.config, peer);
                let has_its_share = who.is_some_and(|who| shares.is_used_up_by(who));
                if has_its_share {
                    metrics::counter!("lethe_connections_closed_total").increment(1);
                    continue;
                }
                let share = tokio::select! {
                    share = take_place(&shares, &silent, who) => share,
                    () = stop.cancelled() => break,
                };
                let held = silent.open(who);
                let connection = connection(stream, peer, held.clone(), router.clone(), stop.clone());
                connections.spawn(async move {
                    connection.await;
                    held.leave();
                    drop(share);
                });
            }
            Err(error) => {
                if is_out_of_descriptors(&error) {
                    close_oldest(&silent, &shares);
                    // At once: the flood of another listener would have what this one kept.
                    if spares.give_up(&error) {
                        continue;
                    }
                }
                // The client was gone already, or nothing is free yet: a short pause instead of a hot loop.
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }
    drop(listener);
    connections.close();
    if tokio::time::timeout(limits::DRAIN_DURATION, connections.wait()).await.is_err() {
        tracing::warn!(open = connections.len(), "some requests did not end in time");
    }
}

/// Takes the place of a connection. When all are taken, one on which nothing is asked closes for it, now or as soon as
/// there is one.
async fn take_place(
    shares: &Arc<TenantSemaphore>,
    silent: &SilentConnections,
    who: Option<Tenant>,
) -> Option<Permit> {
    let who = who?;
    let mut taking = pin!(shares.acquire(who, 1, Duration::MAX));
    let mut is_short = shares.is_used_up();
    loop {
        is_short = is_short && !close_oldest(silent, shares);
        tokio::select! {
            share = &mut taking => return share,
            () = silent.wait_for_silence(), if is_short => {}
        }
    }
}

/// Closes a connection on which nothing is asked, so that another one has its place: false if there is none.
fn close_oldest(silent: &SilentConnections, shares: &TenantSemaphore) -> bool {
    let is_closed = silent.close_oldest(shares);
    if is_closed {
        metrics::counter!("lethe_connections_closed_for_others_total").increment(1);
    }
    is_closed
}

async fn connection<S>(
    stream: S,
    peer: Peer,
    held: idle_connections::ClientConnection,
    router: Router,
    stop: CancellationToken,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits::WRITE_DURATION));
    let stopping = ListenerStop(stop.clone());
    let asking = held.clone();
    let service = TowerToHyperService::new(tower::service_fn(move |request| {
        answer_request(router.clone(), peer, stopping.clone(), asking.begin_request(), request)
    }));
    let mut served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits::HEAD_DURATION)
        .max_buf_size(limits::HEAD_BYTES)
        .max_headers(limits::HEAD_FIELDS)
        .serve_connection(TokioIo::new(Box::pin(stream)), service);
    let mut stopping = false;
    let ended = loop {
        tokio::select! {
            ended = &mut served => break ended,
            () = stop.cancelled(), if !stopping => {
                stopping = true;
                Pin::new(&mut served).graceful_shutdown();
            }
            () = held.wait_until_closed(), if !stopping => {
                // Half a head is no request. One that came meanwhile is answered: its work may be done.
                if held.is_silent() {
                    return;
                }
                stopping = true;
                Pin::new(&mut served).graceful_shutdown();
            }
        }
    };
    // A client that takes no answer is not waited for a second time.
    if ended.is_ok() || ended.is_err_and(|error| error.is_parse()) {
        linger(served.into_parts().io.into_inner()).await;
    }
}

/// Answers one request. When the answer does not wait for the request's end, the connection ends with it and
/// says so: the next request of a client that hoped to go on would be read as the rest of this one.
async fn answer_request(
    router: Router,
    peer: Peer,
    stopping: ListenerStop,
    asked: idle_connections::ActiveRequest,
    mut request: Request<Incoming>,
) -> Result<Response, Infallible> {
    request.extensions_mut().insert(peer);
    request.extensions_mut().insert(stopping);
    let is_read = Arc::new(AtomicBool::new(request.body().is_end_stream()));
    let watched = is_read.clone();
    let request = request.map(|body| Body::new(TrackedBody { body, is_read: watched }));
    let mut response = router.oneshot(request).await?;
    if !is_read.load(Ordering::Acquire) {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response.map(|body| Body::new(AnswerBody { body, _asked: asked })))
}

/// The body of an answer: its connection is not silent until it is through.
struct AnswerBody {
    body: Body,
    _asked: idle_connections::ActiveRequest,
}

impl hyper::body::Body for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A request's body that notes when its end was reached.
struct TrackedBody {
    body: Incoming,
    is_read: Arc<AtomicBool>,
}

impl hyper::body::Body for TrackedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if matches!(frame, Poll::Ready(None)) || self.body.is_end_stream() {
            self.is_read.store(true, Ordering::Release);
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Reads a while after the last answer: closing on unread bytes would reset the connection, and the client
/// would lose the answer that tells it why.
async fn linger<S: AsyncRead + Unpin>(mut stream: S) {
    let discard = async {
        let mut read = 0;
        let mut piece = vec![0; 16 * 1024];
        while read < limits::LINGER_BYTES {
            match stream.read(&mut piece).await {
                Ok(0) | Err(_) => break,
                Ok(bytes) => read += bytes,
            }
        }
    };
    // The time limit is one of the two good ends.
    let _ = tokio::time::timeout(limits::LINGER_DURATION, discard).await;
}

#[cfg(test)]
#[path = "listener_tests.rs"]
mod tests;
