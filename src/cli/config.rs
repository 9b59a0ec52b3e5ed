//! `lethe config …`.

use serde_json::{Map, json};

use super::context::CommandContext;
use super::control;
use super::fault::CliFault;
use super::print::print_line;
use super::table::cell;

/// Commands for the settings.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Print a commented lethe.toml
    #[command(after_help = "Example:\n  lethe config template > lethe.toml")]
    Template,
    /// Print every setting with its value and where it comes from
    ///
    /// These are the settings that a command, or a server, would have if it was started here and now. A server that
    /// runs may have been started with others: --running asks it.
    #[command(
        after_help = "Examples:\n  lethe config show\n  lethe config show --running\n  lethe config show --json --config /etc/lethe.toml"
    )]
    Show {
        /// Show the settings of the server that runs on the data folder
        #[arg(long)]
        running: bool,
    },
}

/// Runs it.
///
/// # Errors
/// When the settings that are to be shown cannot be used; with `--running`, when no server answers.
pub async fn run(context: &CommandContext, command: &Command) -> Result<(), CliFault> {
    match command {
        Command::Template => print_line(crate::config::template().trim_end()),
        Command::Show { running: true } => {
            if !control::is_running(context).await? {
                let sentence = "no server runs on the data folder; start `lethe serve`";
                return Err(CliFault::Failed(sentence.to_owned()));
            }
            let settings = control::call(context, "/control/config", &json!({})).await?;
            if context.json {
                print_line(settings);
                return Ok(());
            }
            for (name, value) in settings.as_object().into_iter().flatten() {
                print_line(format!("{name:<20} {}", cell(value)));
            }
        }
        Command::Show { running: false } => {
            let settings = context.flags.list_settings(&context.given)?;
            if context.json {
                let map: Map<_, _> = settings
                    .into_iter()
                    .map(|(name, value, source)| (name.to_owned(), json!({"Value": value, "Source": source})))
                    .collect();
                print_line(serde_json::Value::Object(map));
            } else {
                for (name, value, source) in settings {
                    print_line(format!("{name:<14} {value:<40} ({source})"));
                }
            }
        }
    }
    Ok(())
}
