//! A list of issues, one line each, as JSON or CSV: one code for the server and for `lethe check`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::issue::{Issue, IssueCode};
use super::issue_collector::IssueGroup;
use crate::csv_injection::sheet_cell;

/// Format of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, utoipa::ToSchema)]
pub enum ListFormat {
    /// An object.
    #[schema(rename = "ndjson")]
    Json,
    /// Cells, the first line their names.
    #[schema(rename = "csv")]
    Csv,
}

/// Names of a line's members, and of the columns.
const COLUMNS: [&str; 11] =
    ["Section", "Row", "Offset", "Code", "Severity", "Field", "Count", "Advice", "Page", "Meant", "Line"];

/// One issue of a row; or, without a row, a number of issues that are only counted.
#[derive(Clone, Copy)]
pub struct IssueLine<'a> {
    /// Section of the row.
    pub section: &'a str,
    /// Stable code.
    pub code: &'a str,
    /// `bad` or `warning`.
    pub severity: &'a str,
    /// Number of the row in its section, from 1, and its offset in the decoded feed, in bytes.
    pub place: Option<(u64, u64)>,
    /// Line of the feed on which the row begins, from 1, if it was converted.
    pub line: Option<u64>,
    /// The field.
    pub field: Option<&'a str>,
    /// The documented name that was meant, or the right check digit.
    pub meant: Option<&'a str>,
    /// Number of issues that the line stands for.
    pub count: u64,
}

impl<'a> IssueLine<'a> {
    /// Line for one issue of a row.
    #[must_use]
    pub fn from_issue(issue: &'a Issue) -> Self {
        Self {
            section: issue.section.as_str(),
            code: issue.code.as_str(),
            severity: issue.severity().as_str(),
            place: (issue.row > 0).then_some((issue.row, issue.offset)),
            line: issue.line,
            field: issue.field.as_deref(),
            meant: issue.meant,
            count: 1,
        }
    }

    /// Line for all issues of one code that were counted in a section.
    #[must_use]
    pub fn from_group(counted: &IssueGroup<'_>) -> Self {
        let section = counted.section.as_str();
        let code = counted.code;
        let severity = code.severity().as_str();
        Self {
            section,
            code: code.as_str(),
            severity,
            place: None,
            line: None,
            field: None,
            meant: None,
            count: counted.found,
        }
    }

    /// The line as it is answered, with the advice and the page to read on.
    #[must_use]
    pub fn to_item(&self) -> IssueItem {
        let (row, offset) = self.place.unzip();
        let code = IssueCode::parse(self.code);
        IssueItem {
            section: self.section.to_owned(),
            row,
            offset,
            line: self.line,
            code: self.code.to_owned(),
            severity: self.severity.to_owned(),
            field: self.field.map(str::to_owned),
            count: self.count,
            advice: code.map(IssueCode::advice),
            page: code.map(IssueCode::page),
            meant: self.meant.map(str::to_owned),
        }
    }
}

/// An issue as it is answered.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct IssueItem {
    /// Section of the row.
    section: String,
    /// Number of the row in its section, from 1; null for an issue outside of rows.
    row: Option<u64>,
    /// Start of the row in the decoded feed, in bytes.
    offset: Option<u64>,
    /// Line of the feed on which the row begins, from 1; null in Lethe's own JSON.
    line: Option<u64>,
    /// Stable code; `/docs/issues` explains each.
    code: String,
    /// `bad` or `warning`.
    severity: String,
    /// The field.
    field: Option<String>,
    /// Number of issues that the line stands for.
    count: u64,
    /// Advice to the sender.
    advice: Option<&'static str>,
    /// The page of the server that explains it, such as `/docs/issues/price_malformed`.
    page: Option<&'static str>,
    /// The documented name that was meant; of `gtin_malformed` the check digit that fits.
    meant: Option<String>,
}

/// Writer of the lines.
pub struct IssueWriter<W: Write> {
    out: W,
    format: ListFormat,
    csv: csv_core::Writer,
    is_begun: bool,
    /// Number of issues that were listed, by section and code.
    listed: BTreeMap<(String, String), u64>,
}

impl<W: Write> IssueWriter<W> {
    /// Nothing is written before the first line or the end.
    pub fn new(out: W, format: ListFormat) -> Self {
        Self { out, format, csv: csv_core::Writer::new(), is_begun: false, listed: BTreeMap::new() }
    }

    /// The underlying writer.
    pub fn output_mut(&mut self) -> &mut W {
        &mut self.out
    }

    /// Lists one issue.
    ///
    /// # Errors
    /// When the line cannot be written.
    pub fn line(&mut self, line: &IssueLine<'_>) -> io::Result<()> {
        *self.listed.entry((line.section.to_owned(), line.code.to_owned())).or_default() += line.count;
        self.begin()?;
        let object = json!(line.to_item());
        match self.format {
            ListFormat::Json => writeln!(self.out, "{object}"),
            ListFormat::Csv => self.csv_line(&COLUMNS.map(|name| cell(&object[name]))),
        }
    }

    /// Adds one line without a row for each kind of issue that was counted but not listed, so that the counts
    /// of all lines add up to all issues. Then ends the list.
    ///
    /// # Errors
    /// When a line cannot be written.
    pub fn end<'a>(&mut self, counts: impl Iterator<Item = IssueLine<'a>>) -> io::Result<()> {
        for counted in counts {
            let key = (counted.section.to_owned(), counted.code.to_owned());
            let listed = self.listed.get(&key).copied().unwrap_or(0);
            if counted.count > listed {
                self.line(&IssueLine { count: counted.count - listed, ..counted })?;
            }
        }
        self.begin()?;
        self.out.flush()
    }

    fn begin(&mut self) -> io::Result<()> {
        if !std::mem::replace(&mut self.is_begun, true) && self.format == ListFormat::Csv {
            self.csv_line(&COLUMNS.map(str::to_owned))?;
        }
        Ok(())
    }

    fn csv_line(&mut self, cells: &[String]) -> io::Result<()> {
        // A quote or a quotation mark may stand between any two writes: room for a few bytes is enough for progress.
        let mut buffer = [0; 512];
        for (number, cell) in cells.iter().enumerate() {
            if number > 0 {
                let (_, written) = self.csv.delimiter(&mut buffer);
                self.out.write_all(&buffer[..written])?;
            }
            let mut rest = cell.as_bytes();
            loop {
                let (result, read, written) = self.csv.field(rest, &mut buffer);
                self.out.write_all(&buffer[..written])?;
                rest = &rest[read..];
                if result == csv_core::WriteResult::InputEmpty {
                    break;
                }
            }
        }
        let (_, written) = self.csv.terminator(&mut buffer);
        self.out.write_all(&buffer[..written])
    }
}

/// A cell. Field names come from the feed: a name that a spreadsheet would run as a formula becomes plain text.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => sheet_cell(text),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feeds::issue_collector::IssueCollector;
    use crate::feeds::section::FeedPart;

    fn listed(format: ListFormat, field: &str) -> String {
        let mut listing = IssueWriter::new(Vec::new(), format);
        let field = Some(field.to_owned().into());
        let issue = Issue {
            code: IssueCode::DuplicateKey,
            section: FeedPart::PRODUCTS,
            row: 2,
            offset: 9,
            line: None,
            field,
            meant: None,
        };
        let mut found = IssueCollector::default();
        found.add(&mut vec![issue.clone()]);
        found.count(FeedPart::BRANDS, IssueCode::DuplicateId, 3, &[]);
        listing.line(&IssueLine::from_issue(&issue)).expect("memory");
        listing.end(found.counts().map(|counted| IssueLine::from_group(&counted))).expect("memory");
        String::from_utf8(std::mem::take(listing.output_mut())).expect("text")
    }

    #[test]
    fn a_csv_has_its_columns_and_quotes_what_parts_them() {
        let lines = listed(ListFormat::Csv, "a \"b\", c");
        let expected = "Section,Row,Offset,Code,Severity,Field,Count,Advice,Page,Meant,Line\n\
                        Products,2,9,duplicate_key,bad,\"a \"\"b\"\", c\",1,\"Send each field";
        assert!(lines.starts_with(expected), "{lines}");
        assert!(lines.contains("\nBrands,,,duplicate_id,warning,,3,"), "{lines}");
        assert!(lines.ends_with(",/docs/issues/duplicate_id,,\n"), "{lines}");
    }

    #[test]
    fn no_field_name_is_a_formula_in_a_spreadsheet() {
        for name in ["=1+1", "+1", "-1", "@SUM(A1)", "\t1", "\r1"] {
            let lines = listed(ListFormat::Csv, name);
            let field = lines.split(",bad,").nth(1).expect("a line").trim_start_matches('"');
            assert!(field.starts_with(&format!("'{name}")), "{lines}");
        }
        assert!(listed(ListFormat::Json, "=1+1").contains(r#""Field":"=1+1""#), "JSON stays as it is");
    }

    #[test]
    fn every_line_of_json_is_an_object_with_all_columns() {
        let lines = listed(ListFormat::Json, "f");
        assert_eq!(lines.lines().count(), 2);
        for line in lines.lines() {
            let object: Value = serde_json::from_str(line).expect("JSON");
            assert!(COLUMNS.iter().all(|name| object.get(name).is_some()), "{line}");
        }
    }

    #[test]
    fn a_long_cell_is_written_whole() {
        let name = "\"x\"".repeat(400);
        let lines = listed(ListFormat::Csv, &name);
        assert!(lines.contains(&format!("\"{}\"", name.replace('"', "\"\""))), "{lines}");
    }

    #[test]
    fn issues_that_were_counted_and_not_listed_stand_in_one_line_at_the_end() {
        let issues = [0, 1].map(|row| Issue::oversize(FeedPart::PRODUCTS, row, 7));
        let mut found = IssueCollector::default();
        found.add(&mut issues.to_vec());
        found.count(FeedPart::PRODUCTS, IssueCode::RowTooLarge, 3, &[]);
        let mut listing = IssueWriter::new(Vec::new(), ListFormat::Json);
        for issue in &issues {
            listing.line(&IssueLine::from_issue(issue)).expect("memory");
        }
        listing.end(found.counts().map(|counted| IssueLine::from_group(&counted))).expect("memory");
        let lines = String::from_utf8(std::mem::take(listing.output_mut())).expect("text");
        let told: Vec<Value> = lines
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
            .map(|line| json!([line["Row"], line["Offset"], line["Count"]]))
            .collect();
        assert_eq!(told, [json!([null, null, 1]), json!([1, 7, 1]), json!([null, null, 3])]);
    }

    #[test]
    fn a_list_without_issues_has_its_columns_all_the_same() {
        for (format, expected) in
            [(ListFormat::Csv, COLUMNS.join(",") + "\n"), (ListFormat::Json, String::new())]
        {
            let mut listing = IssueWriter::new(Vec::<u8>::new(), format);
            listing.end(std::iter::empty()).expect("memory");
            assert_eq!(String::from_utf8_lossy(listing.output_mut()), expected);
        }
    }
}
