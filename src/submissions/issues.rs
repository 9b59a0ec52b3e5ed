//! What was wrong with the rows of a submission: all of it counted, the first of it kept one by one.

use std::collections::BTreeMap;

use crate::args;
use crate::feeds::issue::{Issue, IssueCode, Severity};
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::limits;
use crate::sql;
use crate::store::{StoreFault, Tx};

/// Collects the issues of a submission in bounded memory.
#[derive(Default, Clone)]
pub struct Found {
    kept: Vec<Issue>,
    counts: BTreeMap<(Section, &'static str), (Severity, u64)>,
}

impl Found {
    /// Takes the issues of one row.
    pub fn add(&mut self, issues: &mut Vec<Issue>) {
        for issue in issues.drain(..) {
            let key = (issue.section, issue.code.as_str());
            self.counts.entry(key).or_insert((issue.severity(), 0)).1 += 1;
            if self.kept.len() < limits::ROW_ISSUES_KEPT {
                self.kept.push(issue);
            }
        }
    }

    /// Counts an issue that was seen on the whole of a section, not on single rows.
    pub fn count(&mut self, section: Section, code: IssueCode, found: u64) {
        if found > 0 {
            self.counts.entry((section, code.as_str())).or_insert((code.severity(), 0)).1 += found;
        }
    }

    /// Rows of a section that cannot be used.
    #[must_use]
    pub fn bad(&self, section: Section) -> u64 {
        self.counts
            .iter()
            .filter(|((at, _), (severity, _))| *at == section && *severity == Severity::Bad)
            .map(|(_, (_, count))| count)
            .sum()
    }

    /// The codes that made up most of the bad rows, most frequent first.
    #[must_use]
    pub fn worst(&self, at_most: usize) -> Vec<&'static str> {
        let mut bad: Vec<_> =
            self.counts.iter().filter(|(_, (severity, _))| *severity == Severity::Bad).collect();
        bad.sort_by_key(|((_, code), (_, count))| (std::cmp::Reverse(*count), *code));
        bad.into_iter().take(at_most).map(|((_, code), _)| *code).collect()
    }

    /// Why a section with so many rows fails as a whole: too small a share of them can be used.
    #[must_use]
    pub fn too_many_bad(&self, section: Section, rows: u64) -> Option<String> {
        let good = rows.saturating_sub(self.bad(section));
        let percent = limits::FEED_GOOD_ROWS_PERCENT;
        if good * 100 >= rows * percent {
            return None;
        }
        let name = section.as_str();
        let sentence = format!("only {good} of {rows} rows of {name} can be used, and {percent} % have to");
        Some(sentence + &self.mostly())
    }

    /// ` (mostly: …)` with the three worst codes; empty without any.
    #[must_use]
    pub fn mostly(&self) -> String {
        let worst = self.worst(3).join(", ");
        if worst.is_empty() { worst } else { format!(" (mostly: {worst})") }
    }

    /// The first bad rows, as `Section row number: code`.
    #[must_use]
    pub fn first_bad(&self, at_most: usize) -> Vec<String> {
        let bad = self.kept.iter().filter(|issue| issue.severity() == Severity::Bad);
        bad.take(at_most)
            .map(|issue| format!("{} row {}: {}", issue.section.as_str(), issue.row, issue.code.as_str()))
            .collect()
    }

    /// The issues kept one by one, in slices for a unit of work each, with the number of their first.
    pub fn slices(&self) -> impl Iterator<Item = (usize, Vec<Issue>)> {
        self.kept
            .chunks(limits::UNIT_ROWS)
            .enumerate()
            .map(|(n, some)| (n * limits::UNIT_ROWS, some.to_vec()))
    }

    /// Writes the counts.
    pub fn write_counts(&self, tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<(), StoreFault> {
        for ((section, code), (severity, count)) in &self.counts {
            let count = i64::try_from(*count).unwrap_or(i64::MAX);
            let args = args![account.0, seq, section.as_str(), *code, severity.as_str(), count];
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
    tx.run(&sql::row_issue_list, args![account.0, seq, from, limit])?
        .iter()
        .map(|row| {
            Ok(Shown {
                code: row.text(0)?.to_owned(),
                severity: row.text(1)?.to_owned(),
                section: row.text(2)?.to_owned(),
                row: row.int(3)?,
                offset: row.int(4)?,
                field: row.opt_text(5)?.map(str::to_owned),
            })
        })
        .collect()
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
