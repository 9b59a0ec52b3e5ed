//! Actions of a merchandiser on an import: publish a held one, cancel a running one, show an earlier list again.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::{Value, json};

use super::import_record::load_import;
use super::imports::{FormFault, ImportsQuery, history, render_import};
use crate::api::FEED_TOKEN;
use crate::console::auth::authorization::{Authorized, AuthorizedForm, Merchandise};
use crate::console::state::Console;
use crate::console::ui::control_client::with_account;
use crate::console::ui::form::ConsoleForm;
use crate::console::ui::problem::Problem;

/// The shop and the import of an address.
type ImportPath = Path<(String, String)>;

/// True if the box was ticked that confirms a change shoppers notice at once.
fn is_confirmed(form: &ConsoleForm) -> bool {
    form.text("sure") == "yes"
}

/// The problem that the box was not ticked.
fn unconfirmed_problem(console: &Console, may: &Authorized<Merchandise>) -> Problem {
    let says = console.drawing.words(may.session.language).translate("console.import.unsure", &[]);
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, &says)
}

/// Publishes a held feed: one that was checked, or (`anyway`) one that the removal guard stopped.
pub(crate) async fn publish(
    State(console): State<Arc<Console>>,
    Path((_, token)): ImportPath,
    act: AuthorizedForm<Merchandise>,
) -> Result<Response, Problem> {
    let is_forced = act.form.text("anyway") == "yes";
    let word = if is_forced { "feed-published-anyway" } else { "feed-published" };
    let question = json!({"Token": token, "Anyway": is_forced});
    let import = load_import(&console, act.may.shop()?, &token).await?;
    let published = if is_forced && !is_confirmed(&act.form) {
        Err(unconfirmed_problem(&console, &act.may))
    } else {
        submit_import(&console, &act.may, (word, &import), ("/api/feed/publish", question)).await
    };
    match published {
        Ok(next) => Ok(next),
        Err(refused) => render_refused(&console, &act.may, &token, "publish", refused).await,
    }
}

/// The page of the import with the error next to the form.
async fn render_refused(
    console: &Console,
    may: &Authorized<Merchandise>,
    token: &str,
    about: &'static str,
    refused: Problem,
) -> Result<Response, Problem> {
    let status = refused.status;
    let page = render_import(console, may, token, FormFault::from_problem(about, refused)).await?;
    Ok((status, page).into_response())
}

/// Asks for something that becomes an import of its own, and goes to its page.
async fn submit_import(
    console: &Console,
    may: &Authorized<Merchandise>,
    (word, about): (&str, &Value),
    (path, question): (&str, Value),
) -> Result<Response, Problem> {
    let shop = may.shop()?;
    let asking = console.operations.send(path, with_account(shop, question), "application/json");
    let answered =
        console.do_and_record(may, (word, about["Token"].as_str().map(str::to_owned)), asking).await?;
    let token = answered.header(FEED_TOKEN.as_str());
    Ok(Redirect::to(&format!("/shops/{}/imports/{token}", shop.name)).into_response())
}

/// Ends an import before it is published.
pub(crate) async fn cancel(
    State(console): State<Arc<Console>>,
    Path((_, token)): ImportPath,
    act: AuthorizedForm<Merchandise>,
) -> Result<Response, Problem> {
    let shop = act.may.shop()?;
    let import = load_import(&console, shop, &token).await?;
    if !is_confirmed(&act.form) {
        let refused = unconfirmed_problem(&console, &act.may);
        return render_refused(&console, &act.may, &token, "cancel", refused).await;
    }
    let about = ("feed-cancelled", import["Token"].as_str().map(str::to_owned));
    match console.done_about(&act.may, about, ("/api/feed/cancel", json!({"Token": token}))).await {
        Ok(_) => Ok(Redirect::to(&format!("/shops/{}/imports/{token}", shop.name)).into_response()),
        Err(refused) => render_refused(&console, &act.may, &token, "cancel", refused).await,
    }
}

/// Shows an earlier list again.
pub(crate) async fn restore_list(
    State(console): State<Arc<Console>>,
    act: AuthorizedForm<Merchandise>,
) -> Result<Response, Problem> {
    let may = &act.may;
    // One that is none gets the sentence of the operation: no list has the number 0.
    let (section, number) = act.form.text("earlier").split_once('/').unwrap_or(("Products", "0"));
    let question = json!({"Section": section, "Number": number.parse::<i64>().unwrap_or(0)});
    let gone_back = if is_confirmed(&act.form) {
        submit_import(&console, may, ("earlier-list-shown", &Value::Null), ("/api/snapshots/back", question))
            .await
    } else {
        Err(unconfirmed_problem(&console, may))
    };
    match gone_back {
        Ok(next) => Ok(next),
        Err(refused) => {
            let status = refused.status;
            let page =
                history(&console, may, &ImportsQuery::default(), FormFault::from_problem("back", refused))
                    .await?;
            Ok((status, page).into_response())
        }
    }
}
