//! The account of the signed-in operator: whether signing in asks for a code too.

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use qrcode::{Color, QrCode};
use serde_json::{Value, json};

use crate::console::auth::authorization::{Authorized, AuthorizedForm, View};
use crate::console::auth::cookies::set_cookie;
use crate::console::auth::sign_in::{is_right, wait_for_turn};
use crate::console::auth::sign_in_steps::{is_throttled, too_often, who_of};
use crate::console::state::Console;
use crate::console::ui::problem::Problem;
use crate::keys::random_code_secret;
use crate::operators::audit_log::{self, OperatorAct as Done};
use crate::operators::{Operator, OperatorFault, totp};
use crate::store::{Owner, Tx};
use crate::transport::peer::Peer;

/// Light squares that stand around the picture of a code, so that cameras find it (ISO/IEC 18004).
const QUIET_SQUARES: usize = 4;

/// The page.
pub(crate) async fn show(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
) -> Result<Response, Problem> {
    render_page(&console, &may, "")
}

fn render_page(console: &Console, may: &Authorized<View>, fault: &str) -> Result<Response, Problem> {
    let name = may.operator.name.as_deref().unwrap_or_default();
    let mut values = json!({"here": "me", "fault": fault, "has_code": may.operator.has_code()});
    let pending = may.session.pending(console.node.clock.now());
    if let Some(secret) = pending.filter(|_| !may.operator.has_code()) {
        let app = totp::enrol(secret, name)?;
        values["secret"] = in_groups(&app.secret).into();
        values["picture"] = picture(&app.link).into();
        values["link"] = app.link.into();
    }
    console.drawing.render_signed_in(may, "me.html", values)
}

/// Letters four by four, as people type them.
fn in_groups(letters: &str) -> String {
    let letters: Vec<char> = letters.chars().collect();
    letters.chunks(4).map(|group| group.iter().collect::<String>()).collect::<Vec<_>>().join(" ")
}

/// An address as a picture that a phone reads: how many squares wide it is, and the path of the dark ones.
fn picture(link: &str) -> Option<Value> {
    let code = QrCode::new(link).ok()?;
    let width = code.width();
    let dark = code.to_colors().into_iter().enumerate().filter(|(_, color)| *color == Color::Dark);
    let square =
        |at: usize| format!("M{} {}h1v1h-1z", at % width + QUIET_SQUARES, at / width + QUIET_SQUARES);
    let path: String = dark.map(|(at, _)| square(at)).collect();
    Some(json!({"width": width + 2 * QUIET_SQUARES, "path": path}))
}

/// Switches codes on or off.
pub(crate) async fn post(
    State(console): State<Arc<Console>>,
    peer: Option<Extension<Peer>>,
    act: AuthorizedForm<View>,
) -> Result<Response, Problem> {
    let may = &act.may;
    let wanted = act.form.text("do");
    let now = console.node.clock.now();
    match wanted {
        "leave" => {
            console.sessions.prepare(&may.cookie, None, now);
            return Ok(Redirect::to("/me").into_response());
        }
        "begin" if !may.operator.has_code() => {}
        "on" | "off" => {}
        _ => return Err(Problem::not_found()),
    }
    let again = |status, fault| Ok((status, render_page(&console, may, fault)?).into_response());
    let who = who_of(peer.as_deref());
    if is_throttled(&console, who) || !console.throttle.may_try(may.operator.id) {
        return again(StatusCode::TOO_MANY_REQUESTS, "too_many").map(too_often);
    }
    if wanted == "begin" {
        let Some(turn) = wait_for_turn(&console, who).await else {
            return again(StatusCode::SERVICE_UNAVAILABLE, "busy");
        };
        let is_right = is_right(Some(&may.operator), act.form.raw("password"), turn).await?;
        // Otherwise a person who finds an unlocked console could add their own app and keep its owner out.
        if !is_right {
            metrics::counter!("lethe_console_sign_ins_refused_total").increment(1);
            console.record_act(may, "password-refused", None).await?;
            return again(StatusCode::UNPROCESSABLE_ENTITY, "password_wrong");
        }
        let secret = random_code_secret().map_err(OperatorFault::from)?;
        console.sessions.prepare(&may.cookie, Some(secret), now);
        return Ok(Redirect::to("/me").into_response());
    }
    let switched = switch(&console, may, wanted == "on", act.form.text("code")).await?;
    let Some(operator) = switched else {
        console.record_act(may, "code-refused", None).await?;
        return again(StatusCode::UNPROCESSABLE_ENTITY, "code_wrong");
    };
    // It ended every session of theirs; this one goes on as a new one.
    let cookie =
        console.sessions.begin(&operator, may.session.language, now).map_err(|_| Problem::fault())?;
    Ok(([(header::SET_COOKIE, set_cookie(Some(&cookie)))], Redirect::to("/me")).into_response())
}

/// Switches codes, and notes it, both or neither; `None`: the code is wrong.
async fn switch(
    console: &Console,
    may: &Authorized<View>,
    is_on: bool,
    code: &str,
) -> Result<Option<Operator>, Problem> {
    console.may_store()?;
    let keys = console.node.keys.clone();
    let now = console.node.clock.now();
    let id = may.operator.id;
    let secret = may.session.pending(now).cloned().unwrap_or_default();
    if is_on && secret.is_empty() {
        return Ok(None);
    }
    let code = code.to_owned();
    let switching = move |tx: &mut Tx<'_>| {
        let switched = if is_on {
            totp::switch_on(tx, &keys, id, (&secret, &code), now)?
        } else {
            totp::switch_off(tx, &keys, id, &code, now)?
        };
        if switched.is_some() {
            let act = if is_on { "code-switched-on" } else { "code-switched-off" };
            audit_log::record(tx, &Done::new(id, act, now))?;
        }
        Ok::<_, OperatorFault>(switched)
    };
    Ok(console.node.store.write(Owner::STORE, switching).await?)
}
