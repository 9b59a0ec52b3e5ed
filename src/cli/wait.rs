//! `--wait` and `lethe feed watch`: follow a submission to its end, by its events.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::account::text;
use super::api::Api;
use super::context::CommandContext;
use super::events::Events;
use super::fault::CliFault;
use super::print::print_line;
use super::table::{many, time_of_day};
use crate::addresses::{printable, shell_word};

/// Longest absence of a server that answered before: a restart takes less.
const LOST_DURATION: Duration = Duration::from_secs(60);
/// The pause before it is asked again.
const AGAIN_DURATION: Duration = Duration::from_millis(500);

/// Prints the token of a submission and, if told to wait, its outcome.
///
/// # Errors
/// With `wait`: when no server runs, it cannot be asked or refuses, or the submission fails.
pub async fn print_submission(
    context: &CommandContext,
    api: &Api<'_>,
    token: &str,
    wait: bool,
) -> Result<(), CliFault> {
    match (wait, context.json) {
        // The end, in JSON, names the token.
        (true, true) => {}
        (true, false) => print_line(format!("Token: {}", printable(token))),
        (false, true) => print_line(json!({"Token": token})),
        (false, false) => print_line(printable(token)),
    }
    if !wait {
        return Ok(());
    }
    let bar = SubmissionBar::new();
    let ended = follow(api, token, |submission| bar.update(&submission["Progress"])).await;
    bar.clear();
    let ended = ended?;
    if context.json {
        print_line(&ended);
    }
    print_end(context, token, &ended)
}

/// Shows each change of a submission, and how it ended.
///
/// # Errors
/// When no server runs, it cannot be asked or refuses, or the submission fails.
pub async fn watch_submission(context: &CommandContext, api: &Api<'_>, token: &str) -> Result<(), CliFault> {
    let bar = (!context.json && std::io::stderr().is_terminal()).then(SubmissionBar::new);
    let show = |submission: &Value| match &bar {
        _ if context.json => print_line(submission),
        Some(bar) => bar.update(&submission["Progress"]),
        None => print_line(line(&submission["Progress"])),
    };
    let ended = follow(api, token, show).await;
    if let Some(bar) = &bar {
        bar.clear();
    }
    let ended = ended?;
    if context.json {
        print_line(&ended);
    }
    print_end(context, token, &ended)
}

/// Prints how a submission ended; a failure is the command's failure.
fn print_end(context: &CommandContext, token: &str, ended: &Value) -> Result<(), CliFault> {
    let kind = printable(text(ended, "Kind"));
    let token = shell_word(token);
    if has_failed(ended) {
        return Err(CliFault::Refused(format!("the {kind} {token} failed: {}", text(ended, "Reason"))));
    }
    if context.json {
        return Ok(());
    }
    if ended["DryRun"] == true {
        print_line(format!(
            "The dry run {token} is checked, and nothing of it is shown; `lethe feed difference {token}` says what it \
             would change, `lethe feed publish {token}` shows it."
        ));
    } else {
        print_line(format!(
            "The {kind} {token} is complete; `lethe issues {token}` lists what its rows lack."
        ));
    }
    Ok(())
}

/// Shows each state until the last, which is given back. When the server goes away in the middle it is asked again
/// for a minute.
async fn follow(api: &Api<'_>, token: &str, mut show: impl FnMut(&Value)) -> Result<Value, CliFault> {
    if !api.is_served().await? {
        return Err(CliFault::Failed(format!(
            "no server runs that would work on {token}; start `lethe serve`"
        )));
    }
    let mut answered: Option<Instant> = None;
    loop {
        match api.stream("/api/submission/events", &json!({"Token": token})).await {
            // The server has no free event stream.
            Ok(None) => answered = Some(Instant::now()),
            Ok(Some(body)) => {
                let mut events = Events::new(body);
                while let Some(event) = events.next().await {
                    match event.name.as_str() {
                        "progress" => show(&event.data),
                        "end" => return Ok(event.data),
                        "error" => return Err(CliFault::Refused(text(&event.data, "Error").to_owned())),
                        _ => {}
                    }
                }
                answered = Some(Instant::now());
            }
            Err(CliFault::Failed(_) | CliFault::Answered { status: 503, .. })
                if answered.is_some_and(|at| at.elapsed() < LOST_DURATION) => {}
            Err(fault) => return Err(fault),
        }
        tokio::time::sleep(AGAIN_DURATION).await;
    }
}

fn has_failed(submission: &Value) -> bool {
    submission["Status"] == "Error" || submission["Status"] == 2
}

/// A state as text: phase, rows, rate, bytes and the time left, as far as they are known.
fn line(progress: &Value) -> String {
    let number = |name: &str| progress[name].as_u64();
    let mut line = match text(progress, "Phase") {
        "" => "waiting".to_owned(),
        phase => phase.to_owned(),
    };
    if let Some(rows) = number("Rows").filter(|rows| *rows > 0) {
        line.push_str(&format!(", {}", many(rows, "row", "rows")));
    }
    if let Some(rate) = number("RowsPerSecond") {
        line.push_str(&format!(", {rate} rows/s"));
    }
    match (number("Bytes").filter(|bytes| *bytes > 0), number("BytesTotal")) {
        (Some(bytes), Some(total)) => {
            line.push_str(&format!(", {} of {}", HumanBytes(bytes), HumanBytes(total)));
        }
        (Some(bytes), None) => line.push_str(&format!(", {}", HumanBytes(bytes))),
        (None, _) => {}
    }
    if let Some(seconds) = number("SecondsLeft") {
        line.push_str(&format!(", {seconds} s left"));
    }
    if let Some(setback) = describe_setback(progress) {
        line.push_str(&format!("; {setback}"));
    }
    printable(&line)
}

/// Reason why the last try failed, the time of the next one, and the number left; `None` when none failed.
pub fn describe_setback(progress: &Value) -> Option<String> {
    let fault = progress["Fault"].as_str()?;
    let next = time_of_day(&progress["NextTryAt"]);
    let left = match progress["TriesLeft"].as_u64() {
        Some(tries) => format!(", {} left", many(tries, "try", "tries")),
        None => String::new(),
    };
    Some(format!("the last try failed: {fault}; next try at {next}{left}"))
}

/// The same on a terminal, with a bar once it is known how much there is. On a pipe it draws nothing.
pub struct SubmissionBar(ProgressBar);

impl SubmissionBar {
    /// Drawn on standard error, if that is a terminal.
    pub fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        bar.set_style(style("{spinner} {msg}"));
        Self(bar)
    }

    /// Draws a state.
    pub fn update(&self, progress: &Value) {
        let Self(bar) = self;
        if let Some(total) = progress["BytesTotal"].as_u64().filter(|_| bar.length().is_none()) {
            bar.set_length(total);
            bar.set_style(style("{spinner} [{bar:24}] {msg}"));
        }
        bar.set_message(line(progress));
        bar.set_position(progress["Bytes"].as_u64().unwrap_or(0));
        bar.tick();
    }

    /// Takes it off the terminal.
    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_what_is_known() {
        assert_eq!(line(&Value::Null), "waiting");
        let half = json!({"Phase": "downloading", "Rows": 1200, "RowsPerSecond": 400, "Bytes": 2048,
                          "BytesTotal": 4096, "SecondsLeft": 3});
        assert_eq!(line(&half), "downloading, 1,200 rows, 400 rows/s, 2.00 KiB of 4.00 KiB, 3 s left");
        let waits = json!({"Phase": "waiting to fetch again", "Rows": 0, "Bytes": 0, "Fault": "no connection",
                           "NextTryAt": 1_795_262_405_000_i64, "TriesLeft": 57});
        assert_eq!(
            line(&waits),
            "waiting to fetch again; the last try failed: no connection; next try at 12:00:05 UTC, 57 tries left"
        );
        let unsized_ = json!({"Phase": "reading", "Rows": 1, "Bytes": 5, "BytesTotal": null});
        assert_eq!(line(&unsized_), "reading, 1 row, 5 B");
    }
}
