//! The rules of a shop's search and its synonyms: the live ones, the effect of a change, the change, and the way back.

use std::sync::Arc;

use aws_lc_rs::digest::{SHA256, digest};
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::{Value, json};

use super::search::beside;
use super::versioned_lists::{ListFormOutcome, ListPage, apply_refusal};
use crate::console::auth::authorization::{Authorized, AuthorizedForm, Merchandise, RequiredRight, View};
use crate::console::auth::console_shop::ConsoleShop;
use crate::console::state::Console;
use crate::console::ui::problem::Problem;
use crate::console::ui::url_fields::FieldMap;

/// Rules, as lists that a shop sets.
const RULES: ListPage = ListPage {
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

/// The rules that act, or those of a version; with `pin` the form holds a rule more, for a product and a query; with
/// `word` the form of synonyms holds a line more.
pub(crate) async fn page(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Query(asked): Query<FieldMap>,
) -> Result<Response, Problem> {
    let answer = console.find_answer(&may)?;
    if answer["typed"].is_string() && !RULES.is_wanted(&may) {
        return preview_rules(&console, &may, answer).await;
    }
    let mut values = json!({"query": asked.text("for"), "set": asked.number("set"), "lines_set": asked.has("synonyms"),
        "word": asked.text("word"),
        "warnings": answer["warnings"]});
    if !asked.text("pin").is_empty() {
        let now = console.operations.call_for_shop(may.shop()?, RULES.path, json!({})).await?;
        let rules = with_pin(&now["Rules"], asked.text("pin"), asked.text("for"));
        values["typed"] = serde_json::to_string_pretty(&rules).unwrap_or_default().into();
        values["tried"] = rules;
    }
    render_page(&console, &may, asked.number("version"), values).await
}

async fn render_page<N: RequiredRight>(
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
    let lines = synonyms_of(console, shop).await?;
    values["lines_before"] = mark(&lines).into();
    if values["lines"].is_null() {
        values["lines"] = with_word(lines, values["word"].as_str().unwrap_or_default()).into();
    }
    values["here"] = "rules".into();
    console.drawing.render_signed_in(may, "rules.html", values)
}

/// The lines of synonyms with one more that begins with a word; as they are without a word.
fn with_word(mut lines: String, word: &str) -> String {
    // Signs of the notation would make other synonyms of it.
    let words: Vec<_> = word.split([',', '=', '>', '#']).flat_map(str::split_whitespace).collect();
    if !words.is_empty() {
        if !lines.is_empty() && !lines.ends_with('\n') {
            lines.push('\n');
        }
        lines.push_str(&words.join(" "));
        lines.push_str(", ");
    }
    lines
}

/// The rules with one more that puts a product in front of a query; or with the product in front of those that a rule
/// for this very query has already.
fn with_pin(rules: &Value, product: &str, query: &str) -> Value {
    let mut rules = rules.as_array().cloned().unwrap_or_default();
    let is_for_it = |rule: &&mut Value| rule["Query"] == query && rule["Match"] == "exact";
    let mut lists = rules.iter_mut().filter(is_for_it).filter_map(|rule| rule.get_mut("Pin")?.as_array_mut());
    if let Some(pins) = lists.next() {
        pins.retain(|pin| pin != product);
        pins.insert(0, product.into());
        return rules.into();
    }
    let is_taken = |id: &String| rules.iter().any(|rule| rule["Id"] == id.as_str());
    let id = (1..).map(|number| format!("pin-{number}")).find(|id| !is_taken(id));
    rules.push(json!({"Id": id, "Query": query, "Match": "exact", "Pin": [product]}));
    rules.into()
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
        ListFormOutcome::Set(set) if set["Warnings"] == json!([]) => {
            return Ok(RULES.redirect_to_version(shop, &set["Version"]));
        }
        ListFormOutcome::Set(set) => {
            let page = format!("{}?set={}", RULES.at_shop(shop), set["Version"]);
            return console.redirect_with_answer(&act.may, &page, &json!({"warnings": set["Warnings"]}));
        }
        ListFormOutcome::Tried => {
            return console.redirect_with_answer(&act.may, &RULES.at_shop(shop), &values);
        }
        ListFormOutcome::Refused(status, sentence) => (status, sentence),
    };
    let status = apply_refusal(&mut values, (status, fault));
    let page = render_page(&console, &act.may, None, values).await?;
    Ok((status, page).into_response())
}

/// Brings earlier rules back.
pub(crate) async fn undo(
    State(console): State<Arc<Console>>,
    act: AuthorizedForm<Merchandise>,
) -> Result<Response, Problem> {
    RULES.undo(&console, &act).await
}

/// Sets the synonyms of all searches of the shop.
pub(crate) async fn synonyms(
    State(console): State<Arc<Console>>,
    act: AuthorizedForm<Merchandise>,
) -> Result<Response, Problem> {
    let shop = act.may.shop()?;
    // Forms send the ends of lines as the web does.
    let lines = act.form.raw("lines").replace("\r\n", "\n");
    let seen = act.form.text("before") == mark(&synonyms_of(&console, shop).await?);
    let refused = if seen {
        let question = json!({"Name": shop.name, "Synonyms": lines});
        console.record_and_call(&act.may, "synonyms-set", ("/control/account/search", question)).await.err()
    } else {
        let texts = console.drawing.words(act.may.session.language);
        Some(Problem::new(StatusCode::CONFLICT, &texts.translate("console.rules.lines_changed", &[])))
    };
    let Some(refused) = refused else {
        return Ok(Redirect::to(&format!("/shops/{}/rules?synonyms=set#synonyms", shop.name)).into_response());
    };
    let values = json!({"lines": lines, "lines_fault": refused.sentence, "query": ""});
    let page = render_page(&console, &act.may, None, values).await?;
    Ok((refused.status, page).into_response())
}

/// The lines of synonyms as they were set.
async fn synonyms_of(console: &Console, shop: &ConsoleShop) -> Result<String, Problem> {
    Ok(console.search_of(shop).await?.synonyms.text().to_owned())
}

/// Says of a text whether it is still the same.
fn mark(text: &str) -> String {
    digest(&SHA256, text.as_bytes()).as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_begins_a_line_of_synonyms() {
        let begun =
            ["tv, television", "tv, television\n", ""].map(|lines| with_word(lines.to_owned(), "blue  hat"));
        assert_eq!(begun, ["tv, television\nblue hat, ", "tv, television\nblue hat, ", "blue hat, "]);
        assert_eq!(with_word(String::new(), "a => b, #c"), "a b c, ");
        assert_eq!(with_word("tv".to_owned(), ""), "tv");
    }

    #[test]
    fn a_pin_is_a_rule_more_or_one_more_in_the_rule_of_this_query() {
        let one = with_pin(&json!([{"Id": "pin-1", "Banner": "x"}]), "a", "shoe");
        assert_eq!(one[1], json!({"Id": "pin-2", "Query": "shoe", "Match": "exact", "Pin": ["a"]}));
        let two = with_pin(&one, "b", "shoe");
        assert_eq!((two[1]["Pin"].clone(), two.as_array().map(Vec::len)), (json!(["b", "a"]), Some(2)));
        assert_eq!(with_pin(&two, "a", "shoe")[1]["Pin"], json!(["a", "b"]));
        assert_eq!(with_pin(&two, "a", "hat")[2]["Pin"], json!(["a"]));
    }

    #[test]
    fn a_pin_changes_no_rule_but_that_of_exactly_its_query() {
        let others = json!([
            {"Id": "any", "Query": "shoe", "Match": "all", "Pin": ["z"]},
            {"Id": "pin-1", "Query": "hat", "Match": "exact", "Pin": ["z"]},
            {"Id": "pin-2", "Query": "shoe", "Match": "exact", "Banner": "x"},
        ]);
        let mut expected = others.as_array().cloned().expect("a list");
        expected.push(json!({"Id": "pin-3", "Query": "shoe", "Match": "exact", "Pin": ["a"]}));
        assert_eq!(with_pin(&others, "a", "shoe"), Value::from(expected));
        let first = json!([{"Id": "pin-1", "Query": "shoe", "Match": "exact", "Pin": ["a"]}]);
        assert_eq!(with_pin(&Value::Null, "a", "shoe"), first);
    }

    #[test]
    fn a_text_has_a_mark_of_its_own() {
        let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(mark(""), nothing);
        assert_eq!(mark("a"), "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb");
    }
}
