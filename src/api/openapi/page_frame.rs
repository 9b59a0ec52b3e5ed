//! Frame of the pages of the documentation: head, style, response.

use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use html_escape::encode_text;

/// Content security policy of the page: a browser may load its style sheet from here, and nothing else.
pub(super) const POLICY: &str =
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub(super) const STYLE: &str = "\
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1f2529; background: #f6f5f1 }
h1, h2 { line-height: 1.25 } h2::first-letter { text-transform: uppercase } a { color: #17616b } li { margin: .3rem 0 }
code, pre { font: 14px/1.4 monospace } code { overflow-wrap: anywhere } pre { background: #edebe4; padding: .5rem; overflow-x: auto }
details { background: #fff; border: 1px solid #dedbd3; border-radius: 10px; margin: .5rem 0; padding: .25rem .75rem }
summary { cursor: pointer } table { border-collapse: collapse; width: 100%; margin: .5rem 0 }
td, th { border: 1px solid #dedbd3; padding: .25rem .5rem; text-align: left; vertical-align: top }
@media (prefers-color-scheme: dark) {
  body { color: #e7eaeb; background: #14181b } pre { background: #262d32 } details { background: #1c2226 } a { color: #86cbd2 }
  details, td, th { border-color: #30383d }
}
";

/// A page in this style.
pub fn page_response(page: impl Into<Bytes>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    (headers, page.into()).into_response()
}

/// Beginning of such a page, up to its body.
pub fn head(title: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><link rel=\"stylesheet\" href=\"/docs/style.css\"></head>",
        encode_text(title)
    )
}
