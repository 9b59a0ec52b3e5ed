//! The rules of a shop's search: the live ones, the effect of a change, the change, and the way back.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::editor_lists::load_card;
use super::search::beside;
use super::synonym_values;
use super::versioned_lists::{ListFormOutcome, ListPage, apply_refusal, take_page};
use crate::console::auth::authorization::{Authorized, AuthorizedForm, Merchandise, RequiredRight, View};
use crate::console::auth::console_shop::ConsoleShop;
use crate::console::state::Console;
use crate::console::ui::option_rows::add_option_rows;
use crate::console::ui::problem::Problem;
use crate::console::ui::url_fields::FieldMap;

/// Rules, as lists that a shop sets.
pub(super) const RULES: ListPage = ListPage {
    name: "Rules",
    path: "/api/rules",
    page: "rules",
    set: "rules-set",
    undone: "rules-undone",
    columns: &[
        "Id",
        "Priority",
        "Query",
        "Match",
        "Category",
        "From",
        "Until",
        "Pin",
        "Boost",
        "Bury",
        "Hide",
        "Filter",
        "Redirect",
        "Banner",
        "Synonyms",
        "StopWords",
    ],
};

/// Pins of each rule that are shown with their names.
const NAMED_OF_RULE: usize = 3;
/// Pins of all rules that a page shows with their names.
const NAMED: usize = 100;

/// The live rules, or those of a version; with `word` the form of synonyms holds a row more.
pub(crate) async fn page(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Query(asked): Query<FieldMap>,
) -> Result<Response, Problem> {
    let answer = console.find_answer(&may)?;
    if answer["typed"].is_string() && !RULES.is_wanted(&may) {
        return preview_rules(&console, &may, answer).await;
    }
    let values = json!({"asked": asked, "set": asked.number("set"), "is_same": asked.has("unchanged"),
        "synonyms": synonym_values::typed_values(&asked, &answer), "warnings": answer["warnings"]});
    render_page(&console, &may, asked.number("version"), values).await
}

pub(super) async fn render_page<N: RequiredRight>(
    console: &Console,
    may: &Authorized<N>,
    version: Option<i64>,
    mut values: Value,
) -> Result<Response, Problem> {
    let shop = may.shop()?;
    RULES.fill_page_values(console, shop, version, &mut values).await?;
    if let Some(sheet) = RULES.render_csv(may, &values)? {
        return Ok(sheet);
    }
    synonym_values::fill_page_values(console, shop, &mut values["synonyms"]).await?;
    values["here"] = "rules".into();
    let rules = values["list"].as_array().cloned().unwrap_or_default();
    values["list"] = take_page(&rules, &mut values).into();
    values["names"] = load_pin_names(console, shop, &values["list"]).await?;
    console.drawing.render_signed_in(may, "rules.html", values)
}

/// Names of the products that rules pin, by their ids: of each rule the first ones, until many were looked up.
async fn load_pin_names(console: &Console, shop: &ConsoleShop, rules: &Value) -> Result<Value, Problem> {
    let mut names = json!({});
    for id in first_pins(rules) {
        let card = load_card(console, shop, "Products", id).await?;
        names[id] = card["Title"].clone();
    }
    Ok(names)
}

/// The first pins of each rule, each product once.
fn first_pins(rules: &Value) -> BTreeSet<&str> {
    let rules = rules.as_array().into_iter().flatten();
    let pins = rules.flat_map(|rule| rule["Pin"].as_array().into_iter().flatten().take(NAMED_OF_RULE));
    pins.filter_map(Value::as_str).take(NAMED).collect()
}

/// Previews the effect of typed rules on a query.
async fn preview_rules(
    console: &Console,
    may: &Authorized<View>,
    mut values: Value,
) -> Result<Response, Problem> {
    let texts = console.drawing.words(may.session.language);
    let rules = RULES.parse_list(values["typed"].as_str().unwrap_or_default(), texts).unwrap_or_default();
    let question = json!({"Rules": rules, "Query": values["query"], "Explain": true, "Size": 10,
        "ExplainLanguage": may.session.language.code()});
    let mut status = StatusCode::OK;
    match console.operations.call_for_shop(may.shop()?, "/api/rules/preview", question).await {
        Ok(both) => {
            let [before, after] = ["Before", "After"].map(|name| both[name].clone());
            values["sides"] = beside(1, ("now", before), ("then", after)).into();
            add_option_rows(&mut values["sides"]);
            values["tried"] = rules;
        }
        Err(wrong) => status = apply_refusal(&mut values, (wrong.status, wrong.sentence)),
    }
    Ok((status, render_page(console, may, None, values).await?).into_response())
}

/// Keeps rules to be tried with a query, or sets them.
pub(crate) async fn post(
    State(console): State<Arc<Console>>,
    act: AuthorizedForm<Merchandise>,
) -> Result<Response, Problem> {
    let mut values = json!({"typed": act.form.raw("list"), "before": act.form.text("before"),
        "query": act.form.text("query")});
    let shop = act.may.shop()?;
    let (status, fault) = match RULES.send(&console, &act).await {
        ListFormOutcome::Set(set) => return lead_to_published(&console, &act.may, &set),
        ListFormOutcome::Unchanged => return Ok(RULES.redirect_unchanged(shop)),
        ListFormOutcome::Tried => {
            return console.redirect_with_answer(&act.may, &RULES.at_shop(shop), &values);
        }
        ListFormOutcome::Refused(status, sentence) => (status, sentence),
    };
    let status = apply_refusal(&mut values, (status, fault));
    let page = render_page(&console, &act.may, None, values).await?;
    Ok((status, page).into_response())
}

/// Leads to the page of the rules after they were published, with the warnings of the operation.
///
/// # Errors
/// When the warnings are too large to be kept.
pub(super) fn lead_to_published(
    console: &Console,
    may: &Authorized<Merchandise>,
    set: &Value,
) -> Result<Response, Problem> {
    let shop = may.shop()?;
    if set["Warnings"] == json!([]) {
        return Ok(RULES.redirect_to_version(shop, &set["Version"]));
    }
    let page = format!("{}?set={}", RULES.at_shop(shop), set["Version"]);
    console.redirect_with_answer(may, &page, &json!({"warnings": set["Warnings"]}))
}

/// Brings earlier rules back.
pub(crate) async fn undo(
    State(console): State<Arc<Console>>,
    act: AuthorizedForm<Merchandise>,
) -> Result<Response, Problem> {
    RULES.undo(&console, &act).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_pins_of_rules_are_named_and_few_in_all() {
        let rules = json!([{"Pin": ["a", "b", "c", "d"]}, {"Banner": "x"}, {"Pin": ["b", "e"]}]);
        assert_eq!(first_pins(&rules).into_iter().collect::<Vec<_>>(), ["a", "b", "c", "e"]);
        let many: Vec<_> =
            (0..NAMED).map(|id| json!({"Pin": [format!("{id}a"), format!("{id}b")]})).collect();
        assert_eq!(first_pins(&many.into()).len(), NAMED);
    }
}
