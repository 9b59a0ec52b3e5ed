//! What was wrong with the rows of one feed or delta: all of it counted, the first of it kept one by one.

use std::collections::BTreeMap;

use super::issue::{Issue, IssueCode, Severity};
use super::section::Section;
use crate::limits;

/// Collects issues in bounded memory.
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

    /// How often each code was found in each section, in the order of both.
    pub fn counts(&self) -> impl Iterator<Item = (Section, &'static str, Severity, u64)> + '_ {
        self.counts.iter().map(|((section, code), (severity, count))| (*section, *code, *severity, *count))
    }

    /// The issues kept one by one: the first [`limits::ROW_ISSUES_KEPT`].
    #[must_use]
    pub fn kept(&self) -> &[Issue] {
        &self.kept
    }
}
