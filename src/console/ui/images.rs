//! Pictures of products: loaded by the browser from the hosts that the shop names, without a trace of the operator.
//! All others are a placeholder.

use axum::http::HeaderValue;
use minijinja::{State, Value};
use url::Url;

use crate::console::auth::policy;

/// Start of a picture in the HTML of a page.
const MARK: &str = "<img class=\"picture\"";

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

/// The policy of a page that shows pictures; `None` for all others, which load nothing from elsewhere.
pub(crate) fn policy(page: &str, named: &[String]) -> Option<HeaderValue> {
    page.contains(MARK).then(|| policy::policy_with(named)).and_then(|policy| policy.try_into().ok())
}
