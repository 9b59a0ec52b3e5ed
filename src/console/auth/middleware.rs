//! Middleware of every page: checks the host name of the request, sets what a browser may do with the page, and turns
//! a failure into a page that says so.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;

use super::policy::POLICY;
use crate::console::state::Console;
use crate::console::ui::error_page;
use crate::console::ui::problem::Problem;
use crate::transport::forwarded;

/// Runs a page.
pub(crate) async fn guard_request(
    State(console): State<Arc<Console>>,
    mut request: Request,
    next: Next,
) -> Response {
    forwarded::note_client(&console.node, &mut request);
    let asked = request.headers().clone();
    let path = request.uri().path().to_owned();
    let host = asked.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let answered = if console.hosts.has(host) {
        AssertUnwindSafe(next.run(request)).catch_unwind().await
    } else {
        let said = "The console is not reached by this name: `console_hosts` names those that it answers to";
        Ok((StatusCode::MISDIRECTED_REQUEST, said).into_response())
    };
    let response = answered.unwrap_or_else(|_| {
        tracing::error!("a page of the console panicked");
        Problem::fault().into_response()
    });
    let mut response = error_page::render_problem(&console, &asked, &path, response);
    protect(response.headers_mut());
    response
}

fn protect(headers: &mut HeaderMap) {
    let all: [(HeaderName, &str); 5] = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in all {
        // Pages about a person bring a stricter one of their own, and files may be kept.
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::auth::hosts::Hosts;
    use crate::console::auth::origin::is_from_here;

    #[test]
    fn a_form_is_sent_by_a_page_of_the_console() {
        let hosts = Hosts::new(([127, 0, 0, 1], 8081).into(), &["console.shop.example".to_owned()]);
        let is_taken = |host: &str, origin: &str, site: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_str(host).unwrap());
            headers.insert(header::ORIGIN, HeaderValue::from_str(origin).unwrap());
            site.map(|site| headers.insert("sec-fetch-site", HeaderValue::from_static(site)));
            is_from_here(&hosts, &headers)
        };
        let same = Some("same-origin");
        for (host, origin, site, expected) in [
            ("localhost:8081", "http://localhost:8081", same, true),
            ("localhost:8081", "http://localhost:8081", None, true),
            // A proxy with TLS on a port of its own, which passes the name on without it.
            ("console.shop.example", "https://console.shop.example:8443", same, true),
            ("127.0.0.1:8081", "https://console.shop.example:8443", same, true),
            ("127.0.0.1:8081", "https://console.shop.example", None, true),
            // A client that says nothing of the origin is no browser that sends a port only now and then.
            ("console.shop.example", "https://console.shop.example:8443", None, false),
            ("localhost:8081", "http://localhost:3000", None, false),
            // A page of another origin, or of a sister origin.
            ("localhost:8081", "http://localhost:3000", Some("same-site"), false),
            ("console.shop.example", "https://www.shop.example", Some("same-site"), false),
            ("console.shop.example", "https://console.shop.example", Some("same-site"), false),
            ("console.shop.example", "https://evil.example", Some("cross-site"), false),
            ("console.shop.example", "https://evil.example", same, false),
            ("console.shop.example", "null", same, false),
        ] {
            assert_eq!(is_taken(host, origin, site), expected, "{host} {origin} {site:?}");
        }
    }

    #[test]
    fn it_is_reached_by_its_own_names_alone() {
        let hosts = Hosts::new(([10, 0, 0, 7], 8081).into(), &["console.shop.example".to_owned()]);
        for known in ["localhost:8081", "127.0.0.1", "[::1]:8081", "10.0.0.7:8081", "Console.Shop.example"] {
            assert!(hosts.has(known), "{known}");
        }
        for foreign in
            ["", "evil.example", "localhost.evil.example", "10.0.0.8:8081", "[::1", "127.0.0.1.evil"]
        {
            assert!(!hosts.has(foreign), "{foreign}");
        }
    }
}
