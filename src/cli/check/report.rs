//! Findings of `lethe check`, for people and as JSON in the words of `/api/issues`.

use serde_json::{Value, json};

use super::super::table::{row, table};
use super::reading::FeedCheck;
use crate::cli::context::CommandContext;
use crate::cli::misnamed::advice_on_suggestions;
use crate::cli::print::print_line;
use crate::feeds::issue_collector::{IssueCollector, IssueGroup};
use crate::feeds::listing::IssueLine;
use crate::formats::FeedFormat;

/// Prints it. A feed that is not flawless ends the command with its sentence, so for people that is left out here.
pub fn print(context: &CommandContext, checked: &FeedCheck) {
    if context.json {
        return print_line(json(checked));
    }
    if let Some(format) = checked.format.filter(|format| *format != FeedFormat::Lethe) {
        print_line(format!("Read as a feed of {}.", format.title()));
    }
    sections(checked).iter().for_each(print_line);
    let found = checked.tally.issues();
    let mut rows = vec![row(["Count", "Severity", "Code", "Section", "First rows", "Advice"])];
    rows.extend(found.counts().map(|counted| {
        let first: Vec<_> = counted.first_rows.iter().map(u64::to_string).collect();
        let count = counted.found.to_string();
        let first = first.join(" ");
        let code = counted.code;
        let severity = code.severity().as_str();
        row([&count, severity, code.as_str(), counted.section.as_str(), &first, &advice(found, &counted)])
    }));
    if rows.len() > 1 {
        print_line("");
        table(&rows).iter().for_each(print_line);
        print_line("");
    }
    if checked.is_flawless() {
        let verdict = if checked.is_good() { "is good" } else { "can be used" };
        print_line(format!("The feed {verdict}: {}.", checked.sentence()));
    }
    if checked.is_flawless() && checked.lacks_currency() {
        print_line(
            "Shoppers find a product if it has a price in the currency of the shop: `--currency CODE` or `--account NAME` \
             checks that too.",
        );
    }
}

/// Advice on the issues of one code in one section: it names the fields that were meant otherwise.
fn advice(found: &IssueCollector, counted: &IssueGroup<'_>) -> String {
    let alike = found.issues().iter();
    let alike = alike.filter(|issue| issue.section == counted.section && issue.code == counted.code);
    let names = alike.filter_map(|issue| Some((issue.field.as_deref()?, issue.meant?)));
    advice_on_suggestions(Some(counted.code), names).unwrap_or_else(|| counted.code.advice().to_owned())
}

fn sections(checked: &FeedCheck) -> Vec<String> {
    let mut rows = vec![row(["Section", "Rows", "Bad"])];
    rows.extend(checked.tally.sections().map(|section| {
        let seen = checked.tally.rows(section);
        let bad = checked.tally.issues().bad(section);
        vec![section.as_str().to_owned(), seen.to_string(), bad.to_string()]
    }));
    if rows.len() > 1 { table(&rows) } else { Vec::new() }
}

/// The whole report as one object.
fn json(checked: &FeedCheck) -> Value {
    let found = checked.tally.issues();
    let rows = checked.tally.sections().map(|section| {
        let counted = json!({"Rows": checked.tally.rows(section), "Bad": found.bad(section)});
        (section.as_str().to_owned(), counted)
    });
    let counts = found.counts().map(|counted| {
        let code = counted.code;
        json!({"Section": counted.section.as_str(), "Code": code.as_str(), "Severity": code.severity().as_str(),
               "Count": counted.found, "FirstRows": counted.first_rows, "Advice": code.advice(), "Page": code.page()})
    });
    json!({
        "Verdict": if checked.refusal.is_some() { "Error" } else { "Complete" },
        "Sentence": checked.sentence(),
        "Format": checked.format.map(FeedFormat::as_str),
        "Bad": checked.bad_rows(),
        "Currency": checked.currency.code(),
        "ProductsSeen": checked.tally.products().map(|products| products.seen),
        "Sections": rows.collect::<serde_json::Map<_, _>>(),
        "Counts": counts.collect::<Vec<_>>(),
        "Kept": found.issues().len(),
        "Issues": found.issues().iter().map(|issue| IssueLine::from_issue(issue).to_item()).collect::<Vec<_>>(),
    })
}
