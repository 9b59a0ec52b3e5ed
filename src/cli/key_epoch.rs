//! `lethe key-epoch …`.

use serde_json::json;

use super::context::CommandContext;
use super::control;
use super::fault::CliFault;
use super::print::print_line;
use super::table::{cell, many, time};

/// Commands for the epoch.
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
pub async fn run(context: &CommandContext, command: &Command) -> Result<(), CliFault> {
    let path = match command {
        Command::Show => "/control/key-epoch/show",
        Command::Rotate => "/control/key-epoch/rotate",
    };
    let told = control::call(context, path, &json!({})).await?;
    if context.json {
        print_line(&told);
        return Ok(());
    }
    match command {
        Command::Show => {
            print_line(format!("Epoch:    {}", cell(&told["Number"])));
            print_line(format!("Since:    {}", time(&told["MadeAt"])));
            print_line(format!("Next:     {}", time(&told["DueAt"])));
            print_line(format!("Keys:     {}", cell(&told["Keys"])));
            if told["Rotating"] == true {
                print_line("A rotation has not ended: the epoch before still lives.");
            }
        }
        Command::Rotate => {
            let number = cell(&told["Number"]);
            let survivors = many(told["Survivors"].as_u64().unwrap_or(0), "key lives", "keys live");
            print_line(format!("Epoch {number} is in force. {survivors} on; the epoch before is destroyed."));
            if told["Damaged"] != 0 {
                let damaged = many(told["Damaged"].as_u64().unwrap_or(0), "key was", "keys were");
                print_line(format!("{damaged} damaged before: what they sealed is lost."));
            }
        }
    }
    Ok(())
}
