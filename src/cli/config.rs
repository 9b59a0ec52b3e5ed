//! `lethe config …`.

use serde_json::{Map, json};

use super::table::cell;
use super::{CliFault, Context, control, say};

/// What to show.
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
        /// Those of the server that runs on the data folder
        #[arg(long)]
        running: bool,
    },
}

/// Runs it.
///
/// # Errors
/// When the settings that are to be shown cannot be used; with `--running`, when no server answers.
pub async fn run(context: &Context, command: &Command) -> Result<(), CliFault> {
    match command {
        Command::Template => say(crate::config::template().trim_end()),
        Command::Show { running: true } => {
            if !control::is_running(context).await? {
                let sentence = "no server runs on the data folder; start `lethe serve`";
                return Err(CliFault::Failed(sentence.to_owned()));
            }
            let settings = control::ask(context, "/control/config", &json!({})).await?;
            if context.json {
                say(settings);
                return Ok(());
            }
            for (name, value) in settings.as_object().into_iter().flatten() {
                say(format!("{name:<20} {}", cell(value)));
            }
        }
        Command::Show { running: false } => {
            let settings = context.flags.show(&context.given)?;
            if context.json {
                let map: Map<_, _> = settings
                    .into_iter()
                    .map(|(name, value, source)| (name.to_owned(), json!({"Value": value, "Source": source})))
                    .collect();
                say(serde_json::Value::Object(map));
            } else {
                for (name, value, source) in settings {
                    say(format!("{name:<14} {value:<40} ({source})"));
                }
            }
        }
    }
    Ok(())
}
