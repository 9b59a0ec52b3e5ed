//! `lethe backup`.

use std::io::IsTerminal;
use std::path::PathBuf;

use indicatif::{HumanBytes, ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::account::text;
use super::context::CommandContext;
use super::control;
use super::events::Events;
use super::fault::CliFault;
use super::print::print_line;
use super::table::many;
use crate::maintenance::backup;
use crate::node::{Node, StartFault};
use crate::recovery::{RecoveryFault, RecoveryProgress};

/// Target of the backup.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  lethe backup /mnt/backups/2026-11-21\n\n\
    A backup holds the database and the catalogue files, checked by opening them, and never a key of a person.\n\
    The server goes on meanwhile.")]
pub struct Options {
    /// A new or empty folder, best on another disk
    target: PathBuf,
}

/// Runs it, in the running server or, when none runs, here.
///
/// # Errors
/// When there is neither a server nor a store, or the backup cannot be made.
pub async fn run(context: &CommandContext, options: Options) -> Result<(), CliFault> {
    let target = std::path::absolute(options.target).map_err(|error| CliFault::Usage(error.to_string()))?;
    let bar = ProgressLine::new(context);
    let made = if control::is_running(context).await? {
        over_socket(context, &target, &bar).await
    } else {
        here(context, &target, &bar).await
    };
    bar.clear();
    let mut made = made?;
    made["Target"] = target.display().to_string().into();
    if context.json {
        print_line(&made);
        return Ok(());
    }
    print_line(format!("Backup in {}: checked by opening it.", target.display()));
    show_content(&made);
    print_line("It holds no key of a person. Keep it apart from the key folder.");
    Ok(())
}

/// Content of a backup, in one line.
pub fn show_content(made: &Value) {
    let number = |count: &Value| count.as_u64().unwrap_or(0);
    let accounts = many(number(&made["Rows"]["account"]), "account", "accounts");
    let people = many(number(&made["Rows"]["subject"]), "person", "people");
    let files = many(number(&made["Files"]), "file", "files");
    let bytes = HumanBytes(number(&made["Bytes"]));
    print_line(format!("{accounts}, {people}, {files}, {bytes}; as of {}.", text(made, "MadeAt")));
}

async fn over_socket(
    context: &CommandContext,
    target: &std::path::Path,
    bar: &ProgressLine,
) -> Result<Value, CliFault> {
    let body = json!({"Target": target}).to_string();
    let response = control::open(context, "/control/backup", body).await?;
    if !response.status().is_success() {
        return Ok(control::read_reply(response).await?.error_for_status()?.answer);
    }
    let mut events = Events::new(response.into_body());
    while let Some(event) = events.next().await {
        let number = |name: &str| event.data[name].as_u64().unwrap_or(0);
        match event.name.as_str() {
            "progress" => bar.update(text(&event.data, "Step"), number("Done"), number("Total")),
            "end" => return Ok(event.data),
            _ => return Err(CliFault::Refused(text(&event.data, "Error").to_owned())),
        }
    }
    Err(CliFault::Failed(
        "the server's answer broke off; a backup without a manifest.json is none".to_owned(),
    ))
}

async fn here(
    context: &CommandContext,
    target: &std::path::Path,
    bar: &ProgressLine,
) -> Result<Value, CliFault> {
    let node = Node::open(control::existing(context)?).await?;
    let made = backup::make(&node, target.to_path_buf(), bar.progress_callback()).await;
    node.release().await;
    Ok(backup::summary(&made?))
}

impl From<RecoveryFault> for CliFault {
    fn from(fault: RecoveryFault) -> Self {
        match fault {
            RecoveryFault::Refused(_) | RecoveryFault::Unusable(_) => Self::Refused(fault.to_string()),
            fault => Self::Start(StartFault::Recovery(fault)),
        }
    }
}

/// A line with the progress, for a person who watches.
pub struct ProgressLine(Option<ProgressBar>);

impl ProgressLine {
    /// Shown on a terminal only.
    pub fn new(context: &CommandContext) -> Self {
        let style = ProgressStyle::with_template("{msg} {wide_bar} {percent} %");
        let bar = (!context.json && std::io::stderr().is_terminal()).then(|| ProgressBar::new(0));
        Self(bar.zip(style.ok()).map(|(bar, style)| bar.with_style(style)))
    }

    /// Shows the progress.
    pub fn update(&self, step: &str, done: u64, total: u64) {
        if let Some(bar) = &self.0 {
            bar.set_message(step.to_owned());
            bar.set_length(total);
            bar.set_position(done);
        }
    }

    /// Receives progress.
    pub fn progress_callback(&self) -> impl FnMut(RecoveryProgress) + Send + use<> {
        let bar = Self(self.0.clone());
        move |at| bar.update(at.step, at.done, at.total)
    }

    /// Takes it away.
    pub fn clear(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_for_json_sees_no_progress() {
        assert!(ProgressLine::new(&CommandContext::without_flags(true)).0.is_none());
    }
}
