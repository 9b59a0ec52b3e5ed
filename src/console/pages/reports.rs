//! Reports on zones, searches and their results; as tables, charts and files for spreadsheets. Numbers about few
//! people that the operation withholds are missing here too.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::import_issues::groups;
use super::import_record::with_outcome;
use crate::console::auth::authorization::{Authorized, View};
use crate::console::state::Console;
use crate::console::ui::control_client::with_account;
use crate::console::ui::problem::Problem;
use crate::console::ui::url_fields::FieldMap;
use crate::console::ui::{chart, csv};
use crate::reports::MEASURES;

/// Reports, each with the two fields of its rows that a chart shows.
const REPORTS: [(&str, [&str; 2]); 5] = [
    ("zones", ["Count", "Clicks"]),
    ("search", ["Count", "WithoutResult"]),
    ("missed", ["Count", "WithoutResult"]),
    ("quality", ["Count", "Count"]),
    ("days", ["Count", "Count"]),
];

/// The measures that stand in a chart of lines together.
const TOGETHER: [[&str; 2]; 3] = [
    ["searches", "searches without a result"],
    ["clicks on a hit", "clicks in a zone"],
    ["orders", "orders with something found in a zone or a search"],
];

/// Request for the report of an address.
fn question(asked: &FieldMap) -> Value {
    let about = report_kind(asked);
    let mut question = json!({"Report": about, "Size": 100});
    asked.fill_question(&mut question, &[("from", "From"), ("until", "Until"), ("size", "Size")]);
    question
}

/// Name of the report of an address; `zones` if it names none.
fn report_kind(asked: &FieldMap) -> &str {
    let about = asked.text("about");
    if about.is_empty() { "zones" } else { about }
}

/// A report of some days.
pub(crate) async fn page(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Query(asked): Query<FieldMap>,
) -> Result<Response, Problem> {
    let about = report_kind(&asked);
    if about == "catalogue" {
        return catalogue(&console, &may, &asked).await;
    }
    let (about, counts) =
        REPORTS.into_iter().find(|(name, _)| *name == about).ok_or_else(Problem::not_found)?;
    let reported = console.operations.call_for_shop(may.shop()?, "/api/report", question(&asked)).await;
    let mut values = json!({"here": "reports", "about": about, "asked": asked, "counts": counts});
    let status = match reported {
        Ok(report) => {
            match about {
                "quality" => {}
                "days" => {
                    let lines = TOGETHER.map(|pair| chart::lines(&report, pair));
                    values["lines"] = lines.into_iter().filter(|line| !line.is_null()).collect();
                    values["days"] = by_day(&report["Rows"]);
                    values["measures"] = json!(MEASURES);
                }
                _ => values["chart"] = chart::bars(&report["Rows"], counts),
            }
            let uplift = |what: &str| chart::interval(&report["Control"][what]["Uplift"]);
            values["worth"] = json!({"Orders": uplift("Orders"), "Revenue": uplift("Revenue")});
            values["report"] = report;
            values["file"] = asked.address_with("about", about).into();
            StatusCode::OK
        }
        Err(refused) => {
            values["wrong"] = refused.field(&[("From", "from"), ("Until", "until"), ("", "")]).into();
            values["fault"] = refused.sentence.into();
            refused.status
        }
    };
    let page = console.drawing.render_signed_in(&may, "reports.html", values)?;
    Ok((status, page).into_response())
}

/// The rows of a report of days as one for each day, the newest first, with the counts of all measures.
fn by_day(rows: &Value) -> Value {
    let mut days = BTreeMap::<&str, Vec<Value>>::new();
    for row in rows.as_array().into_iter().flatten() {
        let counts = days.entry(str_of(&row["Day"])).or_insert_with(|| vec![Value::Null; MEASURES.len()]);
        let place = MEASURES.iter().position(|measure| row["Measure"] == *measure);
        if let Some(count) = place.and_then(|place| counts.get_mut(place)) {
            *count = row["Count"].clone();
        }
    }
    days.into_iter().rev().map(|(day, counts)| json!({"Day": day, "Counts": counts})).collect()
}

/// Number of newest feeds tried: the first that was read tells the quality of the catalogue.
const FEEDS_TRIED: usize = 5;

/// Quality of the catalogue: problems in the rows of the newest feed that was read.
async fn catalogue(console: &Console, may: &Authorized<View>, asked: &FieldMap) -> Result<Response, Problem> {
    let shop = may.shop()?;
    let newest = console.operations.call_for_shop(shop, "/api/submissions", json!({"Kind": "feed"})).await?;
    let ended = newest.as_array().into_iter().flatten().cloned().map(with_outcome);
    let ended = ended.filter(|feed| feed["Outcome"] != "open" && feed["DryRun"] == false);
    let mut read = None;
    for feed in ended.take(FEEDS_TRIED) {
        let wrong = groups(console, shop, feed["Token"].as_str().unwrap_or_default()).await?;
        // A feed that failed before its rows were read has no counts.
        if feed["Outcome"] == "complete" || !wrong.is_empty() {
            read = Some((feed, wrong));
            break;
        }
    }
    let (import, groups) = read.unzip();
    let counts = ["bad", "warning"];
    let chart = chart::bars(&bars_of(groups.as_deref().unwrap_or_default(), counts), counts);
    let values = json!({"here": "reports", "about": "catalogue", "asked": asked, "counts": counts, "chart": chart,
        "import": import, "groups": groups});
    console.drawing.render_signed_in(may, "report_catalogue.html", values)
}

/// A row for each group of issues, those with most rows first, with its count under its severity.
fn bars_of(groups: &[Value], severities: [&str; 2]) -> Value {
    let mut sorted: Vec<_> = groups.iter().collect();
    sorted.sort_by_key(|group| std::cmp::Reverse(group["Count"].as_i64()));
    let row = |group: &&Value| {
        let mut row = json!({"Name": format!("{}, {}", str_of(&group["Code"]), str_of(&group["Section"]))});
        for severity in severities.into_iter().filter(|severity| group["Severity"] == *severity) {
            row[severity] = group["Count"].clone();
        }
        row
    };
    sorted.iter().map(row).collect()
}

fn str_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The same for spreadsheets.
pub(crate) async fn file(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Query(asked): Query<FieldMap>,
) -> Result<Response, Problem> {
    let mut question = with_account(may.shop()?, question(&asked));
    question["Format"] = "csv".into();
    let answered = console.operations.send("/api/report", question, "text/csv").await?;
    Ok(csv::download("report", answered.body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_group_of_issues_is_a_bar_of_its_severity() {
        let group = |code: &str, severity: &str, count: u64| json!({"Code": code, "Section": "Products", "Severity": severity, "Count": count});
        let groups = [group("few", "bad", 2), group("many", "warning", 30), group("some", "bad", 7)];
        let expected = json!([
            {"Name": "many, Products", "warning": 30},
            {"Name": "some, Products", "bad": 7},
            {"Name": "few, Products", "bad": 2},
        ]);
        assert_eq!(bars_of(&groups, ["bad", "warning"]), expected);
    }
}
