//! One attempt of a feed's job: reads the feed, then publishes it or carries out its refusal.

use std::io::Read;
use std::sync::{Arc, OnceLock};

use super::read::{FeedFailure, FeedReadContext, ReadyFeed};
use super::{publish, read};
use crate::accounts::{Account, feeds};
use crate::admission::{Permit, Tenant};
use crate::catalogue::base::Places;
use crate::feeds::rows::NormaliserContext;
use crate::formats::ConversionOptions;
use crate::formats::mapping::context::MappingContext;
use crate::formats::mapping::shop_mapping::ShopMapping;
use crate::jobs::{End, Lease};
use crate::keys::{Sealer, SlotNumber};
use crate::node::Node;
use crate::submissions::issues::IssueCollector;
use crate::submissions::{self, PublishMode, Submission};
use crate::work::fault::{JobResult, WorkFault};
use crate::{accept, jobs, limits};

/// One attempt of a feed's job.
pub(crate) struct Attempt<'a> {
    pub(crate) node: &'a Arc<Node>,
    pub(crate) lease: &'a Arc<Lease>,
    pub(crate) account: Arc<Account>,
    pub(crate) submission: Submission,
}

/// Progress of a feed from the number of bytes read: bytes, and their total.
pub(crate) type ProgressOf = Box<dyn Fn(u64) -> (u64, u64) + Send>;

impl Attempt<'_> {
    /// A turn to read and publish: one of few, so that memory is bounded, and one per account.
    pub(crate) async fn acquire_turn(&self) -> Option<Permit> {
        self.lease.progress.enter(jobs::TURN);
        let who = Tenant::Account(self.account.id);
        self.node.resources.readings.acquire(who, 1, limits::READING_WAIT_DURATION).await
    }

    /// The end of a run that got no turn in that time.
    pub(crate) fn retry_later(&self) -> End {
        End::RetryAt { when: self.node.clock.now(), phase: jobs::TURN, setback: None }
    }

    /// Associated data that binds the sealed parts of the feed.
    pub(crate) fn aad(&self) -> Vec<u8> {
        accept::payload_aad(self.account.id, self.submission.token)
    }

    /// Publishes the feed, or carries out its refusal.
    pub(crate) async fn settle(
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
                    manner: self.submission.input.publish_mode().unwrap_or(PublishMode::Guarded),
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
    pub(crate) async fn read_feed(
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
        let id = account.id;
        let settings = self.node.store.read(move |tx| feeds::get(tx, id)).await?;
        let named = self.submission.input.format().or(settings.format);
        let format = Arc::new(OnceLock::new());
        let known = format.clone();
        let reading = tokio::task::spawn_blocking(move || {
            let tag = |text: &str| node.keys.account_tag(account.id, text);
            // Checked when it was set.
            let mapping = settings.mapping.as_deref().and_then(|text| ShopMapping::parse(text).ok());
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
                conversion: ConversionOptions {
                    format: named,
                    mapping: mapping.as_ref(),
                    context: MappingContext::from_currency(account.currency.as_deref()),
                },
                sealer: &sealer,
                aad: &aad,
            };
            read::read_feed(source, &reading, &known)
        });
        let read = reading.await.map_err(|_| FeedFailure::Fault(WorkFault::Panicked))?;
        if let Some(format) = format.get().copied() {
            let seq = self.submission.seq;
            let noting = self.lease.write(&self.node.store, move |tx| {
                Ok::<_, WorkFault>(submissions::note_format(tx, id, seq, format)?)
            });
            noting.await?;
        }
        read
    }
}

pub(super) const UNREADABLE: &str =
    "what was submitted can no longer be read, because its key is lost; submit it again";
