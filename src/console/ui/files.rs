//! The style and the script of the pages, their picture, and the icons of the menu.

use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use super::problem::Problem;

const FILES: [(&str, &str, &str); 4] = [
    ("style.css", "text/css; charset=utf-8", include_str!("files/style.css")),
    ("page.js", "text/javascript; charset=utf-8", include_str!("files/page.js")),
    ("icon.svg", "image/svg+xml", include_str!("files/icon.svg")),
    ("icons.svg", "image/svg+xml", include_str!("files/icons.svg")),
];

/// A file.
pub(crate) async fn get(Path(name): Path<String>) -> Result<Response, Problem> {
    let found = FILES.iter().find(|(file, ..)| *file == name);
    let (_, kind, content) = found.ok_or_else(Problem::not_found)?;
    Ok(([(header::CONTENT_TYPE, *kind)], *content).into_response())
}
