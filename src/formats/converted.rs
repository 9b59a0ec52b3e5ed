//! A feed of another system as pieces of Lethe's own: products first, then the categories and brands that they name.

use std::collections::VecDeque;
use std::io::{self, Read};

use super::conversion_options::ConversionOptions;
use super::derived_items::DerivedItems;
use super::detect::DetectedFeed;
use super::draft_row::{DraftIssue, DraftRow, RecordPlace, RowRole};
use super::grouping::merge::{MergedProduct, merge_group};
use super::grouping::product_json::write_product;
use super::grouping::row_spool::{GroupPart, RowGroups, RowSpool};
use super::record_mapping::RecordMapping;
use super::records::fault::RecordFault;
use super::records::headings::Headings;
use super::records::record::{FeedRecord, RecordSource};
use crate::blobs::Blobs;
use crate::feeds::feed_format::FeedFormat;
use crate::feeds::section::FeedPart;
use crate::feeds::{FeedFault, FeedPiece, Issue, IssueCode, RawRow, RowOrigin, Severity};

/// Reader of a foreign feed.
pub struct ConvertedFeed<'a> {
    format: FeedFormat,
    source: Box<dyn RecordSource + 'a>,
    mapping: RecordMapping<'a>,
    blobs: Blobs,
    headings: Headings,
    record: FeedRecord,
    drafts: Vec<DraftRow>,
    step: Step,
    categories: DerivedItems,
    brands: DerivedItems,
    queue: VecDeque<QueuedPiece>,
    /// Bytes of the row that was given last.
    row: Box<[u8]>,
}

/// Progress through the feed.
enum Step {
    Start,
    /// Reading records; rows of products that may have others wait in the spool.
    Records(Option<Box<RowSpool>>),
    /// Giving the products of the spool.
    Groups(Option<Box<RowGroups>>),
    Categories,
    Brands,
    End,
    Failed(FailedFeed),
}

/// The fault that ended the reading, for each further call.
#[derive(Clone)]
struct FailedFeed {
    sentence: String,
    is_cut_off: bool,
}

/// A piece that waits to be given.
enum QueuedPiece {
    Section(FeedPart),
    Issue(Issue),
    Row { section: FeedPart, number: u64, offset: u64, origin: RowOrigin, json: Box<[u8]> },
}

impl<'a> ConvertedFeed<'a> {
    /// Reads `source`, which begins as `detected` says.
    ///
    /// # Errors
    /// [`FeedFault`] when its beginning cannot be read or understood.
    pub fn open(
        source: Box<dyn Read + 'a>,
        detected: DetectedFeed,
        blobs: &Blobs,
        options: &ConversionOptions<'a>,
    ) -> Result<Self, FeedFault> {
        let format = detected.format;
        let mut headings = Headings::default();
        let opened = RecordMapping::open(source, detected, options, &mut headings);
        let (source, mapping) = opened.map_err(|fault| into_feed_fault(format, fault))?;
        Ok(Self {
            format,
            source,
            mapping,
            blobs: blobs.clone(),
            headings,
            record: FeedRecord::default(),
            drafts: Vec::new(),
            step: Step::Start,
            categories: DerivedItems::default(),
            brands: DerivedItems::default(),
            queue: VecDeque::new(),
            row: Box::default(),
        })
    }

    /// Format of the feed.
    #[must_use]
    pub fn format(&self) -> FeedFormat {
        self.format
    }

    /// The next piece; `None` once the feed has ended well.
    ///
    /// # Errors
    /// As [`super::feed_source::OpenedFeed::next_piece`].
    pub fn next_piece(&mut self) -> Result<Option<FeedPiece<'_>>, FeedFault> {
        while self.queue.is_empty() {
            if matches!(self.step, Step::End) {
                return Ok(None);
            }
            self.advance()?;
        }
        Ok(self.queue.pop_front().map(|piece| match piece {
            QueuedPiece::Section(section) => FeedPiece::Section(section),
            QueuedPiece::Issue(issue) => FeedPiece::Issue(issue),
            QueuedPiece::Row { section, number, offset, origin, json } => {
                self.row = json;
                FeedPiece::Row(RawRow { section, number, offset, origin, json: &self.row })
            }
        }))
    }

    fn advance(&mut self) -> Result<(), FeedFault> {
        match std::mem::replace(&mut self.step, Step::End) {
            Step::Start => {
                self.queue.push_back(QueuedPiece::Section(FeedPart::PRODUCTS));
                self.step = Step::Records(None);
            }
            Step::Records(spool) => self.take_record(spool)?,
            Step::Groups(groups) => self.take_group(groups)?,
            Step::Categories => {
                let items = std::mem::take(&mut self.categories);
                self.queue_derived(FeedPart::CATEGORIES, items);
                self.step = Step::Brands;
            }
            Step::Brands => {
                let items = std::mem::take(&mut self.brands);
                self.queue_derived(FeedPart::BRANDS, items);
            }
            Step::End => {}
            Step::Failed(failed) => {
                let FailedFeed { sentence, is_cut_off } = failed.clone();
                self.step = Step::Failed(failed);
                return Err(FeedFault::Foreign { format: self.format.title(), sentence, is_cut_off });
            }
        }
        Ok(())
    }

    fn take_record(&mut self, mut spool: Option<Box<RowSpool>>) -> Result<(), FeedFault> {
        let read = self.source.read_record(&mut self.headings, &mut self.record);
        match read {
            Ok(true) => {}
            Ok(false) => {
                let groups =
                    spool.map(|spool| spool.into_groups().map(Box::new)).transpose().map_err(disk_fault)?;
                self.step = Step::Groups(groups);
                return Ok(());
            }
            Err(fault) => {
                let fault = into_feed_fault(self.format, fault);
                if let FeedFault::Foreign { sentence, is_cut_off, .. } = &fault {
                    let failed = FailedFeed { sentence: sentence.clone(), is_cut_off: *is_cut_off };
                    self.step = Step::Failed(failed);
                }
                return Err(fault);
            }
        }
        let place = self.record.place;
        let mut is_bad = false;
        for finding in std::mem::take(&mut self.record.findings) {
            is_bad |= finding.code.severity() == Severity::Bad;
            self.queue_issue(place, finding.code, &finding.column);
        }
        if !is_bad {
            let mut drafts = std::mem::take(&mut self.drafts);
            self.mapping.map_record(&self.headings, &self.record, &mut drafts);
            let kept = drafts.drain(..).try_for_each(|draft| self.take_draft(draft, &mut spool));
            self.drafts = drafts;
            kept.map_err(disk_fault)?;
        }
        self.step = Step::Records(spool);
        Ok(())
    }

    /// A product on its own is given at once; a row of a product waits for the others.
    fn take_draft(&mut self, mut draft: DraftRow, spool: &mut Option<Box<RowSpool>>) -> io::Result<()> {
        for DraftIssue { code, column } in std::mem::take(&mut draft.issues) {
            self.queue_issue(draft.place, code, &column);
        }
        // Parents of Magento list their variants, whose own rows name nobody: each row may be one.
        let is_perhaps_listed = self.format == FeedFormat::Magento;
        let own_key = || draft.sku.clone().filter(|_| is_perhaps_listed);
        if let Some(group) = draft.group.take().or_else(own_key) {
            let spool = match spool {
                Some(spool) => spool,
                none => none.insert(Box::new(RowSpool::create(&self.blobs)?)),
            };
            return spool.push(&group, &draft);
        }
        if draft.is_hidden || draft.is_variant_only {
            self.queue_issue(draft.place, IssueCode::ProductNotPublished, "");
        } else if draft.role == RowRole::Item {
            self.queue_product(MergedProduct { product: draft, variants: Vec::new() });
        }
        Ok(())
    }

    fn take_group(&mut self, groups: Option<Box<RowGroups>>) -> Result<(), FeedFault> {
        self.step = Step::Categories;
        let Some(mut groups) = groups else { return Ok(()) };
        let Some(group) = groups.next_group().map_err(disk_fault)? else { return Ok(()) };
        self.step = Step::Groups(Some(groups));
        let place = group.rows.first().map(|row| row.place).unwrap_or_default();
        let is_further = group.part == GroupPart::Further;
        let products = merge_group(group, self.mapping.group_rule());
        if products.is_empty() && !is_further {
            self.queue_issue(place, IssueCode::ProductNotPublished, "");
        }
        products.into_iter().for_each(|product| self.queue_product(product));
        Ok(())
    }

    fn queue_product(&mut self, mut merged: MergedProduct) {
        let place = merged.product.place;
        for DraftIssue { code, column } in std::mem::take(&mut merged.product.issues) {
            self.queue_issue(place, code, &column);
        }
        let brand = merged.product.brand.as_deref().map(|title| self.brands.add_brand(title));
        let paths = merged.product.categories.iter();
        let categories: Vec<String> = paths.map(|path| self.categories.add_category(path)).collect();
        let row = write_product(&merged, brand.as_deref(), &categories);
        let json = serde_json::Value::Object(row).to_string().into_bytes().into_boxed_slice();
        let RecordPlace { number, line, offset } = place;
        let origin = RowOrigin::Line(line);
        self.queue.push_back(QueuedPiece::Row { section: FeedPart::PRODUCTS, number, offset, origin, json });
    }

    fn queue_derived(&mut self, section: FeedPart, items: DerivedItems) {
        let rows = items.into_rows();
        if !rows.is_empty() {
            self.queue.push_back(QueuedPiece::Section(section));
        }
        for (number, json) in (1..).zip(rows) {
            let origin = RowOrigin::Derived;
            self.queue.push_back(QueuedPiece::Row { section, number, offset: 0, origin, json });
        }
    }

    fn queue_issue(&mut self, place: RecordPlace, code: IssueCode, column: &str) {
        let RecordPlace { number, line, offset } = place;
        let origin = RowOrigin::Line(line);
        let row = RawRow { section: FeedPart::PRODUCTS, number, offset, origin, json: &[] };
        self.queue.push_back(QueuedPiece::Issue(Issue::of_column(&row, code, column)));
    }
}

fn disk_fault(source: io::Error) -> FeedFault {
    FeedFault::Spool(source)
}

fn into_feed_fault(format: FeedFormat, fault: RecordFault) -> FeedFault {
    match fault {
        RecordFault::Read { offset, source } => FeedFault::Read { offset, source },
        other => FeedFault::Foreign {
            format: format.title(),
            is_cut_off: matches!(other, RecordFault::Truncated { .. }),
            sentence: other.to_string(),
        },
    }
}
