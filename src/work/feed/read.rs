//! Reading a feed as it arrives, for the job that publishes it. Blocking, bounded.

use std::io::{self, Read};
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use super::rows::{FeedRejection, FeedRows, FeedSink};
use crate::blobs::{BlobWriter, Blobs, Hold};
use crate::catalogue::base::NewSnapshot;
use crate::feeds::issue::Issue;
use crate::feeds::reader::RawRow;
use crate::feeds::rows::NormaliserContext;
use crate::formats::{ConversionOptions, FeedFormat};
use crate::jobs::Lease;
use crate::keys::{SealedWriter, Sealer};
use crate::outbound::FetchFault;
use crate::submissions::issues::IssueCollector;
use crate::work::fault::WorkFault;
use crate::work::people as spool;

/// Reason why a feed was not published.
pub enum FeedFailure {
    /// It may heal: the fetch is tried again within the feed's window.
    Transient(FetchFault),
    /// It will not heal: the feed fails with this sentence, which quotes nothing of the feed.
    Final(String, IssueCollector),
    /// It ends in its middle: this may heal if its length is unknown, and is final otherwise.
    CutOff(String, IssueCollector),
    /// A fault of Lethe's.
    Fault(WorkFault),
}

impl<E: Into<WorkFault>> From<E> for FeedFailure {
    fn from(fault: E) -> Self {
        Self::Fault(fault.into())
    }
}

impl FeedFailure {
    /// Failure with the issues of the rows read so far.
    pub(super) fn from_unusable(unusable: FeedRejection, found: IssueCollector) -> Self {
        match unusable {
            FeedRejection::Final(sentence) => Self::Final(sentence, found),
            FeedRejection::CutOff(sentence) => Self::CutOff(sentence, found),
            FeedRejection::Transient(fault) => Self::Transient(fault),
            FeedRejection::Fault(fault) => Self::Fault(fault),
        }
    }
}

/// A feed that was read and checked, ready to be published.
pub struct ReadyFeed {
    /// Snapshots, written and unpublished.
    pub sections: Vec<NewSnapshot>,
    /// Issues of single rows.
    pub found: IssueCollector,
    /// Reason why it is held, unless it is published anyway.
    pub held: Option<String>,
    /// Sealed profiles, if the feed has any.
    pub people: Option<BlobWriter>,
    /// From a file's end until its row.
    pub hold: Hold,
}

/// Context for reading a feed.
pub struct FeedReadContext<'a> {
    pub blobs: &'a Blobs,
    pub context: NormaliserContext<'a>,
    pub lease: &'a Lease,
    /// Progress for a number of read bytes: bytes done, and their total (0 if it is unknown).
    pub progress: &'a dyn Fn(u64) -> (u64, u64),
    /// True if a feed without any section is valid, and changes nothing.
    pub may_be_empty: bool,
    /// Settings for feeds of other systems.
    pub conversion: ConversionOptions<'a>,
    /// Seals the profiles on their way.
    pub sealer: &'a Sealer,
    /// Associated data that binds the sealed profiles.
    pub aad: &'a [u8],
}

/// Shows the progress of reading, and stops when the lease is lost.
pub(super) struct WatchedReader<'a, R> {
    inner: R,
    read_bytes: u64,
    lease: &'a Lease,
    progress: &'a dyn Fn(u64) -> (u64, u64),
}

impl<'a, R> WatchedReader<'a, R> {
    /// `progress` as in [`FeedReadContext`].
    pub(super) fn new(inner: R, lease: &'a Lease, progress: &'a dyn Fn(u64) -> (u64, u64)) -> Self {
        Self { inner, read_bytes: 0, lease, progress }
    }
}

impl<R: Read> Read for WatchedReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.lease.is_lost() {
            return Err(io::Error::other("the lease was lost"));
        }
        let read = self.inner.read(buffer)?;
        self.read_bytes += read as u64;
        let progress = &self.progress;
        let (bytes, total) = progress(self.read_bytes);
        self.lease.progress.bytes.store(bytes, Ordering::Relaxed);
        self.lease.progress.bytes_total.store(total, Ordering::Relaxed);
        Ok(read)
    }
}

/// The job's side of reading: people go sealed into the spool, as they were sent, and are read again at their turn.
struct PeopleSpool<'a> {
    reading: &'a FeedReadContext<'a>,
    people: Option<SealedWriter<BlobWriter>>,
}

impl FeedSink for PeopleSpool<'_> {
    fn begin_people(&mut self) -> Result<(), WorkFault> {
        if self.people.is_none() {
            let FeedReadContext { sealer, aad, blobs, .. } = self.reading;
            self.people = Some(SealedWriter::new(sealer, aad, blobs.create()?)?);
        }
        Ok(())
    }

    fn take_person(&mut self, row: &RawRow<'_>) -> Result<(), WorkFault> {
        match &mut self.people {
            Some(people) => Ok(spool::write(people, row)?),
            None => Ok(()),
        }
    }

    fn on_row(&mut self, _: &[Issue]) -> Result<(), WorkFault> {
        self.reading.lease.progress.rows.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn on_issues(&mut self, _: &[Issue]) -> Result<(), WorkFault> {
        Ok(())
    }
}

/// Reads the whole feed; `format` receives its format as soon as that is known.
///
/// # Errors
/// [`FeedFailure::Final`] when it is no usable feed, [`FeedFailure::Transient`] when the fetch may heal,
/// [`FeedFailure::Fault`] when a file cannot be written or the lease is lost.
pub fn read_feed(
    source: impl Read,
    reading: &FeedReadContext<'_>,
    format: &OnceLock<FeedFormat>,
) -> Result<ReadyFeed, FeedFailure> {
    let mut source = WatchedReader::new(source, reading.lease, reading.progress);
    let rows = FeedRows::new(reading.blobs, &reading.context, reading.may_be_empty);
    let mut rows = rows.with_conversion(reading.conversion);
    let mut spool = PeopleSpool { reading, people: None };
    let read = rows.read_all(&mut source, &mut spool);
    if let Some(known) = rows.format {
        format.get_or_init(|| known);
    }
    if let Err(unusable) = read {
        return Err(FeedFailure::from_unusable(unusable, rows.tally.into_found()));
    }
    let hold = reading.blobs.hold_files();
    let (sections, tally) = rows.finish(&hold)?;
    let people = spool.people.map(SealedWriter::finish).transpose()?;
    let held = tally.refuse_repeated();
    Ok(ReadyFeed { sections, found: tally.into_found(), held, people, hold })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::AccountId;
    use crate::jobs::{self, Lane};
    use crate::store::{Store, StoreOptions};

    #[tokio::test]
    async fn each_read_is_told_until_the_lease_is_lost() {
        const SHOP: AccountId = AccountId(1);
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&StoreOptions::Sqlite(folder.path().join("lethe.db"))).expect("a store");
        let woken = store.write(SHOP, |tx| jobs::wake(tx, Lane::FEED, SHOP, 0, 5)).await;
        assert!(woken.is_ok());
        let claimed = jobs::claim(&store, Lane::FEED, "holder", 5, None).await;
        let lease = claimed.expect("the store answers").expect("a job that is due");
        let progress = |read_bytes: u64| (10 * read_bytes, 100);
        let mut reader = WatchedReader::new(&b"feed it"[..], &lease, &progress);
        let mut told = Vec::new();
        let mut buffer = [0; 4];
        for read_bytes in [4, 3, 0] {
            assert_eq!(reader.read(&mut buffer).expect("bytes"), read_bytes);
            let counts = [&lease.progress.bytes, &lease.progress.bytes_total];
            told.push(counts.map(|count| count.load(Ordering::Relaxed)));
        }
        assert_eq!(told, [[40, 100], [70, 100], [70, 100]]);
        lease.lose();
        assert!(reader.read(&mut buffer).is_err());
    }
}
