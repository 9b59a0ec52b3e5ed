//! Recommendations for a shopper who looks at a product, and their reasons. The operator types the products that were
//! looked at; the page reads no person's history.

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
use crate::limits;
use crate::recommend::recommender::Recommender;

/// The columns of the spreadsheet.
const COLUMNS: [&str; 7] = ["Id", "Title", "Price", "Currency", "InStock", "Reason.Code", "Reason.Product"];

/// The form, and the recommendations once it is sent.
pub(crate) async fn page(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Query(asked): Query<FieldMap>,
) -> Result<Response, Problem> {
    let mut values = json!({"here": "recommendations", "asked": asked, "recommenders": recommenders(),
        "most": limits::RECOMMENDATIONS_SHOWN});
    let mut status = StatusCode::OK;
    if asked.has("recommender") || asked.has("product") {
        match load_recommendations(&console, may.shop()?, &asked).await {
            Ok(found) if may.wants_sheet() => {
                return csv::file("recommendations", &COLUMNS, &found["Items"]);
            }
            Ok(found) => {
                values["found"] = found;
                add_option_rows(&mut values["found"]);
            }
            Err((field, refused)) => {
                status = refused.status;
                values["wrong"] = field.into();
                values["fault"] = refused.sentence.into();
            }
        }
    }
    values["choices"] = load_choices(&console, may.shop()?, &["Products"]).await?;
    let page = console.drawing.render_signed_in(&may, "recommendations.html", values)?;
    Ok((status, page).into_response())
}

/// Names of the recommenders. Earlier purchases belong to a person, and not to this page.
fn recommenders() -> Vec<&'static str> {
    let all = Recommender::ALL.into_iter().filter(|one| *one != Recommender::BuyAgain);
    all.map(Recommender::name).collect()
}

/// Loads recommendations; `Err` with the field that is wrong, and why.
async fn load_recommendations(
    console: &Console,
    shop: &ConsoleShop,
    asked: &FieldMap,
) -> Result<Value, (&'static str, Problem)> {
    let mut question = json!({"Size": 12});
    let fields = [("recommender", "Recommender"), ("size", "Size"), ("currency", "Currency")];
    asked.fill_question(&mut question, &fields);
    if asked.number("size").is_some_and(|size| size > limits::RECOMMENDATIONS_SHOWN) {
        question["Size"] = limits::RECOMMENDATIONS_SHOWN.into();
    }
    for (field, name) in [("items", "Items"), ("basket", "Basket")] {
        let mut ids = Vec::new();
        // Each is asked for: more than a hand types would keep shops waiting.
        let typed = asked.text(field).split([',', ' ', '\n']).filter(|typed| !typed.is_empty());
        for typed in typed.take(limits::TYPED_PRODUCTS) {
            ids.push(find_product_id(console, shop, typed).await.map_err(|refused| (field, refused))?);
        }
        if !ids.is_empty() {
            question[name] = ids.into();
        }
    }
    if !asked.text("product").is_empty() {
        let typed = asked.text("product");
        let id = match find_id(console, shop, "Products", typed).await {
            Ok(Some(id)) => Ok(id.into()),
            // One that went is still known, by its id.
            Ok(None) => find_product_id(console, shop, typed).await,
            Err(refused) => Err(refused),
        };
        question["Product"] = id.map_err(|refused| ("product", refused))?;
    }
    let found = console.operations.call_for_shop(shop, "/api/recommend", question).await;
    let fields =
        [("Size", "size"), ("currency", "currency"), ("Recommender", "recommender"), ("", "product")];
    found.map_err(|refused| (refused.field(&fields), refused))
}

/// The id of a product that is named by its id or its SKU.
async fn find_product_id(console: &Console, shop: &ConsoleShop, typed: &str) -> Result<Value, Problem> {
    let found = console.operations.call_for_shop(shop, "/api/product/why", json!({"Id": typed})).await;
    let unknown = |refused: Problem| match refused.status {
        StatusCode::NOT_FOUND => Problem::new(refused.status, &format!("{typed}: {}", refused.sentence)),
        _ => refused,
    };
    Ok(found.map_err(unknown)?["Id"].clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recommender_is_offered_but_that_of_earlier_purchases() {
        let all = Recommender::ALL.map(Recommender::name);
        let expected: Vec<_> = all.into_iter().filter(|name| *name != "buy_again").collect();
        assert_eq!((recommenders(), expected.len()), (expected.clone(), all.len() - 1));
    }
}
