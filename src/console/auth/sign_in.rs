//! Signing in, by a password and perhaps a code; choosing a password, by a link that counts once; and signing out.

use std::sync::Arc;

use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::json;

use super::authorization::{AuthorizedForm, View, read_form};
use super::cookies::set_cookie;
use super::sign_in_steps::{AfterSignIn, client_of, enter, is_throttled, language_of, too_often};
use super::throttle::PasswordTurn;
use super::two_factor;
use crate::admission::Tenant;
use crate::console::state::Console;
use crate::console::ui::form::ConsoleForm;
use crate::console::ui::problem::Problem;
use crate::i18n::UiLanguage;
use crate::limits;
use crate::operators::audit_log::{self, OperatorAct};
use crate::operators::{self, Operator, OperatorFault, password};
use crate::store::{Owner, Tx};

/// The form to sign in.
pub(crate) async fn page(
    State(console): State<Arc<Console>>,
    Query(to): Query<AfterSignIn>,
    headers: HeaderMap,
) -> Response {
    form(&console, &headers, (&to, "", ""), StatusCode::OK)
}

fn form(
    console: &Console,
    headers: &HeaderMap,
    (to, name, fault): (&AfterSignIn, &str, &str),
    status: StatusCode,
) -> Response {
    let values = json!({"to": to.page(), "name": name, "fault": fault});
    (status, console.drawing.page(language_of(headers), "sign_in.html", values)).into_response()
}

/// Signs in.
pub(crate) async fn post(
    State(console): State<Arc<Console>>,
    Query(to): Query<AfterSignIn>,
    request: Request,
) -> Result<Response, Problem> {
    let who = client_of(&request);
    let headers = request.headers().clone();
    // After too many tries nothing is read, and nothing is reported again.
    if is_throttled(&console, who) {
        let again = form(&console, &headers, (&to, "", "too_many"), StatusCode::TOO_MANY_REQUESTS);
        return Ok(too_often(again));
    }
    let sent = read_form(&console, &headers, (request.into_body(), limits::SIGN_IN_BYTES)).await?;
    let refused = |status, fault| Ok(form(&console, &headers, (&to, sent.text("name"), fault), status));
    let Some(turn) = wait_for_turn(&console, who).await else {
        return refused(StatusCode::SERVICE_UNAVAILABLE, "busy");
    };
    match check_password(&console, &sent, turn).await? {
        Some(operator) if operator.has_code() => two_factor::require_code(&console, &operator, who, &to),
        Some(operator) => enter(&console, &operator, (&headers, who), &to).await,
        None => {
            metrics::counter!("lethe_console_sign_ins_refused_total").increment(1);
            refused(StatusCode::UNAUTHORIZED, "wrong")
        }
    }
}

/// A turn to have a password looked at, which takes memory and work.
pub(crate) async fn wait_for_turn(console: &Console, who: Tenant) -> Option<PasswordTurn> {
    match who {
        Tenant::Client(address) if console.throttle.is_known(address) => {
            let turn = console.throttle.turn_of_known.clone().acquire_owned();
            let turn = tokio::time::timeout(limits::SIGN_IN_WAIT_DURATION, turn).await;
            turn.ok()?.ok().map(PasswordTurn::Known)
        }
        who => {
            let turn = console.node.resources.sign_ins.acquire(who, 1, limits::SIGN_IN_WAIT_DURATION);
            turn.await.map(PasswordTurn::Of)
        }
    }
}

/// The operator whose name and password these are.
async fn check_password(
    console: &Console,
    sent: &ConsoleForm,
    turn: PasswordTurn,
) -> Result<Option<Operator>, Problem> {
    let keys = console.node.keys.clone();
    let name = sent.text("name").to_owned();
    let found = console.node.store.read(move |tx| operators::by_name(tx, &keys, &name)).await;
    let operator = match found {
        Ok(operator) => Some(operator),
        Err(OperatorFault::Unknown) => None,
        Err(fault) => return Err(fault.into()),
    };
    let is_right = is_right(operator.as_ref(), sent.raw("password"), turn).await?;
    Ok(operator.filter(|operator| is_right && operator.disabled_at.is_none()))
}

/// Returns true if this is the operator's password. Without an operator it is always false, and takes as long.
pub(crate) async fn is_right(
    operator: Option<&Operator>,
    typed: &str,
    turn: PasswordTurn,
) -> Result<bool, Problem> {
    let hash = operator.and_then(|operator| operator.password.clone());
    let typed = zeroize::Zeroizing::new(typed.to_owned());
    let looking = password::run_on_idle_thread(move || {
        let is_right = password::is_right(&typed, hash.as_deref());
        drop(turn);
        is_right
    });
    looking.await.ok_or_else(Problem::fault)
}

/// The form to choose a password.
pub(crate) async fn link(
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
        OperatorFault::LinkUnknown => Problem::new(StatusCode::NOT_FOUND, "problem.link"),
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
pub(crate) async fn choose(
    State(console): State<Arc<Console>>,
    Path(link): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let who = client_of(&request);
    let headers = request.headers().clone();
    let sent = read_form(&console, &headers, (request.into_body(), limits::SIGN_IN_BYTES)).await?;
    let operator = of_link(&console, &link).await?;
    let again =
        |fault| Ok(choosing(&console, &headers, &operator, (fault, StatusCode::UNPROCESSABLE_ENTITY)));
    let hash = match hash_new_password(&console, who, sent.raw("password"), sent.raw("again")).await? {
        NewPassword::Hashed(hash) => hash,
        NewPassword::Refused(fault) => return again(fault),
    };
    let keys = console.node.keys.clone();
    let now = console.node.clock.now();
    // The password and the line about it, both or neither.
    let choosing = move |tx: &mut Tx<'_>| {
        let chosen = operators::choose_password(tx, &keys, &link, &hash, now)?;
        audit_log::record(tx, &OperatorAct::new(chosen, "password-chosen", now))?;
        Ok::<_, OperatorFault>(())
    };
    console.may_store()?;
    let chosen = console.node.store.write(Owner::STORE, choosing).await;
    chosen.map_err(|fault| match fault {
        OperatorFault::LinkUnknown => Problem::new(StatusCode::NOT_FOUND, "problem.link"),
        other => Problem::from(other),
    })?;
    Ok(Redirect::to("/sign-in").into_response())
}

/// A password that was typed twice.
pub(crate) enum NewPassword {
    /// Its hash.
    Hashed(String),
    /// The fault that its form shows.
    Refused(&'static str),
}

/// Hashes a password that was typed twice, in a turn of its client.
pub(crate) async fn hash_new_password(
    console: &Console,
    who: Tenant,
    typed: &str,
    again: &str,
) -> Result<NewPassword, Problem> {
    if typed != again {
        return Ok(NewPassword::Refused("differ"));
    }
    let Some(turn) = wait_for_turn(console, who).await else { return Ok(NewPassword::Refused("busy")) };
    let typed = zeroize::Zeroizing::new(typed.to_owned());
    let hashing = password::run_on_idle_thread(move || {
        let hash = password::hash(&typed);
        drop(turn);
        hash
    });
    match hashing.await.ok_or_else(Problem::fault)? {
        Ok(hash) => Ok(NewPassword::Hashed(hash)),
        Err(OperatorFault::PasswordShort) => Ok(NewPassword::Refused("short")),
        Err(OperatorFault::PasswordLong) => Ok(NewPassword::Refused("long")),
        Err(fault) => Err(fault.into()),
    }
}

/// Signs out.
pub(crate) async fn sign_out(State(console): State<Arc<Console>>, act: AuthorizedForm<View>) -> Response {
    console.sessions.end(&act.may.cookie);
    // A sign-out counts even while nothing can be stored.
    let _ = console.note_of(act.may.operator.id, "signed-out", None).await;
    ([(header::SET_COOKIE, set_cookie(None))], Redirect::to("/sign-in")).into_response()
}

/// Says in which language the pages are.
pub(crate) async fn language(State(console): State<Arc<Console>>, act: AuthorizedForm<View>) -> Response {
    let language = UiLanguage::from_code(act.form.text("language")).unwrap_or_default();
    console.sessions.set_language(&act.may.cookie, language);
    let back = AfterSignIn { to: act.form.text("to").to_owned() };
    Redirect::to(back.page()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::auth::throttle::SignInThrottle;
    use crate::operators::OperatorId;

    #[test]
    fn few_codes_of_an_operator_are_looked_at() {
        let throttle = SignInThrottle::new();
        let [one, other] = [OperatorId([1; 16]), OperatorId([2; 16])];
        let looked = (0..100).filter(|_| throttle.may_try(one)).count();
        assert_eq!(looked, limits::CODES_OF_OPERATOR as usize);
        assert!(throttle.may_try(other));
    }
}
