//! The made-up shop's own web server: it serves the feed over real HTTP, once it is told to.

use std::net::Ipv4Addr;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use bytes::Bytes;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::cli::fault::CliFault;
use crate::sample::{SampleShop, write_feed};

/// A running web server with one feed.
pub struct ShopServer {
    /// The shop.
    pub shop: SampleShop,
    /// URL of the feed.
    pub feed_url: String,
    /// Size of the feed.
    pub feed_bytes: usize,
    open: watch::Sender<bool>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

struct DemoFeed {
    bytes: Bytes,
    open: watch::Receiver<bool>,
}

impl ShopServer {
    /// Starts on a free loopback port.
    ///
    /// # Errors
    /// When no port can be listened on.
    pub async fn start(shop: &SampleShop) -> Result<Self, CliFault> {
        let failed =
            |error: std::io::Error| CliFault::Failed(format!("the demo's shop cannot start: {error}"));
        let mut feed = Vec::new();
        write_feed(&mut feed, shop).map_err(failed)?;
        let feed_bytes = feed.len();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(failed)?;
        let feed_url = format!("http://{}/feed.json", listener.local_addr().map_err(failed)?);
        let (open, opened) = watch::channel(false);
        let feed = Arc::new(DemoFeed { bytes: feed.into(), open: opened });
        let router = Router::new().fallback(get(serve)).with_state(feed);
        let stop = CancellationToken::new();
        let tasks = TaskTracker::new();
        let stopped = stop.clone();
        tasks.spawn(async move {
            let serving = axum::serve(listener, router).into_future();
            tokio::select! { _ = serving => {}, () = stopped.cancelled() => {} }
        });
        Ok(Self { shop: shop.clone(), feed_url, feed_bytes, open, stop, tasks })
    }

    /// Lets the feed be downloaded. Until then a download waits, so that the tour can show a feed in work however
    /// fast the machine is.
    pub fn open(&self) {
        self.open.send_replace(true);
    }

    /// Ends it.
    pub async fn stop(self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

async fn serve(State(feed): State<Arc<DemoFeed>>) -> impl IntoResponse {
    let mut open = feed.open.clone();
    // Fails when the demo ends: then no client waits for the answer.
    let _ = open.wait_for(|open| *open).await;
    ([(header::CONTENT_TYPE, "application/json")], feed.bytes.clone())
}
