//! The catalogue: the live items of a shop, and one item with its record and its writers.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::{Value, json};

use super::product_variants::split_price;
use super::product_variants::variant_table;
use crate::console::auth::authorization::{Authorized, View};
use crate::console::state::Console;
use crate::console::ui::csv;
use crate::console::ui::page_room::TextRoom;
use crate::console::ui::problem::Problem;
use crate::limits;

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
    /// The item to show, where its id cannot stand in a path.
    id: String,
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
    if !which.id.is_empty() {
        return render_item(&console, &may, &which.id, section).await;
    }
    let mut fault = None;
    if !which.find.is_empty() {
        let question = json!({"Id": which.find, "Section": section});
        match console.operations.call_for_shop(shop, "/api/product/why", question).await {
            Ok(found) => {
                let to = address_of_item(found["Id"].as_str().unwrap_or_default(), section);
                return Ok(Redirect::to(&format!("/shops/{}/{to}", shop.name)).into_response());
            }
            Err(refused) => fault = Some(refused),
        }
    }
    let mut question = json!({"Section": section});
    if !which.from.is_empty() {
        question["From"] = which.from.as_str().into();
    }
    let page = console.operations.call_for_shop(shop, "/api/catalogue", question).await?;
    let rows: Vec<_> = page["Items"].as_array().into_iter().flatten().map(list_fields).collect();
    if may.wants_sheet() {
        return csv::file(section, &COLUMNS, &rows.into());
    }
    let sections = SECTIONS.map(|name| json!({"Name": name, "Count": page["Counts"][name]}));
    let status = fault.as_ref().map_or(StatusCode::OK, |fault| fault.status);
    let values = json!({"here": "catalogue", "section": section, "sections": sections, "rows": rows, "next": page["Next"],
        "typed": which.find, "fault": fault.map(|fault| fault.sentence)});
    Ok((status, console.drawing.render_signed_in(&may, "catalogue.html", values)?).into_response())
}

/// Fields of an item that a list shows, with the amount and the currency of its price.
fn list_fields(found: &Value) -> Value {
    let item = &found["Item"];
    let title = if item["Title"].is_null() { &item["DisplayName"] } else { &item["Title"] };
    let price = item["Prices"][0].as_str().and_then(split_price);
    json!({"Id": found["Id"], "Title": title, "Price": item["Prices"][0], "Amount": price.map(|(amount, _)| amount),
        "Currency": price.map(|(_, currency)| currency), "InStock": item["InStock"], "Image": item["Image"].as_str()})
}

/// One item: its record as it is stored, its place, and everything that touched it.
pub(crate) async fn show(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Path((_, id)): Path<(String, String)>,
    Query(which): Query<CatalogueQuery>,
) -> Result<Response, Problem> {
    render_item(&console, &may, &id, which.section()?).await
}

/// Address of the page of an item, below the shop. Browsers take `.` and `..` in a path for folders.
fn address_of_item(id: &str, section: &str) -> String {
    let encoded = utf8_percent_encode(id, NON_ALPHANUMERIC);
    if [".", ".."].contains(&id) {
        format!("catalogue?id={encoded}&section={section}")
    } else {
        format!("catalogue/{encoded}?section={section}")
    }
}

async fn render_item(
    console: &Console,
    may: &Authorized<View>,
    id: &str,
    section: &str,
) -> Result<Response, Problem> {
    let shop = may.shop()?;
    let question = json!({"Id": id, "Section": section});
    let why = console.operations.call_for_shop(shop, "/api/product/why", question.clone()).await?;
    // One that went still has its timeline.
    let shown = console.operations.find_for_shop(shop, "/api/product", question).await?;
    let mut room = TextRoom::new(limits::ROW_TEXTS_BYTES);
    let record = room.fit(&indent_json(&shown["Item"]));
    let all = why["Timeline"].as_array().map_or(&[][..], Vec::as_slice);
    let timeline = all.iter().take(limits::TIMELINE_SHOWN);
    let timeline: Vec<_> = timeline.map(|touch| with_texts(touch, &mut room)).collect();
    let is_cut = room.is_short || timeline.len() < all.len();
    let values = json!({"here": "catalogue", "section": section, "id": why["Id"], "shown": shown,
        "glance": list_fields(&shown), "variants": variant_table(&shown["Item"]), "record": record, "timeline": timeline, "is_cut": is_cut});
    console.drawing.render_signed_in(may, "product.html", values)
}

/// An entry of the history with its row to read and the row as it was sent, where there is room for them.
fn with_texts(touch: &Value, room: &mut TextRoom) -> Value {
    let mut shown = touch.clone();
    shown["Text"] = room.fit(&indent_json(&touch["Row"]));
    shown["Raw"] = room.fit(&touch["Raw"]);
    shown
}

/// JSON to read, in the order in which it is stored; null stays null.
fn indent_json(value: &Value) -> Value {
    if value.is_null() { Value::Null } else { format!("{value:#}").into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_browsers_take_for_a_folder_is_not_in_the_path() {
        let address = |id: &str| address_of_item(id, "Products");
        assert_eq!(address("."), "catalogue?id=%2E&section=Products");
        assert_eq!(address(".."), "catalogue?id=%2E%2E&section=Products");
        assert_eq!(address("a/../b"), "catalogue/a%2F%2E%2E%2Fb?section=Products");
    }

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
    fn rows_without_room_on_the_page_are_left_out_of_the_history() {
        let mut room = TextRoom::new(40);
        let touch = json!({"Kind": "feed", "Row": {"Id": 1}, "Raw": "{}"});
        let first = with_texts(&touch, &mut room);
        assert_eq!((&first["Text"], &first["Raw"]), (&json!("{\n  \"Id\": 1\n}"), &json!("{}")));
        let second = with_texts(&touch, &mut room);
        assert_eq!((&second["Text"], &second["Kind"], room.is_short), (&Value::Null, &json!("feed"), true));
    }

    #[test]
    fn an_item_is_called_by_its_title_or_its_name() {
        let item = json!({"Title": "Oak", "DisplayName": "x", "Prices": ["5 GBP", "6 EUR"], "InStock": true,
            "Image": "/i"});
        let told = json!({"Id": "1", "Title": "Oak", "Price": "5 GBP", "Amount": 5.0, "Currency": "GBP",
            "InStock": true, "Image": "/i"});
        assert_eq!(list_fields(&json!({"Id": "1", "Item": item})), told);
        let brand = list_fields(&json!({"Id": "b", "Item": {"DisplayName": "Oak & Sons"}}));
        let told = json!({"Id": "b", "Title": "Oak & Sons", "Price": null, "Amount": null, "Currency": null,
            "InStock": null, "Image": null});
        assert_eq!(brand, told);
        let by_hand = list_fields(&json!({"Id": "1", "Item": {"Prices": ["on request"]}}));
        assert_eq!((&by_hand["Price"], &by_hand["Amount"]), (&json!("on request"), &Value::Null));
        assert_eq!(
            [indent_json(&Value::Null), indent_json(&json!({"a": 1}))],
            [Value::Null, json!("{\n  \"a\": 1\n}")]
        );
    }
}
