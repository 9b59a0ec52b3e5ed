//! An operator's first pages: the shops, one shop, and the state of the server.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde_json::{Value, json};

use super::import_record::with_outcome;
use crate::console::auth::authorization::{Admin, Authorized, View};
use crate::console::auth::console_shop::ConsoleShop;
use crate::console::state::Console;
use crate::console::ui::csv;
use crate::console::ui::problem::Problem;
use crate::limits;
use crate::maintenance::doctor;

/// The columns of the spreadsheet.
const COLUMNS: [&str; 7] =
    ["Name", "DisplayName", "CreatedAt", "Products", "Overdue", "HeldBytes", "QuotaBytes"];
/// Columns of the newest arrivals.
const ARRIVED: [&str; 7] = ["Number", "Token", "Kind", "Outcome", "Reason", "AcceptedAt", "FinishedAt"];

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// All shops of the signed-in operator.
pub(crate) async fn list_shops(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
) -> Result<Response, Problem> {
    let listed = console.operations.call("/control/account/list", json!({})).await?;
    let mut rows = Vec::new();
    for listed in listed.as_array().into_iter().flatten() {
        let Some(shop) = may.shops.iter().find(|shop| listed["Name"] == shop.name.as_str()) else { continue };
        let mut row = json!({"Name": listed["Name"], "DisplayName": listed["DisplayName"], "CreatedAt": listed["CreatedAt"],
            "HeldBytes": listed["HeldBytes"], "QuotaBytes": listed["QuotaBytes"]});
        if rows.len() < limits::OVERVIEW_SHOPS {
            // A shop that is closed just now has no figures, and does not hide those of the others.
            let lists = load_shown_lists(&console, shop).await.unwrap_or_default();
            let products = lists.iter().find(|list| list["Section"] == "Products");
            row["Products"] = products.map_or(Value::Null, |products| products["Items"].clone());
            row["Overdue"] = overdue(&console, shop).await.unwrap_or_default();
        }
        rows.push(row);
    }
    if may.wants_sheet() {
        return csv::file("shops", &COLUMNS, &rows.into());
    }
    let newest_backup_at = console.node.store.read(doctor::backup_at).await?;
    let values = json!({"here": "overview", "rows": rows, "most": limits::OVERVIEW_SHOPS, "version": VERSION,
        "newest_backup_at": newest_backup_at});
    console.drawing.render_signed_in(&may, "overview.html", values)
}

/// One shop: its live counts, its newest imports, and its open erasures.
pub(crate) async fn shop(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
) -> Result<Response, Problem> {
    let shop = may.shop()?;
    let shown = load_shown_lists(&console, shop).await?;
    let listed = console.operations.call_for_shop(shop, "/api/submissions", json!({})).await?;
    let submissions: Value = listed.as_array().into_iter().flatten().cloned().map(with_outcome).collect();
    if may.wants_sheet() {
        return csv::file("arrived", &ARRIVED, &submissions);
    }
    let erasures = erasures(&console, shop).await?;
    let deltas = console.operations.call_for_shop(shop, "/api/deltas", json!({})).await?;
    let is_failed = |one: &&Value| one["Outcome"] == "failed";
    let failed = submissions.as_array().into_iter().flatten().filter(is_failed).count();
    let values = json!({"here": "shop", "shown": shown, "submissions": submissions, "erasures": erasures,
        "failed": failed, "deltas": deltas});
    console.drawing.render_signed_in(&may, "shop.html", values)
}

/// Loads the list that each section shows now.
async fn load_shown_lists(console: &Console, shop: &ConsoleShop) -> Result<Vec<Value>, Problem> {
    let lists = console.operations.call_for_shop(shop, "/api/snapshots", json!({})).await?;
    let all = lists.as_array().into_iter().flatten();
    Ok(all.filter(|list| list["Shown"] == true).cloned().collect())
}

/// Number of overdue erasures.
async fn overdue(console: &Console, shop: &ConsoleShop) -> Result<Value, Problem> {
    let counted = console.operations.call_for_shop(shop, "/api/erasures/count", json!({})).await?;
    Ok(counted["Overdue"].clone())
}

/// Number of the newest erasures, of those among them that are verified, and of all that are overdue.
async fn erasures(console: &Console, shop: &ConsoleShop) -> Result<Value, Problem> {
    let newest = console.operations.call_for_shop(shop, "/api/erasures", json!({})).await?;
    let all = newest.as_array().cloned().unwrap_or_default();
    let verified = all.iter().filter(|erasure| erasure["State"] == "verified").count();
    Ok(json!({"All": all.len(), "Verified": verified, "Overdue": overdue(console, shop).await?}))
}

/// Page with the state and the settings of the server.
pub(crate) async fn health(
    State(console): State<Arc<Console>>,
    may: Authorized<Admin>,
) -> Result<Response, Problem> {
    let checks = console.operations.call("/control/doctor", json!({})).await?;
    if may.wants_sheet() {
        return csv::file("health", &["Check", "Standing", "Sentence"], &checks);
    }
    let settings = console.operations.call("/control/config", json!({})).await?;
    if may.wants("settings") {
        let all = settings.as_object().into_iter().flatten();
        let rows = all.map(|(name, value)| json!({"Name": name, "Value": value})).collect();
        return csv::file("settings", &["Name", "Value"], &rows);
    }
    let engine = console.node.store.engine();
    let values = json!({"here": "health", "checks": checks, "settings": settings, "version": VERSION, "engine": engine});
    console.drawing.render_signed_in(&may, "health.html", values)
}
