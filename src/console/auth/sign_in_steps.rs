//! Steps that signing in has with and without a second factor.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;

use super::cookies::set_cookie;
use super::throttle::REMEMBERED_CLIENTS;
use crate::admission::Tenant;
use crate::console::state::Console;
use crate::console::ui::locale::preferred_language;
use crate::console::ui::problem::Problem;
use crate::i18n::UiLanguage;
use crate::operators::Operator;
use crate::transport::peer::{Peer, prefix};

/// Page to open after signing in.
#[derive(Deserialize, Default)]
pub(crate) struct AfterSignIn {
    #[serde(default)]
    pub(super) to: String,
}

impl AfterSignIn {
    /// A page of the console; any other address would lead elsewhere.
    pub fn page(&self) -> &str {
        let is_odd = |sign: char| sign == '\\' || sign.is_control();
        let is_own = self.to.starts_with('/') && !self.to.starts_with("//") && !self.to.contains(is_odd);
        if is_own { &self.to } else { "/" }
    }

    /// The address of a page that leads there.
    pub fn address(&self, page: &str) -> String {
        let to: String = url::form_urlencoded::byte_serialize(self.page().as_bytes()).collect();
        format!("{page}?to={to}")
    }
}

pub(crate) fn language_of(headers: &HeaderMap) -> UiLanguage {
    let asked = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    preferred_language(asked.unwrap_or_default())
}

/// The client of a request.
pub(crate) fn client_of(request: &Request) -> Tenant {
    who_of(request.extensions().get::<Peer>())
}

/// The form again, after too many tries.
pub(crate) fn too_often(mut form: Response) -> Response {
    form.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("60"));
    form
}

/// Lets an operator in, who showed that it is them.
pub(crate) async fn enter(
    console: &Console,
    operator: &Operator,
    (headers, who): (&HeaderMap, Tenant),
    to: &AfterSignIn,
) -> Result<Response, Problem> {
    let begun = console.sessions.begin(operator, language_of(headers), console.node.clock.now());
    let cookie = begun.map_err(|_| Problem::fault())?;
    if let Tenant::Client(address) = who {
        console.throttle.remember(address);
    }
    console.note_of(operator.id, "signed-in", None).await?;
    tracing::info!(operator = %operator.id, "an operator signed in");
    Ok(([(header::SET_COOKIE, set_cookie(Some(&cookie)))], Redirect::to(to.page())).into_response())
}

/// Counts a try of a client. True if it sends too many passwords: then none is checked, right or wrong. Other clients
/// are not held up by them.
pub(crate) fn is_throttled(console: &Console, who: Tenant) -> bool {
    let Tenant::Client(address) = who else { return false };
    if console.throttle.tries.len() > REMEMBERED_CLIENTS {
        console.throttle.tries.retain_recent();
    }
    console.throttle.tries.check_key(&address).is_err()
}

/// The client of a connection.
pub(crate) fn who_of(peer: Option<&Peer>) -> Tenant {
    match peer {
        Some(Peer::Address(address)) => Tenant::Client(prefix(*address)),
        Some(Peer::Operator) | None => Tenant::Operator,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signing_in_leads_to_a_page_of_the_console_and_nowhere_else() {
        let page = |to: &str| AfterSignIn { to: to.to_owned() }.page().to_owned();
        for own in ["/", "/places?fate=erase", "/a//b", "/shops/oak/rules?for=a%5Cb#editor"] {
            assert_eq!(page(own), own);
        }
        for odd in [
            "",
            "places",
            "//evil.example",
            "/\\evil.example",
            "/\t/evil.example",
            "/a\nb",
            "https://evil.example",
            "\\",
        ] {
            assert_eq!(page(odd), "/", "{odd:?}");
        }
        let to = AfterSignIn { to: "/places?fate=erase&x=ä".to_owned() };
        assert_eq!(to.address("/sign-in"), "/sign-in?to=%2Fplaces%3Ffate%3Derase%26x%3D%C3%A4");
        assert_eq!(AfterSignIn::default().address("/sign-in/code"), "/sign-in/code?to=%2F");
    }

    #[test]
    fn a_client_is_its_network_and_a_socket_is_the_operator() {
        let client = |address: &str| who_of(Some(&Peer::Address(address.parse().expect("an address"))));
        assert!(client("10.0.0.7") == Tenant::Client([10, 0, 0, 7].into()));
        assert!(client("2001:db8:1:2:3:4:5:6") == client("2001:db8:1:2::9"), "one network");
        assert!(client("2001:db8:1:2::") != client("2001:db8:1:3::"));
        assert!(who_of(Some(&Peer::Operator)) == Tenant::Operator && who_of(None) == Tenant::Operator);
        let again = too_often("x".into_response());
        assert_eq!(again.headers()[header::RETRY_AFTER], "60");
    }
}
