//! The search as shoppers find it, and why: the correction, the rules in effect, and two settings side by side.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::catalogue_names::{find_id, load_choices};
use crate::console::auth::authorization::{Authorized, View};
use crate::console::auth::console_shop::ConsoleShop;
use crate::console::state::Console;
use crate::console::ui::csv;
use crate::console::ui::option_rows::add_option_rows;
use crate::console::ui::problem::Problem;
use crate::console::ui::url_fields::FieldMap;
use crate::i18n::UiLanguage;
use crate::limits;

/// Hits on a page, where the form says nothing.
const HITS: i64 = 10;

/// The columns of the spreadsheet.
const COLUMNS: [&str; 7] = ["Id", "Title", "Price", "Currency", "InStock", "Was", "Why"];

/// The fields of the form, by words of their possible faults.
const FIELDS: [(&str, &str); 5] =
    [("Size", "size"), ("currency", "currency"), ("GroupId", "group"), ("item of that", "id"), ("", "q")];

/// Fields below "More options", which is open while one is filled in.
const MORE: [&str; 10] =
    ["sort", "compare", "other", "currency", "group", "brand", "category", "size", "id", "stock"];

/// The form, and its results once a query is sent, which may be empty.
pub(crate) async fn page(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Query(asked): Query<FieldMap>,
) -> Result<Response, Problem> {
    let shop = may.shop()?;
    let mut values = json!({"sides": []});
    let mut status = StatusCode::OK;
    if asked.has("q") {
        match search_and_explain(&console, shop, &asked, may.session.language).await {
            Ok(found) if may.wants_sheet() => {
                let last = found["sides"].as_array().and_then(|sides| sides.last());
                return csv::file(
                    "search",
                    &COLUMNS,
                    last.map_or(&Value::Null, |side| &side["Found"]["Items"]),
                );
            }
            Ok(found) => {
                values = found;
                add_option_rows(&mut values["sides"]);
            }
            Err(refused) => {
                status = refused.status;
                values["wrong"] = refused.field(&FIELDS).into();
                values["fault"] = refused.sentence.into();
            }
        }
    }
    values["here"] = "search".into();
    values["choices"] = load_choices(&console, shop, &["Brands", "Categories"]).await?;
    values["is_narrow"] = MORE.iter().any(|field| !asked.text(field).is_empty()).into();
    values["asked"] = json!(asked);
    let page = console.drawing.render_signed_in(&may, "search.html", values)?;
    Ok((status, page).into_response())
}

/// Hits of a search, and the reason why one product is not among them.
async fn search_and_explain(
    console: &Console,
    shop: &ConsoleShop,
    asked: &FieldMap,
    language: UiLanguage,
) -> Result<Value, Problem> {
    let mut question = question(asked);
    question["ExplainLanguage"] = language.code().into();
    for (field, section, name) in [("category", "Categories", "Category"), ("brand", "Brands", "Brand")] {
        let typed = asked.text(field);
        if !typed.is_empty() {
            let id = find_id(console, shop, section, typed).await?;
            question["Filters"][name] = json!([id.as_deref().unwrap_or(typed)]);
        }
    }
    let page = asked.number("page").unwrap_or(1);
    let mut size = asked.number("size").unwrap_or(HITS);
    if !asked.text("compare").is_empty() && size > limits::HITS_COMPARED {
        size = limits::HITS_COMPARED;
        question["Size"] = size.into();
    }
    let from = page.saturating_sub(1).saturating_mul(size).saturating_add(1);
    let sides = load_sides(console, shop, asked, from, &question).await?;
    let why = match asked.text("id") {
        "" => Value::Null,
        id => explain_missing(console, shop, &question, id).await?,
    };
    let total =
        sides.iter().filter_map(|side| side["Found"]["TotalRelaxed"].as_i64()).max().unwrap_or_default();
    let at = |page: i64| asked.address_with("page", &page.to_string());
    let before = (page > 1).then(|| at(page - 1));
    let next = (page.saturating_mul(size) < total).then(|| at(page + 1));
    Ok(json!({"sides": sides, "why": why, "before": before, "next": next}))
}

/// The place of a product in the answer, or why it is missing. It is named by its id, by an identifier of a variant,
/// which is explained too, or by a name that the index does not hold.
async fn explain_missing(
    console: &Console,
    shop: &ConsoleShop,
    question: &Value,
    id: &str,
) -> Result<Value, Problem> {
    let mut question = question.clone();
    question["Id"] = id.into();
    let why = console.operations.call_for_shop(shop, "/api/search/why", question.clone()).await?;
    if why["Reason"] != "not_in_catalogue" {
        return Ok(why);
    }
    let Some(found) = find_id(console, shop, "Products", id).await? else { return Ok(why) };
    question["Id"] = found.into();
    console.operations.call_for_shop(shop, "/api/search/why", question).await
}

fn question(asked: &FieldMap) -> Value {
    let mut question = json!({"Query": asked.text("q"), "Explain": true, "Size": HITS});
    let names = [
        ("currency", "Currency"),
        ("group", "GroupId"),
        ("sort", "Sort"),
        ("size", "Size"),
        ("page", "Page"),
    ];
    asked.fill_question(&mut question, &names);
    if !asked.text("stock").is_empty() {
        question["Filters"]["InStock"] = true.into();
    }
    question
}

/// One answer, or two that differ in one setting; the first hit of the page is at the place `from`.
async fn load_sides(
    console: &Console,
    shop: &ConsoleShop,
    asked: &FieldMap,
    from: i64,
    question: &Value,
) -> Result<Vec<Value>, Problem> {
    let ask = async |name: &str, value: Value| {
        let mut question = question.clone();
        question[name] = value;
        let path = if name == "Rules" { "/api/rules/preview" } else { "/api/search" };
        console.operations.call_for_shop(shop, path, question).await
    };
    Ok(match asked.text("compare") {
        "rules" => {
            let both = ask("Rules", json!([])).await?;
            beside(from, ("without_rules", both["After"].clone()), ("with_rules", both["Before"].clone()))
        }
        "popularity" => {
            let without = ask("Popularity", false.into()).await?;
            let with = ask("Popularity", true.into()).await?;
            beside(from, ("without_popularity", without), ("with_popularity", with))
        }
        // The same for other customers, or in another currency.
        compare @ ("group" | "currency") => {
            let name = if compare == "group" { "GroupId" } else { "Currency" };
            let own = console.operations.call_for_shop(shop, "/api/search", question.clone()).await?;
            let other = ask(name, asked.text("other").into()).await;
            let other = other.map_err(|refused| Problem { about: Some("other"), ..refused })?;
            beside(from, ("as_asked", own), ("as_other", other))
        }
        _ => {
            let found = console.operations.call_for_shop(shop, "/api/search", question.clone()).await?;
            vec![json!({"Name": "found", "From": from, "Found": found})]
        }
    })
}

/// Two answers, whose first hits are at the place `from`: each hit of the second says at which place of the first it
/// stands, `null` where it is not there.
pub(crate) fn beside(
    from: i64,
    (first, before): (&str, Value),
    (second, mut after): (&str, Value),
) -> Vec<Value> {
    let ids: Vec<_> = before["Items"].as_array().into_iter().flatten().map(|hit| hit["Id"].clone()).collect();
    for hit in after["Items"].as_array_mut().into_iter().flatten() {
        let place = (from..).zip(&ids).find_map(|(place, id)| (*id == hit["Id"]).then_some(place));
        hit["Was"] = json!(place);
    }
    vec![
        json!({"Name": first, "From": from, "Found": before}),
        json!({"Name": second, "From": from, "Found": after, "IsCompared": true}),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hit_says_where_it_stood_before() {
        let before = json!({"Items": [{"Id": "a"}, {"Id": "b"}]});
        let sides = beside(11, ("x", before), ("y", json!({"Items": [{"Id": "b"}, {"Id": "c"}]})));
        assert_eq!(sides[1]["Found"]["Items"], json!([{"Id": "b", "Was": 12}, {"Id": "c", "Was": null}]));
    }

    #[test]
    fn an_address_asks_for_what_its_form_holds() {
        let asked = |fields: &[(&'static str, &'static str)]| question(&fields.iter().copied().collect());
        assert_eq!(asked(&[]), json!({"Query": "", "Explain": true, "Size": 10}));
        let blank = [("q", " oak "), ("brand", " "), ("category", ""), ("stock", ""), ("size", "")];
        assert_eq!(asked(&blank), json!({"Query": "oak", "Explain": true, "Size": 10}));
        let all = [
            ("q", "oak"),
            ("currency", "GBP"),
            ("group", "dealers"),
            ("sort", "price"),
            ("size", "5"),
            ("page", "2"),
            ("category", "chairs"),
            ("brand", "acme"),
            ("stock", "yes"),
        ];
        // The ids of a category and a brand are asked for first.
        let filters = json!({"InStock": true});
        let expected = json!({"Query": "oak", "Explain": true, "Size": "5", "Currency": "GBP", "GroupId": "dealers",
            "Sort": "price", "Page": "2", "Filters": filters});
        assert_eq!(asked(&all), expected);
    }

    #[test]
    fn two_sides_begin_at_the_same_place_and_the_second_is_compared() {
        let [before, after] = ["a", "b"].map(|id| json!({"Items": [{"Id": id}]}));
        let sides = beside(4, ("x", before.clone()), ("y", after));
        let then = json!({"Items": [{"Id": "b", "Was": null}]});
        let expected = [
            json!({"Name": "x", "From": 4, "Found": before}),
            json!({"Name": "y", "From": 4, "Found": then, "IsCompared": true}),
        ];
        assert_eq!(sides, expected);
    }
}
