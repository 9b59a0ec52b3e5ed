//! Who works at the console: for owners.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::{Value, json};

use super::Console;
use super::problem::Problem;
use super::signed::{Act, May, Own};

/// All operators, and the form to add one.
pub(super) async fn list(State(console): State<Arc<Console>>, may: May<Own>) -> Result<Response, Problem> {
    drawn(&console, &may, json!({"typed": {}, "fault": ""})).await
}

async fn drawn(console: &Console, may: &May<Own>, mut values: Value) -> Result<Response, Problem> {
    values["rows"] = console.operations.ask("/control/operator/list", json!({})).await?;
    values["here"] = "operators".into();
    console.drawing.signed(may, "operators.html", values)
}

/// Adds one, and shows the link by which they choose a password.
pub(super) async fn add(State(console): State<Arc<Console>>, act: Act<Own>) -> Result<Response, Problem> {
    let form = &act.form;
    let name = form.text("name");
    let typed = json!({"Name": name, "Role": form.text("role"), "Shops": form.all("shop")});
    let added = console.done(&act.may, "operator-added", ("/control/operator/add", typed.clone())).await;
    match added {
        Ok(link) => linked(&console, &act.may, name, &link),
        Err(refused) => {
            let values = json!({"typed": typed, "fault": refused.sentence});
            Ok((refused.status, drawn(&console, &act.may, values).await?).into_response())
        }
    }
}

fn linked(console: &Console, may: &May<Own>, name: &str, link: &Value) -> Result<Response, Problem> {
    let values = json!({"here": "operators", "name": name, "link": link["Link"], "until": link["Until"]});
    console.drawing.signed(may, "new_link.html", values)
}

/// One operator.
pub(super) async fn show(
    State(console): State<Arc<Console>>,
    may: May<Own>,
    Path(name): Path<String>,
) -> Result<Response, Problem> {
    one(&console, &may, &name, "").await
}

async fn one(console: &Console, may: &May<Own>, name: &str, fault: &str) -> Result<Response, Problem> {
    let rows = console.operations.ask("/control/operator/list", json!({})).await?;
    let is_theirs = |row: &&Value| row["Name"] == name;
    let row = rows.as_array().into_iter().flatten().find(is_theirs).ok_or_else(Problem::gone)?;
    console.drawing.signed(may, "operator.html", json!({"here": "operators", "row": row, "fault": fault}))
}

/// Changes one: role and shops, whether they may sign in, another password; or they leave.
pub(super) async fn change(
    State(console): State<Arc<Console>>,
    Path(name): Path<String>,
    act: Act<Own>,
) -> Result<Response, Problem> {
    let form = &act.form;
    let set = json!({"Name": name, "Role": form.text("role"), "Shops": form.all("shop")});
    let (done, path, question) = match form.text("do") {
        "set" => ("operator-changed", "/control/operator/set", set),
        "disable" => {
            ("operator-disabled", "/control/operator/set", json!({"Name": name, "State": "disabled"}))
        }
        "enable" => ("operator-enabled", "/control/operator/set", json!({"Name": name, "State": "enabled"})),
        "reset" => ("operator-reset", "/control/operator/reset", json!({"Name": name})),
        "remove" => ("operator-removed", "/control/operator/remove", json!({"Name": name})),
        _ => return Err(Problem::gone()),
    };
    match console.done(&act.may, done, (path, question)).await {
        Ok(link) if done == "operator-reset" => linked(&console, &act.may, &name, &link),
        Ok(_) => Ok(Redirect::to("/operators").into_response()),
        Err(refused) => {
            let page = one(&console, &act.may, &name, &refused.sentence).await?;
            Ok((refused.status, page).into_response())
        }
    }
}
