//! Origin of a request: whether a page of the console sent it.

use axum::http::HeaderMap;

use super::hosts::{Hosts, name_of};

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
    let is_this_host = |from: &str| from == host || is_port_told && name_of(from) == name_of(host);
    // It may ask by another name than the browser did.
    let is_named =
        |from: &str| hosts.named.iter().any(|named| named == from || is_port_told && *named == name_of(from));
    let is_ours = |from: &str| is_this_host(from) || is_named(from);
    let is_origin =
        told("origin").is_none_or(|origin| origin.split_once("://").is_some_and(|(_, from)| is_ours(from)));
    is_site && is_origin
}
