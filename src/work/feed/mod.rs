//! Doing a feed: `fetch`, read and check (`read` over `rows`), compare (`difference`), store its people, publish
//! (`publish` over `switch`). Retried over the feed's window, published once.

mod difference;
mod fetch;
mod log_line;
mod people;
pub(super) mod publish;
mod quota;
pub(super) mod read;
mod republish;
pub mod rows;
mod switch;

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use crate::accept;
use crate::accounts::{self, Account};
use crate::admission::{Permit, Tenant};
use crate::catalogue::base::Places;
use crate::feeds::rows::NormaliserContext;
use crate::jobs::{self, End, Lease};
use crate::keys::{Sealer, SlotNumber};
use crate::limits;
use crate::node::Node;
use crate::store::StoreFault;
use crate::submissions::issues::IssueCollector;
use crate::submissions::payload::{self, Waits};
use crate::submissions::{self, Input, Manner, Submission};
use crate::work::{JobResult, WorkFault, end_idle, reserved_slots, upload};
use read::{FeedFailure, FeedReadContext, ReadyFeed};

const UNREADABLE: &str = "what was submitted can no longer be read, because its key is lost; submit it again";

/// Runs a feed's job: one attempt of the fetch, and everything after it.
pub async fn run(node: &Arc<Node>, lease: &Arc<Lease>) -> JobResult {
    let account = lease.account;
    let seq = lease.seq;
    let found = node
        .store
        .read(move |tx| {
            let submission = submissions::load_by_seq(tx, account, seq)?;
            Ok::<_, StoreFault>((accounts::by_id(tx, account)?, submission, payload::load(tx, account, seq)?))
        })
        .await?;
    let (Some(account), Some(submission), waits) = found else { return end_idle(node, lease).await };
    if submission.published.is_none() {
        let slot = waits.as_ref().and_then(|waits| waits.slot);
        let attempt = Attempt { node, lease, account: Arc::new(account), submission };
        let ended = attempt.run_input(waits).await?;
        if !matches!(ended, End::Done) {
            return Ok(ended);
        }
        leave_nothing(node, slot).await?;
    }
    publish::end_published(node, lease).await
}

/// After a feed was published, or has failed: removes its key, and the files that are no longer needed.
async fn leave_nothing(node: &Node, slot: Option<SlotNumber>) -> Result<(), WorkFault> {
    reserved_slots::release(node, slot.into_iter().collect()).await?;
    node.note_files_left();
    Ok(node.sweep_blobs(Duration::ZERO).await?)
}

/// Ends as failed, with the reason, a feed that cannot be published; leaves the catalogue alone. A feed that
/// was published already ends as published.
///
/// # Errors
/// When the feed is still open, or when a part of it was left on the disk.
pub async fn give_up(node: &Node, lease: &Lease, why: &str) -> Result<(), WorkFault> {
    let account = lease.account;
    let seq = lease.seq;
    let reading = node.store.read(move |tx| {
        let submission = submissions::load_by_seq(tx, account, seq)?;
        Ok::<_, StoreFault>((submission, payload::load(tx, account, seq)?))
    });
    let (submission, waits) = reading.await?;
    if submission.is_some_and(|submission| submission.published.is_some()) {
        return publish::end_published(node, lease).await.map(drop);
    }
    publish::end_failed(node, lease, why).await?;
    leave_nothing(node, waits.and_then(|waits| waits.slot)).await
}

/// One attempt of a feed's job.
pub(super) struct Attempt<'a> {
    pub(super) node: &'a Arc<Node>,
    pub(super) lease: &'a Arc<Lease>,
    pub(super) account: Arc<Account>,
    pub(super) submission: Submission,
}

/// Progress of a feed from the number of bytes read: bytes, and their total.
pub(super) type ProgressOf = Box<dyn Fn(u64) -> (u64, u64) + Send>;

impl Attempt<'_> {
    async fn run_input(&self, waits: Option<Waits>) -> JobResult {
        // Known before: an upload that was given up.
        if let Some(reason) = &self.submission.reason {
            return self.fail(reason).await;
        }
        if let Input::Republish { origin, manner } = self.submission.input {
            return republish::run(self, origin, manner).await;
        }
        let Some(Waits { slot: Some(slot), body }) = waits else { return self.fail(UNREADABLE).await };
        let sealer = match self.node.keys.sealer(slot) {
            Err(fault) if fault.is_lost() => return self.fail(UNREADABLE).await,
            sealer => sealer?,
        };
        match self.submission.input {
            Input::Upload { holds, .. } => upload::run(self, holds, slot, sealer).await,
            Input::Url { .. } => self.run_url(slot, sealer, &body.unwrap_or_default()).await,
            // Neither waits in this lane, sealed.
            Input::Republish { .. } | Input::Delta => self.fail(UNREADABLE).await,
        }
    }

    /// A turn to read and publish: one of few, so that memory is bounded, and one per account.
    pub(super) async fn acquire_turn(&self) -> Option<Permit> {
        self.lease.progress.enter(jobs::TURN);
        let who = Tenant::Account(self.account.id);
        self.node.fairness.readings.acquire(who, 1, limits::READING_WAIT_DURATION).await
    }

    /// The end of a run that got no turn in that time.
    pub(super) fn later(&self) -> End {
        End::RetryAt { when: self.node.clock.now(), phase: jobs::TURN, setback: None }
    }

    /// Associated data that binds the sealed parts of the feed.
    pub(super) fn aad(&self) -> Vec<u8> {
        accept::payload_aad(self.account.id, self.submission.token)
    }

    /// Publishes the feed, or carries out its refusal.
    pub(super) async fn settle(
        &self,
        read: Result<ReadyFeed, FeedFailure>,
        slot: SlotNumber,
        source: Option<publish::FeedSource>,
    ) -> JobResult {
        match read {
            Ok(checked) => {
                let seq = self.submission.seq;
                let ready_seq = self.submission.ready_seq.unwrap_or(seq);
                let feed = publish::FeedPublication {
                    places: Places { ready_seq, ..Places::from_seq(seq) },
                    token: self.submission.token,
                    slot: Some(slot),
                    source,
                    manner: self.submission.input.manner().unwrap_or(Manner::Guarded),
                    origin: None,
                };
                publish::publish(self.node, self.lease, &self.account, checked, feed).await
            }
            Err(FeedFailure::Transient(fault)) => self.retry(&fault).await,
            Err(FeedFailure::Final(sentence, found) | FeedFailure::CutOff(sentence, found)) => {
                self.refuse(sentence, &found).await
            }
            Err(FeedFailure::Fault(fault)) => Err(fault),
        }
    }

    pub(super) async fn fail(&self, sentence: &str) -> JobResult {
        self.refuse(sentence.to_owned(), &IssueCollector::default()).await
    }

    /// Gives the feed up, after its row issues are written.
    async fn refuse(&self, why: String, found: &IssueCollector) -> JobResult {
        publish::write_issues(self.node, self.lease, found).await?;
        Ok(End::GiveUp { why })
    }

    /// Reads the feed on a thread of its own: decompression and JSON are work, not waiting.
    pub(super) async fn read_feed(
        &self,
        source: impl Read + Send + 'static,
        progress: ProgressOf,
        sealer: Sealer,
        may_be_empty: bool,
    ) -> Result<ReadyFeed, FeedFailure> {
        self.lease.progress.enter("reading");
        self.lease.progress.begin_reading();
        let aad = self.aad();
        let node = self.node.clone();
        let lease = self.lease.clone();
        let account = self.account.clone();
        let reading = tokio::task::spawn_blocking(move || {
            let tag = |text: &str| node.keys.account_tag(account.id, text);
            let reading = FeedReadContext {
                blobs: &node.blobs,
                context: NormaliserContext {
                    default_currency: account.currency.as_deref(),
                    account_tag: &tag,
                    noticed: None,
                },
                lease: &lease,
                progress: &progress,
                may_be_empty,
                sealer: &sealer,
                aad: &aad,
            };
            read::read_feed(source, &reading)
        });
        reading.await.map_err(|_| FeedFailure::Fault(WorkFault::Panicked))?
    }
}
