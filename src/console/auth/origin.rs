//! Origin of a request: whether a page of the console sent it.

use axum::http::HeaderMap;

use super::hosts::{Hosts, without_port};

/// Returns true if a page of the console sent the form. Browsers say where it comes from; a client that does not is no
/// browser, and has only cookies that it was given. Another host of the same site is refused: its authors, such as
/// those of a shop next to the console, are no operators.
pub(crate) fn is_from_here(hosts: &Hosts, headers: &HeaderMap) -> bool {
    let told = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let site = told("sec-fetch-site");
    let is_site = site.is_none_or(|site| site == "same-origin");
    let host = told("host").unwrap_or_default();
    // A proxy may leave the port out. Where the browser says itself that the page is of this origin, its port is right.
    let is_port_told = site.is_some();
    let is_this_host = |from: &str| from == host || is_port_told && without_port(from) == without_port(host);
    // It may ask by another name than the browser did.
    let is_named = |from: &str| {
        hosts.named.iter().any(|named| named == from || is_port_told && *named == without_port(from))
    };
    let is_ours = |from: &str| is_this_host(from) || is_named(from);
    let is_origin =
        told("origin").is_none_or(|origin| origin.split_once("://").is_some_and(|(_, from)| is_ours(from)));
    is_site && is_origin
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    /// Returns true if a form with these headers is taken by a console of two names.
    fn is_taken(told: &[(&'static str, &'static str)]) -> bool {
        let named = ["console.shop.example".to_owned(), "desk.example".to_owned()];
        let hosts = Hosts::new(([0, 0, 0, 0], 8081).into(), &named);
        let header = |&(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        is_from_here(&hosts, &told.iter().map(header).collect())
    }

    #[test]
    fn each_name_of_the_console_is_an_origin_and_no_part_of_one_is() {
        let host = ("host", "127.0.0.1:8081");
        let same = ("sec-fetch-site", "same-origin");
        for origin in ["https://console.shop.example", "https://desk.example", "http://127.0.0.1:8081"] {
            assert!(is_taken(&[host, ("origin", origin)]), "{origin}");
            assert!(is_taken(&[host, same, ("origin", origin)]), "{origin}");
        }
        assert!(is_taken(&[host, same, ("origin", "https://desk.example:8443")]));
        assert!(is_taken(&[host]) && is_taken(&[host, same]) && is_taken(&[]), "no browser");
        for origin in [
            "https://desk.example:8443",
            "https://evil.example://127.0.0.1:8081",
            "desk.example",
            "null",
            "https://www.desk.example",
            "http://0.0.0.0:8081",
        ] {
            assert!(!is_taken(&[host, ("origin", origin)]), "{origin}");
        }
        for site in ["same-site", "cross-site", "none", ""] {
            assert!(!is_taken(&[host, ("sec-fetch-site", site)]), "{site}");
        }
    }

    #[test]
    fn a_name_has_no_port_and_only_small_letters() {
        let names = ["Desk.Example:81", "desk.example", "[::1]:81", "[::1]", "[::1", ""].map(without_port);
        assert_eq!(names, ["desk.example", "desk.example", "[::1]", "[::1]", "[::1", ""]);
        let hosts = Hosts::new(([0, 0, 0, 0], 8081).into(), &[]);
        assert!(!hosts.has("0.0.0.0:8081") && hosts.has("localhost"), "every address is none");
        let hosts = Hosts::new((std::net::Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, 1), 81).into(), &[]);
        assert!(hosts.has("[fd00::1]:81") && !hosts.has("fd00::1"));
    }
}
