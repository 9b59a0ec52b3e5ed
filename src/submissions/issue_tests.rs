//! Row issues: those that pass a filter, as they are shown, stored, copied and removed.

use super::issues::{
    IssueCollector, IssueFilter, IssueRecord, IssueTotal, copy, count_kept, counts, delete, list, of_row,
    write,
};
use super::testing::{SHOP, write_new_store};
use crate::feeds::{FeedPart, Issue, IssueCode, Severity};

const SEQ: i64 = 7;

fn issue(code: IssueCode, section: FeedPart, row: u64) -> Issue {
    Issue {
        code,
        section,
        row,
        offset: 10 * row,
        line: Some(row + 1),
        field: Some("Email".into()),
        meant: None,
    }
}

/// Issues of two sections; only the first is of a bad row.
fn issues() -> Vec<Issue> {
    vec![
        Issue::oversize(FeedPart::PRODUCTS, 1, 30),
        issue(IssueCode::TitleMissing, FeedPart::PRODUCTS, 2),
        issue(IssueCode::TitleMissing, FeedPart::BRANDS, 2),
        issue(IssueCode::EmailMalformed, FeedPart::Users, 3),
        issue(IssueCode::TitleMissing, FeedPart::PRODUCTS, 2),
    ]
}

fn numbers(found: &[IssueRecord]) -> Vec<i64> {
    found.iter().map(|issue| issue.n).collect()
}

fn describe(totals: &[IssueTotal]) -> Vec<String> {
    let line = |total: &IssueTotal| {
        let IssueTotal { section, code, severity, found, first_rows } = total;
        format!("{section} {code} {severity} {found} {first_rows:?}")
    };
    totals.iter().map(line).collect()
}

#[test]
fn counted_issues_pass_a_filter_that_names_nothing_else() {
    let total = IssueTotal {
        section: "Products".to_owned(),
        code: "title_missing".to_owned(),
        severity: "warning".to_owned(),
        found: 1,
        first_rows: Vec::new(),
    };
    let products = Some(FeedPart::PRODUCTS);
    let titles = Some(IssueCode::TitleMissing);
    let warnings = Some(Severity::Warning);
    for (section, code, severity, is_admitted) in [
        (None, None, None, true),
        (products, titles, warnings, true),
        (products, None, None, true),
        (None, titles, None, true),
        (None, None, warnings, true),
        (Some(FeedPart::BRANDS), titles, warnings, false),
        (products, Some(IssueCode::LinkMissing), warnings, false),
        (products, titles, Some(Severity::Bad), false),
    ] {
        let filter = IssueFilter { section, code, severity };
        assert_eq!(filter.admits(&total), is_admitted, "{section:?} {code:?} {severity:?}");
    }
}

#[test]
fn an_issue_is_a_line_with_its_place_and_a_count_is_one_without() {
    let record = |row: i64, offset: i64| IssueRecord {
        n: 0,
        code: "title_missing".to_owned(),
        severity: "warning".to_owned(),
        section: "Products".to_owned(),
        row,
        offset,
        line: Some(-1),
        field: Some("Title".to_owned()),
        meant: Some("Name".to_owned()),
    };
    for (row, offset, place) in [(0, 5, None), (1, 5, Some((1, 5))), (2, -1, Some((2, 0)))] {
        let record = record(row, offset);
        let line = record.line();
        assert_eq!((line.section, line.code, line.severity), ("Products", "title_missing", "warning"));
        assert_eq!(line.line, Some(0), "never negative");
        assert_eq!((line.place, line.field, line.meant), (place, Some("Title"), Some("Name")));
        assert_eq!(line.count, 1);
    }
    for (found, count) in [(7, 7), (-1, 0)] {
        let [section, code, severity] = ["Brands", "link_missing", "warning"].map(str::to_owned);
        let total = IssueTotal { section, code, severity, found, first_rows: vec![1] };
        let line = total.line();
        assert_eq!((line.section, line.code, line.severity), ("Brands", "link_missing", "warning"));
        assert_eq!((line.place, line.field, line.meant, line.count), (None, None, None, count));
    }
}

#[tokio::test]
async fn issues_are_listed_by_number_section_code_and_severity() {
    let (kept, found) = write_new_store(|tx| {
        let before = count_kept(tx, SHOP, SEQ)?;
        write(tx, SHOP, SEQ, 0, &issues()[..2])?;
        write(tx, SHOP, SEQ, 2, &issues()[2..])?;
        let all = IssueFilter::default();
        let products = IssueFilter { section: Some(FeedPart::PRODUCTS), ..all };
        let titles = IssueFilter { code: Some(IssueCode::TitleMissing), ..all };
        let bad = IssueFilter { severity: Some(Severity::Bad), ..all };
        let found = [
            list(tx, SHOP, SEQ, all, 0, 9)?,
            list(tx, SHOP, SEQ, all, 1, 2)?,
            list(tx, SHOP, SEQ, products, 1, 9)?,
            list(tx, SHOP, SEQ, titles, 0, 9)?,
            list(tx, SHOP, SEQ, bad, 0, 9)?,
            list(tx, SHOP, SEQ + 1, all, 0, 9)?,
            of_row(tx, SHOP, SEQ, FeedPart::PRODUCTS, 2)?,
        ];
        Ok(([before, count_kept(tx, SHOP, SEQ)?], found))
    })
    .await;
    assert_eq!(kept, [0, 5]);
    let wanted = [vec![0, 1, 2, 3, 4], vec![1, 2], vec![1, 4], vec![1, 2, 4], vec![0], vec![], vec![1, 4]];
    assert_eq!(found.each_ref().map(|found| numbers(found)), wanted);
    let IssueRecord { n, code, severity, section, row, offset, line, field, meant } = &found[0][3];
    assert_eq!(
        (*n, code.as_str(), severity.as_str(), section.as_str()),
        (3, "email_malformed", "warning", "Users")
    );
    assert_eq!(*line, Some(4));
    assert_eq!((*row, *offset, field.as_deref(), meant.as_deref()), (3, 30, Some("Email"), None));
}

#[tokio::test]
async fn issues_are_counted_copied_anew_and_removed() {
    let (told, copied, removed, left) = write_new_store(|tx| {
        let mut collector = IssueCollector::default();
        collector.add(&mut issues());
        for (seq, some) in [(SEQ, &issues()[..]), (SEQ + 1, &issues()[..1])] {
            write(tx, SHOP, seq, 0, some)?;
            collector.write_counts(tx, SHOP, seq)?;
        }
        let told = counts(tx, SHOP, SEQ)?;
        copy(tx, SHOP, SEQ, SEQ + 1)?;
        copy(tx, SHOP, SEQ, SEQ + 1)?;
        let copied = (count_kept(tx, SHOP, SEQ + 1)?, counts(tx, SHOP, SEQ + 1)?);
        let removed = [delete(tx, SHOP, SEQ)?, delete(tx, SHOP, SEQ)?];
        let left = (counts(tx, SHOP, SEQ)?.len(), count_kept(tx, SHOP, SEQ)?, count_kept(tx, SHOP, SEQ + 1)?);
        Ok((told, copied, removed, left))
    })
    .await;
    let wanted = [
        "Brands title_missing warning 1 [2]",
        "Products row_too_large bad 1 [1]",
        "Products title_missing warning 2 [2, 2]",
        "Users email_malformed warning 1 [3]",
    ];
    assert_eq!(describe(&told), wanted);
    assert_eq!((copied.0, describe(&copied.1)), (5, wanted.map(str::to_owned).to_vec()));
    assert_eq!((removed, left), ([5, 0], (0, 0, 5)));
}
