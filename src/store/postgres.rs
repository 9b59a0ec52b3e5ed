//! The engine on PostgreSQL: threads that own a connection and take batches.
//!
//! A batch first takes the rows of all owners of its units, in the order of their numbers, and keeps them to its end:
//! a writer of the same account waits for that one row, and for nothing else (`docs/decisions/0024`). Each later
//! statement sees everything that was committed before the row was taken (READ COMMITTED).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use super::batch::{read_loop, write_loop};
use super::connection::SqlConnection;
use super::failover_guard::{AcknowledgedNumbers, LostRequests};
use super::fault::StoreFault;
use super::owner::Owner;
use super::postgres_address::PostgresAddress;
use super::postgres_client::{AccountCounter, PostgresClient};
use super::postgres_connect::{self, DatabaseLink};
use super::postgres_error::fault_of;
use super::threads::spawn;
use super::unit_of_work::{Engine, FailureFlag, UnitOfWork};
use super::unit_queue::UnitQueue;

/// Writer connections, each with a part of the accounts. While one waits for the disk others work.
pub(super) const WRITERS: usize = 4;
/// Reader connections.
const READERS: usize = 2;

struct Postgres {
    link: DatabaseLink,
    begin: &'static str,
    client: Option<PostgresClient>,
    /// Time at which the connection was made, kept after it ended.
    connected_at: Option<Instant>,
    /// For a writer: the numbers that a new connection has to show.
    acknowledged: Option<AcknowledgedNumbers>,
    /// The counters as they were at the last point to which the transaction can go back.
    marked: BTreeMap<i64, AccountCounter>,
}

/// Every statement finds its rows by keys. Planned for the arguments of one run, or for the few rows that a table had
/// at first, it would be planned at every run, or read the whole table when that has become large. The few statements
/// that do read whole tables look so expensive then that the server would start processes for each.
const BY_KEYS: &str = "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; \
                       SET enable_hashjoin = off; SET enable_mergejoin = off; \
                       SET max_parallel_workers_per_gather = 0";

/// Connects, migrates and starts the threads; returns the acknowledged requests that the database has lost.
pub(super) fn start(
    address: &PostgresAddress,
    writes: &[UnitQueue],
    reads: &flume::Receiver<Box<dyn UnitOfWork>>,
    failed: &Arc<FailureFlag>,
    acknowledged: &AcknowledgedNumbers,
) -> Result<Option<LostRequests>, StoreFault> {
    let lost = acknowledged.accept(&mut postgres_connect::open(address)?)?;
    let link = DatabaseLink::new(address);
    for number in 0..READERS {
        let mut reader = Postgres {
            link: link.clone(),
            begin: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            client: None,
            connected_at: None,
            acknowledged: None,
            marked: BTreeMap::new(),
        };
        let queue = reads.clone();
        spawn(format!("store-read-{number}"), move || read_loop(&mut reader, &queue, READERS))?;
    }
    for (number, queue) in writes.iter().cloned().enumerate() {
        let mut writer = Postgres {
            link: link.clone(),
            begin: "BEGIN ISOLATION LEVEL READ COMMITTED",
            client: None,
            connected_at: None,
            acknowledged: Some(acknowledged.clone()),
            marked: BTreeMap::new(),
        };
        let failed = failed.clone();
        spawn(format!("store-write-{number}"), move || write_loop(&mut writer, &queue, &failed))?;
    }
    Ok(lost)
}

impl Postgres {
    /// Checks that a new connection leads to a database with all acknowledged commits. If not, the store is opened
    /// again, and the people whose erasures are lost are erased again, before anything is accepted there.
    fn check(&self, client: &mut postgres::Client) -> Result<(), StoreFault> {
        let lost = self.acknowledged.iter().find_map(|known| known.find_lost(client).transpose());
        match lost.transpose()? {
            Some(_) => Err(StoreFault::WentBack),
            None => Ok(()),
        }
    }

    fn note_counted(&self) {
        let (Some(known), Some(client)) = (&self.acknowledged, &self.client) else { return };
        let counted = client.counters.iter().filter(|(_, counter)| counter.now != counter.stored);
        known.record(counted.map(|(account, counter)| (*account, counter.now.seq)));
    }
}

impl Engine for Postgres {
    fn begin(&mut self, owners: &[Owner]) -> Result<(), StoreFault> {
        if self.client.as_ref().is_none_or(|client| client.client.is_closed()) {
            self.client = None;
            let mut client = self.link.connect(self.connected_at.take())?;
            if self.acknowledged.is_some() {
                self.check(&mut client)?;
            }
            client.batch_execute(BY_KEYS).map_err(|error| fault_of("plans", &error))?;
            self.connected_at = Some(Instant::now());
            self.client = Some(PostgresClient::new(client));
        }
        self.text(self.begin)?;
        let Some(client) = self.client.as_mut() else { return Err(StoreFault::Disconnected) };
        client.lock_accounts(owners).map_err(|error| fault_of("take", &error))
    }

    fn text(&mut self, text: &'static str) -> Result<(), StoreFault> {
        let Some(client) = self.client.as_mut() else { return Err(StoreFault::Disconnected) };
        client.client.batch_execute(text).map_err(|e| fault_of(text, &e))
    }

    fn connection(&mut self) -> Result<&mut dyn SqlConnection, StoreFault> {
        match &mut self.client {
            Some(client) => Ok(client),
            None => Err(StoreFault::Disconnected),
        }
    }

    /// A transaction stays until it is ended, if only to refuse all further statements.
    fn is_alive(&self) -> bool {
        true
    }

    fn is_alone(&self) -> bool {
        false
    }

    fn savepoint(&mut self) -> Result<(), StoreFault> {
        self.marked = self.client.as_ref().map(|client| client.counters.clone()).unwrap_or_default();
        self.text("SAVEPOINT unit")
    }

    fn undo(&mut self) -> Result<(), StoreFault> {
        self.text("ROLLBACK TO unit")?;
        if let Some(client) = self.client.as_mut() {
            let marked = std::mem::take(&mut self.marked);
            client.counters = marked;
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<(), StoreFault> {
        let Some(client) = self.client.as_mut() else { return Err(StoreFault::Disconnected) };
        client.put_counters().map_err(|error| fault_of("count", &error))?;
        match self.text("COMMIT") {
            Ok(()) => {
                self.note_counted();
                Ok(())
            }
            // The server reported the outcome: undone.
            Err(StoreFault::Conflict) => Err(StoreFault::Conflict),
            Err(StoreFault::DiskFull) => Err(StoreFault::DiskFull),
            Err(_) => Err(StoreFault::UnknownOutcome),
        }
    }

    fn rollback(&mut self) {
        if self.text("ROLLBACK").is_err() {
            self.client = None;
        }
    }

    fn leave(&mut self) {
        self.client = None;
    }
}
