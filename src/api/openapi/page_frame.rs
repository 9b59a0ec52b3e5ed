//! Frame of the pages of the documentation: head, style, response.

use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use html_escape::encode_text;

/// Content security policy of the page: a browser may load its style sheet from here, and nothing else.
pub(super) const POLICY: &str =
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub(super) const STYLE: &str = "\
body { font: 16px/1.5 sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff }
code, pre { font: 14px/1.4 monospace } code { overflow-wrap: anywhere } pre { background: #f4f4f4; padding: .5rem; overflow-x: auto }
details { border: 1px solid #ccc; border-radius: 4px; margin: .5rem 0; padding: .25rem .75rem }
summary { cursor: pointer } table { border-collapse: collapse; width: 100%; margin: .5rem 0 }
td, th { border: 1px solid #ddd; padding: .25rem .5rem; text-align: left; vertical-align: top }
@media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #181818 } pre { background: #242424 } a { color: #8cf }
  details, td, th { border-color: #444 }
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
