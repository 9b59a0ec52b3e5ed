//! `GET /docs/errors`, `/docs/issues` and a page for each code: its meaning and its remedy. Anybody may read them.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};

use super::page_frame;
use crate::api::plain_answer;
use crate::help::{Help, HelpBook};
use crate::transport::refusal::{ErrorCode, Refusal};

/// The pages, drawn once. They are the same at every server.
static HELP: LazyLock<Help> = LazyLock::new(|| Help::new("/docs"));

/// Link back from a list: its address and its text.
const OPERATIONS: (&str, &str) = ("/docs", "All operations");

/// A code as it stands in an address.
type Code = Result<Path<String>, PathRejection>;

/// All codes of refusals.
pub async fn errors() -> Response {
    list(&HELP.errors)
}

/// A code of refusals.
pub async fn error(headers: HeaderMap, code: Code) -> Response {
    code_page(&headers, &HELP.errors, code)
}

/// All codes of issues of rows.
pub async fn issues() -> Response {
    list(&HELP.issues)
}

/// A code of issues of rows.
pub async fn issue(headers: HeaderMap, code: Code) -> Response {
    code_page(&headers, &HELP.issues, code)
}

fn list(book: &HelpBook) -> Response {
    page_frame::page_response(page(book.title, book.title, &book.begin, OPERATIONS))
}

fn code_page(headers: &HeaderMap, book: &HelpBook, code: Code) -> Response {
    let found = code.ok().and_then(|Path(code)| book.page(&code));
    let Some(found) = found else { return unknown(headers, book) };
    let heading = format!("<code>{}</code>", found.code);
    let back = format!("/docs/{}", book.name);
    page_frame::page_response(page(found.code, &heading, &found.body, (&back, book.title)))
}

/// All text is our own, rendered by [`Help`].
fn page(title: &str, heading: &str, body: &str, (address, says): (&str, &str)) -> String {
    let head = page_frame::head(title);
    format!(
        "{head}<body><nav><a href=\"{address}\">{says}</a></nav>\n<main><h1>{heading}</h1>\n{body}</main></body></html>\n"
    )
}

/// Answer to an unknown code: a page if the client accepts HTML, otherwise a refusal.
fn unknown(headers: &HeaderMap, book: &HelpBook) -> Response {
    let name = book.name;
    if plain_answer::wants_page(headers) {
        let says = format!(
            "<p>No code of this name is explained. <a href=\"/docs/{name}\">{}</a></p>\n",
            book.title
        );
        let page = page("Nothing is here", "Nothing is here", &says, OPERATIONS);
        return (StatusCode::NOT_FOUND, page_frame::page_response(page)).into_response();
    }
    let sentence = format!("No code of this name is explained; /docs/{name} lists those that are");
    Refusal::new(ErrorCode::NoSuchAddress, sentence).into_response()
}
