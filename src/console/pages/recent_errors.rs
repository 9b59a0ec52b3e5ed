//! Recently refused requests of a shop, for the person who connects its server.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde_json::{Value, json};

use crate::console::auth::authorization::{Authorized, View};
use crate::console::auth::console_shop::ConsoleShop;
use crate::console::state::Console;
use crate::console::ui::csv;
use crate::console::ui::problem::Problem;

/// The columns of the spreadsheet.
const COLUMNS: [&str; 7] = ["At", "FirstAt", "Count", "Path", "Status", "Error", "WithSecret"];

/// Refused requests of a shop, the newest first.
///
/// # Errors
/// When the operation refuses.
pub(crate) async fn list(console: &Console, shop: &ConsoleShop) -> Result<Value, Problem> {
    console.operations.call_for_shop(shop, "/api/refused", json!({})).await
}

/// The same for spreadsheets.
pub(crate) async fn file(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
) -> Result<Response, Problem> {
    let refused = list(&console, may.shop()?).await?;
    csv::file("refused", &COLUMNS, &refused)
}
