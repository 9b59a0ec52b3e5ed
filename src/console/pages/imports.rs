//! Imports: the list of what a shop sent, one import while it goes on, and its outcome.

use std::sync::Arc;

use axum::extract::{Extension, Path, Query, State};
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};

use super::import_issues::groups;
use super::import_record::{load_import, with_outcome};
use super::recent_errors;
use crate::console::auth::authorization::{Authorized, RequiredRight, View};
use crate::console::auth::console_shop::ConsoleShop;
use crate::console::state::Console;
use crate::console::ui::live_parts::LivePart;
use crate::console::ui::problem::Problem;
use crate::console::ui::{csv, sse};
use crate::limits;
use crate::transport::listener::ListenerStop;
use crate::transport::refusal::ErrorCode;

/// Filter of the list of imports.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct ImportsQuery {
    /// `feed` or `delta`; both without one.
    kind: String,
    /// `open`, `complete` or `failed`; all without one.
    state: String,
    /// The number that ended the page before.
    before: Option<i64>,
}

/// The columns of the spreadsheet.
const COLUMNS: [&str; 14] = [
    "Number",
    "Token",
    "Kind",
    "Outcome",
    "Reason",
    "Source",
    "DryRun",
    "AcceptedAt",
    "FinishedAt",
    "Figures.New",
    "Figures.Changed",
    "Figures.Gone",
    "Figures.Wrong",
    "Figures.Held",
];

/// Columns of the kept lists.
const LISTS: [&str; 5] = ["Section", "Number", "Items", "PublishedAt", "Shown"];
/// Columns of the changes that a feed makes.
const DIFFERENCE: [&str; 8] = [
    "Section",
    "Counts.added",
    "Counts.changed",
    "Counts.removed",
    "Counts.unchanged",
    "Counts.price_jump",
    "Counts.price_zero",
    "Counts.currency_lost",
];

impl ImportsQuery {
    fn question(&self) -> Value {
        let mut question = json!({"Kind": self.kind, "State": self.state});
        if let Some(before) = self.before {
            question["Before"] = before.into();
        }
        question
    }

    /// True if the filter may leave imports out.
    fn is_narrow(&self) -> bool {
        !self.kind.is_empty() || !self.state.is_empty()
    }

    /// Number before which the next page begins. With a filter, a page that is not full may have a next one.
    fn next(&self, rows: &[Value]) -> Option<Value> {
        let is_full = rows.len() as i64 >= limits::SUBMISSIONS_SHOWN;
        rows.last().filter(|_| is_full || self.is_narrow()).map(|last| last["Number"].clone())
    }
}

/// Error shown next to a refused form.
#[derive(serde::Serialize, Default)]
pub(crate) struct FormFault {
    /// Name of the form: `publish`, `cancel` or `back`.
    pub about: &'static str,
    pub says: String,
    /// Error code of the operation; empty without one.
    pub code: &'static str,
}

impl FormFault {
    /// Error of a form that was refused.
    pub fn from_problem(about: &'static str, refused: Problem) -> Self {
        Self { about, says: refused.sentence, code: refused.code.map(ErrorCode::as_str).unwrap_or_default() }
    }
}

/// Imports of a shop, newest first.
pub(crate) async fn list(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Query(which): Query<ImportsQuery>,
) -> Result<Response, Problem> {
    history(&console, &may, &which, FormFault::default()).await
}

pub(crate) async fn history<N: RequiredRight>(
    console: &Console,
    may: &Authorized<N>,
    which: &ImportsQuery,
    fault: FormFault,
) -> Result<Response, Problem> {
    let shop = may.shop()?;
    let listed = console.operations.call_for_shop(shop, "/api/submissions", which.question()).await?;
    let mut rows = Vec::new();
    for mut import in listed.as_array().into_iter().flatten().cloned().map(with_outcome) {
        import["Figures"] = figures(console, shop, &import).await?;
        rows.push(import);
    }
    if may.wants_sheet() {
        return csv::file("imports", &COLUMNS, &rows.into());
    }
    let lists = lists(console, shop).await?;
    if may.wants("lists") {
        return csv::file("lists", &LISTS, &lists);
    }
    let is_empty = rows.is_empty() && which.before.is_none() && !which.is_narrow();
    let values = json!({"here": "imports", "rows": rows, "is_empty": is_empty, "next": which.next(&rows), "kind": which.kind, "state": which.state,
        "lists": lists, "refused": recent_errors::list(console, shop).await?, "fault": fault});
    console.drawing.render_signed_in(may, "imports.html", values)
}

/// Numbers of items that an import changed, and of its bad issues; null where they are not available, or no longer.
async fn figures(console: &Console, shop: &ConsoleShop, import: &Value) -> Result<Value, Problem> {
    // The counts are asked for, and no page of rows.
    let question = json!({"Token": import["Token"], "From": u32::MAX});
    let issues = console.operations.find_for_shop(shop, "/api/issues", question).await?;
    let wrong = issues["Counts"].as_array().map(|counts| {
        let bad = counts.iter().filter(|count| count["Severity"] == "bad");
        bad.filter_map(|count| count["Count"].as_i64()).sum::<i64>()
    });
    let question = json!({"Token": import["Token"]});
    let difference = console.operations.find_for_shop(shop, "/api/feed/difference", question).await?;
    let sections = difference["Sections"].as_array().filter(|sections| !sections.is_empty());
    let sum = |kind: &str| {
        sections.map(|sections| {
            sections.iter().filter_map(|section| section["Counts"][kind].as_i64()).sum::<i64>()
        })
    };
    Ok(
        json!({"New": sum("added"), "Changed": sum("changed"), "Gone": sum("removed"), "Wrong": wrong, "Held": difference["Held"]}),
    )
}

/// The kept lists, any of which can be shown again.
async fn lists(console: &Console, shop: &ConsoleShop) -> Result<Value, Problem> {
    console.operations.call_for_shop(shop, "/api/snapshots", json!({})).await
}

/// One import.
pub(crate) async fn show(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Path((_, token)): Path<(String, String)>,
) -> Result<Response, Problem> {
    render_import(&console, &may, &token, FormFault::default()).await
}

pub(crate) async fn render_import<N: RequiredRight>(
    console: &Console,
    may: &Authorized<N>,
    token: &str,
    fault: FormFault,
) -> Result<Response, Problem> {
    let shop = may.shop()?;
    let import = load_import(console, shop, token).await?;
    let question = json!({"Token": token});
    let difference = console.operations.call_for_shop(shop, "/api/feed/difference", question).await?;
    if may.wants_sheet() {
        return csv::file("difference", &DIFFERENCE, &difference["Sections"]);
    }
    let lists = lists(console, shop).await?;
    if may.wants("lists") {
        return csv::file("lists", &LISTS, &lists);
    }
    let values = json!({"here": "imports", "import": import, "difference": difference,
        "groups": groups(console, shop, token).await?, "lists": lists, "fault": fault});
    console.drawing.render_signed_in(may, "import.html", values)
}

/// Streams the progress of an import.
pub(crate) async fn live(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Path((_, token)): Path<(String, String)>,
    Extension(stopping): Extension<ListenerStop>,
) -> Result<Response, Problem> {
    let pages = console.clone();
    let language = may.session.language;
    let shop = may.shop()?.clone();
    load_import(&console, &shop, &token).await?;
    let next = move || {
        let console = console.clone();
        let shop = shop.clone();
        let token = token.clone();
        async move {
            let import = load_import(&console, &shop, &token).await?;
            let is_last = import["Outcome"] != "open";
            let values = json!({"import": import, "shop": shop, "is_live": true});
            let html = console.drawing.text(language, "import_progress.html", values)?;
            Ok(LivePart { html, is_last })
        }
    };
    sse::stream(&pages, &may, stopping, next).await
}
