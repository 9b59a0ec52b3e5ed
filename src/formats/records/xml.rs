//! Records of XML: items of RSS, entries of Atom.
//!
//! The column of a value is the local name of its element; that of a nested element is `shipping(country)`, and
//! `shipping(tax.rate)` below it. No entity is defined or fetched: a document type with declarations is refused.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use quick_xml::Reader;
use quick_xml::errors::Error;
use quick_xml::events::{BytesStart, Event};

use super::decoded_text::{
    CountedText, WINDOW_BYTES, find_xml_start, has_xml_feed, is_xml_record, limit_name, write_value,
};
use super::fault::RecordFault;
use super::headings::Headings;
use super::record::{Record, RecordFinding, RecordSource};
use crate::feeds::IssueCode;
use crate::formats::draft_row::RecordPlace;
use crate::limits::FEED_ROW_BYTES;

/// Deepest nesting inside a record, and around one.
const DEPTH_LEVELS: usize = 16;
/// Longest name of an entity, between `&` and `;`.
const ENTITY_BYTES: usize = 40;
/// Elements of HTML that stand in descriptions without CDATA; they are kept as markup of the text around them.
const MARKUP: [&str; 28] = [
    "a",
    "b",
    "blockquote",
    "br",
    "div",
    "em",
    "font",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "img",
    "li",
    "ol",
    "p",
    "pre",
    "span",
    "strong",
    "table",
    "tbody",
    "td",
    "th",
    "tr",
    "ul",
];

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
        Self { reader, event: Vec::new(), depth: 0, item, stage: Stage::Prologue, number: 0 }
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

    fn read_item(&mut self, headings: &mut Headings, record: &mut Record) -> Result<bool, RecordFault> {
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
    fn read_event(&mut self, headings: &mut Headings, record: &mut Record) -> Result<bool, RecordFault> {
        let text = self.reader.get_mut();
        if self.item.depth == 0 {
            text.set_allowance(FEED_ROW_BYTES);
        }
        let place = RecordPlace { number: self.number + 1, line: text.line(), offset: text.offset() };
        let mut buffer = std::mem::take(&mut self.event);
        buffer.clear();
        let outcome = match self.reader.read_event_into(&mut buffer) {
            Ok(event) => self.take_event(event, place, headings, record),
            Err(error) => Err(explain_error(error, self.reader.get_ref(), place)),
        };
        self.event = buffer;
        outcome
    }

    fn take_event(
        &mut self,
        event: Event<'_>,
        place: RecordPlace,
        headings: &mut Headings,
        record: &mut Record,
    ) -> Result<bool, RecordFault> {
        match event {
            Event::Start(tag) => self.open_element(&tag, place, record)?,
            Event::Empty(tag) => {
                self.open_element(&tag, place, record)?;
                return self.close_element(headings, record);
            }
            Event::End(_) => return self.close_element(headings, record),
            Event::Text(text) => self.item.push_all(&[&text]),
            Event::CData(text) => self.item.push_all(&[&text]),
            Event::GeneralRef(name) => self.item.push_entity(&name),
            Event::DocType(text) if text.contains('[') => {
                return Err(report_malformed(HAS_DECLARATIONS, place));
            }
            Event::Eof => return Err(self.reader.get_ref().report_truncated()),
            _ => {}
        }
        Ok(false)
    }

    fn open_element(
        &mut self,
        tag: &BytesStart<'_>,
        place: RecordPlace,
        record: &mut Record,
    ) -> Result<(), RecordFault> {
        if self.item.depth > DEPTH_LEVELS || self.depth >= DEPTH_LEVELS {
            return Err(report_malformed(TOO_DEEP, place));
        }
        if self.item.depth > 0 {
            self.item.open(tag);
        } else if is_xml_record(tag.local_name().as_ref().as_bytes()) {
            self.item.open(tag);
            self.item.count = 0;
            self.item.repairs = self.reader.get_ref().repairs();
            record.place = place;
        } else {
            self.depth += 1;
        }
        Ok(())
    }

    /// Closes the innermost element; true if that is a record.
    fn close_element(&mut self, headings: &mut Headings, record: &mut Record) -> Result<bool, RecordFault> {
        let is_inside = self.item.depth > 0;
        if is_inside {
            self.item.close(headings, record)?;
        } else {
            self.depth = self.depth.saturating_sub(1);
        }
        let is_outside = self.item.depth == 0;
        if is_inside && is_outside {
            self.number += 1;
            record.values.truncate(self.item.count);
            if self.reader.get_ref().repairs() > self.item.repairs {
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
    fn read_record(&mut self, headings: &mut Headings, record: &mut Record) -> Result<bool, RecordFault> {
        record.findings.clear();
        record.json = None;
        let outcome = self.read_item(headings, record);
        if !matches!(outcome, Ok(true)) {
            record.values.clear();
        }
        outcome
    }
}

/// Open elements of a record and their texts.
#[derive(Default)]
struct XmlItem {
    /// Elements from the record's own inwards; more than `depth`, so that their memory is used again.
    elements: Vec<Element>,
    /// Number of open elements; 0 outside a record.
    depth: usize,
    /// Columns of the values of former records by their order: the next record mostly has the same.
    columns: Vec<usize>,
    /// Name of a nested element's column, while it is looked up.
    path: String,
    /// Number of values of the record so far.
    count: usize,
    /// Repaired places before the record.
    repairs: u64,
}

/// An open element.
#[derive(Default)]
struct Element {
    name: String,
    text: String,
    /// The name is the whole column, wherever the element is nested.
    is_column: bool,
    /// It is HTML in the text of the element around it.
    is_markup: bool,
}

impl XmlItem {
    fn open(&mut self, tag: &BytesStart<'_>) {
        let name = tag.local_name();
        let name: &str = name.as_ref();
        let is_markup = self.depth >= 2
            && (self.innermost().is_some_and(|element| element.is_markup)
                || (tag.name().prefix().is_none() && MARKUP.contains(&name)));
        if is_markup {
            self.push_all(&["<", name, ">"]);
        }
        if self.elements.len() == self.depth {
            self.elements.push(Element::default());
        }
        let is_field = self.depth > 0 && !is_markup;
        if let Some(element) = self.elements.get_mut(self.depth) {
            element.name.clear();
            element.name.push_str(limit_name(name));
            element.text.clear();
            element.is_column = false;
            element.is_markup = is_markup;
            if is_field {
                element.read_attributes(tag);
            }
        }
        self.depth += 1;
    }

    fn innermost(&self) -> Option<&Element> {
        self.elements.get(self.depth.checked_sub(1)?)
    }

    /// Adds parts to the text of the innermost element that is no markup; the record itself has none.
    fn push_all(&mut self, parts: &[&str]) {
        let open = self.elements.get_mut(1..self.depth).unwrap_or_default();
        if let Some(element) = open.iter_mut().rev().find(|element| !element.is_markup) {
            element.text.extend(parts.iter().copied());
        }
    }

    /// Adds the letter that an entity means; an unknown one stays as written.
    fn push_entity(&mut self, name: &str) {
        let decoded;
        let text = match name {
            "amp" => "&",
            "lt" => "<",
            "gt" => ">",
            "quot" => "\"",
            "apos" => "'",
            _ if name.len() > ENTITY_BYTES => return self.push_all(&["&", name, ";"]),
            _ => {
                decoded = format!("&{name};");
                &html_escape::decode_html_entities(&decoded)
            }
        };
        self.push_all(&[text]);
    }

    fn close(&mut self, headings: &mut Headings, record: &mut Record) -> Result<(), RecordFault> {
        self.depth = self.depth.saturating_sub(1);
        let Some(element) = self.elements.get_mut(self.depth).filter(|_| self.depth > 0) else {
            return Ok(());
        };
        if element.is_markup {
            let name = std::mem::take(&mut element.name);
            if !matches!(name.as_str(), "br" | "hr" | "img") {
                self.push_all(&["</", &name, ">"]);
            }
            return Ok(());
        }
        if element.text.contains('\0') {
            element.text.retain(|letter| letter != '\0');
        }
        if element.text.trim().is_empty() {
            return Ok(());
        }
        let column = self.find_column(headings, self.count)?;
        let text = self.elements.get(self.depth).map_or("", |element| element.text.trim());
        self.count += usize::from(write_value(&mut record.values, self.count, column, text));
        Ok(())
    }

    /// Column of the element that was just closed, the value number `index` of its record.
    fn find_column(&mut self, headings: &mut Headings, index: usize) -> Result<usize, RecordFault> {
        let open = self.elements.get(1..=self.depth).unwrap_or_default();
        let first = open.iter().rposition(|element| element.is_column).unwrap_or(0);
        let open = open.get(first..).unwrap_or_default();
        let name = match open {
            [element] => element.name.as_str(),
            _ => {
                self.path.clear();
                for (level, element) in open.iter().enumerate() {
                    self.path.push_str(["", "(", "."].get(level).unwrap_or(&"."));
                    self.path.push_str(&element.name);
                }
                self.path.push(')');
                limit_name(&self.path)
            }
        };
        if let Some(column) = self.columns.get(index).filter(|column| headings.name(**column) == name) {
            return Ok(*column);
        }
        let column = headings.intern(name)?;
        match self.columns.get_mut(index) {
            Some(known) => *known = column,
            None => self.columns.push(column),
        }
        Ok(column)
    }
}

impl Element {
    /// Reads values that stand in attributes: the address of a link, the term of a category, the name of an attribute.
    fn read_attributes(&mut self, tag: &BytesStart<'_>) {
        match self.name.as_str() {
            "link" => {
                let relation = find_attribute(tag, "rel");
                if relation.is_none_or(|relation| relation == "alternate") {
                    self.text = find_attribute(tag, "href").unwrap_or_default();
                }
            }
            "category" => self.text = find_attribute(tag, "term").unwrap_or_default(),
            "attribute" | "param" => {
                let name = find_attribute(tag, "name").unwrap_or_default();
                if !name.trim().is_empty() {
                    self.name = limit_name(name.trim()).to_owned();
                    self.is_column = true;
                }
            }
            _ => {}
        }
    }
}

/// Value of an attribute. Its names are not checked for repetition, which would compare each with all.
fn find_attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = tag.attributes();
    let found = attributes.with_checks(false).flatten().find(|attribute| attribute.key.as_ref() == name)?;
    Some(html_escape::decode_html_entities(found.value.as_ref()).into_owned())
}

const fn report_malformed(reason: &'static str, place: RecordPlace) -> RecordFault {
    RecordFault::Malformed { reason, line: place.line, offset: place.offset }
}

/// Fault that an error of quick-xml means; the event that failed begins at `place`.
fn explain_error<R: Read>(error: Error, text: &CountedText<R>, place: RecordPlace) -> RecordFault {
    let line = text.line();
    let offset = text.offset();
    match error {
        Error::Io(_) if text.is_allowance_used() => report_malformed(TOO_LARGE, place),
        Error::Io(source) => {
            let source = Arc::try_unwrap(source).unwrap_or_else(|source| io::Error::from(source.kind()));
            RecordFault::Read { offset, source }
        }
        Error::Syntax(_) if text.is_at_end() => RecordFault::Truncated { line, offset },
        _ => report_malformed(BAD_NESTING, place),
    }
}

#[cfg(test)]
#[path = "xml_tests.rs"]
mod tests;
