//! Every place where anything is stored, and what an erasure does there.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::Response;
use serde_json::{Value, json};

use super::Console;
use super::fields::Fields;
use super::problem::Problem;
use super::sheet;
use super::signed::{May, See};

const MAP: &str = include_str!("../../docs/data-map.txt");

/// The map of all places.
pub(super) async fn list(
    State(console): State<Arc<Console>>,
    may: May<See>,
    Query(asked): Query<Fields>,
) -> Result<Response, Problem> {
    let rows: Vec<_> = MAP.lines().filter_map(row).collect();
    if asked.has("csv") {
        return sheet::file("data-map", &["Place", "Fate", "Says"], &rows);
    }
    console.drawing.signed(&may, "places.html", json!({"here": "places", "rows": rows}))
}

/// A line of the map: the place, what an erasure does there, and what it is.
fn row(line: &str) -> Option<Value> {
    if line.starts_with('#') {
        return None;
    }
    let (place, rest) = line.split_once(' ')?;
    let (fate, says) = rest.trim_start().split_once(' ')?;
    Some(json!({"Place": place, "Fate": fate, "Says": says.trim_start()}))
}
