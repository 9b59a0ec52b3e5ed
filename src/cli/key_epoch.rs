//! `lethe key-epoch …`.

use serde_json::json;

use super::table::{cell, many, time};
use super::{CliFault, Context, control, say};

/// What to do with the epoch.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Show the epoch in force, since when, and how many keys it wraps
    #[command(after_help = "Example:\n  lethe key-epoch show")]
    Show,
    /// Make a new one now; older copies of slots.key open nothing afterwards
    #[command(after_help = "Example:\n  lethe key-epoch rotate --data-dir /var/lib/lethe/data")]
    Rotate,
}

/// Runs it.
///
/// # Errors
/// When there is neither a server nor a store, or the server refuses.
pub async fn run(context: &Context, command: &Command) -> Result<(), CliFault> {
    let path = match command {
        Command::Show => "/control/key-epoch/show",
        Command::Rotate => "/control/key-epoch/rotate",
    };
    let told = control::ask(context, path, &json!({})).await?;
    if context.json {
        say(&told);
        return Ok(());
    }
    match command {
        Command::Show => {
            say(format!("Epoch:    {}", cell(&told["Number"])));
            say(format!("Since:    {}", time(&told["MadeAt"])));
            say(format!("Next:     {}", time(&told["DueAt"])));
            say(format!("Keys:     {}", cell(&told["Keys"])));
            if told["Rotating"] == true {
                say("A rotation has not ended: the epoch before still lives.");
            }
        }
        Command::Rotate => {
            let number = cell(&told["Number"]);
            let survivors = many(told["Survivors"].as_u64().unwrap_or(0), "key lives", "keys live");
            say(format!("Epoch {number} is in force. {survivors} on; the epoch before is destroyed."));
            if told["Damaged"] != 0 {
                let damaged = many(told["Damaged"].as_u64().unwrap_or(0), "key was", "keys were");
                say(format!("{damaged} damaged before: what they sealed is lost."));
            }
        }
    }
    Ok(())
}
