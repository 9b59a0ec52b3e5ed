//! Reading a feed as it arrives: rows are cut, checked, and written to unpublished snapshots. Blocking, bounded.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::{self, Read};
use std::sync::atomic::Ordering;

use tokio::sync::OwnedRwLockReadGuard;

use super::WorkFault;
use super::delta_read::profile;
use crate::blobs::{BlobWriter, Blobs};
use crate::catalogue::base::New;
use crate::catalogue::snapshot_writer::SnapshotWriter;
use crate::feeds::FeedFault;
use crate::feeds::issue::{Issue, IssueCode};
use crate::feeds::reader::{FeedReader, Piece, RawRow};
use crate::feeds::rows::{self, Context};
use crate::feeds::section::Section;
use crate::jobs::Lease;
use crate::keys::{SealedWriter, Sealer};
use crate::limits;
use crate::outbound::{FaultKind, FetchFault};
use crate::submissions::issues::Found;

/// Why a feed was not published.
pub enum Refused {
    /// It may heal: the fetch is tried again within the feed's window.
    Transient(FetchFault),
    /// It will not heal: the feed fails with this sentence, which quotes nothing of the feed.
    Final(String, Found),
    /// Ours.
    Fault(WorkFault),
}

impl<E: Into<WorkFault>> From<E> for Refused {
    fn from(fault: E) -> Self {
        Self::Fault(fault.into())
    }
}

/// A feed that was read and checked, ready to be published.
pub struct Checked {
    /// Snapshots, written and unpublished.
    pub sections: Vec<New>,
    /// What was wrong with single rows.
    pub found: Found,
    /// Sealed profiles, if the feed has any.
    pub people: Option<BlobWriter>,
    /// From a file's end until its row: the sweep must not take it.
    pub publishing: OwnedRwLockReadGuard<()>,
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
    /// Called once before the first profile is written.
    pub on_people: &'a dyn Fn() -> Result<(), WorkFault>,
    /// Keeps the sweep away from files that no row names yet.
    pub publishing: &'a dyn Fn() -> OwnedRwLockReadGuard<()>,
}

/// Shows how far the download is, and stops when the lease is lost.
struct Watched<'a, R> {
    inner: R,
    read_bytes: u64,
    reading: &'a Reading<'a>,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let lease = self.reading.lease;
        if lease.is_lost() {
            return Err(io::Error::other("the lease was lost"));
        }
        let read = self.inner.read(buffer)?;
        self.read_bytes += read as u64;
        let (bytes, total) = (self.reading.progress)(self.read_bytes);
        lease.progress.bytes.store(bytes, Ordering::Relaxed);
        lease.progress.bytes_total.store(total, Ordering::Relaxed);
        Ok(read)
    }
}

/// The rows of one section on their way into a snapshot.
struct Rows {
    snapshot: SnapshotWriter,
    skus: Option<SnapshotWriter>,
}

/// Everything collected while reading.
#[derive(Default)]
struct Collected {
    rows: BTreeMap<Section, Rows>,
    seen: BTreeMap<Section, u64>,
    people: Option<SealedWriter<BlobWriter>>,
    found: Found,
}

/// Reads the whole feed.
pub fn read(source: impl Read, reading: &Reading<'_>) -> Result<Checked, Refused> {
    let mut source = Watched { inner: source, read_bytes: 0, reading };
    let mut collected = Collected::default();
    if let Err(refused) = collect(&mut source, reading, &mut collected) {
        return Err(match refused {
            Refused::Final(sentence, _) => Refused::Final(sentence, collected.found),
            other => other,
        });
    }
    collected.check(reading.may_be_empty)?;
    collected.finish(reading)
}

fn collect(source: &mut dyn Read, reading: &Reading<'_>, collected: &mut Collected) -> Result<(), Refused> {
    let mut reader = FeedReader::new(source);
    let (mut out, mut issues) = (Vec::new(), Vec::new());
    loop {
        match reader.next_piece().map_err(refused_by)? {
            None => return Ok(()),
            Some(Piece::Section(section)) => collected.begin(section, reading)?,
            Some(Piece::Row(row)) => {
                *collected.seen.entry(row.section).or_default() += 1;
                collected.take(&row, reading, &mut out, &mut issues)?;
            }
            Some(Piece::Oversize { section, number, offset }) => {
                *collected.seen.entry(section).or_default() += 1;
                issues.push(Issue::oversize(section, number, offset));
            }
        }
        if !issues.is_empty() {
            collected.found.add(&mut issues);
        }
        reading.lease.progress.rows.fetch_add(1, Ordering::Relaxed);
    }
}

/// What a fault of the reader means: a network that may heal, or a feed that will not.
fn refused_by(fault: FeedFault) -> Refused {
    let FeedFault::Read { source, .. } = &fault else {
        return Refused::Final(fault.to_string(), Found::default());
    };
    match FetchFault::from_io(source) {
        Some(fetch) if matches!(fetch.kind, FaultKind::Final) => {
            Refused::Final(fetch.reason.clone(), Found::default())
        }
        Some(fetch) => Refused::Transient(fetch.clone()),
        None => Refused::Fault(WorkFault::File(source.kind())),
    }
}

impl Collected {
    fn begin(&mut self, section: Section, reading: &Reading<'_>) -> Result<(), Refused> {
        self.seen.entry(section).or_default();
        match section {
            section if section.is_catalogue() => {
                if let Entry::Vacant(place) = self.rows.entry(section) {
                    let skus = matches!(section, Section::Products);
                    let skus = skus.then(|| SnapshotWriter::create(reading.blobs)).transpose()?;
                    place.insert(Rows { snapshot: SnapshotWriter::create(reading.blobs)?, skus });
                }
                Ok(())
            }
            Section::Users => {
                if self.people.is_none() {
                    (reading.on_people)()?;
                    let spool = SealedWriter::new(reading.sealer, reading.aad, reading.blobs.create()?)?;
                    self.people = Some(spool);
                }
                Ok(())
            }
            _ => Err(Refused::Final(
                format!("a feed has no section {}; only a delta has", section.as_str()),
                Found::default(),
            )),
        }
    }

    fn take(
        &mut self,
        row: &RawRow<'_>,
        reading: &Reading<'_>,
        out: &mut Vec<u8>,
        issues: &mut Vec<Issue>,
    ) -> Result<(), Refused> {
        out.clear();
        if row.section == Section::Users {
            return self.take_person(row, reading, issues);
        }
        let Some(key) = rows::normalise_item(row, &reading.context, out, issues) else { return Ok(()) };
        let Some(rows) = self.rows.get_mut(&row.section) else { return Ok(()) };
        if out.len() > limits::SNAPSHOT_ROW_BYTES {
            // In its normal form: what stands for accounts is longer than they are.
            issues.push(Issue::of(row, IssueCode::RowTooLarge, None));
            return Ok(());
        }
        rows.snapshot.push(&key.id, out)?;
        if let (Some(skus), Some(sku)) = (&mut rows.skus, &key.sku)
            && *sku != key.id
        {
            skus.push(sku, key.id.as_bytes())?;
        }
        Ok(())
    }

    /// A profile goes sealed into the spool, as it was sent, to be read again at its turn.
    fn take_person(
        &mut self,
        row: &RawRow<'_>,
        reading: &Reading<'_>,
        issues: &mut Vec<Issue>,
    ) -> Result<(), Refused> {
        let good = profile(row, &reading.context, issues).is_some();
        if let (true, Some(people)) = (good, &mut self.people) {
            super::people::write(people, row)?;
        }
        Ok(())
    }

    /// The rules on whole feeds: most rows of a section are good, and the products are not emptied.
    fn check(&mut self, may_be_empty: bool) -> Result<(), Refused> {
        for (section, seen) in &self.seen {
            let bad = self.found.bad(*section);
            let (good, name) = (seen - bad.min(*seen), section.as_str());
            let sentence = if *section == Section::Products && good == 0 {
                format!("the feed has no usable product among {seen} rows; the catalogue was left alone")
            } else if good * 100 < seen * limits::FEED_GOOD_ROWS_PERCENT {
                let percent = limits::FEED_GOOD_ROWS_PERCENT;
                format!("only {good} of {seen} rows of {name} can be used, and {percent} % have to")
            } else {
                continue;
            };
            let worst = self.found.worst(3).join(", ");
            let named = if worst.is_empty() { String::new() } else { format!(" (mostly: {worst})") };
            return Err(Refused::Final(sentence + &named, std::mem::take(&mut self.found)));
        }
        if self.seen.is_empty() && !may_be_empty {
            return Err(Refused::Final(
                "the feed holds none of Products, Categories, Brands, Users and AccountPrices".to_owned(),
                Found::default(),
            ));
        }
        Ok(())
    }

    fn finish(self, reading: &Reading<'_>) -> Result<Checked, Refused> {
        let publishing = (reading.publishing)();
        let mut found = self.found;
        let mut sections = Vec::new();
        for (section, rows) in self.rows {
            // An empty list of anything but products changes nothing.
            if self.seen.get(&section).is_none_or(|seen| *seen == 0) {
                continue;
            }
            let summary = rows.snapshot.finish()?;
            found.count(section, IssueCode::DuplicateId, summary.duplicates);
            let sku_blob = match rows.skus {
                Some(skus) => Some(skus.finish()?).filter(|skus| skus.rows > 0).map(|skus| skus.name),
                None => None,
            };
            let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
            let (items, bytes) = (number(summary.rows), number(summary.bytes));
            sections.push(New { section, blob: summary.name, sku_blob, items, bytes });
        }
        let people = self.people.map(SealedWriter::finish).transpose()?;
        Ok(Checked { sections, found, people, publishing })
    }
}
