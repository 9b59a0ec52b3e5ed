//! People: found by an exact identifier, and by nothing else; their data, their export, and forgetting them.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::{Value, json};
use zeroize::Zeroizing;

use crate::api::user_forget::ERASURE_ID;
use crate::console::auth::authorization::{Authorized, AuthorizedForm, Privacy};
use crate::console::state::Console;
use crate::console::ui::control_client::with_account;
use crate::console::ui::csv;
use crate::console::ui::problem::Problem;
use crate::erasure::reference::{CaseReference, ReferenceRefusal};
use crate::evidence::documents;
use crate::ids::identifier::Identifier;
use crate::operators::OperatorRole;

/// The shop and the person of an address.
type PersonPath = Path<(String, String)>;

/// The form to find a person.
pub(crate) async fn page(
    State(console): State<Arc<Console>>,
    may: Authorized<Privacy>,
) -> Result<Response, Problem> {
    console.drawing.render_signed_in(&may, "people.html", json!({"here": "people", "typed": "", "fault": ""}))
}

/// Finds a person and gives them a page whose address says nothing about them.
pub(crate) async fn find(
    State(console): State<Arc<Console>>,
    act: AuthorizedForm<Privacy>,
) -> Result<Response, Problem> {
    let may = &act.may;
    let shop = may.shop()?;
    let typed = act.form.text("identifier");
    // An error stands next to the field.
    let asked =
        console.operations.call_for_shop(shop, "/api/user/suppression", json!({"Identifier": typed})).await;
    if let Err(refused) = asked {
        let values = json!({"here": "people", "typed": typed, "fault": refused.sentence});
        let page = console.drawing.render_signed_in(may, "people.html", values)?;
        return Ok((refused.status, page).into_response());
    }
    console.record_act(may, "person-looked-at", None).await?;
    let now = console.node.clock.now();
    let handle = console.people.create(may.handle_owner(), typed.to_owned(), now);
    Ok(Redirect::to(&format!("/shops/{}/people/{handle}", shop.name)).into_response())
}

/// Identifier by which the person of an address was found.
fn identifier<N>(console: &Console, may: &Authorized<N>, handle: &str) -> Result<Zeroizing<String>, Problem>
where
    N: crate::console::auth::authorization::RequiredRight,
{
    let gone = || Problem::new(StatusCode::NOT_FOUND, "problem.person");
    let id = uuid::Uuid::try_parse(handle).map_err(|_| gone())?;
    let now = console.node.clock.now();
    console.people.find(may.handle_owner(), id, now).ok_or_else(gone)
}

/// Page of the data held about a person.
pub(crate) async fn show(
    State(console): State<Arc<Console>>,
    may: Authorized<Privacy>,
    Path((_, handle)): PersonPath,
) -> Result<Response, Problem> {
    let found = console.find_answer(&may)?;
    if may.wants("found") {
        return table("found", &found);
    }
    render_person(&console, &may, &handle, json!({"found": found})).await
}

/// Spreadsheet of the data held or found, place by place.
pub(crate) fn table(name: &str, found: &Value) -> Result<Response, Problem> {
    csv::file(name, &["Name", "Found", "Says"], &found["Places"])
}

async fn render_person(
    console: &Console,
    may: &Authorized<Privacy>,
    handle: &str,
    mut values: Value,
) -> Result<Response, Problem> {
    let identifier = identifier(console, may, handle)?;
    let asked = json!({"Identifier": identifier.as_str()});
    let held = match console.operations.call_for_shop(may.shop()?, "/api/user/held", asked).await {
        // A person whose key is lost can still be forgotten.
        Err(lost) if lost.status == StatusCode::GONE => json!({"Lost": lost.sentence}),
        held => held?,
    };
    if may.wants_sheet() {
        return table("held", &held);
    }
    values["here"] = "people".into();
    values["handle"] = handle.into();
    values["identifier"] = identifier.as_str().into();
    values["held"] = held;
    console.drawing.render_signed_in(may, "person.html", values)
}

/// Searches all places for a person, byte by byte.
pub(crate) async fn search_person(
    State(console): State<Arc<Console>>,
    Path((_, handle)): PersonPath,
    act: AuthorizedForm<Privacy>,
) -> Result<Response, Problem> {
    let identifier = identifier(&console, &act.may, &handle)?;
    let found = looked_for(&console, &act.may, ("person-looked-for", None), &identifier).await?;
    // They may have been forgotten meanwhile.
    self::identifier(&console, &act.may, &handle)?;
    let page = format!("/shops/{}/people/{handle}", act.may.shop()?.name);
    console.redirect_with_answer(&act.may, &page, &found)
}

/// Searches all places for a person; the result has only the part that the operator may see. `about` is the word for
/// the act, and the id of its object.
pub(crate) async fn looked_for(
    console: &Console,
    may: &Authorized<Privacy>,
    about: (&str, Option<String>),
    identifier: &str,
) -> Result<Value, Problem> {
    let question = json!({"Identifier": identifier});
    let mut found = console.done_about(may, about, ("/api/user/scan", question)).await?;
    let is_of_some = may.operator.role != OperatorRole::Owner;
    if is_of_some {
        without_files(&mut found);
    }
    Ok(found)
}

/// The files are of all shops: an operator who works for some does not see their content.
fn without_files(found: &mut Value) {
    let places = found["Places"].as_array().cloned().unwrap_or_default();
    let own: Vec<_> = places.into_iter().filter(|place| place["Name"] != "files").collect();
    found["FoundAnywhere"] = own.iter().any(|place| place["Found"].as_u64() != Some(0)).into();
    found["Places"] = own.into();
    found["Scan"] = Value::Null;
}

/// All data of a person: a page to print, or JSON to keep (`?json`).
pub(crate) async fn export(
    State(console): State<Arc<Console>>,
    may: Authorized<Privacy>,
    Path((_, handle)): PersonPath,
    uri: axum::http::Uri,
) -> Result<Response, Problem> {
    let identifier = identifier(&console, &may, &handle)?;
    let shop = may.shop()?;
    console.record_act(&may, "person-exported", None).await?;
    let question = json!({"Identifier": identifier.as_str()});
    let export = console.operations.call_for_shop(shop, "/api/user/export", question).await?;
    if uri.query() == Some("json") {
        let told = [
            (header::CONTENT_TYPE, "application/json"),
            (header::CONTENT_DISPOSITION, "attachment; filename=\"export.json\""),
        ];
        return Ok((told, export.to_string()).into_response());
    }
    Ok(on_paper(documents::export_page(&export, may.session.language)?))
}

/// A page to print: it may do nothing at all.
pub(crate) fn on_paper(page: String) -> Response {
    let told = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, documents::CONTENT_SECURITY_POLICY),
    ];
    (told, page).into_response()
}

/// Reason why a text cannot be the reference of a request to forget this person; `None` for one that can, and for none.
fn refused_reference(text: &str, identifier: &str) -> Option<ReferenceRefusal> {
    // An identifier that names nobody is refused by the operation.
    let asked = Identifier::parse_forget(identifier).ok()?;
    CaseReference::parse_of_request(text, &asked).err()
}

/// Forgets a person, after the operator typed the identifier once more.
pub(crate) async fn forget(
    State(console): State<Arc<Console>>,
    Path((_, handle)): PersonPath,
    act: AuthorizedForm<Privacy>,
) -> Result<Response, Problem> {
    let identifier = identifier(&console, &act.may, &handle)?;
    let reference = act.form.text("reference");
    let mut typed = json!({"typed": act.form.raw("confirmation"), "reference": act.form.raw("reference")});
    if act.form.text("confirmation") != identifier.as_str() {
        typed["fault"] = "confirmation".into();
    } else if let Some(refused) = refused_reference(reference, &identifier) {
        typed["reference_fault"] = refused.as_str().into();
    }
    let is_refused = ["fault", "reference_fault"].iter().any(|name| typed[*name].is_string());
    if is_refused {
        let page = render_person(&console, &act.may, &handle, typed).await?;
        return Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response());
    }
    let shop = act.may.shop()?;
    let question = with_account(shop, json!({"Identifier": identifier.as_str(), "Reference": reference}));
    let asking = console.operations.send("/api/user/forget", question, "application/json");
    let answered = console.do_and_record(&act.may, ("person-forgotten", None), asking).await?;
    let id = answered.header(ERASURE_ID.as_str());
    console.people.forget(shop.id);
    console.answers.forget(shop.id);
    console.record_act(&act.may, "erasure-begun", Some(id.to_owned())).await?;
    Ok(Redirect::to(&format!("/shops/{}/erasures/{id}", shop.name)).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places of a search without the files of all shops, and whether anything is said to be found.
    fn split_places(places: Value) -> (Value, Value) {
        let mut found = json!({"FoundAnywhere": "?", "Places": places, "Scan": {"Files": 3}, "Kept": 1});
        without_files(&mut found);
        assert_eq!((&found["Scan"], &found["Kept"]), (&Value::Null, &json!(1)));
        (found["FoundAnywhere"].clone(), found["Places"].clone())
    }

    #[test]
    fn what_lies_in_the_files_of_all_shops_is_not_told() {
        let place = |name: &str, found: Value| json!({"Name": name, "Found": found});
        let [files, payloads] = ["files", "payloads"].map(|name| place(name, json!(3)));
        let [none, unknown] = [json!(0), Value::Null].map(|found| place("jobs", found));
        assert_eq!(split_places(json!([files, none, none])), (json!(false), json!([none, none])));
        assert_eq!(split_places(json!([none, files, payloads])), (json!(true), json!([none, payloads])));
        let one = place("jobs", json!(1));
        assert_eq!(split_places(json!([one])), (json!(true), json!([one])));
        assert_eq!(split_places(json!([unknown])), (json!(true), json!([unknown])), "it may be there");
        assert_eq!(split_places(json!([files])), (json!(false), json!([])));
    }
}
