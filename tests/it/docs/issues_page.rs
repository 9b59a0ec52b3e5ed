//! `docs/issues.md` explains every issue code and no other, with the right severity and examples that are true.

use std::collections::BTreeSet;

use lethe::blobs::Blobs;
use lethe::feeds::FeedPiece;
use lethe::feeds::feed_format::FeedFormat;
use lethe::feeds::issue::IssueCode;
use lethe::feeds::orders::OrderReader;
use lethe::feeds::rows::NormaliserContext;
use lethe::formats::{ConversionOptions, OpenedFeed};
use lethe::work::delta_read;

const PAGE: &str = include_str!("../../../docs/issues.md");

/// Heading and text of each section.
fn sections() -> impl Iterator<Item = (&'static str, &'static str)> {
    PAGE.split("\n## ").skip(1).map(|section| section.split_once('\n').expect("a text below the heading"))
}

/// The text in backquotes after the words that begin a line.
fn find_quoted<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let line = text.lines().find_map(|line| line.strip_prefix(words))?;
    line.split_once('`')?.1.strip_suffix('`')
}

/// Codes of a line of an order file.
fn order_codes(row: &str) -> BTreeSet<&'static str> {
    let file = format!("OrderId,UserId,Email,DateTimeStamp,ProdCode,Quantity,UnityPrice,LinePrice\n{row}\n");
    let mut reader = OrderReader::new(file.as_bytes()).expect("a header");
    let line = reader.next_row().expect("a file").expect("a line");
    line.err().map(|issue| issue.code.as_str()).into_iter().collect()
}

/// Codes of a table of another system, in which `↵` stands for the end of a line.
fn foreign_codes(format: FeedFormat, table: &str) -> BTreeSet<&'static str> {
    let folder = tempfile::tempdir().expect("a folder");
    let blobs = Blobs::open(folder.path()).expect("a folder of files");
    let text = table.replace('↵', "\n");
    let options = ConversionOptions { format: Some(format), ..ConversionOptions::default() };
    let mut feed = OpenedFeed::open(text.as_bytes(), &blobs, &options).expect("a feed");
    let mut codes = BTreeSet::new();
    while let Some(piece) = feed.next_piece().expect("a whole feed") {
        if let FeedPiece::Issue(issue) = piece {
            codes.insert(issue.code.as_str());
        }
    }
    codes
}

/// Codes of a row in a section, by an account without a currency.
fn codes(section: &str, row: &str) -> BTreeSet<&'static str> {
    if section == "Orders" {
        return order_codes(row);
    }
    if let Some(format) = FeedFormat::parse(section) {
        return foreign_codes(format, row);
    }
    let context =
        NormaliserContext { default_currency: None, account_tag: &|_| "tag".to_owned(), noticed: None };
    let payload = format!("{{\"{section}\":[{row}]}}");
    let read = delta_read::read_steps(payload.as_bytes(), &context, &|_| false);
    assert!(read.unusable.is_none(), "{payload}");
    read.found.counts().map(|counted| counted.code.as_str()).collect()
}

#[test]
fn every_issue_code_has_its_section_and_no_other_has() {
    let explained: Vec<_> = sections().map(|(code, _)| code).collect();
    let all: Vec<_> = IssueCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(explained, all);
    for (name, text) in sections() {
        let severity = IssueCode::parse(name).expect("a code").severity().as_str();
        assert!(text.trim_start().starts_with(&format!("Severity: {severity}. ")), "{name}");
        assert!(PAGE.contains(&format!("| [{name}](#{name}) | {severity} |")), "{name}");
        assert!(text.contains("\n- What to do: "), "{name}");
    }
}

#[test]
fn the_examples_of_issue_codes_are_wrong_and_right_as_they_say() {
    let mut tried = 0;
    for (name, text) in sections() {
        let right = find_quoted(text, "- Right: ").expect(name);
        let Some(section) = text.lines().find_map(|line| line.strip_prefix("- Wrong, in ")) else { continue };
        let section = section.split(':').next().expect("a section");
        let wrong = find_quoted(text, "- Wrong, in ").expect(name);
        assert!(codes(section, wrong).contains(name), "{name}: {wrong}");
        let severities = codes(section, right).into_iter().filter_map(IssueCode::parse);
        let flaws: Vec<_> = severities.filter(|code| code.severity().as_str() == "bad").collect();
        assert!(flaws.is_empty() && !codes(section, right).contains(name), "{name}: {right}");
        tried += 1;
    }
    assert_eq!(tried, 43, "examples that are not shortened");
}
