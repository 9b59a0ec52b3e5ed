//! Order files: CSV as documented, and as senders really write it, one line of an order after the other.
//!
//! The header line names the columns, in any order, in any case and in all spellings that are in use. Every physical
//! line is one row: nothing in an order holds a line break, so that a stray quotation mark spoils its own row and no
//! other, and memory is bounded by [`limits::FEED_ROW_BYTES`]. Fields are split by `csv-core`, the part of the `csv`
//! crate without buffers: its reader would hold one record of any length.

mod columns;
mod fault;
mod lines;
pub mod values;

#[cfg(test)]
mod tests;

pub use self::fault::OrdersFault;

use std::borrow::Cow;
use std::io::Read;
use std::str;

use rust_decimal::Decimal;

use self::columns::{Column, OrderColumns};
use self::lines::Lines;
use super::fields::misnamed::SuggestedField;
use super::issue::{Issue, IssueCode};
use super::reader::{RawRow, RowOrigin};
use super::section::FeedPart;
use crate::limits;

pub use self::values::{moment, price, quantity};

/// A line of an order: a product that was bought. Texts are trimmed, and empty where there is none.
pub struct OrderLine {
    /// Position among the lines below the header, from 1; blank ones are not counted.
    pub number: u64,
    /// Offset of its first byte in the file.
    pub offset: u64,
    /// The shop's id of the order.
    pub order_id: String,
    /// The shop's id of the customer, or its placeholder for a guest.
    pub user_id: String,
    /// The customer's email address.
    pub email: String,
    /// The shop's id of the customer's company.
    pub account_id: String,
    /// Time of the order, in milliseconds since 1970.
    pub ordered_at: i64,
    /// Id or SKU of the product, also of a variant.
    pub product: String,
    /// Quantity, above 0.
    pub quantity: Decimal,
    /// Price of one, in the shop's own currency.
    pub unit_price: Option<Decimal>,
}

/// A row of an order file.
pub enum OrderRow {
    /// A line of an order.
    Line(OrderLine),
    /// A cancelled order, or a cancelled line.
    Cancelled {
        /// As of [`OrderLine`].
        number: u64,
        /// As of [`OrderLine`].
        offset: u64,
        /// The shop's id of the order.
        order_id: String,
    },
}

/// Reads one order file.
pub struct OrderReader<R> {
    lines: Lines<R>,
    csv: csv_core::Reader,
    columns: OrderColumns,
    number: u64,
    /// The decoded fields of the row, one after the other, and where each ends.
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl<R: Read> OrderReader<R> {
    /// Reads the header line.
    ///
    /// # Errors
    /// When the file is empty, the header lacks a column or names one twice, or the source cannot be read.
    pub fn new(source: R) -> Result<Self, OrdersFault> {
        let mut lines = Lines::new(source);
        let mut csv = csv_core::ReaderBuilder::new().terminator(csv_core::Terminator::Any(b'\n')).build();
        let Some(line) = lines.next_filled()? else { return Err(OrdersFault::Empty) };
        let mut text = Vec::new();
        let mut ends = vec![0; limits::REQUEST_FIELDS];
        let found = if line.is_oversize { None } else { split(&mut csv, line.bytes, &mut text, &mut ends) };
        let columns = OrderColumns::from_header(fields(&text, &ends[..found.unwrap_or(0)]))?;
        ends.resize(columns.count(), 0);
        Ok(Self { lines, csv, columns, number: 0, text, ends })
    }

    /// Issues of the header line, in a file that is still readable.
    pub fn header_issues(&self) -> Vec<Issue> {
        let header =
            RawRow { section: FeedPart::Orders, number: 0, offset: 0, origin: RowOrigin::Feed, json: &[] };
        let issue = |meant: &SuggestedField| {
            Issue::misnamed_field(&header, meant.written.map(Cow::Borrowed), meant.field.name)
        };
        self.columns.near_misses().iter().map(issue).collect()
    }

    /// The next row, or its issue; `None` at the end of the file.
    ///
    /// # Errors
    /// [`OrdersFault::Read`] when the source cannot be read.
    pub fn next_row(&mut self) -> Result<Option<Result<OrderRow, Issue>>, OrdersFault> {
        let Some(line) = self.lines.next_filled()? else { return Ok(None) };
        self.number += 1;
        let number = self.number;
        let offset = line.offset;
        let read = if line.is_oversize {
            Err(OrderRowFault(IssueCode::RowTooLarge, None))
        } else if split(&mut self.csv, line.bytes, &mut self.text, &mut self.ends) == Some(self.ends.len()) {
            let fields: Vec<_> = fields(&self.text, &self.ends).collect();
            CsvRow { columns: &self.columns, fields: &fields }.parse_row(number, offset)
        } else {
            Err(OrderRowFault(IssueCode::OrderRowFields, None))
        };
        Ok(Some(read.map_err(|OrderRowFault(code, column)| Issue {
            code,
            section: FeedPart::Orders,
            row: number,
            offset,
            line: None,
            field: column.map(|column| Cow::Borrowed(column.name())),
            meant: None,
        })))
    }
}

/// Splits the fields of one line; returns their number. `None`: more than `ends` has room for, or quotation marks that
/// are out of place.
fn split(csv: &mut csv_core::Reader, line: &[u8], text: &mut Vec<u8>, ends: &mut [usize]) -> Option<usize> {
    if !is_well_quoted(line) {
        return None;
    }
    csv.reset();
    text.resize(line.len(), 0);
    let (result, read, _, found) = csv.read_record(line, text, ends);
    if result == csv_core::ReadRecordResult::Record && read == line.len() { Some(found) } else { None }
}

/// Returns true if every field that begins with a quotation mark also ends with one. `csv-core` would take `"A4" box`
/// for `A4 box`.
fn is_well_quoted(line: &[u8]) -> bool {
    enum At {
        Start,
        Plain,
        Quoted,
        Mark,
    }
    let mut at = At::Start;
    for byte in line {
        at = match (at, byte) {
            (At::Start | At::Plain | At::Mark, b',' | b'\n') => At::Start,
            (At::Start | At::Mark, b'"') => At::Quoted,
            (At::Quoted, b'"') => At::Mark,
            (At::Quoted, _) => At::Quoted,
            (At::Start | At::Plain, _) => At::Plain,
            (At::Mark, _) => return false,
        };
    }
    matches!(at, At::Start)
}

fn fields<'a>(text: &'a [u8], ends: &'a [usize]) -> impl Iterator<Item = &'a [u8]> {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(ends).map(|(start, end)| text.get(start..*end).unwrap_or_default())
}

/// Reason why a row is bad, and the field at fault if there is one.
struct OrderRowFault(IssueCode, Option<Column>);

/// A row with as many fields as the header has.
struct CsvRow<'a> {
    columns: &'a OrderColumns,
    fields: &'a [&'a [u8]],
}

impl<'a> CsvRow<'a> {
    fn parse_row(&self, number: u64, offset: u64) -> Result<OrderRow, OrderRowFault> {
        let order_id = self.id(Column::Order, IssueCode::OrderIdMissing)?;
        if self.is_cancelled()? {
            return Ok(OrderRow::Cancelled { number, offset, order_id });
        }
        self.line(number, offset, order_id).map(OrderRow::Line)
    }

    /// A row that is marked so, or that has neither a product nor a quantity.
    fn is_cancelled(&self) -> Result<bool, OrderRowFault> {
        let has_line = !self.text(Column::Product)?.is_empty() || !self.text(Column::Quantity)?.is_empty();
        let says = self.text(Column::Cancelled)?.to_ascii_lowercase();
        Ok(!has_line || matches!(says.as_str(), "true" | "1"))
    }

    fn line(&self, number: u64, offset: u64, order_id: String) -> Result<OrderLine, OrderRowFault> {
        let product = self.id(Column::Product, IssueCode::OrderProductMissing)?;
        let refused = |code, column| OrderRowFault(code, Some(column));
        let ordered_at = values::moment(self.text(Column::Date)?)
            .ok_or(refused(IssueCode::OrderDateMalformed, Column::Date))?;
        let quantity = match self.text(Column::Quantity)? {
            "" => Decimal::ONE,
            text => {
                values::quantity(text).ok_or(refused(IssueCode::OrderQuantityMalformed, Column::Quantity))?
            }
        };
        Ok(OrderLine {
            number,
            offset,
            order_id,
            user_id: self.text(Column::User)?.to_owned(),
            email: self.text(Column::Email)?.to_owned(),
            account_id: self.text(Column::Account)?.to_owned(),
            ordered_at,
            product,
            quantity,
            unit_price: self.unit_price(quantity)?,
        })
    }

    /// The price of one; where only the whole line has one, its share.
    fn unit_price(&self, quantity: Decimal) -> Result<Option<Decimal>, OrderRowFault> {
        let refused = |column| OrderRowFault(IssueCode::OrderPriceMalformed, Some(column));
        let price = |column| match self.text(column)? {
            "" => Ok(None),
            text => values::price(text).map(Some).ok_or(refused(column)),
        };
        let unit = price(Column::UnitPrice)?;
        let line = price(Column::LinePrice)?;
        match (unit, line) {
            (None, Some(line)) => {
                values::price_per_piece(line, quantity).map(Some).ok_or(refused(Column::LinePrice))
            }
            (unit, _) => Ok(unit),
        }
    }

    fn id(&self, column: Column, missing: IssueCode) -> Result<String, OrderRowFault> {
        match self.text(column)? {
            "" => Err(OrderRowFault(missing, Some(column))),
            id if id.len() > limits::ITEM_ID_BYTES => Err(OrderRowFault(IssueCode::IdTooLong, Some(column))),
            id => Ok(id.to_owned()),
        }
    }

    /// The text of a column without white space around it; empty when the file does not have the column.
    fn text(&self, column: Column) -> Result<&'a str, OrderRowFault> {
        let field = self.columns.position(column).and_then(|position| self.fields.get(position));
        let text = str::from_utf8(field.copied().unwrap_or_default());
        text.map(str::trim).map_err(|_| OrderRowFault(IssueCode::RowInvalidUtf8, Some(column)))
    }
}
