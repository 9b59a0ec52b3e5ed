//! Pictures of products: loaded by the browser from the hosts that the shop names, without a trace of the operator.
//! All others are a placeholder.

use axum::http::HeaderValue;
use minijinja::{State, Value};
use url::Url;

use crate::console::auth::policy;

/// Start of a picture in the HTML of a page.
const MARK: &str = "<img class=\"picture\"";

/// Form of an editor, whose script puts cards with pictures into the page.
const EDITOR: &str = "<form id=\"editor-form\"";

/// `picture(address)` of a template: its URL, if the shop of the page names that host; nothing otherwise.
pub(crate) fn picture(state: &State<'_, '_>, address: Option<String>) -> Option<String> {
    let named = state.lookup("shop")?.get_attr("pictures").ok()?;
    let named: Vec<String> = named.try_iter().ok()?.map(|origin: Value| origin.to_string()).collect();
    allowed_url(&address?, &named)
}

fn allowed_url(address: &str, named: &[String]) -> Option<String> {
    // Shops write `//host/…` too.
    let whole = if address.starts_with("//") { format!("https:{address}") } else { address.to_owned() };
    let url = Url::parse(&whole).ok()?;
    let is_named = named.contains(&url.origin().ascii_serialization());
    is_named.then(|| url.into())
}

/// The policy of a page that shows pictures, or may come to; `None` for all others, which load nothing from elsewhere.
pub(crate) fn policy(page: &str, named: &[String]) -> Option<HeaderValue> {
    let shows_pictures = page.contains(MARK) || page.contains(EDITOR);
    shows_pictures.then(|| policy::policy_with(named)).and_then(|policy| policy.try_into().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_loaded_from_an_origin_that_the_shop_names() {
        let named = ["https://cdn.shop.test".to_owned(), "http://b.test:81".to_owned()];
        let allowed = |address: &str| allowed_url(address, &named);
        for (address, url) in [
            ("https://cdn.shop.test/a b.jpg", "https://cdn.shop.test/a%20b.jpg"),
            ("//cdn.shop.test/c.jpg", "https://cdn.shop.test/c.jpg"),
            ("http://b.test:81/d", "http://b.test:81/d"),
        ] {
            assert_eq!(allowed(address).as_deref(), Some(url), "{address}");
        }
        let none = [
            "",
            "/a.jpg",
            "javascript:1",
            "http://cdn.shop.test/a",
            "https://cdn.shop.test:444/a",
            "http://b.test/d",
        ];
        for address in none.into_iter().chain(["https://evil.test/https://cdn.shop.test/a"]) {
            assert_eq!(allowed(address), None, "{address}");
        }
        let shown = policy("<p><img class=\"picture\" src=\"x\"></p>", &named).expect("a policy");
        assert_eq!(shown.to_str().ok(), Some(policy::policy_with(&named).as_str()));
        let sources = "img-src 'self' https://cdn.shop.test http://b.test:81; connect-src 'self';";
        assert!(policy::policy_with(&named).contains(sources), "{shown:?}");
        assert_eq!(policy("<p><form id=\"editor-form\" method=\"post\">", &named), Some(shown));
        assert_eq!(policy("<p><img src=\"x\"></p>", &named), None);
    }
}
