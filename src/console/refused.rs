//! Recently refused requests of a shop, for the person who connects its server.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde_json::{Value, json};

use super::Console;
use super::problem::Problem;
use super::sheet;
use super::signed::{Authorized, ConsoleShop, See};

/// The columns of the spreadsheet.
const COLUMNS: [&str; 7] = ["At", "FirstAt", "Count", "Path", "Status", "Error", "WithSecret"];

/// Refused requests of a shop, the newest first.
///
/// # Errors
/// When the operation refuses.
pub(super) async fn list(console: &Console, shop: &ConsoleShop) -> Result<Value, Problem> {
    console.operations.call_for_shop(shop, "/api/refused", json!({})).await
}

/// The same for spreadsheets.
pub(super) async fn file(
    State(console): State<Arc<Console>>,
    may: Authorized<See>,
) -> Result<Response, Problem> {
    let refused = list(&console, may.shop()?).await?;
    sheet::file("refused", &COLUMNS, &refused)
}
