//! `--wait` and `lethe feed watch`: follow a submission to its end, by its events.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::account::text;
use super::api::Api;
use super::context::CommandContext;
use super::events::Events;
use super::failed_tries::{FailedTries, describe_next_try};
use super::fault::CliFault;
use super::print::{print_line, print_warning};
use super::serve::on_signal;
use super::table::many;
use crate::addresses::{printable, shell_word};

/// Longest absence of a server that answered before: a restart takes less.
const LOST_DURATION: Duration = Duration::from_secs(60);
/// The pause before it is asked again.
const AGAIN_DURATION: Duration = Duration::from_millis(500);

/// Prints the token of a submission and, if told to wait, its outcome.
///
/// # Errors
/// With `wait`: when no server runs, it cannot be asked or refuses, the submission fails, or its fetch has failed so
/// often in the same way that waiting is in vain.
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
    let mut tries = FailedTries::default();
    let show = |submission: &Value| {
        bar.show(&submission["Progress"], &mut tries);
        if tries.are_hopeless() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let ended = follow_until_interrupted(api, token, show).await;
    bar.clear();
    let ended = ended?;
    if context.json {
        print_line(&ended);
    }
    if ended["FinishedAt"].is_null() && tries.are_hopeless() {
        return Err(tries.into_fault(token));
    }
    print_end(context, api, token, &ended).await
}

/// Shows each change of a submission, and how it ended.
///
/// # Errors
/// When no server runs, it cannot be asked or refuses, or the submission fails.
pub async fn watch_submission(context: &CommandContext, api: &Api<'_>, token: &str) -> Result<(), CliFault> {
    let bar = (!context.json && std::io::stderr().is_terminal()).then(SubmissionBar::new);
    let mut tries = FailedTries::default();
    let show = |submission: &Value| {
        match &bar {
            _ if context.json => print_line(submission),
            Some(bar) => bar.show(&submission["Progress"], &mut tries),
            None => print_line(line(&submission["Progress"])),
        }
        ControlFlow::Continue(())
    };
    let ended = follow_until_interrupted(api, token, show).await;
    if let Some(bar) = &bar {
        bar.clear();
    }
    let ended = ended?;
    if context.json {
        print_line(&ended);
    }
    print_end(context, api, token, &ended).await
}

/// Prints how a submission ended; a failure is the command's failure.
async fn print_end(
    context: &CommandContext,
    api: &Api<'_>,
    submission: &str,
    ended: &Value,
) -> Result<(), CliFault> {
    let kind = printable(text(ended, "Kind"));
    let token = shell_word(submission);
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
        return Ok(());
    }
    let products = if kind == "feed" { count_products(api).await } else { None };
    let outcome = describe_outcome(&token, products, count_issues(api, submission).await);
    print_line(format!("The {kind} {token} is complete{outcome}"));
    Ok(())
}

/// Products that the shop shows and issues of the submission, as far as the server tells them: it may be busy, or
/// stopped since.
fn describe_outcome(token: &str, products: Option<u64>, issues: Option<u64>) -> String {
    let Some(issues) = issues else { return format!("; `lethe issues {token}` lists what its rows lack.") };
    let shown = products.map(|products| format!("{} shown, ", many(products, "product", "products")));
    let shown = shown.unwrap_or_default();
    match issues {
        0 => format!(": {shown}no issues."),
        _ => format!(": {shown}{}; `lethe issues {token}` lists them.", many(issues, "issue", "issues")),
    }
}

/// Number of issues in the rows of a submission; `None` if the server does not tell.
async fn count_issues(api: &Api<'_>, token: &str) -> Option<u64> {
    let found = api.post("/api/issues", &json!({"Token": token})).await.ok()?;
    Some(found["Counts"].as_array()?.iter().filter_map(|counted| counted["Count"].as_u64()).sum())
}

/// Number of products that the shop shows now; `None` if the server does not tell.
async fn count_products(api: &Api<'_>) -> Option<u64> {
    let page = api.post("/api/catalogue", &json!({"Section": "Products", "Limit": 1})).await.ok()?;
    page["Counts"]["Products"].as_u64()
}

/// Follows a submission until somebody interrupts the command, and then says that the server goes on with it.
async fn follow_until_interrupted(
    api: &Api<'_>,
    token: &str,
    show: impl FnMut(&Value) -> ControlFlow<()>,
) -> Result<Value, CliFault> {
    let told = CancellationToken::new();
    on_signal(told.clone())?;
    tokio::select! {
        ended = follow(api, token, show) => ended,
        () = told.cancelled() => Err(CliFault::Failed(format!(
            "waiting was interrupted; the server goes on, and `lethe feed watch {}` follows it",
            shell_word(token)
        ))),
    }
}

/// Shows each state until the last, or until `show` has seen enough, and returns that one. When the server goes away in
/// the middle it is asked again for a minute.
async fn follow(
    api: &Api<'_>,
    token: &str,
    mut show: impl FnMut(&Value) -> ControlFlow<()>,
) -> Result<Value, CliFault> {
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
                        "progress" if show(&event.data).is_break() => return Ok(event.data),
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
    Some(format!("the last try failed: {fault}; {}", describe_next_try(progress)))
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
        let bytes = progress["Bytes"].as_u64().unwrap_or(0);
        self.draw(line(progress), bytes, progress["BytesTotal"].as_u64());
    }

    /// Draws a message, with a bar if it is known how many bytes there are.
    pub fn draw(&self, message: String, bytes: u64, total: Option<u64>) {
        let Self(bar) = self;
        if let Some(total) = total.filter(|_| bar.length().is_none()) {
            bar.set_length(total);
            bar.set_style(style("{spinner} [{bar:24}] {msg}"));
        }
        bar.set_message(message);
        bar.set_position(bytes);
        bar.tick();
    }

    /// Draws a state, and prints a try that has failed since the one before as a line that stays.
    fn show(&self, progress: &Value, tries: &mut FailedTries) {
        if let Some(failure) = tries.take_failure(progress) {
            self.0.suspend(|| print_warning(&failure));
        }
        self.update(progress);
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
    fn an_outcome_tells_products_and_issues_as_far_as_they_are_known() {
        for (products, issues, told) in [
            (Some(2000), Some(0), ": 2,000 products shown, no issues."),
            (Some(1), Some(1), ": 1 product shown, 1 issue; `lethe issues t` lists them."),
            (Some(0), Some(1200), ": 0 products shown, 1,200 issues; `lethe issues t` lists them."),
            (None, Some(0), ": no issues."),
            (None, Some(2), ": 2 issues; `lethe issues t` lists them."),
            (Some(3), None, "; `lethe issues t` lists what its rows lack."),
        ] {
            assert_eq!(describe_outcome("t", products, issues), told);
        }
    }

    #[test]
    fn the_last_failure_is_told_with_the_next_try_and_how_many_are_left() {
        let setback = |fault: Value, left: Value| {
            describe_setback(&json!({"Fault": fault, "NextTryAt": 1000, "TriesLeft": left}))
        };
        let begin = "the last try failed: the disk; next try at 00:00:01 UTC";
        for (left, end) in [
            (json!(0), ", 0 tries left"),
            (json!(1), ", 1 try left"),
            (json!(2000), ", 2,000 tries left"),
            (json!(null), ""),
        ] {
            assert_eq!(setback(json!("the disk"), left), Some(format!("{begin}{end}")));
        }
        assert_eq!(setback(json!(null), json!(1)), None);
        assert_eq!(describe_setback(&Value::Null), None);
    }

    #[test]
    fn a_feed_and_a_delta_fail_in_their_own_words() {
        for (status, is_failure) in [
            (json!("Error"), true),
            (json!(2), true),
            (json!("Complete"), false),
            (json!(1), false),
            (json!("2"), false),
        ] {
            assert_eq!(has_failed(&json!({"Status": status})), is_failure, "{status}");
        }
    }

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
        assert_eq!(
            line(&json!({"Phase": "", "Rows": 0, "RowsPerSecond": 0, "SecondsLeft": 0})),
            "waiting, 0 rows/s, 0 s left"
        );
        assert_eq!(line(&json!({"Phase": "a\u{1b}", "Bytes": 0, "BytesTotal": 5})), "a·");
        let unsized_ = json!({"Phase": "reading", "Rows": 1, "Bytes": 5, "BytesTotal": null});
        assert_eq!(line(&unsized_), "reading, 1 row, 5 B");
    }
}
