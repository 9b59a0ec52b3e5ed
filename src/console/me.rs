//! The account of who is signed in: whether signing in asks for a code too.

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use qrcode::{Color, QrCode};
use serde_json::{Value, json};

use super::Console;
use super::problem::Problem;
use super::sign_in::{is_throttled, who_of};
use super::signed::{Act, May, See, set_cookie};
use crate::clock::Millis;
use crate::http::listener::Peer;
use crate::keys::random_code_secret;
use crate::operators::acts::{self, Act as Done};
use crate::operators::{Operator, OperatorFault, OperatorId, code};
use crate::store::{Owner, Tx};

/// Light squares that stand around the picture of a code, so that cameras find it (ISO/IEC 18004).
const QUIET_SQUARES: usize = 4;

/// The page.
pub(super) async fn show(State(console): State<Arc<Console>>, may: May<See>) -> Result<Response, Problem> {
    drawn(&console, &may, "")
}

fn drawn(console: &Console, may: &May<See>, fault: &str) -> Result<Response, Problem> {
    let name = may.operator.name.as_deref().unwrap_or_default();
    let mut values = json!({"here": "me", "fault": fault, "has_code": may.operator.has_code()});
    if let Some(secret) = may.session.code_secret.as_ref().filter(|_| !may.operator.has_code()) {
        let told = code::told(secret, name)?;
        values["secret"] = in_groups(&told.secret).into();
        values["picture"] = picture(&told.link).into();
        values["link"] = told.link.into();
    }
    console.drawing.signed(may, "me.html", values)
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
pub(super) async fn post(
    State(console): State<Arc<Console>>,
    peer: Option<Extension<Peer>>,
    act: Act<See>,
) -> Result<Response, Problem> {
    let may = &act.may;
    let wanted = act.form.text("do");
    match wanted {
        "begin" | "leave" => {
            let secret = if wanted == "begin" { Some(random_code_secret()) } else { None };
            let secret = secret.transpose().map_err(OperatorFault::from)?;
            console.sessions.prepare(&may.cookie, secret);
            return Ok(Redirect::to("/me").into_response());
        }
        "on" | "off" => {}
        _ => return Err(Problem::gone()),
    }
    let is_guessing = is_throttled(&console, who_of(peer.as_deref()));
    if is_guessing || !console.throttle.looks_at_code(may.operator.id) {
        return Ok((StatusCode::TOO_MANY_REQUESTS, drawn(&console, may, "too_many")?).into_response());
    }
    let switched = switch(&console, may, wanted == "on", act.form.text("code")).await?;
    let Some(operator) = switched else {
        return Ok((StatusCode::UNPROCESSABLE_ENTITY, drawn(&console, may, "code_wrong")?).into_response());
    };
    // It ended every session of theirs; this one goes on as a new one.
    let now = console.node.clock.now();
    let cookie =
        console.sessions.begin(&operator, may.session.language, now).map_err(|_| Problem::fault())?;
    Ok(([(header::SET_COOKIE, set_cookie(Some(&cookie)))], Redirect::to("/me")).into_response())
}

/// Switches codes, and notes it, both or neither; `None`: the code is wrong.
async fn switch(
    console: &Console,
    may: &May<See>,
    is_on: bool,
    code: &str,
) -> Result<Option<Operator>, Problem> {
    console.may_store()?;
    let keys = console.node.keys.clone();
    let now = console.node.clock.now();
    let id = may.operator.id;
    let secret = may.session.code_secret.clone().unwrap_or_default();
    if is_on && secret.is_empty() {
        return Ok(None);
    }
    let code = code.to_owned();
    let switching = move |tx: &mut Tx<'_>| {
        let switched = if is_on {
            code::switch_on(tx, &keys, id, (&secret, &code), now)?
        } else {
            code::switch_off(tx, &keys, id, &code, now)?
        };
        if switched.is_some() {
            // red: it::console_code::sqlite::codes_begin_only_when_one_was_right
            mutant!("switching-codes-is-not-noted", acts::note(tx, &switched_by(id, is_on, now))?, ());
        }
        Ok::<_, OperatorFault>(switched)
    };
    Ok(console.node.store.write(Owner::STORE, switching).await?)
}

fn switched_by(operator: OperatorId, is_on: bool, at: Millis) -> Done {
    let act = if is_on { "code-switched-on" } else { "code-switched-off" };
    let id = *uuid::Uuid::new_v4().as_bytes();
    Done { id, at, operator, act: act.to_owned(), account: None, about: None }
}
