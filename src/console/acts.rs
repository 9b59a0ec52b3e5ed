//! What operators did.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::Response;
use serde::Deserialize;
use serde_json::json;

use super::Console;
use super::problem::Problem;
use super::signed::{May, Own};

/// Where the page begins.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct From {
    before: Option<i64>,
    behind: String,
}

/// The newest acts, or those before a time.
pub(super) async fn list(
    State(console): State<Arc<Console>>,
    may: May<Own>,
    Query(from): Query<From>,
) -> Result<Response, Problem> {
    let question = from.before.map_or(json!({}), |before| json!({"Before": before, "Behind": from.behind}));
    let rows = console.operations.ask("/control/operator/acts", question).await?;
    let all = rows.as_array().map_or(0, Vec::len) as i64;
    let next = (all >= crate::limits::ACTS_SHOWN).then(|| rows[all as usize - 1].clone());
    console.drawing.signed(&may, "acts.html", json!({"here": "acts", "rows": rows, "next": next}))
}
