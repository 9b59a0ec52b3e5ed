//! What `lethe check` found, for people and as JSON in the words of `/api/issues`.

use serde_json::{Value, json};

use super::super::table::{row, table};
use super::super::{Context, say};
use super::reading::Checked;
use crate::feeds::issue::{Issue, IssueCode};
use crate::feeds::section::Section;

/// Prints it. A feed that is not flawless ends the command with its sentence, so for people that is left out here.
pub fn print(context: &Context, checked: &Checked) {
    if context.json {
        return say(json(checked));
    }
    sections(checked).iter().for_each(say);
    let found = checked.tally.found();
    let mut rows = vec![row(["Count", "Severity", "Code", "Section", "First rows", "Advice"])];
    rows.extend(found.counts().map(|(section, code, severity, count)| {
        let first: Vec<_> = first_rows(checked, section, code).iter().map(u64::to_string).collect();
        let (count, first) = (count.to_string(), first.join(" "));
        row([&count, severity.as_str(), code, section.as_str(), &first, advice(code)])
    }));
    if rows.len() > 1 {
        say("");
        table(&rows).iter().for_each(say);
        say("");
    }
    if checked.is_flawless() {
        say(format!("The feed is good: {}.", checked.sentence()));
    }
}

fn sections(checked: &Checked) -> Vec<String> {
    let mut rows = vec![row(["Section", "Rows", "Bad"])];
    rows.extend(checked.tally.sections().map(|section| {
        let (seen, bad) = (checked.tally.rows(section), checked.tally.found().bad(section));
        vec![section.as_str().to_owned(), seen.to_string(), bad.to_string()]
    }));
    if rows.len() > 1 { table(&rows) } else { Vec::new() }
}

/// The whole of it as one object.
fn json(checked: &Checked) -> Value {
    let found = checked.tally.found();
    let rows = checked.tally.sections().map(|section| {
        let counted = json!({"Rows": checked.tally.rows(section), "Bad": found.bad(section)});
        (section.as_str().to_owned(), counted)
    });
    let counts = found.counts().map(|(section, code, severity, count)| {
        json!({"Section": section.as_str(), "Code": code, "Severity": severity.as_str(), "Count": count,
               "FirstRows": first_rows(checked, section, code), "Advice": advice(code)})
    });
    json!({
        "Verdict": if checked.refusal.is_some() { "Error" } else { "Complete" },
        "Sentence": checked.sentence(),
        "Bad": checked.bad_rows(),
        "Sections": rows.collect::<serde_json::Map<_, _>>(),
        "Counts": counts.collect::<Vec<_>>(),
        "Issues": found.kept().iter().map(issue).collect::<Vec<_>>(),
    })
}

/// An issue of a row.
pub fn issue(issue: &Issue) -> Value {
    line(issue.section, issue.code.as_str(), Some((issue.row, issue.offset)), issue.field.as_deref())
}

/// An issue that was found on a whole section.
pub fn issue_of_section(section: Section, code: &str) -> Value {
    line(section, code, None, None)
}

fn line(section: Section, code: &str, place: Option<(u64, u64)>, field: Option<&str>) -> Value {
    let (row, offset) = place.unzip();
    json!({"Section": section.as_str(), "Row": row, "Offset": offset, "Code": code,
           "Severity": severity(code), "Field": field, "Advice": advice(code)})
}

fn severity(code: &str) -> Option<&'static str> {
    IssueCode::parse(code).map(|code| code.severity().as_str())
}

fn advice(code: &str) -> &'static str {
    IssueCode::parse(code).map_or("", IssueCode::advice)
}

fn first_rows<'a>(checked: &'a Checked, section: Section, code: &str) -> &'a [u64] {
    let mut all = checked.first_rows.iter();
    all.find(|((at, found), _)| *at == section && *found == code).map_or(&[], |(_, rows)| rows)
}
