//! The catalogue: the live items of a shop, and one item with its record and its writers.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::console::auth::authorization::{Authorized, View};
use crate::console::state::Console;
use crate::console::ui::csv;
use crate::console::ui::problem::Problem;

/// Sections that can be browsed. Account prices are left out: their ids are those of customers.
const SECTIONS: [&str; 3] = ["Products", "Categories", "Brands"];

/// Query of the catalogue pages.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct CatalogueQuery {
    /// A section; `Products` without one.
    section: String,
    /// The id that ended the page before.
    from: String,
    /// An id or a SKU to find.
    find: String,
}

/// The columns of the spreadsheet.
const COLUMNS: [&str; 4] = ["Id", "Title", "Price", "InStock"];

impl CatalogueQuery {
    fn section(&self) -> Result<&str, Problem> {
        let section = if self.section.is_empty() { SECTIONS[0] } else { &self.section };
        let is_shown = SECTIONS.contains(&section);
        if is_shown { Ok(section) } else { Err(Problem::not_found()) }
    }
}

/// The items of a section in the order of their ids, or the item of a search.
pub(crate) async fn list(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Query(which): Query<CatalogueQuery>,
) -> Result<Response, Problem> {
    let shop = may.shop()?;
    let section = which.section()?;
    let mut fault = None;
    if !which.find.is_empty() {
        let question = json!({"Id": which.find, "Section": section});
        match console.operations.call_for_shop(shop, "/api/product/why", question).await {
            Ok(found) => {
                let id = utf8_percent_encode(found["Id"].as_str().unwrap_or_default(), NON_ALPHANUMERIC);
                let to = format!("/shops/{}/catalogue/{id}?section={section}", shop.name);
                return Ok(Redirect::to(&to).into_response());
            }
            Err(refused) => fault = Some(refused),
        }
    }
    let mut question = json!({"Section": section});
    if !which.from.is_empty() {
        question["From"] = which.from.as_str().into();
    }
    let page = console.operations.call_for_shop(shop, "/api/catalogue", question).await?;
    let rows: Vec<_> = page["Items"].as_array().into_iter().flatten().map(at_a_glance).collect();
    if may.wants_sheet() {
        return csv::file(section, &COLUMNS, &rows.into());
    }
    let sections = SECTIONS.map(|name| json!({"Name": name, "Count": page["Counts"][name]}));
    let status = fault.as_ref().map_or(StatusCode::OK, |fault| fault.status);
    let values = json!({"here": "catalogue", "section": section, "sections": sections, "rows": rows, "next": page["Next"],
        "typed": which.find, "fault": fault.map(|fault| fault.sentence)});
    Ok((status, console.drawing.render_signed_in(&may, "catalogue.html", values)?).into_response())
}

/// Fields of an item that a list shows.
fn at_a_glance(found: &Value) -> Value {
    let item = &found["Item"];
    let title = if item["Title"].is_null() { &item["DisplayName"] } else { &item["Title"] };
    json!({"Id": found["Id"], "Title": title, "Price": item["Prices"][0], "InStock": item["InStock"],
        "Image": item["Image"].as_str()})
}

/// One item: its record as it is stored, its place, and everything that touched it.
pub(crate) async fn show(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Path((_, id)): Path<(String, String)>,
    Query(which): Query<CatalogueQuery>,
) -> Result<Response, Problem> {
    let shop = may.shop()?;
    let section = which.section()?;
    let question = json!({"Id": id, "Section": section});
    let why = console.operations.call_for_shop(shop, "/api/product/why", question.clone()).await?;
    // One that went still has its timeline.
    let shown = console.operations.find_for_shop(shop, "/api/product", question).await?;
    let mut timeline = why["Timeline"].as_array().cloned().unwrap_or_default();
    for touch in &mut timeline {
        touch["Text"] = pretty(&touch["Row"]);
    }
    let values = json!({"here": "catalogue", "section": section, "id": why["Id"], "shown": shown,
        "glance": at_a_glance(&shown), "record": pretty(&shown["Item"]), "timeline": timeline});
    console.drawing.render_signed_in(&may, "product.html", values)
}

/// JSON to read, in the order in which it is stored; null stays null.
fn pretty(value: &Value) -> Value {
    if value.is_null() { Value::Null } else { format!("{value:#}").into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_sections_are_shown_and_products_first() {
        let section = |named: &str| {
            let query = CatalogueQuery { section: named.to_owned(), ..CatalogueQuery::default() };
            query.section().map(str::to_owned).map_err(|problem| problem.status)
        };
        let shown = ["", "Products", "Categories", "Brands"].map(section);
        assert_eq!(shown, ["Products", "Products", "Categories", "Brands"].map(|name| Ok(name.to_owned())));
        for none in ["AccountPrices", "products", "Users"] {
            assert_eq!(section(none), Err(StatusCode::NOT_FOUND), "{none}");
        }
    }

    #[test]
    fn an_item_is_called_by_its_title_or_its_name() {
        let item = json!({"Title": "Oak", "DisplayName": "x", "Prices": ["5 GBP", "6 EUR"], "InStock": true,
            "Image": "/i"});
        let told = json!({"Id": "1", "Title": "Oak", "Price": "5 GBP", "InStock": true, "Image": "/i"});
        assert_eq!(at_a_glance(&json!({"Id": "1", "Item": item})), told);
        let brand = at_a_glance(&json!({"Id": "b", "Item": {"DisplayName": "Oak & Sons"}}));
        let told = json!({"Id": "b", "Title": "Oak & Sons", "Price": null, "InStock": null, "Image": null});
        assert_eq!(brand, told);
        assert_eq!(
            [pretty(&Value::Null), pretty(&json!({"a": 1}))],
            [Value::Null, json!("{\n  \"a\": 1\n}")]
        );
    }
}
