//! One running process: everything it owns, opened in the order in which it may fail.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use tokio::sync::OwnedRwLockWriteGuard;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

mod start;

pub use start::{FolderLock, StartFault};
use start::{file, make_private};

use crate::accounts::Directory;
use crate::args;
use crate::ballast::Ballast;
use crate::blobs::Blobs;
use crate::catalogue::base;
use crate::clock::{Clock, Millis};
use crate::config::Config;
use crate::jobs::Lanes;
use crate::keys::{KeyFault, Keys, Recognition, SlotNumber, placement};
use crate::ledger;
use crate::limits;
use crate::outbound::{AddressPolicy, FetchLimits, Outbound, SystemResolver};
use crate::recovery;
use crate::recovery::journal::Journal;
use crate::recovery::restore::RESTORING;
use crate::recovery::start::Recovered;
use crate::sql;
use crate::store::{Store, StoreFault, StoreOptions, Tx};

/// How often this node says in the store that it lives.
const BEAT_DURATION: std::time::Duration = std::time::Duration::from_secs(1);
/// A node on the same database that has not moved for this long is dead.
const DEAD_DURATION: std::time::Duration = std::time::Duration::from_millis(3500);

/// How often, and with what pause, an erasure looks whether nothing is being published.
const SWEEP_TRIES: usize = 100;
const SWEEP_PAUSE_DURATION: std::time::Duration = std::time::Duration::from_millis(20);
/// How long one that is late keeps new ones from being published while it waits for the others.
const SWEEP_WAIT_DURATION: std::time::Duration = std::time::Duration::from_secs(30);

/// Everything a request or a job needs.
pub struct Node {
    /// A random name for leases.
    pub id: String,
    /// The store.
    pub store: Store,
    /// Catalogue files.
    pub blobs: Blobs,
    /// Room for erasures on a full disk.
    pub ballast: Ballast,
    /// Keys of people, apart from the data.
    pub keys: Keys,
    /// The keys that outlive a lost key folder.
    pub recognition: Recognition,
    /// What was erased, for every older state of the store.
    pub journal: Journal,
    /// What the start did again of it, and who was lost with a restore.
    pub recovered: Recovered,
    /// What the operator should know about where they lie, a sentence each.
    pub key_warnings: Vec<String>,
    /// The way out, for feeds.
    pub outbound: Outbound,
    /// The clock.
    pub clock: Clock,
    /// Access keys remembered.
    pub directory: Directory,
    /// Failed credentials by client address.
    pub failures: DefaultKeyedRateLimiter<std::net::IpAddr>,
    /// Wakes workers.
    pub lanes: Lanes,
    /// Effective settings.
    pub config: Config,
    /// The memory, in bytes, that pieces of uploads may take on their way to the disk.
    pub upload_memory: Arc<tokio::sync::Semaphore>,
    /// Held while a file that no row names yet is on its way to one, so that the sweep leaves it.
    pub publishing: Arc<tokio::sync::RwLock<()>>,
    /// Held from reading which keys an erasure destroys until they are destroyed.
    pub shredding: Arc<tokio::sync::Mutex<()>>,
    /// Held while two snapshots are compared for somebody.
    pub comparing: Arc<tokio::sync::Mutex<()>>,
    /// Whether files may be left that nobody needs.
    is_sweep_due: AtomicBool,
    _lock: FolderLock,
}

/// Where the operator's commands reach a running server.
#[must_use]
pub fn control_socket(data_dir: &Path) -> PathBuf {
    data_dir.join("control.sock")
}

impl Node {
    /// Opens everything on `config`, with the machine's clock and resolver.
    pub async fn open(config: Config) -> Result<Arc<Self>, StartFault> {
        let lock = FolderLock::take(&config.data_dir)?;
        Self::open_in(config, lock).await
    }

    /// The same in a data folder that this process has locked.
    pub async fn open_in(config: Config, lock: FolderLock) -> Result<Arc<Self>, StartFault> {
        let policy = AddressPolicy { allow: config.feed_allow.clone(), ports: config.feed_ports.clone() };
        let outbound = Outbound::new(policy, Arc::new(SystemResolver), FetchLimits::default());
        Self::open_locked(config, Clock::system(), outbound, lock).await
    }

    /// Opens everything with a clock and a way out that are handed in.
    pub async fn open_with(
        config: Config,
        clock: Clock,
        outbound: Outbound,
    ) -> Result<Arc<Self>, StartFault> {
        let lock = FolderLock::take(&config.data_dir)?;
        Self::open_locked(config, clock, outbound, lock).await
    }

    async fn open_locked(
        config: Config,
        clock: Clock,
        outbound: Outbound,
        lock: FolderLock,
    ) -> Result<Arc<Self>, StartFault> {
        if config.data_dir.join(RESTORING).exists() {
            return Err(StartFault::RestoreBrokeOff);
        }
        let options = config.store_options();
        let is_alone =
            matches!(&options, StoreOptions::Sqlite(file) if file.parent() == Some(&config.data_dir));
        start::check_database(&options, &config.key_dir)?;
        let is_new = !start::has_keys(&config.key_dir);
        let store = tokio::task::spawn_blocking(move || Store::open(&options));
        let store = store.await.map_err(|_| StoreFault::Panicked)??;
        let id = uuid::Uuid::new_v4().to_string();
        make_private(&config.key_dir).map_err(file("the key folder cannot be made"))?;
        let keys = Keys::open_with(&config.key_dir, config.key_mirror.as_deref(), clock.now())?;
        let key_warnings =
            placement::warnings(&config.key_dir, config.key_mirror.as_deref(), &config.data_dir);
        key_warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
        let recognition =
            Recognition::read(&config.key_dir)?.ok_or(KeyFault::FileMissing { file: "static.key" })?;
        let journal = recovery::start::journal(&config, &recognition)?;
        // Before the claim: a start by mistake must not stop the server that runs.
        let is_bound = are_keys_bound(&store, &keys, is_new).await?;
        claim_database(&store, &id, is_alone).await?;
        let blobs =
            Blobs::open(&config.data_dir.join("blobs")).map_err(file("the blob folder cannot be opened"))?;
        blobs.sweep_unfinished().map_err(file("unfinished files cannot be removed"))?;
        if !is_bound {
            bind_keys(&store, &keys, clock.now()).await?;
        }
        // Before the sweep: a start that is refused destroys nothing.
        let pending = recovery::start::compare(&store, &journal, &config).await?;
        start_keys(&store, &keys).await?;
        let recovered =
            recovery::start::recover(&store, &keys, &journal, pending, &config, clock.now()).await?;
        store.write(|tx| tx.exec(&sql::job_void_all, args![])).await?;
        let node = Arc::new(Self {
            id,
            store,
            blobs,
            ballast: Ballast::open(&config.data_dir),
            keys,
            recognition,
            journal,
            recovered,
            key_warnings,
            outbound,
            clock,
            directory: Directory::default(),
            failures: failures(),
            lanes: Lanes::default(),
            config,
            upload_memory: Arc::new(tokio::sync::Semaphore::new(limits::UPLOAD_MEMORY_BYTES)),
            publishing: Arc::default(),
            shredding: Arc::default(),
            comparing: Arc::default(),
            is_sweep_due: AtomicBool::new(true),
            _lock: lock,
        });
        node.sweep_blobs().await?;
        Ok(node)
    }

    /// Notes that files may be left that no row names, so that they are looked for soon.
    pub fn note_files_left(&self) {
        self.is_sweep_due.store(true, Ordering::SeqCst);
    }

    /// Removes catalogue files that no snapshot needs, if a feed has ended since and none is being published.
    pub async fn sweep_blobs(&self) -> Result<(), StoreFault> {
        let Ok(alone) = self.publishing.clone().try_write_owned() else { return Ok(()) };
        if let Err(error) = self.sweep(alone).await? {
            tracing::warn!(kind = ?error.kind(), "files that are no longer needed cannot be removed");
        }
        Ok(())
    }

    /// The same, whether or not a feed has ended. Waits a little for those that are being published, and holds none of
    /// them up, unless it insists; false when one still was.
    pub async fn sweep_blobs_now(&self, insists: bool) -> Result<Result<bool, io::Error>, StoreFault> {
        self.note_files_left();
        if insists {
            let waiting = tokio::time::timeout(SWEEP_WAIT_DURATION, self.publishing.clone().write_owned());
            return match waiting.await {
                Ok(alone) => Ok(self.sweep(alone).await?.map(|()| true)),
                Err(_) => Ok(Ok(false)),
            };
        }
        for _ in 0..SWEEP_TRIES {
            if let Ok(alone) = self.publishing.clone().try_write_owned() {
                return Ok(self.sweep(alone).await?.map(|()| true));
            }
            tokio::time::sleep(SWEEP_PAUSE_DURATION).await;
        }
        Ok(Ok(false))
    }

    async fn sweep(&self, alone: OwnedRwLockWriteGuard<()>) -> Result<Result<(), io::Error>, StoreFault> {
        if !self.is_sweep_due.swap(false, Ordering::SeqCst) {
            return Ok(Ok(()));
        }
        let needed = self.store.read(base::blobs_needed).await.inspect_err(|_| self.note_files_left())?;
        let blobs = self.blobs.clone();
        let swept = tokio::task::spawn_blocking(move || {
            let _alone = alone;
            blobs
                .list()?
                .flatten()
                .filter(|name| !needed.contains(name))
                .try_for_each(|name| blobs.remove(&name).map(drop))
        });
        let swept = swept.await.unwrap_or_else(|_| Err(io::ErrorKind::Other.into()));
        if swept.is_err() {
            self.note_files_left();
        }
        Ok(swept)
    }

    /// Says every second that this node lives, and frees what is remembered of failed credentials.
    pub async fn live(self: Arc<Self>, stop: CancellationToken) {
        while !stop.is_cancelled() {
            let id = self.id.clone();
            match self.store.write(move |tx| tx.exec(&sql::node_beat, args![id.as_str()])).await {
                Ok(1) | Err(_) => {}
                Ok(_) => {
                    tracing::error!("another node took the database over; this one stops");
                    stop.cancel();
                }
            }
            self.failures.retain_recent();
            tokio::select! {
                () = tokio::time::sleep(BEAT_DURATION) => {}
                () = stop.cancelled() => {}
            }
        }
    }

    /// Lets the next node start at once.
    pub async fn release(&self) {
        let id = self.id.clone();
        // If it fails, the next node waits until this one counts as dead.
        let _ = self.store.write(move |tx| tx.exec(&sql::node_release, args![id.as_str()])).await;
    }

    /// Starts workers and the beat.
    pub fn start(self: &Arc<Self>, tasks: &TaskTracker, stop: &CancellationToken) {
        crate::work::start(self, tasks, stop);
        tasks.spawn(self.clone().live(stop.clone()));
    }
}

/// Refuses a second node on one database: its blobs are in the first one's folder. A node is dead when its
/// beat stands still while *we* watch; no clocks are compared. A database inside the locked data folder has been
/// left by everybody else.
async fn claim_database(store: &Store, id: &str, is_alone: bool) -> Result<(), StartFault> {
    let look = || {
        store.read(|tx| {
            let row = tx
                .row(&sql::node_get, args![])?
                .ok_or(StoreFault::Shape { statement: "node_get", column: 0 })?;
            Ok::<_, StoreFault>((row.opt_text(0)?.map(str::to_owned), row.int(1)?))
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
    match store.write(move |tx| tx.exec(&sql::node_claim, args![id.as_str(), beat])).await? {
        1 => Ok(()),
        _ => Err(StartFault::InUse("another lethe is starting on this database")),
    }
}

/// Failed credentials by client address.
fn failures() -> DefaultKeyedRateLimiter<std::net::IpAddr> {
    let quota = std::num::NonZeroU32::new(limits::FAILED_CREDENTIALS_PER_MINUTE);
    RateLimiter::keyed(Quota::per_minute(quota.unwrap_or(std::num::NonZeroU32::MIN)))
}

/// Whether the database knows this key folder already. The two belong together: with another database's list of
/// slots in use, the sweep at the start would destroy every key.
async fn are_keys_bound(store: &Store, keys: &Keys, is_new: bool) -> Result<bool, StartFault> {
    let bound = store.read(|tx| {
        let row =
            tx.row(&sql::node_get, args![])?.ok_or(StoreFault::Shape { statement: "node_get", column: 2 })?;
        Ok::<_, StoreFault>(row.opt_blob(2)?.map(<[u8]>::to_vec))
    });
    match bound.await? {
        Some(bound) if bound == keys.set_id() => Ok(true),
        None if is_new => Ok(false),
        Some(_) | None => Err(StartFault::OtherKeys),
    }
}

/// From here on this store starts with this key folder only, and has a ledger.
async fn bind_keys(store: &Store, keys: &Keys, now: Millis) -> Result<(), StoreFault> {
    let set = keys.set_id();
    let bind = move |tx: &mut Tx<'_>| {
        tx.exec(&sql::node_bind_keys, args![&set])?;
        ledger::begin(tx, now)
    };
    store.write(bind).await
}

/// Overwrites the keys that no row names, and makes the first ones ready.
async fn start_keys(store: &Store, keys: &Keys) -> Result<(), StartFault> {
    let swept = keys.start(used_slots(store).await?)?;
    tracing::info!(keys = swept.orphans, "keys that no row names were destroyed, ready ones among them");
    if swept.damaged + swept.keyless > 0 {
        let (damaged, keyless) = (swept.damaged, swept.keyless);
        tracing::warn!(damaged, keyless, "keys that rows name are damaged or gone: what they sealed is lost");
    }
    Ok(())
}

async fn used_slots(store: &Store) -> Result<Vec<SlotNumber>, StoreFault> {
    store
        .read(|tx| {
            let rows = tx.run(&sql::slot_used, args![])?;
            rows.iter()
                .map(|row| Ok(SlotNumber::from_row(row.int(0)?)))
                .filter_map(Result::transpose)
                .collect()
        })
        .await
}
