//! Reading a feed as it arrives, for the job that publishes it. Blocking, bounded.

use std::io::{self, Read};
use std::sync::atomic::Ordering;

use super::rows::{FeedRows, Reader, Unusable};
use crate::blobs::{BlobWriter, Blobs, Hold};
use crate::catalogue::base::New;
use crate::feeds::issue::Issue;
use crate::feeds::reader::RawRow;
use crate::feeds::rows::Context;
use crate::jobs::Lease;
use crate::keys::{SealedWriter, Sealer};
use crate::outbound::FetchFault;
use crate::submissions::issues::Found;
use crate::work::{WorkFault, people as spool};

/// Why a feed was not published.
pub enum Refused {
    /// It may heal: the fetch is tried again within the feed's window.
    Transient(FetchFault),
    /// It will not heal: the feed fails with this sentence, which quotes nothing of the feed.
    Final(String, Found),
    /// It ends in its middle, which may heal if nobody said how long it is, and otherwise is final.
    CutOff(String, Found),
    /// Ours.
    Fault(WorkFault),
}

impl<E: Into<WorkFault>> From<E> for Refused {
    fn from(fault: E) -> Self {
        Self::Fault(fault.into())
    }
}

impl Refused {
    /// With what was found in the rows that were read until then.
    pub(super) fn of(unusable: Unusable, found: Found) -> Self {
        match unusable {
            Unusable::Final(sentence) => Self::Final(sentence, found),
            Unusable::CutOff(sentence) => Self::CutOff(sentence, found),
            Unusable::Transient(fault) => Self::Transient(fault),
            Unusable::Fault(fault) => Self::Fault(fault),
        }
    }
}

/// A feed that was read and checked, ready to be published.
pub struct Checked {
    /// Snapshots, written and unpublished.
    pub sections: Vec<New>,
    /// What was wrong with single rows.
    pub found: Found,
    /// Reason why it is held, unless it is published anyway.
    pub held: Option<String>,
    /// Sealed profiles, if the feed has any.
    pub people: Option<BlobWriter>,
    /// From a file's end until its row.
    pub hold: Hold,
}

/// What reading needs.
pub struct Reading<'a> {
    pub blobs: &'a Blobs,
    pub context: Context<'a>,
    pub lease: &'a Lease,
    /// How far it is: bytes, of how many (0 when nobody knows), given how many were read.
    pub progress: &'a dyn Fn(u64) -> (u64, u64),
    /// Whether a feed without any section is fine, and changes nothing.
    pub may_be_empty: bool,
    /// Seals the profiles on their way.
    pub sealer: &'a Sealer,
    /// What the sealed profiles are bound to.
    pub aad: &'a [u8],
}

/// Shows how far reading is, and stops when the lease is lost.
pub(super) struct Watched<'a, R> {
    inner: R,
    read_bytes: u64,
    lease: &'a Lease,
    progress: &'a dyn Fn(u64) -> (u64, u64),
}

impl<'a, R> Watched<'a, R> {
    /// `progress` as in [`Reading`].
    pub(super) fn new(inner: R, lease: &'a Lease, progress: &'a dyn Fn(u64) -> (u64, u64)) -> Self {
        Self { inner, read_bytes: 0, lease, progress }
    }
}

impl<R: Read> Read for Watched<'_, R> {
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

/// The job's side of reading: people go sealed into the spool, as they were sent, to be read again at their turn.
struct Spool<'a> {
    reading: &'a Reading<'a>,
    people: Option<SealedWriter<BlobWriter>>,
}

impl Reader for Spool<'_> {
    fn begin_people(&mut self) -> Result<(), WorkFault> {
        if self.people.is_none() {
            let Reading { sealer, aad, blobs, .. } = self.reading;
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

    fn note(&mut self, _: &[Issue]) -> Result<(), WorkFault> {
        self.reading.lease.progress.rows.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

/// Reads the whole feed.
///
/// # Errors
/// [`Refused::Final`] when it is no usable feed, [`Refused::Transient`] when the fetch may heal,
/// [`Refused::Fault`] when a file cannot be written or the lease is lost.
pub fn read(source: impl Read, reading: &Reading<'_>) -> Result<Checked, Refused> {
    let mut source = Watched::new(source, reading.lease, reading.progress);
    let mut rows = FeedRows::new(reading.blobs, &reading.context, reading.may_be_empty);
    let mut spool = Spool { reading, people: None };
    if let Err(unusable) = rows.read(&mut source, &mut spool) {
        return Err(Refused::of(unusable, rows.tally.into_found()));
    }
    let hold = reading.blobs.hold();
    let (sections, tally) = rows.finish(&hold)?;
    let people = spool.people.map(SealedWriter::finish).transpose()?;
    let held = tally.refuse_repeated();
    Ok(Checked { sections, found: tally.into_found(), held, people, hold })
}
