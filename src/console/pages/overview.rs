//! An operator's first pages: the shops, and the state of the server.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::Response;
use serde_json::{Value, json};

use super::findings::translate_findings;
use crate::accounts::about;
use crate::console::auth::authorization::{Admin, Authorized, View};
use crate::console::auth::console_shop::ConsoleShop;
use crate::console::state::Console;
use crate::console::ui::csv;
use crate::console::ui::page_room::page_of_rows;
use crate::console::ui::problem::Problem;
use crate::console::ui::url_fields::FieldMap;
use crate::limits;
use crate::maintenance::doctor;

/// The columns of the spreadsheet.
const COLUMNS: [&str; 7] =
    ["Name", "DisplayName", "CreatedAt", "Products", "Overdue", "HeldBytes", "QuotaBytes"];

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// All shops of the signed-in operator.
pub(crate) async fn list_shops(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Query(asked): Query<FieldMap>,
) -> Result<Response, Problem> {
    let listed = console.operations.call("/control/account/list", json!({})).await?;
    let shops: HashMap<_, _> = may.shops.iter().map(|shop| (shop.name.as_str(), shop)).collect();
    let find_shop = |row: &Value| shops.get(row["Name"].as_str()?).copied();
    let listed = listed.as_array().into_iter().flatten().filter(|row| find_shop(row).is_some());
    let all: Vec<_> = listed.map(account_fields).collect();
    let (mut rows, next) = if may.wants_sheet() { (all, None) } else { page_of_rows(&all, &asked) };
    for row in rows.iter_mut().take(limits::OVERVIEW_SHOPS) {
        let Some(shop) = find_shop(row) else { continue };
        // A shop that is closed just now has no figures, and does not hide those of the others.
        let lists = load_shown_lists(&console, shop).await.unwrap_or_default();
        let products = lists.iter().find(|list| list["Section"] == "Products");
        row["Products"] = products.map_or(Value::Null, |products| products["Items"].clone());
        let counted = count_erasures(&console, shop).await.unwrap_or_default();
        row["Overdue"] = counted["Overdue"].clone();
    }
    if may.wants_sheet() {
        return csv::file("shops", &COLUMNS, &rows.into());
    }
    let newest_backup_at = console.node.store.read(doctor::backup_at).await?;
    let values = json!({"here": "overview", "rows": rows, "most": limits::OVERVIEW_SHOPS, "version": VERSION,
        "newest_backup_at": newest_backup_at, "next": next});
    console.drawing.render_signed_in(&may, "overview.html", values)
}

/// Fields of an account that the list shows.
fn account_fields(account: &Value) -> Value {
    json!({"Name": account["Name"], "DisplayName": account["DisplayName"], "CreatedAt": account["CreatedAt"],
        "HeldBytes": account["HeldBytes"], "QuotaBytes": account["QuotaBytes"]})
}

/// Display names of shops, by the names of their accounts; shops without one are left out.
///
/// # Errors
/// When the store fails.
pub(super) async fn load_display_names(console: &Console, shops: &[ConsoleShop]) -> Result<Value, Problem> {
    let profiles = console.node.store.read(about::list).await?;
    let display_name = |shop: &ConsoleShop| profiles.get(&shop.id.0)?.display_name.clone();
    let named = shops.iter().filter_map(|shop| Some((shop.name.clone(), display_name(shop)?.into())));
    Ok(Value::Object(named.collect()))
}

/// Loads the list that each section shows now.
///
/// # Errors
/// When the operation refuses.
pub(super) async fn load_shown_lists(console: &Console, shop: &ConsoleShop) -> Result<Vec<Value>, Problem> {
    let lists = console.operations.call_for_shop(shop, "/api/snapshots", json!({})).await?;
    let all = lists.as_array().into_iter().flatten();
    Ok(all.filter(|list| list["Shown"] == true).cloned().collect())
}

/// Counts of the erasures that go on, are overdue, or fail.
///
/// # Errors
/// When the operation refuses.
pub(super) async fn count_erasures(console: &Console, shop: &ConsoleShop) -> Result<Value, Problem> {
    console.operations.call_for_shop(shop, "/api/erasures/count", json!({})).await
}

/// Page with the state and the settings of the server.
pub(crate) async fn health(
    State(console): State<Arc<Console>>,
    may: Authorized<Admin>,
) -> Result<Response, Problem> {
    let mut checks = console.operations.call("/control/doctor", json!({})).await?;
    if may.wants_sheet() {
        return csv::file("health", &["Check", "Standing", "Sentence"], &checks);
    }
    let settings = console.operations.call("/control/config", json!({})).await?;
    if may.wants("settings") {
        let all = settings.as_object().into_iter().flatten();
        let rows = all.map(|(name, value)| json!({"Name": name, "Value": value})).collect();
        return csv::file("settings", &["Name", "Value"], &rows);
    }
    translate_findings(&mut checks, console.drawing.words(may.session.language));
    let engine = console.node.store.engine();
    let values = json!({"here": "health", "checks": checks, "settings": settings, "version": VERSION, "engine": engine});
    console.drawing.render_signed_in(&may, "health.html", values)
}
