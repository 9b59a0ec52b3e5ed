//! Issues in the rows of one feed or delta: all counted, the first ones kept one by one.

use std::collections::BTreeMap;

use super::issue::{Issue, IssueCode, Severity};
use super::section::FeedPart;
use crate::limits;

/// Rows named for each code of a section, also when none of its issues is kept.
pub const ROWS_NAMED: usize = 5;

/// Collects issues in bounded memory.
#[derive(Clone)]
pub struct IssueCollector {
    kept_at_most: usize,
    kept: Vec<Issue>,
    groups: BTreeMap<(FeedPart, IssueCode), IssueTally>,
}

/// The issues of one code in one section.
#[derive(Clone, Default)]
struct IssueTally {
    found: u64,
    first_rows: Vec<u64>,
}

/// Count of one kind of issue in one section, and the first rows to look at.
pub struct IssueGroup<'a> {
    /// The section.
    pub section: FeedPart,
    /// Code of the issue.
    pub code: IssueCode,
    /// Number of issues.
    pub found: u64,
    /// Numbers of the first rows with it, from 1; empty for an issue outside of rows.
    pub first_rows: &'a [u64],
}

impl Default for IssueCollector {
    /// A collector for a feed.
    fn default() -> Self {
        Self::keeping(limits::ROW_ISSUES_KEPT)
    }
}

impl IssueCollector {
    /// A collector for a delta, which is small, and one of many.
    #[must_use]
    pub fn of_delta() -> Self {
        Self::keeping(limits::DELTA_ISSUES_KEPT)
    }

    fn keeping(kept_at_most: usize) -> Self {
        Self { kept_at_most, kept: Vec::new(), groups: BTreeMap::new() }
    }

    /// Takes the issues of one row.
    pub fn add(&mut self, issues: &mut Vec<Issue>) {
        for issue in issues.drain(..) {
            let group = self.groups.entry((issue.section, issue.code)).or_default();
            group.found += 1;
            if issue.row > 0 && group.first_rows.len() < ROWS_NAMED {
                group.first_rows.push(issue.row);
            }
            if self.kept.len() < self.kept_at_most {
                self.kept.push(issue);
            }
        }
    }

    /// Counts an issue of a whole section, with the numbers of the first rows that have it.
    pub fn count(&mut self, section: FeedPart, code: IssueCode, found: u64, first_rows: &[u64]) {
        if found > 0 {
            let group = self.groups.entry((section, code)).or_default();
            group.found += found;
            let room = ROWS_NAMED.saturating_sub(group.first_rows.len());
            group.first_rows.extend(first_rows.iter().take(room));
        }
    }

    /// Rows of a section that cannot be used.
    #[must_use]
    pub fn bad(&self, section: FeedPart) -> u64 {
        self.bad_groups().filter(|counted| counted.section == section).map(|counted| counted.found).sum()
    }

    fn bad_groups(&self) -> impl Iterator<Item = IssueGroup<'_>> {
        self.counts().filter(|counted| counted.code.severity() == Severity::Bad)
    }

    /// The codes of most bad rows, most frequent first.
    #[must_use]
    pub fn most_frequent_codes(&self, at_most: usize) -> Vec<&'static str> {
        let mut bad: Vec<_> = self
            .bad_groups()
            .map(|counted| (std::cmp::Reverse(counted.found), counted.code.as_str()))
            .collect();
        bad.sort_unstable();
        bad.into_iter().take(at_most).map(|(_, code)| code).collect()
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

    /// Counts of each code in each section, ordered by section, then by code.
    pub fn counts(&self) -> impl Iterator<Item = IssueGroup<'_>> {
        self.groups.iter().map(|((section, code), group)| IssueGroup {
            section: *section,
            code: *code,
            found: group.found,
            first_rows: &group.first_rows,
        })
    }

    /// The first issues, kept one by one.
    #[must_use]
    pub fn issues(&self) -> &[Issue] {
        &self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_kept_is_counted_and_its_first_rows_are_named() {
        let mut found = IssueCollector::keeping(2);
        for row in 1..=9 {
            found.add(&mut vec![Issue::oversize(FeedPart::BRANDS, row, 0)]);
        }
        assert_eq!(found.issues().len(), 2);
        let counted = found.counts().next().expect("a code");
        assert_eq!((counted.found, counted.first_rows), (9, &[1, 2, 3, 4, 5][..]));
    }

    fn issue(section: FeedPart, code: IssueCode, row: u64) -> Issue {
        Issue { code, ..Issue::oversize(section, row, 0) }
    }

    #[test]
    fn bad_rows_are_those_of_their_section_and_the_most_frequent_codes_come_first() {
        use IssueCode as Is;
        let mut found = IssueCollector::default();
        let codes = [(Is::IdMissing, 2), (Is::RowSyntax, 4), (Is::IdTooLong, 1), (Is::PriceMalformed, 3)];
        for (code, times) in codes.into_iter().chain([(Is::TitleMissing, 9)]) {
            (1..=times).for_each(|row| found.add(&mut vec![issue(FeedPart::BRANDS, code, row)]));
        }
        found.add(&mut vec![issue(FeedPart::PRODUCTS, Is::IdMalformed, 7)]);
        assert_eq!(
            (found.bad(FeedPart::BRANDS), found.bad(FeedPart::PRODUCTS), found.bad(FeedPart::Users)),
            (10, 1, 0)
        );
        assert_eq!(found.most_frequent_codes(3), ["row_syntax", "price_malformed", "id_missing"]);
        assert_eq!(found.first_bad(2), ["Brands row 1: id_missing", "Brands row 2: id_missing"]);
        assert_eq!(
            found.first_bad(usize::MAX).last().map(String::as_str),
            Some("Products row 7: id_malformed")
        );
    }

    #[test]
    fn rows_that_are_counted_together_are_named_as_long_as_there_is_room() {
        let mut found = IssueCollector::default();
        found.count(FeedPart::PRODUCTS, IssueCode::DuplicateId, 0, &[]);
        assert_eq!(found.counts().count(), 0, "nothing is no issue");
        for first_rows in [&[3, 1][..], &[9, 8, 7, 6]] {
            found.count(FeedPart::PRODUCTS, IssueCode::DuplicateId, 10, first_rows);
        }
        let counted = found.counts().next().expect("a code");
        assert_eq!((counted.found, counted.first_rows), (20, &[3, 1, 9, 8, 7][..]));
    }

    #[test]
    fn an_issue_outside_of_rows_is_counted_and_names_no_row() {
        let mut found = IssueCollector::default();
        for row in [0, 1] {
            found.add(&mut vec![issue(FeedPart::Users, IssueCode::SectionUnknown, row)]);
        }
        found.count(FeedPart::Users, IssueCode::DuplicateId, 1, &[4]);
        let counted: Vec<_> = found.counts().map(|group| (group.found, group.first_rows.to_vec())).collect();
        assert_eq!(counted, [(2, vec![1]), (1, vec![4])]);
    }

    #[test]
    fn kept_issues_are_cut_into_units_of_work_each_with_the_number_of_its_first() {
        let mut found = IssueCollector::keeping(2 * limits::UNIT_ROWS + 1);
        for row in 1..=2 * limits::UNIT_ROWS as u64 + 2 {
            found.add(&mut vec![issue(FeedPart::BRANDS, IssueCode::RowSyntax, row)]);
        }
        let slices: Vec<_> = found.slices().map(|(first, some)| (first, some.len(), some[0].row)).collect();
        assert_eq!(slices, [(0, 500, 1), (500, 500, 501), (1000, 1, 1001)]);
    }
}
