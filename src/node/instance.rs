//! The node: everything that a process of Lethe shares.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use tokio_util::sync::CancellationToken;

use super::recent_errors::RecentErrors;
use super::standby::Standby;
use super::start::{FolderLock, StartFault, file};
use super::{keys, missing_files_flag, standby, start};
use crate::accounts::Directory;
use crate::accounts::quota::{DefaultQuota, FullAccounts};
use crate::admission::SharedResources;
use crate::blobs::Blobs;
use crate::clock::Clock;
use crate::config::Config;
use crate::disk::Ballast;
use crate::jobs::{BackgroundScan, Lanes};
use crate::keys::{KeyFault, Keys, LookupKeys};
use crate::outbound::{AddressPolicy, FetchLimits, Outbound, SystemResolver};
use crate::projections::AllDerived;
use crate::recovery::journal::Journal;
use crate::recovery::start::RecoveryResult;
use crate::store::{AcknowledgedNumbers, Owner, Store, StoreFault, StoreOptions};
use crate::{args, disk, limits, recovery, sql};

/// Interval at which this node says in the store that it lives.
pub(super) const BEAT_DURATION: Duration = Duration::from_secs(1);

/// A node on the same database that has not moved for this long is dead.
pub(super) const DEAD_DURATION: Duration = Duration::from_millis(3500);

/// Everything a request or a job needs.
pub struct Node {
    /// A random name for leases.
    pub id: String,
    /// The store.
    pub store: Store,
    /// Obstacle to accepting, if the database lacks a second copy that is required.
    pub standby: Standby,
    /// Catalogue files.
    pub blobs: Blobs,
    /// Data derived from what accounts show.
    pub derived: AllDerived,
    /// Room for erasures on a full disk.
    pub ballast: Arc<Ballast>,
    /// Keys of people, apart from the data.
    pub keys: Keys,
    /// The keys that outlive a lost key folder.
    pub recognition: LookupKeys,
    /// Record of erasures, for every older state of the store.
    pub journal: Journal,
    /// Result of replaying the journal at start, and the people lost with a restore.
    pub recovered: RecoveryResult,
    /// Warnings about the places of the keys, a sentence each.
    pub key_warnings: Vec<String>,
    /// Number of people whose keys the start found gone or damaged, without a request to forget them.
    pub unreadable: usize,
    /// The way out, for feeds.
    pub outbound: Outbound,
    /// The clock.
    pub clock: Clock,
    /// Access keys remembered.
    pub directory: Directory,
    /// Accounts that held as much as they may a moment ago.
    pub full_accounts: FullAccounts,
    /// Failed credentials by client address.
    pub failures: DefaultKeyedRateLimiter<std::net::IpAddr>,
    /// Requests that were refused a moment ago.
    pub refused_requests: RecentErrors,
    /// Searches without a secret by client address.
    pub searchers: DefaultKeyedRateLimiter<std::net::IpAddr>,
    /// Wakes workers.
    pub lanes: Lanes,
    /// Accounts whose orders are being noted.
    pub noting: BackgroundScan,
    /// Address at which the console listens.
    console: OnceLock<SocketAddr>,
    /// Effective settings.
    pub config: Config,
    /// Quantities that all accounts share, handed out in parts.
    pub resources: Arc<SharedResources>,
    /// Held from reading which keys an erasure destroys until they are destroyed.
    pub shredding: Arc<tokio::sync::Mutex<()>>,
    pub(super) missing: missing_files_flag::MissingFiles,
    /// True if unneeded files may be left.
    pub(super) is_sweep_due: AtomicBool,
    _lock: FolderLock,
}

/// Parts that a node is given and does not open itself.
#[derive(Clone)]
pub(super) struct NodeParts {
    clock: Clock,
    outbound: Outbound,
    /// Numbers that the store of an earlier node of this process acknowledged.
    acknowledged: AcknowledgedNumbers,
}

/// Path at which the operator's commands reach a running server.
#[must_use]
pub fn control_socket(data_dir: &Path) -> PathBuf {
    // The shorter of its names: the one of a socket may have no more than about a hundred bytes.
    let below = std::env::current_dir().ok().and_then(|here| data_dir.strip_prefix(here).ok());
    below.unwrap_or(data_dir).join("control.sock")
}

impl NodeParts {
    /// The machine's clock and resolver.
    fn of_the_machine(config: &Config) -> Self {
        let policy = AddressPolicy { allow: config.feed_allow.clone(), ports: config.feed_ports.clone() };
        let outbound = Outbound::new(policy, Arc::new(SystemResolver), FetchLimits::default());
        Self { clock: Clock::system(), outbound, acknowledged: AcknowledgedNumbers::default() }
    }
}

impl Node {
    /// Opens everything on `config`, with the machine's clock and resolver.
    ///
    /// # Errors
    /// When another server runs on this folder or database; when store, keys and journal are damaged or do not belong
    /// together; or when any of these cannot be opened.
    pub async fn open(config: Config) -> Result<Arc<Self>, StartFault> {
        Self::open_after(config, &AcknowledgedNumbers::default()).await
    }

    /// Opens a node as [`Node::open`] does, after an earlier node of this process whose store acknowledged
    /// these commits.
    ///
    /// # Errors
    /// As [`Node::open`].
    pub async fn open_after(
        config: Config,
        acknowledged: &AcknowledgedNumbers,
    ) -> Result<Arc<Self>, StartFault> {
        let lock = FolderLock::acquire(&config.data_dir)?;
        let given = NodeParts { acknowledged: acknowledged.clone(), ..NodeParts::of_the_machine(&config) };
        Self::open_locked(config, given, lock).await
    }

    /// Opens a node as [`Node::open`] does, in a data folder that this process has locked.
    ///
    /// # Errors
    /// As [`Node::open`].
    pub async fn open_in(config: Config, lock: FolderLock) -> Result<Arc<Self>, StartFault> {
        let given = NodeParts::of_the_machine(&config);
        Self::open_locked(config, given, lock).await
    }

    /// Opens a node as [`Node::open`] does, with the clock and the way out that are handed in.
    ///
    /// # Errors
    /// As [`Node::open`].
    pub async fn open_with(
        config: Config,
        clock: Clock,
        outbound: Outbound,
    ) -> Result<Arc<Self>, StartFault> {
        let lock = FolderLock::acquire(&config.data_dir)?;
        let given = NodeParts { clock, outbound, acknowledged: AcknowledgedNumbers::default() };
        Self::open_locked(config, given, lock).await
    }

    /// Opens it; on a full disk once more, in the room that is kept for erasures: those that were accepted go on.
    async fn open_locked(
        config: Config,
        given: NodeParts,
        lock: FolderLock,
    ) -> Result<Arc<Self>, StartFault> {
        let ballast = Arc::new(Ballast::open(config.ballast()));
        let open = || Self::open_once(config.clone(), given.clone(), lock.clone(), ballast.clone());
        match open().await {
            Err(fault) if fault.may_lack_room(&ballast) && ballast.release() => {
                tracing::warn!(%fault, "the disk is full: the start goes on in the room that was kept for erasures");
                open().await
            }
            opened => opened.inspect(|node| node.ballast.reserve()),
        }
    }

    async fn open_once(
        config: Config,
        given: NodeParts,
        lock: FolderLock,
        ballast: Arc<Ballast>,
    ) -> Result<Arc<Self>, StartFault> {
        let NodeParts { clock, outbound, acknowledged } = given;
        start::check_folders(&config)?;
        let options = config.store_options();
        let is_alone = is_in(&options, &config.data_dir);
        start::check_engine(&options, &config.key_dir)?;
        start::check_database(&options, &config.key_dir)?;
        let is_new = !start::has_keys(&config.key_dir);
        let store = open_store(options, acknowledged).await?;
        recovery::start::note_loss(&store, &config)?;
        let standby = Standby::new(config.require_standby);
        // Before the first commit, which may wait for a standby: the log has to name the reason.
        standby.check(&store).await;
        let id = uuid::Uuid::new_v4().to_string();
        keys::check_slots(&store, &config).await?;
        let keys = Keys::open_with(&config.key_dir, config.key_mirror.as_deref(), clock.now())?;
        let recognition =
            LookupKeys::load(&config.key_dir)?.ok_or(KeyFault::FileMissing { file: "static.key" })?;
        let journal = recovery::start::journal(&config, &recognition)?;
        // Before the claim: a start by mistake must not stop the server that runs.
        let is_bound = keys::are_bound(&store, &keys, &config, is_new).await?;
        claim_database(&store, &id, is_alone).await?;
        let blobs = open_blobs(&config)?;
        keys::bind(&store, &keys, &config, is_bound).await?;
        // Before the sweep: a start that is refused destroys nothing.
        let pending = recovery::start::compare(&store, &journal, &config).await?;
        let swept = keys::start(&store, &keys).await?;
        let recovered =
            recovery::start::recover(&store, &keys, &journal, pending, &config, clock.now()).await?;
        let unreadable = keys::unreadable(&store, &keys, &swept).await?;
        start::note_start(&store, clock.now()).await?;
        let derived = AllDerived::new(&store, &blobs, (&keys, &clock), &config.data_dir);
        let node = Arc::new(Self {
            id,
            store,
            standby,
            blobs,
            derived,
            ballast,
            keys,
            recognition,
            journal,
            recovered,
            key_warnings: keys::warnings(&config),
            unreadable,
            outbound,
            clock,
            directory: Directory::default(),
            full_accounts: FullAccounts::default(),
            failures: failures(),
            refused_requests: RecentErrors::default(),
            searchers: searchers(),
            lanes: Lanes::default(),
            noting: BackgroundScan::default(),
            console: OnceLock::new(),
            config,
            resources: Arc::default(),
            shredding: Arc::default(),
            missing: missing_files_flag::MissingFiles::default(),
            is_sweep_due: AtomicBool::new(true),
            _lock: lock,
        });
        node.look_through_files().await?;
        Ok(node)
    }

    /// Notes where the console listens.
    pub fn set_console_address(&self, address: SocketAddr) {
        let _ = self.console.set(address);
    }

    /// The address at which a browser reaches the console: by its first name, over TLS, if it has one. `None`: this
    /// process does not listen for browsers.
    #[must_use]
    pub fn console_address(&self) -> Option<String> {
        let at = self.console.get()?;
        Some(match self.config.console.hosts.first() {
            Some(host) => format!("https://{host}"),
            None if at.ip().is_unspecified() => format!("http://localhost:{}", at.port()),
            None => format!("http://{at}"),
        })
    }

    /// Quota of each of several accounts for which nothing was set. Everything, if the volume's size cannot be told.
    #[must_use]
    pub fn quota_part(&self) -> DefaultQuota {
        let volume = disk::volume_bytes(&self.config.data_dir).unwrap_or(u64::MAX);
        DefaultQuota(i64::try_from(volume / limits::QUOTA_PART).unwrap_or(i64::MAX))
    }

    /// Writes a sign of life every second, and drops old records of failed credentials.
    pub async fn live(self: Arc<Self>, stop: CancellationToken) {
        while !stop.is_cancelled() {
            let id = self.id.clone();
            match self.store.write(Owner::STORE, move |tx| tx.exec(&sql::node_beat, args![id.as_str()])).await
            {
                Ok(1) | Err(_) => {}
                Ok(_) => {
                    tracing::error!("another node took the database over; this one stops");
                    stop.cancel();
                }
            }
            self.failures.retain_recent();
            self.searchers.retain_recent();
            self.resources.new_visitors.retain_recent(self.clock.now());
            self.resources.told_by_pages.retain_recent(self.clock.now());
            tokio::select! {
                () = tokio::time::sleep(BEAT_DURATION) => {}
                () = stop.cancelled() => {}
            }
        }
    }

    /// Checks every second whether an accepted request would have a second copy, apart from the sign of life, which
    /// waits for its commit.
    pub async fn watch_standby(self: Arc<Self>, stop: CancellationToken) {
        while !stop.is_cancelled() {
            self.standby.check(&self.store).await;
            tokio::select! {
                () = tokio::time::sleep(standby::LOOK_DURATION) => {}
                () = stop.cancelled() => {}
            }
        }
    }

    /// Lets the next node start at once.
    pub async fn release(&self) {
        let id = self.id.clone();
        // If it fails, the next node waits until this one counts as dead.
        let _ =
            self.store.write(Owner::STORE, move |tx| tx.exec(&sql::node_release, args![id.as_str()])).await;
    }
}

/// Returns true if the database lies in the data folder, which this process has locked.
pub(super) fn is_in(options: &StoreOptions, data_dir: &Path) -> bool {
    matches!(options, StoreOptions::Sqlite(file) if file.parent() == Some(data_dir))
}

pub(super) async fn open_store(
    options: StoreOptions,
    acknowledged: AcknowledgedNumbers,
) -> Result<Store, StoreFault> {
    let opening = tokio::task::spawn_blocking(move || Store::open_after(&options, &acknowledged));
    opening.await.map_err(|_| StoreFault::Panicked)?
}

/// The blob folder, without the unfinished files of the last process.
pub(super) fn open_blobs(config: &Config) -> Result<Blobs, StartFault> {
    let folder = config.data_dir.join("blobs");
    let blobs = Blobs::open(&folder).map_err(file("the blob folder cannot be opened"))?;
    blobs.sweep_unfinished().map_err(file("unfinished files cannot be removed"))?;
    Ok(blobs)
}

/// Refuses a second node on one database: its blobs are in the first one's folder. A node is dead when its
/// beat stands still while *we* watch; no clocks are compared. A database inside the locked data folder has been
/// left by everybody else.
pub(super) async fn claim_database(store: &Store, id: &str, is_alone: bool) -> Result<(), StartFault> {
    let look = || {
        store.read(|tx| {
            let row = tx
                .row(&sql::node_get, args![])?
                .ok_or(StoreFault::Shape { statement: "node_get", column: "holder" })?;
            Ok::<_, StoreFault>((row.opt_text("holder")?.map(str::to_owned), row.int("beat")?))
        })
    };
    let (holder, beat) = look().await?;
    if holder.is_some() && !is_alone {
        tokio::time::sleep(DEAD_DURATION).await;
        if look().await?.1 != beat {
            return Err(StartFault::InUse(
                "another lethe runs on this database; until blobs can be shared, one node at a time",
            ));
        }
    }
    let id = id.to_owned();
    match store.write(Owner::STORE, move |tx| tx.exec(&sql::node_claim, args![id.as_str(), beat])).await? {
        1 => Ok(()),
        _ => Err(StartFault::InUse("another lethe is starting on this database")),
    }
}

/// Failed credentials by client address.
pub(super) fn searchers() -> DefaultKeyedRateLimiter<std::net::IpAddr> {
    let at_once =
        std::num::NonZeroU32::new(limits::SEARCHES_AT_A_STROKE).unwrap_or(std::num::NonZeroU32::MIN);
    let quota = std::num::NonZeroU32::new(limits::SEARCHES_PER_SECOND).unwrap_or(std::num::NonZeroU32::MIN);
    RateLimiter::keyed(Quota::per_second(quota).allow_burst(at_once))
}

pub(super) fn failures() -> DefaultKeyedRateLimiter<std::net::IpAddr> {
    let quota = std::num::NonZeroU32::new(limits::FAILED_CREDENTIALS_PER_MINUTE);
    RateLimiter::keyed(Quota::per_minute(quota.unwrap_or(std::num::NonZeroU32::MIN)))
}
