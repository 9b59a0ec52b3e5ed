//! The second step of a sign-in with codes: after the right password, and before a session begins.

use std::sync::Arc;

use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::json;

use super::authorization::read_form;
use super::cookies::{cookie_named, set_cookie_named};
use super::sign_in_steps::{AfterSignIn, client_of, enter, is_throttled, language_of, too_often};
use crate::admission::Tenant;
use crate::console::state::Console;
use crate::console::ui::problem::Problem;
use crate::limits;
use crate::operators::{Operator, OperatorId, totp};
use crate::store::{Owner, Tx};

/// The cookie of a sign-in with the right password.
const COOKIE: &str = "__Host-lethe-code";

/// Asks for the code after the right password.
pub(crate) fn require_code(
    console: &Console,
    operator: &Operator,
    who: Tenant,
    to: &AfterSignIn,
) -> Result<Response, Problem> {
    let begun = console.halves.begin(operator, who, console.node.clock.now());
    let cookie = begun.map_err(|_| Problem::fault())?;
    let set = set_cookie_named(COOKIE, Some((&cookie, limits::CODE_WAIT_DURATION)));
    Ok(([(header::SET_COOKIE, set)], Redirect::to(&to.address("/sign-in/code"))).into_response())
}

/// The form for the code.
pub(crate) async fn page(
    State(console): State<Arc<Console>>,
    Query(to): Query<AfterSignIn>,
    request: Request,
) -> Response {
    let cookie = cookie_named(request.headers(), COOKIE).unwrap_or_default();
    if !console.halves.is_there(&cookie, client_of(&request), console.node.clock.now()) {
        return Redirect::to(&to.address("/sign-in")).into_response();
    }
    form(&console, request.headers(), (&to, ""), StatusCode::OK)
}

fn form(
    console: &Console,
    headers: &HeaderMap,
    (to, fault): (&AfterSignIn, &str),
    status: StatusCode,
) -> Response {
    let values = json!({"to": to.page(), "fault": fault});
    (status, console.drawing.page(language_of(headers), "code.html", values)).into_response()
}

fn too_many(console: &Console, headers: &HeaderMap, to: &AfterSignIn) -> Response {
    too_often(form(console, headers, (to, "too_many"), StatusCode::TOO_MANY_REQUESTS))
}

/// Signs in with a code.
pub(crate) async fn post(
    State(console): State<Arc<Console>>,
    Query(to): Query<AfterSignIn>,
    request: Request,
) -> Result<Response, Problem> {
    let who = client_of(&request);
    let headers = request.headers().clone();
    // Codes are tried as often as passwords.
    if is_throttled(&console, who) {
        return Ok(too_many(&console, &headers, &to));
    }
    let sent = read_form(&console, &headers, (request.into_body(), limits::SIGN_IN_BYTES)).await?;
    let cookie = cookie_named(&headers, COOKIE).unwrap_or_default();
    let Some(half) = console.halves.take_try(&cookie, who, console.node.clock.now()) else {
        return Ok(Redirect::to(&to.address("/sign-in")).into_response());
    };
    if !console.throttle.may_try(half.0) {
        return Ok(too_many(&console, &headers, &to));
    }
    let Some(operator) = check_code(&console, half, sent.text("code")).await? else {
        metrics::counter!("lethe_console_sign_ins_refused_total").increment(1);
        // The owner of this password may want to know that another person has it.
        console.note_of(half.0, "code-refused", None).await?;
        return Ok(form(&console, &headers, (&to, "code_wrong"), StatusCode::UNAUTHORIZED));
    };
    console.halves.end(&cookie);
    let mut entered = enter(&console, &operator, (&headers, who), &to).await?;
    let ended = HeaderValue::try_from(set_cookie_named(COOKIE, None)).map_err(|_| Problem::fault())?;
    entered.headers_mut().append(header::SET_COOKIE, ended);
    Ok(entered)
}

/// The operator of this code, if they did not change since they gave the password.
async fn check_code(
    console: &Console,
    (id, version): (OperatorId, i64),
    code: &str,
) -> Result<Option<Operator>, Problem> {
    console.may_store()?;
    let keys = console.node.keys.clone();
    let now = console.node.clock.now();
    let code = code.to_owned();
    let spending = move |tx: &mut Tx<'_>| totp::spend(tx, &keys, id, &code, now);
    let operator = console.node.store.write(Owner::STORE, spending).await?;
    let is_as_before = |operator: &Operator| operator.version == version && operator.disabled_at.is_none();
    Ok(operator.filter(is_as_before))
}
