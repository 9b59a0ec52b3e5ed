//! Audit log of the operators.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::Response;
use serde::Deserialize;
use serde_json::json;

use super::overview::load_display_names;
use crate::console::auth::authorization::{Admin, Authorized};
use crate::console::state::Console;
use crate::console::ui::csv;
use crate::console::ui::problem::Problem;
use crate::limits;

/// Beginning of the page.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct PageStart {
    before: Option<i64>,
    behind: String,
}

/// The columns of the spreadsheet. What operators are called stays here: it goes when they leave, and files do not.
const COLUMNS: [&str; 5] = ["At", "Operator", "Act", "About", "Shop"];

/// The newest acts, or those before a time.
pub(crate) async fn list(
    State(console): State<Arc<Console>>,
    may: Authorized<Admin>,
    Query(from): Query<PageStart>,
) -> Result<Response, Problem> {
    let question = from.before.map_or(json!({}), |before| json!({"Before": before, "Behind": from.behind}));
    let rows = console.operations.call("/control/operator/acts", question).await?;
    let rows = rows.as_array().cloned().unwrap_or_default();
    if may.wants_sheet() {
        return csv::file("acts", &COLUMNS, &rows.into());
    }
    let is_full = rows.len() as i64 >= limits::ACTS_SHOWN;
    let next = rows.last().filter(|_| is_full).cloned();
    let names = load_display_names(&console, &may.shops).await?;
    let values = json!({"here": "acts", "rows": rows, "next": next, "names": names});
    console.drawing.render_signed_in(&may, "acts.html", values)
}
