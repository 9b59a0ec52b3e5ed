//! The operators of the console: for owners.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::{Value, json};

use super::overview::load_display_names;
use crate::console::auth::authorization::{Admin, Authorized, AuthorizedForm};
use crate::console::state::Console;
use crate::console::ui::csv;
use crate::console::ui::form::ConsoleForm;
use crate::console::ui::page_room::page_of_rows;
use crate::console::ui::problem::Problem;
use crate::console::ui::url_fields::FieldMap;
use crate::limits;
use crate::operators::OperatorRole;

/// The columns of the spreadsheet. What operators are called stays here: it goes when they leave, and files do not.
const COLUMNS: [&str; 7] = ["Number", "Role", "Shops", "MadeAt", "HasPassword", "HasCode", "DisabledAt"];

/// The fields of the forms, by words of their possible faults.
const FIELDS: [(&str, &str); 3] = [("role", "role"), ("shop", "shop"), ("", "name")];

/// All operators, and the form to add one.
pub(crate) async fn list(
    State(console): State<Arc<Console>>,
    may: Authorized<Admin>,
    Query(asked): Query<FieldMap>,
) -> Result<Response, Problem> {
    if may.wants_sheet() {
        let rows = console.operations.call("/control/operator/list", json!({})).await?;
        return csv::file("operators", &COLUMNS, &rows);
    }
    let link = console.find_answer(&may).unwrap_or_default();
    if link["Link"].is_string() {
        let page = console.drawing.render_signed_in(
            &may,
            "new_link.html",
            json!({"here": "operators", "link": link}),
        )?;
        return Ok(console.shown_once(&may, page));
    }
    render_list(&console, &may, &asked, json!({"typed": {}, "fault": ""})).await
}

async fn render_list(
    console: &Console,
    may: &Authorized<Admin>,
    asked: &FieldMap,
    mut values: Value,
) -> Result<Response, Problem> {
    let listed = console.operations.call("/control/operator/list", json!({})).await?;
    let (rows, next) = page_of_rows(listed.as_array().map_or(&[][..], Vec::as_slice), asked);
    values["rows"] = rows.into();
    values["next"] = next.into();
    values["here"] = "operators".into();
    values["most"] = limits::SHOP_BOXES.into();
    values["names"] = load_display_names(console, &may.shops).await?;
    console.drawing.render_signed_in(may, "operators.html", values)
}

/// Adds one, and shows the link by which they choose a password.
pub(crate) async fn add(
    State(console): State<Arc<Console>>,
    act: AuthorizedForm<Admin>,
) -> Result<Response, Problem> {
    let form = &act.form;
    let name = form.text("name");
    let typed = json!({"Name": name, "Role": form.text("role"), "Shops": named_shops(form)});
    let added =
        console.record_and_call(&act.may, "operator-added", ("/control/operator/add", typed.clone())).await;
    match added {
        Ok(made) => {
            let number = made["Number"].as_str().map(str::to_owned);
            console.record_act(&act.may, "operator-may-choose-a-password", number).await?;
            redirect_to_link(&console, &act.may, name, made)
        }
        Err(refused) => {
            let values = json!({"typed": typed, "wrong": refused.field(&FIELDS), "fault": refused.sentence});
            let page = render_list(&console, &act.may, &FieldMap::default(), values).await?;
            Ok((refused.status, page).into_response())
        }
    }
}

/// Shops of a form: those that were ticked, or names typed with blanks between them.
fn named_shops(form: &ConsoleForm) -> Vec<&str> {
    form.values_of("shop").into_iter().flat_map(str::split_whitespace).collect()
}

/// Leads to the page that shows a link once.
fn redirect_to_link(
    console: &Console,
    may: &Authorized<Admin>,
    name: &str,
    mut link: Value,
) -> Result<Response, Problem> {
    link["Name"] = name.into();
    console.redirect_with_answer(may, "/operators", &link)
}

/// One operator.
pub(crate) async fn show(
    State(console): State<Arc<Console>>,
    may: Authorized<Admin>,
    Path(number): Path<String>,
) -> Result<Response, Problem> {
    let row = load_operator(&console, &number).await?;
    render_operator(&console, &may, row, ("", "")).await
}

/// The operator of a number. A name would stand in addresses and histories.
async fn load_operator(console: &Console, number: &str) -> Result<Value, Problem> {
    let rows = console.operations.call("/control/operator/list", json!({})).await?;
    let is_it = |row: &&Value| row["Number"] == number && row["Name"].is_string();
    rows.as_array().into_iter().flatten().find(is_it).cloned().ok_or_else(Problem::not_found)
}

async fn render_operator(
    console: &Console,
    may: &Authorized<Admin>,
    row: Value,
    (wrong, fault): (&str, &str),
) -> Result<Response, Problem> {
    let names = load_display_names(console, &may.shops).await?;
    let values = json!({"here": "operators", "row": row, "wrong": wrong, "fault": fault, "names": names,
        "most": limits::SHOP_BOXES});
    console.drawing.render_signed_in(may, "operator.html", values)
}

/// Changes one: role and shops, whether they may sign in, another password; or they leave.
pub(crate) async fn change(
    State(console): State<Arc<Console>>,
    Path(number): Path<String>,
    act: AuthorizedForm<Admin>,
) -> Result<Response, Problem> {
    let form = &act.form;
    let mut row = load_operator(&console, &number).await?;
    let name = row["Name"].as_str().unwrap_or_default().to_owned();
    let role = form.text("role");
    let set = json!({"Name": name, "Role": role, "Shops": named_shops(form)});
    let became = format!("operator-became-{role}");
    let asked = |state: &str| json!({"Name": name, "State": state});
    let (done, path, question) = match form.text("do") {
        "set" if OperatorRole::from_name(role).is_some() => (became.as_str(), "/control/operator/set", set),
        "disable" => ("operator-disabled", "/control/operator/set", asked("disabled")),
        "enable" => ("operator-enabled", "/control/operator/set", asked("enabled")),
        "reset" => ("operator-reset", "/control/operator/reset", json!({"Name": name})),
        "remove" => ("operator-removed", "/control/operator/remove", json!({"Name": name})),
        _ => return Err(Problem::not_found()),
    };
    match console.done_about(&act.may, (done, Some(number)), (path, question)).await {
        Ok(link) if done == "operator-reset" => redirect_to_link(&console, &act.may, &name, link),
        Ok(_) => Ok(Redirect::to("/operators").into_response()),
        Err(refused) => {
            // The form shows the chosen values again.
            if done == became {
                row["Role"] = role.into();
                row["Shops"] = json!(named_shops(form));
            }
            let wrong = if done == became { refused.field(&FIELDS) } else { "act" };
            // The name is no field of this page.
            let wrong = if ["name", ""].contains(&wrong) { "act" } else { wrong };
            let page = render_operator(&console, &act.may, row, (wrong, &refused.sentence)).await?;
            Ok((refused.status, page).into_response())
        }
    }
}
