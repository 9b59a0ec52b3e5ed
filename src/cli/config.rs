//! `lethe config …`.

use serde_json::{Map, json};

use super::{CliFault, Context, say};

/// What to show.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Print a commented lethe.toml
    #[command(after_help = "Example:\n  lethe config template > lethe.toml")]
    Template,
    /// Print every setting with its value and where it comes from
    #[command(
        after_help = "Examples:\n  lethe config show\n  lethe config show --json --config /etc/lethe.toml"
    )]
    Show,
}

/// Runs it.
pub fn run(context: &Context, command: &Command) -> Result<(), CliFault> {
    match command {
        Command::Template => say(crate::config::template().trim_end()),
        Command::Show => {
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
