//! What was wrong with the rows of a submission, in the store: all of it counted, the first of it row by row.

use crate::args;
pub use crate::feeds::found::Found;
use crate::feeds::issue::Issue;
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::sql;
use crate::store::{Row, StoreFault, Tx};

impl Found {
    /// Writes the counts.
    pub fn write_counts(&self, tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<(), StoreFault> {
        for (section, code, severity, count) in self.counts() {
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            let args = args![account.0, seq, section.as_str(), code, severity.as_str(), count];
            tx.exec(&sql::issue_count_insert, args)?;
        }
        Ok(())
    }
}

/// Writes one slice of issues, the first of them as number `first`.
pub fn write(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    first: usize,
    some: &[Issue],
) -> Result<(), StoreFault> {
    let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    for (n, issue) in some.iter().enumerate() {
        tx.exec(
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
                issue.field.as_deref()
            ],
        )?;
    }
    Ok(())
}

/// Removes all issues of a submission, before it is checked again or with it.
pub fn delete(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<(), StoreFault> {
    tx.exec(&sql::row_issue_delete, args![account.0, seq])?;
    tx.exec(&sql::issue_count_delete, args![account.0, seq])?;
    Ok(())
}

/// One issue as it is shown.
pub struct Shown {
    /// Stable code.
    pub code: String,
    /// `bad` or `warning`.
    pub severity: String,
    /// Section of the row.
    pub section: String,
    /// Number of the row in its section, from 1.
    pub row: i64,
    /// Where the row begins in the decoded feed, in bytes.
    pub offset: i64,
    /// The field.
    pub field: Option<String>,
}

/// A page of a submission's issues from number `from`.
pub fn list(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    from: i64,
    limit: i64,
) -> Result<Vec<Shown>, StoreFault> {
    tx.run(&sql::row_issue_list, args![account.0, seq, from, limit])?.iter().map(read).collect()
}

/// What was wrong with one row of a submission, as far as it was kept row by row.
pub fn of_row(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    section: Section,
    row_number: i64,
) -> Result<Vec<Shown>, StoreFault> {
    let args = args![account.0, seq, section.as_str(), row_number];
    tx.run(&sql::row_issue_of_row, args)?.iter().map(read).collect()
}

fn read(row: &Row) -> Result<Shown, StoreFault> {
    Ok(Shown {
        code: row.text(0)?.to_owned(),
        severity: row.text(1)?.to_owned(),
        section: row.text(2)?.to_owned(),
        row: row.int(3)?,
        offset: row.int(4)?,
        field: row.opt_text(5)?.map(str::to_owned),
    })
}

/// How often one thing was wrong in one section.
pub struct Counted {
    /// The section.
    pub section: String,
    /// Stable code.
    pub code: String,
    /// `bad` or `warning`.
    pub severity: String,
    /// How often.
    pub found: i64,
}

/// The counts of a submission.
pub fn counts(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<Vec<Counted>, StoreFault> {
    tx.run(&sql::issue_count_list, args![account.0, seq])?
        .iter()
        .map(|row| {
            Ok(Counted {
                section: row.text(0)?.to_owned(),
                code: row.text(1)?.to_owned(),
                severity: row.text(2)?.to_owned(),
                found: row.int(3)?,
            })
        })
        .collect()
}

/// Copies the issues of an earlier submission whose feed was the same.
pub fn copy(tx: &mut Tx<'_>, account: AccountId, from: i64, to: i64) -> Result<(), StoreFault> {
    delete(tx, account, to)?;
    tx.exec(&sql::row_issue_copy, args![to, account.0, from])?;
    tx.exec(&sql::issue_count_copy, args![to, account.0, from])?;
    Ok(())
}
