//! The made-up shop's own web server: it serves its feeds over real HTTP, once it is told to.

use std::net::Ipv4Addr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
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

/// Path of the feed with mistakes.
const FAULTY_PATH: &str = "/feed-with-mistakes.json";

/// A running web server with two feeds of one shop.
pub struct ShopServer {
    /// The shop.
    pub shop: SampleShop,
    /// URL of its feed.
    pub feed_url: String,
    /// URL of the same feed with mistakes at its end.
    pub faulty_url: String,
    /// Size of the first.
    pub feed_bytes: usize,
    open: watch::Sender<bool>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

struct DemoFeeds {
    good: Bytes,
    faulty: Bytes,
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
        let good = make_feed(shop).map_err(failed)?;
        let faulty = make_feed(&SampleShop { errors: true, ..shop.clone() }).map_err(failed)?;
        let feed_bytes = good.len();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(failed)?;
        let origin = format!("http://{}", listener.local_addr().map_err(failed)?);
        let (open, opened) = watch::channel(false);
        let feeds = Arc::new(DemoFeeds { good, faulty, open: opened });
        let router = Router::new().fallback(get(serve)).with_state(feeds);
        let stop = CancellationToken::new();
        let tasks = TaskTracker::new();
        let stopped = stop.clone();
        tasks.spawn(async move {
            let serving = axum::serve(listener, router).into_future();
            tokio::select! { _ = serving => {}, () = stopped.cancelled() => {} }
        });
        Ok(Self {
            shop: shop.clone(),
            feed_url: format!("{origin}/feed.json"),
            faulty_url: format!("{origin}{FAULTY_PATH}"),
            feed_bytes,
            open,
            stop,
            tasks,
        })
    }

    /// Lets the feeds be downloaded. Until then a download waits, so that the tour can show a feed in work however
    /// fast the machine is.
    pub fn open(&self) {
        self.open.send_replace(true);
    }

    /// Stops the server.
    pub async fn stop(self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

fn make_feed(shop: &SampleShop) -> std::io::Result<Bytes> {
    let mut feed = Vec::new();
    write_feed(&mut feed, shop)?;
    Ok(feed.into())
}

async fn serve(State(feeds): State<Arc<DemoFeeds>>, request: Request) -> impl IntoResponse {
    let mut open = feeds.open.clone();
    // Fails when the demo ends: then no client waits for the answer.
    let _ = open.wait_for(|open| *open).await;
    let feed = if request.uri().path() == FAULTY_PATH { &feeds.faulty } else { &feeds.good };
    ([(header::CONTENT_TYPE, "application/json")], feed.clone())
}
