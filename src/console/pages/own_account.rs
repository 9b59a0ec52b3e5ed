//! The account of the signed-in operator: their password, and whether signing in asks for a code too.

use std::sync::Arc;

use axum::extract::{Extension, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use qrcode::{Color, QrCode};
use serde_json::{Value, json};

use crate::admission::Tenant;
use crate::console::auth::authorization::{Authorized, AuthorizedForm, View};
use crate::console::auth::cookies::set_cookie;
use crate::console::auth::sign_in::{NewPassword, hash_new_password, is_right, wait_for_turn};
use crate::console::auth::sign_in_steps::{is_throttled, too_often, who_of};
use crate::console::state::Console;
use crate::console::ui::problem::Problem;
use crate::console::ui::url_fields::FieldMap;
use crate::keys::random_code_secret;
use crate::limits;
use crate::operators::audit_log::{self, OperatorAct as Done};
use crate::operators::{self, Operator, OperatorFault, totp};
use crate::store::{Owner, Tx};
use crate::transport::peer::Peer;

/// Light squares that stand around the picture of a code, so that cameras find it (ISO/IEC 18004).
const QUIET_SQUARES: usize = 4;

/// The page.
pub(crate) async fn show(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Query(asked): Query<FieldMap>,
) -> Result<Response, Problem> {
    render_page(&console, &may, json!({"is_changed": asked.has("changed")}))
}

/// Renders the page; `values` name the form that is wrong and its fault, if one is.
fn render_page(console: &Console, may: &Authorized<View>, mut values: Value) -> Result<Response, Problem> {
    let name = may.operator.name.as_deref().unwrap_or_default();
    values["here"] = "me".into();
    values["has_code"] = may.operator.has_code().into();
    values["least"] = limits::PASSWORD_CHARS.into();
    let pending = may.session.pending(console.node.clock.now());
    if let Some(secret) = pending.filter(|_| !may.operator.has_code()) {
        let app = totp::enrol(secret, name)?;
        values["secret"] = in_groups(&app.secret).into();
        values["picture"] = draw_qr_code(&app.link).into();
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
fn draw_qr_code(link: &str) -> Option<Value> {
    let code = QrCode::new(link).ok()?;
    let width = code.width();
    let dark = code.to_colors().into_iter().enumerate().filter(|(_, color)| *color == Color::Dark);
    let square =
        |at: usize| format!("M{} {}h1v1h-1z", at % width + QUIET_SQUARES, at / width + QUIET_SQUARES);
    let path: String = dark.map(|(at, _)| square(at)).collect();
    Some(json!({"width": width + 2 * QUIET_SQUARES, "path": path}))
}

/// Changes the password, or switches codes on or off.
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
        "on" | "off" | "password" => {}
        _ => return Err(Problem::not_found()),
    }
    let form = if wanted == "password" { "password" } else { "codes" };
    let again = |status: StatusCode, fault: &str| {
        Ok((status, render_page(&console, may, json!({"wrong": form, "fault": fault}))?).into_response())
    };
    let who = who_of(peer.as_deref());
    if is_throttled(&console, who) || !console.throttle.may_try(may.operator.id) {
        return again(StatusCode::TOO_MANY_REQUESTS, "too_many").map(too_often);
    }
    // Otherwise a person who finds an unlocked console could add their own app, or password, and keep its owner out.
    if ["begin", "password"].contains(&wanted)
        && let Some((status, fault)) = refuse_password(&console, &act, who).await?
    {
        return again(status, fault);
    }
    if wanted == "password" {
        return match hash_new_password(&console, who, act.form.raw("new"), act.form.raw("again")).await? {
            NewPassword::Hashed(hash) => change_password(&console, may, hash).await,
            NewPassword::Refused(fault) => again(StatusCode::UNPROCESSABLE_ENTITY, fault),
        };
    }
    if wanted == "begin" {
        let secret = random_code_secret().map_err(OperatorFault::from)?;
        console.sessions.prepare(&may.cookie, Some(secret), now);
        return Ok(Redirect::to("/me").into_response());
    }
    let switched = switch_codes(&console, may, wanted == "on", act.form.text("code")).await?;
    let Some(operator) = switched else {
        console.record_act(may, "code-refused", None).await?;
        return again(StatusCode::UNPROCESSABLE_ENTITY, "code_wrong");
    };
    renew_session(&console, may, &operator, "/me")
}

/// Begins the session anew after a change of the operator, which ended every session of theirs.
fn renew_session(
    console: &Console,
    may: &Authorized<View>,
    operator: &Operator,
    to: &str,
) -> Result<Response, Problem> {
    let begun = console.sessions.begin(operator, may.session.language, console.node.clock.now());
    let cookie = begun.map_err(|_| Problem::fault())?;
    Ok(([(header::SET_COOKIE, set_cookie(Some(&cookie)))], Redirect::to(to)).into_response())
}

/// The status and the fault of a form whose present password is not the operator's; `None` if it is.
async fn refuse_password(
    console: &Console,
    act: &AuthorizedForm<View>,
    who: Tenant,
) -> Result<Option<(StatusCode, &'static str)>, Problem> {
    let Some(turn) = wait_for_turn(console, who).await else {
        return Ok(Some((StatusCode::SERVICE_UNAVAILABLE, "busy")));
    };
    if is_right(Some(&act.may.operator), act.form.raw("password"), turn).await? {
        return Ok(None);
    }
    metrics::counter!("lethe_console_sign_ins_refused_total").increment(1);
    console.record_act(&act.may, "password-refused", None).await?;
    Ok(Some((StatusCode::UNPROCESSABLE_ENTITY, "password_wrong")))
}

/// Sets the password, and notes it, both or neither.
async fn change_password(
    console: &Console,
    may: &Authorized<View>,
    hash: String,
) -> Result<Response, Problem> {
    console.may_store()?;
    let keys = console.node.keys.clone();
    let now = console.node.clock.now();
    let id = may.operator.id;
    let version = may.operator.version;
    let changing = move |tx: &mut Tx<'_>| {
        let changed = operators::change_password(tx, &keys, id, version, &hash)?;
        if changed.is_some() {
            audit_log::record(tx, &Done::new(id, "password-changed", now))?;
        }
        Ok::<_, OperatorFault>(changed)
    };
    let changed = console.node.store.write(Owner::STORE, changing).await?;
    // Another change of the operator ended the session meanwhile.
    let operator = changed.ok_or_else(|| Problem::sign_in("/me"))?;
    renew_session(console, may, &operator, "/me?changed=yes")
}

/// Switches codes, and notes it, both or neither; `None`: the code is wrong.
async fn switch_codes(
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_stands_in_groups_of_four() {
        assert_eq!(["ABCDEFGHI", "ABCD", ""].map(in_groups), ["ABCD EFGH I", "ABCD", ""]);
    }

    #[test]
    fn a_picture_has_its_dark_squares_inside_a_light_border() {
        let drawn = draw_qr_code("x").expect("a picture");
        // The smallest code has 21 squares on each side, and four light ones around it.
        assert_eq!(drawn["width"], 29);
        let path = drawn["path"].as_str().expect("a path");
        // The mark in a corner: seven dark squares, then a light one; below it a light one inside a dark frame.
        let top: String = (4..11).map(|column| format!("M{column} 4h1v1h-1z")).collect();
        assert!(path.starts_with(&top), "{path}");
        for (square, is_dark) in [("M11 4h", false), ("M4 5h", true), ("M5 5h", false), ("M10 5h", true)] {
            assert_eq!(path.contains(square), is_dark, "{square}: {path}");
        }
        assert!(path.contains("M24 4h") && !path.contains("M25 4h"), "{path}");
        assert_eq!(draw_qr_code(&"x".repeat(4000)), None, "no code holds so much");
    }
}
