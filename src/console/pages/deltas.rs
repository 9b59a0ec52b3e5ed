//! Deltas of a shop: how many wait, how long they take, and the newest with their states and reasons.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::recent_errors;
use crate::console::auth::authorization::{Authorized, View};
use crate::console::state::Console;
use crate::console::ui::chart::{self, BarParts};
use crate::console::ui::csv;
use crate::console::ui::problem::Problem;
use crate::console::ui::url_fields::FieldMap;
use crate::i18n::Translations;
use crate::templates::lasting;

/// The columns of the spreadsheet.
const COLUMNS: [&str; 6] = ["KindNumber", "Token", "State", "Reason", "AcceptedAt", "FinishedAt"];

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
    chart::bars(&rows.collect(), ["Applied", "Failed"], BarParts::Beside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::UiLanguage;

    #[test]
    fn each_state_of_a_delta_has_its_word() {
        let word = |status: Value| {
            let mut delta = json!({ "Status": status });
            with_state(&mut delta);
            delta["State"].clone()
        };
        let words = [json!(0), json!(1), json!(2), json!(3), Value::Null].map(word);
        assert_eq!(words, [json!("pending"), json!("applied"), json!("failed"), Value::Null, Value::Null]);
    }

    #[test]
    fn a_chart_of_delays_has_a_bar_for_failures_where_there_are_some() {
        let texts = Translations::load(UiLanguage::English);
        let all = json!([
            {"UpToMs": 10_000, "Applied": 4, "Failed": 0},
            {"UpToMs": 60_000, "Applied": 0, "Failed": 1},
            {"UpToMs": null, "Applied": 2, "Failed": 2},
        ]);
        let drawn = lags(&all, &texts);
        let rows: Vec<_> = drawn["Rows"].as_array().into_iter().flatten().collect();
        let told = |row: &&Value| [&row["Name"], &row["Counts"][0], &row["Counts"][1]].map(Value::clone);
        let expected = [
            [json!("up to 10 s"), json!(4), Value::Null],
            [json!("up to 1 min"), json!(0), json!(1)],
            [json!("longer"), json!(2), json!(2)],
        ];
        assert_eq!(rows.iter().map(told).collect::<Vec<_>>(), expected);
        assert_eq!(lags(&json!([]), &texts), Value::Null);
    }
}
