//! `lethe serve`.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::{TcpListener, UnixListener, UnixStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::context::CommandContext;
use super::fault::CliFault;
use super::print::print_line;
use super::{folder, recovery_key, systemd};
use crate::config::Config;
use crate::node::{FolderLock, Node, StartFault, control_socket};
use crate::store::{AcknowledgedNumbers, StoreFault};
use crate::transport::listener;
use crate::{accounts, api, console, disk, limits, operators, telemetry, work};

/// First pause before the store is opened again after it failed; doubled each time …
const REOPEN_PAUSE: Duration = Duration::from_millis(250);
/// … up to this one: half a minute in all.
const REOPEN_PAUSE_MAX: Duration = Duration::from_secs(16);

/// For one start.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  lethe serve
  lethe serve --data-dir /var/lib/lethe/data --key-dir /var/lib/lethe/keys --key-mirror /mnt/second/keys
  lethe serve --listen 127.0.0.1:9090 --feed-allow 10.1.0.0/16
  lethe serve --try               # and try a shop's search at http://127.0.0.1:8080/try/ACCESSKEY

Settings are listed by --help; `lethe config show` tells those in force.")]
pub struct Options {
    /// Start although a part of the journal of erasures is missing: people forgotten in that part may come back
    #[arg(long)]
    accept_journal_gap: bool,
    /// Serve the page on which people try the search of a shop, at /try/ACCESSKEY, to anybody who has the access key
    #[arg(long)]
    r#try: bool,
}

/// Serves until told to stop. When a commit failed and its outcome is unknown, or the database has lost some,
/// everything is opened again.
///
/// # Errors
/// When the settings cannot be used, the server cannot be started (again), or another node takes the database
/// over.
pub async fn run(context: &CommandContext, options: &Options) -> Result<(), CliFault> {
    let mut config = context.flags.load()?;
    config.accept_journal_gap = options.accept_journal_gap;
    config.try_page = options.r#try;
    telemetry::start_logs(&config.log);
    telemetry::metrics();
    let told = CancellationToken::new();
    on_signal(told.clone())?;
    let watching = systemd::watch(told.clone());
    raise_descriptors();
    if !config.data_dir.exists() {
        // No folders are made for a server that cannot listen. The lock of a folder that is there says more.
        try_addresses(&config).await?;
    }
    let lock = locked_folder(&config, &told).await?;
    let mut node = Node::open_in(config.clone(), lock).await?;
    recovery_key::made_at_first(context, &node)?;
    // An accepted gap does not count for a start after a fault.
    config.accept_journal_gap = false;
    loop {
        let acknowledged = node.store.acknowledged_numbers().clone();
        let server = Server::start(node, &config).await?;
        log_start(&server.node).await;
        print_line(describe_addresses(&server).await);
        systemd::ready();
        match server.run(&told).await {
            _ if told.is_cancelled() => {
                tracing::info!("the server stopped");
                // The service manager is told before the process ends.
                let _ = watching.await;
                return Ok(());
            }
            ServerExit::Told => return Ok(()),
            ServerExit::TakenOver => {
                return Err(CliFault::Failed("another lethe took the database over".to_owned()));
            }
            ServerExit::StoreFailed => {}
        }
        tracing::error!("starting again after a commit that failed or was lost");
        node = reopen(&config, &acknowledged, &told).await?;
    }
}

/// Pause between two tries to lock the data folder.
const FOLDER_LOOK_DURATION: Duration = Duration::from_millis(200);

/// Locks the data folder. A command that works on it without a server ends by itself and is waited for; another server
/// is not.
async fn locked_folder(config: &Config, told: &CancellationToken) -> Result<FolderLock, StartFault> {
    let began = Instant::now();
    let mut is_said = false;
    loop {
        let fault = match FolderLock::acquire(&config.data_dir) {
            Err(fault @ StartFault::InUse(_)) => fault,
            taken => return taken,
        };
        let is_of_server = UnixStream::connect(control_socket(&config.data_dir)).await.is_ok();
        let is_too_long = began.elapsed() > limits::FOLDER_WAIT_DURATION;
        if is_of_server || is_too_long || told.is_cancelled() {
            return Err(fault);
        }
        if !std::mem::replace(&mut is_said, true) {
            tracing::warn!("a command holds the data folder; the server starts when it has ended");
        }
        tokio::select! { () = tokio::time::sleep(FOLDER_LOOK_DURATION) => {}, () = told.cancelled() => {} }
    }
}

/// Lines for whoever started the server: its addresses, and how the first operator of the console is added.
async fn describe_addresses(server: &Server) -> String {
    let lines = format!("lethe listens on http://{}", server.address);
    let Some(console) = server.node.console_address() else { return lines };
    let node = server.node.clone();
    let listed = server.node.store.read(move |tx| operators::list(tx, &node.keys)).await;
    let lacks_operators = listed.is_ok_and(|all| all.iter().all(|operator| operator.name.is_none()));
    let hint = if lacks_operators { " (`lethe operator add NAME` prints the link to sign in)" } else { "" };
    format!("{lines}\nConsole: {console}{hint}")
}

/// The line of a server that listens. A number of accounts that cannot be read is left out.
async fn log_start(node: &Node) {
    let version = env!("CARGO_PKG_VERSION");
    let engine = node.store.engine();
    let listed: Result<_, StoreFault> = node.store.read(accounts::list).await;
    let accounts = listed.ok().map(|accounts| accounts.len());
    tracing::info!(version, engine, accounts, "the server started");
}

/// Opens everything again. A disk that failed once may need a moment; one that stays broken ends the process. A server
/// that replaces a lost PostgreSQL may need minutes, and is waited for.
async fn reopen(
    config: &Config,
    acknowledged: &AcknowledgedNumbers,
    told: &CancellationToken,
) -> Result<Arc<Node>, CliFault> {
    let mut pause = REOPEN_PAUSE;
    let mut is_said = false;
    loop {
        match Node::open_after(config.clone(), acknowledged).await {
            Err(fault) if (pause <= REOPEN_PAUSE_MAX || fault.is_of_connection()) && !told.is_cancelled() => {
                if !std::mem::replace(&mut is_said, true) {
                    tracing::error!(%fault, "the store cannot be opened yet; it is tried again");
                }
            }
            opened => return Ok(opened?),
        }
        tokio::select! { () = tokio::time::sleep(pause.min(REOPEN_PAUSE_MAX)) => {}, () = told.cancelled() => {} }
        pause = pause.saturating_mul(2);
    }
}

/// A connection takes a descriptor; the usual soft limit of 1,024 is far below [`limits::CONNECTIONS`].
fn raise_descriptors() {
    let limit = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }) {
        tracing::warn!(%error, "the limit of open files cannot be raised");
    }
}

/// The first signal drains, a second one ends the process at once. A terminal that is closed drains too, however often
/// that is told; `nohup` has the process go on.
///
/// # Errors
/// When the process cannot receive signals.
pub fn on_signal(told: CancellationToken) -> Result<(), CliFault> {
    let no_signals = |error| CliFault::Failed(format!("signals cannot be received: {error}"));
    let mut terminate = signal(SignalKind::terminate()).map_err(no_signals)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(no_signals)?;
    if !ignores_hangup() {
        let mut hangup = signal(SignalKind::hangup()).map_err(no_signals)?;
        let told = told.clone();
        tokio::spawn(async move {
            while hangup.recv().await.is_some() {
                told.cancel();
            }
        });
    }
    tokio::spawn(async move {
        for round in 0.. {
            tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
            if round > 0 {
                folder::remove_all();
                std::process::exit(1);
            }
            told.cancel();
        }
    });
    Ok(())
}

/// Returns true if the process was started to ignore SIGHUP.
pub fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // A bit for each signal; SIGHUP is the first.
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

/// Listens at the addresses that were set, and lets go of them again.
///
/// # Errors
/// When one of them cannot be listened on.
async fn try_addresses(config: &Config) -> Result<(), CliFault> {
    let _shops = listen_at(config.listen).await?;
    if config.console.is_set {
        listen_for_console(config).await?;
    }
    Ok(())
}

/// Listens for shops.
async fn listen_at(address: SocketAddr) -> Result<TcpListener, CliFault> {
    let listening = TcpListener::bind(address).await;
    listening.map_err(|error| CliFault::Failed(format!("{address} cannot be listened on: {error}")))
}

/// Listens for browsers. At the default address, a port in use is no reason not to serve shops.
async fn listen_for_console(config: &Config) -> Result<Option<(TcpListener, SocketAddr)>, CliFault> {
    let Some(address) = config.console.address else { return Ok(None) };
    let listening = async {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok::<_, std::io::Error>((listener, address))
    };
    match listening.await {
        Ok(listening) => Ok(Some(listening)),
        Err(error) if config.console.is_set => {
            Err(CliFault::Failed(format!("{address} cannot be listened on for the console: {error}")))
        }
        Err(error) => {
            tracing::warn!(%error, %address, "there is no console: name another address with --console-listen");
            Ok(None)
        }
    }
}

/// Reason why a server ended.
pub enum ServerExit {
    /// It was told to.
    Told,
    /// Another node holds the database now.
    TakenOver,
    /// The outcome of a commit is unknown, or the database has lost some.
    StoreFailed,
}

/// A node with its listeners and workers.
pub struct Server {
    /// Address at which it listens.
    pub address: std::net::SocketAddr,
    /// The node.
    pub node: Arc<Node>,
    tasks: TaskTracker,
    listeners: TaskTracker,
    stop: CancellationToken,
}

impl Server {
    /// Starts listeners and workers.
    ///
    /// # Errors
    /// When the control socket cannot be made or the address cannot be listened on.
    pub async fn start(node: Arc<Node>, config: &Config) -> Result<Self, CliFault> {
        let socket = control_socket(&config.data_dir);
        // Left by a killed process; the folder's lock shows that no process answers there.
        let _ = disk::remove(&socket);
        let control = UnixListener::bind(&socket)
            .map_err(|error| CliFault::Failed(format!("the control socket cannot be made: {error}")))?;
        disk::close_file(&socket)
            .map_err(|error| CliFault::Failed(format!("the control socket cannot be made: {error}")))?;
        let listen = listen_at(config.listen).await?;
        let address = listen.local_addr().map_err(|error| CliFault::Failed(error.to_string()))?;
        let tasks = TaskTracker::new();
        let listeners = TaskTracker::new();
        let stop = CancellationToken::new();
        work::start(&node, &tasks, &stop);
        tasks.spawn(api::events::impressions::run_flush_loop(node.clone(), stop.clone()));
        tasks.spawn(node.clone().live(stop.clone()));
        tasks.spawn(node.clone().watch_standby(stop.clone()));
        listeners.spawn(listener::serve(
            listen,
            node.clone(),
            api::routes::public(node.clone()),
            stop.clone(),
        ));
        let of_operators = node.resources.console_connections.clone();
        let router = crate::admin::routes::control(node.clone());
        let among = of_operators.clone();
        listeners.spawn(listener::serve_among(among, control, node.clone(), router, stop.clone()));
        if let Some((listener, address)) = listen_for_console(config).await? {
            node.set_console_address(address);
            tracing::info!(%address, "the console listens: lethe operator add NAME adds who may sign in");
            let pages =
                console::routes::router(node.clone(), crate::admin::routes::control(node.clone()), address);
            listeners.spawn(listener::serve_among(of_operators, listener, node.clone(), pages, stop.clone()));
        }
        Ok(Self { address, node, tasks, listeners, stop })
    }

    /// Runs until `told`, or until it cannot go on; then drains.
    pub async fn run(self, told: &CancellationToken) -> ServerExit {
        let ended = tokio::select! {
            () = told.cancelled() => ServerExit::Told,
            () = self.stop.cancelled() => ServerExit::TakenOver,
            () = self.node.store.wait_for_failure() => ServerExit::StoreFailed,
        };
        self.stop().await;
        ended
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
        let _ = disk::remove(&control_socket(&self.node.config.data_dir));
    }
}
