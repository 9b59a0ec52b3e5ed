//! Reports: what zones showed, what was searched, and what came of it; as tables, charts and files for spreadsheets.
//! What the operation does not tell of a few people is not here either.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::Console;
use super::ask::of;
use super::chart;
use super::fields::Fields;
use super::problem::Problem;
use super::sheet;
use super::signed::{May, See};

/// What reports are about, and what of each row a chart shows.
const REPORTS: [(&str, [&str; 2]); 3] =
    [("zones", ["Count", "Clicks"]), ("search", ["Count", "WithoutResult"]), ("quality", ["Count", "Count"])];

/// What is asked for.
fn question(asked: &Fields) -> Value {
    let mut question = json!({"Report": about(asked), "Size": 100});
    asked.ask(&mut question, &[("from", "From"), ("until", "Until"), ("size", "Size")]);
    question
}

/// What the report of an address is about; of zones, where nothing is said.
fn about(asked: &Fields) -> &str {
    let about = asked.text("about");
    if about.is_empty() { "zones" } else { about }
}

/// A report of some days.
pub(super) async fn page(
    State(console): State<Arc<Console>>,
    may: May<See>,
    Query(asked): Query<Fields>,
) -> Result<Response, Problem> {
    let about = about(&asked);
    let (about, counts) = REPORTS.into_iter().find(|(name, _)| *name == about).ok_or_else(Problem::gone)?;
    let reported = console.operations.ask_of(may.shop()?, "/api/report", question(&asked)).await;
    let mut values = json!({"here": "reports", "about": about, "asked": asked, "counts": counts});
    let status = match reported {
        Ok(report) => {
            if about != "quality" {
                values["chart"] = chart::bars(&report["Rows"], counts);
            }
            values["report"] = report;
            values["file"] = asked.address_with("about", about).into();
            StatusCode::OK
        }
        Err(refused) => {
            values["fault"] = refused.sentence.into();
            refused.status
        }
    };
    let page = console.drawing.signed(&may, "reports.html", values)?;
    Ok((status, page).into_response())
}

/// The same for spreadsheets.
pub(super) async fn file(
    State(console): State<Arc<Console>>,
    may: May<See>,
    Query(asked): Query<Fields>,
) -> Result<Response, Problem> {
    let mut question = of(may.shop()?, question(&asked));
    question["Format"] = "csv".into();
    let answered = console.operations.send("/api/report", question, "text/csv").await?;
    Ok(sheet::download("report", answered.body))
}
