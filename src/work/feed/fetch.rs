//! Fetching a feed: first the whole body to the disk, sealed, at the pace of its server; then it has a turn to be read.

use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;

use super::attempt::{Attempt, ProgressOf, UNREADABLE};
use super::publish;
use super::read::{FeedFailure, WatchedReader};
use super::rows::FeedRejection;
use crate::accounts::quota::{self, QuotaUse};
use crate::admission::{Permit, Tenant};
use crate::clock::{Millis, millis};
use crate::jobs::{self, End, LastError};
use crate::keys::{SealedReader, SealedWriter, Sealer, SlotNumber};
use crate::limits;
use crate::outbound::{
    FaultKind, FeedBytes, FeedUrl, FetchFault, FetchProgress, Fetched, FetchedBody, WireReader,
};
use crate::submissions::issues::IssueCollector;
use crate::work::fault::{JobResult, WorkFault};

/// First pause before a feed is fetched again.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
/// Longest pause, even if the server requests a longer one.
const LONGEST_PAUSE: Duration = Duration::from_secs(30 * 60);
/// Step in which the room of a feed on its way grows.
const SPOOL_STEP_BYTES: usize = 8 << 20;

/// Progress of a fetch, or of the reading of the fetched body.
fn of_fetch(progress: Arc<FetchProgress>) -> ProgressOf {
    Box::new(move |_| (progress.wire_bytes(), progress.content_length().unwrap_or(0)))
}

/// A fault of Lethe's that passes: the feed is fetched again after a pause, as if its server had failed.
fn heals(reason: &str) -> FetchFault {
    FetchFault { kind: FaultKind::Transient { retry_after: None }, reason: reason.to_owned() }
}

fn no_share() -> FetchFault {
    heals("the room on the disk of the server for feeds on their way is used up")
}

/// A feed on its way to the disk, within the room of its account, and of all feeds on their way.
struct BoundedReader<R> {
    inner: R,
    read_bytes: usize,
    held: QuotaUse,
    share: Permit,
    runtime: Handle,
}

impl<R: Read> Read for BoundedReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        self.read_bytes += read;
        let room = self.held.check_room(i64::try_from(self.read_bytes).unwrap_or(i64::MAX));
        if let Err(no_room) = room {
            let reason = format!("there is no room for the feed: {no_room}");
            return Err(io::Error::other(FetchFault { kind: FaultKind::Final, reason }));
        }
        while self.share.amount() < self.read_bytes {
            let growing = self.share.acquire_more(SPOOL_STEP_BYTES, limits::SPOOL_WAIT_DURATION);
            if !self.runtime.block_on(growing) {
                return Err(io::Error::other(no_share()));
            }
        }
        Ok(read)
    }
}

/// Reader of a fetched feed. Damage in it is a fault of the disk: no key is lost, and another fetch heals it.
struct SpoolReader<R: Read>(SealedReader<R>);

impl<R: Read> Read for SpoolReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into).map_err(|error| error.kind().into())
    }
}

impl Attempt<'_> {
    pub(super) async fn run_url(&self, slot: SlotNumber, sealer: Sealer, sealed: &[u8]) -> JobResult {
        let opened = match sealer.open(&self.aad(), sealed) {
            Err(fault) if fault.is_lost() => return self.fail(UNREADABLE).await,
            opened => opened?,
        };
        let url = std::str::from_utf8(&opened).unwrap_or_default();
        let url = match FeedUrl::parse(url, self.node.outbound.policy()) {
            Ok(url) => url,
            Err(refusal) => return self.fail(&refusal.to_string()).await,
        };
        self.lease.progress.enter("downloading");
        let tag = self.node.keys.url_tag(self.account.id, url.expose());
        let known = if self.submission.input.is_dry_run() {
            // A dry run shows its rows.
            None
        } else {
            publish::known_source(self.node, self.account.id, tag).await?
        };
        let validators = known.as_ref().map(|known| known.validators.clone()).unwrap_or_default();
        match self.node.outbound.fetch_feed(&url, &validators).await {
            Err(fault) => self.retry(&fault).await,
            Ok(Fetched::NotModified) => match known {
                Some(known) => publish::publish_unchanged(self.node, self.lease, known).await,
                None => {
                    self.fail("the server said that the feed is unchanged, but it was never fetched").await
                }
            },
            Ok(Fetched::Body(body)) => {
                match self.take_in(*body, tag, slot, sealer).await {
                    // It passes with time; an immediate second fetch would meet it again.
                    Err(fault) if fault.is_disk_full() => {
                        self.retry(&heals("the disk of the server is full")).await
                    }
                    ended => ended,
                }
            }
        }
    }

    /// Brings the body to the disk, reads it when it has its turn, and publishes it.
    async fn take_in(&self, body: FetchedBody, tag: [u8; 16], slot: SlotNumber, sealer: Sealer) -> JobResult {
        let source = publish::FeedSource { tag, validators: body.validators.clone() };
        let is_length_told = body.is_length_told();
        let who = Tenant::Account(self.account.id);
        let room = &self.node.resources.spool_bytes;
        let Some(share) = room.acquire(who, SPOOL_STEP_BYTES, limits::SPOOL_WAIT_DURATION).await else {
            return self.retry(&no_share()).await;
        };
        let (wire, share) = match self.spool(body, share).await? {
            Err(error) => {
                let refused =
                    FeedFailure::from_unusable(FeedRejection::of_io(&error), IssueCollector::default());
                return self.settle(Err(refused), slot, None).await;
            }
            Ok(spooled) => spooled,
        };
        // The feed has arrived, and it is unknown whether it holds people: erasures wait from here on.
        publish::note_people(self.node, self.lease, true).await?;
        let Some(_turn) = self.acquire_turn().await else {
            publish::note_people(self.node, self.lease, false).await?;
            return Ok(self.retry_later());
        };
        let progress = of_fetch(wire.progress());
        let read = match self.read_feed(FeedBytes::new(wire), progress, sealer, false).await {
            Err(FeedFailure::CutOff(..)) if !is_length_told => {
                Err(FeedFailure::Transient(FetchFault::truncated_body()))
            }
            read => read,
        };
        drop(share);
        if read.as_ref().is_ok_and(|checked| checked.people.is_none()) {
            publish::note_people(self.node, self.lease, false).await?;
        }
        self.settle(read, slot, Some(source)).await
    }

    /// Brings the whole body to the disk, in the room that it shares with others; the returned reader reads it. As on
    /// its way through memory, no other process can read it: its key is in memory only. The file has no name when it is
    /// whole, and goes after it was read.
    async fn spool(
        &self,
        body: FetchedBody,
        share: Permit,
    ) -> Result<io::Result<(WireReader<impl Read + Send + 'static>, Permit)>, WorkFault> {
        let lease = self.lease.clone();
        let blobs = self.node.blobs.clone();
        let aad = self.aad();
        let id = self.account.id;
        let part = self.node.quota_part();
        let runtime = Handle::current();
        let held = self.node.store.read(move |tx| quota::quota_use(tx, id, None, part)).await?;
        lease.progress.begin_reading();
        let spooling = tokio::task::spawn_blocking(move || {
            let sealer = Sealer::ephemeral().map_err(io::Error::other)?;
            let mut wire = body.into_wire(&runtime, Arc::default());
            let mut spool = SealedWriter::new(&sealer, &aad, blobs.create()?)?;
            let progress = of_fetch(wire.progress());
            let inner = WatchedReader::new(&mut wire, &lease, &progress);
            let mut bounded = BoundedReader { inner, read_bytes: 0, held, share, runtime };
            io::copy(&mut bounded, &mut spool)?;
            let share = bounded.share;
            let sealed = spool.finish()?.read_back()?.reader();
            Ok((
                wire.with_source(SpoolReader(SealedReader::new(&sealer, &aad, sealed)?), Arc::default()),
                share,
            ))
        });
        Ok(spooling.await.map_err(io::Error::other).flatten())
    }

    /// A fault that may heal is tried again until the feed's window closes; the others end the feed.
    pub(super) async fn retry(&self, fault: &FetchFault) -> JobResult {
        publish::note_people(self.node, self.lease, false).await?;
        let now = self.node.clock.now();
        let closes = self.submission.accepted_at + millis(limits::FEED_WINDOW_DURATION);
        match fault.kind {
            FaultKind::Transient { retry_after } => {
                let pause = jobs::backoff(self.attempts_until(now), FIRST_PAUSE, LONGEST_PAUSE);
                let asked = retry_after.unwrap_or_default().min(LONGEST_PAUSE);
                let pause = asked.max(pause);
                let at = now + millis(pause);
                let sentence =
                    format!("the feed could not be fetched for 24 hours; the last time: {}", fault.reason);
                if at < closes {
                    let older_than = now - millis(limits::FEED_WINDOW_DURATION);
                    publish::fail_followers(self.node, self.lease, sentence, older_than).await?;
                    let tries_left = Some(self.tries_between(at, closes));
                    let setback = Some(LastError { fault: fault.reason.clone(), tries_left });
                    return Ok(End::RetryAt { when: at, phase: publish::TO_FETCH, setback });
                }
                self.fail(&sentence).await
            }
            FaultKind::Final => self.fail(&fault.reason).await,
        }
    }

    /// Pauses double, so the age of the submission gives the number of this try.
    fn attempts_until(&self, now: Millis) -> i64 {
        let age = u64::try_from(now - self.submission.accepted_at).unwrap_or(0) / 1000;
        i64::from((age / FIRST_PAUSE.as_secs() + 1).ilog2()) + 1
    }

    /// Number of tries, from the one at `next` on, that fit until the window closes. Each pause counts with its mean
    /// length: its jitter, and the pause that the feed's server requests, are not known yet.
    fn tries_between(&self, next: Millis, closes: Millis) -> i64 {
        let mut at = next;
        let mut tries = 0;
        while at < closes {
            tries += 1;
            at += millis(jobs::mean_pause(self.attempts_until(at), FIRST_PAUSE, LONGEST_PAUSE));
        }
        tries
    }
}
