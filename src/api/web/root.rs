//! `GET /`: a description of this server, and addresses to go to. The same words at every server.

use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};

use crate::api::openapi::page_frame;
use crate::api::plain_answer;
use crate::transport::refusal::OfServer;

/// Addresses to go to from here, each with its content.
const SIGNPOSTS: [(&str, &str); 7] = [
    ("/docs", "the description of every operation, to read"),
    ("/docs/errors", "what each error means, and what to do"),
    ("/docs/issues", "what can be wrong with a row of a feed or delta, and what to do"),
    ("/openapi.json", "the description of every operation, for programs that make clients"),
    ("/health", "OK as long as the process lives"),
    ("/ready", "200 when requests are taken, 503 when they are not"),
    ("/metrics", "figures for monitoring, with the metrics token"),
];

const WHAT: &str = "Lethe: search and recommendations for online shops, which forgets people exactly.";
const HOW: &str = "Shops and their plugins send POST requests with JSON to addresses below /api/. The console for \
                   operators has a port of its own, which `lethe serve` prints. With `lethe serve --try` the search of \
                   a shop can be tried at /try/ACCESSKEY.";
const MORE: &str = "docs/interface.md in the source tells what each operation takes and answers.";

/// The root: text, or a page for clients that ask for HTML.
#[utoipa::path(get, path = "/", operation_id = "root", tag = "operation of the server", responses(OfServer,
    (status = 200, description = "What this is, and where to go from here",
     content((String = "text/plain"), (String = "text/html")))))]
pub async fn get(headers: HeaderMap) -> Response {
    let vary = [(header::VARY, "accept")];
    if plain_answer::wants_page(&headers) {
        return (vary, page_frame::page_response(page())).into_response();
    }
    (vary, text()).into_response()
}

fn text() -> String {
    let signposts: String =
        SIGNPOSTS.iter().map(|(address, says)| format!("  {address:<14} {says}\n")).collect();
    format!("{WHAT}\n\n{HOW}\n\n{signposts}\n{MORE}\n")
}

fn page() -> String {
    let signposts: String = SIGNPOSTS
        .iter()
        .map(|(address, says)| format!("<li><a href=\"{address}\">{address}</a>: {says}</li>\n"))
        .collect();
    format!(
        "{}<body>\n<h1>Lethe</h1>\n<p>{WHAT}</p>\n<p>{HOW}</p>\n<ul>\n{signposts}</ul>\n<p>{MORE}</p>\n</body></html>\n",
        page_frame::head("Lethe")
    )
}
