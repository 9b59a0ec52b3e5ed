//! Doing a feed: fetch, read and check, publish. Retried over the feed's window, published once.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use super::forgotten::Asker;
use super::product_feed_publish as publish;
use super::product_feed_read::{self as feed_read, Checked, Reading, Refused};
use super::{Ended, WorkFault, republish, spares, upload};
use crate::accept;
use crate::accounts::{self, Account};
use crate::catalogue::base::Places;
use crate::clock::{Millis, millis};
use crate::feeds::rows::Context;
use crate::jobs::{self, End, Lease};
use crate::keys::{Sealer, SlotNumber};
use crate::limits;
use crate::node::Node;
use crate::outbound::{FaultKind, FeedUrl, FetchFault, FetchProgress, Fetched};
use crate::store::StoreFault;
use crate::submissions::issues::Found;
use crate::submissions::{self, Manner, Submission};

const UNREADABLE: &str = "what was submitted can no longer be read, because its key is lost; submit it again";

/// First pause before a feed is fetched again.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
/// Longest pause, whatever the server asked for.
const LONGEST_PAUSE: Duration = Duration::from_secs(30 * 60);

/// Runs a feed's job: one attempt of the fetch, and everything after it.
pub async fn run(node: &Arc<Node>, lease: &Arc<Lease>) -> Ended {
    super::survivable(lease)?;
    let (account, seq) = (lease.account, lease.seq);
    let found = node
        .store
        .read(move |tx| {
            Ok::<_, StoreFault>((accounts::by_id(tx, account)?, submissions::get(tx, account, seq)?))
        })
        .await?;
    let (Some(account), Some(submission)) = found else { return Ok(End::Done) };
    let attempt = Attempt { node, lease, account: Arc::new(account), submission };
    let ended = attempt.run().await?;
    if matches!(ended, End::Done) {
        leave_nothing(node, attempt.submission.slot).await?;
    }
    Ok(ended)
}

/// After the end of a feed: its key goes, and the files that nobody needs any more.
async fn leave_nothing(node: &Node, slot: Option<SlotNumber>) -> Result<(), WorkFault> {
    spares::release(node, slot.into_iter().collect()).await?;
    node.note_files_left();
    Ok(node.sweep_blobs().await?)
}

/// Ends a feed whose work failed on our side again and again.
pub async fn give_up(node: &Arc<Node>, lease: &Lease, sentence: &str) -> Result<(), WorkFault> {
    let (account, seq) = (lease.account, lease.seq);
    let submission = node.store.read(move |tx| submissions::get(tx, account, seq)).await?;
    publish::fail(node, lease, sentence, Found::default()).await?;
    leave_nothing(node, submission.and_then(|submission| submission.slot)).await
}

/// One attempt of a feed's job.
pub(super) struct Attempt<'a> {
    pub(super) node: &'a Arc<Node>,
    pub(super) lease: &'a Arc<Lease>,
    pub(super) account: Arc<Account>,
    pub(super) submission: Submission,
}

/// Says how far a feed is, given how many of its bytes were read: bytes, and of how many.
pub(super) type ProgressOf = Box<dyn Fn(u64) -> (u64, u64) + Send>;

impl Attempt<'_> {
    async fn run(&self) -> Ended {
        // Known before: an upload that was given up.
        if let Some(reason) = &self.submission.reason {
            return self.fail(reason).await;
        }
        if let Some(origin) = self.submission.origin {
            return republish::run(self, origin).await;
        }
        let Some(slot) = self.submission.slot else { return self.fail(UNREADABLE).await };
        let sealer = match self.node.keys.sealer(slot) {
            Err(fault) if fault.is_lost() => return self.fail(UNREADABLE).await,
            sealer => sealer?,
        };
        match &self.submission.upload {
            Some(_) => upload::run(self, slot, sealer).await,
            None => self.run_url(slot, sealer).await,
        }
    }

    async fn run_url(&self, slot: SlotNumber, sealer: Sealer) -> Ended {
        let payload = self.submission.payload.as_deref().unwrap_or_default();
        let opened = match sealer.open(&self.aad(), payload) {
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
        let known = match self.submission.manner {
            // Its rows are what somebody wants to look at.
            Manner::DryRun => None,
            Manner::Guarded | Manner::Anyway => {
                publish::known_source(self.node, self.account.id, tag).await?
            }
        };
        let validators = known.as_ref().map(|known| known.validators.clone()).unwrap_or_default();
        match self.node.outbound.get(&url, &validators).await {
            Err(fault) => self.retry(&fault).await,
            Ok(Fetched::NotModified) => match known {
                Some(known) => publish::unchanged(self.node, self.lease, known).await,
                None => {
                    self.fail("the server said that the feed is unchanged, but it was never fetched").await
                }
            },
            Ok(Fetched::Body(body)) => {
                let source = publish::Source { tag, validators: body.validators.clone() };
                let fetched = Arc::new(FetchProgress::default());
                let reader = body.into_reader(&tokio::runtime::Handle::current(), fetched.clone());
                let progress: ProgressOf =
                    Box::new(move |_| (fetched.wire_bytes(), fetched.content_length().unwrap_or(0)));
                let read = self.read(reader, progress, sealer, false).await;
                self.settle(read, slot, Some(source)).await
            }
        }
    }

    /// What the sealed parts of the feed are bound to.
    pub(super) fn aad(&self) -> Vec<u8> {
        accept::payload_aad(self.account.id, self.submission.token)
    }

    /// Publishes what was read, or does what its refusal asks for.
    pub(super) async fn settle(
        &self,
        read: Result<Checked, Refused>,
        slot: SlotNumber,
        source: Option<publish::Source>,
    ) -> Ended {
        match read {
            Ok(checked) => {
                let seq = self.submission.seq;
                let ready_seq = self.submission.ready_seq.unwrap_or(seq);
                let feed = publish::Feed {
                    places: Places { ready_seq, ..Places::at(seq) },
                    token: self.submission.token,
                    slot: Some(slot),
                    source,
                    manner: self.submission.manner,
                    origin: None,
                };
                publish::publish(self.node, self.lease, &self.account, checked, feed).await
            }
            Err(Refused::Transient(fault)) => self.retry(&fault).await,
            Err(Refused::Final(sentence, found)) => {
                publish::fail(self.node, self.lease, &sentence, found).await?;
                Ok(End::Done)
            }
            Err(Refused::Fault(fault)) => Err(fault),
        }
    }

    pub(super) async fn fail(&self, sentence: &str) -> Ended {
        publish::fail(self.node, self.lease, sentence, Found::default()).await?;
        Ok(End::Done)
    }

    /// Reads the feed on a thread of its own: decompression and JSON are work, not waiting.
    pub(super) async fn read(
        &self,
        source: impl Read + Send + 'static,
        progress: ProgressOf,
        sealer: Sealer,
        may_be_empty: bool,
    ) -> Result<Checked, Refused> {
        self.lease.progress.begin_reading();
        let (runtime, aad) = (tokio::runtime::Handle::current(), self.aad());
        let (node, lease, account) = (self.node.clone(), self.lease.clone(), self.account.clone());
        let is_spooled = self.submission.upload.is_some();
        let reading = tokio::task::spawn_blocking(move || {
            let tag = |text: &str| node.keys.account_tag(account.id, text);
            let note = |spool| match is_spooled {
                true => Ok(()),
                false => runtime.block_on(publish::note_spool(&node, &lease, Some(spool))),
            };
            let (on_people, on_address) = (|| note("people"), || note("addresses"));
            let asker = Asker::new(&node, account.id, &on_address);
            let is_forgotten = |email: &str| asker.is_forgotten(email);
            let publishing = || runtime.block_on(node.publishing.clone().read_owned());
            let reading = Reading {
                blobs: &node.blobs,
                context: Context {
                    default_currency: account.currency.as_deref(),
                    account_tag: &tag,
                    is_forgotten: &is_forgotten,
                },
                asker: &asker,
                lease: &lease,
                progress: &progress,
                may_be_empty,
                sealer: &sealer,
                aad: &aad,
                on_people: &on_people,
                publishing: &publishing,
            };
            feed_read::read(source, &reading)
        });
        reading.await.map_err(|_| Refused::Fault(WorkFault::Panicked))?
    }

    /// A fault that may heal is tried again until the feed's window closes; the others end the feed.
    async fn retry(&self, fault: &FetchFault) -> Ended {
        publish::note_spool(self.node, self.lease, None).await?;
        let now = self.node.clock.now();
        let closes = self.submission.accepted_at + millis(limits::FEED_WINDOW_DURATION);
        match fault.kind {
            FaultKind::Transient { retry_after } => {
                let attempt = self.attempts_so_far(now);
                let pause = jobs::backoff(attempt, FIRST_PAUSE, LONGEST_PAUSE);
                let at = now + millis(retry_after.unwrap_or_default().min(LONGEST_PAUSE).max(pause));
                let sentence =
                    format!("the feed could not be fetched for 24 hours; the last time: {}", fault.reason);
                if at < closes {
                    let older_than = now - millis(limits::FEED_WINDOW_DURATION);
                    publish::fail_followers(self.node, self.lease, sentence, older_than).await?;
                    return Ok(End::RetryAt(at, "waiting to fetch again"));
                }
                self.fail(&sentence).await
            }
            FaultKind::Final => self.fail(&fault.reason).await,
        }
    }

    /// Pauses double, so the age of the submission says which try this is.
    fn attempts_so_far(&self, now: Millis) -> i64 {
        let age = u64::try_from(now - self.submission.accepted_at).unwrap_or(0) / 1000;
        i64::from((age / FIRST_PAUSE.as_secs() + 1).ilog2()) + 1
    }
}
