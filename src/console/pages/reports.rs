//! Reports on zones, searches and their results; as tables, charts and files for spreadsheets. Numbers about few
//! people that the operation withholds are missing here too.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::catalogue_quality::find_read_feed;
use super::import_issues::groups;
use super::report_figures::{ReportFigures, is_empty, relative_change};
use crate::clock::{Day, day_name, day_of};
use crate::console::auth::authorization::{Authorized, View};
use crate::console::auth::console_shop::ConsoleShop;
use crate::console::state::Console;
use crate::console::ui::chart::{self, BarParts};
use crate::console::ui::control_client::with_account;
use crate::console::ui::problem::Problem;
use crate::console::ui::url_fields::FieldMap;
use crate::console::ui::{csv, line_chart};
use crate::limits;
use crate::reports::MEASURES;

/// Reports, each with the two fields of its rows that bars show, the whole and a part of it; `None` without bars.
const REPORTS: [(&str, Option<[&str; 2]>); 6] = [
    ("zones", Some(["Count", "Clicks"])),
    ("search", Some(["Count", "WithoutResult"])),
    ("missed", Some(["Count", "WithoutResult"])),
    ("products", None),
    ("quality", None),
    ("days", None),
];

/// Numbers of days that a link selects.
const SPANS: [i64; 3] = [7, 28, 90];
/// Number of days of a report whose address names none, as of the operation.
const DEFAULT_SPAN: i64 = 28;

/// The measures that stand in a chart of lines together.
const TOGETHER: [[&str; 2]; 3] = [
    ["searches", "searches without a result"],
    ["clicks on a hit", "clicks in a zone"],
    ["orders", "orders with something found in a zone or a search"],
];

/// Request for a report of an address.
fn question(asked: &FieldMap, about: &str, today: Day) -> Value {
    let mut question = json!({"Report": about, "Size": 100});
    if let Some(days) = asked.number("days").filter(|days| SPANS.contains(days)) {
        question["From"] = day_name(today - days + 1).into();
    }
    asked.fill_question(&mut question, &[("from", "From"), ("until", "Until"), ("size", "Size")]);
    // Days that somebody typed may be too many for a comparison.
    if ["days", "quality"].contains(&about) && !has_typed_days(asked) {
        question["With"] = json!(["before"]);
    }
    question
}

/// Name of the report of an address; `zones` if it names none.
fn report_kind(asked: &FieldMap) -> &str {
    let about = asked.text("about");
    if about.is_empty() { "zones" } else { about }
}

/// A report of some days. Without a name it is that of zones, or of searches while zones are empty.
pub(crate) async fn page(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Query(asked): Query<FieldMap>,
) -> Result<Response, Problem> {
    let mut about = report_kind(&asked);
    if about == "catalogue" {
        return catalogue(&console, &may, &asked).await;
    }
    let shop = may.shop()?;
    if REPORTS.iter().all(|(name, _)| *name != about) {
        return Err(Problem::not_found());
    }
    let mut reported = load_report(&console, shop, &asked, about).await;
    if !asked.has("about") && reported.as_ref().is_ok_and(is_empty) {
        about = "search";
        reported = load_report(&console, shop, &asked, about).await;
    }
    let chosen = asked.number("days").filter(|days| SPANS.contains(days)).unwrap_or(DEFAULT_SPAN);
    let span = (!has_typed_days(&asked)).then_some(chosen);
    let mut values = json!({"here": "reports", "about": about, "asked": asked, "counts": chart_fields(about),
        "spans": SPANS, "span": span});
    let status = match reported {
        Ok(report) => {
            fill_report(&mut values, &report, about);
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

fn has_typed_days(asked: &FieldMap) -> bool {
    ["from", "until"].into_iter().any(|name| !asked.text(name).is_empty())
}

/// The fields of a report's rows that bars show.
fn chart_fields(about: &str) -> Option<[&'static str; 2]> {
    REPORTS.into_iter().find(|(name, _)| *name == about).and_then(|(_, counts)| counts)
}

async fn load_report(
    console: &Console,
    shop: &ConsoleShop,
    asked: &FieldMap,
    about: &str,
) -> Result<Value, Problem> {
    let mut question = question(asked, about, day_of(console.node.clock.now()));
    // A page has no room for more; a spreadsheet has.
    if asked.number("size").is_some_and(|size| size > limits::PAGE_ROWS as i64) {
        question["Size"] = limits::PAGE_ROWS.into();
    }
    console.operations.call_for_shop(shop, "/api/report", question).await
}

/// Adds the charts of a report, and what its template needs besides.
fn fill_report(values: &mut Value, report: &Value, about: &str) {
    match about {
        "quality" => values["totals"] = measure_totals(report),
        "days" => {
            let lines = TOGETHER.map(|pair| line_chart::lines(report, pair));
            values["lines"] = lines.into_iter().filter(|line| !line.is_null()).collect();
            let mut days = rows_by_day(&report["Rows"]);
            values["is_cut"] = (days.len() > limits::PAGE_DAYS).into();
            days.truncate(limits::PAGE_DAYS);
            values["days"] = days.into();
            values["measures"] = json!(MEASURES);
        }
        _ => {}
    }
    if let Some(counts) = chart_fields(about) {
        values["chart"] = chart::bars(&report["Rows"], counts, BarParts::Within);
    }
    let uplift = |what: &str| chart::interval(&report["Control"][what]["Uplift"]);
    values["worth"] = json!({"Orders": uplift("Orders"), "Revenue": uplift("Revenue")});
}

/// Measures that are a share of another one: each with the other one.
const SHARES: [(&str, &str); 5] = [
    ("searches without a result", "searches"),
    ("searches corrected", "searches"),
    ("clicks on a hit", "searches"),
    ("clicks in a zone", "zones seen"),
    ("orders with something found in a zone or a search", "orders"),
];

/// A row for each measure, with its share of another one and its change to the days before. What is withheld is null.
fn measure_totals(report: &Value) -> Value {
    let now = ReportFigures::new(report);
    let before = ReportFigures::new(&report["Before"]);
    let total = |measure: &str| {
        let row = now.find_row(measure).unwrap_or(&Value::Null);
        let whole = SHARES.iter().find(|(part, _)| *part == measure).map(|(_, whole)| *whole);
        let share = whole.and_then(|whole| now.share(measure, whole));
        let change = relative_change(before.count(measure), now.count(measure));
        json!({"Measure": measure, "People": row["People"], "Count": row["Count"], "Revenue": row["Revenue"],
            "Whole": whole, "Share": share, "Change": change, "HasRevenue": measure.starts_with("orders")})
    };
    MEASURES.iter().map(|measure| total(measure)).collect()
}

/// The rows of a report of days as one for each day, the newest first, with the counts of all measures.
fn rows_by_day(rows: &Value) -> Vec<Value> {
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

/// Quality of the catalogue: problems in the rows of the newest feed that was read.
async fn catalogue(console: &Console, may: &Authorized<View>, asked: &FieldMap) -> Result<Response, Problem> {
    let shop = may.shop()?;
    let read = find_read_feed(console, shop).await?;
    let import = read.map(|read| read.feed);
    let groups = match &import {
        Some(import) => Some(groups(console, shop, str_of(&import["Token"])).await?),
        None => None,
    };
    let counts = ["warning", "bad"];
    let bars = issue_bars(groups.as_deref().unwrap_or_default(), counts);
    let values = json!({"here": "reports", "about": "catalogue", "asked": asked, "counts": counts,
        "chart": chart::bars(&bars, counts, BarParts::Beside), "import": import, "groups": groups});
    console.drawing.render_signed_in(may, "report_catalogue.html", values)
}

/// A row for each group of issues, those with most rows first, with its count under its severity.
fn issue_bars(groups: &[Value], severities: [&str; 2]) -> Value {
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
    let today = day_of(console.node.clock.now());
    let mut question = with_account(may.shop()?, question(&asked, report_kind(&asked), today));
    // A file has no room for the days before.
    question["With"] = Value::Null;
    question["Format"] = "csv".into();
    let answered = console.operations.send("/api/report", question, "text/csv").await?;
    Ok(csv::download("report", answered.body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_selects_days_up_to_today_and_typed_days_count_more() {
        let ask = |fields: &[(&str, &str)]| question(&fields.iter().copied().collect(), "days", 20_000);
        let week = ask(&[("days", "7")]);
        assert_eq!((&week["From"], &week["Until"]), (&json!(day_name(19_994)), &Value::Null));
        assert_eq!(week["With"], json!(["before"]));
        let typed = ask(&[("days", "7"), ("from", "2020-01-01")]);
        assert_eq!((&typed["From"], &typed["With"]), (&json!("2020-01-01"), &Value::Null));
        assert_eq!(ask(&[("days", "8")])["From"], Value::Null);
        let zones = question(&FieldMap::default(), "zones", 20_000);
        assert_eq!(zones, json!({"Report": "zones", "Size": 100}));
    }

    #[test]
    fn a_measure_has_its_share_and_its_change_and_what_is_withheld_is_no_zero() {
        let row = |measure: &str, count: u64| json!({"Measure": measure, "Count": count, "People": 9});
        let report = json!({"Rows": [row("searches", 30), row("searches corrected", 6), row("orders", 5)],
            "Before": {"Rows": [row("searches", 20), row("zones seen", 9)]}});
        let all = measure_totals(&report);
        let told = |number: usize| ["Count", "Share", "Change"].map(|name| all[number][name].clone());
        assert_eq!(told(0), [json!(30), Value::Null, json!(0.5)]);
        assert_eq!(told(1), [Value::Null, Value::Null, Value::Null]);
        assert_eq!(told(2), [json!(6), json!(0.2), Value::Null]);
        assert_eq!((&all[6]["Revenue"], &all[6]["HasRevenue"]), (&Value::Null, &json!(true)));
        assert_eq!(all.as_array().map(Vec::len), Some(MEASURES.len()));
    }

    #[test]
    fn reports_whose_rows_have_a_part_of_a_whole_have_bars() {
        let report =
            json!({"Rows": [{"Product": "p", "Query": "q", "Zone": "HP-01", "Count": 9, "Clicks": 5}]});
        let has_bars = REPORTS.map(|(about, _)| {
            let mut values = json!({});
            fill_report(&mut values, &report, about);
            values.get("chart").is_some()
        });
        assert_eq!(has_bars, [true, true, true, false, false, false]);
    }

    #[test]
    fn each_group_of_issues_is_a_bar_of_its_severity() {
        let group = |code: &str, severity: &str, count: u64| json!({"Code": code, "Section": "Products", "Severity": severity, "Count": count});
        let groups = [group("few", "bad", 2), group("many", "warning", 30), group("some", "bad", 7)];
        let expected = json!([
            {"Name": "many, Products", "warning": 30},
            {"Name": "some, Products", "bad": 7},
            {"Name": "few, Products", "bad": 2},
        ]);
        assert_eq!(issue_bars(&groups, ["bad", "warning"]), expected);
    }

    #[test]
    fn an_address_asks_for_its_report_and_one_without_for_zones() {
        let asked = |fields: &[(&'static str, &'static str)]| {
            let fields: FieldMap = fields.iter().copied().collect();
            question(&fields, report_kind(&fields), 20_000)
        };
        assert_eq!(asked(&[]), json!({"Report": "zones", "Size": 100}));
        assert_eq!(asked(&[("about", " "), ("from", "")]), json!({"Report": "zones", "Size": 100}));
        let all = [("about", "search"), ("from", "2026-11-01"), ("until", "2026-11-02"), ("size", "5")];
        let expected = json!({"Report": "search", "Size": "5", "From": "2026-11-01", "Until": "2026-11-02"});
        assert_eq!(asked(&all), expected);
    }

    #[test]
    fn each_day_has_the_counts_of_all_measures_and_the_newest_stands_first() {
        let row =
            |day: &str, measure: &str, count: Value| json!({"Day": day, "Measure": measure, "Count": count});
        let rows = json!([
            row("2026-11-01", "searches", json!(5)),
            row("2026-11-01", "orders", json!(2)),
            row("2026-11-02", "searches without a result", Value::Null),
            row("2026-11-02", "no measure", json!(9)),
        ]);
        let mut first = vec![Value::Null; MEASURES.len()];
        let second = first.clone();
        first[0] = json!(5);
        first[6] = json!(2);
        let expected =
            json!([{"Day": "2026-11-02", "Counts": second}, {"Day": "2026-11-01", "Counts": first}]);
        assert_eq!(Value::from(rows_by_day(&rows)), expected);
        assert_eq!(rows_by_day(&Value::Null), Vec::<Value>::new());
    }
}
