//! Meaning of a code of a refusal or of a row's issue: the pages of `docs/errors.md` and `docs/issues.md` inside the
//! console's frame.

use std::sync::{Arc, LazyLock};

use axum::extract::{Path, State};
use axum::response::Response;
use minijinja::Value;
use serde_json::json;

use crate::console::auth::authorization::{Authorized, See};
use crate::console::state::Console;
use crate::console::ui::error_page::Problem;
use crate::help::Help;

/// The pages, drawn once.
static HELP: LazyLock<Help> = LazyLock::new(|| Help::new("/help"));

/// All codes of a document.
pub(crate) async fn list(
    State(console): State<Arc<Console>>,
    may: Authorized<See>,
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
    may: Authorized<See>,
    Path((name, code)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let book = HELP.book(&name).ok_or_else(Problem::not_found)?;
    let page = book.page(&code).ok_or_else(Problem::not_found)?;
    let values = json!({"book": book.name, "title": book.title, "code": page.code});
    console.drawing.render_signed_in(&may, "help.html", values)
}

/// `explained(book, code)` of a template: the text of a page, or the text before the first code. It is HTML made of
/// documents that are part of this program, and holds nothing from a client: so it is not escaped.
pub(crate) fn explain_code(name: &str, code: &str) -> Value {
    let book = HELP.book(name);
    let page = book.and_then(|book| book.page(code)).map(|page| &page.body);
    let text = page.or_else(|| book.filter(|_| code.is_empty()).map(|book| &book.begin));
    Value::from_safe_string(text.cloned().unwrap_or_default())
}
