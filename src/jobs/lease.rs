//! Leases: the holder of a job, proof of life by a beat counter, and the watch that frees jobs of dead holders.
//!
//! No wall clock is compared between nodes: an observer frees a lease when *its own* monotonic clock has seen
//! the same beat for the lease's length.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::lane::{JobKey, Lane};
use crate::admission::Permit;
use crate::ids::AccountId;
use crate::store::{Row, Store, StoreFault};
use crate::{args, sql};

/// A job whose beat stands still this long is free again.
pub const LEASE_DURATION: Duration = Duration::from_secs(30);
/// Interval at which a holder beats and reports its progress, which the console shows three times a second; each beat
/// writes a row.
pub const PROGRESS_DURATION: Duration = Duration::from_millis(300);

/// Progress that a running job shows; read by its beat.
#[derive(Default)]
pub struct JobProgress {
    doing: Mutex<Doing>,
    /// Rows read so far.
    pub rows: AtomicU64,
    /// Bytes that came over the network so far.
    pub bytes: AtomicU64,
    /// Bytes to read, 0 while unknown.
    pub bytes_total: AtomicU64,
}

/// The phase of a running job, and the time that it has been reading the counted rows and bytes.
#[derive(Clone, Copy)]
struct Doing {
    phase: &'static str,
    reading_since: Option<Instant>,
    read_for: Duration,
}

impl Default for Doing {
    fn default() -> Self {
        Self { phase: "running", reading_since: None, read_for: Duration::ZERO }
    }
}

impl JobProgress {
    /// Enters a phase; the reading is over.
    pub fn enter(&self, phase: &'static str) {
        if let Ok(mut doing) = self.doing.lock() {
            doing.phase = phase;
            doing.read_for = doing.reading_since.take().map_or(doing.read_for, |since| since.elapsed());
        }
    }

    /// Reading begins, and the counting of read bytes.
    pub fn begin_reading(&self) {
        self.rows.store(0, Ordering::Relaxed);
        self.bytes.store(0, Ordering::Relaxed);
        if let Ok(mut doing) = self.doing.lock() {
            doing.reading_since = Some(Instant::now());
        }
    }

    /// The phase, and how long was read.
    fn phase_and_read(&self) -> (&'static str, Duration) {
        let doing = self.doing.lock().map_or_else(|_| Doing::default(), |doing| *doing);
        (doing.phase, doing.reading_since.map_or(doing.read_for, |since| since.elapsed()))
    }
}

/// The node stops, and this run with it: the job goes on at the next start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the server stops")]
pub struct NodeStopped;

/// A claimed job. It reads and writes through its lease ([`Lease::write`]), so that a late holder's writes are refused.
pub struct Lease {
    /// Its lane.
    pub lane: Lane,
    /// Its account.
    pub account: AccountId,
    /// Sequence of its submission, or 0.
    pub seq: i64,
    /// Number of times it was claimed since it last made progress.
    pub attempts: i64,
    /// The fencing number.
    pub number: i64,
    /// True if no other job of its lane was due when it was claimed.
    pub is_alone: bool,
    /// Its progress.
    pub progress: JobProgress,
    lost: AtomicBool,
    /// Cancelled when the node stops.
    stop: CancellationToken,
    pub(super) ended: Arc<AtomicBool>,
    /// Its account's place among those that run at once.
    _place: Option<Permit>,
}

impl Lease {
    pub(super) fn new(
        key: JobKey,
        attempts: i64,
        number: i64,
        is_alone: bool,
        place: Option<Permit>,
    ) -> Self {
        Self {
            lane: key.lane,
            account: key.account,
            seq: key.seq,
            attempts,
            number,
            is_alone,
            progress: JobProgress::default(),
            lost: AtomicBool::new(false),
            stop: CancellationToken::new(),
            ended: Arc::default(),
            _place: place,
        }
    }

    /// The same lease of a node that stops when `stop` is cancelled.
    #[must_use]
    pub fn stopped_by(self, stop: &CancellationToken) -> Self {
        Self { stop: stop.clone(), ..self }
    }

    /// Checked between two slices of long work, which goes on at the next start.
    ///
    /// # Errors
    /// [`NodeStopped`] when the node stops.
    pub fn go_on(&self) -> Result<(), NodeStopped> {
        if self.stop.is_cancelled() { Err(NodeStopped) } else { Ok(()) }
    }

    /// Waits for something that can be waited for again, unless the node stops.
    ///
    /// # Errors
    /// [`NodeStopped`] when the node stops first.
    pub async fn until_stopped<T>(&self, waiting: impl Future<Output = T>) -> Result<T, NodeStopped> {
        tokio::select! {
            ended = waiting => Ok(ended),
            () = self.stop.cancelled() => Err(NodeStopped),
        }
    }

    /// Key of the job.
    #[must_use]
    pub fn key(&self) -> JobKey {
        JobKey { account: self.account, lane: self.lane, seq: self.seq }
    }

    /// Returns true if this holder knows that it lost the lease; long work stops then.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::SeqCst)
    }

    /// Beats until dropped; ends when the lease is lost, or when half its length passed unrenewed. A job that has ended
    /// itself may still tidy up: no other worker can take it over any more.
    pub async fn run_heartbeat(&self, store: &Store) {
        let mut renewed = Instant::now();
        loop {
            tokio::time::sleep(PROGRESS_DURATION).await;
            match tokio::time::timeout(LEASE_DURATION / 2, self.beat(store)).await {
                Ok(Ok(true)) => renewed = Instant::now(),
                Ok(Ok(false)) if self.ended.load(Ordering::SeqCst) => std::future::pending().await,
                Ok(Ok(false)) => break,
                Ok(Err(_)) | Err(_) if renewed.elapsed() > LEASE_DURATION / 2 => break,
                Ok(Err(_)) | Err(_) => {}
            }
        }
    }

    /// Tells the work of this lease that it must stop.
    pub fn lose(&self) {
        self.lost.store(true, Ordering::SeqCst);
    }

    async fn beat(&self, store: &Store) -> Result<bool, StoreFault> {
        let (JobKey { account, lane, seq }, number) = (self.key(), self.number);
        let (phase, read_for) = self.progress.phase_and_read();
        let count = |value: &AtomicU64| i64::try_from(value.load(Ordering::Relaxed)).unwrap_or(i64::MAX);
        let rows = count(&self.progress.rows);
        let bytes = count(&self.progress.bytes);
        let total = Some(count(&self.progress.bytes_total)).filter(|total| *total > 0);
        let reading = crate::clock::millis(read_for);
        let beat = store.write(account, move |tx| {
            let row = args![account.0, lane.as_str(), seq, number, phase, rows, bytes, total, reading];
            tx.exec(&sql::job_beat, row).map(|touched| touched == 1)
        });
        beat.await
    }
}

/// Watches every held lease and frees those whose holder is dead.
#[derive(Default)]
pub struct LeaseWatch {
    /// Lease, beat and since when, by account, lane and sequence.
    seen: HashMap<(i64, String, i64), (i64, i64, Instant)>,
}

impl LeaseWatch {
    /// Looks once at all leases; returns the number of leases freed.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn free_expired(&mut self, store: &Store, length: Duration) -> Result<usize, StoreFault> {
        let read = |row: &Row| {
            Ok((
                (row.int("account_id")?, row.text("lane")?.to_owned(), row.int("seq")?),
                row.int("lease")?,
                row.int("beat")?,
            ))
        };
        let held = store.read(move |tx| {
            tx.run(&sql::job_leases, args![])?.iter().map(read).collect::<Result<Vec<_>, StoreFault>>()
        });
        let held = held.await?;
        self.seen.retain(|key, _| held.iter().any(|(held, ..)| held == key));
        let mut freed = 0;
        for (key, lease, beat) in held {
            let now = Instant::now();
            let entry = self.seen.entry(key.clone()).or_insert((lease, beat, now));
            if (entry.0, entry.1) != (lease, beat) {
                *entry = (lease, beat, now);
            } else if entry.2.elapsed() >= length {
                let (account, lane, seq) = key;
                let expired = store.write(AccountId(account), move |tx| {
                    tx.exec(&sql::job_expire, args![account, lane.as_str(), seq, lease, beat])
                });
                freed += expired.await? as usize;
            }
        }
        Ok(freed)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::jobs;
    use crate::store::StoreOptions;

    fn lease() -> Lease {
        Lease::new(JobKey { account: AccountId(1), lane: Lane::DELTA, seq: 0 }, 1, 7, true, None)
    }

    #[test]
    fn reading_is_counted_from_its_beginning_to_the_next_phase() {
        let progress = JobProgress::default();
        assert_eq!(progress.phase_and_read(), ("running", Duration::ZERO));
        progress.rows.store(5, Ordering::Relaxed);
        progress.bytes.store(6, Ordering::Relaxed);
        progress.bytes_total.store(7, Ordering::Relaxed);
        progress.enter("reading");
        assert_eq!(progress.phase_and_read(), ("reading", Duration::ZERO));
        progress.begin_reading();
        let counted = [&progress.rows, &progress.bytes, &progress.bytes_total];
        assert_eq!(counted.map(|count| count.load(Ordering::Relaxed)), [0, 0, 7]);
        assert!((0..1_000_000).any(|_| progress.phase_and_read().1 > Duration::ZERO));
        let so_far = progress.phase_and_read().1;
        progress.enter("comparing");
        let read = progress.phase_and_read().1;
        assert!(read >= so_far);
        assert!((0..1000).all(|_| progress.phase_and_read() == ("comparing", read)));
        progress.enter("publishing");
        assert_eq!(progress.phase_and_read(), ("publishing", read));
    }

    #[tokio::test]
    async fn work_goes_on_until_its_node_stops() {
        let stop = CancellationToken::new();
        let lease = lease().stopped_by(&stop);
        assert_eq!(lease.go_on(), Ok(()));
        assert_eq!(lease.until_stopped(std::future::ready(7)).await, Ok(7));
        stop.cancel();
        assert_eq!(lease.go_on(), Err(NodeStopped));
        assert_eq!(lease.until_stopped(std::future::pending::<()>()).await, Err(NodeStopped));
    }

    #[test]
    fn a_lease_is_lost_once_it_was_told_so() {
        let lease = lease();
        assert!(!lease.is_lost());
        lease.lose();
        assert!(lease.is_lost());
    }

    /// A store in which each of these accounts has a job that is due at 5, and the leases of those jobs.
    async fn leased<const ACCOUNTS: usize>(folder: &Path, accounts: [i64; ACCOUNTS]) -> (Store, Vec<Lease>) {
        let store = Store::open(&StoreOptions::Sqlite(folder.join("lethe.db"))).unwrap();
        let mut leases = Vec::new();
        for account in accounts.map(AccountId) {
            let waking = store.write(account, move |tx| jobs::wake(tx, Lane::DELTA, account, 0, 5));
            waking.await.unwrap();
            leases.push(jobs::claim(&store, Lane::DELTA, "holder", 5, None).await.unwrap().unwrap());
        }
        (store, leases)
    }

    #[tokio::test]
    async fn a_beat_tells_the_progress_of_a_lease_that_is_held() {
        let folder = tempfile::tempdir().unwrap();
        let (store, leases) = leased(folder.path(), [1]).await;
        let lease = &leases[0];
        assert_eq!((lease.attempts, lease.is_alone), (1, true));
        lease.progress.enter("reading");
        lease.progress.rows.store(5, Ordering::Relaxed);
        lease.progress.bytes.store(6, Ordering::Relaxed);
        for (total, known) in [(0, None), (1, Some(1)), (u64::MAX, Some(i64::MAX))] {
            lease.progress.bytes_total.store(total, Ordering::Relaxed);
            assert!(lease.beat(&store).await.unwrap());
            let told = store.read(|tx| jobs::progress(tx, Lane::DELTA, AccountId(1), 0));
            let told = told.await.unwrap().unwrap();
            let counted = (told.rows, told.bytes, told.bytes_total, told.reading_ms);
            assert_eq!((told.phase.as_str(), counted), ("reading", (5, 6, known, 0)));
        }
        let again = jobs::RetryState { at: 9, attempts: 3, phase: "later", setback: None };
        jobs::release(&store, lease, again).await.unwrap();
        assert!(!lease.beat(&store).await.unwrap());
        assert!(jobs::claim(&store, Lane::DELTA, "holder", 8, None).await.unwrap().is_none());
        let next = jobs::claim(&store, Lane::DELTA, "holder", 9, None).await.unwrap().unwrap();
        assert_eq!((next.attempts, next.key(), next.number == lease.number), (4, lease.key(), false));
    }

    #[tokio::test]
    async fn all_leases_whose_beat_stands_still_are_freed_in_one_look() {
        let folder = tempfile::tempdir().unwrap();
        let (store, leases) = leased(folder.path(), [1, 2, 3]).await;
        let mut watch = LeaseWatch::default();
        assert_eq!(watch.free_expired(&store, Duration::MAX).await.unwrap(), 0);
        assert!(leases[1].beat(&store).await.unwrap());
        assert_eq!(watch.free_expired(&store, Duration::ZERO).await.unwrap(), 2);
        for (lease, is_held) in leases.iter().zip([false, true, false]) {
            assert_eq!(lease.beat(&store).await.unwrap(), is_held, "{}", lease.key());
        }
        assert_eq!(watch.free_expired(&store, Duration::MAX).await.unwrap(), 0);
        assert_eq!(watch.seen.len(), 1, "a lease that nobody holds is not watched");
        assert_eq!(watch.free_expired(&store, Duration::ZERO).await.unwrap(), 1);
        assert_eq!(watch.free_expired(&store, Duration::ZERO).await.unwrap(), 0);
        assert!(watch.seen.is_empty());
    }
}
