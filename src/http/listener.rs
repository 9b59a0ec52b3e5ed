//! The accept loop: every wait for a client has an end.
//!
//! `axum::serve` installs no timer and keeps a silent, a dripping and a stalled client for ever; this loop is
//! hyper's HTTP/1 connection with one, a write time-out below it, and a lingering close after an early refusal.

use std::future::{Future, poll_fn};
use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use crate::limits;

/// Where a request came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// A client on the network.
    Address(IpAddr),
    /// The operator, over the control socket in the data folder.
    Operator,
}

/// Something that accepts connections.
pub trait Accept: Send + 'static {
    /// A connection.
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;
    /// Waits for the next one.
    fn next(&mut self) -> impl Future<Output = std::io::Result<(Self::Stream, Peer)>> + Send;
}

impl Accept for TcpListener {
    type Stream = tokio::net::TcpStream;

    async fn next(&mut self) -> std::io::Result<(Self::Stream, Peer)> {
        let (stream, address) = self.accept().await?;
        // Answers are small and whole; waiting to fill a packet only delays them.
        stream.set_nodelay(true)?;
        Ok((stream, Peer::Address(address.ip().to_canonical())))
    }
}

impl Accept for UnixListener {
    type Stream = tokio::net::UnixStream;

    async fn next(&mut self) -> std::io::Result<(Self::Stream, Peer)> {
        Ok((self.accept().await?.0, Peer::Operator))
    }
}

/// Serves until `stop`, then lets running requests end, at most [`limits::DRAIN_DURATION`].
pub async fn serve(mut listener: impl Accept, router: Router, stop: CancellationToken) {
    let places = Arc::new(Semaphore::new(limits::CONNECTIONS));
    let connections = TaskTracker::new();
    loop {
        let place = tokio::select! {
            place = places.clone().acquire_owned() => place,
            () = stop.cancelled() => break,
        };
        let accepted = tokio::select! {
            accepted = listener.next() => accepted,
            () = stop.cancelled() => break,
        };
        match accepted {
            Ok((stream, peer)) => {
                let connection = connection(stream, peer, router.clone(), stop.clone());
                connections.spawn(async move {
                    connection.await;
                    drop(place);
                });
            }
            // Out of descriptors, or the client was gone already: a short pause instead of a hot loop.
            Err(_) => tokio::time::sleep(std::time::Duration::from_millis(20)).await,
        }
    }
    drop(listener);
    connections.close();
    if tokio::time::timeout(limits::DRAIN_DURATION, connections.wait()).await.is_err() {
        tracing::warn!(open = connections.len(), "some requests did not end in time");
    }
}

async fn connection<S>(stream: S, peer: Peer, router: Router, stop: CancellationToken)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits::WRITE_DURATION));
    let service = TowerToHyperService::new(router.map_request(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(peer);
        request.map(axum::body::Body::new)
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
            ended = poll_fn(|cx| served.poll_without_shutdown(cx)) => break ended,
            () = stop.cancelled(), if !stopping => {
                stopping = true;
                std::pin::Pin::new(&mut served).graceful_shutdown();
            }
        }
    };
    if ended.is_ok() {
        linger(served.into_parts().io.into_inner()).await;
    }
}

/// Says that nothing more comes, then reads a while: closing on unread bytes would reset the connection, and
/// the client would lose the answer that tells it why.
async fn linger<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S) {
    if stream.shutdown().await.is_err() {
        return;
    }
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
