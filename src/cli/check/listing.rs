//! Every issue of a feed, one line each, as it is found: JSON or CSV.

use std::io::{self, BufWriter, Stdout, Write};

use serde_json::Value;

use super::report;
use crate::feeds::found::Found;
use crate::feeds::issue::{Issue, IssueCode};

/// How a line is written.
#[derive(Clone, Copy)]
pub enum Format {
    /// An object.
    Json,
    /// Cells, the first line their names.
    Csv,
}

/// Where the lines go.
pub struct Listing<W: Write = Stdout> {
    out: BufWriter<W>,
    format: Format,
    is_begun: bool,
}

impl<W: Write> Listing<W> {
    /// Nothing is written before the first issue or the end.
    pub fn new(out: W, format: Format) -> Self {
        Self { out: BufWriter::with_capacity(1 << 16, out), format, is_begun: false }
    }

    /// Lists an issue of a row.
    pub fn row(&mut self, issue: &Issue) -> io::Result<()> {
        self.line(report::issue(issue), 1)
    }

    /// Lists what was only found on whole sections, and ends.
    pub fn end(mut self, found: &Found) -> io::Result<()> {
        for (section, code, _, count) in found.counts().filter(|(_, code, ..)| is_of_section(code)) {
            self.line(report::issue_of_section(section, code), count)?;
        }
        self.begin()?;
        self.out.flush()
    }

    fn begin(&mut self) -> io::Result<()> {
        if !self.is_begun && matches!(self.format, Format::Csv) {
            writeln!(self.out, "{}", COLUMNS.join(","))?;
        }
        self.is_begun = true;
        Ok(())
    }

    fn line(&mut self, mut line: Value, count: u64) -> io::Result<()> {
        self.begin()?;
        line["Count"] = count.into();
        match self.format {
            Format::Json => writeln!(self.out, "{line}"),
            Format::Csv => writeln!(self.out, "{}", COLUMNS.map(|name| csv_cell(&line[name])).join(",")),
        }
    }
}

const COLUMNS: [&str; 8] = ["Section", "Row", "Offset", "Code", "Severity", "Field", "Count", "Advice"];

/// Ids that came twice are only found when all rows are sorted, and then without their rows.
fn is_of_section(code: &str) -> bool {
    code == IssueCode::DuplicateId.as_str()
}

/// A cell in quotes where it has to be (RFC 4180).
fn csv_cell(value: &Value) -> String {
    let text = super::super::table::cell(value);
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feeds::section::Section;

    fn listed(format: Format) -> String {
        let mut out = Vec::new();
        let mut listing = Listing::new(&mut out, format);
        let field = Some("a \"b\", c".to_owned().into());
        let issue =
            Issue { code: IssueCode::DuplicateKey, section: Section::Products, row: 2, offset: 9, field };
        listing.row(&issue).expect("memory");
        let mut found = Found::default();
        found.count(Section::Brands, IssueCode::DuplicateId, 3);
        listing.end(&found).expect("memory");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn a_csv_has_its_columns_and_quotes_what_parts_them() {
        let lines = listed(Format::Csv);
        let expected = "Section,Row,Offset,Code,Severity,Field,Count,Advice\n\
                        Products,2,9,duplicate_key,bad,\"a \"\"b\"\", c\",1,\"Send each field";
        assert!(lines.starts_with(expected), "{lines}");
        assert!(lines.contains("\nBrands,,,duplicate_id,warning,,3,"), "{lines}");
    }

    #[test]
    fn every_line_of_json_is_an_object_with_all_columns() {
        let lines = listed(Format::Json);
        assert_eq!(lines.lines().count(), 2);
        for line in lines.lines() {
            let object: Value = serde_json::from_str(line).expect("JSON");
            assert!(COLUMNS.iter().all(|name| object.get(name).is_some()), "{line}");
        }
    }
}
