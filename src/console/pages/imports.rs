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
const COLUMNS: [&str; 15] = [
    "KindNumber",
    "Token",
    "Kind",
    "Outcome",
    "Reason",
    "Source",
    "Format",
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
const LISTS: [&str; 5] = ["Section", "KindNumber", "Items", "PublishedAt", "Shown"];
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
    /// Name of the form: `publish`, `cancel`, `back` or `file`.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn query(kind: &str, state: &str, before: Option<i64>) -> ImportsQuery {
        ImportsQuery { kind: kind.to_owned(), state: state.to_owned(), before }
    }

    #[test]
    fn a_full_page_leads_on_and_a_narrow_one_as_long_as_it_has_a_row() {
        let rows: Vec<_> = (1..=limits::SUBMISSIONS_SHOWN).rev().map(|n| json!({"Number": n})).collect();
        let all = query("", "", None);
        let next = |query: &ImportsQuery, rows: &[Value]| query.next(rows).and_then(|next| next.as_i64());
        assert_eq!((next(&all, &rows), next(&all, &rows[..rows.len() - 1])), (Some(1), None));
        for narrow in [query("feed", "", None), query("", "open", None), query("delta", "failed", Some(7))] {
            assert_eq!(next(&narrow, &rows[..2]), Some(limits::SUBMISSIONS_SHOWN - 1));
            assert_eq!(next(&narrow, &[]), None);
        }
        assert_eq!(next(&query("", "", Some(7)), &rows[..2]), None);
    }

    #[test]
    fn a_page_asks_for_its_kind_and_state_from_its_number_on() {
        assert_eq!(query("feed", "", None).question(), json!({"Kind": "feed", "State": ""}));
        let expected = json!({"Kind": "", "State": "open", "Before": 7});
        assert_eq!(query("", "open", Some(7)).question(), expected);
    }

    #[test]
    fn the_fault_of_a_form_has_the_code_of_the_operation_if_there_is_one() {
        let refused = |code| Problem { code, ..Problem::new(axum::http::StatusCode::CONFLICT, "not now") };
        let told = |code| {
            let fault = FormFault::from_problem("back", refused(code));
            (fault.about, fault.says, fault.code)
        };
        assert_eq!(told(None), ("back", "not now".to_owned(), ""));
        assert_eq!(told(Some(ErrorCode::Busy)), ("back", "not now".to_owned(), ErrorCode::Busy.as_str()));
    }
}
