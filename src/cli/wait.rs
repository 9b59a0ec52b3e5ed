//! `--wait`: follows a submission to its end with a progress bar on the terminal.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::account::text;
use super::api::Api;
use super::{CliFault, Context, say};

/// Often enough to look alive, seldom enough to cost nothing.
pub const POLL_DURATION: Duration = Duration::from_millis(200);

/// Prints the token of what was submitted and, if told to wait, how it ended.
pub async fn shown(context: &Context, api: &Api<'_>, token: &str, wait: bool) -> Result<(), CliFault> {
    match (wait, context.json) {
        // The end, in JSON, names the token.
        (true, true) => {}
        (true, false) => say(format!("Token: {token}")),
        (false, true) => say(json!({"Token": token})),
        (false, false) => say(token),
    }
    if wait { for_end(context, api, token).await } else { Ok(()) }
}

/// Waits for the submission of `token` and prints how it ended; a failure is the command's failure.
async fn for_end(context: &Context, api: &Api<'_>, token: &str) -> Result<(), CliFault> {
    if !api.is_served().await? {
        return Err(CliFault::Failed(format!(
            "{token} is accepted, but no server runs that would work on it; start `lethe serve`"
        )));
    }
    let ended = follow(api, token).await?;
    if context.json {
        say(&ended);
    }
    let kind = text(&ended, "Kind");
    match has_failed(&ended) {
        true => Err(CliFault::Refused(format!("the {kind} {token} failed: {}", text(&ended, "Reason")))),
        false if context.json => Ok(()),
        false => {
            say(format!("The {kind} {token} is complete; `lethe issues {token}` lists what its rows lack."));
            Ok(())
        }
    }
}

/// Polls until the submission has ended; its last state.
pub async fn follow(api: &Api<'_>, token: &str) -> Result<Value, CliFault> {
    let bar = Bar::new();
    loop {
        let found = api.post("/api/submissions", &json!({"Token": token})).await?;
        let Some(submission) = found.get(0) else {
            return Err(CliFault::Failed(format!("the server does not know {token}")));
        };
        if is_ended(submission) {
            bar.clear();
            return Ok(submission.clone());
        }
        bar.show(&submission["Progress"]);
        tokio::time::sleep(POLL_DURATION).await;
    }
}

fn is_ended(submission: &Value) -> bool {
    !submission["FinishedAt"].is_null()
}

fn has_failed(submission: &Value) -> bool {
    submission["Status"] == "Error" || submission["Status"] == 2
}

/// Phase, rows, rate, bytes and the time left. On a pipe it draws nothing.
pub struct Bar {
    bar: ProgressBar,
    started: Instant,
}

impl Bar {
    /// Drawn on standard error, if that is a terminal.
    pub fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        bar.set_style(style("{spinner} {msg}"));
        Self { bar, started: Instant::now() }
    }

    /// Draws a state: `Phase`, `Rows`, `Bytes`, and `BytesTotal` if it is known.
    pub fn show(&self, progress: &Value) {
        let (rows, bytes) = (progress["Rows"].as_u64().unwrap_or(0), progress["Bytes"].as_u64().unwrap_or(0));
        if let Some(total) =
            progress["BytesTotal"].as_u64().filter(|total| *total > 0 && self.bar.length().is_none())
        {
            self.bar.set_length(total);
            self.bar.set_style(style(
                "{spinner} {msg} [{bar:24}] {bytes}/{total_bytes} {bytes_per_sec} ETA {eta}",
            ));
        }
        let phase = match text(progress, "Phase") {
            "" => "waiting",
            phase => phase,
        };
        let rate = rows as f64 / self.started.elapsed().as_secs_f64().max(0.001);
        let message = match self.bar.length() {
            _ if rows == 0 => phase.to_owned(),
            Some(_) => format!("{phase}: {rows} rows, {rate:.0}/s"),
            None => format!("{phase}: {rows} rows, {rate:.0}/s, {bytes} bytes"),
        };
        self.bar.set_message(message);
        self.bar.set_position(bytes);
        self.bar.tick();
    }

    /// Takes it off the terminal.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}
