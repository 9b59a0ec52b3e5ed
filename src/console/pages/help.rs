//! Meaning of a code of a refusal or of a row's issue: the pages of `docs/errors.md` and `docs/issues.md` inside the
//! console's frame.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use serde_json::json;

use super::help_topics::HELP;
use crate::console::auth::authorization::{Authorized, View};
use crate::console::state::Console;
use crate::console::ui::problem::Problem;

/// All codes of a document.
pub(crate) async fn list(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Path(name): Path<String>,
) -> Result<Response, Problem> {
    let book = HELP.book(&name).ok_or_else(Problem::not_found)?;
    console.drawing.render_signed_in(
        &may,
        "help.html",
        json!({"book": book.name, "title": book.title, "code": ""}),
    )
}

/// One code.
pub(crate) async fn show(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Path((name, code)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let book = HELP.book(&name).ok_or_else(Problem::not_found)?;
    let page = book.page(&code).ok_or_else(Problem::not_found)?;
    let values = json!({"book": book.name, "title": book.title, "code": page.code});
    console.drawing.render_signed_in(&may, "help.html", values)
}
