//! Signing in, by a password; choosing one, by a link that counts once; and signing out.

use std::num::NonZeroU32;
use std::sync::Arc;

use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use serde::Deserialize;

use serde_json::json;

use super::Console;
use super::form::Form;
use super::problem::Problem;
use super::signed::{Act, See, read, set_cookie};
use super::words::asked_for;
use crate::fairness::{Share, Who};
use crate::http::credentials::prefix;
use crate::http::listener::Peer;
use crate::limits;
use crate::operators::{self, Operator, OperatorFault, password};
use crate::store::{Owner, Tx};
use crate::texts::Language;

/// Passwords that are tried, by client address.
pub(super) struct Throttle(DefaultKeyedRateLimiter<std::net::IpAddr>);

impl Throttle {
    pub fn new() -> Self {
        let most = NonZeroU32::new(limits::SIGN_INS_OF_MINUTE).unwrap_or(NonZeroU32::MIN);
        // red: it::console::sqlite::guessing_passwords_ends_soon_and_locks_nobody_else_out
        let most = mutant!("passwords-are-guessed-for-ever", most, NonZeroU32::MAX);
        Self(RateLimiter::keyed(Quota::per_minute(most)))
    }
}

/// Where to go behind signing in.
#[derive(Deserialize, Default)]
pub(super) struct To {
    #[serde(default)]
    to: String,
}

impl To {
    /// A page of the console; any other address would lead elsewhere.
    fn page(&self) -> &str {
        let is_own = self.to.starts_with('/') && !self.to.starts_with("//") && !self.to.contains('\\');
        // red: it::console::sqlite::a_foreign_site_gets_nothing_and_can_do_nothing
        if mutant!("signing-in-leads-anywhere", is_own, !self.to.is_empty()) { &self.to } else { "/" }
    }
}

fn language_of(headers: &HeaderMap) -> Language {
    let asked = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    asked_for(asked.unwrap_or_default())
}

/// The client of a request.
fn who(request: &Request) -> Who {
    match request.extensions().get::<Peer>() {
        Some(Peer::Address(address)) => Who::Client(prefix(*address)),
        Some(Peer::Operator) | None => Who::Operator,
    }
}

/// The form to sign in.
pub(super) async fn page(
    State(console): State<Arc<Console>>,
    Query(to): Query<To>,
    headers: HeaderMap,
) -> Response {
    form(&console, &headers, (&to, "", ""), StatusCode::OK)
}

fn form(
    console: &Console,
    headers: &HeaderMap,
    (to, name, fault): (&To, &str, &str),
    status: StatusCode,
) -> Response {
    let values = json!({"to": to.page(), "name": name, "fault": fault});
    (status, console.drawing.page(language_of(headers), "sign_in.html", values)).into_response()
}

/// Signs in.
pub(super) async fn post(
    State(console): State<Arc<Console>>,
    Query(to): Query<To>,
    request: Request,
) -> Result<Response, Problem> {
    let who = who(&request);
    let headers = request.headers().clone();
    let sent = read(&headers, request.into_body(), limits::FORM_BYTES).await?;
    let refused =
        |status, fault| Ok(form(&console, &headers, (&to, sent.text("name"), fault), status));
    if is_throttled(&console, who) {
        return refused(StatusCode::TOO_MANY_REQUESTS, "too_many");
    }
    let Some(turn) = turn(&console, who).await else {
        return refused(StatusCode::SERVICE_UNAVAILABLE, "busy");
    };
    match known(&console, &sent, turn).await? {
        Some(operator) => {
            let now = console.node.clock.now();
            let begun = console.sessions.begin(&operator, language_of(&headers), now);
            let cookie = begun.map_err(|_| Problem::fault())?;
            tracing::info!(operator = %operator.id, "an operator signed in");
            Ok(([(header::SET_COOKIE, set_cookie(Some(&cookie)))], Redirect::to(to.page())).into_response())
        }
        None => {
            metrics::counter!("lethe_console_sign_ins_refused_total").increment(1);
            refused(StatusCode::UNAUTHORIZED, "wrong")
        }
    }
}

/// Whether a client sends too many passwords: then none is looked at, right or wrong. Who is elsewhere is not held up
/// by them.
fn is_throttled(console: &Console, who: Who) -> bool {
    let Who::Client(address) = who else { return false };
    console.throttle.0.retain_recent();
    console.throttle.0.check_key(&address).is_err()
}

/// A turn to have a password looked at, which takes memory and work.
async fn turn(console: &Console, who: Who) -> Option<Share> {
    console.node.fairness.sign_ins.take(who, 1, limits::SIGN_IN_WAIT_DURATION).await
}

/// The operator whose name and password these are.
async fn known(console: &Console, sent: &Form, turn: Share) -> Result<Option<Operator>, Problem> {
    let keys = console.node.keys.clone();
    let name = sent.text("name").to_owned();
    let found = console.node.store.read(move |tx| operators::by_name(tx, &keys, &name)).await;
    let operator = match found {
        Ok(operator) => Some(operator),
        Err(OperatorFault::Unknown) => None,
        Err(fault) => return Err(fault.into()),
    };
    let hash = operator.as_ref().and_then(|operator| operator.password.clone());
    let typed = zeroize::Zeroizing::new(sent.raw("password").to_owned());
    let is_right = tokio::task::spawn_blocking(move || {
        let is_right = password::is_right(&typed, hash.as_deref());
        drop(turn);
        is_right
    });
    let is_right = is_right.await.map_err(|_| Problem::fault())?;
    Ok(operator.filter(|operator| is_right && operator.disabled_at.is_none()))
}

/// The form to choose a password.
pub(super) async fn link(
    State(console): State<Arc<Console>>,
    Path(link): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let operator = of_link(&console, &link).await?;
    Ok(choosing(&console, &headers, &operator, ("", StatusCode::OK)))
}

async fn of_link(console: &Console, link: &str) -> Result<Operator, Problem> {
    let keys = console.node.keys.clone();
    let now = console.node.clock.now();
    let link = link.to_owned();
    let found = console.node.store.read(move |tx| operators::by_link(tx, &keys, &link, now)).await;
    found.map_err(|fault| match fault {
        OperatorFault::LinkUnknown => Problem::of(StatusCode::NOT_FOUND, "problem.link"),
        other => other.into(),
    })
}

fn choosing(
    console: &Console,
    headers: &HeaderMap,
    operator: &Operator,
    (fault, status): (&str, StatusCode),
) -> Response {
    let values = json!({"name": operator.name, "fault": fault, "least": limits::PASSWORD_CHARS});
    (status, console.drawing.page(language_of(headers), "link.html", values)).into_response()
}

/// Chooses a password.
pub(super) async fn choose(
    State(console): State<Arc<Console>>,
    Path(link): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let who = who(&request);
    let headers = request.headers().clone();
    let sent = read(&headers, request.into_body(), limits::FORM_BYTES).await?;
    let operator = of_link(&console, &link).await?;
    let again = |fault| {
        Ok(choosing(&console, &headers, &operator, (fault, StatusCode::UNPROCESSABLE_ENTITY)))
    };
    if sent.raw("password") != sent.raw("again") {
        return again("differ");
    }
    let Some(turn) = turn(&console, who).await else { return again("busy") };
    let typed = zeroize::Zeroizing::new(sent.raw("password").to_owned());
    let hashing = tokio::task::spawn_blocking(move || {
        let hash = password::hash(&typed);
        drop(turn);
        hash
    });
    let hash = match hashing.await.map_err(|_| Problem::fault())? {
        Ok(hash) => hash,
        Err(OperatorFault::PasswordShort) => return again("short"),
        Err(OperatorFault::PasswordLong) => return again("long"),
        Err(fault) => return Err(fault.into()),
    };
    let keys = console.node.keys.clone();
    let now = console.node.clock.now();
    let choosing = move |tx: &mut Tx<'_>| operators::choose_password(tx, &keys, &link, &hash, now);
    let chosen = console.node.store.write(Owner::STORE, choosing).await;
    chosen.map_err(|fault| match fault {
        OperatorFault::LinkUnknown => Problem::of(StatusCode::NOT_FOUND, "problem.link"),
        other => other.into(),
    })?;
    Ok(Redirect::to("/sign-in").into_response())
}

/// Signs out.
pub(super) async fn out(State(console): State<Arc<Console>>, act: Act<See>) -> Response {
    console.sessions.end(&act.may.cookie);
    ([(header::SET_COOKIE, set_cookie(None))], Redirect::to("/sign-in")).into_response()
}

/// Says in which language the pages are.
pub(super) async fn language(State(console): State<Arc<Console>>, act: Act<See>) -> Response {
    let language = Language::named(act.form.text("language")).unwrap_or_default();
    console.sessions.speak(&act.may.cookie, language);
    let back = To { to: act.form.text("to").to_owned() };
    Redirect::to(back.page()).into_response()
}
