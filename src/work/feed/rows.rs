//! The rows of a feed: cut, checked, counted, and written to unpublished snapshots. Blocking, bounded. One code for the
//! job that publishes them and for `lethe check`, which throws them away: both must find the same.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::{self, Read};

use crate::blobs::{Blobs, Hold};
use crate::catalogue::CatalogueFault;
use crate::catalogue::base::NewSnapshot;
use crate::catalogue::names::NamesWriter;
use crate::catalogue::snapshot::Snapshot;
use crate::catalogue::snapshot_writer::{SnapshotSummary, SnapshotWriter};
use crate::feeds::issue::{Issue, IssueCode};
use crate::feeds::issue_collector::ROWS_NAMED;
use crate::feeds::publish_checks::FeedCounts;
use crate::feeds::reader::{FeedPiece, RawRow, RowOrigin};
use crate::feeds::rows::{self, NormaliserContext, RowObservations};
use crate::feeds::section::{FeedPart, Section};
use crate::feeds::{FaultReason, FeedFault, Severity};
use crate::formats::{ConversionOptions, FeedFormat, OpenedFeed};
use crate::limits;
use crate::outbound::{FaultKind, FetchFault};
use crate::work::delta_read::profile;
use crate::work::fault::WorkFault;

/// Reason why a feed is not shown.
#[derive(Debug, thiserror::Error)]
pub enum FeedRejection {
    /// The network stopped it; another try may succeed.
    #[error("{0}")]
    Transient(FetchFault),
    /// The feed itself is at fault; the sentence quotes nothing from it.
    #[error("{0}")]
    Final(String),
    /// The same for a feed that ends in its middle, or before its first row: its sender, or the network, may have cut
    /// it off.
    #[error("{0}")]
    CutOff(String),
    /// A fault of Lethe's.
    #[error(transparent)]
    Fault(WorkFault),
}

impl<E: Into<WorkFault>> From<E> for FeedRejection {
    fn from(fault: E) -> Self {
        Self::Fault(fault.into())
    }
}

impl FeedRejection {
    /// Classifies an error that ends the reading of a feed: a network fault that may pass, a bad feed, or a fault of
    /// Lethe's.
    pub(super) fn of_io(error: &io::Error) -> Self {
        match FetchFault::from_io(error) {
            Some(fetch) if matches!(fetch.kind, FaultKind::Final) => Self::Final(fetch.reason.clone()),
            Some(fetch) => Self::Transient(fetch.clone()),
            None => Self::Fault(WorkFault::of_reading(error)),
        }
    }
}

/// Receiver of a feed's rows: it takes people, and a call for each row.
pub trait FeedSink {
    /// A section of people begins; it may come again.
    ///
    /// # Errors
    /// When they cannot be kept.
    fn begin_people(&mut self) -> Result<(), WorkFault>;

    /// A good row about a person.
    ///
    /// # Errors
    /// When it cannot be kept.
    fn take_person(&mut self, row: &RawRow<'_>) -> Result<(), WorkFault>;

    /// A row comes, before it is judged.
    ///
    /// # Errors
    /// When reading has to end here.
    fn see_row(&mut self, _: &RawRow<'_>) -> Result<(), WorkFault> {
        Ok(())
    }

    /// A row was read, with its issues.
    ///
    /// # Errors
    /// When reading has to end here.
    fn on_row(&mut self, issues: &[Issue]) -> Result<(), WorkFault>;

    /// Issues were found that belong to a row which comes later, or to none.
    ///
    /// # Errors
    /// When reading has to end here.
    fn on_issues(&mut self, issues: &[Issue]) -> Result<(), WorkFault>;
}

/// The items of one section on their way into a snapshot.
struct SectionWriter {
    snapshot: SnapshotWriter,
    names: Option<NamesWriter>,
}

/// Everything collected while a feed is read.
pub struct FeedRows<'a> {
    /// Counts of rows and issues.
    pub tally: FeedCounts,
    /// Format of the feed, once it was opened.
    pub format: Option<FeedFormat>,
    blobs: &'a Blobs,
    context: &'a NormaliserContext<'a>,
    may_be_empty: bool,
    conversion: ConversionOptions<'a>,
    items: BTreeMap<Section, SectionWriter>,
    noticed: RowObservations,
}

impl<'a> FeedRows<'a> {
    /// Starts with no rows; snapshots are written to `blobs`. `may_be_empty`: a feed without any section is valid.
    #[must_use]
    pub fn new(blobs: &'a Blobs, context: &'a NormaliserContext<'a>, may_be_empty: bool) -> Self {
        Self {
            tally: FeedCounts::default(),
            format: None,
            blobs,
            context,
            may_be_empty,
            conversion: ConversionOptions::default(),
            items: BTreeMap::new(),
            noticed: RowObservations::default(),
        }
    }

    /// Reads feeds of other systems by these options.
    #[must_use]
    pub fn with_conversion(mut self, conversion: ConversionOptions<'a>) -> Self {
        self.conversion = conversion;
        self
    }

    /// Reads the whole feed and judges it. `tally` has the counts, even after an error.
    ///
    /// # Errors
    /// [`FeedRejection`]: the feed may not be shown.
    pub fn read_all(
        &mut self,
        source: &mut dyn Read,
        reader: &mut dyn FeedSink,
    ) -> Result<(), FeedRejection> {
        let mut feed = OpenedFeed::open(source, self.blobs, &self.conversion).map_err(unusable)?;
        self.format = Some(feed.format());
        let mut out = Vec::new();
        let mut issues = Vec::new();
        loop {
            let section = match feed.next_piece().map_err(unusable)? {
                None => return self.tally.judge(self.may_be_empty).map_err(FeedRejection::Final),
                Some(FeedPiece::Section(section)) => {
                    self.begin(section, reader)?;
                    continue;
                }
                Some(FeedPiece::Unknown(unknown)) => {
                    issues.push(Issue::unknown_section(unknown));
                    reader.on_row(&issues)?;
                    self.tally.add_outside_rows(&mut issues);
                    continue;
                }
                Some(FeedPiece::Issue(issue)) if issue.severity() == Severity::Warning => {
                    issues.push(issue);
                    reader.on_issues(&issues)?;
                    self.tally.add_outside_rows(&mut issues);
                    continue;
                }
                Some(FeedPiece::Issue(issue)) => {
                    let section = issue.section;
                    issues.push(issue);
                    section
                }
                Some(FeedPiece::Row(row)) => {
                    reader.see_row(&row)?;
                    self.take_row(&row, reader, &mut out, &mut issues)?;
                    if row.origin == RowOrigin::Derived {
                        // Nobody wrote it, so nobody can give it a link.
                        issues.retain(|issue| issue.severity() == Severity::Bad);
                    }
                    row.section
                }
            };
            reader.on_row(&issues)?;
            self.tally.add(section, &mut issues);
        }
    }

    fn begin(&mut self, section: FeedPart, reader: &mut dyn FeedSink) -> Result<(), FeedRejection> {
        self.tally.begin(section).map_err(FeedRejection::Final)?;
        let Some(section) = section.section() else { return Ok(reader.begin_people()?) };
        if let Entry::Vacant(place) = self.items.entry(section) {
            let names =
                (section == Section::Products).then(|| NamesWriter::create(self.blobs)).transpose()?;
            place.insert(SectionWriter { snapshot: SnapshotWriter::create(self.blobs)?, names });
        }
        Ok(())
    }

    fn take_row(
        &mut self,
        row: &RawRow<'_>,
        reader: &mut dyn FeedSink,
        out: &mut Vec<u8>,
        issues: &mut Vec<Issue>,
    ) -> Result<(), WorkFault> {
        out.clear();
        let context = &NormaliserContext { noticed: Some(&self.noticed), ..*self.context };
        if row.section == FeedPart::Users {
            // The owners of addresses in its texts are checked when it is stored.
            let is_good = profile(row, context, &|_| false, issues).is_some();
            return if is_good { reader.take_person(row) } else { Ok(()) };
        }
        let Some(key) = rows::normalise_item(row, context, out, issues) else { return Ok(()) };
        let items = row.section.section().and_then(|section| self.items.get_mut(&section));
        let Some(items) = items else { return Ok(()) };
        if out.len() > limits::SNAPSHOT_ROW_BYTES {
            // In its normal form: the texts that stand for accounts are longer than the accounts.
            issues.push(Issue::new(row, IssueCode::RowTooLarge, None));
            return Ok(());
        }
        items.snapshot.push(row.number, &key.id, out)?;
        if let Some(names) = &mut items.names {
            names.push(&key)?;
        }
        Ok(())
    }

    /// Ends the snapshots of a feed that was judged good, which also finds the ids that came twice.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn finish(self, hold: &Hold) -> Result<(Vec<NewSnapshot>, FeedCounts), WorkFault> {
        let mut tally = self.tally;
        let (named, first_rows) = self.noticed.categories.by_title();
        tally.add_named_by_title(named, &first_rows);
        tally.add_overlaps(&self.noticed.overlap.count_overlaps());
        let mut sections = Vec::new();
        for (section, items) in self.items {
            // An empty list of anything but products changes nothing.
            if tally.rows(FeedPart::Items(section)) == 0 {
                continue;
            }
            let summary = items.snapshot.finish(hold)?;
            if summary.duplicates > 0 {
                let first_rows = left_out(hold, &summary)?;
                tally.add_duplicates(FeedPart::Items(section), summary.duplicates, &first_rows);
            }
            let names = items.names.map(|names| names.finish(hold)).transpose()?.flatten();
            let (sku_blob, names_bytes) = names.map_or((None, 0), |(name, bytes)| (Some(name), bytes));
            let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
            let items = number(summary.rows);
            let bytes = number(summary.bytes + names_bytes);
            sections.push(NewSnapshot { section, blob: summary.name, sku_blob, items, bytes });
        }
        tally.add_unseen();
        Ok((sections, tally))
    }
}

/// Numbers of the first rows of a snapshot that were left out because their id came again later.
fn left_out(hold: &Hold, written: &SnapshotSummary) -> Result<Vec<u64>, CatalogueFault> {
    let snapshot = Snapshot::open(hold, &written.name)?;
    Ok(snapshot.list_superseded(ROWS_NAMED)?)
}

/// Classifies a fault of the cutter.
fn unusable(fault: FeedFault) -> FeedRejection {
    match &fault {
        FeedFault::Read { source, .. } => FeedRejection::of_io(source),
        FeedFault::Malformed { reason: FaultReason::Truncated | FaultReason::Empty, .. } => {
            FeedRejection::CutOff(fault.to_string())
        }
        FeedFault::Foreign { is_cut_off: true, .. } => FeedRejection::CutOff(fault.to_string()),
        FeedFault::Spool(source) => FeedRejection::Fault(WorkFault::of_reading(source)),
        FeedFault::Malformed { .. } | FeedFault::Foreign { .. } | FeedFault::NotAFeed(_) => {
            FeedRejection::Final(fault.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A receiver of whose calls this one fails, whichever it is, and no other.
    struct FailingSink {
        failing: usize,
        calls: usize,
    }

    impl FailingSink {
        fn call(&mut self) -> Result<(), WorkFault> {
            let is_failed = self.calls == self.failing;
            self.calls += 1;
            if is_failed { Err(WorkFault::LeaseLost) } else { Ok(()) }
        }
    }

    impl FeedSink for FailingSink {
        fn begin_people(&mut self) -> Result<(), WorkFault> {
            self.call()
        }

        fn take_person(&mut self, _: &RawRow<'_>) -> Result<(), WorkFault> {
            self.call()
        }

        fn on_row(&mut self, _: &[Issue]) -> Result<(), WorkFault> {
            self.call()
        }

        fn on_issues(&mut self, _: &[Issue]) -> Result<(), WorkFault> {
            self.call()
        }
    }

    #[test]
    fn reading_ends_with_any_call_that_fails() {
        let folder = tempfile::tempdir().expect("a folder");
        let blobs = Blobs::open(&folder.path().join("blobs")).expect("a folder of files");
        let tag = |_: &str| String::new();
        let context = NormaliserContext { default_currency: None, account_tag: &tag, noticed: None };
        // A row; a section of people, a person and their row; a section that is misspelled.
        let feed = r#"{"Products":[{"Id":"1"}],"Users":[{"UserId":"7"}],"Categoris":[{"Id":"2"}]}"#;
        let read = |failing| {
            let mut rows = FeedRows::new(&blobs, &context, false);
            rows.read_all(&mut feed.as_bytes(), &mut FailingSink { failing, calls: 0 })
        };
        for failing in 0..5 {
            let is_lost = matches!(read(failing), Err(FeedRejection::Fault(WorkFault::LeaseLost)));
            assert!(is_lost, "call {failing}");
        }
        assert!(read(5).is_ok());
    }
}
