//! Erasures: all of a shop, one with its steps as they happen, its certificate and the letter; and the shop's ledger.

use std::sync::Arc;

use axum::extract::{Extension, Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use super::people::{looked_for, on_paper, table};
use crate::console::auth::authorization::{Authorized, AuthorizedForm, Privacy, RequiredRight, View};
use crate::console::state::Console;
use crate::console::ui::control_client::with_account;
use crate::console::ui::live_parts::LivePart;
use crate::console::ui::problem::Problem;
use crate::console::ui::{csv, sse};
use crate::erasure::{CaseReference, ErasureState as Step};
use crate::evidence::documents::{self, LetterFacts};
use crate::i18n::UiLanguage;
use crate::limits;
use crate::transport::listener::ListenerStop;

/// Filter of the list of erasures.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct ErasuresQuery {
    /// `open`, `overdue`, or one state; all without one.
    state: String,
    /// Part of a reference; all erasures without one.
    reference: String,
    /// The number that ended the page before.
    before: Option<i64>,
}

/// The columns of the spreadsheet.
const COLUMNS: [&str; 11] = [
    "Number",
    "Erasure",
    "Reference",
    "State",
    "Overdue",
    "AskedAt",
    "DueAt",
    "VerifiedAt",
    "WaitsFor",
    "Fault",
    "Faults",
];

/// True if it has ended: verified, or its identifier is lost and it must be requested again.
fn has_ended(erasure: &Value) -> bool {
    ["verified", "lost"].contains(&erasure["State"].as_str().unwrap_or_default())
}

/// The erasures of a shop.
pub(crate) async fn list(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Query(which): Query<ErasuresQuery>,
) -> Result<Response, Problem> {
    let mut question = json!({"State": which.state, "Reference": which.reference});
    if let Some(before) = which.before {
        question["Before"] = before.into();
    }
    let rows = console.operations.call_for_shop(may.shop()?, "/api/erasures", question).await?;
    if may.wants_sheet() {
        return csv::file("erasures", &COLUMNS, &rows);
    }
    let rows = rows.as_array().cloned().unwrap_or_default();
    let is_full = rows.len() as i64 >= limits::ERASURES_SHOWN;
    let next = rows.last().filter(|_| is_full).map(|last| last["Number"].clone());
    let counts = console.operations.call_for_shop(may.shop()?, "/api/erasures/count", json!({})).await?;
    let counts = json!({"open": counts["Open"], "overdue": counts["Overdue"]});
    let states = Step::ALL.map(Step::as_str);
    let values = json!({"here": "erasures", "rows": rows, "next": next, "state": which.state,
        "reference": which.reference, "counts": counts, "states": states});
    console.drawing.render_signed_in(&may, "erasures.html", values)
}

async fn load_erasure<N: RequiredRight>(
    console: &Console,
    may: &Authorized<N>,
    id: &str,
) -> Result<Value, Problem> {
    console.operations.call_for_shop(may.shop()?, "/api/erasure", json!({"Erasure": id})).await
}

/// One erasure: its steps, and the things removed from each place.
pub(crate) async fn show(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let erasure = load_erasure(&console, &may, &id).await?;
    if may.wants_sheet() {
        return csv::file("erasure", &["Name", "Removed", "Left", "Says"], &erasure["Places"]);
    }
    let found = console.find_answer(&may)?;
    if may.wants("found") {
        return table("found", &found);
    }
    let values = json!({"here": "erasures", "erasure": erasure, "found": found});
    console.drawing.render_signed_in(&may, "erasure.html", values)
}

/// Searches for a person again after their erasure was verified. The console does not know any more whom it was about,
/// so the operator types the identifier; it is not kept, and stands in no address.
pub(crate) async fn search_again(
    State(console): State<Arc<Console>>,
    Path((_, id)): Path<(String, String)>,
    act: AuthorizedForm<Privacy>,
) -> Result<Response, Problem> {
    let erasure = load_erasure(&console, &act.may, &id).await?;
    let about = ("erasure-looked-behind", erasure["Erasure"].as_str().map(str::to_owned));
    match looked_for(&console, &act.may, about, act.form.text("identifier")).await {
        Ok(found) => {
            let page = format!("/shops/{}/erasures/{id}", act.may.shop()?.name);
            console.redirect_with_answer(&act.may, &page, &found)
        }
        Err(refused) => {
            let values = json!({"here": "erasures", "erasure": erasure, "fault": refused.sentence});
            let page = console.drawing.render_signed_in(&act.may, "erasure.html", values)?;
            Ok((refused.status, page).into_response())
        }
    }
}

/// Sets the shop's own references of an erasure, or clears them. The audit log has the act, and not the text.
pub(crate) async fn set_reference(
    State(console): State<Arc<Console>>,
    Path((_, id)): Path<(String, String)>,
    act: AuthorizedForm<Privacy>,
) -> Result<Response, Problem> {
    let erasure = load_erasure(&console, &act.may, &id).await?;
    let typed = act.form.text("reference");
    if let Err(refused) = CaseReference::parse_list(typed) {
        let values = json!({"here": "erasures", "erasure": erasure, "reference_fault": refused.as_str(),
            "reference": act.form.raw("reference")});
        let page = console.drawing.render_signed_in(&act.may, "erasure.html", values)?;
        return Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response());
    }
    let about = ("erasure-reference-set", erasure["Erasure"].as_str().map(str::to_owned));
    let question = json!({"Erasure": id, "Reference": typed});
    console.done_about(&act.may, about, ("/api/erasure/reference", question)).await?;
    Ok(Redirect::to(&format!("/shops/{}/erasures/{id}", act.may.shop()?.name)).into_response())
}

/// The same while it goes on.
pub(crate) async fn live(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Path((_, id)): Path<(String, String)>,
    Extension(stopping): Extension<ListenerStop>,
) -> Result<Response, Problem> {
    load_erasure(&console, &may, &id).await?;
    let pages = console.clone();
    let language = may.session.language;
    let shop = may.shop()?.clone();
    let next = move || {
        let console = console.clone();
        let shop = shop.clone();
        let id = id.clone();
        async move {
            let question = json!({"Erasure": id});
            let erasure = console.operations.call_for_shop(&shop, "/api/erasure", question).await?;
            let is_last = has_ended(&erasure);
            let html = console.drawing.text(
                language,
                "erasure_steps.html",
                json!({"erasure": erasure, "shop": shop, "is_live": true}),
            )?;
            Ok(LivePart { html, is_last })
        }
    };
    sse::stream(&pages, &may, stopping, next).await
}

/// In which language a paper is, and whether it is kept as a file.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct Paper {
    language: Option<String>,
    file: Option<String>,
}

/// The certificate of an erasure: a page to print, or the file that `lethe-verify` checks.
pub(crate) async fn certificate(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Path((_, id)): Path<(String, String)>,
    Query(paper): Query<Paper>,
) -> Result<Response, Problem> {
    console.record_act(&may, "certificate-taken", Some(uuid_of(&id)?.to_string())).await?;
    let question =
        with_account(may.shop()?, json!({"Erasure": id, "Language": paper.language.unwrap_or_default()}));
    let is_file = paper.file.is_some();
    let accept = if is_file { "application/json" } else { "text/html" };
    let answered = console.operations.send("/api/erasure/certificate", question, accept).await?;
    if is_file {
        let named = format!("attachment; filename=\"certificate-{}.json\"", uuid_of(&id)?);
        let told =
            [(header::CONTENT_TYPE, "application/json".to_owned()), (header::CONTENT_DISPOSITION, named)];
        return Ok((told, answered.body).into_response());
    }
    Ok(on_paper(String::from_utf8_lossy(&answered.body).into_owned()))
}

fn uuid_of(id: &str) -> Result<uuid::Uuid, Problem> {
    uuid::Uuid::try_parse(id).map_err(|_| Problem::not_found())
}

/// The letter to the forgotten person, in plain words: a page to print, or plain text to paste into a mail.
pub(crate) async fn letter(
    State(console): State<Arc<Console>>,
    may: Authorized<Privacy>,
    Path((_, id)): Path<(String, String)>,
    Query(asked): Query<Paper>,
) -> Result<Response, Problem> {
    let shop = may.shop()?;
    console.record_act(&may, "letter-taken", Some(uuid_of(&id)?.to_string())).await?;
    let certificate =
        console.operations.call_for_shop(shop, "/api/erasure/certificate", json!({"Erasure": id})).await?;
    let erasure = load_erasure(&console, &may, &id).await?;
    let facts = LetterFacts { body: &certificate["Body"], reference: erasure["Reference"].as_str() };
    let about = console.operations.call_for_shop(shop, "/api/account", json!({})).await?;
    let code = asked.language.as_deref().or(about["Language"].as_str()).unwrap_or_default();
    let language = UiLanguage::from_code(code).unwrap_or_default();
    let shop = documents::ShopContact::from_json(&about);
    if asked.file.is_some() {
        let letter = documents::letter(facts, &shop, language)?;
        return Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], letter).into_response());
    }
    Ok(on_paper(documents::letter_page(facts, &shop, language)?))
}

/// The ledger of a shop.
pub(crate) async fn ledger(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
) -> Result<Response, Problem> {
    let question = json!({"Name": may.shop()?.name});
    let checkpoint = console.operations.call("/control/ledger/checkpoint", question).await?;
    let key = console.operations.call("/control/ledger/key", json!({})).await?;
    console.drawing.render_signed_in(
        &may,
        "ledger.html",
        json!({"here": "ledger", "checkpoint": checkpoint, "key": key}),
    )
}

/// Ledger file for an auditor: the checkpoint, the key, or all entries.
pub(crate) async fn ledger_file(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Path((_, file)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let path = match file.as_str() {
        "checkpoint.json" => "/control/ledger/checkpoint",
        "key.txt" => "/control/ledger/key",
        "entries.jsonl" => "/control/ledger/export",
        _ => return Err(Problem::new(StatusCode::NOT_FOUND, "problem.gone")),
    };
    let question = json!({"Name": may.shop()?.name});
    console.record_act(&may, "ledger-taken", None).await?;
    let body = if file == "key.txt" {
        // As `lethe ledger key` prints it, and `lethe-verify --key` reads it.
        let key = console.operations.call(path, question).await?;
        key["Key"].as_str().unwrap_or_default().to_owned().into()
    } else {
        console.operations.send(path, question, "application/json").await?.body
    };
    let named = format!("attachment; filename=\"{file}\"");
    let told =
        [(header::CONTENT_TYPE, "application/octet-stream".to_owned()), (header::CONTENT_DISPOSITION, named)];
    Ok((told, body).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_erasure_has_ended_when_it_is_verified_or_lost() {
        let states = Step::ALL.map(Step::as_str);
        let mut ended: Vec<_> =
            states.into_iter().filter(|state| has_ended(&json!({ "State": state }))).collect();
        ended.sort_unstable();
        assert_eq!(ended, ["lost", "verified"]);
        assert!(!has_ended(&Value::Null));
    }
}
