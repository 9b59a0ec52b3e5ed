//! Backups and drills, for owners: when the newest backup was made, the commands, and a backup that is made from here.
//! Nothing is restored from here: a restore needs a server that does not run.

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::{Value, json};

use super::findings::translate_findings;
use crate::console::auth::authorization::{Admin, Authorized, AuthorizedForm};
use crate::console::state::Console;
use crate::console::ui::live_parts::LivePart;
use crate::console::ui::problem::Problem;
use crate::console::ui::sse;
use crate::maintenance::doctor;
use crate::transport::listener::ListenerStop;

/// Page with the state of the backups.
pub(crate) async fn page(
    State(console): State<Arc<Console>>,
    may: Authorized<Admin>,
) -> Result<Response, Problem> {
    render_page(&console, &may, ("", "")).await
}

async fn render_page(
    console: &Console,
    may: &Authorized<Admin>,
    (typed, fault): (&str, &str),
) -> Result<Response, Problem> {
    let newest_at = console.node.store.read(doctor::backup_at).await?;
    let mut checks = console.operations.call("/control/doctor", json!({})).await?;
    translate_findings(&mut checks, console.drawing.words(may.session.language));
    let is_of_it =
        |check: &&Value| ["backup", "recovery key"].contains(&check["Check"].as_str().unwrap_or_default());
    let checks: Vec<_> = checks.as_array().into_iter().flatten().filter(is_of_it).collect();
    let today = jiff::Timestamp::from_millisecond(console.node.clock.now()).unwrap_or_default();
    let values = json!({"here": "backups", "newest_at": newest_at, "checks": checks, "told": console.backups.state(),
        "today": today.strftime("%Y-%m-%d").to_string(), "typed": typed, "fault": fault});
    console.drawing.render_signed_in(may, "backups.html", values)
}

/// Makes a backup in a folder of the server's machine. It goes on when the page is closed.
pub(crate) async fn make(
    State(console): State<Arc<Console>>,
    act: AuthorizedForm<Admin>,
) -> Result<Response, Problem> {
    let target = act.form.text("target");
    if !std::path::Path::new(target).is_absolute() {
        return render_with_fault(
            &console,
            &act,
            "console.backups.absolute",
            StatusCode::UNPROCESSABLE_ENTITY,
        )
        .await;
    }
    console.record_act(&act.may, "backup-begun", None).await?;
    // Nothing is awaited from here until it goes on by itself: a request that is given up ends where it waits.
    if !console.backups.begin(target) {
        console.record_act(&act.may, "backup-begun, refused", None).await?;
        return render_with_fault(&console, &act, "console.backups.busy", StatusCode::CONFLICT).await;
    }
    let making = console.clone();
    let question = json!({"Target": target});
    let language = act.may.session.language;
    tokio::spawn(async move {
        let noted = making.clone();
        let told = |event: &str, data: &Value| noted.backups.apply_event(event, data);
        // A stream that ends without a result made no backup.
        if let Err(refused) = making.operations.follow("/control/backup", question, told).await {
            let words = making.drawing.words(language);
            let said = words.find(&format!("console.{}", refused.sentence)).map(str::to_owned);
            making.backups.apply_event("error", &json!({"Error": said.unwrap_or(refused.sentence)}));
        }
    });
    Ok(Redirect::to("/backups").into_response())
}

async fn render_with_fault(
    console: &Console,
    act: &AuthorizedForm<Admin>,
    key: &str,
    status: StatusCode,
) -> Result<Response, Problem> {
    let fault = console.drawing.words(act.may.session.language).translate(key, &[]);
    let page = render_page(console, &act.may, (act.form.text("target"), &fault)).await?;
    Ok((status, page).into_response())
}

/// Streams the progress of a backup while it is made.
pub(crate) async fn live(
    State(console): State<Arc<Console>>,
    may: Authorized<Admin>,
    Extension(stopping): Extension<ListenerStop>,
) -> Result<Response, Problem> {
    let pages = console.clone();
    let language = may.session.language;
    let next = move || {
        let console = console.clone();
        async move {
            let told = console.backups.state();
            let is_last = told["State"] != "runs";
            let html = console.drawing.text(language, "backup.html", json!({"told": told}))?;
            Ok(LivePart { html, is_last })
        }
    };
    sse::stream(&pages, &may, stopping, next).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::pages::backup_run::Backups;

    #[test]
    fn one_runs_at_a_time() {
        let backups = Backups::default();
        assert!(backups.begin("/a") && !backups.begin("/b"));
        backups.apply_event("progress", &json!({"Step": "copying", "Done": 1, "Total": 2}));
        assert_eq!(backups.state()["Progress"]["Done"], 1);
        backups.apply_event("end", &json!({"Files": 3}));
        assert_eq!(backups.state(), json!({"State": "made", "Target": "/a", "Made": {"Files": 3}}));
        assert!(backups.begin("/b"));
        backups.apply_event("error", &json!({"Error": "the disk is full"}));
        assert_eq!(
            (&backups.state()["State"], &backups.state()["Error"]),
            (&json!("failed"), &json!("the disk is full"))
        );
    }
}
