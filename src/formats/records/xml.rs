//! Records of XML: items of RSS, entries of Atom.
//!
//! The column of a value is the local name of its element; that of a nested element is `shipping(country)`, and
//! `shipping(tax.rate)` below it. Where elements with and without a prefix make the same column, the prefixed values
//! come first. No entity is defined or fetched: a document type with declarations is refused.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use quick_xml::Reader;
use quick_xml::errors::Error;
use quick_xml::events::{BytesStart, Event};

use super::counted_text::CountedText;
use super::decoded_text::WINDOW_BYTES;
use super::fault::RecordFault;
use super::headings::Headings;
use super::record::{FeedRecord, RecordFinding, RecordSource};
use super::xml_item::XmlItem;
use super::xml_start::{find_xml_start, has_xml_feed, is_xml_record};
use crate::feeds::IssueCode;
use crate::limits::FEED_ROW_BYTES;

/// Deepest nesting inside a record, and around one.
const DEPTH_LEVELS: usize = 16;

const TOO_LARGE: &str = "an element or a record is larger than 4 MiB; it was probably not closed";
const TOO_DEEP: &str = "elements are nested more than 16 deep; send items of RSS or entries of Atom";
const HAS_DECLARATIONS: &str = "the document type declares entities or elements; send the feed without them";
const BAD_NESTING: &str = "the XML is broken here; write the feed by an XML library";
const SECOND_DOCUMENT: &str = "another document begins after the end of the feed; send one document";

/// Records of XML.
pub struct XmlRecords<R: Read> {
    reader: Reader<CountedText<R>>,
    /// Text of the current event.
    event: Vec<u8>,
    /// Open elements around the records.
    depth: usize,
    /// Open elements of the current record.
    item: XmlItem,
    /// Repaired places before the current record.
    repairs: u64,
    stage: Stage,
    number: u64,
}

/// Part of the file that is read next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Before the document.
    Prologue,
    /// In the document.
    Document,
    /// Behind it.
    End,
}

impl<R: Read> XmlRecords<R> {
    /// Reads the document in `source`, decoded text.
    #[must_use]
    pub fn new(source: R) -> Self {
        let mut reader = Reader::from_reader(CountedText::with_repair(source));
        reader.config_mut().allow_dangling_amp = true;
        let item = XmlItem::default();
        Self { reader, event: Vec::new(), depth: 0, item, repairs: 0, stage: Stage::Prologue, number: 0 }
    }

    /// Skips warnings that a shop's system writes before the document.
    fn skip_prologue(&mut self) -> Result<(), RecordFault> {
        let text = self.reader.get_mut();
        let window = text.peek(WINDOW_BYTES)?;
        let start = find_xml_start(window);
        text.consume(start);
        self.stage = Stage::Document;
        Ok(())
    }

    /// Reads what follows the document, so that errors of the source are met; another document is refused.
    fn skip_epilogue(&mut self) -> Result<(), RecordFault> {
        self.stage = Stage::End;
        let text = self.reader.get_mut();
        loop {
            let window = text.peek(WINDOW_BYTES)?;
            if has_xml_feed(window) {
                return Err(text.report_malformed(SECOND_DOCUMENT));
            }
            // A beginning that the window cuts is seen whole in the next one.
            let overlap = if window.len() < WINDOW_BYTES { 0 } else { 16 };
            let count = window.len() - overlap;
            if count == 0 {
                return Ok(());
            }
            text.consume(count);
        }
    }

    fn read_item(&mut self, headings: &mut Headings, record: &mut FeedRecord) -> Result<bool, RecordFault> {
        if self.stage == Stage::Prologue {
            self.skip_prologue()?;
        }
        while self.stage == Stage::Document {
            if self.read_event(headings, record)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reads one event; true at the end of a record.
    fn read_event(&mut self, headings: &mut Headings, record: &mut FeedRecord) -> Result<bool, RecordFault> {
        let text = self.reader.get_mut();
        if self.item.depth == 0 {
            text.set_allowance(FEED_ROW_BYTES);
        }
        text.mark();
        let mut buffer = std::mem::take(&mut self.event);
        buffer.clear();
        let outcome = match self.reader.read_event_into(&mut buffer) {
            Ok(ref event) => self.take_event(event, headings, record),
            Err(error) => Err(explain_error(error, self.reader.get_mut())),
        };
        self.event = buffer;
        outcome
    }

    fn take_event(
        &mut self,
        event: &Event<'_>,
        headings: &mut Headings,
        record: &mut FeedRecord,
    ) -> Result<bool, RecordFault> {
        match event {
            Event::Start(tag) => self.open_element(tag, record)?,
            Event::Empty(tag) => {
                self.open_element(tag, record)?;
                return self.close_element(headings, record);
            }
            Event::End(_) => return self.close_element(headings, record),
            Event::Text(text) => self.item.push_text(text),
            Event::CData(text) => self.item.push_text(text),
            Event::GeneralRef(name) => self.item.push_entity(name),
            Event::DocType(text) if text.contains('[') => {
                return Err(report_event(HAS_DECLARATIONS, self.reader.get_mut()));
            }
            Event::Eof => return Err(self.reader.get_mut().report_truncated()),
            _ => {}
        }
        Ok(false)
    }

    fn open_element(&mut self, tag: &BytesStart<'_>, record: &mut FeedRecord) -> Result<(), RecordFault> {
        if self.item.depth > DEPTH_LEVELS || self.depth >= DEPTH_LEVELS {
            return Err(report_event(TOO_DEEP, self.reader.get_mut()));
        }
        if self.item.depth > 0 {
            self.item.open(tag);
        } else if is_xml_record(tag.local_name().as_ref().as_bytes()) {
            self.item.open(tag);
            let text = self.reader.get_mut();
            self.repairs = text.count_repairs();
            record.place = text.marked_place(self.number + 1);
        } else {
            self.depth += 1;
        }
        Ok(())
    }

    /// Closes the innermost element; true if that is a record.
    fn close_element(
        &mut self,
        headings: &mut Headings,
        record: &mut FeedRecord,
    ) -> Result<bool, RecordFault> {
        let is_inside = self.item.depth > 0;
        if is_inside {
            self.item.close(headings, record)?;
        } else {
            self.depth = self.depth.saturating_sub(1);
        }
        let is_outside = self.item.depth == 0;
        if is_inside && is_outside {
            self.number += 1;
            self.item.finish(record);
            if self.reader.get_mut().count_repairs() > self.repairs {
                record.findings.push(RecordFinding { code: IssueCode::TextNotUtf8, column: String::new() });
            }
        }
        if is_outside && self.depth == 0 {
            self.skip_epilogue()?;
        }
        Ok(is_inside && is_outside)
    }
}

impl<R: Read> RecordSource for XmlRecords<R> {
    fn read_record(&mut self, headings: &mut Headings, record: &mut FeedRecord) -> Result<bool, RecordFault> {
        record.start_next();
        let outcome = self.read_item(headings, record);
        if !matches!(outcome, Ok(true)) {
            record.values.clear();
        }
        outcome
    }
}

/// The text is broken by the current event.
fn report_event<R: Read>(reason: &'static str, text: &mut CountedText<R>) -> RecordFault {
    let place = text.marked_place(0);
    RecordFault::Malformed { reason, line: place.line, offset: place.offset }
}

/// Fault that an error of quick-xml means.
fn explain_error<R: Read>(error: Error, text: &mut CountedText<R>) -> RecordFault {
    match error {
        Error::Io(_) if text.is_allowance_used() => report_event(TOO_LARGE, text),
        Error::Io(source) => {
            let source = Arc::try_unwrap(source).unwrap_or_else(|source| io::Error::from(source.kind()));
            RecordFault::Read { offset: text.offset(), source }
        }
        Error::Syntax(_) if text.is_at_end() => text.report_truncated(),
        _ => report_event(BAD_NESTING, text),
    }
}

#[cfg(test)]
#[path = "xml_tests.rs"]
mod tests;
