//! Row issues of a submission in the store: all counted, the first ones row by row.

use crate::args;
use crate::feeds::issue::{Issue, IssueCode, Severity};
pub use crate::feeds::issue_collector::{IssueCollector, ROWS_NAMED};
use crate::feeds::listing::IssueLine;
use crate::feeds::section::FeedPart;
use crate::ids::AccountId;
use crate::limits;
use crate::sql;
use crate::store::{Row, StoreFault, Tx};

impl IssueCollector {
    /// Writes the counts.
    ///
    /// # Errors
    /// When the store fails.
    pub fn write_counts(&self, tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<(), StoreFault> {
        for counted in self.counts() {
            let section = counted.section.as_str();
            let code = counted.code.as_str();
            let severity = counted.code.severity().as_str();
            let found = i64::try_from(counted.found).unwrap_or(i64::MAX);
            let rows: Vec<_> = counted.first_rows.iter().map(u64::to_string).collect();
            let rows = rows.join(" ");
            let args = args![account.0, seq, section, code, severity, found, rows.as_str()];
            tx.defer(&sql::issue_count_insert, args)?;
        }
        Ok(())
    }
}

/// Writes an issue that was found while a delta was applied: it is counted, and kept as long as there is room.
///
/// # Errors
/// When the store fails.
pub fn add(tx: &mut Tx<'_>, account: AccountId, seq: i64, issue: &Issue) -> Result<(), StoreFault> {
    let kept = usize::try_from(count_kept(tx, account, seq)?).unwrap_or(0);
    if kept < limits::DELTA_ISSUES_KEPT {
        write(tx, account, seq, kept, std::slice::from_ref(issue))?;
    }
    let section = issue.section.as_str();
    let code = issue.code.as_str();
    let severity = issue.severity().as_str();
    let row = issue.row.to_string();
    let args = args![account.0, seq, section, code, severity, row.as_str(), ROWS_NAMED as i64];
    tx.exec(&sql::issue_count_add, args).map(drop)
}

/// Writes the issues of a delta that was read, after those that were found while it was applied, and their counts: as
/// many are kept as there is room for.
///
/// # Errors
/// When the store fails.
pub fn write_of_delta(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    found: &IssueCollector,
) -> Result<(), StoreFault> {
    let read = found.issues();
    if !read.is_empty() {
        let kept = usize::try_from(count_kept(tx, account, seq)?).unwrap_or(0);
        let room = limits::DELTA_ISSUES_KEPT.saturating_sub(kept);
        write(tx, account, seq, kept, &read[..read.len().min(room)])?;
    }
    found.write_counts(tx, account, seq)
}

/// Writes one slice of issues, the first as number `first`.
///
/// # Errors
/// When the store fails.
pub fn write(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    first: usize,
    some: &[Issue],
) -> Result<(), StoreFault> {
    let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    for (n, issue) in some.iter().enumerate() {
        tx.defer(
            &sql::row_issue_insert,
            args![
                account.0,
                seq,
                (first + n) as i64,
                issue.code.as_str(),
                issue.severity().as_str(),
                issue.section.as_str(),
                number(issue.row),
                number(issue.offset),
                issue.field.as_deref(),
                issue.meant,
                issue.line.map(number)
            ],
        )?;
    }
    Ok(())
}

/// Removes all issues of a submission, before it is checked again or with it; returns how many were kept row
/// by row.
///
/// # Errors
/// When the store fails.
pub fn delete(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<u64, StoreFault> {
    tx.exec(&sql::issue_count_delete, args![account.0, seq])?;
    tx.exec(&sql::row_issue_delete, args![account.0, seq])
}

/// Filter of issues; the default is all issues.
#[derive(Clone, Copy, Default)]
pub struct IssueFilter {
    /// Only issues of this section.
    pub section: Option<FeedPart>,
    /// Only issues of this code.
    pub code: Option<IssueCode>,
    /// Bad rows or warnings alone.
    pub severity: Option<Severity>,
}

impl IssueFilter {
    /// True if issues that were counted together pass the filter.
    #[must_use]
    pub fn admits(&self, counted: &IssueTotal) -> bool {
        self.section.is_none_or(|section| section.as_str() == counted.section)
            && self.code.is_none_or(|code| code.as_str() == counted.code)
            && self.severity.is_none_or(|severity| severity.as_str() == counted.severity)
    }
}

/// One issue as it is shown.
pub struct IssueRecord {
    /// Its number among the submission's, from 0.
    pub n: i64,
    /// Stable code.
    pub code: String,
    /// `bad` or `warning`.
    pub severity: String,
    /// Section of the row.
    pub section: String,
    /// Number of the row in its section, from 1; 0 for an issue outside of rows.
    pub row: i64,
    /// Offset of the row in the decoded feed, in bytes.
    pub offset: i64,
    /// Line of the feed on which the row begins, from 1, if it was converted.
    pub line: Option<i64>,
    /// The field.
    pub field: Option<String>,
    /// The documented name that was meant.
    pub meant: Option<String>,
}

impl IssueRecord {
    /// As a line of a list.
    #[must_use]
    pub fn line(&self) -> IssueLine<'_> {
        let number = |value: i64| u64::try_from(value).unwrap_or(0);
        IssueLine {
            section: &self.section,
            code: &self.code,
            severity: &self.severity,
            place: (self.row > 0).then(|| (number(self.row), number(self.offset))),
            line: self.line.map(number),
            field: self.field.as_deref(),
            meant: self.meant.as_deref(),
            count: 1,
        }
    }
}

/// A page of a submission's issues from number `from`.
///
/// # Errors
/// When the store fails.
pub fn list(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    filter: IssueFilter,
    from: i64,
    limit: usize,
) -> Result<Vec<IssueRecord>, StoreFault> {
    let IssueFilter { section, code, severity } = filter;
    let section = section.map(FeedPart::as_str);
    let code = code.map(IssueCode::as_str);
    let severity = severity.map(Severity::as_str);
    tx.run(&sql::row_issue_list, args![account.0, seq, from, section, code, severity, limit as i64])?
        .iter()
        .map(issue_from_row)
        .collect()
}

/// Issues of one row of a submission, if they were kept row by row.
///
/// # Errors
/// When the store fails.
pub fn of_row(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    section: FeedPart,
    row_number: i64,
) -> Result<Vec<IssueRecord>, StoreFault> {
    let args = args![account.0, seq, section.as_str(), row_number];
    tx.run(&sql::row_issue_of_row, args)?.iter().map(issue_from_row).collect()
}

fn issue_from_row(row: &Row) -> Result<IssueRecord, StoreFault> {
    Ok(IssueRecord {
        n: row.int("n")?,
        code: row.text("code")?.to_owned(),
        severity: row.text("severity")?.to_owned(),
        section: row.text("section")?.to_owned(),
        row: row.int("row_number")?,
        offset: row.int("byte_offset")?,
        line: row.opt_int("line_number")?,
        field: row.opt_text("field")?.map(str::to_owned),
        meant: row.opt_text("meant")?.map(str::to_owned),
    })
}

/// Number of a submission's issues that are kept one by one.
///
/// # Errors
/// When the store fails.
pub fn count_kept(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<i64, StoreFault> {
    tx.row(&sql::row_issue_last, args![account.0, seq])?.map_or(Ok(0), |row| Ok(row.int("n")? + 1))
}

/// Count of one kind of issue in one section.
pub struct IssueTotal {
    /// The section.
    pub section: String,
    /// Stable code.
    pub code: String,
    /// `bad` or `warning`.
    pub severity: String,
    /// Number of times it was found.
    pub found: i64,
    /// The first rows with it, by their numbers.
    pub first_rows: Vec<i64>,
}

impl IssueTotal {
    /// As a line of a list.
    #[must_use]
    pub fn line(&self) -> IssueLine<'_> {
        IssueLine {
            section: &self.section,
            code: &self.code,
            severity: &self.severity,
            place: None,
            line: None,
            field: None,
            meant: None,
            count: u64::try_from(self.found).unwrap_or(0),
        }
    }
}

/// The counts of a submission.
///
/// # Errors
/// When the store fails.
pub fn counts(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<Vec<IssueTotal>, StoreFault> {
    tx.run(&sql::issue_count_list, args![account.0, seq])?
        .iter()
        .map(|row| {
            Ok(IssueTotal {
                section: row.text("section")?.to_owned(),
                code: row.text("code")?.to_owned(),
                severity: row.text("severity")?.to_owned(),
                found: row.int("found")?,
                first_rows: row.text("first_rows")?.split(' ').filter_map(|row| row.parse().ok()).collect(),
            })
        })
        .collect()
}

/// Copies the issues of an earlier submission with the same feed.
///
/// # Errors
/// When the store fails.
pub fn copy(tx: &mut Tx<'_>, account: AccountId, from: i64, to: i64) -> Result<(), StoreFault> {
    delete(tx, account, to)?;
    tx.exec(&sql::row_issue_copy, args![to, account.0, from])?;
    tx.exec(&sql::issue_count_copy, args![to, account.0, from])?;
    Ok(())
}
