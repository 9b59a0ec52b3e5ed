//! Cookies of the console.

use std::time::Duration;

use axum::http::{HeaderMap, header};

use crate::limits;

/// The cookie of a session: of this host alone, sent by no other site, read by no script.
pub(super) const COOKIE: &str = "__Host-lethe";

/// Value of the session cookie.
pub(crate) fn cookie(headers: &HeaderMap) -> Option<String> {
    cookie_named(headers, COOKIE)
}

/// Value of the cookie of this name.
// Others that are no text may stand in the same header.
pub(crate) fn cookie_named(headers: &HeaderMap, name: &str) -> Option<String> {
    let pairs =
        headers.get_all(header::COOKIE).iter().flat_map(|line| line.as_bytes().split(|sign| *sign == b';'));
    let mut each = pairs.filter_map(|pair| std::str::from_utf8(pair).ok()?.trim().split_once('='));
    each.find(|(named, _)| *named == name).map(|(_, value)| value.to_owned())
}

/// The header that sets the cookie of a session, or takes it away.
pub(crate) fn set_cookie(value: Option<&str>) -> String {
    set_cookie_named(COOKIE, value.map(|value| (value, limits::CONSOLE_SESSION_KEPT_DURATION)))
}

/// The header that sets a cookie for so long, or takes it away.
pub(crate) fn set_cookie_named(name: &str, value: Option<(&str, Duration)>) -> String {
    let (value, age) = value.unwrap_or_default();
    let age = age.as_secs();
    format!("{name}={value}; Path=/; Max-Age={age}; Secure; HttpOnly; SameSite=Strict")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_found_among_others_by_its_whole_name() {
        let mut headers = HeaderMap::new();
        assert_eq!(cookie(&headers), None);
        for line in [
            &b"theme=dark; __Host-lethe-code=half; x=\xe4; flag"[..],
            b"__Host-lethe=a=b ;__Host-lethe=later",
        ] {
            headers.append(header::COOKIE, line.try_into().expect("a header"));
        }
        assert_eq!(cookie(&headers).as_deref(), Some("a=b"));
        assert_eq!(cookie_named(&headers, "__Host-lethe-code").as_deref(), Some("half"));
        for none in ["flag", "Theme", "x", ""] {
            assert_eq!(cookie_named(&headers, none), None, "{none}");
        }
    }

    #[test]
    fn a_cookie_is_set_for_this_host_alone_and_taken_away_at_once() {
        let rest = "Secure; HttpOnly; SameSite=Strict";
        assert_eq!(set_cookie(Some("s")), format!("__Host-lethe=s; Path=/; Max-Age=86400; {rest}"));
        assert_eq!(set_cookie(None), format!("__Host-lethe=; Path=/; Max-Age=0; {rest}"));
        let half = set_cookie_named("c", Some(("h", Duration::from_millis(90_900))));
        assert_eq!(half, format!("c=h; Path=/; Max-Age=90; {rest}"));
    }
}
