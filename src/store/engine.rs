//! The engine: threads that own a connection and take units of work from a channel. `batch` says how they run them.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::oneshot;

use super::failover_guard::{AcknowledgedNumbers, LostRequests};
use super::fault::StoreFault;
use super::owner::Owner;
use super::postgres_address::PostgresAddress;
use super::tx::Tx;
use super::unit_of_work::{FailureFlag, UnitKind, UnitOfWork, Work};
use super::unit_queue::{self, UnitSender, Units, WAITING_UNITS};
use super::{postgres, sqlite};

/// Location of the store.
#[derive(Clone)]
pub enum StoreOptions {
    /// A SQLite file.
    Sqlite(PathBuf),
    /// A PostgreSQL database.
    Postgres(PostgresAddress),
}

impl StoreOptions {
    /// The name of one of the engines.
    pub const POSTGRES: &'static str = "postgres";

    /// `sqlite` or `postgres`: for people, and for the key folder, which remembers it.
    #[must_use]
    pub fn engine(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "sqlite",
            Self::Postgres(_) => Self::POSTGRES,
        }
    }
}

/// The open store. Cloning gives the same store.
#[derive(Clone)]
pub struct Store {
    /// The queue of each writer.
    writes: Vec<UnitSender>,
    reads: Units,
    failed: Arc<FailureFlag>,
    options: StoreOptions,
    raw: Option<Arc<File>>,
    acknowledged: AcknowledgedNumbers,
    lost: Option<LostRequests>,
    steps: Arc<AtomicU64>,
}

impl Store {
    /// Opens the store, brings its schema up to date and starts its threads. Blocks.
    ///
    /// # Errors
    /// When the database cannot be opened, is damaged, or has a schema that this binary does not know.
    pub fn open(options: &StoreOptions) -> Result<Self, StoreFault> {
        Self::open_after(options, &AcknowledgedNumbers::default())
    }

    /// Opens the store as [`Store::open`] does, after an earlier store of this process that `acknowledged` these
    /// commits. [`Store::lost_requests`] returns the database's losses since.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_after(
        options: &StoreOptions,
        acknowledged: &AcknowledgedNumbers,
    ) -> Result<Self, StoreFault> {
        let (reads, read_queue) = flume::bounded(WAITING_UNITS);
        let failed = Arc::new(FailureFlag::default());
        let steps = Arc::default();
        let (writes, raw, lost) = match options {
            StoreOptions::Sqlite(path) => {
                let (writes, queue) = UnitSender::new();
                (vec![writes], Some(sqlite::start(path, &queue, &read_queue, &failed, &steps)?), None)
            }
            StoreOptions::Postgres(address) => {
                let (writes, queues): (Vec<_>, Vec<_>) =
                    (0..postgres::WRITERS).map(|_| UnitSender::new()).unzip();
                let lost = postgres::start(address, &queues, &read_queue, &failed, acknowledged)?;
                (writes, None, lost)
            }
        };
        let options = options.clone();
        let acknowledged = acknowledged.clone();
        Ok(Self { writes, reads, failed, options, raw, acknowledged, lost, steps })
    }

    /// `sqlite` or `postgres`: for people, never to decide anything.
    #[must_use]
    pub fn engine(&self) -> &'static str {
        self.options.engine()
    }

    /// The file of the embedded database, to be read byte by byte, and only so: a process that closes any handle of its
    /// own on this file loses all locks that SQLite holds on it (POSIX), and another program may then corrupt it.
    #[must_use]
    pub fn raw(&self) -> Option<(&Path, &Arc<File>)> {
        match &self.options {
            StoreOptions::Sqlite(path) => self.raw.as_ref().map(|raw| (path.as_path(), raw)),
            StoreOptions::Postgres(_) => None,
        }
    }

    /// Runs `work` in a write transaction and answers after its COMMIT. `work` writes only rows of its owner, and no
    /// one else writes them meanwhile.
    ///
    /// `work` may run several times and must touch nothing but the transaction. Bounded: 500 rows or 20 ms.
    ///
    /// # Errors
    /// The error of `work`, which rolls its writes back, or that of the store, also of a statement whose fault `work`
    /// ignored. After [`StoreFault::UnknownOutcome`] it
    /// is unknown whether the commit happened.
    pub async fn write<T, E, F>(&self, owner: impl Into<Owner>, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreFault> + Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    {
        self.send_to_writer(owner.into(), UnitKind::Asked, work).await
    }

    /// The same for background work, such as the units of a job: a unit with a waiting caller goes first.
    ///
    /// # Errors
    /// As [`Store::write`].
    pub async fn write_of_job<T, E, F>(&self, owner: impl Into<Owner>, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreFault> + Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    {
        self.send_to_writer(owner.into(), UnitKind::OfJob, work).await
    }

    async fn send_to_writer<T, E, F>(&self, owner: Owner, kind: UnitKind, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreFault> + Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    {
        if self.failed.is_set() {
            return Err(StoreFault::UnknownOutcome.into());
        }
        let writer = &self.writes[owner.writer(self.writes.len())];
        Self::send(|unit| writer.send(unit), owner, kind, work).await
    }

    /// Runs `work` on a consistent view of the store.
    ///
    /// # Errors
    /// The error of `work`, or that of the store when it is busy, closed or cannot be read.
    pub async fn read<T, E, F>(&self, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreFault> + Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    {
        Self::send(|unit| unit_queue::send(&self.reads, unit), Owner::NONE, UnitKind::Asked, work).await
    }

    /// The same for work that finds a few rows by their keys. Units that wait together may share a transaction, and
    /// wait for the last one.
    ///
    /// # Errors
    /// As [`Store::read`].
    pub async fn look_up<T, E, F>(&self, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreFault> + Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    {
        Self::send(|unit| unit_queue::send(&self.reads, unit), Owner::NONE, UnitKind::LookUp, work).await
    }

    async fn send<T, E, F>(
        queue: impl FnOnce(Box<dyn UnitOfWork>) -> Result<(), StoreFault>,
        owner: Owner,
        kind: UnitKind,
        work: F,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreFault> + Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        queue(Box::new(Work { owner, kind, work, ran: Duration::ZERO, result: None, reply: Some(reply) }))?;
        answer.await.unwrap_or_else(|_| Err(StoreFault::Closed.into()))
    }

    /// Returns once a COMMIT has failed and the node has to restart.
    pub async fn wait_for_failure(&self) {
        loop {
            let woken = self.failed.notify.notified();
            if self.failed.is_set() {
                return;
            }
            woken.await;
        }
    }

    /// Removes overwritten bytes from the database's files, as far as they lie in the data folder.
    ///
    /// # Errors
    /// When SQLite or the disk refuses. Never on PostgreSQL.
    pub async fn settle(&self) -> Result<(), StoreFault> {
        let StoreOptions::Sqlite(path) = self.options.clone() else { return Ok(()) };
        let settled = tokio::task::spawn_blocking(move || sqlite::settle(&path));
        settled.await.unwrap_or(Err(StoreFault::Panicked))
    }

    /// Acknowledged numbers, for a caller that opens the store again.
    #[must_use]
    pub fn acknowledged_numbers(&self) -> &AcknowledgedNumbers {
        &self.acknowledged
    }

    /// Acknowledged requests that the database had lost when it was opened.
    #[must_use]
    pub fn lost_requests(&self) -> Option<LostRequests> {
        self.lost
    }

    /// Location of the store.
    #[must_use]
    pub fn options(&self) -> &StoreOptions {
        &self.options
    }

    /// Rewrites the files of the database, as far as they lie in the data folder: bytes of deleted rows can remain
    /// between the rows of a page. Writers wait for it.
    ///
    /// # Errors
    /// When SQLite or the disk refuses. Never on PostgreSQL.
    pub async fn rebuild(&self) -> Result<(), StoreFault> {
        let StoreOptions::Sqlite(path) = self.options.clone() else { return Ok(()) };
        let rebuilt = tokio::task::spawn_blocking(move || sqlite::rebuild(&path));
        rebuilt.await.unwrap_or(Err(StoreFault::Panicked))
    }

    /// Operations of SQLite's virtual machine that statements took so far, a measure of work that no load of the
    /// machine changes. 0 on PostgreSQL, which does not tell.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// Units of work that wait for a writer now.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.writes.iter().map(UnitSender::waiting).sum()
    }
}
