//! Deltas of a shop: how many wait, how long they take, and the newest with their states and reasons.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::recent_errors;
use crate::console::auth::authorization::{Authorized, View};
use crate::console::state::Console;
use crate::console::ui::problem::Problem;
use crate::console::ui::url_fields::FieldMap;
use crate::console::ui::{chart, csv};
use crate::i18n::Translations;
use crate::templates::lasting;

/// The columns of the spreadsheet.
const COLUMNS: [&str; 6] = ["Number", "Token", "State", "Reason", "AcceptedAt", "FinishedAt"];

/// The states, by the numbers of the wire.
const STATES: [&str; 3] = ["pending", "applied", "failed"];

/// The deltas of a shop, of one state if the address says so.
pub(crate) async fn list(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Query(asked): Query<FieldMap>,
) -> Result<Response, Problem> {
    let shop = may.shop()?;
    let mut question = json!({});
    asked.fill_question(&mut question, &[("state", "State")]);
    if let Some(before) = asked.number("before") {
        question["Before"] = before.into();
    }
    let mut values =
        json!({"here": "deltas", "state": asked.text("state"), "is_first": !asked.has("before")});
    let status = match console.operations.call_for_shop(shop, "/api/deltas", question).await {
        Ok(mut found) => {
            found["Deltas"].as_array_mut().into_iter().flatten().for_each(with_state);
            if may.wants_sheet() {
                return csv::file("deltas", &COLUMNS, &found["Deltas"]);
            }
            values["chart"] = lags(&found["Lags"], console.drawing.words(may.session.language));
            values["found"] = found;
            values["refused"] = recent_errors::list(&console, shop).await?;
            StatusCode::OK
        }
        Err(refused) => {
            values["fault"] = refused.sentence.into();
            refused.status
        }
    };
    let page = console.drawing.render_signed_in(&may, "deltas.html", values)?;
    Ok((status, page).into_response())
}

/// Adds the word for the number that the wire has for the state of a delta.
fn with_state(delta: &mut Value) {
    let state = delta["Status"].as_u64().and_then(|status| STATES.get(status as usize));
    delta["State"] = json!(state);
}

/// The chart of how many deltas took how long.
fn lags(lags: &Value, texts: &Translations) -> Value {
    let name = |lag: &Value| match lag["UpToMs"].as_i64() {
        Some(most) => texts.translate("console.deltas.up_to", &[("time", &lasting(most))]),
        None => texts.translate("console.deltas.longer", &[]),
    };
    let rows: Vec<_> = lags.as_array().into_iter().flatten().collect();
    // Without failures there is no bar for them.
    let failed = |lag: &Value| lag["Failed"].as_i64().filter(|failed| *failed > 0);
    let rows =
        rows.iter().map(|lag| json!({"Name": name(lag), "Applied": lag["Applied"], "Failed": failed(lag)}));
    chart::bars(&rows.collect(), ["Applied", "Failed"])
}
