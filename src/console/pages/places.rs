//! Every place of stored data, and the work of an erasure there.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::Response;
use serde_json::{Value, json};

use crate::console::auth::authorization::{Authorized, View};
use crate::console::state::Console;
use crate::console::ui::csv;
use crate::console::ui::problem::Problem;
use crate::console::ui::url_fields::FieldMap;

const MAP: &str = include_str!("../../../docs/data-map.txt");

/// Fate of places that hold nothing about people.
const IMPERSONAL: &str = "not-personal";
/// Fates that an erasure gives to places, those of places with personal data first.
const FATES: [&str; 5] = ["erase", "sealed", "keyed-hash", "kept", IMPERSONAL];

/// The map of all places, those with personal data first and the others folded; or of those of one fate.
pub(crate) async fn list(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Query(asked): Query<FieldMap>,
) -> Result<Response, Problem> {
    let mut rows: Vec<_> = MAP.lines().filter_map(row).collect();
    let count = |fate: &str| rows.iter().filter(|row| row["Fate"] == fate).count();
    let fates = FATES.map(|fate| json!({"Fate": fate, "Count": count(fate)}));
    let all = rows.len();
    let fate = asked.text("fate");
    if !fate.is_empty() && !FATES.contains(&fate) {
        return Err(Problem::not_found());
    }
    rows.retain(|row| fate.is_empty() || row["Fate"] == fate);
    if may.wants_sheet() {
        return csv::file("data-map", &["Place", "Fate", "Says"], &rows.into());
    }
    let is_open = |row: &Value| row["Fate"] != IMPERSONAL || fate == IMPERSONAL;
    let (rows, folded): (Vec<_>, Vec<_>) = rows.into_iter().partition(is_open);
    console.drawing.render_signed_in(
        &may,
        "places.html",
        json!({"here": "places", "rows": rows, "folded": folded, "all": all, "fates": fates, "fate": fate}),
    )
}

/// A line of the map: the place, the work of an erasure there, and a description.
fn row(line: &str) -> Option<Value> {
    if line.starts_with('#') {
        return None;
    }
    let (place, rest) = line.split_once(' ')?;
    let (fate, says) = rest.trim_start().split_once(' ')?;
    Some(json!({"Place": place, "Fate": fate, "Says": says.trim_start()}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_has_a_fate_that_can_be_asked_for() {
        let rows: Vec<_> = MAP.lines().filter_map(row).collect();
        assert!(rows.len() > 300, "{}", rows.len());
        assert!(rows.iter().all(|row| FATES.iter().any(|fate| row["Fate"] == *fate)));
    }

    #[test]
    fn a_line_of_the_map_is_a_place_with_its_fate() {
        let said = json!({"Place": "job.name", "Fate": "sealed", "Says": "under the key of  the job"});
        assert_eq!(row("job.name   sealed   under the key of  the job"), Some(said));
        for none in ["# job.name sealed x", "#", "", "job.name", "job.name   sealed"] {
            assert_eq!(row(none), None, "{none}");
        }
    }
}
