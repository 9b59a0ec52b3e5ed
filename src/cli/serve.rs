//! `lethe serve`.

use std::sync::Arc;

use tokio::net::{TcpListener, UnixListener};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::{CliFault, Context, say};
use crate::config::Config;
use crate::http::{self, listener};
use crate::node::{Node, control_socket};
use crate::telemetry;

/// Serves until told to stop. When a commit failed and its outcome is unknown, everything is opened anew.
pub async fn run(context: &Context) -> Result<(), CliFault> {
    let config = context.flags.load()?;
    telemetry::start_logs(&config.log);
    telemetry::metrics();
    let told = CancellationToken::new();
    on_signal(told.clone())?;
    loop {
        let node = Node::open(config.clone()).await?;
        let server = Server::start(node, &config).await?;
        say(format!("lethe listens on http://{}", server.address));
        let failed = server.run(&told).await;
        if !failed || told.is_cancelled() {
            return Ok(());
        }
        tracing::error!("starting again after a commit with an unknown outcome");
    }
}

/// The first signal drains, a second one ends the process at once.
pub fn on_signal(told: CancellationToken) -> Result<(), CliFault> {
    let no_signals = |error| CliFault::Failed(format!("signals cannot be received: {error}"));
    let mut terminate = signal(SignalKind::terminate()).map_err(no_signals)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(no_signals)?;
    tokio::spawn(async move {
        for round in 0.. {
            tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
            if round > 0 {
                std::process::exit(1);
            }
            told.cancel();
        }
    });
    Ok(())
}

/// A node with its listeners and workers.
pub struct Server {
    /// Where it listens.
    pub address: std::net::SocketAddr,
    /// The node.
    pub node: Arc<Node>,
    tasks: TaskTracker,
    listeners: TaskTracker,
    stop: CancellationToken,
}

impl Server {
    /// Starts listeners and workers.
    pub async fn start(node: Arc<Node>, config: &Config) -> Result<Self, CliFault> {
        let socket = control_socket(&config.data_dir);
        // Left by a process that was killed; the folder's lock says that nobody answers there.
        let _ = std::fs::remove_file(&socket);
        let control = UnixListener::bind(&socket)
            .map_err(|error| CliFault::Failed(format!("the control socket cannot be made: {error}")))?;
        let listen = TcpListener::bind(config.listen)
            .await
            .map_err(|error| CliFault::Failed(format!("{} cannot be listened on: {error}", config.listen)))?;
        let address = listen.local_addr().map_err(|error| CliFault::Failed(error.to_string()))?;
        let (tasks, listeners, stop) = (TaskTracker::new(), TaskTracker::new(), CancellationToken::new());
        node.start(&tasks, &stop);
        listeners.spawn(listener::serve(listen, http::public(node.clone()), stop.clone()));
        listeners.spawn(listener::serve(control, http::control(node.clone()), stop.clone()));
        Ok(Self { address, node, tasks, listeners, stop })
    }

    /// Runs until `told`, or until the store fails; then drains. `true`: the store failed.
    pub async fn run(self, told: &CancellationToken) -> bool {
        let failed = tokio::select! {
            () = told.cancelled() => false,
            () = self.stop.cancelled() => false,
            () = self.node.store.failed() => true,
        };
        self.stop().await;
        failed
    }

    /// Lets running requests and slices of work end, and gives the database back.
    pub async fn stop(self) {
        self.stop.cancel();
        self.listeners.close();
        self.listeners.wait().await;
        self.tasks.close();
        self.tasks.wait().await;
        self.node.release().await;
        // The socket's folder is locked by us until the node is gone.
        let _ = std::fs::remove_file(control_socket(&self.node.config.data_dir));
    }
}
